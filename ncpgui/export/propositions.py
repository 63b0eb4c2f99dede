"""Questions as propositions for phy, and what phy says was decided about them.

Phy 2.2 reads ``curation.json`` in a folder: SpikeInterface's curation of format 2, whose merges are
propositions. A proposition has clusters by number, the first of which is its reference. Phy never writes that
file. What somebody decided is in ``curation_review.json``, by a key that is made of the clusters.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ncpgui
from ncpgui.core.errors import ExportError, InputError
from ncpgui.core.files import replaced_file
from ncpgui.core.given import LARGEST_UNIT, PHY
from ncpgui.core.json_text import parse_json
from ncpgui.core.json_values import an_object, member, named, whole_number, whole_numbers
from ncpgui.core.project import Project
from ncpgui.core.regular_files import regular
from ncpgui.ephys.proposals import CURATION, WRITER
from ncpgui.evidence.merge_split_probability import p_one_neuron
from ncpgui.export.curation_json import curation_of, object_in
from ncpgui.export.offered import offered_questions, reviewed_sorting

REVIEW = "curation_review.json"
REVIEW_VERSION = "1"
LEAST = 0.01
"""Probability of one neuron from which on a merge is proposed."""


@dataclass(frozen=True)
class Reviewed:
    """What somebody decided about a proposition in phy.

    units : clusters of the proposition, () where its file does not have it any more
    applied : clusters that were merged, () where it was rejected; result : the cluster they became
    """

    units: tuple[int, ...]
    accepted: bool
    applied: tuple[int, ...] = ()
    result: int | None = None


def key_of(units: tuple[int, ...] | list[int]) -> str:
    """Key of a proposition: clusters in their order."""
    return "merge:" + hashlib.sha256(",".join(map(str, units)).encode()).hexdigest()[:16]


def propositions(project: Project) -> dict[str, Any]:
    """A curation whose merges are the groups of units that may be one neuron, the best gain first.

    The unit with most spikes is the reference. Each has its probability beside, which phy and SpikeInterface
    do not read.

    Raises
    ------
    InputError
        The project reviews no folder of Phy or Kilosort.
    """
    given = reviewed_sorting(project)
    if given.kind != PHY:
        raise InputError(
            f"{given.path} is not a folder of Phy or Kilosort, whose clusters propositions are about; "
            "spikeinterface-gui shows the questions of an analyzer in a view of ncpgui"
        )
    units, counts = np.unique(project.unit_of_spike, return_counts=True)
    size = dict(zip(units.tolist(), counts.tolist(), strict=True))
    merges: dict[str, dict[str, Any]] = {}
    for question in offered_questions(project):
        component = project.component(question.component)
        assert component is not None
        here = project.unit_of_spike[component.spike_ids[component.sampled]]
        for alternative in question.alternatives:
            for group in alternative.merges:
                ordered = sorted(group, key=lambda unit: (-size[unit], unit))
                probability = p_one_neuron(
                    component.posterior, [here == unit for unit in group], stands_for=component.spikes_each
                )
                if probability >= LEAST:
                    entry = {"unit_ids": ordered, "probability": round(probability, 4)}
                    merges.setdefault(key_of(ordered), entry)
    return {
        **curation_of(units.tolist(), list(merges.values())),
        "label_definitions": {},
        WRITER: f"ncpgui {ncpgui.__version__}",
    }


def write_propositions(project: Project, place: Path | None = None) -> tuple[Path, int]:
    """Write propositions, into the folder that is reviewed unless a place is given; where, and how many.

    Raises
    ------
    InputError
        As `propositions`.
    ExportError
        Another program's curation is there, or it cannot be written.
    """
    value = propositions(project)
    file = Path(reviewed_sorting(project).path) / CURATION if place is None else place
    if not file.parent.is_dir():
        raise ExportError(
            f"{file.parent} is not a folder; put it back where it was, or give a place with --out"
        )
    if file.exists() and WRITER not in object_in(file):
        raise ExportError(
            f"{file} is there, and not of ncpgui: another program's propositions would be lost; move it away"
            ", or give another place with --out"
        )
    try:
        with replaced_file(file) as beside:
            beside.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ExportError(f"cannot write {file}: {error.strerror or error}; choose another place") from error
    return file, len(value["merges"])


def read_review(folder: Path) -> tuple[tuple[Reviewed, ...], tuple[str, ...]]:
    """What was decided in phy about the propositions in a folder, and notes on what is not clear.

    Raises
    ------
    InputError
        The file is there, and cannot be used.
    """
    file = folder / REVIEW
    if not file.exists():
        return (), ()
    try:
        value = an_object(parse_json(regular(file).read_bytes()), "the whole")
        if (version := str(member(value, "format_version", "it"))) != REVIEW_VERSION:
            raise ValueError(f"format_version is {version!r}, {REVIEW_VERSION} is known")
        entries = an_object(member(value, "reviews", "it"), "reviews")
    except (OSError, ValueError) as error:
        raise InputError(
            f"{file} is not a review of propositions as phy 2.2 writes it ({error}); save it in phy again, "
            "or move it away"
        ) from error
    proposed = _proposed(folder)
    found, notes = [], []
    said = value.get("source", {})
    known = said.get("sha256") if isinstance(said, dict) else None
    if known is not None and known != _sha256(folder / CURATION):
        notes.append(
            f"{CURATION} was replaced since {REVIEW} was written; propositions are known by their clusters"
        )
    for key, entry in entries.items():
        try:
            found.append(_reviewed(proposed.get(key, ()), an_object(entry, "it")))
        except ValueError as error:
            raise InputError(f"{file}: {key} is not a decision ({error}); save it in phy again") from error
    lost = sum(not one.units and not one.accepted for one in found)
    if lost:
        notes.append(
            f"{lost} rejected propositions are not in {CURATION} any more: nothing follows from them"
        )
    return tuple(found), tuple(notes)


def _reviewed(units: tuple[int, ...], entry: dict[str, Any]) -> Reviewed:
    decision = member(entry, "decision", "it")
    if decision == "rejected":
        return Reviewed(units, accepted=False)
    if decision != "accepted":
        raise ValueError(f"decision must be 'accepted' or 'rejected', and is {named(decision)}")
    applied = tuple(whole_numbers(member(entry, "applied_unit_ids", "it"), "applied_unit_ids"))
    if len(set(applied)) < 2:
        raise ValueError("fewer than two clusters were merged")
    result = whole_number(member(entry, "result_unit_id", "it"), "result_unit_id")
    if not 0 <= result < LARGEST_UNIT:
        raise ValueError(f"result_unit_id must be from 0 to {LARGEST_UNIT - 1}, and is {named(result)}")
    return Reviewed(units, accepted=True, applied=applied, result=result)


def _proposed(folder: Path) -> dict[str, tuple[int, ...]]:
    """Clusters of each proposition by its key."""
    merges = object_in(folder / CURATION).get("merges")
    found = {}
    for one in merges if isinstance(merges, list) else []:
        units = one.get("unit_ids") if isinstance(one, dict) else None
        if isinstance(units, list) and all(isinstance(unit, int) for unit in units):
            found[key_of(units)] = tuple(units)
    return found


def _sha256(file: Path) -> str:
    try:
        return hashlib.sha256(regular(file).read_bytes()).hexdigest()
    except OSError:
        return ""
