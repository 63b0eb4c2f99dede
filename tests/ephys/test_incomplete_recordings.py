"""What a folder lacks is said in words: never the name of an exception, never a sorting that is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ephys import recorded_files as recorded

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.ephys.formats import FORMATS
from ncpgui.ephys.given_folder import open_reviewed
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.reasons import reason
from ncpgui.ephys.recording import Recording

pytestmark = pytest.mark.filterwarnings("ignore")


def without(write: Callable[[Path], Path], pattern: str) -> Callable[[Path], Path]:
    def written(folder: Path) -> Path:
        place = write(folder)
        for path in list(place.rglob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return place

    return written


def with_text(write: Callable[[Path], Path], pattern: str, text: str) -> Callable[[Path], Path]:
    def written(folder: Path) -> Path:
        place = write(folder)
        for path in place.rglob(pattern):
            path.write_text(text)
        return place

    return written


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (
            without(recorded.open_ephys_binary, "continuous.dat"),
            r"Open Ephys \(No such file or directory: .*.dat\)",
        ),
        (
            without(recorded.open_ephys_binary, "*.npy"),
            r"Open Ephys \(No such file or directory: .*timestamps.npy\)",
        ),
        (without(recorded.open_ephys_binary, "continuous"), "recording of Open Ephys"),
        (
            with_text(recorded.open_ephys_binary, "continuous.dat", ""),
            "holds no traces: it has 4 channels and 0 sam",
        ),
        (
            with_text(recorded.open_ephys_binary, "structure.oebin", "{}"),
            r"Open Ephys \(it lacks 'continuous'\)",
        ),
        (without(recorded.spikeglx, "*.bin"), r"SpikeGLX \(No appropriate combination of .meta and .bin"),
        (with_text(recorded.spikeglx, "*.meta", "typeThis=imec"), r"SpikeGLX \(it "),
    ],
)
def test_metadata_without_data_are_named(tmp_path: Path, write: Callable[[Path], Path], words: str) -> None:
    with pytest.raises(RecordingError, match=words) as caught:
        open_recording(write(tmp_path / "run"), probe="linear-4")
    for word in ("KeyError", "IndexError", "UnboundLocalError", "AttributeError", "TypeError", "Errno"):
        assert word not in str(caught.value)


@pytest.mark.parametrize("ending", sorted({ending for known in FORMATS for ending in known.endings}))
def test_no_name_of_an_exception_is_a_message(tmp_path: Path, ending: str) -> None:
    for name, content in (
        ("bytes", bytes(range(256)) * 40),
        ("zeros", bytes(20_000)),
        ("text", b"hello\n" * 99),
    ):
        path = tmp_path / f"{name}{ending}"
        path.write_bytes(content)
        with pytest.raises((RecordingError, InputError)) as caught:
            open_recording(path)
        assert "Error" not in str(caught.value).replace("Errno", "")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("imroTbl"), "it lacks 'imroTbl'"),
        (KeyError(), "it lacks something that belongs there"),
        (IndexError("list index out of range"), "it is not complete, or not as its reader expects it"),
        (UnboundLocalError("local variable 'x'"), "it is not complete, or not as its reader expects it"),
        (
            AssertionError("needs pyedflib"),
            "it is not complete, or not as its reader expects it (needs pyedflib)",
        ),
        (ValueError("a\nb"), "a"),
        (ValueError(), "it is not complete, or not as its reader expects it"),
        (FileNotFoundError(2, "No such file or directory", "a.dat"), "No such file or directory: a.dat"),
    ],
)
def test_reasons_are_words(error: BaseException, words: str) -> None:
    assert reason(error) == words


def test_names_in_capitals_are_known(tmp_path: Path) -> None:
    (tmp_path / "CSC1.NCS").write_bytes(
        b"######## Neuralynx Data File Header\r\n".ljust(16_384, b"\0") + bytes(1044)
    )
    for path in (tmp_path, tmp_path / "CSC1.NCS"):
        with pytest.raises(RecordingError, match="as a recording of Neuralynx"):
            open_recording(path)


def test_a_folder_without_a_sorting_says_that(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"there is no sorting in .*: it is empty; give a folder of Phy"):
        open_reviewed(tmp_path)
    with pytest.raises(
        RecordingError, match=r"there is no sorting in .*: it has neither spike_times.npy nor units"
    ):
        open_reviewed(recorded.spikeglx(tmp_path / "run"))
    with pytest.raises(RecordingError, match="there is no sorting in"):
        open_reviewed(tmp_path / "run", recording=tmp_path / "run")


def test_a_reader_that_fails_in_the_middle_names_the_place_and_a_way_out() -> None:
    from spikeinterface.core import BaseRecording, BaseRecordingSegment

    class Segment(BaseRecordingSegment):
        def get_num_samples(self) -> int:
            return 40_000

        def get_traces(self, start_frame: int, end_frame: int, channel_indices: Any) -> np.ndarray:
            if end_frame > 30_000:
                raise IndexError("index 7 is out of bounds")
            return np.random.default_rng(0).normal(size=(end_frame - start_frame, 1))

    class Short(BaseRecording):
        def __init__(self) -> None:
            super().__init__(20_000.0, ["0"], "float64")
            self.add_recording_segment(Segment(sampling_frequency=20_000.0))

    reference = RecordingReference("/data/short.plx", {}, "f", 1, 20_000.0, 40_000)
    recording = Recording(Short(), probe=Probe(np.zeros((1, 2))), reference=reference)
    with pytest.raises(
        RecordingError,
        match=r"/data/short.plx cannot be read at samples \d+ to \d+: it is not complete.*a part of it",
    ):
        preprocess(recording)


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (recorded.open_ephys_legacy, "100_CH2.continuous"),
        (recorded.spikeglx, "run_g0_t0.imec0.ap.bin"),
        (recorded.intan_signals, "time.dat"),
    ],
)
def test_a_file_that_was_hardly_written_is_refused_before_a_library_reads_it_whole(
    write: Callable[[Path], Path], name: str, tmp_path: Path
) -> None:
    """A file of 1 TB made of holes took all memory: neo reads every record of it to look for gaps."""
    folder = write(tmp_path / "run")
    os.truncate(folder / name, 2**40)
    with pytest.raises(RecordingError, match=rf"{name} has 1099511627776 bytes, of which hardly any were"):
        open_recording(folder)


def test_a_file_beside_the_one_that_was_given_is_looked_at_too(tmp_path: Path) -> None:
    run = recorded.spikeglx(tmp_path / "run")
    os.truncate(run / "run_g0_t0.imec0.ap.bin", 2**40)
    with pytest.raises(RecordingError, match=r"ap\.bin has 1099511627776 bytes, of which hardly any were"):
        open_recording(run / "run_g0_t0.imec0.ap.meta")
