"""Algorithm 1 as the paper writes it finds what our samplers find: the benchmark compares like with like."""

from __future__ import annotations

import pytest
import torch

from benchmarks.posterior.literal_algorithm_1 import literal_beam
from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.sampling.beams import beam_samples
from ncpgui.engine.sampling.posterior import Visit

SMALL_NCP = {"h_dim": 8, "g_hidden": [16], "g_dim": 8, "f_hidden": [16, 16]}
NETWORKS = {
    "the paper's": NetworkSettings("ncp", "points", own_u=True, network_options=SMALL_NCP),
    "means": NetworkSettings("ncp", "points", network_options=SMALL_NCP | {"pooling": "mean"}),
    "f sees the point": NetworkSettings("ncp", "points", network_options=SMALL_NCP | {"f_sees_point": True}),
    "our default": NetworkSettings(
        "cluster-aware-ncp", "points", network_options={"h_dim": 8, "metric": 4, "hidden": 16}
    ),
    "all parts": NetworkSettings(
        "cluster-aware-ncp",
        "points",
        network_options={"h_dim": 8, "metric": 4, "hidden": 16, "pairs": 4, "components": 2},
    ),
}


@pytest.fixture(params=NETWORKS)
def network(request: pytest.FixtureRequest) -> ClusteringNetwork:
    """A network with random weights, in double precision, of a temperature that is not 1."""
    settings = NETWORKS[request.param]
    settings.encoder_options.update(hidden=[16], h_dim=8)
    torch.manual_seed(0)
    network = build_network(settings).double().eval()
    assert isinstance(network, ClusteringNetwork)
    network.log_temperature.fill_(-1.0)
    for parameter in network.parameters():
        if not parameter.any():  # parts that are silent at first
            torch.nn.init.normal_(parameter, std=0.3)
    return network


def encoding_of(network: ClusteringNetwork, n_points: int) -> Encoding:
    generator = torch.Generator().manual_seed(1)
    points = 3 * torch.randn(1, n_points, 2, generator=generator, dtype=torch.float64)
    with torch.inference_mode():
        return network.encode(points)


def test_its_beam_is_ours(network: ClusteringNetwork) -> None:
    encoding = encoding_of(network, 14)
    ours = beam_samples(network, encoding, width=20, seed=3)
    visit = Visit.draw(14, None, stream(3, "order", 0))
    labels, log_prob = literal_beam(network, encoding.reordered(torch.from_numpy(visit.order)), width=20)
    theirs = canonical(visit.original(labels))
    assert {tuple(row) for row in theirs.tolist()} == {tuple(row) for row in ours.labels.tolist()}
    assert log_prob.numpy() == pytest.approx(ours.log_prob, abs=1e-10)


def test_recomputing_all_of_g_finds_the_same(network: ClusteringNetwork) -> None:
    encoding = encoding_of(network, 10)
    labels, log_prob = literal_beam(network, encoding, width=20)
    same_labels, same_log_prob = literal_beam(network, encoding, width=20, recomputed=True)
    assert same_labels.tolist() == labels.tolist()
    assert same_log_prob.tolist() == pytest.approx(log_prob.tolist(), abs=1e-10)


def test_a_beam_wide_enough_holds_all_probability(network: ClusteringNetwork) -> None:
    """5 points have 52 partitions."""
    labels, log_prob = literal_beam(network, encoding_of(network, 5), width=52)
    assert len({tuple(row) for row in labels.tolist()}) == 52
    assert float(log_prob.exp().sum()) == pytest.approx(1.0)
