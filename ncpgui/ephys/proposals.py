"""Merges and labels that pipelines left beside a sorting, each with its source.

Merges are those of ``curation.json`` (SpikeInterface's format 1 and 2, which pipelines and phy share) and of
SLAy's ``automerge/new2old.json``. Labels are those of the same curation, of tables of clusters, and of
properties of a sorting of SpikeInterface, by the names of their columns: Bombcell's and UnitRefine's among
them. What cannot be read is no reason not to review: a note says so. A curation that is our own is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ncpgui.core.errors import RecordingError
from ncpgui.core.json_text import parse_json
from ncpgui.core.proposals import NEURON, Proposal
from ncpgui.core.regular_files import regular
from ncpgui.ephys.cluster_tables import read_cluster_table

CURATION, SLAY = "curation.json", "automerge/new2old.json"
WRITER = "written_by"
"""Key of a curation that says who wrote it; SpikeInterface neither reads nor keeps it."""
LABELLERS = {
    "bc_unittype": "Bombcell",
    "bombcell_label": "Bombcell",
    "bombcell": "Bombcell",
    "unitrefine_label": "UnitRefine",
    "unitrefine_prediction": "UnitRefine",
    "unitrefine": "UnitRefine",
    "decoder_label": "UnitRefine",
}
"""Columns, or properties, with the labels of a program, in small letters."""
WORDS = {
    "good": "good",
    "sua": "good",
    "mua": "mua",
    "noise": "noise",
    "artifact": "noise",
    "neural": NEURON,
    "neuron": NEURON,
}
"""What labels mean, in small letters; those that begin as in `NOT_SOMATIC` are of neurons."""
NOT_SOMATIC = ("non-soma", "non_soma", "nonsoma")

Name = int | str


def proposals_beside(
    folder: Path,
    units: Mapping[Name, int],
    properties: Mapping[str, Mapping[int, str]] | None = None,
) -> tuple[tuple[Proposal, ...], tuple[str, ...]]:
    """Proposals about a sorting, and notes on what could not be read.

    units : id there -> number, of all that have spikes; an id may be spelt in digits
    properties : name -> unit -> value, of a sorting of SpikeInterface
    """
    notes: list[str] = []
    known = {str(name): number for name, number in units.items()}
    found = [*_of_curation(folder, known, notes), *_of_slay(folder, known, notes)]
    for column, labels in (*_columns(folder, units.values()), *(properties or {}).items()):
        if column.lower() in LABELLERS:
            of_units = {unit: text for unit, text in labels.items() if unit in known.values()}
            found += _labelled(LABELLERS[column.lower()], of_units)
    return tuple(dict.fromkeys(found)), tuple(notes)


def _of_curation(folder: Path, known: Mapping[str, int], notes: list[str]) -> list[Proposal]:
    value = _json(folder / CURATION, notes)
    if value is None or (isinstance(value, dict) and WRITER in value):
        return []
    if not isinstance(value, dict) or str(value.get("format_version")) not in ("1", "2"):
        notes.append(f"{CURATION} is not a curation of format 1 or 2: its proposals are not read")
        return []
    groups = value.get("merges") or value.get("merge_unit_groups") or []
    found = []
    for group in groups if isinstance(groups, list) else []:
        members = group.get("unit_ids") if isinstance(group, dict) else group
        found += _merge(CURATION, members, known, notes)
    labels: dict[int, str] = {}
    for one in value.get("manual_labels") or []:
        unit = known.get(str(one.get("unit_id"))) if isinstance(one, dict) else None
        told = one.get("labels", one) if isinstance(one, dict) else {}
        words = told.get("quality") if isinstance(told, dict) else None
        if unit is not None and isinstance(words, list) and words:
            labels[unit] = str(words[0])
    removed = value.get("removed") or value.get("removed_units") or []
    labels |= {known[str(name)]: "noise" for name in removed if str(name) in known}
    if value.get("splits"):
        notes.append(f"{CURATION} splits units; 'ncpgui read-back' takes its splits over")
    return found + _labelled(CURATION, labels)


def _of_slay(folder: Path, known: Mapping[str, int], notes: list[str]) -> list[Proposal]:
    value = _json(folder / SLAY, notes)
    groups = value.values() if isinstance(value, dict) else ()
    return [one for group in groups for one in _merge("SLAy", group, known, notes)]


def _merge(source: str, members: Any, known: Mapping[str, int], notes: list[str]) -> list[Proposal]:
    names = [str(name) for name in members] if isinstance(members, list) else []
    units = tuple(dict.fromkeys(known[name] for name in names if name in known))
    if len(units) == len(names) >= 2:
        return [Proposal(source, "merge", units)]
    lacking = ", ".join(name for name in names if name not in known)
    why = f"no unit {lacking} has spikes" if lacking else "a merge needs two units"
    notes.append(f"a merge of {source} ({', '.join(names) or members!r}) is not taken up: {why}")
    return []


def _labelled(source: str, labels: Mapping[int, str]) -> list[Proposal]:
    """One proposal a label, of all units that have it."""
    units: dict[str, list[int]] = {}
    for unit, text in sorted(labels.items()):
        word = str(text).strip().lower()
        label = NEURON if word.startswith(NOT_SOMATIC) else WORDS.get(word)
        if label is not None:
            units.setdefault(label, []).append(unit)
    return [Proposal(source, "label", tuple(members), label) for label, members in sorted(units.items())]


def _columns(folder: Path, units: Iterable[int]) -> list[tuple[str, dict[int, str]]]:
    """Columns of the tables of clusters in a folder, with the labels of units that have spikes."""
    present = set(units)
    found = []
    for file in sorted(folder.glob("cluster_*.?sv")):
        try:
            table = read_cluster_table(file, present)
        except RecordingError:  # refused where its labels are wanted, if they are
            continue
        if table is None or table.id_column is None:
            continue
        for place, name in enumerate(table.names):
            if name and place != table.id_column:
                found.append((name, {u: text for u, text in table.cells(place).items() if u in present}))
    return found


def _json(file: Path, notes: list[str]) -> Any:
    """What a file of JSON says; None where it is not there, or cannot be read, which a note says."""
    if not file.exists():
        return None
    try:
        return parse_json(regular(file).read_bytes())
    except (OSError, ValueError) as error:
        notes.append(f"{file.name} cannot be read: {error}")
        return None
