"""What earlier write-backs said of a folder: a mark in each backup.

Marks tell a folder that we wrote from one that somebody else changed, and which cluster a unit of a session
got there, so that it is the same one each time and no number ever means two clusters.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ncpgui.core.backups import backups_in
from ncpgui.core.json_text import parse_json
from ncpgui.core.regular_files import regular

BACKUP, MARK = "before-ncpgui", "written_back.json"
OUT = -1
"""In `Mark.clusters`: the spikes that are in no unit."""


@dataclass(frozen=True)
class Mark:
    """What a write-back did.

    reviewed : digest of the spikes and clusters as they were reviewed; written : as they were afterwards
    reviewed_highest : largest cluster that there ever was when they were reviewed; highest : afterwards
    clusters : unit that is new -> its cluster
    words : column of tables -> cluster -> what it said afterwards
    """

    reviewed: str
    written: str
    reviewed_highest: int
    highest: int
    clusters: dict[int, int] = field(default_factory=dict)
    words: dict[str, dict[int, str]] = field(default_factory=dict)

    def as_bytes(self) -> bytes:
        """The file that keeps it."""
        return (json.dumps(asdict(self), indent=1) + "\n").encode()


def marks_in(folder: Path) -> dict[Path, Mark]:
    """Backup -> its mark, the oldest first; those without one, or with a damaged one, are left out."""
    found = {}
    for backup in backups_in(folder, BACKUP):
        try:
            value = parse_json(regular(backup / MARK).read_bytes())
            found[backup] = Mark(
                reviewed=str(value["reviewed"]),
                written=str(value["written"]),
                reviewed_highest=int(value["reviewed_highest"]),
                highest=int(value["highest"]),
                clusters={int(unit): int(cluster) for unit, cluster in value["clusters"].items()},
                words={
                    str(column): {int(cluster): str(text) for cluster, text in cells.items()}
                    for column, cells in value["words"].items()
                },
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def clusters_of_new(
    units: Iterable[int], earlier: Sequence[Mark], every: Iterable[Mark], highest: int
) -> dict[int, int]:
    """Cluster of each new unit: the one that it got before, else its own number, if that was never used.

    units : that the folder did not have, `OUT` for the spikes of none; earlier : marks of the same review,
    the last one last; every : all marks; highest : largest cluster that the folder ever had
    """
    known: Mapping[int, int] = earlier[-1].clusters if earlier else {}
    last = max((highest, *known.values(), *(mark.highest for mark in every)))
    result = {}
    for unit in sorted(units, key=lambda unit: (unit == OUT, unit)):
        if unit in known:
            result[unit] = known[unit]
        else:
            last = result[unit] = unit if unit > last else last + 1
    return result
