"""Clusters that move: what a network with times knows of them, and that it is the old one without times."""

from __future__ import annotations

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream
from ncpgui.engine.networks import moving_clusters
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.moving_clusters import (
    MovingClusters,
    TimeFeatures,
    hat_functions,
    time_windows,
)
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.sampling.posterior import Visit, ancestral_samples

PARTS = {"pairs": 3, "components": 2, "whitened": True}


def points(n_datasets: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
    """Datasets of 9 places, and their times in seconds."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(n_datasets, 9, 2, generator=generator, dtype=torch.float64)
    return x, torch.rand(n_datasets, 9, generator=generator, dtype=torch.float64) * 60


def network(time_knots: tuple[int, ...] = (2, 4), *, silent: bool = False) -> ClusterAwareNCP:
    torch.manual_seed(2)
    made = ClusterAwareNCP(
        PointEncoder(hidden=(8,), h_dim=6), h_dim=6, metric=4, hidden=8, time_knots=time_knots, **PARTS
    ).double()
    for parameter in made.parameters():
        if not silent and not parameter.any():  # parts that begin at zero
            torch.nn.init.normal_(parameter)
    return made.eval()


def log_q(of: ClusterAwareNCP, *x: torch.Tensor) -> torch.Tensor:
    labels = torch.tensor([[0, 1, 0, 1, 2, 0, 1, 2, 0]]).expand(len(x[0]), -1)
    with torch.inference_mode():
        return of.log_prob(of.finish(of.encode(*x)), labels)


def test_a_network_that_gets_times_begins_as_the_one_that_it_was():
    old, new = network((), silent=True), network(silent=True)
    new.load_state_dict(old.state_dict(), strict=False)
    x, seconds = points()
    torch.testing.assert_close(log_q(new, x, seconds), log_q(old, x))


def test_times_count_once_they_are_trained_and_datasets_without_them_are_as_without_the_input():
    of = network()
    x, seconds = points()
    told, not_told = log_q(of, x, seconds), log_q(of, x)
    assert (told - not_told).abs().max() > 0.01
    seconds[1] = torch.nan
    mixed = log_q(of, x, seconds)
    torch.testing.assert_close(mixed[1], not_told[1])
    torch.testing.assert_close(mixed[[0, 2]], told[[0, 2]])


def test_neither_the_clock_nor_a_network_without_times_changes_anything():
    x, seconds = points()
    later = log_q(network(), x, seconds + 3600)
    torch.testing.assert_close(later, log_q(network(), x, seconds))
    old = network(())
    torch.testing.assert_close(log_q(old, x, seconds), log_q(old, x))


def test_samplers_and_training_agree_on_clusters_that_move():
    of = network()
    x, seconds = points()
    n_points = torch.tensor([9, 6, 1])
    with torch.inference_mode():
        whole = of.encode(x, seconds, n_points=n_points)
        alone = of.encode(x[1:2, :6], seconds[1:2, :6])
    samples = ancestral_samples(of, alone, n_samples=20, seed=0, n_orders=1)
    window = time_windows(seconds[1:2, :6], torch.ones(1, 6, dtype=torch.bool))[0].numpy()
    order = torch.from_numpy(Visit.draw(6, None, stream(0, "order", 0), window=window).order)
    for labels, log_prob in zip(samples.labels[:, order.numpy()], samples.log_prob, strict=True):
        padded = torch.full((3, 9), -1)
        padded[:, 0] = 0
        padded[1, :6] = torch.from_numpy(canonical(labels))
        rows = torch.cat([order, torch.arange(6, 9)])
        with torch.inference_mode():
            found = of.log_prob(of.finish(whole.reordered(rows)), padded)[1].sum()
        assert float(found) == pytest.approx(log_prob, abs=1e-6)


def test_hats_are_one_at_their_knot_and_add_up_to_one():
    part = torch.tensor([0.0, 0.125, 0.25, 0.9, 1.0])
    hats = hat_functions(part, 5)
    assert hats[2].tolist() == [0, 1, 0, 0, 0]
    assert hats[1].tolist() == [0.5, 0.5, 0, 0, 0]
    torch.testing.assert_close(hats.sum(1), torch.ones(5))


def test_features_of_times_are_the_intervals_to_both_neighbours():
    """0, 10 and 13 ms, in another order; a padded point is not there."""
    seconds = torch.tensor([[0.010, 0.0, 0.013, 0.012]], dtype=torch.float64)
    of = TimeFeatures((2,))
    features = of(seconds, seconds, torch.tensor([[True, True, True, False]]))
    before, after = features[0, :, 3], features[0, :, 4]  # log10 of ms over 4, 10 s where there is none
    assert before.tolist() == pytest.approx([0.25, 1.0, 0.4771 / 4, 0], abs=1e-4)
    assert after.tolist() == pytest.approx([0.4771 / 4, 0.25, 1.0, 0], abs=1e-4)
    torch.testing.assert_close(of.hats(features)[0][0, 0], torch.tensor([3 / 13, 10 / 13]))


def followed(x: torch.Tensor, part: float) -> tuple[float, float]:
    """Where a cluster of places x (N,) at even times was at a part of the time, and the sd that is left."""
    of = MovingClusters(2, 1, 6)
    of.share.data.fill_(1 / moving_clusters.SHARE_UNIT)
    hats = hat_functions(torch.linspace(0, 1, len(x)), 2)
    sums = of.columns(hats, x[:, None]).sum(0)
    point = of.columns(hat_functions(torch.tensor(part), 2), torch.zeros(1))
    mean, variance = x.mean()[None], x.var(correction=0)[None]
    with torch.no_grad():
        place = of.at(sums, point, torch.tensor([float(len(x))]), mean, variance)
    return float(place.mean), float(place.variance.sqrt())


def test_a_cluster_that_went_straight_on_is_found_near_its_way():
    """From 0 to 8 with noise of 0.3; of two hats each end is a mean over a third of the way (8 / 3)."""
    noise = 0.3 * torch.randn(300, generator=torch.Generator().manual_seed(0))
    way = torch.linspace(0, 8, 300) + noise
    assert followed(way, 0.0)[0] == pytest.approx(8 / 3, abs=0.3)
    assert followed(way, 0.5)[0] == pytest.approx(4.0, abs=0.1)
    assert followed(way, 1.0)[0] == pytest.approx(16 / 3, abs=0.3)
    assert followed(way, 1.0)[1] < 0.9 * float(way.std())


def test_a_cluster_that_stays_is_where_its_mean_is_though_noise_differs_between_times():
    """The means of halves of 300 points differ by 0.06 on average; the mean hardly follows them."""
    for seed in range(5):
        x = 0.5 * torch.randn(300, generator=torch.Generator().manual_seed(seed))
        for part in (0.0, 1.0):
            place, sd = followed(x, part)
            assert abs(place - float(x.mean())) < 0.04
            assert sd == pytest.approx(float(x.std()), rel=0.02)


def test_a_cluster_stays_put_until_its_share_is_trained():
    of = MovingClusters(2, 1, 6)
    hats = hat_functions(torch.linspace(0, 1, 50), 2)
    x = torch.linspace(0, 8, 50)
    point = of.columns(hats[-1], torch.zeros(1))
    sums = of.columns(hats, x[:, None]).sum(0)
    place = of.at(sums, point, torch.tensor([50.0]), x.mean()[None], x.var()[None])
    assert float(place.mean.detach()) == float(x.mean())
    assert float(place.variance.detach()) == float(x.var())
    assert float(place.moved.detach()) > 1


def test_windows_hold_equally_many_points_by_time_and_one_dataset_without_times_is_one():
    seconds = torch.rand(3, 80, generator=torch.Generator().manual_seed(1))
    seconds[1] = torch.nan
    there = torch.ones(3, 80, dtype=torch.bool)
    there[2, 40:] = False
    window = time_windows(seconds, there)
    assert window[0].bincount().tolist() == [4] * 20
    assert (window[0][seconds[0].argsort()].diff() >= 0).all()
    assert window[1].unique().tolist() == [0]
    assert window[2, :40].bincount().tolist() == [2] * 20
    assert (window[2, 40:] == 20).all()


def test_points_with_times_are_visited_along_them_forward_and_backward_in_turn(monkeypatch):
    seen = []
    draw = Visit.draw

    def spied(*arguments, **named):
        seen.append(draw(*arguments, **named))
        return seen[-1]

    monkeypatch.setattr(Visit, "draw", staticmethod(spied))
    of = network()
    x, _ = points(1)
    with torch.inference_mode():
        told = of.encode(x, torch.arange(9.0)[None])
        not_told = of.encode(x)
    ancestral_samples(of, told, n_samples=2, seed=0, n_orders=2)
    assert [visit.order.tolist() for visit in seen] == [list(range(9)), list(range(8, -1, -1))]
    seen.clear()
    ancestral_samples(of, not_told, n_samples=2, seed=0, n_orders=2)
    plain = [draw(9, None, stream(0, "order", i)) for i in (0, 1)]
    assert all((a.order == b.order).all() for a, b in zip(seen, plain, strict=True))


def test_times_need_whitened_components():
    with pytest.raises(InputError, match=r"time_knots must be 2 or more.*got \(3,\) with components = 0"):
        ClusterAwareNCP(PointEncoder(hidden=(8,), h_dim=6), h_dim=6, time_knots=(3,))
