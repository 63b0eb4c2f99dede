"""Chains visit the partitions of a few points as often as enumeration says."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch

from benchmarks.figures.gibbs_chain import sweeps
from ncpgui.engine.diagnostics.geweke import distance_by_chance
from ncpgui.engine.diagnostics.parallel_gibbs import effective_sample_size
from ncpgui.engine.diagnostics.posteriors import ExactPosterior, every_partition
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM, GaussianDPMMSettings

WAYS = {
    "Gibbs": {"n_gibbs": 1},
    "split-merge": {"n_gibbs": 0, "n_split_merge": 2, "n_scans": 2},
    "both": {"n_gibbs": 1, "n_split_merge": 1, "n_scans": 3},
}


@pytest.mark.parametrize(
    ("way", "n_points", "drawn"), [("Gibbs", 5, True), ("split-merge", 4, False), ("both", 5, True)]
)
def test_frequencies_of_all_partitions_match_enumeration(way, n_points, drawn):
    generator = torch.Generator().manual_seed(1)
    model = GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=drawn, sigma_mu=2.0))
    frequencies_match(model, model.sample(1, n_points, generator).points, way)


def frequencies_match(model, points, way):
    every = every_partition(points[0].shape[1])
    place = {tuple(row): i for i, row in enumerate(every.tolist())}
    chain = sweeps(points[0][0].numpy(), model, seed=0, **WAYS[way])
    index = np.array([place[tuple(row)] for row in islice(chain, 2000)])
    p = np.exp(ExactPosterior(model).log_prob_of_all(points))
    worth = effective_sample_size(p[index].reshape(4, -1))
    found = np.bincount(index, minlength=len(every)) / len(index)
    assert worth > 150
    assert np.abs(found - p).sum() / 2 < 2 * distance_by_chance(p, int(worth))


def test_split_merge_finds_two_far_clusters_at_once_where_gibbs_starts_with_one():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 30)
    x = np.array([[-5.0, 0.0], [5.0, 0.0]])[truth] + rng.normal(size=(60, 2))
    model = GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=False))
    *_, last = islice(sweeps(x, model, seed=0, n_split_merge=3), 10)
    np.testing.assert_array_equal(last, truth)


def test_the_same_seed_gives_the_same_chain_from_where_it_starts():
    x = np.random.default_rng(0).normal(size=(8, 2)) * 4
    model = GaussianDPMM(GaussianDPMMSettings(sigma_mu=4.0))
    first, again = (
        list(islice(sweeps(x, model, seed=3, start=np.arange(8), n_split_merge=1), 5)) for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)


def test_one_point_is_one_cluster():
    chain = sweeps(np.zeros((1, 2)), GaussianDPMM(), seed=0, n_split_merge=1)
    assert next(chain).tolist() == [0]
