"""Values that take work are made once, when somebody asks; what nobody asks for any more gives way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from later import Later

from ncpgui.app.work.computed import Computed
from ncpgui.app.work.tasks import Immediate, Runner
from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress


class Squares:
    """Squares of numbers, made by a runner; three is one that fails."""

    def __init__(self, runner: Runner, **options: Any) -> None:
        self.made: list[list[int]] = []
        self.said: list[Any] = []
        self.values: Computed[str, int, int] = Computed(
            "squares", self._make, runner, arrived=self.said.append, failed=self.said.append, **options
        )

    def _make(self, given: Mapping[str, int], progress: Progress) -> dict[str, int]:
        self.made.append([*given.values()])
        if 3 in given.values():
            raise InputError("three is not squared (--three); give a --number")
        return {key: number**2 for key, number in given.items()}


@pytest.fixture
def later() -> Later:
    return Later()


def test_a_value_is_none_until_it_was_made_and_is_made_once(later: Later) -> None:
    squares = Squares(later)
    assert squares.values.get("a", 5) is None
    assert squares.values.get("a", 5) is None
    assert [(task.words, task.key, task.lane) for task in later.waiting] == [("Squares", "squares", "view")]
    later.run()
    assert squares.said == [{"a": 25}]
    assert squares.values.get("a", 5) == 25
    assert not later.waiting
    assert squares.made == [[5]]


def test_looking_at_what_is_known_begins_nothing(later: Later) -> None:
    squares = Squares(later)
    assert squares.values.known("a") is None
    assert not later.waiting


def test_with_a_runner_that_does_it_at_once_the_first_answer_has_the_value() -> None:
    assert Squares(Immediate()).values.get("a", 6) == 36


def test_of_several_only_those_that_are_missing_are_made() -> None:
    squares = Squares(Immediate())
    squares.values.get("a", 1)
    assert squares.values.get_all({"a": 1, "b": 2}) == {"a": 1, "b": 4}
    assert squares.made == [[1], [2]]


def test_a_newer_question_takes_the_place_of_one_under_way_whose_answer_is_dropped(later: Later) -> None:
    squares = Squares(later)
    squares.values.get("a", 1)
    later.work()
    squares.values.get("b", 2)
    later.run()
    assert squares.said == [{"b": 4}]
    assert squares.values.known("a") is None
    squares.values.get("a", 1)
    later.run()
    assert squares.values.known("a") == 1


def test_a_part_of_what_is_asked_for_goes_on_while_it_is_under_way(later: Later) -> None:
    squares = Squares(later)
    squares.values.get("a", 1)
    squares.values.get_all({"a": 1, "b": 2})
    assert len(later.waiting) == 1
    later.run()
    squares.values.get_all({"a": 1, "b": 2})
    later.run()
    assert squares.made == [[1], [2]]


def test_so_many_at_once_and_the_others_when_somebody_asks_again(later: Later) -> None:
    squares = Squares(later, at_once=2)
    wanted = {"a": 1, "b": 2, "c": 4}
    squares.values.get_all(wanted)
    later.run()
    assert squares.made == [[1, 2]]
    assert squares.values.get_all(wanted) == {"a": 1, "b": 4}
    later.run()
    assert squares.values.get_all(wanted) == {"a": 1, "b": 4, "c": 16}


def test_what_failed_says_why_and_is_not_tried_again(later: Later) -> None:
    squares = Squares(later)
    assert squares.values.problem == ""
    for _ in range(2):
        assert squares.values.get("c", 3) is None
        later.run()
    assert squares.made == [[3]]
    assert squares.said == ["three is not squared; give a number"]
    assert squares.values.problem == "three is not squared; give a number"
    squares.values.get("a", 1)
    later.run()
    assert squares.values.known("a") == 1


def test_what_was_cancelled_is_asked_for_again(later: Later) -> None:
    squares = Squares(later)
    squares.values.get("a", 1)
    later.cancel("view")
    assert squares.said == []
    squares.values.get("a", 1)
    later.run()
    assert squares.said == [{"a": 1}]


def test_only_the_newest_are_kept_where_there_are_many() -> None:
    squares = Squares(Immediate(), most=2)
    for key, number in (("a", 1), ("b", 2), ("c", 4)):
        squares.values.get(key, number)
    assert len(squares.values) == 2
    assert squares.values.known("a") is None
    assert squares.values.known("c") == 16


def test_tasks_wait_and_go_first_as_was_said(later: Later) -> None:
    Squares(later, priority=3, after_s=0.5).values.get("a", 1)
    assert [(task.priority, task.after_s) for task in later.waiting] == [(3, 0.5)]
