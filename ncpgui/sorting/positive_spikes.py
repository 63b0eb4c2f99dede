"""Spikes whose main peak is positive, sampled by a network that was trained on troughs.

Their waveforms are turned upside down for the network, and a positive spike never shares a unit with a
negative one: the posterior of a group is the product of those of its two signs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Pairs
from ncpgui.core.seeds import stream_seed
from ncpgui.core.waveform_format import TROUGH_SAMPLE


@dataclass(frozen=True)
class _Both:
    """What is used of the result of `engine.cluster`."""

    labels: NDArray[np.int32]
    log_prob: NDArray[np.float64]
    weight: NDArray[np.float64]
    order: NDArray[np.int32] | None
    features: NDArray[np.float32]
    model: str
    knows_times: bool


def is_positive(waveforms: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether the main peak of each of (n, 32, C) waveforms is positive: (n,)."""
    return np.asarray(waveforms[:, TROUGH_SAMPLE, 0] > 0)


def by_sign(cluster: Callable[..., Any], *, beam: int = 0) -> Callable[..., Any]:
    """Cluster positive and negative spikes apart: a function called as `cluster`.

    beam : width of a beam that `cluster` searches in the place of drawing, 0 for draws
    """

    def clustered(
        waveforms: NDArray[np.float32],
        *,
        seed: int,
        times_s: NDArray[np.float64] | None = None,
        clamped: NDArray[np.integer] | None = None,
        must_link: Pairs = (),
        cannot_link: Pairs = (),
        **options: Any,
    ) -> Any:
        positive = is_positive(waveforms)
        if not positive.any():
            links = {"must_link": must_link, "cannot_link": cannot_link}
            return cluster(waveforms, seed=seed, times_s=times_s, clamped=clamped, **links, **options)

        def sampled(rows: NDArray[np.bool_], factor: float, seed: int) -> Any:
            held = None if clamped is None else np.asarray(clamped)[rows]
            if held is not None and (held < 0).all():
                held = None
            links = {"must_link": _among(must_link, rows), "cannot_link": _among(cannot_link, rows)}
            when = None if times_s is None else times_s[rows]
            spikes = np.float32(factor) * waveforms[rows]
            return cluster(spikes, seed=seed, times_s=when, clamped=held, **links, **options)

        if positive.all():
            return sampled(positive, -1.0, seed)
        up = sampled(positive, -1.0, stream_seed(seed, "positive spikes"))
        down = sampled(~positive, 1.0, seed)
        if beam:
            down, up = _best_pairs(down, up, beam)
        return _joined(down, up, positive, clamped, must_link)

    return clustered


def _best_pairs(down: Any, up: Any, width: int) -> tuple[_Both, _Both]:
    """Rows of two beams that go together in the most probable `width` vectors of both signs, best first.

    A draw of one sign goes with any of the other; the most probable of both are pairs of probable ones.
    """
    log_prob = down.log_prob[:, None] + up.log_prob[None]
    best = np.argsort(-log_prob, axis=None, kind="stable")[:width]
    rows = np.unravel_index(best, log_prob.shape)

    def taken(one: Any, row: NDArray[np.intp]) -> _Both:
        return _Both(
            one.labels[row],
            one.log_prob[row],
            one.weight[row],
            None,
            one.features,
            one.model,
            one.knows_times,
        )

    return taken(down, rows[0]), taken(up, rows[1])


def _among(pairs: Pairs, rows: NDArray[np.bool_]) -> Pairs:
    """Those pairs both of which are among some rows, numbered as these."""
    number = np.cumsum(rows) - 1
    return tuple((int(number[i]), int(number[j])) for i, j in pairs if rows[i] and rows[j])


def _joined(
    down: Any,
    up: Any,
    positive: NDArray[np.bool_],
    clamped: NDArray[np.integer] | None,
    must_link: Pairs,
) -> _Both:
    labels = np.empty((len(down.labels), len(positive)), np.int32)
    labels[:, ~positive] = down.labels
    labels[:, positive] = up.labels + down.labels.max(axis=1, keepdims=True) + 1
    if clamped is not None:
        _hold_together(labels, np.asarray(clamped), positive)
    for pair in must_link:
        _hold_together(labels, np.where(np.isin(np.arange(len(positive)), pair), 0, -1), positive)
    features = np.empty((len(positive), down.features.shape[1]), np.float32)
    features[~positive], features[positive] = (
        down.features,
        -up.features,
    )  # turned back: apart from the others
    return _Both(
        labels,
        down.log_prob + up.log_prob,
        down.weight * up.weight,
        down.order,
        features,
        down.model,
        down.knows_times,
    )


def _hold_together(
    labels: NDArray[np.int32], clamped: NDArray[np.integer], positive: NDArray[np.bool_]
) -> None:
    """Give what a person put into one unit across the signs one label, in place."""
    for label in np.unique(clamped[clamped >= 0]):
        members = clamped == label
        one, other = np.flatnonzero(members & ~positive), np.flatnonzero(members & positive)
        if len(one) and len(other):
            moved = labels == labels[:, other[:1]]
            labels[moved] = np.broadcast_to(labels[:, one[:1]], labels.shape)[moved]
