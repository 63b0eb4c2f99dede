"""The waveform cache can be deleted, and never shows waveforms of another sorting."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.project import Project
from ncpgui.session import cache, store
from ncpgui.session.pieces import OpenedFile, Piece
from ncpgui.session.schema import SessionPaths
from tests.forked import run_forked


def test_a_session_opens_without_its_cache(assert_same, project: Project, path: Path) -> None:
    store.save(project, path)
    SessionPaths(path).waveforms.unlink()
    assert_same(store.load(path), replace(project, waveforms={}))


def test_waveforms_are_kept_to_three_digits_and_huge_ones_stay_finite(project: Project, path: Path) -> None:
    values = project.waveforms[0].waveforms.copy()
    values[0, 0, :] = (12.3456, 1e9)
    store.save(
        replace(project, waveforms={0: ComponentWaveforms(values, project.waveforms[0].features)}), path
    )
    first = store.load(path).waveforms[0].waveforms[0, 0]
    assert first[0] == pytest.approx(12.3456, rel=1e-3)
    assert first[1] == 65504.0


def test_a_cache_of_another_recording_is_ignored(project: Project, path: Path) -> None:
    store.save(project, path)
    other = replace(project, recording=replace(project.recording, fingerprint="other"), waveforms={})
    store.save(other, path)
    assert store.load(path).waveforms == {}


def test_only_channels_whose_sampled_spikes_changed_are_ignored(project: Project, path: Path) -> None:
    store.save(project, path)
    changed = replace(project.components[0], sampled=project.components[0].sampled + 1)
    store.save(replace(project, components=(changed, project.components[1]), waveforms={}), path)
    assert list(store.load(path).waveforms) == [1]


def test_channels_that_are_not_in_memory_stay_in_the_cache(assert_same, project: Project, path: Path) -> None:
    store.save(project, path)
    changed = ComponentWaveforms(project.waveforms[0].waveforms * 2, project.waveforms[0].features)
    component = replace(project.components[0], contacts=np.array([0, 1]))
    store.save(replace(project, components=(component, project.components[1]), waveforms={0: changed}), path)
    loaded = store.load(path).waveforms
    assert_same(loaded, {0: changed, 1: project.waveforms[1]})


def test_an_unchanged_cache_is_not_written_again(project: Project, path: Path) -> None:
    store.save(project, path)
    before = SessionPaths(path).waveforms.stat().st_ino
    store.save(replace(project, model="x"), path)
    assert SessionPaths(path).waveforms.stat().st_ino == before


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89HDF\r\n\x1a\n" + bytes(100)])
def test_a_damaged_cache_is_ignored_and_replaced(
    assert_same, project: Project, path: Path, content: bytes
) -> None:
    store.save(project, path)
    SessionPaths(path).waveforms.write_bytes(content)
    assert store.load(path).waveforms == {}
    store.save(project, path)
    assert_same(store.load(path), project)


def test_a_damaged_cache_is_replaced_and_a_file_of_no_known_kind_is_kept_aside(
    project: Project, path: Path
) -> None:
    store.save(project, path)
    cache_path = SessionPaths(path).waveforms
    cache_path.write_bytes(cache_path.read_bytes()[:5000])
    store.save(project, path)
    assert not cache_path.with_name(f"{cache_path.name}.1").exists()
    cache_path.write_bytes(b"somebody's notes")
    store.save(project, path)
    assert cache_path.with_name(f"{cache_path.name}.1").read_bytes() == b"somebody's notes"


@pytest.mark.parametrize("whose", ["a session", "anybody's"])
def test_an_hdf5_file_of_somebody_in_the_place_of_the_cache_is_left_as_it_is(
    project: Project, path: Path, whose: str, caplog: pytest.LogCaptureFixture
) -> None:
    place = SessionPaths(path).waveforms
    if whose == "a session":
        store.save(replace(project, waveforms={}), place)
    else:
        with h5py.File(place, "w") as file:
            file["traces"] = np.arange(9)
    before = place.read_bytes()
    store.save(project, path)
    assert place.read_bytes() == before
    assert "is not a waveform cache and is left as it is" in caplog.text
    assert store.load(path).waveforms == {}


def test_a_cache_with_arrays_of_the_wrong_shape_is_ignored(project: Project, path: Path) -> None:
    store.save(project, path)
    with h5py.File(SessionPaths(path).waveforms, "r+") as file:
        del file["0/waveforms"]
        file["0"].create_dataset("waveforms", data=np.zeros(3))
    assert 0 not in store.load(path).waveforms


def test_a_cache_that_cannot_be_written_does_not_stop_the_save_and_is_said(
    project: Project, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    SessionPaths(path).waveforms.mkdir()
    store.save(project, path)
    assert store.load(path).model == project.model
    assert "the waveform cache was not written (waveforms will be read again): " in caplog.text


def test_a_larger_project_fills_only_what_is_asked(make_project, path: Path) -> None:
    store.save(make_project(n_spikes=400), path)
    assert store.load(path, waveforms=False).waveforms == {}


# -- coordinates of all spikes ------------------------------------------------------------------


def with_coordinates(project: Project) -> Project:
    """Component 0 with three coordinates of each of its spikes."""
    n = len(project.components[0].spike_ids)
    values = np.linspace(-9, 9, 3 * n, dtype=np.float32).reshape(n, 3)
    return replace(
        project, waveforms={**project.waveforms, 0: replace(project.waveforms[0], coordinates=values)}
    )


def test_coordinates_of_all_spikes_are_there_again(project: Project, path: Path) -> None:
    made = with_coordinates(project)
    store.save(made, path)
    loaded = store.load(path).waveforms
    np.testing.assert_allclose(loaded[0].coordinates, made.waveforms[0].coordinates, rtol=1e-3, atol=1e-3)
    assert loaded[1].coordinates is None


def test_coordinates_of_other_spikes_are_ignored_and_the_waveforms_are_not(
    project: Project, path: Path
) -> None:
    """The sampled spikes are the same; the second spike of component 0, which was not sampled, is another."""
    store.save(with_coordinates(project), path)
    samples = project.spikes.sample_index.copy()
    samples[project.components[0].spike_ids[1]] += 1
    spikes = replace(project.spikes, sample_index=samples)
    store.save(replace(project, spikes=spikes, waveforms={}), path)
    loaded = store.load(path).waveforms
    assert loaded[0].waveforms.shape == project.waveforms[0].waveforms.shape
    assert loaded[0].coordinates is None


# -- what is not looked at stays on the disk ------------------------------------------------------


def test_waveforms_lie_in_one_piece_and_are_not_read_before_they_are_asked_for(
    project: Project, path: Path
) -> None:
    store.save(with_coordinates(project), path)
    with h5py.File(SessionPaths(path).waveforms) as file:
        assert all(file[f"0/{name}"].chunks is None for name in ("waveforms", "features", "coordinates"))
    found = store.load(path).waveforms[0]
    assert isinstance(found, cache.KeptWaveforms)
    assert all(isinstance(one, Piece) and one.dtype == np.float16 for one in found.stored)
    assert found.waveforms.dtype == found.features.dtype == np.float32


def test_waveforms_of_a_cache_that_is_written_again_or_deleted_are_still_there(
    project: Project, path: Path
) -> None:
    store.save(project, path)
    found, expected = store.load(path).waveforms[0], project.waveforms[0].waveforms
    twice = {0: ComponentWaveforms(2 * expected, project.waveforms[0].features)}
    moved = replace(project.components[0], contacts=project.components[0].contacts[::-1])
    store.save(replace(project, components=(moved, project.components[1]), waveforms=twice), path)
    SessionPaths(path).waveforms.unlink()
    np.testing.assert_allclose(found.waveforms, expected, rtol=1e-3, atol=1e-3)


def test_a_cache_in_chunks_as_older_programs_wrote_it_is_read(project: Project, path: Path) -> None:
    store.save(project, path)
    before = store.load(path).waveforms[0].waveforms
    with h5py.File(SessionPaths(path).waveforms, "r+") as file:
        values, told = file["0/waveforms"][()], dict(file["0/waveforms"].attrs)
        del file["0/waveforms"]
        file["0"].create_dataset("waveforms", data=values, chunks=True, fletcher32=True).attrs.update(told)
    np.testing.assert_array_equal(store.load(path).waveforms[0].waveforms, before)


# -- a cache that somebody else cuts short while the session is open ---------------------------------

CUT_SHORT = """
import os, sys
from ncpgui.core.errors import SessionError
from ncpgui.session import store
from ncpgui.session.schema import SessionPaths

