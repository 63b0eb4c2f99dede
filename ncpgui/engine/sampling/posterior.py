"""Posterior samples of one dataset or many: ancestral, clamped, linked, over several orders.

q depends a little on the order in which points are visited; `ancestral_samples` divides its
draws over several random orders, which averages the dependence out. Points whose times are known
are visited in windows of time, or of the way of the tissue, forward in one order and backward in the
next, so that clusters that move are met along their way.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.order_agreement import N_ORDERS
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.seeds import stream
from ncpgui.engine.device import one_core
from ncpgui.engine.networks.as_arrays import serves, tells_times
from ncpgui.engine.networks.moving_clusters import time_windows
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding, side_by_side
from ncpgui.engine.sampling import rules
from ncpgui.engine.sampling.compiled_draws import draws
from ncpgui.engine.sampling.links import LinkedRule, Links
from ncpgui.engine.sampling.memory import in_chunks, rows_at_once
from ncpgui.engine.sampling.points import check_points
from ncpgui.engine.sampling.sequential import Rule, walk
from ncpgui.engine.sampling.split_merge import split_and_merged

Labels = NDArray[np.integer]


@dataclass(frozen=True)
class Visit:
    """An order in which points are visited: held points first, the rest at random."""

    order: NDArray[np.int64]
    held: NDArray[np.int64]

    @staticmethod
    def draw(
        n_points: int,
        clamped: Labels | None,
        generator: np.random.Generator,
        early: NDArray[np.int64] | None = None,
        window: NDArray[np.int64] | None = None,
    ) -> Visit:
        """Draw an order of `n_points`; `clamped` (N,) holds labels >= 0, or -1 where free.

        early : points to be visited right after the held ones, in this order
        window : (N,), points of lower ones are visited first, those of one at random
        """
        order = generator.permutation(n_points)
        if window is not None:
            order = order[np.argsort(window[order], kind="stable")]
        held = np.zeros(n_points, dtype=bool)
        if clamped is not None:
            if clamped.shape != (n_points,):
                raise InputError(
                    f"clamped must be one label for each of {n_points} spikes, got {clamped.shape}"
                )
            held = clamped >= 0
        rank = np.where(held, -1, n_points)
        if early is not None:
            free = early[~held[early]]
            rank[free] = np.arange(len(free))
        order = order[np.argsort(rank[order], kind="stable")]
        first = order[: held.sum()]
        return Visit(order, canonical(clamped[first]) if clamped is not None else first)

    def original(self, labels: Tensor) -> NDArray[np.int64]:
        """Labels (S, >= N) in the order visited, put back into the order of the points."""
        result = np.empty((len(labels), len(self.order)), dtype=np.int64)
        result[:, self.order] = labels[:, : len(self.order)].cpu().numpy()
        return result


def ancestral_samples(
    network: ClusteringNetwork,
    encoding: Encoding,
    *,
    n_samples: int,
    seed: int,
    n_orders: int = N_ORDERS,
    n_moves: int = 0,
    clamped: Labels | None = None,
    max_rows: int | None = None,
    progress: Progress = silent,
) -> PosteriorSamples:
    """Draw from q(c | x), or from q(c_free | c_clamped, x).

    The same seed gives the same samples whatever the chunks, and beside whichever other datasets; on
    another device too, up to rounding, which changes a draw where a random number meets a probability.

    Parameters
    ----------
    encoding : of one dataset, not finished (any order)
    n_orders : random orders over which the draws are divided
    n_moves : splits and merges of whole clusters that are proposed to each draw, which leave q as it is
    clamped : (N,) int, label of each held point, -1 where free
    max_rows : hypotheses walked at once; bounds the memory

    Raises
    ------
    InputError
        No samples asked for, clamped labels that do not fit, or more than memory holds.
    """
    return ancestral_samples_of_many(
        network,
        [encoding],
        n_samples=n_samples,
        seeds=[seed],
        n_orders=n_orders,
        n_moves=n_moves,
        clamped=[clamped],
        max_rows=max_rows,
        progress=progress,
    )[0]


def ancestral_samples_of_many(
    network: ClusteringNetwork,
    encodings: Sequence[Encoding],
    *,
    n_samples: int,
    seeds: Sequence[int],
    n_orders: int = N_ORDERS,
    n_moves: int = 0,
    clamped: Sequence[Labels | None] | None = None,
    max_rows: int | None = None,
    progress: Progress = silent,
) -> list[PosteriorSamples]:
    """Draw from the posteriors of several datasets side by side, which a GPU does as fast as of one.

    Each gets the samples that `ancestral_samples` draws from it alone with its seed. Parameters as there.
    """
    if n_samples < 1:
        raise InputError(f"at least one posterior sample must be drawn, got {n_samples}")
    n_orders = min(n_orders, n_samples)
    clamped = clamped or [None] * len(encodings)
    visits = [
        visits_of(encoding, seed, n_orders=n_orders, clamped=fixed)
        for encoding, seed, fixed in zip(encodings, seeds, clamped, strict=True)
    ]
    for encoding in encodings:
        check_points(encoding, n_samples * len(encodings))
    with one_core():
        walker = Walker(network, encodings, visits)
    # Rows: all draws from the first dataset, then all from the second; each set's take its orders in turn.
    dataset = torch.cat([torch.arange(n_samples) % n_orders + i * n_orders for i in range(len(encodings))])
    uniform = torch.zeros(len(dataset), walker.n_points)
    for i, seed in enumerate(seeds):
        drawn = stream(seed, "ancestral").random((n_samples, len(visits[i][0].order)), dtype=np.float32)
        uniform[i * n_samples : (i + 1) * n_samples, : drawn.shape[1]] = torch.from_numpy(drawn)

    def draw(rows: slice, device: torch.device, report: Progress) -> tuple[Tensor, Tensor]:
        return walker.draw(uniform[rows], dataset[rows], device, report)

    report = portion(progress, 0, 1, 1 + n_moves) if n_moves else progress
    labels = torch.full((len(dataset), walker.n_points), -1)
    log_prob = torch.empty(len(dataset), dtype=torch.float64)
    device = encodings[0].features.device
    at_once = max_rows or rows_at_once(device)
    for rows, (found, score) in in_chunks(
        draw, n_rows=len(dataset), at_once=at_once, device=device, progress=report
    ):
        labels[rows, : found.shape[1]] = found.cpu()
        log_prob[rows] = score.double().cpu()
    results = []
    for i in range(len(encodings)):
        own = slice(i * n_samples, (i + 1) * n_samples)
        order = np.arange(n_samples) % n_orders
        results.append(
            PosteriorSamples(_original(labels[own], visits[i]), log_prob[own].numpy(), order=order)
        )
    if not n_moves:
        return results
    report = portion(progress, 1, 1 + n_moves, 1 + n_moves)
    return [
        _split_and_merged(
            walker,
            i,
            samples,
            visits[i],
            places=network.places(encoding)[0].double().cpu().numpy(),
            n_moves=n_moves,
            seed=seed,
            free=None if fixed is None else fixed < 0,
            progress=portion(report, i, i + 1, len(encodings)),
        )
        for i, (samples, encoding, seed, fixed) in enumerate(
            zip(results, encodings, seeds, clamped, strict=True)
        )
    ]


def _split_and_merged(
    walker: Walker,
    dataset: int,
    drawn: PosteriorSamples,
    visits: list[Visit],
    *,
    places: NDArray[np.float64],
    n_moves: int,
    seed: int,
    free: NDArray[np.bool_] | None,
    progress: Progress,
) -> PosteriorSamples:
    """Draws after splits and merges, each by the law of the order in which it was drawn."""
    orders = np.stack([visit.order for visit in visits])
    assert drawn.order is not None
    order = drawn.order

    def log_probability(labels: Labels, rows: Labels) -> NDArray[np.float64]:
        visited = canonical(np.take_along_axis(labels, orders[order[rows]], 1))
        return walker.log_prob(visited, dataset * len(visits) + order[rows])

    moved = split_and_merged(
        log_probability,
        drawn.labels,
        drawn.log_prob,
        places,
        n_moves=n_moves,
        generator=stream(seed, "splits and merges"),
        free=free,
        progress=progress,
    )
    return PosteriorSamples(moved.labels, moved.log_prob, drawn.weight, order)


@dataclass(frozen=True)
class LinkedSamples:
    """Samples given that pairs of points share a cluster or do not.

    log_probability : log q(all constraints hold | x), in nats: what the constraints cost
    """

    samples: PosteriorSamples
    log_probability: float


def linked_samples(
    network: ClusteringNetwork,
    encoding: Encoding,
    *,
    must_link: Sequence[tuple[int, int]] = (),
    cannot_link: Sequence[tuple[int, int]] = (),
    n_samples: int,
    seed: int,
    n_orders: int = N_ORDERS,
    clamped: Labels | None = None,
    progress: Progress = silent,
) -> LinkedSamples:
    """Draw from q(c | x, constraints), and say how probable the constraints were.

    Points of constraints are visited first (after held ones). There each row takes only clusters that
    obey, is weighted by the mass its conditional had on them, and rows are resampled by these weights once
    the last such point is placed (sequential importance resampling); the mean weight is the probability of
    the constraints, and what follows is drawn exactly.

    Parameters
    ----------
    must_link, cannot_link : pairs of points (0 .. N - 1) that share a cluster, or do not
    clamped : as in `ancestral_samples`

    Raises
    ------
    InputError
        A pair that does not exist, or constraints that contradict each other or the clamped labels.
    """
    n_points = encoding.features.shape[1]
    check_points(encoding, n_samples)
    links = Links.of(n_points, must_link, cannot_link, clamped)
    n_orders = min(n_orders, n_samples)
    visits = visits_of(encoding, seed, n_orders=n_orders, clamped=clamped, links=links)
    walker = Walker(network, [encoding], [visits])
    device = encoding.features.device
    dataset = torch.arange(n_samples) % n_orders
    drawn = stream(seed, "ancestral").random((n_samples, n_points), dtype=np.float32)
    obey = LinkedRule(
        links,
        [visit.order for visit in visits],
        len(visits[0].held),
        torch.from_numpy(drawn).to(device),
        stream(seed, "resampling"),
    )
    labels, log_prob = walker.walk(obey, dataset, device, progress)
    log_mass = obey.log_mass.cpu().numpy()  # of each order
    share = np.exp(log_mass - log_mass.max()) / np.bincount(dataset)
    samples = PosteriorSamples(
        _original(labels.cpu(), visits),
        log_prob.double().cpu().numpy(),
        share[dataset],
        dataset.numpy(),
    )
    return LinkedSamples(samples, float(log_mass.max() + np.log(np.exp(log_mass - log_mass.max()).mean())))


def visits_of(
    encoding: Encoding,
    seed: int,
    *,
    n_orders: int = 1,
    clamped: Labels | None = None,
    links: Links | None = None,
) -> list[Visit]:
    """Orders in which points of a dataset are visited; linked ones come right after those that are held."""
    n_points, early = encoding.features.shape[1], None if links is None else links.points
    return [
        Visit.draw(n_points, clamped, stream(seed, "order", order), early, _windows(encoding, order))
        for order in range(n_orders)
    ]


def _windows(encoding: Encoding, order: int) -> NDArray[np.int64] | None:
    """Windows in time, or along the way, of the points of a dataset, every second time backward, if known."""
    if "along" not in encoding.tables:
        return None
    window = time_windows(encoding.tables["along"][..., 0], encoding.there)[0].cpu().numpy()
    return -window if order % 2 else window


class Walker:
    """Datasets, each in its orders, that samplers walk; on another device when the first has no room."""

    def __init__(
        self, network: ClusteringNetwork, encodings: Sequence[Encoding], visits: list[list[Visit]]
    ) -> None:
        parts = []
        with torch.inference_mode():
            for encoding, orders in zip(encodings, visits, strict=True):
                order = torch.from_numpy(np.stack([visit.order for visit in orders]))
                parts.append(network.finish_in(order.to(encoding.features.device), encoding))
        self._network = network
        self._compiled = network if serves(network, encodings) else None
        self._timed = any(tells_times(encoding) for encoding in encodings)
        self._encoding = parts[0] if len(parts) == 1 else side_by_side(parts)
        self.n_points = self._encoding.features.shape[1]
        held = [torch.from_numpy(visit.held) for orders in visits for visit in orders]
        self._held = torch.nn.utils.rnn.pad_sequence(held, batch_first=True, padding_value=-1)

    def draw(
        self, uniform: Tensor, dataset: Tensor, device: torch.device, progress: Progress
    ) -> tuple[Tensor, Tensor]:
        """Ancestral draws of `dataset` (S,) from `uniform` (S, N): labels and log q."""
        if self._compiled is not None and device.type == "cpu":
            return draws(
                self._compiled,
                self._encoding,
                dataset=dataset,
                held=self._held[dataset],
                uniform=uniform,
                timed=self._timed,
                progress=progress,
            )
        return self.walk(rules.ancestral(uniform.to(device)), dataset, device, progress)

    def log_prob(self, labels: Labels, dataset: Labels) -> NDArray[np.float64]:
        """log q (S,) of label vectors (S, N) of `dataset` (S,), canonical in the order visited."""
        about, given = torch.from_numpy(dataset), torch.from_numpy(labels)
        if self._compiled is not None and self._encoding.features.device.type == "cpu":
            none = torch.zeros(1, 1).expand(given.shape)
            _, score = draws(
                self._compiled, self._encoding, dataset=about, held=given, uniform=none, timed=self._timed
            )
        else:
            device = self._encoding.features.device
            given, about = given.to(device), about.to(device)
            rule = rules.restricted(
                rules.held(given), rules.ancestral(torch.zeros(given.shape, device=device))
            )
            _, score = walk(self._network, self._encoding, rule, dataset=about)
        return score.double().cpu().numpy()

    def walk(
        self, rule: Rule, dataset: Tensor, device: torch.device, progress: Progress
    ) -> tuple[Tensor, Tensor]:
        """Rows about `dataset` (S,) as a rule chooses, held points where they are: labels and log q."""
        if device != self._encoding.features.device:
            self._network = deepcopy(self._network).to(device)
            self._encoding = self._encoding.to(device)
        if self._held.shape[1]:
            rule = rules.restricted(rules.held(self._held[dataset].to(device)), rule)
        return walk(self._network, self._encoding, rule, dataset=dataset.to(device), progress=progress)


def _original(labels: Tensor, visits: list[Visit]) -> NDArray[np.int64]:
    """Labels (S, >= N) of rows that took `visits` in turn, back in the order of the points: (S, N)."""
    result = np.empty((len(labels), len(visits[0].order)), dtype=np.int64)
    for i, visit in enumerate(visits):
        result[i :: len(visits)] = visit.original(labels[i :: len(visits)])
    return result
