"""Merges and labels that pipelines left beside a sorting are found, each with its source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ncpgui.core.proposals import Proposal
from ncpgui.ephys.proposals import proposals_beside

UNITS = {0: 0, 4: 4, 7: 7}


def merge(source: str, *units: int) -> Proposal:
    return Proposal(source, "merge", units)


def label(source: str, word: str, *units: int) -> Proposal:
    return Proposal(source, "label", units, word)


def write(folder: Path, name: str, value: Any) -> None:
    place = folder / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(value if isinstance(value, str) else json.dumps(value))


def test_a_curation_proposes_merges_in_their_order_and_labels(tmp_path: Path) -> None:
    write(
        tmp_path,
        "curation.json",
        {
            "format_version": "2",
            "unit_ids": [0, 4, 7],
            "merges": [{"unit_ids": [7, 0]}],
            "manual_labels": [{"unit_id": 0, "labels": {"quality": ["MUA"]}}],
            "removed": [4],
        },
    )
    found, notes = proposals_beside(tmp_path, UNITS)
    assert found == (
        merge("curation.json", 7, 0),
        label("curation.json", "mua", 0),
        label("curation.json", "noise", 4),
    )
    assert notes == ()


def test_the_older_format_and_ids_that_are_text(tmp_path: Path) -> None:
    write(
        tmp_path,
        "curation.json",
        {
            "format_version": "1",
            "unit_ids": ["left", "right"],
            "merge_unit_groups": [["left", "right"]],
            "manual_labels": [{"unit_id": "right", "quality": ["good"]}],
        },
    )
    found, _ = proposals_beside(tmp_path, {"left": 0, "right": 1})
    assert found == (merge("curation.json", 0, 1), label("curation.json", "good", 1))


def test_slay_bombcell_and_unitrefine_are_known_by_their_files_and_columns(tmp_path: Path) -> None:
    write(tmp_path, "automerge/new2old.json", {"30": [4, 7], "31": ["0", "4"]})
    write(
        tmp_path,
        "cluster_bc_unitType.tsv",
        "cluster_id\tbc_unitType\n0\tGOOD\n4\tNON-SOMA MUA\n7\tNOISE\n9\tGOOD\n",
    )
    write(tmp_path, "cluster_group.tsv", "cluster_id\tgroup\n0\tnoise\n")  # a person's
    found, notes = proposals_beside(
        tmp_path, UNITS, {"unitrefine_prediction": {0: "sua", 4: "neural", 7: "whatever"}}
    )
    assert set(found) == {
        merge("SLAy", 4, 7),
        merge("SLAy", 0, 4),
        label("Bombcell", "good", 0),
        label("Bombcell", "neuron", 4),
        label("Bombcell", "noise", 7),
        label("UnitRefine", "good", 0),
        label("UnitRefine", "neuron", 4),
    }
    assert notes == ()


@pytest.mark.parametrize(
    ("value", "note"),
    [
        ("no JSON", "curation.json cannot be read"),
        ("[1, 2]", "is not a curation of format 1 or 2"),
        ({"format_version": "0", "mergeGroups": [[0, 4]]}, "is not a curation of format 1 or 2"),
        ({"format_version": "2", "merges": [{"unit_ids": [0, 5]}]}, "no unit 5 has spikes"),
        ({"format_version": "2", "merges": [{"unit_ids": [0]}]}, "a merge needs two units"),
        ({"format_version": "2", "merges": ["a"]}, "a merge needs two units"),
        ({"format_version": "2", "splits": [{"unit_id": 0}]}, "'ncpgui read-back' takes its splits over"),
    ],
)
def test_what_cannot_be_taken_up_is_a_note(tmp_path: Path, value: Any, note: str) -> None:
    write(tmp_path, "curation.json", value)
    found, notes = proposals_beside(tmp_path, UNITS)
    assert found == ()
    assert len(notes) == 1
    assert note in notes[0]


def test_own_propositions_are_no_proposals_of_others(tmp_path: Path) -> None:
    value = {"format_version": "2", "merges": [{"unit_ids": [0, 4]}], "written_by": "ncpgui 0.1.0"}
    write(tmp_path, "curation.json", value)
    assert proposals_beside(tmp_path, UNITS) == ((), ())
