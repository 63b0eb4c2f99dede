"""What is compiled for a CPU draws what torch draws, step by step and sweep by sweep."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from ncpgui.engine.compiled import moves, ncp, options, pairs, proposals, walk, ways
from ncpgui.engine.networks.as_arrays import serves
from ncpgui.engine.networks.moving_clusters import SHARE_UNIT
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.sampling import compiled_draws, posterior, sweeps
from ncpgui.engine.sampling.posterior import ancestral_samples, ancestral_samples_of_many
from ncpgui.engine.sampling.sweeps import swept

OPTIONS = {
    "plain": {},
    "components": {"pairs": 4, "components": 2},
    "whitened": {"pairs": 4, "components": 2, "whitened": True},
    "times that nobody tells": {"components": 2, "whitened": True, "time_knots": (3, 5)},
    "times": {"components": 2, "whitened": True, "time_knots": (3, 5)},
    "distances": {"components": 2, "whitened": True, "mahalanobis": True, "density": True},
    "distances and times": {"components": 2, "whitened": True, "time_knots": (3, 5), "mahalanobis": True},
}


def network_of(kind: str):
    """A small network with weights that let it open and join clusters."""
    settings = NetworkSettings(
        "cluster-aware-ncp",
        "points",
        encoder_options={"h_dim": 12},
        network_options={"h_dim": 12, "metric": 6, "hidden": 24, **OPTIONS[kind]},
    )
    torch.manual_seed(3)
    network = build_network(settings)
    with torch.no_grad():
        for weights in network.parameters():
            weights.add_(0.2 * torch.randn(weights.shape))
        for moving in network.moving:
            moving.share.fill_(0.5 / SHARE_UNIT)
            moving.to_f.weight.mul_(0.1)
        network.log_temperature.fill_(0.3)
    return network.eval()


def encoding_of(network, n_points: int, seed: int = 0, times: bool = False):
    """Points of three clusters, which move where times are told."""
    places = np.random.default_rng(seed).choice([-4.0, 0.0, 5.0], (n_points, 2))
    points = places + np.random.default_rng(seed + 1).normal(size=places.shape)
    seconds = np.sort(np.random.default_rng(seed + 2).uniform(0, 60, n_points))
    if times:
        points[:, 0] += 0.05 * seconds
    told = [torch.from_numpy(seconds.astype(np.float32))[None]] if times else []
    with torch.inference_mode():
        return network.encode(torch.from_numpy(points.astype(np.float32))[None], *told)


@pytest.fixture
def by_torch(monkeypatch):
    """Switch to torch."""

    def switch():
        for module in (posterior, sweeps):
            monkeypatch.setattr(module, "serves", lambda *_: False)

    return switch


@pytest.fixture
def by_python(monkeypatch):
    """Switch from what is compiled to the functions as they are written."""

    def switch():
        for module in (moves, ncp, options, pairs, proposals, walk, ways, compiled_draws, sweeps):
            for name, function in vars(module).copy().items():
                written = getattr(function, "py_func", None)
                if written and not written.__module__.endswith(".logarithm"):  # that looks at bits
                    monkeypatch.setattr(module, name, written)

    return switch


@pytest.mark.parametrize("kind", ["plain", "components", "distances and times"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_compiled_draws_and_sweeps_without_a_look_beyond_its_arrays(kind, by_python, by_torch):
    """Compiled it would not tell of a place that is not there; Python does."""
    network = network_of(kind)
    encoding = encoding_of(network, 30, times=kind == "distances and times")
    n_samples = moves._LANES + 8

    def made():
        drawn = ancestral_samples(network, encoding, n_samples=n_samples, seed=0)
        return drawn, swept(network, encoding, drawn, seed=4, n_sweeps=1)

    by_python()
    found = made()
    by_torch()
    for one, other in zip(found, made(), strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)


@pytest.mark.parametrize("kind", OPTIONS)
def test_compiled_draws_are_those_of_torch(kind, by_torch):
    network = network_of(kind)
    encodings = [
        encoding_of(network, n, seed=n, times=kind in ("times", "distances and times")) for n in (70, 41)
    ]
    assert serves(network, encodings)
    wanted = {"n_samples": 60, "seeds": [1, 2], "n_orders": 4}
    found = ancestral_samples_of_many(network, encodings, **wanted)
    by_torch()
    for one, other in zip(found, ancestral_samples_of_many(network, encodings, **wanted), strict=True):
        assert len(np.unique(other.labels, axis=0)) > 20  # draws part, and clusters are many
        np.testing.assert_array_equal(one.labels, other.labels)
        np.testing.assert_allclose(one.log_prob, other.log_prob, atol=1e-3)


@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_draws_are_the_same_on_any_number_of_threads(monkeypatch, n_threads):
    network = network_of("times")
    encodings = [encoding_of(network, n, seed=n, times=True) for n in (70, 41)]
    wanted = {"n_samples": 60, "seeds": [1, 2], "n_orders": 4}
    found = []
    for n in (1, n_threads):
        monkeypatch.setattr(compiled_draws, "n_threads", lambda n=n: n)
        found.append(ancestral_samples_of_many(network, encodings, **wanted))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)
        np.testing.assert_array_equal(one.log_prob, other.log_prob)


def test_compiled_draws_hold_what_is_held(by_torch):
    network, held = network_of("whitened"), np.full(50, -1)
    encoding = encoding_of(network, 50)
    held[[3, 9, 20, 31]] = [0, 1, 1, 2]
    found = ancestral_samples(network, encoding, n_samples=40, seed=5, clamped=held)
    by_torch()
    other = ancestral_samples(network, encoding, n_samples=40, seed=5, clamped=held)
    np.testing.assert_array_equal(found.labels, other.labels)
    np.testing.assert_allclose(found.log_prob, other.log_prob, atol=1e-3)
    assert (found.labels[:, 9] == found.labels[:, 20]).all()
    assert (found.labels[:, 3] != found.labels[:, 9]).all()


@pytest.mark.parametrize("kind", OPTIONS)
def test_compiled_sweeps_move_what_torch_moves(kind, by_torch):
    network = network_of(kind)
    encoding = encoding_of(network, 120, times=kind in ("times", "distances and times"))
    drawn = ancestral_samples(network, encoding, n_samples=30, seed=0)
    found = swept(network, encoding, drawn, seed=4)
    by_torch()
    other = swept(network, encoding, drawn, seed=4)
    assert (other.labels != drawn.labels).any(axis=1).mean() > 0.5
    np.testing.assert_array_equal(found.labels, other.labels)


@pytest.mark.parametrize(
    ("kind", "n_sweeps"), [("whitened", 2), ("times that nobody tells", 2), ("times", 4)]
)
def test_there_are_two_sweeps_and_four_where_the_times_are_told(kind, n_sweeps):
    network = network_of(kind)
    encoding = encoding_of(network, 60, times=kind in ("times", "distances and times"))
    drawn = ancestral_samples(network, encoding, n_samples=30, seed=0)
    found = swept(network, encoding, drawn, seed=4).labels
    asked = {n: swept(network, encoding, drawn, seed=4, n_sweeps=n).labels for n in (2, 4)}
    np.testing.assert_array_equal(found, asked[n_sweeps])
    assert (asked[2] != asked[4]).any()


def test_points_with_and_without_times_are_drawn_side_by_side_as_each_is_alone(by_torch):
    network = network_of("times")
    encodings = [encoding_of(network, 60, times=True), encoding_of(network, 50)]
    wanted = {"n_samples": 30, "seeds": [1, 2]}
    found = ancestral_samples_of_many(network, encodings, **wanted)
    by_torch()
    for one, other in zip(found, ancestral_samples_of_many(network, encodings, **wanted), strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)


def test_compiled_points_see_of_those_to_come_what_they_see_in_torch():
    network = network_of("whitened")
    encoding = encoding_of(network, 300)
    orders = torch.stack([torch.randperm(300, generator=torch.Generator().manual_seed(i)) for i in range(3)])
    with torch.inference_mode():
        found = network.finish_in(orders, encoding).tables["context"]
        for row, order in zip(found, orders, strict=True):
            alone = network.finish(encoding.reordered(order)).tables["context"][0]
            torch.testing.assert_close(row, alone, rtol=1e-4, atol=1e-4)


def test_products_keep_to_one_core_while_draws_are_made_and_swept(monkeypatch):
    seen = []
    for module, name in ((compiled_draws, "draw_in_order"), (sweeps, "take")):
        made = getattr(module, name)

        def noticing(*arguments, made=made):
            seen.append({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})
            return made(*arguments)

        monkeypatch.setattr(module, name, noticing)
    network = network_of("times")
    encoding = encoding_of(network, 40, times=True)
    with threadpool_limits(2, user_api="blas"):
        swept(network, encoding, ancestral_samples(network, encoding, n_samples=8, seed=0), seed=1)
    assert len(seen) > 1
    assert all(n_threads == {1} for n_threads in seen)
