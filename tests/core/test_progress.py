"""What long work shows reaches whoever looks, through portions and switches, and nobody else."""

from __future__ import annotations

import pytest

from ncpgui.core.progress import CancelFlag, Cancelled, Watched, portion, reported, show, silent


def test_what_is_shown_to_a_part_of_a_job_reaches_who_looks_at_the_whole() -> None:
    seen: list[object] = []
    told: list[tuple[int, int]] = []
    whole = Watched(lambda done, total, message="": told.append((done, total)), seen.append)
    part = portion(CancelFlag().guard(whole), 1, 2, 4)
    show(part, lambda: "first units")
    part(1, 2)
    assert seen == ["first units"]
    assert told == [(1500, 4000)]


def test_nothing_is_made_to_be_shown_where_nobody_looks() -> None:
    def made() -> object:
        raise AssertionError("nobody looks")

    show(portion(CancelFlag().guard(silent), 0, 1, 2), made)


def test_a_job_that_is_looked_at_stops_when_it_is_asked_to() -> None:
    flag = CancelFlag()
    report = flag.guard(Watched(silent, lambda _: None))
    report(0, 1)
    flag.cancel()
    with pytest.raises(Cancelled):
        report(0, 1)


def test_a_loop_tells_before_each_item_how_many_are_done_and_all_when_the_last_one_is_done() -> None:
    told: list[tuple[int, int, str]] = []
    seen = []
    for item in reported(["a", "b"], lambda *how_far: told.append(how_far), "reading"):
        seen.append((item, told[-1]))
    assert seen == [("a", (0, 2, "reading")), ("b", (1, 2, "reading"))]
    assert told[2:] == [(2, 2, "reading")]


def test_a_loop_over_nothing_is_at_its_end_at_once() -> None:
    told: list[tuple[int, int, str]] = []
    assert list(reported([], lambda *how_far: told.append(how_far))) == []
    assert told == [(0, 0, "")]
