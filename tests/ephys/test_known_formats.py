"""Formats as they are listed: each once, those that are opened first."""

from __future__ import annotations

from ncpgui.ephys.known_formats import STATES, known_formats


def test_each_reader_is_listed_once_and_those_that_are_opened_come_first() -> None:
    rows = known_formats()
    states = [row.state for row in rows]
    assert states == sorted(states, key=list(STATES).index)
    assert set(states) == set(STATES)
    here = {row.reader for row in rows if row.state != "not opened"}
    others = [row for row in rows if row.state == "not opened"]
    assert here.isdisjoint(row.reader for row in others)
    assert len({row.name for row in others}) == len(others)
    assert all(row.known_by == () for row in others)


def test_what_is_listed_under_another_name_or_is_in_memory_is_no_format_that_is_missing() -> None:
    others = {row.name for row in known_formats() if row.state == "not opened"}
    assert others.isdisjoint({"openephysbinary", "openephyslegacy", "mearec", "numpy"})


def test_a_format_is_known_by_each_ending_once() -> None:
    for row in known_formats():
        assert len(set(row.known_by)) == len(row.known_by)
        assert "" not in row.known_by
