"""Results come in order, and the next ones are computed meanwhile."""

from __future__ import annotations

import threading

import pytest

from ncpgui.core.ahead import N_THREADS, ahead


def test_results_come_in_the_order_of_their_items() -> None:
    assert list(ahead(lambda n: n * n, range(7))) == [0, 1, 4, 9, 16, 25, 36]
    assert list(ahead(str, [])) == []


def test_items_are_worked_on_at_a_time() -> None:
    """Each waits until all threads have come this far: one alone would wait for ever."""
    together = threading.Barrier(N_THREADS, timeout=20)
    assert len(list(ahead(lambda _: together.wait(), range(N_THREADS)))) == N_THREADS


def test_no_more_is_begun_than_is_soon_wanted() -> None:
    begun: list[int] = []
    results = ahead(lambda n: begun.append(n), range(100))
    next(results)
    results.close()
    assert len(begun) <= N_THREADS + 1


def test_an_error_comes_at_the_turn_of_its_item() -> None:
    results = ahead(lambda n: 1 // n, [1, 0, 1])
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)
