"""Backups are numbered upward, and no number is used twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncpgui.core.backups import backups_in, next_backup, number_of


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("before", 1),
        ("before-2", 2),
        ("before-007", 7),
        ("before-" + "9" * 18, 10**18 - 1),
        ("before-" + "9" * 19, None),
        ("before-", None),
        ("before-x", None),
        ("before2", None),
        ("Before", None),
        ("a before", None),
    ],
)
def test_the_number_of_a_backup_is_in_its_name(text: str, number: int | None) -> None:
    assert number_of(text, "before") == number


def test_a_name_is_taken_as_it_is_and_its_suffix_follows_the_number() -> None:
    assert number_of("a.b-3", "a.b") == 3
    assert number_of("axb-3", "a.b") is None


@pytest.mark.parametrize(
    ("there", "following"),
    [
        ([], "before"),
        (["other", "before.txt"], "before"),
        (["before"], "before-2"),
        (["before-2"], "before-3"),
        (["before", "before-9", "before-10"], "before-11"),
    ],
)
def test_the_next_backup_is_above_all_that_are_there(
    tmp_path: Path, there: list[str], following: str
) -> None:
    for name in there:
        (tmp_path / name).write_text("")
    assert next_backup(tmp_path, "before") == tmp_path / following


def test_backups_are_folders_in_order_of_their_numbers_and_no_links(tmp_path: Path) -> None:
    for name in ("before-10", "before", "before-9", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "before-3").write_text("a file")
    (tmp_path / "before-4").symlink_to(tmp_path / "other")
    assert [place.name for place in backups_in(tmp_path, "before")] == ["before", "before-9", "before-10"]
