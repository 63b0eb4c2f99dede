"""CCP: clusters are drawn whole, one after the other (Pakman et al., ICML 2020, sec. 4 and SM A).

Before cluster k, a first point d_k is drawn uniformly from the free points; b_i says whether free point
a_i joins it. Given d_k and the clusters so far, the b_i are exchangeable, hence (de Finetti) independent
given a latent z_k:

    p(b_k | d_k, s_<k, x) = int dz  p(z | D, A, G)  prod_i sigmoid[+-rho(z, x_i, D, A, G)].

The order of clusters and the probability of a partition are in `chains`. Training maximises a bound of the
log-probability with a posterior q(z | D, A_in, A_out, G) and W draws of (d_k, z_k), all clusters of all
datasets in one pass (importance-weighted autoencoder, Burda et al., ICLR 2016), with the doubly
reparametrised gradient (Tucker et al., ICLR 2019).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.chains import Chains, Free, size_biased
from ncpgui.engine.networks.latents import First, Normal, log_density_ratio, relaxed_log_shares
from ncpgui.engine.networks.mlp import mlp
from ncpgui.engine.networks.pointwise import Encoding, all_points


@dataclass(frozen=True)
class Scene:
    """What the network knows before it decides who joins d_k; W draws of d_k side by side.

    free : the free points, d_k among them
    others : (P, W), 1 for the free points but d_k: the available points a_i
    points : (P, W or 1, F), u of each
    first : (R, W, h_dim), D_k; taken : (R, W, g_dim), G_k
    total : (R, W, F), sum of u over the available points, A_k
    metric : (P, W, M), where a point is relative to d_k in a learnt metric; None in the paper's network
    """

    free: Free
    others: Tensor
    points: Tensor
    first: Tensor
    taken: Tensor
    total: Tensor
    metric: Tensor | None


class CCP(nn.Module):
    """Prior, likelihood and posterior of one cluster given those before it.

    ======================================  =============================  ==================
    equation (SM A.1)                       here                           shape
    ======================================  =============================  ==================
    D_k, u of the first point               `Scene.first`                  (h_dim,)
    A_k, A_k^in, A_k^out, sums of u         `Scene.total`, `posterior`     (h_dim,) *
    S_k = D_k + A_k^in                      `_first_logits`                (h_dim,)
    H_j = sum of h, G_k = sum_j g(H_j)      `cluster`, `Scene.taken`       (g_dim,)
    p(z | D, A, G)                          `prior`                        (z_dim,) twice
    rho(z, x_i, D, A, G)                    `scores`                       scalar
    q(z | D, A_in, A_out, G)                `posterior`                    (z_dim,) twice
    phi(x_i, S, A_out, G)                   `_first_logits`                scalar
    ======================================  =============================  ==================

    * with `sees_first`, u(x_i, x_d) stands for u(x_i) there, of size F = hidden[0] + metric.

    Parameters
    ----------
    encoder : h, points -> (B, N, h_dim)
    u_encoder : u, points -> (B, N, h_dim); h serves when left out
    h_dim, z_dim : sizes of the encodings and of z
    g_hidden, g_dim : layers of g
    hidden : layers of the networks of p(z), of q(z) and of phi
    rho_hidden : layers of rho
    pooling : "sum" as in the paper, or "mean" for (mean, log(1 + n)), which carries to other N
    sees_first : points are encoded as seen from the first point, u(x_i, x_d), and rho sees how far a point
        is from a centre that z tells. It keeps all symmetries and learns far faster; False in the paper
    metric : size of the metric in which distances are taken, when `sees_first`
    first_posterior : q(d_k): "uniform", the paper's choice, or "gumbel", a softmax relaxed to the simplex
        (Maddison et al. 2017), whose loss is of the relaxed model
    temperature : of that relaxation
    """

    def __init__(
        self,
        encoder: nn.Module,
        u_encoder: nn.Module | None = None,
        *,
        h_dim: int = 128,
        z_dim: int = 32,
        g_hidden: tuple[int, ...] = (128,),
        g_dim: int = 128,
        hidden: tuple[int, ...] = (128, 128),
        rho_hidden: tuple[int, ...] = (128, 128),
        pooling: str = "mean",
        sees_first: bool = True,
        metric: int = 32,
        first_posterior: str = "uniform",
        temperature: float = 0.5,
    ) -> None:
        super().__init__()
        if pooling not in ("sum", "mean"):
            raise InputError(f"pooling must be 'sum' or 'mean', got '{pooling}'")
        if first_posterior not in ("uniform", "gumbel"):
            raise InputError(f"first_posterior must be 'uniform' or 'gumbel', got '{first_posterior}'")
        self.encoder, self.u_encoder = encoder, u_encoder
        self.g_dim, self.z_dim, self.temperature = g_dim, z_dim, temperature
        self.mean_pooling = pooling == "mean"
        n_count = int(self.mean_pooling)
        self.g = mlp(h_dim + n_count, *g_hidden, g_dim)
        n_point = h_dim
        if sees_first:
            self.metric = nn.Linear(h_dim, metric, bias=False)
            self.seen = nn.Linear(h_dim, hidden[0])
            self.seen_from = nn.Linear(h_dim, hidden[0], bias=False)
            self.seen_apart = nn.Linear(2 * metric, hidden[0], bias=False)
            self.centre = nn.Linear(z_dim, metric)
            self.rho_apart = nn.Linear(2 * metric, rho_hidden[0], bias=False)
            n_point = hidden[0] + metric
        self.sees_first = sees_first
        pooled = n_point + n_count
        self.prior_layers = mlp(h_dim + pooled + g_dim, *hidden, 2 * z_dim)
        self.posterior_layers = mlp(h_dim + 2 * pooled + g_dim, *hidden, 2 * z_dim)
        self.rho_point = nn.Linear(n_point, rho_hidden[0], bias=False)
        self.rho_scene = nn.Linear(z_dim + h_dim + pooled + g_dim, rho_hidden[0])
        self.rho_rest = mlp(*rho_hidden, 1)
        self.phi = None
        if first_posterior == "gumbel":
            self.phi = mlp(3 * h_dim + 2 * n_count + g_dim, *hidden, 1)

    def encode(self, *points: Tensor, n_points: Tensor | None = None) -> Encoding:
        """Encode the points of B datasets; the first of `points` is (B, N, ...).

        n_points : (B,), points of each dataset, the others are padding; all N when left out
        """
        h = self.encoder(*points)
        u = h if self.u_encoder is None else self.u_encoder(*points)
        tables = {"h": h, "u": u}
        if self.sees_first:
            tables |= {"metric": self.metric(u), "seen": self.seen(u), "seen_from": self.seen_from(u)}
        return Encoding(h, tables, all_points(h, n_points))

    def cluster(self, sums: Tensor, sizes: Tensor) -> Tensor:
        """g(H) of clusters: sums of h (..., h_dim) and numbers (...) of their points -> (..., g_dim)."""
        return self.g(self._normalised(sums, sizes))

    def taken(self, encoding: Encoding, chains: Chains) -> Tensor:
        """G_k, the sum of g(H_j) over the clusters before each row's: (R, g_dim)."""
        one_hot = nn.functional.one_hot(chains.labels + 1)[..., 1:].to(encoding.features.dtype)
        h = encoding.tables["h"]
        sums = one_hot.transpose(1, 2) @ (h[0] if len(h) == 1 else h)
        sizes = one_hot.sum(1)
        parts = self.cluster(sums, sizes) * (sizes > 0)[..., None]
        return chains.taken_before(parts)

    def scene(self, encoding: Encoding, free: Free, taken: Tensor, first: First) -> Scene:
        """Encode R rows around their first points.

        taken : (R, g_dim), G_k
        """
        tables = encoding.tables
        others = 1 - first.share
        apart = None
        if self.sees_first:
            apart = free.of_points(tables["metric"])[:, None] - first.of(tables["metric"], free)[free.row]
            seen = free.of_points(tables["seen"])[:, None] + first.of(tables["seen_from"], free)[free.row]
            seen = (seen + self.seen_apart(_apart(apart))).relu()
            points = torch.cat([seen, apart], dim=-1)
        else:
            points = free.of_points(tables["u"])[:, None]
        return Scene(
            free=free,
            others=others,
            points=points,
            first=first.of(tables["u"], free),
            taken=taken[:, None].expand(-1, others.shape[1], -1),
            total=free.sum(others[..., None] * points),
            metric=apart,
        )

    def prior(self, scene: Scene) -> Normal:
        """p(z | D, A, G)."""
        return _normal(self.prior_layers(self._context(scene)))

    def posterior(self, scene: Scene, member: Tensor) -> Normal:
        """q(z | D, A_in, A_out, G) for clusters of the free points that are `member` (P,) bool."""
        joined = scene.others * member[:, None]
        inside = scene.free.sum(joined[..., None] * scene.points)
        n_inside, n_others = scene.free.sum(joined), scene.free.sum(scene.others)
        parts = [
            scene.first,
            self._normalised(inside, n_inside),
            self._normalised(scene.total - inside, n_others - n_inside),
            scene.taken,
        ]
        return _normal(self.posterior_layers(torch.cat(parts, dim=-1)))

    def scores(self, scene: Scene, z: Tensor) -> Tensor:
        """rho(z, x_i, D, A, G), log odds that each free point joins (of no meaning for d_k): (P, W)."""
        row = scene.free.row
        of_row = self.rho_scene(torch.cat([z, self._context(scene)], dim=-1))
        layer = self.rho_point(scene.points) + of_row[row]
        if scene.metric is not None:
            layer = layer + self.rho_apart(_apart(scene.metric - self.centre(z)[row]))
        return self.rho_rest(layer.relu()).squeeze(-1)

    def log_likelihood(self, scene: Scene, member: Tensor, z: Tensor) -> Tensor:
        """log p(b_k | z, x) for clusters of the free points that are `member` (P,) bool: (R, W)."""
        scores = self.scores(scene, z)
        log_p = nn.functional.logsigmoid(torch.where(member[:, None], scores, -scores))
        return scene.free.sum(scene.others * log_p)

    def loss(
        self,
        points: tuple[Tensor, ...],
        labels: Tensor,
        *,
        n_samples: int,
        generator: torch.Generator,
        doubly_reparametrised: bool = True,
    ) -> Tensor:
        """Bound of -log p(partition | x), in nats a point, for a random order of the clusters.

        Parameters
        ----------
        points : what the encoder takes; labels : (B, N) int64, -1 = padding
        n_samples : W, draws of (d_k, z_k)
        doubly_reparametrised : gradient of Tucker et al.; else the plain one of the bound. Both have the
            same expectation; with "gumbel" the gradient is the plain one
        """
        encoding = self.encode(*points, n_points=(labels >= 0).sum(1))

        def random(law: Callable[..., Tensor], *shape: int) -> Tensor:
            return law(shape, generator=generator, device=generator.device).to(encoding.features)

        keys = random(torch.rand, *labels.shape)
        chains = Chains.of(size_biased(labels, keys), keys)
        normal = random(torch.randn, len(chains.chain), n_samples, self.z_dim)
        uniform = None if self.phi is None else random(torch.rand, len(chains.member), n_samples)
        stopped = doubly_reparametrised and uniform is None
        log_weight, z = self.log_weights(encoding, chains, normal, uniform, stopped=stopped)
        share = log_weight.detach().softmax(1)
        value = log_weight.logsumexp(1) - math.log(n_samples)
        if stopped and z.requires_grad:
            z.register_hook(lambda gradient: gradient * share[..., None])  # q gets the share twice, p once
            surrogate = (share * log_weight).sum(1)
            value = surrogate + (value - surrogate).detach()
        return -value.sum() / encoding.n_points.sum()

    def log_weights(
        self,
        encoding: Encoding,
        chains: Chains,
        normal: Tensor,
        uniform: Tensor | None = None,
        *,
        stopped: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Log importance weights, whose mean over draws has the probability of the cluster as expectation.

        On the scale of `chains`: p(d_k) = 1/|I_k| over the order's |s_k|/|I_k| and the uniform
        q(d_k) = 1/|s_k| cancel.

        Parameters
        ----------
        normal : (R, W, z_dim), standard normal, for z; uniform : (P, W) on [0, 1), for relaxed d_k
        stopped : take log q(z) as a function of z alone, with no gradient to the parameters of q

        Returns
        -------
        log_weight (R, W), z (R, W, z_dim)
        """
        free = chains.free
        taken = self.taken(encoding, chains)
        relaxed = torch.zeros_like(normal[..., 0])
        if uniform is None:
            first = First.at(chains.first_points(normal.shape[1]), free, normal.dtype)
        else:
            logits = self._first_logits(encoding, chains, taken)
            log_share = relaxed_log_shares(logits, uniform, free, chains.member, self.temperature)
            relaxed = log_density_ratio(log_share, logits, free, chains.member, self.temperature)
            first = First(log_share.exp() * chains.member[:, None], None)
        scene = self.scene(encoding, free, taken, first)
        q, p = self.posterior(scene, chains.member), self.prior(scene)
        z = q.draw(normal)
        divergence = (q.stopped() if stopped else q).log_density(z) - p.log_density(z)
        return self.log_likelihood(scene, chains.member, z) - divergence + relaxed, z

    def log_factor(
        self, encoding: Encoding, chains: Chains, normal: Tensor, from_prior: Tensor, prior_share: float
    ) -> Tensor:
        """Log of an unbiased estimate of each row's mean over d in s_k of p(b_k | d, s_<k, x): (R,) float64.

        Draws of z come from r(z) = `prior_share` p(z) + (1 - `prior_share`) q(z).

        Parameters
        ----------
        chains : of any number of orders of one dataset, or of as many datasets as there are chains
        normal : (R, W, z_dim), standard normal; from_prior : (R, W) bool, draws that come from p
        """
        free, member = chains.free, chains.member
        first = First.at(chains.first_points(normal.shape[1]), free, normal.dtype)
        scene = self.scene(encoding, free, self.taken(encoding, chains), first)
        p, q = self.prior(scene), self.posterior(scene, member)
        z = torch.where(from_prior[..., None], p.draw(normal), q.draw(normal))
        share = torch.tensor([prior_share, 1 - prior_share], device=z.device).log().double()
        log_p = p.log_density(z).double()
        log_r = torch.logaddexp(share[0] + log_p, share[1] + q.log_density(z).double())
        log_weight = self.log_likelihood(scene, member, z).double() + log_p - log_r
        return log_weight.logsumexp(1) - math.log(normal.shape[1])

    def _first_logits(self, encoding: Encoding, chains: Chains, taken: Tensor) -> Tensor:
        """phi(x_i, S_k, A_k^out, G_k) of the free points: (P, 1); of no meaning for those outside s_k."""
        assert self.phi is not None
        free, member = chains.free, chains.member[:, None]
        u = free.of_points(encoding.tables["u"])
        inside, everything = free.sum(u * member), free.sum(u)
        n_inside, n_free = chains.n_members.to(u.dtype), free.count.to(u.dtype)
        parts = [
            self._normalised(inside, n_inside),
            self._normalised(everything - inside, n_free - n_inside),
            taken,
        ]
        return self.phi(torch.cat([u, torch.cat(parts, dim=-1)[free.row]], dim=-1))

    def _context(self, scene: Scene) -> Tensor:
        """D, A and G side by side: (R, W, size)."""
        count = scene.free.sum(scene.others)
        return torch.cat([scene.first, self._normalised(scene.total, count), scene.taken], dim=-1)

    def _normalised(self, sums: Tensor, count: Tensor) -> Tensor:
        if not self.mean_pooling:
            return sums
        count = count[..., None]
        return torch.cat([sums / count.clamp(min=1), count.clamp(min=0).log1p()], dim=-1)


def _apart(difference: Tensor) -> Tensor:
    """Squares and absolute values of a difference, side by side."""
    return torch.cat([difference.square(), difference.abs()], dim=-1)


def _normal(layer: Tensor) -> Normal:
    mean, raw = layer.chunk(2, dim=-1)
    return Normal(mean, nn.functional.softplus(raw + 0.54) + 1e-4)  # sd near 1 before training
