"""What was fired just before and after a point: the formula written out, and what must not change it."""

from __future__ import annotations

import math

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.neighbours_in_time import N_NEIGHBOURS, NeighboursInTime
from ncpgui.engine.networks.point_encoder import PointEncoder

SIZE, N_SCORES, HIDDEN, N_POINTS = 6, 3, 4, 12
Points = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def told_of_time(seed: int = 0) -> NeighboursInTime:
    """One whose parts are all at work."""
    torch.manual_seed(seed)
    found = NeighboursInTime(SIZE, N_SCORES, HIDDEN).double()
    for parameter in found.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    found.log_ms.data.add_(math.log(20.0))
    return found


def points() -> Points:
    """Three datasets: of 12 spikes within 60 ms, of 7, and of 12 that do not tell their times."""
    generator = torch.Generator().manual_seed(1)
    features = torch.randn(3, N_POINTS, SIZE, generator=generator, dtype=torch.float64)
    scores = torch.randn(3, N_POINTS, N_SCORES, generator=generator, dtype=torch.float64)
    seconds = 0.06 * torch.rand(3, N_POINTS, generator=generator, dtype=torch.float64)
    seconds[2] = torch.nan
    return features, scores, seconds, torch.arange(N_POINTS) < torch.tensor([[N_POINTS], [7], [N_POINTS]])


@torch.no_grad()
def test_each_point_sums_what_it_sees_of_the_four_before_and_after_it_and_forgets_them() -> None:
    one, (features, scores, seconds, there) = told_of_time(), points()
    found = one(features, scores, seconds, there)
    for b, n in ((0, N_POINTS), (1, 7)):
        x = torch.cat([one.norm(features[b]), scores[b]], dim=-1)
        order = sorted(range(n), key=lambda i: float(seconds[b, i]))
        for place, i in enumerate(order):
            sides = []
            for side, near in enumerate((order[:place][::-1], order[place + 1 :])):
                columns = slice(side * HIDDEN, (side + 1) * HIDDEN)
                total = torch.zeros(HIDDEN, dtype=torch.float64)
                for j in near[:N_NEIGHBOURS]:
                    ms = 1000 * abs(float(seconds[b, i] - seconds[b, j]))
                    told = [math.exp(-ms / scale) for scale in (3.0, 10.0, 40.0)]
                    apart = torch.cat([(scores[b, i] - scores[b, j]).square().log1p(), torch.tensor(told)])
                    first = (one.own(x[i]) + one.other(x[j]) + one.apart(apart))[columns]
                    total += one.second[side](first.relu()).relu() * torch.exp(-ms / one.log_ms[side].exp())
                sides.append(total)
            torch.testing.assert_close(found[b, i], features[b, i] + one.out(torch.cat(sides)))


@torch.no_grad()
def test_padding_and_the_order_of_the_points_change_nothing() -> None:
    one, (features, scores, seconds, there) = told_of_time(), points()
    found = one(features, scores, seconds, there)
    alone = one(features[1:2, :7], scores[1:2, :7], seconds[1:2, :7], there[1:2, :7])
    torch.testing.assert_close(found[1:2, :7], alone)
    order = torch.randperm(N_POINTS, generator=torch.Generator().manual_seed(2))
    turned = one(features[:1, order], scores[:1, order], seconds[:1, order], there[:1, order])
    torch.testing.assert_close(turned, found[:1, order])


@torch.no_grad()
def test_padding_and_datasets_without_times_are_left_as_they_are() -> None:
    one, (features, scores, seconds, there) = told_of_time(), points()
    found = one(features, scores, seconds, there)
    torch.testing.assert_close(found[2], features[2], atol=0, rtol=0)
    torch.testing.assert_close(found[1, 7:], features[1, 7:], atol=0, rtol=0)


@torch.no_grad()
def test_what_was_fired_a_second_ago_and_more_is_forgotten() -> None:
    one, (features, scores, seconds, there) = told_of_time(), points()
    lonely = one(features[:1], scores[:1], 1000 * seconds[:1].argsort(1).argsort(1).double(), there[:1])
    alone = one(features[:1, :1], scores[:1, :1], seconds[:1, :1], there[:1, :1])
    torch.testing.assert_close(lonely[:, :1] - one.out.bias, features[:1, :1])
    torch.testing.assert_close(alone, lonely[:, :1])


def test_gradients_are_finite_whatever_the_intervals() -> None:
    one, (features, scores, seconds, there) = told_of_time(), points()
    seconds[0, :4] = seconds[0, 0]  # fired at once
    seconds[0, 4] = 1e6
    one(features, scores, seconds, there).square().sum().backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in one.parameters())


@torch.no_grad()
def test_it_is_silent_until_it_is_trained() -> None:
    features, scores, seconds, there = points()
    one = NeighboursInTime(SIZE, N_SCORES).double()
    torch.testing.assert_close(one(features, scores, seconds, there), features, atol=0, rtol=0)


def test_a_network_needs_times_to_see_neighbours_in_time() -> None:
    encoder = PointEncoder(hidden=(8,), h_dim=8)
    with pytest.raises(InputError, match="neighbours in time are of a network that knows time"):
        ClusterAwareNCP(encoder, h_dim=8, components=2, whitened=True, neighbours_in_time=True)
