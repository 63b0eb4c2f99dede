"""CCP: its bound, gradients and symmetries against slow literal versions, quadrature and enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn

from ncpgui.core.errors import InputError
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.chains import Chains, size_biased
from ncpgui.engine.networks.latents import First
from ncpgui.engine.networks.mlp import mlp

SIZES = {
    "h_dim": 6,
    "z_dim": 3,
    "g_hidden": (8,),
    "g_dim": 5,
    "hidden": (8,),
    "rho_hidden": (8, 8),
    "metric": 4,
}
VARIANTS = {
    "ours": {},
    "paper": {"pooling": "sum", "sees_first": False},
    "paper, mean": {"pooling": "mean", "sees_first": False},
    "ours, sum": {"pooling": "sum"},
}
PADDED = torch.tensor([[0, 0, 1, 0, 2, 1], [0, 1, 0, 0, -1, -1], [0, 0, 0, 0, 0, -1]])


def small(seed=0, *, own_u=True, **options):
    torch.manual_seed(seed)
    u_encoder = mlp(2, 8, 6) if own_u else None
    return CCP(mlp(2, 8, 6), u_encoder, **{**SIZES, **options}).double()


def points_like(labels, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*labels.shape, 2, generator=generator, dtype=torch.float64)


def keys_like(labels, seed=2):
    return torch.rand(labels.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def log_weights(network, x, labels, keys, normal, **options):
    """Rows of all datasets with their log weights: chains, (R, W)."""
    encoding = network.encode(x, n_points=(labels >= 0).sum(1))
    chains = Chains.of(size_biased(labels, keys), keys)
    return chains, network.log_weights(encoding, chains, normal, **options)[0]


@pytest.fixture(params=VARIANTS, ids=list(VARIANTS))
def network(request):
    return small(**VARIANTS[request.param])


def test_parts_of_the_rows_are_the_rows():
    network, normal = small(), torch.randn(4, 2, 3, dtype=torch.float64)
    keys = keys_like(PADDED)
    chains, whole = log_weights(network, points_like(PADDED), PADDED, keys, normal)
    encoding = network.encode(points_like(PADDED), n_points=(PADDED >= 0).sum(1))
    pieces = [
        network.log_weights(encoding, part, normal[i : i + len(part.chain)])[0]
        for i, part in zip(range(0, 4, 3), chains.parts(3), strict=True)
    ]
    torch.testing.assert_close(torch.cat(pieces), whole)


# The bound


def literal_log_weight(network, x, before, cluster, first, others, z_normal):
    """Log weight of one cluster with one first point and one z, written as in SM A, point by point."""

    def pool(vectors, like):
        total = sum(vectors, torch.zeros_like(like))
        if not network.mean_pooling:
            return total
        count = torch.tensor([math.log1p(len(vectors))], dtype=torch.float64)
        return torch.cat([total / max(len(vectors), 1), count])

    h, u = network.encoder(x), network.u_encoder(x)

    def seen(i):
        if not network.sees_first:
            return u[i]
        apart = network.metric(u[i] - u[first])
        both = torch.cat([apart**2, apart.abs()])
        return torch.cat(
            [(network.seen(u[i]) + network.seen_from(u[first]) + network.seen_apart(both)).relu(), apart]
        )

    like = seen(first)
    g_k = sum((network.g(pool([h[i] for i in s], h[0])) for s in before), torch.zeros(5).double())
    d_k = u[first]
    a_in = [seen(i) for i in cluster if i != first]
    a_out = [seen(i) for i in others]
    context = torch.cat([d_k, pool(a_in + a_out, like), g_k])
    prior = network.prior_layers(context)
    posterior = network.posterior_layers(torch.cat([d_k, pool(a_in, like), pool(a_out, like), g_k]))

    def normal(layer):
        return torch.distributions.Normal(layer[:3], torch.nn.functional.softplus(layer[3:] + 0.54) + 1e-4)

    q = normal(posterior)
    z = q.mean + q.stddev * z_normal
    total = normal(prior).log_prob(z).sum() - q.log_prob(z).sum()
    for i in [*cluster, *others]:
        if i == first:
            continue
        layer = network.rho_point(seen(i)) + network.rho_scene(torch.cat([z, context]))
        if network.sees_first:
            apart = network.metric(u[i] - u[first]) - network.centre(z)
            layer = layer + network.rho_apart(torch.cat([apart**2, apart.abs()]))
        p = network.rho_rest(layer.relu())[0].sigmoid()
        total = total + (p if i in cluster else 1 - p).log()
    return total


def test_the_loss_is_the_bound_of_a_literal_loop_over_datasets_clusters_and_draws(network):
    n_draws, x = 3, points_like(PADDED)
    loss = network.loss((x,), PADDED, n_samples=n_draws, generator=torch.Generator().manual_seed(7))

    generator = torch.Generator().manual_seed(7)  # the same numbers in the same order
    keys = torch.rand(PADDED.shape, generator=generator).double()
    bound, row_clusters = 0.0, []
    for i, labels in enumerate(PADDED):
        visited = [n for n in keys[i].argsort().tolist() if labels[n] >= 0]
        chain: dict[int, list[int]] = {}
        for n in visited:
            chain.setdefault(int(labels[n]), []).append(n)
        row_clusters += [(i, list(chain.values()), k) for k in range(len(chain))]
    row_clusters = [r for r in row_clusters if sum(map(len, r[1][r[2] :])) > 1]
    normal = torch.randn(len(row_clusters), n_draws, 3, generator=generator).double()
    for row, (i, chain, k) in enumerate(row_clusters):
        others = [n for s in chain[k + 1 :] for n in s]
        weights = [
            literal_log_weight(
                network, x[i], chain[:k], chain[k], chain[k][w % len(chain[k])], others, normal[row, w]
            )
            for w in range(n_draws)
        ]
        bound += torch.stack(weights).logsumexp(0) - math.log(n_draws)
    assert loss.item() == pytest.approx(-bound.item() / (6 + 4 + 5), abs=1e-10)


def test_a_padded_batch_gives_each_dataset_what_it_gets_alone(network):
    x, keys = points_like(PADDED), keys_like(PADDED)
    normal = torch.randn(4, 2, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    chains, together = log_weights(network, x, PADDED, keys, normal)
    for i, labels in enumerate(PADDED):
        own = labels >= 0
        _, alone = log_weights(
            network, x[i : i + 1, own], labels[None, own], keys[i : i + 1, own], normal[chains.chain == i]
        )
        torch.testing.assert_close(together[chains.chain == i], alone)


def test_the_order_of_the_points_does_not_matter(network):
    x, labels, keys = points_like(PADDED[:1]), PADDED[:1], keys_like(PADDED[:1])
    normal = torch.randn(2, 2, 3, dtype=torch.float64)
    _, before = log_weights(network, x, labels, keys, normal)
    order = torch.tensor([3, 5, 0, 1, 4, 2])
    _, after = log_weights(network, x[:, order], labels[:, order], keys[:, order], normal)
    torch.testing.assert_close(before, after)


def test_log_odds_follow_their_points_and_the_order_of_earlier_clusters_does_not_matter(network):
    x = points_like(PADDED[:1])
    z = torch.randn(1, 1, 3, dtype=torch.float64)
    numbered = torch.tensor([[0, 1, 2, 3, 2, 2]])

    def scores_of(labels, x, first):
        encoding = network.encode(x)
        chains = Chains.of(labels, keys_like(labels))
        part = list(chains.parts(1))[2]
        at = First.at(torch.tensor([[first]]), part.free, x.dtype)
        scene = network.scene(encoding, part.free, network.taken(encoding, part), at)
        scores = torch.zeros(6, dtype=torch.float64)
        scores[part.free.point] = (scene.others * network.scores(scene, z))[:, 0]
        return scores

    expected = scores_of(numbered, x, 4)
    order = torch.tensor([3, 5, 0, 1, 4, 2])
    torch.testing.assert_close(scores_of(numbered[:, order], x[:, order], 4), expected[order])
    swapped = torch.tensor([[1, 0, 2, 3, 2, 2]])
    torch.testing.assert_close(scores_of(swapped, x, 4), expected)


def test_with_many_draws_the_bound_is_the_exact_probability_by_quadrature():
    network, n_draws = small(z_dim=1), 30_000
    x, labels = points_like(PADDED[:1]), PADDED[:1]
    encoding = network.encode(x)
    chains = Chains.of(labels, keys_like(labels))  # clusters in the order 0, 1, 2
    generator = torch.Generator().manual_seed(1)
    normal = torch.randn(len(chains.chain), n_draws, 1, generator=generator, dtype=torch.float64)
    grid = torch.linspace(-10, 10, 801, dtype=torch.float64)  # z in sd of its prior
    density = torch.exp(-0.5 * grid**2) / math.sqrt(2 * math.pi)
    with torch.no_grad():
        log_weight = network.log_weights(encoding, chains, normal)[0]
        for row, part in enumerate(chains.parts(1)):
            exact = []
            for d in part.first_points(int(part.n_members))[0]:
                first = First.at(d.expand(1, len(grid)), part.free, x.dtype)
                scene = network.scene(encoding, part.free, network.taken(encoding, part), first)
                p_b = network.log_likelihood(
                    scene, part.member, network.prior(scene).draw(grid[None, :, None])
                ).exp()
                exact.append(torch.trapezoid(p_b[0] * density, grid))
            weight = log_weight[row].exp() / torch.stack(exact).mean()
            assert weight.mean().item() == pytest.approx(1.0, abs=4 * weight.std().item() / n_draws**0.5)
            assert weight.std() / n_draws**0.5 < 0.01


def test_clusters_of_one_left_over_point_cost_nothing():
    labels = torch.tensor([[0]])
    loss = small().loss(
        (points_like(labels),), labels, n_samples=2, generator=torch.Generator().manual_seed(0)
    )
    assert loss.item() == 0.0


def test_hundreds_of_unlikely_points_do_not_underflow():
    """In single precision too: exp of the log weights would be zero."""
    labels = torch.arange(300)[None] % 2
    network = small().float()
    loss = network.loss(
        (40 * points_like(labels).float(),), labels, n_samples=4, generator=torch.Generator().manual_seed(0)
    )
    loss.backward()
    assert torch.isfinite(loss)
    assert all(p.grad is None or torch.isfinite(p.grad).all() for p in network.parameters())


# Gradients


def mean_gradient(network, n_repeats, *, doubly_reparametrised):
    """Mean gradient of the bound over the draws of z, by parameter, with the standard error."""
    labels = torch.tensor([[0, 0, 1, 0, 1]]).expand(64, -1)
    x = points_like(labels[:1]).expand(64, -1, -1)
    generator = torch.Generator().manual_seed(5)
    draws = []
    for _ in range(n_repeats):
        network.zero_grad()
        loss = network.loss(
            (x,), labels, n_samples=2, generator=generator, doubly_reparametrised=doubly_reparametrised
        )
        loss.backward()
        flat = [p.grad if p.grad is not None else torch.zeros_like(p) for p in network.parameters()]
        draws.append(torch.cat([g.flatten() for g in flat]))
    stacked = torch.stack(draws)
    return stacked.mean(0), stacked.std(0) / math.sqrt(n_repeats)


def test_the_doubly_reparametrised_gradient_has_the_expectation_of_the_plain_one():
    network = small()
    plain, plain_error = mean_gradient(network, 100, doubly_reparametrised=False)
    double, double_error = mean_gradient(network, 100, doubly_reparametrised=True)
    deviation = (plain - double) / (plain_error**2 + double_error**2).sqrt().clamp(min=1e-9)
    assert deviation.square().mean() < 2  # one but for chance; parameters are correlated
    assert deviation.abs().max() < 5
    assert (plain / plain_error.clamp(min=1e-9)).abs().median() > 3  # there was something to compare


def test_the_doubly_reparametrised_gradient_of_q_is_less_noisy():
    network = small()
    names = [n for n, p in network.named_parameters() for _ in range(p.numel())]
    of_q = torch.tensor([n.startswith("posterior_layers") for n in names])
    _, plain = mean_gradient(network, 60, doubly_reparametrised=False)
    _, double = mean_gradient(network, 60, doubly_reparametrised=True)
    assert double[of_q].square().sum() < 0.7 * plain[of_q].square().sum()


def test_a_gradient_step_lowers_the_loss_of_every_parameter_group():
    network = small()
    labels = torch.tensor([[0, 0, 1, 0, 1]])
    loss = network.loss(
        (points_like(labels),), labels, n_samples=3, generator=torch.Generator().manual_seed(0)
    )
    loss.backward()
    missing = [name for name, p in network.named_parameters() if p.grad is None or not p.grad.any()]
    assert missing == []


def test_a_relaxed_first_point_at_a_corner_is_the_discrete_one(network):
    """D and A_in with shares y are those with d where y is one-hot, and so is the likelihood."""
    x, labels = points_like(PADDED[:1]), PADDED[:1]
    encoding = network.encode(x)
    part = next(Chains.of(labels, keys_like(labels)).parts(1))
    taken, z = network.taken(encoding, part), torch.randn(1, 1, 3, dtype=torch.float64)
    hard = First.at(torch.tensor([[3]]), part.free, x.dtype)
    soft = First(hard.share, None)
    hard_scene, soft_scene = (network.scene(encoding, part.free, taken, f) for f in (hard, soft))
    torch.testing.assert_close(
        network.log_likelihood(hard_scene, part.member, z), network.log_likelihood(soft_scene, part.member, z)
    )
    for ours, theirs in zip(
        network.posterior(hard_scene, part.member), network.posterior(soft_scene, part.member), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_the_gumbel_posterior_learns():
    network = small(first_posterior="gumbel")
    loss = network.loss(
        (points_like(PADDED),), PADDED, n_samples=3, generator=torch.Generator().manual_seed(0)
    )
    loss.backward()
    assert torch.isfinite(loss)
    assert any(p.grad.any() for p in network.phi.parameters())


# Training


@pytest.mark.slow
def test_a_minute_of_training_on_2d_gaussians_explains_most_of_the_clustering():
    """Half a nat a point is what the prior alone leaves at these sizes."""
    torch.manual_seed(0)
    network = CCP(
        mlp(2, 64, 32), h_dim=32, z_dim=8, g_dim=32, g_hidden=(32,), hidden=(64,), rho_hidden=(64, 64)
    )
    model, generator = GaussianDPMM(), torch.Generator().manual_seed(1)
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
    losses = []
    for _ in range(200):
        batch = model.sample(16, (5, 40), generator)
        loss = network.loss((batch.points[0] / 10,), batch.labels, n_samples=3, generator=generator)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
    prior = 0.0
    for _ in range(20):
        labels = model.sample(50, 20, generator).labels
        prior -= model.prior.log_prob(labels).mean().item() / 20 / 20
    assert np.mean(losses[-30:]) < 0.4 * prior


def test_a_loss_is_reproducible_from_its_generator():
    network, x = small(), points_like(PADDED)
    first, second = (
        network.loss((x,), PADDED, n_samples=2, generator=torch.Generator().manual_seed(4)) for _ in range(2)
    )
    assert first.item() == second.item()


def test_options_that_do_not_exist_are_refused():
    with pytest.raises(InputError, match="pooling must be 'sum' or 'mean', got 'max'"):
        small(pooling="max")
    with pytest.raises(InputError, match="first_posterior must be 'uniform' or 'gumbel', got 'exact'"):
        small(first_posterior="exact")
