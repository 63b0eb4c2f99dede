"""What no sampler takes, and the least that all of them do."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.npt import ClusterAwareNPT
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.sampling import memory
from ncpgui.engine.sampling.beams import beam_samples, stochastic_beam_samples
from ncpgui.engine.sampling.clusterwise import clusterwise_samples
from ncpgui.engine.sampling.posterior import (
    ancestral_samples,
    linked_samples,
)
from ncpgui.engine.sampling.tracking import track_samples

SAMPLERS = {
    "ancestral": (ClusterAwareNCP, partial(ancestral_samples, n_samples=4)),
    "beam": (ClusterAwareNCP, partial(beam_samples, width=4)),
    "stochastic beam": (ClusterAwareNCP, partial(stochastic_beam_samples, width=4)),
    "links": (ClusterAwareNCP, lambda *case, seed: linked_samples(*case, n_samples=4, seed=seed).samples),
    "clusterwise": (CCP, partial(clusterwise_samples, n_samples=4)),
    "tracks": (ClusterAwareNPT, partial(track_samples, n_samples=4)),
}


@pytest.fixture(params=SAMPLERS)
def sampler(request):
    """A function of points (N, 2) that samples them."""
    kind, sample = SAMPLERS[request.param]
    torch.manual_seed(0)
    network = kind(PointEncoder(hidden=(8,), h_dim=8), h_dim=8).eval()

    def run(x):
        points = [torch.as_tensor(x, dtype=torch.float32)[None]]
        if kind is ClusterAwareNPT:
            points.append(torch.arange(len(x), dtype=torch.float32)[None])
        with torch.inference_mode():
            encoding = network.encode(*points)
        return sample(network, encoding, seed=1)

    return run


def test_one_point_is_one_cluster(sampler, request):
    found = sampler(np.zeros((1, 2)))
    assert (found.labels == 0).all()
    told = request.node.callspec.params["sampler"] != "clusterwise"  # whose draws have no probability
    np.testing.assert_allclose(found.log_prob, 0 if told else np.nan, atol=1e-6)


def test_no_points_are_refused(sampler):
    with pytest.raises(InputError, match="no points to cluster; give at least one"):
        sampler(np.zeros((0, 2)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_point_that_is_no_number_is_named(sampler, value):
    x = np.zeros((5, 2))
    x[3, 1] = value
    with pytest.raises(
        InputError, match="must be finite numbers, but point 3 of dataset 0 is not; remove it"
    ):
        sampler(x)


def test_more_than_memory_holds_is_refused_before_any_work(sampler, monkeypatch):
    monkeypatch.setattr(memory, "_physical_memory", lambda: 10_000)
    with pytest.raises(InputError, match=r"samples of 6 points need about 0 GiB .* draw fewer samples"):
        sampler(np.zeros((6, 2)))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[0, 2, 1]], "point 1 of dataset 0 has label 2 where 1 is the next"),
        ([[1, 0, 0]], "point 0 of dataset 0 has label 1 where 0 is the next"),
        ([[0, 1]], r"one for each point, got \(1, 2\) for \(1, 3\) points"),
    ],
)
def test_labels_that_are_not_canonical_are_refused(labels, message):
    network = ClusterAwareNCP(PointEncoder(hidden=(8,), h_dim=8), h_dim=8)
    encoding = network.finish(network.encode(torch.zeros(1, 3, 2)))
    with pytest.raises(InputError, match=message):
        network.log_prob(encoding, torch.tensor(labels))
