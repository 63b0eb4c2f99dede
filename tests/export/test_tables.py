"""NPZ and CSV hold what their documentation says, without pickles."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.component import Component
from ncpgui.core.errors import ExportError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.spikes import SpikeEvents
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import export


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_npz_holds_spikes_units_and_templates(bundle: ExportBundle, tmp_path: Path) -> None:
    path = export(bundle, "npz", tmp_path / "out")
    assert path.name == "out.npz"
    with np.load(path, allow_pickle=False) as file:
        np.testing.assert_array_equal(file["spike_sample"], bundle.sorting.sample_index)
        np.testing.assert_array_equal(file["spike_unit"], bundle.sorting.unit_id)
        np.testing.assert_array_equal(file["spike_probability"], bundle.sorting.probability)
        assert file["unit_ids"].tolist() == [2, 5, 40]
        assert file["unit_label"].tolist() == ["good", "unsorted", "mua"]
        assert file["unit_n_spikes"].tolist() == [100, 100, 100]
        assert file["unit_p_exists"].tolist() == [1.0, 0.875, 0.75]
        assert file["unit_p_neuron"].tolist() == pytest.approx([0.99, 0.74, 0.49])
        assert file["unit_p_pure"].tolist() == [0.5] * 3
        assert file["unit_p_complete"].tolist() == [0.75] * 3
        assert file["unit_false_positives"].tolist() == [0.25] * 3
        assert file["unit_misses"].tolist() == [0.0, 0.125, 0.25]
        np.testing.assert_array_equal(file["templates"], bundle.templates)
        assert float(file["sampling_frequency_hz"]) == 24_000.0
        assert json.loads(str(file["ncp"]))["model"] == "small"


def test_npz_carries_the_posterior_samples_of_each_component(bundle: ExportBundle, tmp_path: Path) -> None:
    posterior = PosteriorSamples(
        np.array([[0, 0, 1], [0, 1, 1]]), np.array([-1.0, -2.0]), np.array([3, 1]), np.array([1, 0])
    )
    spikes = SpikeEvents(np.array([10, 20, 30, 40]), np.array([1, 0, 1, 1]), -np.ones(4), 24_000.0, 24_000)
    component = Component(1, np.array([1]), np.array([0, 2, 3]), np.array([0, 1, 2]), posterior, ())
    path = export(replace(bundle, components=(component,), spikes=spikes), "npz", tmp_path / "a.npz")
    with np.load(path, allow_pickle=False) as file:
        assert file["component_ids"].tolist() == [1]
        assert file["posterior_1_sample"].tolist() == [10, 30, 40]
        assert file["posterior_1_labels"].tolist() == [[0, 0, 1], [0, 1, 1]]
        assert file["posterior_1_weight"].tolist() == [0.75, 0.25]
        assert file["posterior_1_log_prob"].tolist() == [-1.0, -2.0]
        assert file["posterior_1_order"].tolist() == [1, 0]


def test_npz_leaves_out_what_is_not_known(bundle: ExportBundle, tmp_path: Path) -> None:
    bare = replace(bundle, templates=None, sorting=replace(bundle.sorting, probability=None, entropy=None))
    with np.load(export(bare, "npz", tmp_path / "a.npz"), allow_pickle=False) as file:
        assert not {"templates", "spike_probability", "spike_entropy", "unit_probability"} & set(file.files)


def test_csv_has_a_row_a_spike_and_a_row_a_unit(bundle: ExportBundle, tmp_path: Path) -> None:
    path = export(bundle, "csv", tmp_path / "out.csv")
    spikes, units = rows(path), rows(tmp_path / "out_units.csv")
    assert len(spikes) == 300
    assert spikes[0] == {
        "sample": "50",
        "time_s": "0.002083",
        "unit": "2",
        "probability": "0.5000",
        "entropy": "0.7000",
        "amplitude_sd": "-5.000",
    }
    assert [row["unit"] for row in units] == ["2", "5", "40"]
    assert {
        name: units[1][name] for name in ("label", "n_spikes", "rate_hz", "channel", "y_um", "p_exists")
    } == {
        "label": "unsorted",
        "n_spikes": "100",
        "rate_hz": "100.0000",
        "channel": "1",
        "y_um": "20.000",
        "p_exists": "0.8750",
    }


def test_depth_is_along_the_longer_axis_of_the_probe_in_every_table(
    bundle: ExportBundle, tmp_path: Path
) -> None:
    """Contacts that reach farther in x: the place of a unit is (x, y), its depth x."""
    lying = Probe(bundle.probe.positions_um[:, ::-1] * [5, 1] + [7, 0])
    lying_down = replace(bundle, probe=lying)
    export(lying_down, "csv", tmp_path / "out")
    export(lying_down, "phy", tmp_path / "phy")
    with (tmp_path / "phy" / "cluster_info.tsv").open() as file:
        phy = list(csv.DictReader(file, delimiter="\t"))
    of_csv = {row["unit"]: row for row in rows(tmp_path / "out_units.csv")}
    depth = {row["cluster_id"]: float(row["depth"]) for row in phy}
    for unit, row in of_csv.items():
        place = lying.positions_um[int(row["channel"])]
        assert [float(row["x_um"]), float(row["y_um"])] == place.tolist()
        assert float(row["depth_um"]) == place[0] == depth[unit]


def test_csv_leaves_cells_empty_that_are_not_known(bundle: ExportBundle, tmp_path: Path) -> None:
    bare = replace(bundle, sorting=replace(bundle.sorting, probability=None, entropy=None, p_exists={}))
    path = export(bare, "csv", tmp_path / "out.csv")
    assert rows(path)[0]["probability"] == ""
    assert rows(tmp_path / "out_units.csv")[0]["p_exists"] == ""


@pytest.mark.parametrize("name", ["npz", "csv"])
def test_a_file_takes_the_place_of_an_older_one_and_leaves_nothing_beside(
    bundle: ExportBundle, tmp_path: Path, name: str
) -> None:
    path = export(bundle, name, tmp_path / f"out.{name}")
    before = path.read_bytes()
    export(replace(bundle, amplitude=bundle.amplitude * 2), name, path)
    assert path.read_bytes() != before
    assert [item for item in tmp_path.iterdir() if item.name.startswith(".")] == []


@pytest.mark.parametrize("name", ["npz", "csv", "phy", "spikeinterface"])
def test_an_export_into_a_missing_folder_is_one_clear_line(
    bundle: ExportBundle, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ExportError, match=r"cannot write .*: No such file or directory; choose a folder"):
        export(bundle, name, tmp_path / "no" / "out")
    assert list(tmp_path.iterdir()) == []


def test_csv_has_as_many_decimals_as_mean_anything(bundle: ExportBundle, tmp_path: Path) -> None:
    export(bundle, "csv", tmp_path / "a")
    decimals = {"time_s": 6, "probability": 4, "entropy": 4, "amplitude_sd": 3}
    for row in rows(tmp_path / "a.csv")[:5]:
        assert {name: len(row[name].partition(".")[2]) for name in decimals} == decimals
    of_units = {
        **{"rate_hz": 4, "amplitude_sd": 3, "x_um": 3, "y_um": 3, "p_exists": 4, "probability": 4},
        **{"p_neuron": 4, "false_positives": 4, "misses": 4},
    }
    for row in rows(tmp_path / "a_units.csv"):
        assert {name: len(row[name].partition(".")[2]) for name in of_units} == of_units
