"""Whatever the network, its own sampler is found."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.npt import ClusterAwareNPT
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.sampling.by_network import sample_posteriors
from ncpgui.engine.sampling.clusterwise import clusterwise_samples
from ncpgui.engine.sampling.posterior import ancestral_samples
from ncpgui.engine.sampling.tracking import track_samples


def network_of(kind):
    torch.manual_seed(0)
    small = {"metric": 8, "hidden": (16,) if kind is CCP else 16}
    return kind(PointEncoder(hidden=(16,), h_dim=16), h_dim=16, **small).eval()


@pytest.mark.parametrize(
    ("kind", "alone"),
    [
        (ClusterAwareNCP, lambda *a, **k: ancestral_samples(*a, **k, n_orders=1)),
        (CCP, clusterwise_samples),
        (ClusterAwareNPT, track_samples),
    ],
)
def test_every_dataset_gets_the_samples_of_the_networks_own_sampler(kind, alone):
    network, generator = network_of(kind), torch.Generator().manual_seed(0)
    x, times = torch.randn(3, 7, 2, generator=generator), torch.arange(7.0).expand(3, -1)
    with torch.inference_mode():
        encoding = network.encode(*((x, times) if kind is ClusterAwareNPT else (x,)))
    sets, told = [encoding.dataset(i) for i in range(3)], []
    drawn = sample_posteriors(
        network,
        sets,
        n_samples=5,
        seeds=[4, 5, 6],
        progress=lambda done, total, *_: told.append(done / total),
    )
    assert told == sorted(told)
    assert told[-1] == 1.0
    for one, seed, found in zip(sets, (4, 5, 6), drawn, strict=True):
        expected = alone(network, one, n_samples=5, seed=seed)
        assert np.array_equal(found.labels, expected.labels)
        assert np.array_equal(found.labels, canonical(found.labels))


def test_a_network_without_a_sampler_is_refused():
    encoding = network_of(ClusterAwareNCP).encode(torch.zeros(1, 3, 2))
    with pytest.raises(InputError, match="no sampler is known for a network of type Linear"):
        sample_posteriors(torch.nn.Linear(1, 1), [encoding], n_samples=1, seeds=[0])
