"""Spikes whose main peak is positive, sampled by a network that was trained on troughs.

Their waveforms are turned upside down for the network, and a positive spike never shares a unit with a
negative one: the posterior of a group is the product of those of its two signs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Pairs
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.sampled import Sampled
from ncpgui.core.seeds import stream_seed
from ncpgui.core.waveform_format import TROUGH_SAMPLE


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

        def sampled(rows: NDArray[np.bool_], factor: float, seed: int) -> Sampled:
            held = None if clamped is None else np.asarray(clamped)[rows]
            if held is not None and (held < 0).all():
                held = None
            links = {"must_link": _among(must_link, rows), "cannot_link": _among(cannot_link, rows)}
            when = None if times_s is None else times_s[rows]
            spikes = np.float32(factor) * waveforms[rows]
            found: Sampled = cluster(spikes, seed=seed, times_s=when, clamped=held, **links, **options)
            return found

        if positive.all():
            return sampled(positive, -1.0, seed)
        up = sampled(positive, -1.0, stream_seed(seed, "positive spikes"))
        down = sampled(~positive, 1.0, seed)
        if beam:
            down, up = _best_pairs(down, up, beam)
        return _joined(down, up, positive, clamped, must_link)

    return clustered


def _best_pairs(down: Sampled, up: Sampled, width: int) -> tuple[Sampled, Sampled]:
    """Rows of two beams that go together in the most probable `width` vectors of both signs, best first.

    A draw of one sign goes with any of the other; the most probable of both are pairs of probable ones.
    """
    log_prob = down.posterior.log_prob[:, None] + up.posterior.log_prob[None]
    best = np.argsort(-log_prob, axis=None, kind="stable")[:width]
    of_down, of_up = np.unravel_index(best, log_prob.shape)
    return (
        replace(down, posterior=down.posterior.subset(of_down)),
        replace(up, posterior=up.posterior.subset(of_up)),
    )


def _among(pairs: Pairs, rows: NDArray[np.bool_]) -> Pairs:
    """Those pairs both of which are among some rows, numbered as these."""
    number = np.cumsum(rows) - 1
    return tuple((int(number[i]), int(number[j])) for i, j in pairs if rows[i] and rows[j])


def _joined(
    down: Sampled,
    up: Sampled,
    positive: NDArray[np.bool_],
    clamped: NDArray[np.integer] | None,
    must_link: Pairs,
) -> Sampled:
    below, above = down.posterior, up.posterior
    labels = np.empty((below.n_samples, len(positive)), np.int32)
    labels[:, ~positive] = below.labels
    labels[:, positive] = above.labels + below.labels.max(axis=1, keepdims=True) + 1
    if clamped is not None:
        _hold_together(labels, np.asarray(clamped), positive)
    for pair in must_link:
        _hold_together(labels, np.where(np.isin(np.arange(len(positive)), pair), 0, -1), positive)
    features = np.empty((len(positive), down.features.shape[1]), np.float32)
    features[~positive] = down.features
    features[positive] = -up.features  # turned back: apart from the others
    posterior = PosteriorSamples(
        labels,
        below.log_prob + above.log_prob,
        below.weight * above.weight,
        below.order,
        sampler=below.sampler,
    )
    return Sampled(posterior, features, down.model, down.knows_times)


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
