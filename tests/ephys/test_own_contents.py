"""Recordings in HDF5 hold their own values; pipes and devices are not waited for; sizes are bounded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.given_folder import open_given
from ncpgui.ephys.phy_folder import read_phy_folder
from ncpgui.ephys.readers import available_streams, open_recording, open_sorting, reopen
from tests.ephys import hostile
from tests.ephys.recorded_files import blackrock, intan_signals, mcs, open_ephys_binary, spikeglx
from tests.ephys.test_hdf5_formats import maxone

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SECRET = "/etc/hostname"


def external_storage(file: h5py.File, name: str) -> None:
    file.create_dataset(name, (3, 200), "u2", external=[(SECRET, 0, 1200)])


def external_link(file: h5py.File, name: str) -> None:
    file[name] = h5py.ExternalLink("other.h5", "/sig")


def virtual(file: h5py.File, name: str) -> None:
    layout = h5py.VirtualLayout((3, 200), "u2")
    layout[:] = h5py.VirtualSource("other.h5", "sig", (3, 200))
    file.create_virtual_dataset(name, layout)


def never_written(file: h5py.File, name: str) -> None:
    file.create_dataset(name, (3, 2 * 10**10), "u2", chunks=(3, 10**6))


REFUSED: dict[str, Callable[[h5py.File, str], None]] = {
    "the values of /sig are kept in another file": external_storage,
    "/sig is a link to another file": external_link,
    "the values of /sig are those of other files": virtual,
    "/sig announces 120000000000 bytes, of which 0 are stored": never_written,
}


def with_traces(path: Path, make: Callable[[h5py.File, str], None]) -> Path:
    """A recording of MaxOne whose traces are made so, beside another one that is whole."""
    maxone(path.with_name("other.h5"))
    maxone(path)
    with h5py.File(path, "r+") as file:
        del file["sig"]
        make(file, "sig")
    return path


@pytest.mark.parametrize("words", REFUSED)
def test_traces_that_are_not_in_the_file_are_refused(words, tmp_path):
    path = with_traces(tmp_path / "a.raw.h5", REFUSED[words])
    with pytest.raises(RecordingError, match=rf"a.raw.h5 is refused: {words}"):
        open_recording(path)
    assert available_streams(path) == ()


@pytest.mark.parametrize("words", REFUSED)
def test_so_are_those_of_a_file_that_a_description_names(words, tmp_path):
    path = with_traces(tmp_path / "a.nwb", REFUSED[words])
    name = "spikeinterface.extractors.nwbextractors.NwbRecordingExtractor"
    with pytest.raises(RecordingError, match=rf"a.nwb is refused: {words}"):
        open_recording(hostile.json_file(tmp_path, hostile.entry(name, file_path=str(path))))


def test_and_those_of_units_to_be_reviewed(tmp_path):
    path = tmp_path / "a.nwb"
    with h5py.File(path, "w") as file:
        file.attrs["nwb_version"] = "2.7.0"
        file["units/spike_times"] = np.array([0.1])
        file["acquisition"] = h5py.ExternalLink("pipe", "/x")
    os.mkfifo(tmp_path / "pipe")
    recording = open_recording(maxone(tmp_path / "b.raw.h5"))
    with pytest.raises(RecordingError, match=r"a.nwb is refused: /acquisition is a link to another file"):
        open_given(path, recording)


def test_values_that_are_elsewhere_in_the_same_file_open(tmp_path):
    path = maxone(tmp_path / "a.raw.h5")
    with h5py.File(path, "r+") as file:
        file["kept"] = file["sig"]
        del file["sig"]
        layout = h5py.VirtualLayout((3, 200), "u2")
        layout[:] = h5py.VirtualSource(file["kept"])
        file.create_virtual_dataset("sig", layout)
        file["also"] = h5py.SoftLink("/kept")
    assert open_recording(path).traces(4, 5).tolist() == [[40, 41, 42]]


def test_a_file_of_another_program_that_fills_up_later_opens(tmp_path):
    """Chunks that are not written yet are none of a GiB, or are few."""
    path = maxone(tmp_path / "a.raw.h5")
    with h5py.File(path, "r+") as file:
        file.create_dataset("to come", (10**6,), "u2", chunks=(1000,))
    assert open_recording(path).n_samples == 200


# -- pipes and devices --------------------------------------------------------------------------


def test_a_recording_that_is_a_pipe_or_a_device_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "a.raw")
    (tmp_path / "b.nwb").symlink_to("a.raw")
    (tmp_path / "c.bin").symlink_to("/dev/zero")
    options = {"sampling_frequency": 2e4, "n_channels": 2, "probe": "linear-2"}
    for name, kind in (("a.raw", "a named pipe"), ("b.nwb", "a named pipe"), ("c.bin", "a device")):
        for more in ({}, options):
            with pytest.raises(RecordingError, match=rf"is {kind}, not a file, and is not waited for; save"):
                open_recording(tmp_path / name, **more)
        with pytest.raises(RecordingError, match=kind):
            open_sorting(tmp_path / name)


FOLDERS = {
    "SpikeGLX": (spikeglx, "*.meta"),
    "Open Ephys": (open_ephys_binary, "*.dat"),
    "Open Ephys, description": (open_ephys_binary, "structure.oebin"),
    "Intan": (intan_signals, "*.dat"),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_file_of_a_recording_that_is_a_pipe_is_refused_at_once(kind, tmp_path):
    make, pattern = FOLDERS[kind]
    made = make(tmp_path / "r")
    folder = made if isinstance(made, Path) and made.is_dir() else tmp_path / "r"
    found = next(iter(sorted(folder.rglob(pattern))))
    found.unlink()
    os.mkfifo(found)
    with pytest.raises(RecordingError, match=rf"{found.name} is a named pipe, not a file"):
        open_recording(folder)
    assert available_streams(folder) == ()


def test_a_file_beside_a_recording_that_its_reader_opens_too_is_not_waited_for(tmp_path):
    path = blackrock(tmp_path / "a.ns5")
    os.mkfifo(tmp_path / "a.nev")
    with pytest.raises(RecordingError, match=r"a.nev is a named pipe"):
        open_recording(path)


def test_a_pipe_that_a_description_names_or_that_lies_in_a_saved_folder_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    name = "spikeinterface.core.binaryrecordingextractor.BinaryRecordingExtractor"
    made = hostile.entry(
        name, file_paths=[str(tmp_path / "pipe")], sampling_frequency=1e4, dtype="int16", num_channels=2
    )
    with pytest.raises(RecordingError, match=r"pipe is a named pipe, not a file"):
        open_recording(hostile.json_file(tmp_path, made))
    folder = hostile.si_folder(tmp_path, hostile.noise())
    os.mkfifo(folder / "probe.json")
    with pytest.raises(RecordingError, match=r"probe.json is a named pipe, not a file"):
        open_recording(folder)


@pytest.mark.parametrize("name", ["params.py", "cluster_group.tsv", "spike_clusters.npy", "templates.npy"])
def test_a_file_of_a_phy_folder_that_is_a_pipe_is_refused_at_once(name, tmp_path):
    for file in ("spike_times", "spike_clusters"):
        np.save(tmp_path / f"{file}.npy", np.arange(3))
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(RecordingError, match=rf"{name} is a named pipe, not a file"):
        read_phy_folder(tmp_path)


def test_the_recording_of_a_session_that_became_a_pipe_is_refused_at_once(tmp_path):
    path = tmp_path / "a.raw"
    path.write_bytes(bytes(4000))
    reference = open_recording(path, sampling_frequency=2e4, n_channels=2, probe="linear-2").reference
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(RecordingError, match="a named pipe"):
        reopen(reference)


def test_streams_of_a_whole_file_are_still_found(tmp_path):
    assert len(available_streams(mcs(tmp_path / "a.h5"))) >= 1


@pytest.mark.parametrize("rate", [0, -1.0, float("inf"), float("nan"), "fast", 1e300])
def test_a_rate_that_is_none_is_refused_in_a_line(rate, tmp_path):
    made = hostile.noise()
    made["kwargs"]["sampling_frequency"] = rate
    with pytest.raises((RecordingError, ValueError)) as caught:
        open_recording(hostile.json_file(tmp_path, made), probe="linear-2")
    assert "\n" not in str(caught.value)


def test_an_analyzer_that_does_not_say_how_long_its_recording_is_is_refused_in_a_line(tmp_path):
    path = hostile.analyzer_folder(tmp_path, hostile.noise())
    (path / "recording_info" / "recording_attributes.json").write_text("{}")
    (path / "recording.json").unlink()
    with pytest.raises(RecordingError, match=r"is not a sorting that can be opened \(.*num_samples"):
        open_sorting(path)
