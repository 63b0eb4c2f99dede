"""Scores on the principal axes of each dataset, against an eigenvalue decomposition of each by itself."""

from __future__ import annotations

import numpy as np
import torch

from ncpgui.engine.networks.principal_components import principal_scores


def spread_out(n_datasets: int, n_points: int, n_columns: int) -> torch.Tensor:
    """Points whose variances along turned axes are 1, 4, 16, ... with skewed scores."""
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(n_datasets, n_points, n_columns, generator=generator).exp()
    axes = torch.linalg.qr(torch.randn(n_datasets, n_columns, n_columns, generator=generator))[0]
    return (scores * 2.0 ** torch.arange(n_columns)) @ axes.mT + 3.0


def expected(x: np.ndarray, n_components: int) -> np.ndarray:
    x = x - x.mean(0)
    axes = np.linalg.eigh(x.T @ x)[1][:, ::-1][:, :n_components]
    scores = x @ axes
    return scores * np.sign((scores**3).sum(0))


def test_scores_are_those_of_an_eigenvalue_decomposition() -> None:
    x = spread_out(3, 60, 7)
    found = principal_scores(x.unflatten(2, (7, 1)), torch.ones(3, 60, dtype=torch.bool), 3)
    for i in range(3):
        np.testing.assert_allclose(found[i], expected(x[i].double().numpy(), 3), rtol=2e-3, atol=2e-2)


def test_padding_changes_nothing_and_has_no_scores() -> None:
    x = spread_out(2, 50, 6)
    there = torch.arange(50) < torch.tensor([[50], [30]])
    found = principal_scores(x, there, 2)
    alone = principal_scores(x[1:, :30], there[1:, :30], 2)
    torch.testing.assert_close(found[1:, :30], alone, rtol=1e-3, atol=1e-2)
    assert (found[1, 30:] == 0).all()


def test_few_points_have_few_components() -> None:
    one, two = (principal_scores(spread_out(1, n, 5), torch.ones(1, n, dtype=torch.bool), 4) for n in (1, 2))
    assert (one == 0).all()
    assert (two[..., 0] != 0).all()
    assert torch.isfinite(two).all()
    assert (two[..., 2:] == 0).all()
