"""The SpikeInterface folder loads with its properties, and its curation JSON is valid."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import spikeinterface as si
from spikeinterface.curation import load_curation, validate_curation_dict
from spikeinterface.curation.curation_format import apply_curation_labels

from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import export
from ncpgui.export.spikeinterface import as_ids


@pytest.fixture
def folder(bundle: ExportBundle, tmp_path: Path) -> Path:
    return export(bundle, "spikeinterface", tmp_path / "sorting é")


def test_every_spike_train_comes_back(bundle: ExportBundle, folder: Path) -> None:
    sorting = si.load(folder)
    assert sorting.unit_ids.tolist() == [2, 5, 40]
    assert sorting.get_sampling_frequency() == 24_000.0
    assert sorting.count_total_num_spikes() == 300
    for unit in (2, 5, 40):
        np.testing.assert_array_equal(sorting.get_unit_spike_train(unit), bundle.sorting.spike_train(unit))


def test_units_carry_label_probability_and_existence(bundle: ExportBundle, folder: Path) -> None:
    sorting = si.load(folder)
    assert sorting.get_property("quality").tolist() == ["good", "unsorted", "MUA"]
    assert sorting.get_property("p_exists").tolist() == [1.0, 0.875, 0.75]
    assert sorting.get_property("p_complete").tolist() == [0.75] * 3
    assert sorting.get_property("misses").tolist() == [0.0, 0.125, 0.25]
    assert sorting.get_property("main_channel").tolist() == [0, 1, 2]
    expected = [bundle.sorting.probability[bundle.sorting.unit_id == unit].mean() for unit in (2, 5, 40)]
    np.testing.assert_allclose(sorting.get_property("probability"), expected, rtol=1e-6)


def test_probabilities_line_up_with_the_rows_of_spikes(bundle: ExportBundle, folder: Path) -> None:
    spikes = si.load(folder).to_spike_vector()
    units = np.array([2, 5, 40])[spikes["unit_index"]]
    for name, values in (("probability", bundle.sorting.probability), ("entropy", bundle.sorting.entropy)):
        found = np.load(folder / f"spike_{name}.npy")
        for unit in (2, 5, 40):
            np.testing.assert_array_equal(found[units == unit], values[bundle.sorting.unit_id == unit])


def test_the_curation_is_of_format_2_and_loads(folder: Path) -> None:
    curation = load_curation(folder / "curation.json")
    assert curation.format_version == "2"
    assert curation.unit_ids == [2, 5, 40]
    assert {label.unit_id: label.labels for label in curation.manual_labels} == {
        2: {"quality": ["good"]},
        40: {"quality": ["MUA"]},
    }
    validate_curation_dict(json.loads((folder / "curation.json").read_text()))


def test_the_curation_applies_to_the_sorting(folder: Path) -> None:
    sorting = si.load(folder)
    apply_curation_labels(sorting, load_curation(folder / "curation.json"))
    assert sorting.get_property("quality").tolist() == ["good", "", "MUA"]


def test_the_ncp_block_holds_what_the_posterior_says(folder: Path) -> None:
    block = json.loads((folder / "curation.json").read_text())["ncp"]
    assert block["p_exists"] == {"2": 1.0, "5": 0.875, "40": 0.75}
    assert block["components"] == [{"channel": 0, "p_n_units": {"2": 0.6, "3": 0.4}}]


def test_the_folder_can_be_moved(folder: Path) -> None:
    moved = folder.rename(folder.with_name("moved"))
    assert si.load(moved).count_total_num_spikes() == 300


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        ({}, [2, 5, 40]),
        ({2: 2**63 - 1, 5: -(2**63)}, [2**63 - 1, -(2**63), 40]),
        ({2: 2**63}, [str(2**63), "5", "40"]),
        ({5: -(2**63) - 1}, ["2", str(-(2**63) - 1), "40"]),
        ({2: 7, 5: "A1"}, ["7", "A1", "40"]),
    ],
)
def test_ids_are_numbers_where_all_have_64_bits_and_else_all_are_text(
    bundle: ExportBundle, names: dict[int, int | str], ids: list[int | str]
) -> None:
    assert as_ids(replace(bundle, names=names), np.array([2, 5, 40])) == ids
