"""Parts of a draw side by side on threads: in their order, told in sum, and ended together."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from ncpgui.core.progress import Cancelled
from ncpgui.engine.sampling.on_threads import Report, on_threads


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_what_parts_have_found_is_in_their_order(n_threads: int):
    def part(i: int, report: Report) -> int:
        report(10)
        return i * i

    parts = [partial(part, i) for i in range(6)]
    assert on_threads(parts, n_threads=n_threads, report=lambda n: None) == [0, 1, 4, 9, 16, 25]


def test_two_parts_are_under_way_at_the_same_time():
    both = threading.Barrier(2, timeout=30)

    def part(report: Report) -> int:
        return both.wait()  # broken after 30 s, were there one at a time

    assert sorted(on_threads([part, part], n_threads=2, report=lambda n: None)) == [0, 1]


def test_on_one_thread_what_is_done_is_told_in_sum():
    told: list[int] = []

    def part(report: Report) -> None:
        for n in (0, 5, 7):
            report(n)

    on_threads([part, part], n_threads=1, report=told.append)
    assert told == [0, 5, 7, 7, 12, 14]


def test_on_several_threads_what_is_done_is_told_on_the_calling_one_until_a_cancel_ends_all_parts():
    """Parts go on until they are ended, so this would not return if they were not."""
    told: list[tuple[int, int]] = []
    ended: list[int] = []
    begun = threading.Barrier(2, timeout=30)

    def part(i: int, report: Report) -> None:
        begun.wait()
        try:
            while True:
                report(3)
        except Cancelled:
            ended.append(i)
            raise

    def report(n: int) -> None:
        told.append((n, threading.get_ident()))
        if n == 6:
            raise Cancelled

    with pytest.raises(Cancelled):
        on_threads([partial(part, 0), partial(part, 1)], n_threads=2, report=report)
    assert sorted(ended) == [0, 1]
    assert told[0][0] == 0
    assert told[-1][0] == 6
    assert {thread for _, thread in told} == {threading.get_ident()}


def test_the_error_of_a_part_is_passed_on():
    def fails(report: Report) -> None:
        raise ZeroDivisionError("this part")

    with pytest.raises(ZeroDivisionError, match="this part"):
        on_threads([fails, lambda report: None], n_threads=2, report=lambda n: None)
