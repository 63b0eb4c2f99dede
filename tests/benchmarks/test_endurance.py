"""Rows of hours of many channels."""

from __future__ import annotations

from benchmarks.speed.endurance import with_new


def test_endurance_of_one_recording_keeps_the_rows_of_the_other() -> None:
    old = [{"channels": 64, "seconds": 72.0, "MiB": 100}, {"channels": 384, "seconds": 12.0, "MiB": 900}]
    new = [{"channels": 384, "seconds": 12.0, "MiB": 200}, {"channels": 384, "seconds": 120.0, "MiB": 220}]
    rows = with_new(old, new)
    assert [(row["channels"], row["MiB"]) for row in rows] == [(64, 100), (384, 200), (384, 220)]
    assert [row["times"] for row in rows[1:]] == [1, 1.1]
