"""One answer among the others of a curation of SpikeInterface: what was said of its units before goes.

A curation is the plain dictionary of format 2 that SpikeInterface's window keeps while somebody works. A unit
is in one merge, split or removal at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Name = int | str
Parts = tuple[NDArray[np.int64], ...]


def with_choice(
    curation: Mapping[str, Any],
    units: Sequence[Name],
    merges: Iterable[Sequence[Name]],
    splits: Mapping[Name, Parts],
) -> dict[str, Any]:
    """The curation in which these units are merged and split so, and in no other way.

    splits : unit -> places, in its own spike train, of the spikes of each part but one, which has the rest
    """
    free = {**curation, **_without(curation, set(units))}
    free["merges"] = [*free["merges"], *({"unit_ids": list(group)} for group in merges)]
    free["splits"] = [
        *free["splits"],
        *(
            {"unit_id": unit, "mode": "indices", "indices": [part.tolist() for part in parts]}
            for unit, parts in splits.items()
        ),
    ]
    return free


def is_chosen(
    curation: Mapping[str, Any],
    units: Sequence[Name],
    merges: Iterable[Sequence[Name]],
    splits: Mapping[Name, Parts],
) -> bool:
    """Whether the curation merges and splits these units so, and in no other way."""
    here = set(units)
    merged = {frozenset(one["unit_ids"]) for one in curation.get("merges") or [] if here & {*one["unit_ids"]}}
    split = {
        one["unit_id"]: {tuple(part) for part in one.get("indices") or []}
        for one in curation.get("splits") or []
        if one["unit_id"] in here
    }
    wanted = {unit: {tuple(part.tolist()) for part in parts} for unit, parts in splits.items()}
    removed = here & {*(curation.get("removed") or [])}
    return merged == {frozenset(group) for group in merges} and split == wanted and not removed


def _without(curation: Mapping[str, Any], units: set[Name]) -> dict[str, Any]:
    """Merges, splits and removals that have none of `units`; merges of others with them lose them."""
    left = [
        {**one, "unit_ids": [unit for unit in one["unit_ids"] if unit not in units]}
        for one in curation.get("merges") or []
    ]
    return {
        "merges": [one for one in left if len(one["unit_ids"]) > 1],
        "splits": [one for one in curation.get("splits") or [] if one["unit_id"] not in units],
        "removed": [unit for unit in curation.get("removed") or [] if unit not in units],
    }
