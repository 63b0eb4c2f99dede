"""Exports have the seconds of the recording's clock; those that count samples have a table of them beside."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_project import tiny_project

from ncpgui.core.clock import Clock
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import export
from ncpgui.export.whole_project import left_out

RATE = 24_000.0
GAP = Clock(RATE, [0, 4999, 5000], [100.0, 100.0 + 4999 / RATE, 130.0 + 5000 / RATE], [0])
"""Begins at 100 s; what comes after 5000 samples comes 30 s late."""


def seconds(sample: np.ndarray) -> np.ndarray:
    """What `GAP` says."""
    return 100.0 + sample / RATE + 30.0 * (sample >= 5000)


def on_clock(bundle: ExportBundle, clock: Clock, **changes: object) -> ExportBundle:
    return replace(bundle, recording=replace(bundle.recording, own_clock=clock, **changes))


@pytest.fixture
def late(bundle: ExportBundle) -> ExportBundle:
    """300 spikes of 24 000 samples, 100 samples apart, on a clock with a gap."""
    return on_clock(bundle, GAP)


def test_the_table_of_spikes_has_seconds_of_the_clock(late: ExportBundle, tmp_path: Path) -> None:
    with export(late, "csv", tmp_path / "a").open() as file:
        rows = list(csv.DictReader(file))
    found = np.array([float(row["time_s"]) for row in rows])
    np.testing.assert_allclose(found, seconds(late.sorting.sample_index), atol=1e-6)
    assert [int(row["sample"]) for row in rows] == late.sorting.sample_index.tolist()


def test_matlab_has_seconds_of_the_clock(late: ExportBundle, tmp_path: Path) -> None:
    from scipy.io import loadmat

    file = loadmat(export(late, "mat", tmp_path / "a"), squeeze_me=True, struct_as_record=False)
    np.testing.assert_allclose(file["spike_times_s"], seconds(late.sorting.sample_index), atol=1e-9)
    np.testing.assert_array_equal(file["spike_samples"], late.sorting.sample_index + 1)
    for unit in file["units"]:
        np.testing.assert_allclose(
            unit.spike_times_s, seconds(late.sorting.spike_train(int(unit.id))), atol=1e-9
        )


def test_numpy_has_seconds_of_the_clock(late: ExportBundle, tmp_path: Path) -> None:
    with np.load(export(late, "npz", tmp_path / "a")) as file:
        np.testing.assert_allclose(file["spike_time_s"], seconds(file["spike_sample"]), atol=1e-9)


def test_nwb_has_seconds_of_the_clock_and_leaves_gaps_out_of_what_was_observed(
    late: ExportBundle, tmp_path: Path
) -> None:
    pynwb = pytest.importorskip("pynwb", reason="pynwb is not installed")
    with pynwb.NWBHDF5IO(str(export(late, "nwb", tmp_path / "a")), "r") as io:
        units = io.read().units
        for row, unit in enumerate(late.unit_ids):
            expected = seconds(late.sorting.spike_train(int(unit)))
            np.testing.assert_allclose(units["spike_times"][row], expected, atol=1e-9)
            np.testing.assert_allclose(
                units["obs_intervals"][row],
                [[100.0, 100.0 + 5000 / RATE], [130.0 + 5000 / RATE, 131.0]],
            )


def test_phy_counts_samples_and_has_the_seconds_beside(late: ExportBundle, tmp_path: Path) -> None:
    from phylib.io.model import load_model

    folder = export(late, "phy", tmp_path / "phy")
    np.testing.assert_allclose(
        np.load(folder / "spike_times_s.npy"), seconds(np.load(folder / "spike_times.npy")), atol=1e-9
    )
    assert "the recording's seconds are in spike_times_s.npy" in (folder / "params.py").read_text()
    model = load_model(folder / "params.py")
    np.testing.assert_allclose(model.spike_attributes["times_s"], seconds(model.spike_samples), atol=1e-9)


def test_spikeinterface_counts_samples_and_has_the_seconds_beside(late: ExportBundle, tmp_path: Path) -> None:
    from spikeinterface.core import load

    folder = export(late, "spikeinterface", tmp_path / "si")
    samples = load(folder).to_spike_vector()["sample_index"]
    np.testing.assert_allclose(np.load(folder / "spike_times_s.npy"), seconds(samples), atol=1e-9)


@pytest.mark.parametrize("format_name", ["phy", "spikeinterface"])
@pytest.mark.parametrize("clock", [None, Clock(RATE, segment_start=[0, 12_000])])
def test_there_is_no_table_where_samples_tell_the_seconds(
    bundle: ExportBundle, tmp_path: Path, format_name: str, clock: Clock | None
) -> None:
    folder = export(on_clock(bundle, clock) if clock else bundle, format_name, tmp_path / "a")
    assert not (folder / "spike_times_s.npy").exists()


def test_a_sorting_for_spikeinterface_has_the_segments_of_the_recording(
    make_bundle: Callable[..., ExportBundle], tmp_path: Path
) -> None:
    from spikeinterface.core import load

    bundle = on_clock(make_bundle(), Clock(RATE, segment_start=[0, 1000, 20_000]))
    sorting = load(export(bundle, "spikeinterface", tmp_path / "si"))
    assert sorting.get_num_segments() == 3  # the last one has no spike
    for unit in bundle.unit_ids:
        train = bundle.sorting.spike_train(int(unit))
        first, second, third = (sorting.get_unit_spike_train(unit, segment_index=k) for k in range(3))
        np.testing.assert_array_equal(first, train[train < 1000])
        np.testing.assert_array_equal(second, train[train >= 1000] - 1000)
        assert len(third) == 0
    info = json.loads((tmp_path / "si" / "numpysorting_info.json").read_text())
    assert info["num_segments"] == 3


def test_a_part_of_a_recording_keeps_clock_and_segments_of_the_whole(
    bundle: ExportBundle, tmp_path: Path
) -> None:
    """The first 4000 samples were not sorted; spikes count from the start of the recording all the same."""
    late = replace(
        bundle,
        sorting=replace(bundle.sorting, sample_index=bundle.sorting.sample_index + 4000, n_samples=20_000),
    )
    late = on_clock(late, Clock(RATE, GAP.sample, GAP.time_s, [0, 3000]), first_sample=4000, n_samples=16_000)
    np.testing.assert_allclose(late.time_s, seconds(late.sorting.sample_index))
    np.testing.assert_allclose(
        late.sorted_s,
        [[100 + 4000 / RATE, 100 + 5000 / RATE], [130 + 5000 / RATE, 130 + 20_000 / RATE]],
    )
    from spikeinterface.core import load

    sorting = load(export(late, "spikeinterface", tmp_path / "si"))
    assert sorting.get_num_segments() == 2
    unit = int(late.unit_ids[0])
    np.testing.assert_array_equal(
        sorting.get_unit_spike_train(unit, segment_index=1), late.sorting.spike_train(unit) - 3000
    )


def test_an_export_that_counts_samples_says_that_it_has_no_clock() -> None:
    project = tiny_project({0: [[0, 0, 1, 1]]})
    late = replace(
        project,
        recording=replace(
            project.recording, own_clock=Clock(20_000.0, [0, 99, 100], [100.0, 100.00495, 130.0])
        ),
    )
    words = "the clock of the recording, from 100 to 130.025 s, 1 gap (30 s)"
    for name in ("phy", "spikeinterface"):
        found = [part for part in left_out(late, name) if part.startswith("the clock")]
        assert found == [f"{words} (samples are counted there; spike_times_s.npy has the seconds)"]
        assert not any(part.startswith("the clock") for part in left_out(project, name))
    for name in ("csv", "npz", "mat", "nwb"):
        assert not any(part.startswith("the clock") for part in left_out(late, name))
