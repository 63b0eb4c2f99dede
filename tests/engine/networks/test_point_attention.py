"""Points that see each other: the formula written out, and what must not change what they see."""

from __future__ import annotations

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.point_attention import PointAttention
from ncpgui.engine.networks.point_encoder import PointEncoder

SIZE, N_SCORES, HEADS = 16, 3, 4


def block(seed: int = 0) -> PointAttention:
    """One whose parts are all at work."""
    torch.manual_seed(seed)
    found = PointAttention(SIZE, N_SCORES).double()
    for parameter in found.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return found


def points(n_points: int = 12) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Two datasets, the second of 7 points and without times."""
    generator = torch.Generator().manual_seed(1)
    features = torch.randn(2, n_points, SIZE, generator=generator, dtype=torch.float64)
    scores = torch.randn(2, n_points, N_SCORES, generator=generator, dtype=torch.float64)
    along = torch.rand(2, n_points, generator=generator, dtype=torch.float64)
    along[1] = torch.nan
    return features, scores, along, torch.arange(n_points) < torch.tensor([[n_points], [7]])


@torch.no_grad()
def test_each_head_weighs_the_points_by_their_features_their_distance_and_their_place_on_the_way() -> None:
    one, (features, scores, along, there) = block(), points()
    found = one(features, scores, along, there)
    head = SIZE // HEADS
    for b, n in ((0, 12), (1, 7)):
        query, key, value = one.to_heads(one.norm(features[b])).chunk(3, dim=-1)
        for i in range(n):
            told = []
            for h in range(HEADS):
                part, reach, rate = (
                    slice(head * h, head * h + head),
                    one.log_reach[h].exp(),
                    one.log_rate[h].exp(),
                )
                weight = [
                    query[i, part] @ key[j, part] / head**0.5
                    - (scores[b, i] - scores[b, j]).square().sum() / (2 * reach**2)
                    - (rate * (along[b, i] - along[b, j]) ** 2 if b == 0 else 0)
                    for j in range(n)
                ]
                nothing = one.nothing[h] + one.nothing_per_point[h] * torch.tensor(n).double().log()
                share = torch.stack([*weight, nothing]).softmax(0)[:-1]
                centre = share @ scores[b, :n]
                told += [
                    share @ value[:n, part],
                    centre,
                    centre - share.sum() * scores[b, i],
                    share.sum()[None],
                ]
            expected = one.after(features[b, i] + one.out(torch.cat(told)))
            torch.testing.assert_close(found[b, i], expected, atol=1e-6, rtol=1e-6)


@torch.no_grad()
def test_padding_and_the_order_of_the_points_change_nothing() -> None:
    one, (features, scores, along, there) = block(), points()
    found = one(features, scores, along, there)
    alone = one(features[1:, :7], scores[1:, :7], along[1:, :7], there[1:, :7])
    torch.testing.assert_close(found[1:, :7], alone)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(2))
    turned = one(features[:1, order], scores[:1, order], along[:1, order], there[:1, order])
    torch.testing.assert_close(turned, found[:1, order])


@torch.no_grad()
def test_a_block_is_silent_until_it_is_trained() -> None:
    features, scores, along, there = points()
    one = PointAttention(SIZE, N_SCORES).double()
    torch.testing.assert_close(one(features, scores, along, there), features, atol=0, rtol=0)


@torch.no_grad()
def test_points_of_one_cloud_come_to_carry_nearly_the_same_and_those_of_two_clouds_do_not() -> None:
    """A head that looks within its reach replaces the place of a point by the mean of the points about it."""
    generator = torch.Generator().manual_seed(3)
    cloud = torch.arange(80) % 2
    scores = 0.25 * torch.randn(1, 80, N_SCORES, generator=generator)
    scores[..., 0] += 4.0 * cloud
    one = PointAttention(SIZE, N_SCORES)
    one.to_heads.weight.zero_()
    one.nothing.fill_(-20.0)
    one.out.weight[0, SIZE // HEADS] = 1.0  # the first score of the centre that the first head sees
    features = torch.zeros(1, 80, SIZE)
    told = one(features, scores, torch.full((1, 80), torch.nan), torch.ones(1, 80, dtype=torch.bool))[0, :, 0]
    for k in (0, 1):
        assert told[cloud == k].mean().item() == pytest.approx(4.0 * k, abs=0.1)
        assert told[cloud == k].std() < 0.5 * scores[0, cloud == k, 0].std()


@torch.no_grad()
def test_scores_beyond_all_measure_give_finite_features() -> None:
    features, scores, along, there = points()
    scores[0, 0] = 1e6
    assert torch.isfinite(block()(features, scores, along, there)).all()


@pytest.mark.parametrize(
    "parts", [{}, {"components": 13}, {"components": 2, "whitened": True, "time_knots": (3,)}]
)
def test_attention_needs_components_and_with_times_the_way(parts: dict) -> None:
    with pytest.raises(InputError, match="attention is between points near in their principal components"):
        ClusterAwareNCP(PointEncoder(hidden=(8,), h_dim=8), h_dim=8, attention=1, **parts)
