"""Other tools are pointed at the raw file of a recording, if there is one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.ephys import simulated_folder
from ncpgui.export.raw_file import RawFile, raw_file


def reference(path: str | Path, **options: object) -> RecordingReference:
    return RecordingReference(str(path), dict(options), "f", 2, 20_000.0, 10)


@pytest.mark.parametrize(("dtype", "name"), [("int16", "int16"), ("<f4", "float32"), (">i2", ">i2")])
def test_a_raw_recording_is_itself(tmp_path: Path, dtype: str, name: str) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(bytes(40))
    assert raw_file(reference(path, dtype=dtype)) == RawFile(path, name, 2)


def test_a_simulated_folder_holds_one(tmp_path: Path) -> None:
    np.zeros((10, 2), "<i2").tofile(tmp_path / simulated_folder.TRACES)
    simulated_folder.write_description(
        tmp_path, sampling_frequency_hz=20_000.0, n_channels=2, gain_uv=0.2, more={}
    )
    simulated_folder.write_probe(tmp_path, Probe(np.array([[0.0, 0.0], [0.0, 20.0]])))
    assert raw_file(reference(tmp_path)) == RawFile(tmp_path / "recording.raw", "int16", 2)
    (tmp_path / simulated_folder.DESCRIPTION).write_text("{}")
    assert raw_file(reference(tmp_path)) is None


def test_other_recordings_have_none(tmp_path: Path) -> None:
    (tmp_path / "a.nwb").write_bytes(b"x")
    assert raw_file(reference(tmp_path / "a.nwb")) is None
    assert raw_file(reference(tmp_path / "gone.dat", dtype="int16")) is None
    assert raw_file(reference(tmp_path)) is None
    assert raw_file(reference("")) is None


def test_columns_headers_and_several_files_are_told(tmp_path: Path) -> None:
    for name in ("a.dat", "b.dat"):
        (tmp_path / name).write_bytes(bytes(40))
    options = {"dtype": "int16", "n_channels": 5, "columns": [3, 1], "offset": 8}
    found = raw_file(reference(tmp_path / "a.dat", more_files=["/elsewhere/b.dat"], **options))
    assert found == RawFile(
        tmp_path / "a.dat", "int16", 5, columns=(3, 1), offset=8, more=(tmp_path / "b.dat",)
    )
    assert raw_file(reference(tmp_path / "a.dat", more_files=["/elsewhere/c.dat"], **options)) is None
