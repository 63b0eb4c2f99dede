"""Priors over partitions are probabilities, and samples follow them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch

from ncpgui.core.partition import all_partitions
from ncpgui.engine.generative.batch import canonical_labels
from ncpgui.engine.generative.partition_priors import CRP, MFM

PRIORS = [
    CRP(0.7),
    CRP(2.0),
    CRP(0.01, drawn=True),
    CRP(300.0, drawn=True),
    MFM(),
    MFM(rate=2.0, gamma=0.5),
    MFM(k_max=3),
]


def every_partition(n_points: int) -> torch.Tensor:
    return torch.from_numpy(np.stack(list(all_partitions(n_points))))


@pytest.mark.parametrize("prior", PRIORS)
def test_probabilities_of_all_partitions_of_five_points_sum_to_one(prior: CRP | MFM) -> None:
    assert prior.log_prob(every_partition(5)).exp().sum().item() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_leaving_a_point_out_gives_the_prior_of_fewer_points(prior: CRP | MFM) -> None:
    """Both priors are consistent: the marginal of 4 of 5 points is the prior of 4 points."""
    marginal: Counter[tuple[int, ...]] = Counter()
    for labels, probability in zip(every_partition(5), prior.log_prob(every_partition(5)).exp(), strict=True):
        marginal[tuple(labels[:4].tolist())] += probability.item()
    fours = every_partition(4)
    for labels, probability in zip(fours, prior.log_prob(fours).exp(), strict=True):
        assert marginal[tuple(labels.tolist())] == pytest.approx(probability.item(), abs=1e-12)


def test_crp_of_two_points_joins_them_with_probability_one_over_one_plus_alpha() -> None:
    together = CRP(0.7).log_prob(torch.tensor([0, 0]))
    assert together.item() == pytest.approx(-math.log(1.7), abs=1e-12)


@pytest.mark.parametrize("prior", [CRP(0.7), MFM()])
def test_samples_have_the_frequencies_of_the_log_probability(
    prior: CRP | MFM, generator: torch.Generator
) -> None:
    n = 20_000
    if isinstance(prior, CRP):
        labels = prior.sample(n, 4, generator)
    else:
        labels = canonical_labels(prior.sample_units(n, 4, generator))
    counts = Counter(map(tuple, labels.tolist()))
    partitions = every_partition(4)
    for partition, expected in zip(partitions, prior.log_prob(partitions).exp(), strict=True):
        p = expected.item()
        assert abs(counts[tuple(partition.tolist())] / n - p) < 5 * math.sqrt(p * (1 - p) / n)


def test_datasets_with_a_flat_number_of_units_have_each_number_up_to_the_most_equally_often() -> None:
    n = 6000
    flat = torch.arange(n) % 2 == 0
    units = MFM(rate=0.1, gamma=20.0, k_max=4).sample_units(
        n, 60, torch.Generator().manual_seed(0), torch.full((n,), 20.0), flat
    )
    found = torch.tensor([len(row.unique()) for row in units])
    for k in range(1, 5):
        assert abs((found[flat] == k).float().mean().item() - 0.25) < 0.04  # five sd of 3000 draws
    assert (found[~flat] == 1).float().mean() > 0.88  # exp(-0.1) is 0.905
