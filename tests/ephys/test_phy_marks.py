"""Marks of earlier write-backs come back, and a new unit gets a cluster that no unit ever had."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncpgui.ephys.phy_marks import BACKUP, MARK, OUT, Mark, clusters_of_new, marks_in

FIRST = Mark("r", "w", 6, 9, {7: 7, OUT: 9}, {"group": {3: "good"}})
SECOND = Mark("w", "v", 9, 12)


def put(folder: Path, name: str, contents: bytes) -> Path:
    (folder / name).mkdir()
    (folder / name / MARK).write_bytes(contents)
    return folder / name


def test_marks_come_back_the_oldest_first(tmp_path: Path) -> None:
    later = put(tmp_path, f"{BACKUP}-10", SECOND.as_bytes())
    sooner = put(tmp_path, f"{BACKUP}-9", FIRST.as_bytes())
    (tmp_path / BACKUP).mkdir()
    assert list(marks_in(tmp_path).items()) == [(sooner, FIRST), (later, SECOND)]


def changed(**values: object) -> bytes:
    return json.dumps({**json.loads(FIRST.as_bytes()), **values}).encode()


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"[]",
        b"\xff",
        changed(highest="x"),
        changed(clusters=[1]),
        changed(clusters={"a": 1}),
        changed(words={"group": 3}),
        json.dumps({"reviewed": "r"}).encode(),
    ],
)
def test_a_damaged_mark_is_none(tmp_path: Path, contents: bytes) -> None:
    put(tmp_path, BACKUP, contents)
    good = put(tmp_path, f"{BACKUP}-2", SECOND.as_bytes())
    assert marks_in(tmp_path) == {good: SECOND}


def of_new(units: list[int], earlier: list[Mark], highest: int, *others: Mark) -> dict[int, int]:
    return clusters_of_new(units, earlier, [*earlier, *others], highest)


def test_a_new_unit_keeps_its_number_where_it_was_never_used() -> None:
    assert of_new([8, 10], [], 7) == {8: 8, 10: 10}
    assert of_new([7, 8], [], 7) == {7: 8, 8: 9}
    assert of_new([10, 8], [], 9) == {8: 10, 10: 11}


def test_the_spikes_of_no_unit_come_after_all_units() -> None:
    assert of_new([OUT, 8], [], 7) == {8: 8, OUT: 9}
    assert of_new([OUT], [], 7) == {OUT: 8}


def test_a_unit_gets_the_cluster_that_it_got_in_the_last_mark_of_the_review() -> None:
    assert of_new([7, OUT], [FIRST], 6) == {7: 7, OUT: 9}
    older = Mark("r", "u", 6, 8, {7: 8})
    assert of_new([7], [older, FIRST], 6) == {7: 7}


def test_no_cluster_of_any_mark_is_used_again() -> None:
    assert of_new([8], [FIRST], 6) == {8: 10}
    assert of_new([8], [], 6, SECOND) == {8: 13}
    assert of_new([5], [Mark("r", "w", 3, 3, {4: 20})], 3) == {5: 21}
