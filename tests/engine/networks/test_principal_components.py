"""Scores on the principal axes of each dataset, against an eigenvalue decomposition of each by itself."""

from __future__ import annotations

import numpy as np
import torch

from ncpgui.engine.networks import principal_components
from ncpgui.engine.networks.principal_components import in_white_noise, principal_scores


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


def noisy_units(n_points: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Four units, some 6 noise sd apart, in smooth noise that channels share: (1, N, 16, 5).

    Also returned: labels (N,), and the covariance of the noise of a waveform, (80, 80).
    """
    generator = torch.Generator().manual_seed(2)
    lag = torch.arange(16.0)
    in_time = torch.exp(-((lag[:, None] - lag) ** 2) / 8) + 0.05 * torch.eye(16)
    between = 0.8 * torch.ones(5, 5) + 0.2 * torch.eye(5)
    covariance = torch.kron(in_time, between)
    noise = torch.randn(n_points, 80, generator=generator) @ torch.linalg.cholesky(covariance).mT
    units = 4 * torch.randn(4, 80, generator=generator) / 80**0.5
    labels = torch.randint(4, (n_points,), generator=generator)
    return (units[labels] + noise).view(1, n_points, 16, 5), labels, covariance


def test_noise_becomes_whiter_whatever_units_lie_in_it() -> None:
    x, labels, covariance = noisy_units(2000)
    white = in_white_noise(x, torch.ones(1, 2000, dtype=torch.bool))[0].flatten(1)
    rest = torch.cat([white[labels == unit] - white[labels == unit].mean(0) for unit in range(4)])
    variance = torch.linalg.eigvalsh(rest.mT @ rest / len(rest))
    before = torch.linalg.eigvalsh(covariance)
    assert before[-1] / before[0] > 1000
    assert variance[-1] / variance[0] < 100  # differences of neighbours, and a ridge, tell it roughly


def test_units_stand_apart_along_the_axes_of_white_noise_and_not_along_those_of_the_points() -> None:
    x, labels, _ = noisy_units(1000)
    there = torch.ones(1, 1000, dtype=torch.bool)

    def between_over_within(points: torch.Tensor) -> torch.Tensor:
        scores = principal_scores(points, there, 3)[0]
        mean = torch.stack([scores[labels == unit].mean(0) for unit in range(4)])
        return mean.var(0) / (scores - mean[labels]).var(0)

    assert (between_over_within(in_white_noise(x, there)) > 10).all()
    assert (between_over_within(x) < 0.5).all()


def test_padding_does_not_change_what_noise_is_found() -> None:
    x, _, _ = noisy_units(120)
    there = torch.arange(120) < torch.tensor([[120], [90]])
    both = in_white_noise(x.expand(2, -1, -1, -1).double(), there)
    alone = in_white_noise(x[:, :90].double(), there[1:, :90])
    torch.testing.assert_close(both[1:, :90], alone)
    assert (both[1, 90:] == 0).all()


def test_of_many_points_some_evenly_spaced_ones_tell_the_noise(monkeypatch) -> None:
    """No table of distances is larger than theirs; all points become white, whatever the padding."""
    x, _, _ = noisy_units(900)
    there = torch.ones(1, 900, dtype=torch.bool)
    every = in_white_noise(x, there)
    monkeypatch.setattr(principal_components, "_MOST_COMPARED", 300)
    sizes = []
    cdist = torch.cdist
    monkeypatch.setattr(torch, "cdist", lambda a, b: sizes.append((a.shape[1], b.shape[1])) or cdist(a, b))
    some = in_white_noise(x, there)
    assert set(sizes) == {(300, 300)}
    spread = [part[0].flatten(1).std(0) for part in (every, some)]
    torch.testing.assert_close(spread[1], spread[0], rtol=0.3, atol=0)
    padded = torch.nn.functional.pad(x, (0, 0, 0, 0, 0, 250))
    among = in_white_noise(padded, torch.arange(1150)[None] < 900)
    torch.testing.assert_close(among[:, :900], some, rtol=1e-2, atol=1e-2)


def test_few_points_and_missing_channels_are_left_finite() -> None:
    for n_points in (1, 2, 3):
        x, _, _ = noisy_units(n_points)
        x[..., 3:] = 0  # two channels that are not there
        white = in_white_noise(x, torch.ones(1, n_points, dtype=torch.bool))
        assert torch.isfinite(white).all()
        assert (white[..., 3:] == 0).all()
    same = torch.ones(1, 30, 16, 5)
    assert torch.isfinite(in_white_noise(same, torch.ones(1, 30, dtype=torch.bool))).all()


def test_channels_that_are_missing_change_nothing() -> None:
    x, _, _ = noisy_units(200)
    there = torch.ones(1, 200, dtype=torch.bool)
    some = x * (torch.arange(5) < 3)
    few, many = (principal_scores(in_white_noise(one, there), there, 4) for one in (x[..., :3], some))
    torch.testing.assert_close(few, many, rtol=1e-3, atol=1e-3)


def test_a_masked_channel_in_the_middle_is_as_one_that_is_not_there() -> None:
    x = spread_out(1, 40, 12).unflatten(2, (4, 3)).double()
    masked = torch.zeros(1, 40, 4, 5, dtype=torch.float64)
    masked[..., [0, 2, 4]] = x
    there = torch.ones(1, 40, dtype=torch.bool)
    torch.testing.assert_close(principal_scores(masked, there, 3), principal_scores(x, there, 3))
