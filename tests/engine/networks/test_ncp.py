"""What the options of the pointwise networks do, against the formulas written out."""

from __future__ import annotations

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream
from ncpgui.engine.networks import pair_context
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.ncp import NCP
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.sampling.posterior import Visit, ancestral_samples


def points(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Three datasets of 9 places, of which the last ones are padding."""
    x = torch.randn(3, 9, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return x, torch.tensor([9, 6, 1])


def encoder() -> PointEncoder:
    return PointEncoder(hidden=(8,), h_dim=6)


@pytest.mark.parametrize("at_once", [1, 10, 10**6])
def test_a_point_sees_each_point_after_it_once_and_no_padding(monkeypatch, at_once):
    monkeypatch.setattr(pair_context, "_PAIRS_AT_ONCE", at_once)
    torch.manual_seed(1)
    network = ClusterAwareNCP(encoder(), h_dim=6, metric=4, hidden=5, pairs=3).double()
    x, n_points = points()
    encoding = network.encode(x, n_points=n_points)
    pairs, t = network.pairs, encoding.tables
    for part in (pairs.mean, pairs.total):
        torch.nn.init.normal_(part.weight)  # silent at first
    with torch.no_grad():
        found = pairs(encoding)
        for b in range(3):
            for n in range(int(n_points[b])):
                after = range(n + 1, int(n_points[b]))
                total = torch.zeros(3, dtype=torch.float64)
                for i in after:
                    apart = t["pair_metric"][b, n] - t["pair_metric"][b, i]
                    distance = pairs.apart(torch.cat([apart**2, apart.abs()]))
                    total += (t["seeing"][b, n] + t["seen"][b, i] + distance).clamp(min=0)
                expected = pairs.mean(total / max(len(after), 1)) + pairs.total((1 + total).log())
                torch.testing.assert_close(found[b, n], expected)


@pytest.mark.parametrize("at_once", [1, 20, 10**6])
@pytest.mark.parametrize("parts", [{}, {"pairs": 3}, {"pairs": 3, "components": 2, "whitened": True}])
def test_several_orders_are_finished_together_as_each_alone(monkeypatch, at_once, parts):
    monkeypatch.setattr(pair_context, "_PAIRS_AT_ONCE", at_once)
    torch.manual_seed(3)
    network = ClusterAwareNCP(encoder(), h_dim=6, metric=4, hidden=5, **parts).double()
    for parameter in network.parameters():
        if not parameter.any():  # parts that are silent at first
            torch.nn.init.normal_(parameter)
    orders = torch.stack([torch.randperm(9) for _ in range(3)])
    with torch.no_grad():
        encoding = network.encode(points()[0][:1])
        together = network.finish_in(orders, encoding)
        for p in range(3):
            alone = network.finish(encoding.reordered(orders[p]))
            for name in ("joins", "context"):
                torch.testing.assert_close(together.tables[name][p : p + 1], alone.tables[name])


def test_the_first_layer_of_f_is_that_of_the_paper_on_g_and_u_joined():
    torch.manual_seed(2)
    network = NCP(encoder(), encoder(), h_dim=6, g_hidden=(7,), g_dim=5, f_hidden=(8, 4)).double()
    x, _ = points()
    x = x[:1, :5]
    labels = torch.tensor([[0, 1, 0, 1, 2]])
    with torch.no_grad():
        log_q = network.log_prob(network.finish(network.encode(x)), labels)[0]
        h, u = network.encoder(x)[0], network.u_encoder(x)[0]
        for n in range(5):
            before = labels[0, :n]
            k_before = int(before.max()) + 1 if n else 0
            scores = []
            for k in range(k_before + 1):
                joined = torch.cat([before, torch.tensor([k])])
                sums = [h[: n + 1][joined == j].sum(0) for j in range(int(joined.max()) + 1)]
                g_k = sum(network.g(one) for one in sums)
                first = network.f_of_g.weight @ g_k + network.f_of_u(u[n + 1 :].sum(0))
                scores.append(network.f_rest(first.relu())[0])
            expected = torch.stack(scores).log_softmax(0)[labels[0, n]]
            torch.testing.assert_close(log_q[n], expected)


@pytest.mark.parametrize("options", [{"f_sees_point": True}, {"pooling": "mean"}, {"f_sees_point": False}])
def test_relabelling_and_permuting_within_the_past_change_nothing(options):
    torch.manual_seed(3)
    network = NCP(encoder(), h_dim=6, g_hidden=(7,), g_dim=5, f_hidden=(8, 4), **options).double()
    x, _ = points(4)
    x = x[:1, :7]
    labels = torch.tensor([[0, 1, 1, 0, 2, 1, 0]])
    swapped, other = [3, 2, 1, 0, 4, 5, 6], torch.tensor([[0, 1, 1, 0, 2, 1, 0]])
    with torch.no_grad():
        one = network.log_prob(network.finish(network.encode(x)), labels)[0, 4:]
        two = network.log_prob(network.finish(network.encode(x[:, swapped])), other)[0, 4:]
    torch.testing.assert_close(one, two)


def test_an_unknown_pooling_is_refused():
    with pytest.raises(InputError, match="pooling must be 'sum' or 'mean', got 'max'"):
        NCP(encoder(), pooling="max")


@pytest.mark.parametrize("whitened", [False, True])
def test_samplers_and_training_agree_with_every_part_switched_on(whitened):
    """What a sampler counts, node by node, is what the teacher-forced pass gives, whatever the padding."""
    torch.manual_seed(2)
    parts = {"pairs": 3, "components": 2, "whitened": whitened}
    network = ClusterAwareNCP(encoder(), h_dim=6, metric=4, hidden=8, **parts).double().eval()
    for parameter in network.parameters():
        if not parameter.any():  # parts that are silent at first
            torch.nn.init.normal_(parameter)
    x, n_points = points()
    with torch.inference_mode():
        whole = network.encode(x, n_points=n_points)
        alone = network.encode(x[1:2, :6])
    samples = ancestral_samples(network, alone, n_samples=20, seed=0, n_orders=1)
    order = torch.from_numpy(Visit.draw(6, None, stream(0, "order", 0)).order)
    for labels, log_prob in zip(samples.labels[:, order.numpy()], samples.log_prob, strict=True):
        padded = torch.full((3, 9), -1)
        padded[:, 0] = 0
        padded[1, :6] = torch.from_numpy(canonical(labels))
        rows = torch.cat([order, torch.arange(6, 9)])
        with torch.inference_mode():
            found = network.log_prob(network.finish(whole.reordered(rows)), padded)[1].sum()
        assert float(found) == pytest.approx(log_prob, abs=1e-6)
