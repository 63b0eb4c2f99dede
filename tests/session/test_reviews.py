"""Sessions that review a folder are found beside it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import h5py

from ncpgui.core.given import SPIKEINTERFACE, GivenSorting
from ncpgui.session.reviews import reviews_beside
from ncpgui.session.store import save
from tests.session.conftest import build


def session(place: Path, reviewed: Path | None) -> Path:
    project = build(n_spikes=0)
    given = (
        None if reviewed is None else GivenSorting(str(reviewed), SPIKEINTERFACE, project.unit_of_spike, "d")
    )
    save(replace(project, given=given), place)
    return place


def test_those_that_review_the_folder_are_found_the_last_one_first(tmp_path: Path) -> None:
    folder = tmp_path / "analyzer"
    folder.mkdir()
    (tmp_path / "other").mkdir()
    old, new = session(tmp_path / "a.h5", folder), session(tmp_path / "b.h5", folder)
    session(tmp_path / "c.h5", tmp_path / "other")
    session(tmp_path / "d.h5", None)
    (tmp_path / "e.h5").write_bytes(b"no session")
    os.utime(old, (1, 1))
    assert reviews_beside(folder) == [new, old]


def test_a_review_that_was_moved_with_its_folder_is_found_by_the_name(tmp_path: Path) -> None:
    (tmp_path / "analyzer").mkdir()
    moved = session(tmp_path / "a.h5", tmp_path / "elsewhere" / "analyzer")
    session(tmp_path / "b.h5", tmp_path / "elsewhere" / "another")
    assert reviews_beside(tmp_path / "analyzer") == [moved]


def test_a_file_of_another_program_and_a_session_of_another_version_review_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "analyzer"
    folder.mkdir()
    mine, foreign, newer = (session(tmp_path / f"{name}.h5", folder) for name in ("mine", "foreign", "newer"))
    with h5py.File(foreign, "r+") as file:
        file.attrs["encoding"] = "theirs"
    with h5py.File(newer, "r+") as file:
        file.attrs["version"] += 1
    assert reviews_beside(folder) == [mine]
