"""Recordings of acquisition programs open as they were written; which stream is meant is said or asked."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from ephys import recorded_files as recorded

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys import formats
from ncpgui.ephys.fingerprint import fingerprint
from ncpgui.ephys.formats import FORMATS, available_streams, is_undescribed, opened, reader_class
from ncpgui.ephys.readers import open_recording, reopen
from ncpgui.ephys.streams import Stream

pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning",  # readers leave files open for the garbage collector
    "ignore::ResourceWarning",
)


@pytest.fixture(scope="module", autouse=True)
def files_are_closed_before_other_tests() -> Iterator[None]:
    """Collect the open files of readers here, where nobody is warned of them."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


def split_intan(folder: Path) -> Path:
    recorded.intan(folder / "cell_200101_120000.rhd")
    recorded.intan(folder / "cell_200101_120100.rhd", start=256)
    return folder


def in_folder(write: Callable[[Path], Path]) -> Callable[[Path], Path]:
    return lambda folder: write(folder).parent


@pytest.mark.parametrize(
    ("write", "n_channels", "rate", "zero"),
    [
        (recorded.spikeglx, 4, 30_000, 0),
        (lambda p: recorded.spikeglx(p) / "run_g0_t0.imec0.ap.bin", 4, 30_000, 0),
        (lambda p: recorded.spikeglx(p) / "run_g0_t0.imec0.ap.meta", 4, 30_000, 0),
        (recorded.open_ephys_binary, 4, 30_000, 0),
        (recorded.open_ephys_legacy, 4, 30_000, 0),
        (recorded.neuroscope, 4, 20_000, 0),
        (in_folder(recorded.neuroscope), 4, 20_000, 0),
        (lambda p: recorded.intan(p.with_suffix(".rhd")), 2, 20_000, 32_768),
        (recorded.intan_signals, 2, 20_000, 0),
        (split_intan, 2, 20_000, 32_768),
        (lambda p: recorded.blackrock(p.with_suffix(".ns6")), 3, 30_000, 0),
    ],
    ids=[
        "SpikeGLX run", "SpikeGLX bin", "SpikeGLX meta", "Open Ephys", "Open Ephys, legacy", "Neuroscope dat",
        "Neuroscope folder", "Intan file", "Intan folder", "Intan, split files", "Blackrock",
    ],
)  # fmt: skip
def test_a_recording_has_the_numbers_that_were_written(
    tmp_path: Path, write: Callable[[Path], Path], n_channels: int, rate: float, zero: int
) -> None:
    recording = open_recording(write(tmp_path / "recorded"), probe=f"linear-{n_channels}")
    assert (recording.n_channels, recording.sampling_frequency_hz) == (n_channels, rate)
    np.testing.assert_array_equal(recording.traces(4, 6) - zero, recorded.ramp(n_channels)[4:6])
    assert reopen(recording.reference).reference == recording.reference


def test_split_files_of_intan_are_one_recording(tmp_path: Path) -> None:
    recording = open_recording(split_intan(tmp_path / "split"), probe="linear-2")
    assert recording.n_samples == 512
    np.testing.assert_array_equal(recording.traces(510, 512) - 32_768, recorded.ramp(2, 512)[510:])


def test_spikeglx_brings_its_probe(tmp_path: Path) -> None:
    recording = open_recording(recorded.spikeglx(tmp_path / "run"))
    assert recording.probe.positions_um[:, 1].tolist() == [0, 0, 20, 20]  # two columns, rows 20 µm apart


def test_of_a_run_in_parts_a_file_is_its_own_part(tmp_path: Path) -> None:
    run = recorded.spikeglx(tmp_path / "run", streams=("ap",))
    recorded.spikeglx(run, trigger=1, streams=("ap",), start=200)
    second = open_recording(run / "run_g0_t1.imec0.ap.bin")
    assert second.n_samples == 200
    assert second.traces(0, 1).tolist() == [[2000, 2001, 2002, 2003]]


def test_parts_are_joined_and_that_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run = recorded.spikeglx(tmp_path / "run", streams=("ap",))
    recorded.spikeglx(run, trigger=1, streams=("ap",), start=200)
    with caplog.at_level(logging.WARNING, logger="ncpgui"):
        whole = open_recording(run)
    assert (whole.n_samples, whole.reference.clock.n_segments) == (400, 2)
    assert whole.traces(199, 201)[:, 0].tolist() == [1990, 2000]
    assert "has 2 segments; they are sorted as one recording, joined end to end" in caplog.text
    assert open_recording(run / "run_g0_t0.imec0.ap.bin").reference.clock.n_segments == 1


def two_probes(folder: Path) -> Path:
    recorded.spikeglx(folder)
    return recorded.spikeglx(folder, probe=1)