found = store.load(sys.argv[1]).waveforms
os.truncate(SessionPaths.of(sys.argv[1]).waveforms, int(sys.argv[2]))
for one in found.values():
    print(one.is_at_hand)
    try:
        one.waveforms, one.features
    except SessionError as error:
        print(error)
"""


@pytest.mark.parametrize("n_bytes", [0, 100])
def test_a_cache_that_is_cut_short_while_it_is_open_is_an_error_and_not_the_end_of_the_program(
    project: Project, path: Path, n_bytes: int
) -> None:
    store.save(project, path)
    done = run_forked(CUT_SHORT, path, n_bytes, needs="session")
    assert (done.returncode, done.stderr) == (0, "")
    cache_path = SessionPaths(path).waveforms
    said = f"{cache_path} was cut short while it was open; delete it and open the session again"
    assert done.stdout.splitlines() == ["False", said] * 2


def test_what_a_cut_cache_still_holds_is_at_hand(project: Project, path: Path) -> None:
    store.save(project, path)
    first, second = store.load(path).waveforms.values()
    last = max(one.begin for one in (*first.stored, *second.stored) if one is not None)
    os.truncate(SessionPaths(path).waveforms, last)
    assert [first.is_at_hand, second.is_at_hand].count(True) == 1


def test_saving_with_a_cache_that_was_cut_short_keeps_the_session_and_what_there_is(
    project: Project, path: Path
) -> None:
    store.save(project, path)
    loaded = store.load(path)
    SessionPaths(path).waveforms.write_bytes(b"")
    store.save(replace(loaded, model="other"), path)
    assert (store.load(path).model, store.load(path).waveforms) == ("other", {})


def test_waveforms_that_lie_in_a_file_go_to_another_process_as_arrays(project: Project, path: Path) -> None:
    store.save(project, path)
    found = store.load(path).waveforms[0]
    sent = pickle.loads(pickle.dumps(found))
    assert type(sent) is ComponentWaveforms
    np.testing.assert_array_equal(sent.waveforms, found.waveforms)


def test_a_file_is_asked_once_whether_the_waveforms_of_a_component_are_there(
    project: Project, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each panel asks several times while it is drawn."""
    store.save(project, path)
    found = next(iter(store.load(path).waveforms.values()))
    asked: list[int] = []
    monkeypatch.setattr(OpenedFile, "n_bytes", property(lambda file: asked.append(1) or 2**40))
    assert found.is_at_hand
    assert len(asked) == 1


def test_some_waveforms_of_a_file_are_those_rows_of_all_of_them(project: Project, path: Path) -> None:
    store.save(project, path)
    found, rows = store.load(path).waveforms[0], np.array([4, 0, 2])
    np.testing.assert_array_equal(found.some(rows), found.waveforms[rows])
    np.testing.assert_array_equal(project.waveforms[0].some(rows), project.waveforms[0].waveforms[rows])
