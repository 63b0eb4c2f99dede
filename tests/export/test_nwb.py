"""The NWB file is read back by pynwb and by SpikeInterface, and its checker finds no broken rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import ExportError
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import export

pynwb = pytest.importorskip("pynwb", reason="pynwb (extra nwb) is not installed")


@pytest.fixture
def path(bundle: ExportBundle, tmp_path: Path) -> Path:
    return export(bundle, "nwb", tmp_path / "März.nwb")


@pytest.fixture
def read(path: Path) -> Any:
    with pynwb.NWBHDF5IO(str(path), "r") as io:
        yield io.read()


def test_pynwb_finds_every_spike_of_every_unit_in_seconds(bundle: ExportBundle, read: Any) -> None:
    assert read.units.id[:].tolist() == [2, 5, 40]
    for row, unit in enumerate((2, 5, 40)):
        np.testing.assert_allclose(
            read.units["spike_times"][row], bundle.sorting.spike_train(unit) / 24_000, atol=1e-9
        )
        mine = bundle.sorting.unit_id == unit
        for name, values in (
            ("spike_probability", bundle.sorting.probability),
            ("spike_entropy", bundle.sorting.entropy),
            ("spike_amplitude", bundle.amplitude),
        ):
            np.testing.assert_array_equal(read.units[name][row], values[mine])
    assert read.units.resolution == 1 / 24_000
    np.testing.assert_array_equal(read.units["obs_intervals"][0], [[0.0, 1.0]])


def test_pynwb_finds_labels_and_probabilities_of_units(read: Any) -> None:
    assert list(read.units["label"][:]) == ["good", "unsorted", "mua"]
    assert list(read.units["quality_label"][:]) == ["good", "unsorted", "mua"]
    assert read.units["quality_score"].data.dtype == np.float32
    np.testing.assert_allclose(read.units["quality_score"][:], [0.495, 0.37, 0.245], rtol=1e-6)
    assert read.units["p_exists"][:].tolist() == [1.0, 0.875, 0.75]
    assert read.units["p_neuron"][:].tolist() == [0.99, 0.74, 0.49]
    assert read.units["p_pure"][:].tolist() == [0.5] * 3
    assert read.units["p_complete"][:].tolist() == [0.75] * 3
    assert "noise sd" in read.units["spike_amplitude"].target.description
    assert '"p_n_units": {"2": 0.6, "3": 0.4}' in str(read.get_scratch("ncpgui"))


def test_electrodes_are_where_the_probe_has_them(bundle: ExportBundle, read: Any) -> None:
    table = read.electrodes.to_dataframe()
    np.testing.assert_array_equal(table[["rel_x", "rel_y"]], bundle.probe.positions_um)
    assert table.group_name.tolist() == ["shank0", "shank0", "shank1"]
    np.testing.assert_array_equal(table.noise_sd, bundle.noise_sd)


def test_waveform_means_name_the_electrodes_that_they_are_of(bundle: ExportBundle, read: Any) -> None:
    """Units 2, 5 and 40 are largest on the contacts 0, 1 and 2; all three contacts see each."""
    for row in range(3):
        contacts = read.units["electrodes"][row].index.tolist()
        assert (contacts[0], sorted(contacts)) == (row, [0, 1, 2])
        np.testing.assert_array_equal(
            read.units["template_noise_sd"][row], bundle.templates[row][:, contacts]
        )
    assert "waveform_mean" not in read.units.colnames  # which is in volts, and nobody knows the gain


def test_where_the_gain_is_known_waveform_means_are_in_volts(bundle: ExportBundle, tmp_path: Path) -> None:
    gain_uv = np.array([0.5, 0.5, 0.25])
    path = export(replace(bundle, gain_uv=gain_uv), "nwb", tmp_path / "a")
    assert path.name == "a.nwb"
    with pynwb.NWBHDF5IO(str(path), "r") as io:
        units = io.read().units
        trough = units["waveform_mean"][0][:, 0].min()
        assert trough == pytest.approx(-10 * 4.0 * 0.5e-6, rel=1e-6)  # sd x noise level x volts
        assert units.waveform_rate == 24_000


def test_electrodes_on_no_unit_are_not_in_its_waveform_mean(bundle: ExportBundle, tmp_path: Path) -> None:
    templates = bundle.templates.copy()
    templates[0][:, 2] = templates[1][:, 0] = templates[2][:, 0] = 0
    path = export(replace(bundle, templates=templates), "nwb", tmp_path / "a.nwb")
    with pynwb.NWBHDF5IO(str(path), "r") as io:
        units = io.read().units
        assert [units["electrodes"][row].index.tolist() for row in range(3)] == [[0, 1], [1, 2], [2, 1]]


def test_without_templates_a_unit_is_at_its_main_channel(bundle: ExportBundle, tmp_path: Path) -> None:
    path = export(replace(bundle, templates=None, numbers=None), "nwb", tmp_path / "a.nwb")
    with pynwb.NWBHDF5IO(str(path), "r") as io:
        units = io.read().units
        assert [units["electrodes"][row].index.tolist() for row in range(3)] == [[0], [1], [2]]
        assert "p_neuron" not in units.colnames


def test_spikeinterface_reads_every_spike_and_property(bundle: ExportBundle, path: Path) -> None:
    from spikeinterface.extractors import read_nwb_sorting

    sorting = read_nwb_sorting(path)
    assert sorting.unit_ids.tolist() == [2, 5, 40]
    assert sorting.get_sampling_frequency() == pytest.approx(24_000)
    for unit in (2, 5, 40):
        np.testing.assert_array_equal(sorting.get_unit_spike_train(unit), bundle.sorting.spike_train(unit))
    assert sorting.get_property("p_neuron").tolist() == [0.99, 0.74, 0.49]
    assert sorting.get_property("label").tolist() == ["good", "unsorted", "mua"]


def test_the_checker_of_neuroconv_misses_the_animal_only(path: Path) -> None:
    inspector = pytest.importorskip("nwbinspector", reason="nwbinspector is not installed")
    found = [
        message.message
        for message in inspector.inspect_nwbfile(nwbfile_path=path)
        if message.importance.value >= inspector.Importance.BEST_PRACTICE_VIOLATION.value
    ]
    assert found == ["Subject is missing."]  # which no recording tells us


def test_pynwb_says_that_the_file_is_valid(path: Path) -> None:
    assert pynwb.validate(path=str(path)) == []


def test_when_the_recording_began_is_not_made_up(read: Any) -> None:
    assert read.session_start_time.year == 1970
    assert "when that was 0 is not known" in read.session_description


def test_a_recording_that_knows_when_it_began_says_so_in_its_export(
    bundle: ExportBundle, tmp_path: Path
) -> None:
    began = "2024-03-05T10:20:30.250000+02:00"
    known = replace(bundle, recording=replace(bundle.recording, second_0=began))
    with pynwb.NWBHDF5IO(str(export(known, "nwb", tmp_path / "a.nwb")), "r") as io:
        read = io.read()
        assert read.session_start_time.isoformat() == began
        assert read.timestamps_reference_time.isoformat() == began
        assert "which was 0 at session_start_time" in read.session_description


@pytest.mark.parametrize("text", ["", "yesterday", "2024-03-05T10:20:30"])
def test_a_start_that_is_none_or_lacks_its_zone_is_not_known(
    bundle: ExportBundle, tmp_path: Path, text: str
) -> None:
    told = replace(bundle, recording=replace(bundle.recording, second_0=text))
    with pynwb.NWBHDF5IO(str(export(told, "nwb", tmp_path / "a.nwb")), "r") as io:
        assert io.read().session_start_time.year == 1970


def test_the_same_sorting_has_the_same_identifier(bundle: ExportBundle, tmp_path: Path) -> None:
    def identifier(one: ExportBundle, name: str) -> str:
        with pynwb.NWBHDF5IO(str(export(one, "nwb", tmp_path / name)), "r") as io:
            return io.read().identifier

    assert identifier(bundle, "a.nwb") == identifier(bundle, "b.nwb")
    other = replace(bundle, sorting=replace(bundle.sorting, unit_id=bundle.sorting.unit_id[::-1]))
    assert identifier(bundle, "a.nwb") != identifier(other, "c.nwb")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(
    path: Path, bundle: ExportBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises(ExportError, match=r"März.nwb: No space left on device; free the disk"):
        export(bundle, "nwb", path)
    monkeypatch.undo()
    assert path.read_bytes() == old
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc to ask")
def test_no_file_is_left_open(bundle: ExportBundle, tmp_path: Path) -> None:
    def opened() -> int:
        return sum(tmp_path.name in str(one.resolve()) for one in Path("/proc/self/fd").iterdir())

    export(bundle, "nwb", tmp_path / "a")
    assert opened() == 0