def test_streams_are_listed_with_channels_and_rates(tmp_path: Path) -> None:
    streams = available_streams(two_probes(tmp_path / "run"))
    assert sorted(map(str, (s for s in streams if s.may_hold_spikes))) == [
        "'imec0.ap' (4 channels at 30 kHz)",
        "'imec1.ap' (4 channels at 30 kHz)",
    ]
    assert {s.name for s in streams} == {
        f"imec{p}.{kind}{more}" for p in (0, 1) for kind in ("ap", "lf") for more in ("", "-SYNC")
    }


def test_where_several_streams_may_be_meant_one_has_to_be_chosen(tmp_path: Path) -> None:
    run = two_probes(tmp_path / "run")
    with pytest.raises(
        InputError,
        match=r"several streams; choose one \(--stream\): 'imec\d.ap' \(4 channels at 30 kHz\), 'imec",
    ):
        open_recording(run)
    chosen = open_recording(run, stream="imec1.ap")
    assert chosen.reference.options == {"stream": "imec1.ap"}
    assert reopen(chosen.reference).reference == chosen.reference
    assert open_recording(run, stream="IMEC0.AP").reference.options == {"stream": "imec0.ap"}


def test_a_part_of_the_name_of_a_stream_is_enough(tmp_path: Path) -> None:
    folder = recorded.open_ephys_binary(tmp_path / "oe", (("ProbeA-AP", 30_000.0), ("ProbeB-AP", 30_000.0)))
    chosen = open_recording(folder, stream="ProbeB", probe="linear-4")
    assert "ProbeB-AP" in chosen.reference.options["stream"]


def test_streams_too_slow_for_spikes_are_not_asked_about(tmp_path: Path) -> None:
    folder = recorded.open_ephys_binary(tmp_path / "oe", (("AP", 30_000.0), ("LFP", 2_500.0)))
    assert open_recording(folder, probe="linear-4").sampling_frequency_hz == 30_000


def test_a_stream_that_vanished_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    run = two_probes(tmp_path / "run")
    with pytest.raises(RecordingError, match=r"has no stream 'imec2'; it has 'imec"):
        open_recording(run, stream="imec2")
    for path in run.glob("*imec1*"):
        path.unlink()
    with pytest.raises(RecordingError, match=r"has no stream 'imec1.ap'; it has 'imec0.ap' \(4 channels"):
        open_recording(run, stream="imec1.ap")


def test_a_recording_of_one_stream_refuses_a_choice(tmp_path: Path) -> None:
    (tmp_path / "a.raw").write_bytes(bytes(80))
    with pytest.raises(InputError, match="has one stream only; leave --stream out"):
        open_recording(
            tmp_path / "a.raw", sampling_frequency=2e4, n_channels=4, probe="tetrode", stream="imec0.ap"
        )


def test_mcs_streams_are_chosen_by_their_names(tmp_path: Path) -> None:
    path = recorded.mcs(tmp_path / "a.h5")
    assert [(s.name, s.n_channels) for s in available_streams(path)] == [("Stream_0", 3), ("Stream_1", 1)]
    recording = open_recording(path, stream="Stream_0", probe="linear-3")
    np.testing.assert_array_equal(recording.traces(4, 6), recorded.ramp(3)[4:6])
    with pytest.raises(InputError, match="several streams"):
        open_recording(path, probe="linear-3")


def test_a_stream_that_vanished_since_it_was_sorted_is_said(tmp_path: Path) -> None:
    run = recorded.spikeglx(tmp_path / "run")
    reference = open_recording(run, stream="imec0.ap").reference
    for file in run.glob("*imec0.ap.*"):
        file.unlink()
    with pytest.raises(RecordingError, match=r"run changed since it was sorted.*put the original back"):
        reopen(reference)
    same = replace(reference, fingerprint=fingerprint(run))
    with pytest.raises(RecordingError, match=r"run has no stream 'imec0.ap'; it has"):
        reopen(same)


def nwb(path: Path) -> Path:
    """Two series of 4 electrodes at 30 kHz, and local field potentials at 1250 Hz."""
    pynwb = pytest.importorskip("pynwb", reason="pynwb (extra nwb) is not installed")
    from datetime import datetime, timezone

    start = datetime(2020, 1, 1, tzinfo=timezone.utc)
    file = pynwb.NWBFile(session_description="about", identifier="one", session_start_time=start)
    device = file.create_device(name="probe")
    group = file.create_electrode_group(name="shank0", description="about", location="unknown", device=device)
    for c in range(4):
        file.add_electrode(rel_x=0.0, rel_y=20.0 * c, location="unknown", group=group)
    for name, rate in (("raw", 30_000.0), ("filtered", 30_000.0), ("lfp", 1_250.0)):
        electrodes = file.create_electrode_table_region(region=[0, 1, 2, 3], description="all")
        file.add_acquisition(
            pynwb.ecephys.ElectricalSeries(
                name=name, data=recorded.ramp(4).astype("i2"), electrodes=electrodes, rate=rate
            )
        )
    with pynwb.NWBHDF5IO(str(path), "w") as io:
        io.write(file)
    return path


