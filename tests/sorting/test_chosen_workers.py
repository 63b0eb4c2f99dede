"""Workers are chosen by name and number, and what cannot be is refused before any is started."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.sorting.chosen_workers import check_choice, checked_workers, chosen_workers
from ncpgui.sorting.executors import Threads
from ncpgui.sorting.process_workers import Processes


def test_threads_are_chosen_unless_processes_are_asked_for() -> None:
    assert isinstance(chosen_workers(2), Threads)
    assert isinstance(chosen_workers(2, parallel="threads"), Threads)
    processes = chosen_workers(3, parallel="processes")
    assert isinstance(processes, Processes)
    assert processes.n_workers == 3
    assert chosen_workers(1).n_workers == 1


def test_workers_are_taken_as_they_are_or_as_a_number_of_threads() -> None:
    given = Threads(2)
    assert checked_workers(given) is given
    for number in (2, np.int64(2)):
        taken = checked_workers(number)
        assert isinstance(taken, Threads)
        assert taken.n_workers == 2
    assert isinstance(checked_workers(None), Threads)


@pytest.mark.parametrize("wrong", [True, "2", Threads, 2.0, [2]])
def test_what_are_no_workers_is_refused(wrong: Any) -> None:
    with pytest.raises(
        InputError, match="workers must be a whole number from 1 on, or Threads, Processes or Dask, got "
    ):
        checked_workers(wrong)


@pytest.mark.parametrize("wrong", [0, -1])
def test_less_than_one_worker_is_refused(wrong: int) -> None:
    for choose in (checked_workers, chosen_workers, check_choice):
        with pytest.raises(InputError, match="workers"):
            choose(wrong)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"parallel": "cores"}, "parallel must be 'threads' or 'processes', got 'cores'"),
        ({"dask": 3}, "dask must be the address of a scheduler, got 3"),
        ({"dask": "tcp://a:1", "parallel": "threads"}, "or by the Dask cluster tcp://a:1; leave one out"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    for choose in (chosen_workers, check_choice):
        with pytest.raises(InputError, match=words):
            choose(**options)


def test_one_worker_and_each_name_is_a_choice() -> None:
    for options in ({}, {"n_workers": 1}, {"parallel": "threads"}, {"parallel": "processes"}, {"dask": "a"}):
        check_choice(**options)  # type: ignore[arg-type]
