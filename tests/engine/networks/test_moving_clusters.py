"""Clusters that move: what a network with times knows of them, and that it is the old one without times."""

from __future__ import annotations

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream
from ncpgui.engine.networks.moving_clusters import MovingClusters, TimeFeatures, hat_functions
from ncpgui.engine.networks.ncp import ClusterAwareNCP
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
    order = torch.from_numpy(Visit.draw(6, None, stream(0, "order", 0)).order)
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
    features = of(seconds, torch.tensor([[True, True, True, False]]))
    before, after = features[0, :, 3], features[0, :, 4]  # log10 of ms over 4, 10 s where there is none
    assert before.tolist() == pytest.approx([0.25, 1.0, 0.4771 / 4, 0], abs=1e-4)
    assert after.tolist() == pytest.approx([0.4771 / 4, 0.25, 1.0, 0], abs=1e-4)
    torch.testing.assert_close(of.hats(features)[0][0, 0], torch.tensor([3 / 13, 10 / 13]))


def test_a_candidate_is_judged_by_where_the_cluster_was_at_that_time():
    """A cluster was at 0 first and at 8 at last: of late points those at 8 are at home."""
    of = MovingClusters(2, 1, 6, 0.0)
    torch.nn.init.zeros_(of.to_f.weight)
    of.to_f.weight.data[0, 0] = 1.0  # what is left of the layer: log(1 + squared distance)
    part = torch.tensor([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    x = torch.tensor([[0.0], [0.0], [0.0], [8.0], [8.0], [8.0]])
    sums = of.columns(hat_functions(part, 2), x).sum(0)
    late = hat_functions(torch.tensor(1.0), 2)
    count, mean, mean_square = torch.tensor([6.0]), x.mean(0), x.square().mean(0)

    def distance(place: float) -> float:
        point = torch.tensor([place])
        found = of.candidate(sums, count, mean, mean_square, of.columns(late, point), point)
        return float(found[0].detach().expm1().sqrt())

    # Three points at 8 and, with the weight of one point, the cluster's mean of 4: it was at 7.
    assert distance(8.0) == pytest.approx(1.0, abs=1e-4)
    assert distance(0.0) == pytest.approx(7.0, abs=1e-4)


def test_times_need_whitened_components():
    with pytest.raises(InputError, match=r"time_knots must be 2 or more.*got \(3,\) with components = 0"):
        ClusterAwareNCP(PointEncoder(hidden=(8,), h_dim=6), h_dim=6, time_knots=(3,))
