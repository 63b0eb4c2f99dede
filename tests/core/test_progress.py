"""What long work shows reaches whoever looks, through portions and switches, and nobody else."""

from __future__ import annotations

import pytest

from ncpgui.core.progress import CancelFlag, Cancelled, Watched, portion, show, silent


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