def test_series_of_an_nwb_file_are_streams(tmp_path: Path) -> None:
    path = nwb(tmp_path / "a.nwb")
    with pytest.raises(InputError, match=r"'acquisition/raw' \(4 channels at 30 kHz\)"):
        open_recording(path)
    recording = open_recording(path, stream="acquisition/raw")
    np.testing.assert_array_equal(recording.traces(4, 6), recorded.ramp(4)[4:6])
    assert recording.probe.positions_um.tolist() == [[0, 0], [0, 20], [0, 40], [0, 60]]


def test_a_file_that_a_program_described_is_no_raw_file(tmp_path: Path) -> None:
    run = recorded.spikeglx(tmp_path / "run")
    name = "run_g0_t0.imec0.ap.bin"
    assert not is_undescribed(run / name)
    shutil.copy(run / name, tmp_path)
    assert is_undescribed(tmp_path / name)
    assert not is_undescribed(tmp_path)
    raw = open_recording(run / name, sampling_frequency=3e4, n_channels=5, probe="linear-5")
    assert raw.n_channels == 5  # who describes it, knows


def test_every_format_has_a_reader_in_this_version_of_spikeinterface() -> None:
    for known in FORMATS:
        assert reader_class(known.reader).__name__ == known.reader


def test_a_mountainsort_file_has_the_numbers_that_were_written(tmp_path: Path) -> None:
    numbers = recorded.ramp(3).astype("<i2")
    header = np.array([-4, 2, 2, *numbers.T.shape], "<i4")  # int16, 2 bytes each, two dimensions
    folder = tmp_path / "sorted"
    folder.mkdir()
    (folder / "raw.mda").write_bytes(header.tobytes() + numbers.tobytes())
    (folder / "params.json").write_text('{"samplerate": 20000, "spike_sign": -1}')
    (folder / "geom.csv").write_text("0,0\n0,20\n0,40\n")
    for path in (folder, folder / "raw.mda"):
        recording = open_recording(path)
        np.testing.assert_array_equal(recording.traces(4, 6), recorded.ramp(3)[4:6])
        assert recording.probe.positions_um.tolist() == [[0, 0], [0, 20], [0, 40]]


AP, LFP, SLOW = Stream("probe.ap", 4, 30_000.0), Stream("other.ap", 4, 30_000.0), Stream("sync", 1, 100.0)


@pytest.mark.parametrize(
    ("streams", "asked", "options", "name", "n_notes"),
    [
        ([], None, {}, None, 0),
        ([AP], None, {}, None, 0),
        ([AP], "probe", {}, None, 0),
        ([AP, SLOW], None, {"stream": "probe.ap"}, "probe.ap", 1),
        ([AP, LFP], "other", {"stream": "other.ap"}, "other.ap", 1),
    ],
)
def test_a_stream_is_named_to_the_reader_and_to_people_where_there_are_several(
    streams: list[Stream],
    asked: str | None,
    options: dict[str, str],
    name: str | None,
    n_notes: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Reader:
        def __init__(self, place: Path, **options: str) -> None:
            self.options = options

    monkeypatch.setattr(formats, "_recognized", lambda path: (Reader, path, ""))
    monkeypatch.setattr(formats, "streams_of", lambda *_: streams)
    monkeypatch.setattr(formats, "reader_options", lambda _, chosen: {"stream": chosen.name})
    found = opened(tmp_path, asked)
    assert (found.loaded.options, found.stream, len(found.notes)) == (options, name, n_notes)


def test_what_lies_beside_a_file_is_looked_at_before_a_reader_opens_it(tmp_path: Path) -> None:
    (tmp_path / "cell.rhd").write_bytes(b"header")
    (tmp_path / "cells.dat").write_bytes(b"")
    with (tmp_path / "cell.dat").open("wb") as file:
        file.truncate(2**34)
    with pytest.raises(
        RecordingError, match=r"cell\.dat has 17179869184 bytes, of which hardly any were ever"
    ):
        opened(tmp_path / "cell.rhd", None)
    (tmp_path / "cell.dat").unlink()
    os.mkfifo(tmp_path / "cell.pipe")
    with pytest.raises(
        RecordingError, match=r"cell\.pipe is a named pipe, not a file, and is not waited for"
    ):
        opened(tmp_path / "cell.rhd", None)
