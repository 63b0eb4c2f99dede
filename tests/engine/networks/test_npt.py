"""NPT is its formulas written out, and training and sampling see the same network."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.partition import all_partitions
from ncpgui.engine.networks.cluster_pool import ClusterPool
from ncpgui.engine.networks.ncp import NCP
from ncpgui.engine.networks.npt import NPT, ClusterAwareNPT, FadingNetwork, fading_sums
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.networks.pointwise import side_by_side

SIZES = {"h_dim": 12, "g_hidden": (16,), "g_dim": 16, "f_hidden": (16, 16)}
PARTITIONS = torch.from_numpy(np.stack(list(all_partitions(6))))


def encoder() -> PointEncoder:
    return PointEncoder(hidden=(16,), h_dim=12)


def build(kind: str, *, sees_future: bool = True) -> FadingNetwork:
    """A network with random weights, large enough that its conditionals are far from uniform."""
    torch.manual_seed(3)
    network: FadingNetwork
    if kind == "paper":
        network = NPT(encoder(), encoder(), **SIZES, rates=(0.4,), sees_future=sees_future)
    elif kind == "paper, point seen, a rate a feature":
        rates = tuple(np.geomspace(0.05, 2.0, 12).tolist())
        network = NPT(encoder(), **SIZES, f_sees_point=True, rates=rates, sees_future=sees_future)
    else:
        network = ClusterAwareNPT(encoder(), h_dim=12, metric=9, hidden=14, sees_future=sees_future)
    with torch.no_grad():
        for weights in network.parameters():
            if weights.dim() > 1:
                weights.mul_(1.5)
        network.log_rate.add_(0.1 * torch.randn(network.log_rate.shape))
    return network.double().eval()


KINDS = ["paper", "paper, point seen, a rate a feature", "ours"]


@pytest.fixture(params=KINDS)
def network(request: pytest.FixtureRequest) -> FadingNetwork:
    return build(request.param)


def points(n_datasets: int = 1, n_points: int = 6, seed: int = 5) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = 2 * torch.randn(n_datasets, n_points, 2, generator=generator, dtype=torch.float64)
    gaps = -torch.rand(n_datasets, n_points, generator=generator, dtype=torch.float64).log()
    return x, gaps.cumsum(1)


def by_the_pool(network: FadingNetwork, finished, labels: list[int]) -> list[float]:
    """log q of each label in turn, as samplers ask for it."""
    pool = ClusterPool(network, finished, torch.zeros(1, dtype=torch.int64))
    found = []
    for n, label in enumerate(labels):
        found.append(pool.conditionals(n)[0, label].item())
        pool.assign(n, None, torch.tensor([label]))
    return found


def every_partition(network: FadingNetwork, x: Tensor, times: Tensor) -> Tensor:
    """log q(c_n | c_<n, x) of the 203 partitions of six points: (203, 6)."""
    with torch.inference_mode():
        finished = network.finish(network.encode(x.expand(203, -1, -1), times.expand(203, -1)))
        return network.log_prob(finished, PARTITIONS)


@pytest.mark.parametrize("n_points", [1, 2, 7, 64, 65])
def test_fading_sums_equal_the_loop_with_their_gradients(n_points: int) -> None:
    generator = torch.Generator().manual_seed(n_points)
    values = torch.randn(3, n_points, 4, generator=generator, dtype=torch.float64, requires_grad=True)
    kept = torch.rand(3, n_points, 1, generator=generator, dtype=torch.float64)
    kept[kept < 0.15] = 0.0  # where another cluster begins
    kept.requires_grad_()
    total, loop = torch.zeros(3, 4, dtype=torch.float64), []
    for n in range(n_points):
        total = kept[:, n] * total + values[:, n]
        loop.append(total)
    expected = torch.stack(loop, dim=1)
    found = fading_sums(values, kept)
    torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)
    weight = torch.randn(expected.shape, generator=generator, dtype=torch.float64)
    for mine, theirs in zip(
        torch.autograd.grad((found * weight).sum(), (values, kept), materialize_grads=True),
        torch.autograd.grad((expected * weight).sum(), (values, kept), materialize_grads=True),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs, atol=1e-12, rtol=0)


def test_fading_sums_in_single_precision_are_right_to_1e_5_over_any_times() -> None:
    """exp(+b t) would overflow here: the whole sequence spans 4000 decay times."""
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(1, 200, 3, generator=generator)
    gap = 20 * torch.rand(1, 200, 1, generator=generator)
    times = gap.double().cumsum(1)
    weight = torch.exp(-2 * (times - times.mT)).tril()
    expected = weight @ values.double()
    assert (fading_sums(values, torch.exp(-2 * gap)) - expected).abs().max() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_cluster_sums_and_the_future_are_the_paper_s_formulas(kind: str) -> None:
    network = build(kind)
    x, times = points(2, 9)
    labels = torch.tensor([[0, 1, 0, 0, 1, 2, 2, 0, 1], [0, 0, 1, 2, 0, 1, 2, 3, -1]])
    encoding = network.encode(x, times, n_points=(labels >= 0).sum(1))
    joins = encoding.tables["joins" if kind == "ours" else "h"]
    sums = network._prefixes(joins, times, labels).sums
    u = encoding.tables["unassigned" if kind == "ours" else "u"]
    rate_of_u = network.future_rate if kind == "ours" else network.column_rate
    future = network._future(u, encoding, rate_of_u)
    b = network.log_rate.exp()
    for dataset in range(2):
        for t in range(int((labels[dataset] >= 0).sum())):
            age = (times[dataset, t] - times[dataset])[:, None].abs()
            point = torch.arange(9)
            mine = (labels[dataset] == labels[dataset, t]) & (point <= t)
            expected = (torch.exp(-b[network.column_rate] * age) * joins[dataset])[mine].sum(0)
            torch.testing.assert_close(sums[dataset, t], expected, atol=1e-10, rtol=0)
            later = (point > t) & (labels[dataset] >= 0)
            expected = (torch.exp(-b[rate_of_u] * age) * u[dataset])[later].sum(0)
            torch.testing.assert_close(future[dataset, t], expected, atol=1e-10, rtol=0)


def test_probabilities_of_all_partitions_sum_to_one(network: FadingNetwork) -> None:
    assert every_partition(network, *points()).sum(1).exp().sum().item() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("sees_future", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_training_and_samplers_see_the_same_probabilities(kind: str, sees_future: bool) -> None:
    network = build(kind, sees_future=sees_future)
    x, times = points()
    parallel = every_partition(network, x, times)
    with torch.inference_mode():
        finished = network.finish(network.encode(x, times))
        for labels, expected in zip(PARTITIONS[::5].tolist(), parallel[::5].tolist(), strict=True):
            assert by_the_pool(network, finished, labels) == pytest.approx(expected, abs=1e-10)


def test_they_are_the_same_to_1e_5_in_single_precision_over_many_points(network: FadingNetwork) -> None:
    network = network.float()
    x, times = (table.float() for table in points(n_points=150))
    labels = torch.arange(150)[None] % 5
    with torch.inference_mode():
        finished = network.finish(network.encode(x, times))
        parallel = network.log_prob(finished, labels)[0]
        pool = by_the_pool(network, finished, labels[0].tolist())
    assert (torch.tensor(pool) - parallel).abs().max() < 1e-5 * max(1.0, parallel.abs().max().item())


def test_padding_changes_nothing(network: FadingNetwork) -> None:
    labels = torch.tensor([[0, 1, 1, 0, 2, 1, 3], [0, 1, 0, 0, -1, -1, -1]])
    x, times = points(2, 7)
    n_points = torch.tensor([7, 4])
    with torch.inference_mode():
        together = network.log_prob(network.finish(network.encode(x, times, n_points=n_points)), labels)
        short = network.finish(network.encode(x[1:, :4], times[1:, :4]))
        torch.testing.assert_close(together[1:, :4], network.log_prob(short, labels[1:, :4]))
        assert (together[1, 4:] == 0).all()
        beside = side_by_side([network.finish(network.encode(x[:1], times[:1])), short])
        torch.testing.assert_close(together, network.log_prob(beside, labels))


def test_without_forgetting_the_paper_s_network_is_ncp() -> None:
    torch.manual_seed(0)
    npt = NPT(encoder(), encoder(), **SIZES, rates=(1e-12,)).double()
    ncp = NCP(encoder(), encoder(), **SIZES).double()
    ncp.load_state_dict({name: value for name, value in npt.state_dict().items() if name != "log_rate"})
    x, times = points(3, 8)
    labels = torch.tensor([[0, 1, 1, 0, 2, 1, 3, 0]]).expand(3, -1)
    with torch.inference_mode():
        still = ncp.log_prob(ncp.finish(ncp.encode(x)), labels)
        torch.testing.assert_close(npt.log_prob(npt.finish(npt.encode(x, times)), labels), still)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sees_future", [True, False])
def test_a_label_depends_on_the_future_only_if_the_network_sees_it(kind: str, sees_future: bool) -> None:
    network = build(kind, sees_future=sees_future)
    x, times = points()
    other, later = x.clone(), times.clone()
    other[:, 4:] += 3.0
    later[:, 4:] += 1.0
    labels = torch.tensor([[0, 1, 1, 0, 2, 1]])
    with torch.inference_mode():
        first, second = (
            network.log_prob(network.finish(network.encode(a, t)), labels)[0, :4]
            for a, t in ((x, times), (other, later))
        )
    assert torch.equal(first, second) != sees_future


def test_when_the_clock_was_started_does_not_matter(network: FadingNetwork) -> None:
    x, times = points()
    torch.testing.assert_close(every_partition(network, x, times), every_partition(network, x, times + 1000))


def test_how_fast_time_goes_does(network: FadingNetwork) -> None:
    x, times = points()
    slow, fast = every_partition(network, x, times), every_partition(network, x, 3 * times)
    assert (slow - fast).abs().max() > 1e-3


def test_gradients_reach_every_weight_and_the_decay_rates(network: FadingNetwork) -> None:
    network.train()
    x, times = points(2, 12)
    labels = torch.tensor([[0, 0, 1, 0, 2, 1, 3, 1, 1, 0, 2, 2], [0, 1, 2, 2, 1, 0, 0, 3, 4, 3, 1, 2]])
    (-network.log_prob(network.finish(network.encode(x, times)), labels)).mean().backward()
    silent = [name for name, p in network.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert silent == []


def test_the_gradient_of_the_decay_rates_is_that_of_finite_differences(network: FadingNetwork) -> None:
    x, times = points(2, 12)
    labels = torch.arange(12).expand(2, -1) % 3

    def loss() -> Tensor:
        return network.log_prob(network.finish(network.encode(x, times)), labels).mean()

    (gradient,) = torch.autograd.grad(loss(), network.log_rate)
    with torch.no_grad():
        network.log_rate[0] += 1e-6
        above = loss()
        network.log_rate[0] -= 2e-6
        below = loss()
    assert gradient[0].item() == pytest.approx(((above - below) / 2e-6).item(), rel=1e-4, abs=1e-9)


def test_tracks_that_were_long_forgotten_leave_numbers_and_gradients_finite(network: FadingNetwork) -> None:
    network = network.float().train()
    x, times = (table.float() for table in points(2, 10))
    times = times + torch.arange(10) * 500.0
    labels = torch.tensor([0, 1, 0, 2, 1, 1, 0, 3, 2, 0]).expand(2, -1)
    log_prob = network.log_prob(network.finish(network.encode(x, times)), labels)
    log_prob.mean().backward()
    assert torch.isfinite(log_prob).all()
    assert all(torch.isfinite(p.grad).all() for p in network.parameters() if p.grad is not None)


def test_rates_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match=r"decay rates must be positive, at least one, got \(0.1, 0.0\)"):
        NPT(encoder(), **SIZES, rates=(0.1, 0.0))
    with pytest.raises(InputError, match="13 decay rates are too many for 12 features"):
        NPT(encoder(), **SIZES, rates=(0.1,) * 13)
