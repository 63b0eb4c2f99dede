"""SM B of the paper, exact: in an exponential family a conditional sees the points of a cluster by sums only.

For 2D Gaussians of known variance h(x) = (1, x). F below is the joint of the first n labels and all points,
as a function of the sums H_k of h over each cluster, and of h of the points to come: the form of f(G, U),
with the sum over all labels to come done exactly.
"""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM, GaussianDPMMSettings

MODEL = GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=False, sigma_mu=3.0))


def statistics(points: Tensor) -> Tensor:
    """h(x) = (1, x): (N, 3)."""
    return torch.cat([torch.ones(len(points), 1, dtype=points.dtype), points], dim=1)


def joint(sums: list[Tensor], to_come: Tensor) -> float:
    """F(H_1 .. H_K, h(x_n+1) .. h(x_N)), by listing all labels to come."""
    if len(to_come) == 0:
        table = torch.stack(sums)
        n, total = table[:, 0], table[:, 1:]
        prior = MODEL.prior.log_prob(torch.arange(len(n)).repeat_interleave(n.long())[None])[0]
        return float((prior + MODEL.log_evidence(n, total, torch.zeros(len(n))).sum()).exp())
    first, rest = to_come[0], to_come[1:]
    joined = sum(joint([*sums[:k], one + first, *sums[k + 1 :]], rest) for k, one in enumerate(sums))
    return joined + joint([*sums, first], rest)


def from_sums(points: Tensor, labels: list[int]) -> Tensor:
    """q(c_n | c_1:n-1, x) as a softmax of log F: (K + 1,)."""
    h, n = statistics(points), len(labels)
    n_clusters = max(labels, default=-1) + 1
    sums = [h[:n][torch.tensor(labels) == k].sum(0) for k in range(n_clusters)]
    nothing = torch.zeros(3, dtype=points.dtype)
    choices = [
        joint([*sums[:k], (sums[k] if k < n_clusters else nothing) + h[n], *sums[k + 1 :]], h[n + 1 :])
        for k in range(n_clusters + 1)
    ]
    return torch.tensor(choices, dtype=torch.float64) / sum(choices)


def by_listing(points: Tensor, labels: list[int]) -> Tensor:
    """The same law from the joint of all labels and points, every clustering of all points listed."""
    rows: list[list[int]] = [labels]
    for _ in range(len(points) - len(labels)):
        rows = [[*row, k] for row in rows for k in range(max(row, default=-1) + 2)]
    table = torch.tensor(rows)
    weight = MODEL.log_joint(points, table).softmax(0)
    return torch.bincount(table[:, len(labels)], weights=weight)


@pytest.fixture
def points() -> Tensor:
    return 3 * torch.randn(7, 2, generator=torch.Generator().manual_seed(4), dtype=torch.float64)


@pytest.mark.parametrize("labels", [[], [0], [0, 0, 1], [0, 1, 0, 2], [0, 1, 1, 0, 2, 2]])
def test_the_exact_conditional_is_a_function_of_the_sums(points: Tensor, labels: list[int]) -> None:
    assert from_sums(points, labels) == pytest.approx(by_listing(points, labels), abs=1e-10)


def test_points_of_a_cluster_may_be_others_with_the_same_sum(points: Tensor) -> None:
    others = points.clone()
    others[0] += 1.7
    others[1] -= 1.7  # points 0 and 1 are of one cluster: the same count and sum, another spread
    labels = [0, 0, 1]
    assert by_listing(others, labels) == pytest.approx(by_listing(points, labels), abs=1e-10)


def test_another_sum_changes_the_conditional(points: Tensor) -> None:
    others = points.clone()
    others[0] += 1.7
    difference = by_listing(others, [0, 0, 1]) - by_listing(points, [0, 0, 1])
    assert difference.abs().max() > 1e-3
