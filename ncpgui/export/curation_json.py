"""Decisions about a sorting as SpikeInterface's curation (format 2): splits, then merges, labels.

One curation splits a unit, or merges, removes or labels it, not its parts. Decisions that do more with the
parts of a unit are two steps (`SequentialCuration`): the first splits units into the parts that stay
together, the second joins, removes and labels these.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.given import called
from ncpgui.core.json_text import parse_json
from ncpgui.core.regular_files import regular
from ncpgui.core.spikes import UNASSIGNED

QUALITY = {"good": "good", "noise": "noise", "mua": "MUA"}
"""Our labels in the words of SpikeInterface; units without one are not labelled there."""
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
    there = [name(unit) for unit in silent]
    units = [name(unit) for unit in of_unit] + there
    split = [pieces for pieces in of_unit.values() if len(pieces) > 1]
    if not any(_need_a_second_curation(pieces, in_unit, labels) for pieces in split):
        told = [(unit, labels.get(pieces[0][1])) for unit, pieces in of_unit.items()]
        return [
            curation_of(
                units,
                merges,
                splits,
                removed,
                [quality_of(name(unit), label) for unit, label in told if label in QUALITY],
            )
        ]
    first = curation_of(units, splits=splits)
    quality = [
        quality_of(name(number[part]), labels[part[1]]) for part in parts if labels.get(part[1]) in QUALITY
    ]
    return [
        first,
        curation_of([name(number[part]) for part in parts] + there, merges, removed=removed, quality=quality),
    ]


def _need_a_second_curation(
    pieces: list[tuple[int, int]], in_unit: Mapping[int, list[tuple[int, int]]], labels: Mapping[int, str]
) -> bool:
    """Whether what becomes of the parts of a unit is more than a split: one is joined to others, or removed,
    or they have different labels (the label of a unit that is split is that of each part).
    """
    joined = any(new == UNASSIGNED or len(in_unit[new]) > 1 for _, new in pieces)
    return joined or len({QUALITY.get(labels.get(new, "")) for _, new in pieces}) > 1


def quality_of(unit: int | str, label: str | None) -> dict[str, Any]:
    """The entry of a unit with one of our labels, a key of `QUALITY`."""
    return {"unit_id": unit, "labels": {"quality": [QUALITY[label or ""]]}}


def with_others_labels(
    step: dict[str, Any], other: Mapping[str, Any], decided: Collection[int | str]
) -> dict[str, Any]:
    """A curation with the labels that another one has of units of which nothing was decided.

    other : whatever somebody else wrote; where the two do not go together, `step` alone
    """
    try:
        from spikeinterface.curation.curation_model import Curation
    except ImportError:  # up to 0.103
        from spikeinterface.curation.curation_model import CurationModel as Curation

    if not other:
        return step
    try:
        theirs = Curation(**other)
        labels = {label["unit_id"]: label["labels"] for label in step["manual_labels"]}
        for label in theirs.manual_labels or []:
            if label.unit_id in step["unit_ids"] and label.unit_id not in decided:
                labels[label.unit_id] = {**labels.get(label.unit_id, {}), **label.labels}
        definitions = dict(step["label_definitions"])
        for name, one in (theirs.label_definitions or {}).items():
            own = definitions.get(name, {"label_options": [], "exclusive": one.exclusive})
            options = dict.fromkeys([*own["label_options"], *one.label_options])
            definitions[name] = {**own, "label_options": list(options)}
        manual = [{"unit_id": unit, "labels": cells} for unit, cells in labels.items()]
        value = {**step, "label_definitions": definitions, "manual_labels": manual}
        Curation(**value)
    except (ValueError, TypeError, KeyError, AttributeError):
        return step
    return value


def _parts(before: NDArray[np.int64], after: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Pairs (unit before, unit after) that share spikes, in order."""
    pairs = np.unique(np.stack([before, after]), axis=1).T
    return [(int(unit), int(new)) for unit, new in pairs]


def curation_of(
    units: list[Any],
    merges: list[dict[str, Any]] | None = None,
    splits: list[dict[str, Any]] | None = None,
    removed: list[Any] | None = None,
    quality: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """A curation of format 2."""
    return {
        "format_version": "2",
        "unit_ids": units,
        "label_definitions": _DEFINITIONS,
        "manual_labels": quality or [],
        "merges": merges or [],
        "splits": splits or [],
        "removed": removed or [],
    }


def object_in(file: Path) -> dict[str, Any]:
    """What a file of JSON holds, {} where it is not there, or no object."""
    try:
        value = parse_json(regular(file).read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
