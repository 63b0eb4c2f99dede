"""What opens a file runs nothing, for two reasons: it is looked at before, and watched while it is opened."""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys import saved_objects
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.saved_objects import load_saved
from tests.ephys import hostile
from tests.ephys.ways_in import BINARY_FOLDER, WAYS, Program, recording_folder

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def way_in(request, tmp_path, monkeypatch):
    """A file that makes a folder when it is let in, that folder, and the person in a working folder."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr("numcodecs.pickles.ALLOW_UNSAFE_PICKLE_DECODE", True, raising=False)  # as before 0.16
    marker = tmp_path / "was run"
    return WAYS[request.param](tmp_path / "work", tmp_path / "given", marker), marker


@pytest.mark.parametrize("way_in", WAYS, indirect=True)
def test_the_library_alone_lets_it_in(way_in):
    """Otherwise the tests below would pass for another reason."""
    from spikeinterface.core import load

    path, marker = way_in
    with contextlib.suppress(Exception):
        load(path, base_folder=True) if path.is_file() else load(path)
    assert marker.exists()


@pytest.mark.parametrize("way_in", WAYS, indirect=True)
def test_the_look_refuses_it(way_in):
    path, marker = way_in
    with pytest.raises(RecordingError, match=r"and is refused; (open|save|unpack)") as caught:
        saved_objects.look_at(path, but=path.resolve() / "extensions")
    assert "\n" not in str(caught.value)
    assert not marker.exists()


@pytest.mark.parametrize("way_in", WAYS, indirect=True)
def test_the_guard_alone_refuses_it(way_in, monkeypatch):
    path, marker = way_in
    monkeypatch.setattr(saved_objects, "look_at", lambda path, but=None: None)
    with pytest.raises(
        RecordingError, match=r"would (load|start|run) .*, and is refused; open the data file"
    ):
        load_saved(path)
    assert not marker.exists()


@pytest.mark.parametrize("way_in", WAYS, indirect=True)
def test_both_refuse_it_where_a_person_opens_it(way_in):
    path, marker = way_in
    with pytest.raises(RecordingError, match="is refused"):
        open_recording(path, probe="linear-2")
    assert not marker.exists()


def test_a_codec_of_traces_is_refused_by_the_guard_too(tmp_path, monkeypatch):
    """SpikeInterface reads ids when it opens, and traces later."""
    import numcodecs
    import zarr

    monkeypatch.setattr("numcodecs.pickles.ALLOW_UNSAFE_PICKLE_DECODE", True, raising=False)
    monkeypatch.setattr(saved_objects, "look_at", lambda path, but=None: None)
    root = zarr.open(str(tmp_path / "a.zarr"), mode="w")
    root.attrs.update({"sampling_frequency": 1e4, "num_segments": 1})
    root["channel_ids"] = [0]
    values = np.array([[Program(tmp_path / "was run")]], dtype=object)
    root.create_dataset("traces_seg0", data=values, object_codec=numcodecs.Pickle())
    with pytest.raises(RecordingError, match=r"a.zarr would load a pickle"):
        load_saved(tmp_path / "a.zarr")
    assert not (tmp_path / "was run").exists()


def test_a_home_that_a_description_names_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "mine"))
    monkeypatch.chdir(tmp_path)
    recording_folder(tmp_path / "mine" / "x", tmp_path / "was run")
    for named in ("~/x", "$HOME/x", "mine/x", f"../{tmp_path.name}/mine/x"):
        path = hostile.json_file(tmp_path / "given", hostile.entry(BINARY_FOLDER, folder_path=named))
        with pytest.raises(RecordingError, match=r"p.npy holds pickled objects"):
            open_recording(path)


def test_what_is_harmless_where_it_is_said_to_be_opens_whatever_lies_in_the_working_folder(
    tmp_path, monkeypatch
):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    recording_folder(tmp_path / "work" / "x", tmp_path / "was run")
    recording_folder(tmp_path / "given" / "x")
    made = {**hostile.entry(BINARY_FOLDER, folder_path="x"), "relative_paths": True}
    assert open_recording(hostile.json_file(tmp_path / "given", made), probe="linear-2").n_channels == 2


@pytest.mark.parametrize(
    "text",
    [
        "zip::a.zarr.zip",
        "simplecache::zip://x::a.zip",
        "file:///tmp/a.zarr",
        "http://host/a.zarr",
        "memory://a",
        "data:,a",
        "github://a:b@/c",
        "a.zip::b",
    ],
)
@pytest.mark.parametrize("nested", [None, *hostile.NESTED])
def test_addresses_of_all_kinds_are_refused(text, nested, tmp_path):
    made = hostile.entry("spikeinterface.core.zarrextractors.ZarrRecordingExtractor", folder_path=text)
    if nested in ("annotations", "properties"):
        return  # no class is made of what is there
    path = hostile.json_file(tmp_path, hostile.NESTED[nested](made) if nested else made)
    with pytest.raises(RecordingError, match="which is on the network or in an archive, and is refused"):
        open_recording(path)


@pytest.mark.parametrize("name", ["a.zarr.zip", "a.ZIP", "a.nwb", "a.n5"])
def test_archives_are_refused_by_their_name_and_by_what_is_in_them(name, tmp_path):
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("x", "y")
    made = hostile.entry(
        "spikeinterface.extractors.nwbextractors.NwbRecordingExtractor", file_path=str(tmp_path / name)
    )
    with pytest.raises(RecordingError, match=rf"names the archive .*{name}, and is refused; unpack it"):
        open_recording(hostile.json_file(tmp_path, made))


@pytest.mark.parametrize(
    "more",
    [{"stream_mode": "fsspec"}, {"stream_mode": "remfile"}, {"storage_options": {"anon": True}}],
)
def test_readers_are_not_told_to_use_the_network(more, tmp_path):
    made = hostile.entry(
        "spikeinterface.extractors.nwbextractors.NwbRecordingExtractor", file_path="a", **more
    )
    with pytest.raises(RecordingError, match=r"asks for (stream_mode|storage_options) = .*for the network"):
        open_recording(hostile.json_file(tmp_path, made))


def test_a_link_between_pickles_of_extensions_and_nothing_else_opens(tmp_path):
    """What nobody opens may be pickles: principal components are."""
    path = hostile.analyzer_folder(tmp_path, hostile.noise())
    (path / "extensions" / "principal_components").mkdir(parents=True)
    (path / "extensions" / "principal_components" / "pca.pkl").write_bytes(b"")
    (path / "extensions" / "again").symlink_to(path / "extensions")
    assert open_recording(path, probe="linear-2").n_channels == 2


def test_numbers_that_a_description_announces_are_bounded(tmp_path):
    import zarr

    folder = recording_folder(tmp_path / "saved")
    with (folder / "properties" / "big.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f8", "fortran_order": False, "shape": (2**34,)}
        )
    with pytest.raises(RecordingError, match=r"big.npy is refused: its header announces 137438953600 bytes"):
        open_recording(folder)
    with (folder / "properties" / "big.npy").open("r+b") as file:
        file.truncate(2**37 + 128)
    with pytest.raises(RecordingError, match=r"big.npy is refused: it announces .* hardly any were written"):
        open_recording(folder)
    root = zarr.open(str(tmp_path / "a.zarr"), mode="w")
    root.attrs.update({"sampling_frequency": 1e4, "num_segments": 1})
    root["channel_ids"] = np.arange(2)
    os.truncate(tmp_path / "a.zarr" / "channel_ids" / "0", 2**40)
    with pytest.raises(RecordingError, match=r"channel_ids/0 has 1099511627776 bytes, of which hardly any"):
        open_recording(tmp_path / "a.zarr")
    del root["channel_ids"]
    root.create_dataset("channel_ids", shape=(2**36,), chunks=(2**20,), dtype="f8")
    with pytest.raises(RecordingError, match=r"channel_ids announces 549755813888 bytes, of which"):
        open_recording(tmp_path / "a.zarr")


def test_a_folder_that_names_everything_is_not_walked_without_end(tmp_path, monkeypatch):
    from ncpgui.ephys import paths

    monkeypatch.setattr(paths, "MOST_FILES", 3)
    (tmp_path / "many").mkdir()
    for number in range(5):
        (tmp_path / "many" / f"{number}").touch()
    made = hostile.entry(BINARY_FOLDER, folder_path=str(tmp_path / "many"))
    with pytest.raises(RecordingError, match="holds more than 3 files, which no recording does"):
        open_recording(hostile.json_file(tmp_path, made))


def test_the_descriptions_are_what_is_written(tmp_path):
    made = json.loads(Path(hostile.json_file(tmp_path, hostile.noise())).read_text())
    assert open_recording(hostile.json_file(tmp_path, made), probe="linear-2").n_samples == 1000
