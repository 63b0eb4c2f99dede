"""One heap of spikes or two: fitted on parts of units whose cells are known, and how often it comes true.

    python -m benchmarks.probabilities.heaps [--recordings tetrode ...] [--cache DIR]

Parts are those into which draws of the network cut units of the development recordings,
pairs of units that are in one component, and merges that were planted in them (`sampled_recordings.py`).
Two parts are two heaps if most spikes of each are of another cell, and one if they are of the same; parts
without such a cell are left out. All pairs of parts of one unit weigh as one row; rows of two heaps and of
one weigh the same together, so that the odds of the fit are likelihood ratios. Weights are those of
`core/heaps.py`; figures of the table are of recordings that were left out of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.probabilities.sampled_recordings import (
    SampledComponents,
    SampledRecording,
    add_recordings,
    asked_recordings,
    sampled_recording,
)
from benchmarks.recordings.sorters import STILL
from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.heaps import INTERCEPT, MOST_NATS, QUANTITIES, WEIGHTS, heap_quantities
from ncpgui.core.partition import canonical
from ncpgui.sorting.all_spikes import nearest_sampled
from ncpgui.sorting.config import SortingConfig

MOST = 0.5
"""Part of its spikes that a part has of its cell."""
PENALTY = 0.1
"""On weights of quantities of sd 1; larger and smaller ones tell less of recordings that are left out."""
MOST_ROWS = 60
"""Different pairs of parts of a unit that are looked at, the most frequent among the draws first."""

Row = tuple[NDArray[np.float64], bool, float]


def rows_of(recording: SampledRecording) -> Iterator[tuple[list[NDArray[np.float64]], list[bool]]]:
    """Quantities of pairs of parts, and whether they are two heaps, by unit and by pair of units."""
    for components in (recording.whole, recording.planted):
        for draw in components.draws:
            if draw.id in components.sampled:
                yield from _rows(components, draw.id, recording)


def _rows(
    components: SampledComponents, component_id: int, recording: SampledRecording
) -> Iterator[tuple[list[NDArray[np.float64]], list[bool]]]:
    component, kept = components.sampled[component_id]
    assert kept.coordinates is not None
    unit = components.units.unit[component.spike_ids]
    truth = recording.truth[component.spike_ids]
    posterior, sampled = component.posterior, component.sampled
    followed = nearest_sampled(sampled, kept.coordinates, unit)
    for name in np.unique(unit):
        points = np.flatnonzero(unit[sampled] == name)
        members = np.flatnonzero(unit == name)
        least = min_unit_size(len(points))
        counts: dict[tuple[bytes, bytes], int] = {}
        for cut in canonical(posterior.labels[:, points]):
            sizes = np.bincount(cut)
            parts = [cut == part for part in np.argsort(-sizes, kind="stable") if sizes[part] >= least]
            for first, second in combinations(parts, 2):
                key = first.tobytes(), second.tobytes()
                counts[key] = counts.get(key, 0) + 1
        own = np.searchsorted(points, followed[members])
        pairs = []
        for key in sorted(counts, key=lambda key: -counts[key])[:MOST_ROWS]:
            first, second = (np.frombuffer(part, bool)[own] for part in key)
            pairs.append((members[first], members[second]))
        yield _labelled(pairs, kept.coordinates, truth)
    before = recording.parts[component.spike_ids]
    for first, second in combinations(np.unique(before), 2):
        pair = np.flatnonzero(before == first), np.flatnonzero(before == second)
        yield _labelled([pair], kept.coordinates, truth)


def _labelled(
    pairs: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
    coordinates: NDArray[np.float32],
    truth: NDArray[np.bool_],
) -> tuple[list[NDArray[np.float64]], list[bool]]:
    quantities, two = [], []
    for pair in pairs:
        share = [truth[part].mean(axis=0) for part in pair]
        if min(one.max(initial=0) for one in share) > MOST:
            quantities.append(heap_quantities(*(coordinates[part] for part in pair)))
            two.append(bool(share[0].argmax() != share[1].argmax()))
    return quantities, two


def fit(
    x: NDArray[np.float64], y: NDArray[np.bool_], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Weights and intercept of a logistic regression in which both classes weigh the same.

    Those in use where there is one class only.
    """
    if y.all() or not y.any():
        return np.array(WEIGHTS), INTERCEPT
    balanced = weight.copy()
    for one in (True, False):
        balanced[y == one] *= weight.sum() / 2 / max(weight[y == one].sum(), 1e-12)
    mean = np.average(x, axis=0, weights=balanced)
    sd = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=balanced)) + 1e-9
    model = LogisticRegression(C=1 / PENALTY, max_iter=1000).fit((x - mean) / sd, y, sample_weight=balanced)
    weights = model.coef_[0] / sd
    return weights, float(model.intercept_[0] - weights @ mean)


def main() -> None:
    """Fit, and print what comes true."""
    parser = options(__doc__)
    add_recordings(parser)
    parser.set_defaults(development=True, recordings=list(STILL))
    arguments = parser.parse_args()
    device = begin(arguments)
    names, x, y, weight = [], [], [], []
    for name, truth in asked_recordings(arguments).items():
        recording = sampled_recording(name, truth, arguments.cache, by_any_source=arguments.development)
        for quantities, two in rows_of(recording):
            names += [name] * len(two)
            x += quantities
            y += two
            weight += [1 / max(len(two), 1)] * len(two)
    groups, quantities, two, share = np.array(names), np.array(x), np.array(y), np.array(weight)
    nats = np.zeros(len(two))
    for name in np.unique(groups):
        rest = groups != name
        if not 0 < two[rest].sum() < rest.sum():
            rest[:] = True
        weights, intercept = fit(quantities[rest], two[rest], share[rest])
        nats[groups == name] = np.clip(
            quantities[groups == name] @ weights + intercept, -MOST_NATS, MOST_NATS
        )
    weights, intercept = fit(quantities, two, share)
    rows = []
    edges = [-np.inf, -4.0, -2.0, 0.0, 2.0, 4.0, np.inf]
    for low, high in pairwise(edges):
        here = (nats >= low) & (nats < high)
        if here.any():
            balance = share[~two].sum() / max(share[two].sum(), 1e-12)
            odds = share[here & two].sum() * balance, share[here & ~two].sum()
            rows.append(
                {
                    "nats for two": f"{low:g} to {high:g}",
                    "one heap": float(share[here & ~two].sum()),
                    "two heaps": float(share[here & two].sum()),
                    "said": float(np.average(1 / (1 + np.exp(-nats[here])), weights=share[here])),
                    "two, of as many": float(odds[0] / max(sum(odds), 1e-12)),
                }
            )
    told = [
        {"quantity": name, "fitted": float(now), "in use": used}
        for name, now, used in zip(
            (*QUANTITIES, "intercept"), (*weights, intercept), (*WEIGHTS, INTERCEPT), strict=True
        )
    ]
    text = f"{table(rows)}\n\n{table(told)}"
    print(text)
    page = f"""
# One heap of spikes or two

{len(two)} pairs of parts ({share[two].sum():.0f} units and pairs of units in two heaps,
{share[~two].sum():.0f} in one) of {len(np.unique(groups))} development recordings. "Said" is what the
likelihood ratio makes of even odds, by fits to the other recordings.

{text}

{where(device)}
"""
    origin = Origin(101, SortingConfig().posterior_samples, {"spikes": "spikes"})
    keep("heaps", {"rows": rows, "weights": told}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
