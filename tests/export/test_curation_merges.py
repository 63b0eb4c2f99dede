"""`curation.json` holds the merges, and brings the sorting from before them to the one exported."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import spikeinterface as si
from spikeinterface.curation import apply_curation, load_curation, validate_curation_dict

from ncpgui.core.errors import InputError
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import export


@pytest.fixture
def merged(bundle: ExportBundle) -> ExportBundle:
    """Unit 40 was merged of 7, 9 and 11; 2 and 5 are as they were."""
    parts = np.array([7, 9, 11])[np.arange(len(bundle.sorting)) % 3]
    before = np.where(bundle.sorting.unit_id == 40, parts, bundle.sorting.unit_id)
    assert set(before.tolist()) == {2, 5, 7, 9, 11}
    return replace(bundle, unit_before_merges=before)


@pytest.fixture
def folder(merged: ExportBundle, tmp_path: Path) -> Path:
    return export(merged, "spikeinterface", tmp_path / "sorting")


def test_the_merges_that_were_made_are_in_the_curation(folder: Path) -> None:
    validate_curation_dict(json.loads((folder / "curation.json").read_text()))
    curation = load_curation(folder / "curation.json")
    assert curation.unit_ids == [2, 5, 7, 9, 11]
    assert [(merge.unit_ids, merge.new_unit_id) for merge in curation.merges] == [([7, 9, 11], 40)]
    assert curation.get_final_ids_from_new_unit_ids() == [2, 5, 40]


def test_a_label_of_a_merged_unit_is_that_of_each_of_its_parts(folder: Path) -> None:
    curation = load_curation(folder / "curation.json")
    assert {label.unit_id: label.labels["quality"] for label in curation.manual_labels} == {
        2: ["good"],
        7: ["MUA"],
        9: ["MUA"],
        11: ["MUA"],
    }


def test_applied_to_the_sorting_before_them_it_gives_the_exported_one(
    merged: ExportBundle, folder: Path
) -> None:
    before = si.load(folder / "before_merges")
    assert before.unit_ids.tolist() == [2, 5, 7, 9, 11]
    again = apply_curation(before, load_curation(folder / "curation.json"))
    exported = si.load(folder)
    assert sorted(again.unit_ids.tolist()) == exported.unit_ids.tolist() == [2, 5, 40]
    for unit in (2, 5, 40):
        expected = merged.sorting.spike_train(unit)
        np.testing.assert_array_equal(again.get_unit_spike_train(unit), expected)
        np.testing.assert_array_equal(exported.get_unit_spike_train(unit), expected)
    quality = dict(zip(again.unit_ids.tolist(), again.get_property("quality").tolist(), strict=True))
    assert quality == {2: "good", 5: "", 40: "MUA"}


def test_without_merges_the_curation_is_about_the_exported_units(
    bundle: ExportBundle, tmp_path: Path
) -> None:
    same = replace(bundle, unit_before_merges=bundle.sorting.unit_id.copy())
    folder = export(same, "spikeinterface", tmp_path / "sorting")
    curation = load_curation(folder / "curation.json")
    assert (curation.unit_ids, curation.merges) == ([2, 5, 40], [])
    assert not (folder / "before_merges").exists()


def test_a_merge_of_which_one_part_has_spikes_to_export_is_none(
    make_bundle: Callable[..., ExportBundle],
) -> None:
    bundle = make_bundle(units=(2, 40))
    before = np.where(bundle.sorting.unit_id == 40, 7, 2)
    assert replace(bundle, unit_before_merges=before).merges == {}
    assert set(replace(bundle, unit_before_merges=before).parts.tolist()) == {2, 40}


def test_units_before_merges_that_are_not_parts_of_units_are_refused(bundle: ExportBundle) -> None:
    with pytest.raises(InputError, match=r"unit 7 before merges has spikes of the units 2 and 5"):
        replace(bundle, unit_before_merges=np.full(300, 7))
    with pytest.raises(InputError, match="300 spikes but 2 units before merges"):
        replace(bundle, unit_before_merges=np.array([2, 5]))
