"""Clear receptive fields of a sorting, and which fields of two sortings are those of one cell.

Two fields are of one cell where their centres are no farther apart than `NEAR` times their mean radius and
their time courses, signs included, have a cosine of `SAME_COURSE` or more. A field is matched once at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ncpgui.analysis.receptive_field import receptive_field
from ncpgui.core.stimulus import Stimulus

NEAR = 0.5
SAME_COURSE = 0.9


@dataclass(frozen=True)
class Field:
    """A clear receptive field.

    center_px : (x, y); radius_px : one sd of its centre, mean of both axes
    time_course : (n_lags,), norm 1, positive = ON
    spatial : (height, width) in sd of its noise; n_spikes : that it was measured from
    """

    unit: int
    center_px: tuple[float, float]
    radius_px: float
    time_course: NDArray[np.float64]
    spatial: NDArray[np.float32]
    n_spikes: int


def clear_fields(stimulus: Stimulus, sample_index: NDArray[np.int64], unit: NDArray[np.int64]) -> list[Field]:
    """Return the clear receptive fields of all units, most spikes first."""
    found = []
    for one in np.unique(unit):
        field = receptive_field(stimulus, sample_index[unit == one])
        norm = float(np.linalg.norm(field.time_course))
        if not field.is_clear or norm == 0:
            continue
        found.append(
            Field(
                int(one),
                field.center_px,
                float(np.sqrt(field.ellipse[0] * field.ellipse[1])),
                field.time_course.astype(np.float64) / norm,
                field.spatial,
                field.n_spikes,
            )
        )
    return sorted(found, key=lambda field: -field.n_spikes)


def likeness(a: Field, b: Field) -> float:
    """Return the cosine of the time courses of two fields at one place, 0 where they are of two cells."""
    distance = float(np.hypot(*np.subtract(a.center_px, b.center_px)))
    cosine = float(a.time_course @ b.time_course)
    if distance > NEAR * (a.radius_px + b.radius_px) / 2 or cosine < SAME_COURSE:
        return 0.0
    return cosine


def distinct(fields: Sequence[Field]) -> list[Field]:
    """Return the fields without those that are like an earlier one: a cell that was split counts once."""
    kept: list[Field] = []
    for field in fields:
        if not any(likeness(field, other) for other in kept):
            kept.append(field)
    return kept


def matches(first: Sequence[Field], second: Sequence[Field]) -> list[tuple[int, int]]:
    """Return pairs (i, j) of fields of one cell: as many as there can be, the most alike of those."""
    if not first or not second:
        return []
    values = np.array([[likeness(a, b) for b in second] for a in first])
    pairs = zip(*linear_sum_assignment(np.where(values > 0, 1000 + values, 0), maximize=True), strict=True)
    return [(int(i), int(j)) for i, j in pairs if values[i, j] > 0]
