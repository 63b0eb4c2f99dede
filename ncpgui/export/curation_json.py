"""Decisions about a sorting as SpikeInterface's curation (format 2): splits, then merges, labels.

A unit may be split or merged in one curation, not both. Decisions that do both are two steps
(`SequentialCuration`): the first splits units into the parts that stay together, the second joins these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.spikes import UNASSIGNED

QUALITY = {"good": "good", "noise": "noise", "mua": "MUA"}
_DEFINITIONS = {"quality": {"label_options": ["good", "noise", "MUA"], "exclusive": True}}


def curation_steps(
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    labels: Mapping[int, str],
    names: Mapping[int, str],
) -> list[dict[str, Any]]:
    """Steps that make the units `after` of those `before`, (n_spikes,) both; -1 after = in none, removed.

    labels : unit of `after` -> good, mua or noise; names : unit -> its id where that is text
    """
    parts = _parts(before, after)
    in_unit: dict[int, list[tuple[int, int]]] = {}
    of_unit: dict[int, list[tuple[int, int]]] = {}
    for part in parts:
        of_unit.setdefault(part[0], []).append(part)
        in_unit.setdefault(part[1], []).append(part)
    used = {*before.tolist(), *after.tolist()}
    fresh = iter(range(max(used, default=-1) + 1, max(used, default=-1) + 1 + len(parts)))
    called: dict[tuple[int, int], int] = {}
    for part in parts:
        unit, new = part
        if len(of_unit[unit]) == 1:
            called[part] = unit
        else:  # a part of a unit that is split, which is a unit by itself if nothing joins it
            alone = new != UNASSIGNED and len(in_unit[new]) == 1 and new not in of_unit
            called[part] = new if alone else next(fresh)

    def name(unit: int) -> int | str:
        return names.get(unit, str(unit)) if names else unit

    splits = []
    for unit, pieces in of_unit.items():
        if len(pieces) > 1:
            train = after[before == unit]
            splits.append(
                {
                    "unit_id": name(unit),
                    "mode": "indices",
                    "indices": [np.flatnonzero(train == new).tolist() for _, new in pieces],
                    "new_unit_ids": [name(called[piece]) for piece in pieces],
                }
            )
    merges = [
        {"unit_ids": [name(called[piece]) for piece in pieces], "new_unit_id": name(new)}
        for new, pieces in in_unit.items()
        if new != UNASSIGNED and len(pieces) > 1
    ]
    removed = [name(called[piece]) for piece in in_unit.get(UNASSIGNED, [])]
    quality = [
        {"unit_id": name(called[piece]), "labels": {"quality": [QUALITY[labels[new]]]}}
        for new, pieces in in_unit.items()
        if labels.get(new) in QUALITY
        for piece in pieces
    ]
    units = [name(unit) for unit in of_unit]
    if splits and (merges or removed or quality):
        first = _step(units, splits=splits)
        return [
            first,
            _step([name(called[part]) for part in parts], merges, removed=removed, quality=quality),
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
