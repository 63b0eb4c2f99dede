"""How dense the points lie about each of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.density import NEIGHBOURS, log_distances
from ncpgui.engine.networks.point_encoder import PointEncoder


def told(points: np.ndarray, there: np.ndarray | None = None) -> np.ndarray:
    known = np.ones(len(points), bool) if there is None else there
    scores = torch.from_numpy(points.astype(np.float32))[None]
    return log_distances(scores, torch.from_numpy(known)[None])[0].numpy()


def test_distances_are_those_of_a_literal_sort() -> None:
    points = np.random.default_rng(0).normal(size=(40, 3))
    apart = np.sort(np.linalg.norm(points[:, None] - points, axis=-1), axis=1)
    expected = np.log(apart[:, list(NEIGHBOURS)])
    found = told(points)
    assert found[:, :3] == pytest.approx(expected, abs=1e-4)
    lower_median = np.sort(expected, axis=0)[19]  # of 40 the twentieth
    assert found[:, 3:] == pytest.approx(expected - lower_median, abs=1e-4)


def test_of_few_points_the_last_neighbour_counts_and_equal_points_have_a_distance() -> None:
    found = told(np.array([[0.0], [0.0], [3.0]]))
    # The second neighbour of each; there is no sixth and no fifteenth.
    assert found[:, :3] == pytest.approx(np.log([[3.0] * 3, [3.0] * 3, [3.0] * 3]), abs=1e-5)
    assert told(np.zeros((20, 2)))[:, 0] == pytest.approx(math.log(1e-3), abs=1e-5)
    assert told(np.array([[5.0]])).tolist() == [[0.0] * 6]


def test_padding_is_no_point() -> None:
    points = np.random.default_rng(1).normal(size=(25, 2))
    padded = np.concatenate([points, np.zeros((7, 2))])
    found = told(padded, np.arange(32) < 25)
    assert found[:25] == pytest.approx(told(points), abs=1e-6)
    assert (found[25:] == 0).all()


def test_a_network_that_is_told_starts_as_one_that_is_not() -> None:
    def network(**parts: bool) -> ClusterAwareNCP:
        torch.manual_seed(0)
        return ClusterAwareNCP(
            PointEncoder(hidden=(8,), h_dim=8), h_dim=8, metric=4, hidden=8, components=2, **parts
        )

    plain, dense = network(), network(density=True)
    dense.load_state_dict(plain.state_dict(), strict=False)
    points = torch.randn(1, 12, 2)
    labels = torch.tensor([[0, 0, 1, 1, 0, 2, 1, 0, 3, 3, 0, 1]])
    with torch.inference_mode():
        one, other = (net.log_prob(net.finish(net.encode(points)), labels) for net in (plain, dense))
        assert torch.equal(one, other)
        dense.of_density.weight.fill_(0.1)
        assert not torch.equal(one, dense.log_prob(dense.finish(dense.encode(points)), labels))


def test_density_needs_components() -> None:
    with pytest.raises(InputError, match="points lie dense in their principal components"):
        ClusterAwareNCP(PointEncoder(hidden=(8,), h_dim=8), h_dim=8, density=True)
