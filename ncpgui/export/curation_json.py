"""Decisions about a sorting as SpikeInterface's curation (format 2): splits, then merges, labels.

A unit may be split or merged in one curation, not both. Decisions that do both are two steps
(`SequentialCuration`): the first splits units into the parts that stay together, the second joins these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.given import called
from ncpgui.core.spikes import UNASSIGNED

QUALITY = {"good": "good", "noise": "noise", "mua": "MUA"}
_DEFINITIONS = {"quality": {"label_options": ["good", "noise", "MUA"], "exclusive": True}}


def curation_steps(
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    labels: Mapping[int, str],
    names: Mapping[int, int | str],
    *,
    silent: Sequence[int] = (),
    highest: int = UNASSIGNED,
) -> list[dict[str, Any]]:
    """Steps that make the units `after` of those `before`, (n_spikes,) both; -1 after = in none, removed.

    labels : unit of `after` -> good, mua or noise
    names, silent, highest : of `core.given.GivenSorting`
    """
    parts = _parts(before, after)
    in_unit: dict[int, list[tuple[int, int]]] = {}
    of_unit: dict[int, list[tuple[int, int]]] = {}
    for part in parts:
        of_unit.setdefault(part[0], []).append(part)
        in_unit.setdefault(part[1], []).append(part)
    last = max(highest, int(before.max(initial=-1)), int(after.max(initial=-1)), *silent)
    fresh = iter(range(last + 1, last + 1 + len(parts)))
    number: dict[tuple[int, int], int] = {}
    for part in parts:
        unit, new = part
        if len(of_unit[unit]) == 1:
            number[part] = unit
        else:  # a part of a unit that is split, which is a unit by itself if nothing joins it
            alone = new != UNASSIGNED and len(in_unit[new]) == 1 and new not in of_unit
            number[part] = new if alone else next(fresh)

    name = called({*of_unit, *in_unit, *silent, *number.values()}, names, highest).__getitem__
    splits = []
    for unit, pieces in of_unit.items():
        if len(pieces) > 1:
            train = after[before == unit]
            splits.append(
                {
                    "unit_id": name(unit),
                    "mode": "indices",
                    "indices": [np.flatnonzero(train == new).tolist() for _, new in pieces],
                    "new_unit_ids": [name(number[piece]) for piece in pieces],
                }
            )
    merges = [
        {"unit_ids": [name(number[piece]) for piece in pieces], "new_unit_id": name(new)}
        for new, pieces in in_unit.items()
        if new != UNASSIGNED and len(pieces) > 1
    ]
    removed = [name(number[piece]) for piece in in_unit.get(UNASSIGNED, [])]
    quality = [
        {"unit_id": name(number[piece]), "labels": {"quality": [QUALITY[labels[new]]]}}
        for new, pieces in in_unit.items()
        if labels.get(new) in QUALITY
        for piece in pieces
    ]
    there = [name(unit) for unit in silent]
    units = [name(unit) for unit in of_unit] + there
    if splits and (merges or removed or quality):
        first = _step(units, splits=splits)
        return [
            first,
            _step([name(number[part]) for part in parts] + there, merges, removed=removed, quality=quality),
        ]
    return [_step(units, merges, splits, removed, quality)]


def _parts(before: NDArray[np.int64], after: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Pairs (unit before, unit after) that share spikes, in order."""
    pairs = np.unique(np.stack([before, after]), axis=1).T
    return [(int(unit), int(new)) for unit, new in pairs]


def _step(
    units: list[Any],
    merges: list[dict[str, Any]] | None = None,
    splits: list[dict[str, Any]] | None = None,
    removed: list[Any] | None = None,
    quality: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "format_version": "2",
        "unit_ids": units,
        "label_definitions": _DEFINITIONS,
        "manual_labels": quality or [],
        "merges": merges or [],
        "splits": splits or [],
        "removed": removed or [],
    }
