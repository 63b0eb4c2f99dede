"""Settings survive a restart, and a damaged file is no reason to fail."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from ncpgui.app.preferences import MAX_RECENT, Preferences


def test_what_is_set_is_there_after_a_restart(tmp_path: Path) -> None:
    Preferences(tmp_path / "new").set("theme", "dark")
    assert Preferences(tmp_path / "new").theme == "dark"
    assert Preferences(tmp_path / "other").theme == "system"


def test_a_value_of_another_type_counts_as_missing(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path)
    preferences.set("splitters", 3)
    assert preferences.get("splitters", {}) == {}
    assert preferences.get("splitters") == 3


@pytest.mark.parametrize("text", ["{torn", "[1, 2]", "", "\xff"])
def test_a_damaged_file_is_ignored_and_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "preferences.json").write_bytes(text.encode("latin-1"))
    preferences = Preferences(tmp_path)
    assert preferences.recent == []
    preferences.set("theme", "dark")
    assert Preferences(tmp_path).theme == "dark"
    preferences.set("theme", "sepia")
    assert Preferences(tmp_path).theme == "system"


def test_the_file_opened_last_is_first_and_named_once(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path)
    for name in ("a.h5", "b.h5", "a.h5"):
        preferences.remember_file(tmp_path / name)
    assert preferences.recent == [str(tmp_path / "a.h5"), str(tmp_path / "b.h5")]
    assert Preferences(tmp_path).recent == preferences.recent


def test_only_so_many_files_are_remembered(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path)
    for n in range(MAX_RECENT + 3):
        preferences.remember_file(tmp_path / f"{n}.h5")
    assert len(preferences.recent) == MAX_RECENT
    assert preferences.recent[0].endswith(f"{MAX_RECENT + 2}.h5")


def test_entries_that_are_no_paths_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "preferences.json").write_text('{"recent": ["a.h5", 3, null]}')
    assert Preferences(tmp_path).recent == ["a.h5"]


def test_a_folder_that_cannot_be_written_is_logged_and_the_setting_holds_for_now(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    preferences = Preferences(tmp_path / "file" / "folder")
    with caplog.at_level(logging.WARNING):
        preferences.set("theme", "dark")
    assert preferences.theme == "dark"
    assert "cannot be written" in caplog.text


def test_the_system_says_where_settings_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert "ncpgui" in Preferences().folder.name
