"""Samples of a posterior over clusterings: label vectors, log q, weights, and the order of each draw.

Where a beam was searched instead, they are its label vectors, and their weights are no posterior.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import WHOLE_NUMBERS, array, whole_number
from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical, is_canonical, narrowed

ROUNDING = 1e-12

Sampler = Literal["draws", "beam"]
"""How label vectors were found: drawn from the posterior, or the most probable ones that a search found."""

SAMPLERS: tuple[Sampler, ...] = get_args(Sampler)

NOT_A_POSTERIOR = "the most probable sortings only, not a posterior"
"""What is said of a beam wherever its weights are shown or written."""


def sampler_words(sampler: Sampler) -> str:
    """A sampler as files and tables name it."""
    return f"beam: {NOT_A_POSTERIOR}" if sampler == "beam" else sampler


@dataclass(frozen=True)
class PosteriorSamples:
    """S weighted label vectors of N points.

    Labels are held in the narrowest type that has them, most often a byte: large sessions have gigabytes of
    them else. `labels` makes int32 of them each time it is asked for.

    Parameters
    ----------
    labels : (S, N) int
        Canonical labels (made so on creation), one row a sample.
    log_prob : (S,) float
        log q(labels | points) of the network, in nats, for the order in which points were visited; nan
        where it was not computed, because it takes many more draws (a network of clusters), or where no law
        is known of which the samples are draws (they were swept).
    weight : (S,) float, optional
        Probability of each sample, summing to 1 (normalised on creation unless they do but for rounding,
        so that weights which were stored come back to the last bit); equal when left out.
    order : (S,) int, optional
        Number of the order of the points in which each sample was drawn: samples of one order are more alike
        than independent ones. None where it is not known, or where there are no orders.
    drawn_weight : (S,) float, optional
        Weights of the samples as the network drew them, where other evidence weighs them too
        (`weighed`); None where nothing else does.
    sampler : "draws", or "beam": the label vectors of a beam, whose weights are their probabilities,
        normalised over the beam. They are no draws: they have no order, and no Monte Carlo error.
    stimulus_nats : (S,) float, optional
        Log likelihood of the stimulus under each sample, in `weight` already; None where it says nothing.
    weight_without_echoes : (S,) float, optional
        Weights by all evidence but that some points are echoes of others; None where there are none.
    echo_of : (N,) int, optional
        Point that each point may be an echo of, -1 = of none. In a sample an echo is no further spike of the
        cluster that it is in, but for a unit that has it. None where there are none.

    Raises
    ------
    InputError
        Shapes that do not fit, no samples, weights that are negative or all zero, or an unknown sampler.
    """

    rows: NDArray[np.integer]
    log_prob: NDArray[np.float64]
    weight: NDArray[np.float64]
    order: NDArray[np.int32] | None
    drawn_weight: NDArray[np.float64] | None
    sampler: Sampler
    stimulus_nats: NDArray[np.float64] | None
    weight_without_echoes: NDArray[np.float64] | None
    echo_of: NDArray[np.int64] | None

    def __init__(
        self,
        labels: NDArray[np.integer],
        log_prob: NDArray[np.floating],
        weight: NDArray[np.floating] | None = None,
        order: NDArray[np.integer] | None = None,
        drawn_weight: NDArray[np.floating] | None = None,
        sampler: str = "draws",
        stimulus_nats: NDArray[np.floating] | None = None,
        weight_without_echoes: NDArray[np.floating] | None = None,
        echo_of: NDArray[np.integer] | None = None,
    ) -> None:
        given = narrowed(np.atleast_2d(array(labels, "labels of samples", WHOLE_NUMBERS)))
        rows = given if is_canonical(given) else narrowed(canonical(given))
        log_q = array(log_prob, "log probabilities of samples").astype(np.float64).reshape(-1)
        share = np.ones(len(rows))
        if weight is not None:
            share = array(weight, "weights of samples").astype(np.float64)
        if len(rows) == 0:
            raise InputError("a posterior needs at least one sample, got 0")
        if not (len(rows) == len(log_q) == len(share)):
            raise InputError(
                f"posterior samples do not fit: {len(rows)} label vectors, "
                f"{len(log_q)} log probabilities, {len(share)} weights; give one of each a sample"
            )
        if sampler not in SAMPLERS:
            raise InputError(f"samples come from {' or '.join(map(repr, SAMPLERS))}, got {sampler!r}")
        known: dict[str, object] = {
            "rows": rows,
            "log_prob": log_q,
            "weight": _normalised(share),
            "sampler": sampler,
        }
        for name, values in (
            ("order", order),
            ("drawn_weight", drawn_weight),
            ("stimulus_nats", stimulus_nats),
            ("weight_without_echoes", weight_without_echoes),
            ("echo_of", echo_of),
        ):
            known[name] = None if values is None else _optional(name, values, rows)
        for name, value in known.items():
            object.__setattr__(self, name, value)

    @property
    def labels(self) -> NDArray[np.int32]:
        """(S, N) int32, canonical, one row a sample; a copy."""
        return self.rows.astype(np.int32)

    @property
    def n_samples(self) -> int:
        """Number of samples S."""
        return self.rows.shape[0]

    @property
    def n_points(self) -> int:
        """Number of points N."""
        return self.rows.shape[1]

    @property
    def n_clusters(self) -> NDArray[np.int64]:
        """Clusters of each sample: (S,)."""
        return self.rows.max(axis=1).astype(np.int64) + 1

    def subset(self, rows: NDArray[np.integer]) -> PosteriorSamples:
        """Samples `rows` on their own; equally probable where none of them has a weight."""
        weight = _taken(self.weight, rows, "samples")
        order = None if self.order is None else self.order[rows]
        drawn = None if self.drawn_weight is None else self.drawn_weight[rows]
        alone = None if self.weight_without_echoes is None else self.weight_without_echoes[rows]
        return self.changed(
            rows=self.rows[rows],
            log_prob=self.log_prob[rows],
            weight=weight if weight.any() else None,
            order=order,
            drawn_weight=drawn if drawn is not None and drawn.any() else None,
            stimulus_nats=None if self.stimulus_nats is None else self.stimulus_nats[rows],
            weight_without_echoes=alone if alone is not None and alone.any() else None,
        )

    def at_points(self, points: NDArray[np.integer] | NDArray[np.bool_]) -> PosteriorSamples:
        """The same samples of some of the points: (S, n)."""
        echo_of, kept = self.echo_of, _taken(np.arange(self.n_points), points, "points")
        if echo_of is not None:
            number = np.full(self.n_points + 1, -1)
            number[kept] = np.arange(len(kept))
            echo_of = number[echo_of[kept]]
        return self.changed(rows=self.rows[:, kept], echo_of=echo_of)

    @property
    def is_echo(self) -> NDArray[np.bool_] | None:
        """(N,) points that may be echoes; None where there are none."""
        return None if self.echo_of is None else self.echo_of >= 0

    def changed(self, **values: Any) -> PosteriorSamples:
        """The same samples with other values of some fields, such as `weight`."""
        whole = {one.name: getattr(self, one.name) for one in fields(self)} | values
        return PosteriorSamples(whole.pop("rows"), **whole)

    def weighed(
        self, nats: NDArray[np.floating], *, stimulus_nats: NDArray[np.floating] | None = None
    ) -> PosteriorSamples:
        """The posterior given other evidence, whose log likelihood under each sample is `nats`, (S,).

        -inf where the evidence excludes a sample. The weights as drawn are kept in `drawn_weight`.

        stimulus_nats : (S,) log likelihood of the stimulus, which comes to `nats`; None where it says nothing

        Raises
        ------
        InputError
            The evidence excludes every sample, or is not a number.
        """
        with np.errstate(divide="ignore"):
            score = np.log(self.weight) + array(nats, "nats").astype(np.float64)
        if stimulus_nats is not None:
            score = score + stimulus_nats
        best = score.max()
        if not np.isfinite(best):
            raise InputError(
                f"evidence must leave at least one sample possible, its largest log likelihood is {best}; "
                "take part of it back, or draw new samples under it"
            )
        drawn = self.weight if self.drawn_weight is None else self.drawn_weight
        weight = np.exp(score - best)
        seen = self.stimulus_nats if stimulus_nats is None else stimulus_nats
        return self.changed(weight=weight, drawn_weight=drawn, stimulus_nats=seen)

    def with_beside(
        self,
        rows: NDArray[np.integer],
        labels: NDArray[np.integer],
        share: NDArray[np.floating],
        *,
        stimulus_nats: NDArray[np.floating] | None = None,
    ) -> PosteriorSamples:
        """The samples, and beside some of them others that nobody drew, each for a part of the weight of one.

        Those that come to them are the last. They have no log q and none of `drawn_weight`.

        Parameters
        ----------
        rows : (B,) samples that share their weight, different ones
        labels : (B, N) of those beside them; share : (B,) of the weight, which these get
        stimulus_nats : (B,) by which the stimulus is more probable under these; 0 when left out
        """
        weight = self.weight.copy()
        more = weight[rows] * share
        weight[rows] *= 1 - share
        alone = self.weight if self.drawn_weight is None else self.drawn_weight
        seen = self.stimulus_nats
        if stimulus_nats is not None or seen is not None:
            before = np.zeros(self.n_samples) if seen is None else seen
            beside = before[rows] + (0.0 if stimulus_nats is None else stimulus_nats)
            seen = np.concatenate([before, beside])
        return self.changed(
            rows=np.concatenate([self.labels, canonical(labels)]),
            log_prob=np.concatenate([self.log_prob, np.full(len(rows), np.nan)]),
            weight=np.concatenate([weight, more]),
            order=None if self.order is None else np.concatenate([self.order, self.order[rows]]),
            drawn_weight=np.concatenate([alone, np.zeros(len(rows))]),
            stimulus_nats=seen,
        )

    @property
    def weight_without_stimulus(self) -> NDArray[np.float64]:
        """(S,) weights by all evidence but the stimulus and echoes; `weight` where neither says anything."""
        weight = self.weight if self.weight_without_echoes is None else self.weight_without_echoes
        if self.stimulus_nats is None:
            return weight
        used = weight > 0
        nats = np.log(weight[used]) - self.stimulus_nats[used]
        weight = np.zeros(self.n_samples)
        weight[used] = np.exp(nats - nats.max())
        return _normalised(weight)

    @property
    def n_effective(self) -> float:
        """Samples of equal weight that would say as much."""
        return float(1 / (self.weight**2).sum())

    def standard_error(self, members: NDArray[np.integer] | NDArray[np.bool_]) -> float:
        """Monte Carlo standard error of the probability that samples `members` (rows, or (S,) bool) estimate.

        Samples of one order are alike: with W_g the weight of order g, p_g the share of `members` in it and p
        that in all, the variance of p is estimated as G / (G - 1) sum_g W_g^2 (p_g - p)^2 over G orders, and
        not below p (1 - p) sum_s w_s^2, that of independent samples, which is all where no order is known.
        A beam is no draw and has no such error: nan.
        """
        if self.sampler == "beam":
            return float("nan")
        inside = np.zeros(self.n_samples)
        inside[_taken(np.arange(self.n_samples), members, "samples")] = 1
        p = min(float(self.weight @ inside), 1.0)
        variance = p * (1 - p) * float((self.weight**2).sum())
        if self.order is not None:
            _, group = np.unique(self.order, return_inverse=True)
            apart = np.bincount(group, self.weight * (inside - p))  # W_g (p_g - p)
            if len(apart) > 1:
                variance = max(variance, len(apart) / (len(apart) - 1) * float((apart**2).sum()))
        return float(np.sqrt(variance))

    def p_n_clusters(self, min_size: int = 1) -> dict[int, float]:
        """P(K): probability of each number of clusters, counting those of at least `min_size`."""
        min_size = whole_number(min_size, "min_size")
        result: dict[int, float] = {}
        for row, share in zip(self.rows, self.weight, strict=True):
            k = int((np.bincount(row) >= min_size).sum())
            result[k] = result.get(k, 0.0) + float(share)
        return dict(sorted(result.items()))

    def co_assignment(self, i: NDArray[np.integer], j: NDArray[np.integer]) -> NDArray[np.float64]:
        """P(point i and point j share a cluster) for arrays of pairs: (n_pairs,)."""
        one, other = (_taken(self.rows.T, points, "points") for points in (i, j))
        if one.shape != other.shape:
            raise InputError(
                f"pairs need as many first points as second ones, got {np.shape(i)} and {np.shape(j)}"
            )
        return np.asarray((one == other) @ self.weight)

    def membership(self, reference: NDArray[np.integer]) -> NDArray[np.float32]:
        """P(each point belongs to each cluster of `reference`): (N, K), rows summing to <= 1.

        Every cluster of a sample stands for the reference cluster it shares most points with
        (the larger share of the two); what the samples put elsewhere counts towards that cluster.
        """
        n_reference = int(reference.max(initial=-1)) + 1
        result = np.zeros((self.n_points, n_reference), dtype=np.float32)
        if n_reference == 0:
            return result
        points = np.arange(self.n_points)
        known = reference >= 0
        for row, share in zip(self.labels, self.weight, strict=True):
            k = int(row.max()) + 1
            table = np.bincount(
                row[known] * n_reference + reference[known], minlength=k * n_reference
            ).reshape(k, n_reference)
            stands_for = table.argmax(axis=1)
            met = table.max(axis=1) > 0
            ok = met[row]
            result[points[ok], stands_for[row[ok]]] += np.float32(share)
        return np.minimum(result, 1.0)


def effective_draws(weight: NDArray[np.floating]) -> float:
    """Draws of equal weight that would say as much as draws of these weights, 0 where none has any."""
    return float(weight.sum() ** 2 / max(float((weight**2).sum()), 1e-300))


def _taken(values: NDArray[Any], rows: object, name: str) -> NDArray[Any]:
    """Some rows of an array; InputError where there are none such."""
    try:
        return np.asarray(values[np.asarray(rows)])
    except (IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"{name} are numbers from 0 to {len(values) - 1}, or one True or False each: {error}"
        ) from None


_NO_ECHOES = "there are no echoes"
_OPTIONAL = {
    "order": (np.int32, 0, "the order of each of {} samples", "it is not known"),
    "drawn_weight": (float, 0, "the weight as drawn of each of {} samples", "only the network weighs them"),
    "stimulus_nats": (
        float,
        0,
        "the log likelihood of the stimulus under each of {} samples",
        "it says nothing",
    ),
    "weight_without_echoes": (float, 0, "the weight without echoes of each of {} samples", _NO_ECHOES),
    "echo_of": (np.int64, 1, "of which other each of {} points is an echo", _NO_ECHOES),
}
"""Type of what may be left out, its axis of the rows, what it is, and where it is left out."""


def _optional(name: str, values: NDArray[Any], rows: NDArray[np.integer]) -> NDArray[Any]:
    dtype, axis, what, lacking = _OPTIONAL[name]
    n = rows.shape[axis]
    if np.shape(values) != (n,):
        raise InputError(
            f"{what.format(n)} is needed, got shape {np.shape(values)}; leave it out where {lacking}"
        )
    found = np.asarray(values, dtype=dtype)
    return _normalised(found) if "weight" in name else found


def _normalised(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that sum to one, to the last bit as they are where they do but for rounding."""
    if not np.isfinite(share).all() or (share < 0).any() or share.sum() <= 0:
        raise InputError("sample weights must be finite, non-negative and not all zero")
    total = share.sum()
    return share / (1.0 if abs(total - 1) < ROUNDING else total)
