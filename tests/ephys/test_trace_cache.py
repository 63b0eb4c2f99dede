"""Filtered traces are kept on a disk with room; where they are not, it is said."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.ephys import trace_cache
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.trace_cache import cache_file, disk_note, in_memory

HOUR_OF_60 = 60 * 3600 * 20_000 * 2


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders: the usual one for temporary files, and another."""
    for name in ("usual", "other"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(trace_cache, "_folders", lambda: [tmp_path / n for n in ("usual", "other")])
    return tmp_path


def roomy(monkeypatch, **free_gb: float) -> None:
    """Folders by name with this much free."""
    monkeypatch.setattr(
        "shutil.disk_usage", lambda folder: SimpleNamespace(free=int(free_gb[Path(folder).name] * 1e9))
    )


def opened_in(monkeypatch) -> list[str]:
    """Names of the folders in which temporary files are opened from now on."""
    names: list[str] = []
    real = tempfile.TemporaryFile

    def spy(*arguments, dir=None, **options):
        names.append(Path(dir).name)
        return real(*arguments, dir=dir, **options)

    monkeypatch.setattr(tempfile, "TemporaryFile", spy)
    return names


def test_an_hour_of_sixty_channels_is_kept(folders, monkeypatch, caplog):
    roomy(monkeypatch, usual=100, other=0)
    names = opened_in(monkeypatch)
    cache_file(HOUR_OF_60).close()
    assert names == ["usual"]
    assert caplog.text == ""


def test_a_large_disk_is_used_but_for_ten_gigabytes_and_a_small_one_to_the_half(folders, monkeypatch):
    """8.64 GB are asked for: of 18.7 GB free 10 stay, of 17.3 GB a half, of 17.2 GB neither."""
    names = opened_in(monkeypatch)
    for usual_gb, other_gb, chosen in ((18.7, 0, "usual"), (17.3, 0, "usual"), (17.2, 18.7, "other")):
        roomy(monkeypatch, usual=usual_gb, other=other_gb)
        cache_file(HOUR_OF_60).close()
        assert names.pop() == chosen
    roomy(monkeypatch, usual=40.5, other=0)
    cache_file(int(27.6e9)).close()
    assert names.pop() == "usual"
    roomy(monkeypatch, usual=37.5, other=0)
    assert cache_file(int(27.6e9)) is None


def test_what_sorting_takes_of_the_disk_is_said_before_with_the_folder_and_what_is_free(folders, monkeypatch):
    """20 minutes of 384 channels at 30 kHz are 27.6 GB in two bytes a sample; a minute of them is 1.4 GB."""
    roomy(monkeypatch, usual=66, other=0)
    note = disk_note(20 * 60 * 30_000, 384)
    assert note.startswith("filtered traces take up to 27.6 GB of the disk while this runs, in ")
    assert f"{folders / 'usual'}, which has 66.0 GB free" in note
    assert "1.4 GB" in disk_note(60 * 30_000, 384)


def test_nothing_is_said_of_the_disk_where_little_or_nothing_is_kept(folders, monkeypatch, caplog):
    """That nothing is kept is a warning of its own, once the sort begins."""
    roomy(monkeypatch, usual=66, other=0)
    assert disk_note(60 * 20_000, 64) == ""
    roomy(monkeypatch, usual=10, other=0)
    assert disk_note(20 * 60 * 30_000, 384) == ""
    assert caplog.text == ""


def test_a_folder_in_memory_is_not_used(folders, monkeypatch):
    roomy(monkeypatch, usual=100, other=100)
    monkeypatch.setattr(trace_cache, "in_memory", lambda folder: folder.name == "usual")
    names = opened_in(monkeypatch)
    cache_file(1000).close()
    assert names == ["other"]


def test_traces_that_fit_nowhere_are_said_with_the_reasons_and_the_way_out(folders, monkeypatch, caplog):
    roomy(monkeypatch, usual=100, other=10)
    monkeypatch.setattr(trace_cache, "in_memory", lambda folder: folder.name == "usual")
    assert cache_file(HOUR_OF_60) is None
    for words in (
        "filtered traces (8.6 GB) are not kept",
        "usual is kept in memory",
        "other has 10.0 GB free, of which 5.0 GB must stay free",
        "filtered anew for each pass over it",
        "set TMPDIR to a folder on a disk with room",
    ):
        assert words in caplog.text


def test_a_folder_that_cannot_be_asked_is_left_out_and_named(folders, monkeypatch, caplog):
    (folders / "usual").rmdir()
    roomless = folders / "other"
    roomless.rmdir()
    assert cache_file(1000) is None
    for folder in (folders / "usual", roomless):
        assert f"{folder}: No such file or directory" in caplog.text


def test_traces_larger_than_any_cache_are_said(folders, caplog):
    assert cache_file(2_100_000, 2_000_000) is None
    assert "filtered traces (2.1 MB) are not kept: more than 2.0 MB" in caplog.text


def test_a_file_system_in_memory_is_told_by_its_mount(tmp_path, monkeypatch):
    device = tmp_path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    table = tmp_path / "mountinfo"
    monkeypatch.setattr(trace_cache, "_MOUNTS", table)
    other = "22 1 999:1 / / rw - ext4 /dev/sda rw\n"
    table.write_text(other + f"23 22 {number} / /tmp rw,nosuid shared:1 - tmpfs tmpfs rw\n")
    assert in_memory(tmp_path)
    table.write_text(other + f"23 22 {number} / /tmp rw,nosuid - ext4 /dev/sdb rw\n")
    assert not in_memory(tmp_path)
    table.unlink()
    assert not in_memory(tmp_path)


@pytest.mark.skipif(not in_memory(Path("/dev/shm")), reason="no file system in memory here")
def test_a_temporary_folder_that_is_memory_holds_no_traces(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/dev/shm")
    file = cache_file(1000)
    if file is not None:
        with file:
            assert os.fstat(file.fileno()).st_dev != Path("/dev/shm").stat().st_dev


def test_what_does_not_fit_is_filtered_when_it_is_asked_for(monkeypatch, caplog):
    monkeypatch.setattr(trace_cache, "_folders", list)
    traces = np.random.default_rng(0).normal(size=(20_000, 4)).astype(np.float32)
    recording = ArrayRecording(traces, sampling_frequency_hz=20_000.0, probe=load_probe("tetrode"))
    pre = preprocess(recording)
    assert "filtered traces (0.2 MB) are not kept" in caplog.text
    assert pre.traces(0, 20_000).std() == pytest.approx(1, abs=0.03)
    assert "The recording is filtered anew for each pass over it, which takes longer" in caplog.text
