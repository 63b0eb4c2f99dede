"""What is minimised: sums over the points that are there, in orders that keep the padding last."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from ncpgui.engine.generative.batch import Batch
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.npt import ClusterAwareNPT
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.networks.registry import build_network
from ncpgui.engine.training import losses
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.losses import batch_loss, random_order


@pytest.fixture
def batch(tiny) -> Batch:
    return tiny.data.build().sample(6, (5, 12), torch.Generator().manual_seed(3))


@pytest.fixture
def network(tiny):
    torch.manual_seed(0)
    return build_network(tiny.architecture)


def ccp() -> CCP:
    torch.manual_seed(0)
    encoder = PointEncoder(hidden=(16,), h_dim=16)
    return CCP(encoder, h_dim=16, z_dim=4, g_hidden=(16,), g_dim=16, hidden=(16,), rho_hidden=(16,), metric=8)


def test_a_random_order_leaves_the_padding_last():
    labels = torch.tensor([[0, 1, 0, 2, -1, -1], [0, -1, -1, -1, -1, -1], [0, 1, 2, 3, 4, 5]])
    seen = set()
    for seed in range(50):
        order = random_order(labels, torch.Generator().manual_seed(seed))
        assert order.sort(dim=1).values.tolist() == [list(range(6))] * 3
        assert sorted(order[0, :4].tolist()) == [0, 1, 2, 3]
        assert order[1, 0] == 0
        seen.add(tuple(order[0, :4].tolist()))
    assert len(seen) > 15  # of 24


def test_a_dataset_in_a_batch_with_padding_has_the_loss_that_it_has_alone(network, batch):
    whole = batch_loss(network, batch, seed=0)
    alone = []
    for i, n in enumerate(batch.n_points.tolist()):
        one = Batch(tuple(array[i : i + 1, :n] for array in batch.points), batch.labels[i : i + 1, :n])
        alone.append(batch_loss(network, one, seed=0))
    torch.testing.assert_close(whole.total, sum(loss.total for loss in alone))
    torch.testing.assert_close(whole.n_right, sum(loss.n_right for loss in alone))


def test_the_shares_of_several_processes_add_up_to_the_whole_in_several_orders(network, batch):
    whole = batch_loss(network, batch, seed=5, n_orders=3)
    parts = [batch_loss(network, batch, seed=5, n_orders=3, own=slice(i, i + 2)) for i in (0, 2, 4)]
    torch.testing.assert_close(sum(part.total for part in parts), whole.total)
    torch.testing.assert_close(sum(part.n_right for part in parts), whole.n_right)


def test_several_orders_are_averaged_and_drawn_from_the_seed(network, batch):
    one = batch_loss(network, batch, seed=0).total
    three = batch_loss(network, batch, seed=0, n_orders=3).total
    assert three == batch_loss(network, batch, seed=0, n_orders=3).total
    assert three != batch_loss(network, batch, seed=1, n_orders=3).total
    assert 0.5 < three / one < 2


def test_labels_are_numbered_again_in_each_order_and_the_padding_stays():
    labels = torch.tensor([[2, 0, 2, 1, -1]])
    assert losses._renumbered(labels).tolist() == [[0, 1, 0, 2, -1]]


def test_points_in_time_keep_their_order(monkeypatch):
    torch.manual_seed(0)
    network = ClusterAwareNPT(PointEncoder(hidden=(16,), h_dim=16), h_dim=16, metric=8, hidden=16)
    generator = torch.Generator().manual_seed(0)
    times = torch.rand(2, 9, generator=generator).sort(dim=1).values
    points = (torch.randn(2, 9, 2, generator=generator), times)
    batch = Batch(points, torch.tensor([[0, 1, 0, 1, 2, 2, 0, 1, 1], [0, 0, 1, 0, 1, 2, 3, -1, -1]]))
    loss = batch_loss(network, batch, seed=0)
    assert torch.isfinite(loss.total)
    monkeypatch.setattr(losses, "random_order", None)  # is not asked for
    assert batch_loss(network, batch, seed=0, n_orders=4).total == loss.total


def test_a_network_of_clusters_is_trained_by_its_bound_and_says_nothing_of_single_points(batch):
    network = ccp()
    loss = batch_loss(network, batch, seed=0, importance_samples=4)
    loss.total.backward()
    assert loss.n_right is None
    assert torch.isfinite(loss.total)
    assert loss.total == batch_loss(network, batch, seed=0, importance_samples=4).total
    assert loss.total != batch_loss(network, batch, seed=1, importance_samples=4).total


def test_more_draws_of_the_latent_tighten_the_bound_of_a_network_of_clusters(batch):
    network = ccp()
    with torch.no_grad():
        few, many = (
            sum(batch_loss(network, batch, seed=i, importance_samples=n).total for i in range(10))
            for n in (1, 64)
        )
    assert many < few


def test_disagreement_is_the_variance_over_the_orders_of_each_dataset(network, batch):
    """Of two orders it is half the squared difference; what one order costs follows from total and mean."""
    one = batch_loss(network, batch, seed=5)
    assert one.disagreement == 0
    expected = 0.0
    for i, n in enumerate(batch.n_points.tolist()):
        alone = Batch(tuple(array[i : i + 1, :n] for array in batch.points), batch.labels[i : i + 1, :n])
        both = batch_loss(network, alone, seed=5, n_orders=2)
        first = batch_loss(network, alone, seed=5).total
        second = 2 * both.total - first
        torch.testing.assert_close(both.disagreement, (first - second) ** 2 / 2)
        expected += float(both.disagreement > 0)
    assert expected > 0
    assert batch_loss(network, batch, seed=5, n_orders=2).disagreement > 0


def test_a_run_that_pays_for_disagreement_has_less_of_it(tiny, tmp_path):
    data = tiny.data.build().sample(16, 12, torch.Generator().manual_seed(0))
    found = []
    for penalty in (0.0, 5.0):
        out = tmp_path / f"{penalty}.safetensors"
        list(train(replace(tiny, steps=60, learning_rate=3e-3, order_penalty=penalty), out=out))
        with torch.no_grad():
            network = load_checkpoint(out).network
            found.append(batch_loss(network, data, seed=1, n_orders=8).disagreement.item())
    assert found[1] < 0.5 * found[0]


def test_beginnings_are_the_first_points_of_further_orders_and_leave_the_total_as_it_is(network, batch):
    """Of so many points as there are, their mean is that of whole orders."""
    without = batch_loss(network, batch, seed=2)
    assert without.beginnings == 0
    some = batch_loss(network, batch, seed=2, n_beginnings=4, beginning_points=3)
    every = batch_loss(network, batch, seed=2, n_beginnings=4, beginning_points=12)
    torch.testing.assert_close(some.total, without.total)
    assert 0 < some.beginnings < every.beginnings
    assert 0.5 < every.beginnings / without.total < 2
    parts = [
        batch_loss(network, batch, seed=2, n_beginnings=4, beginning_points=3, own=slice(i, i + 3)).beginnings
        for i in (0, 3)
    ]
    torch.testing.assert_close(sum(parts), some.beginnings)


@pytest.mark.parametrize("parts", [{}, {"pairs": 3}, {"pairs": 3, "components": 2, "whitened": True}])
def test_the_first_points_are_finished_as_among_all(batch, parts):
    torch.manual_seed(0)
    one = ClusterAwareNCP(PointEncoder(hidden=(8,), h_dim=6), h_dim=6, metric=4, hidden=5, **parts)
    for parameter in one.parameters():
        if not parameter.any():  # parts that are silent at first
            torch.nn.init.normal_(parameter)
    with torch.no_grad():
        encoding = one.encode(*batch.points, n_points=batch.n_points)
        order = random_order(batch.labels, torch.Generator().manual_seed(1))
        found = one.finish_first(order, encoding, 4)
        expected = ClusteringNetwork.finish_first(one, order, encoding, 4)
    assert found.n_points.tolist() == expected.n_points.tolist() == [4] * 6
    for name in ("joins", "context"):
        torch.testing.assert_close(found.tables[name], expected.tables[name])
