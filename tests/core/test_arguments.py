"""What callers pass is taken as it was meant, NumPy's numbers too, or refused by name and value."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.arguments import (
    NUMBERS,
    WHOLE_NUMBERS,
    array,
    instance,
    number,
    pairs,
    path,
    reporting,
    shown,
    true_or_false,
    whole_number,
)
from ncpgui.core.config import check_types, from_dict
from ncpgui.core.errors import InputError
from ncpgui.core.progress import silent


@pytest.mark.parametrize("given", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_whole_numbers_of_any_kind_are_ints(given: Any) -> None:
    found = whole_number(given, "samples", least=3)
    assert (found, type(found)) == (3, int)


@pytest.mark.parametrize(
    "given", [3.0, 2.5, "3", None, True, np.bool_(True), [3], np.array([3, 4]), 1j, float("nan")]
)
def test_what_is_no_whole_number_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"^samples must be a whole number, got "):
        whole_number(given, "samples")


def test_a_whole_number_may_have_a_least() -> None:
    with pytest.raises(InputError, match=r"^samples must be a whole number from 1 on, got -2$"):
        whole_number(-2, "samples", least=1)


@pytest.mark.parametrize("given", [2.5, np.float32(2.5), np.array(2.5)])
def test_numbers_of_any_kind_are_floats(given: Any) -> None:
    found = number(given, "rate")
    assert (found, type(found)) == (2.5, float)
    assert number(7, "rate") == 7.0


@pytest.mark.parametrize(
    "given", ["2.5", None, True, [2.5], np.array([2.5]), 1j, Decimal(1), np.datetime64("2020")]
)
def test_what_is_no_number_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"^rate must be a number, got "):
        number(given, "rate")


def test_a_number_that_no_float_holds_is_refused() -> None:
    with pytest.raises(InputError, match=r"^rate is too large a number"):
        number(10**400, "rate")


def test_arrays_come_as_they_are() -> None:
    assert array([[1, 2], [3, 4]], "x").tolist() == [[1, 2], [3, 4]]
    assert array([], "x").shape == (0,)
    whole = array([1.0, -2.0], "x", WHOLE_NUMBERS)
    assert (whole.tolist(), whole.dtype) == ([1, -2], np.int64)


@pytest.mark.parametrize(
    ("given", "kinds", "words"),
    [
        ("abc", NUMBERS, r"x must be an array of numbers, got 'abc' \(str\)"),
        (None, NUMBERS, "x must be an array of numbers, got None"),
        ([[1], [1, 2]], NUMBERS, "x must be an array of numbers: "),
        (["a"], NUMBERS, "x must be an array of numbers, got an array of <U1"),
        ([None], NUMBERS, "x must be an array of numbers, got an array of object"),
        ([True], NUMBERS, "x must be an array of numbers, got an array of bool"),
        ([1j], NUMBERS, "x must be an array of numbers, got an array of complex128"),
        ([0.5], WHOLE_NUMBERS, "x must be whole numbers, got 0.5"),
        ([1.0, np.nan], WHOLE_NUMBERS, "x must be whole numbers, got nan"),
        ([1e300], WHOLE_NUMBERS, r"x must be whole numbers, got 1e\+300"),
    ],
)
def test_arrays_of_something_else_are_refused(given: Any, kinds: str, words: str) -> None:
    with pytest.raises(InputError, match=rf"^{words}"):
        array(given, "x", kinds)


def test_pairs_come_out_of_whatever_holds_them() -> None:
    for given in ([(0, 1)], np.array([[0, 1]]), {(0, 1)}, (pair for pair in [(0, 1)]), [[0.0, 1.0]]):
        assert pairs(given, "must_link") == [(0, 1)]
    for none in (None, (), np.zeros((0, 2))):
        assert pairs(none, "must_link") == []


@pytest.mark.parametrize("given", ["ab", 3, (0, 1), [(0, 1, 2)], [("a", "b")], [(0.5, 1)], [(0, 1), (2,)]])
def test_what_is_no_pair_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"^must_link must be "):
        pairs(given, "must_link")


def test_progress_is_a_function_of_three_or_nobody() -> None:
    def report(done: int, total: int, message: str = "") -> None: ...

    assert reporting(None) is silent
    for told in (report, print, lambda *_: None):
        assert reporting(told) is told
    for wrong in (True, "bar", lambda done: None, lambda: None, 3):
        with pytest.raises(
            InputError, match=r"^progress must be a function of \(done, total, message\), or None"
        ):
            reporting(wrong)


def test_paths_are_text_or_paths() -> None:
    assert path("a/b", "the session") == path(Path("a/b"), "the session") == Path("a/b")
    for wrong in (None, 3, b"a", ["a"]):
        with pytest.raises(InputError, match=r"^the session must be given as text or a path, got "):
            path(wrong, "the session")


def test_choices_are_true_or_false() -> None:
    assert true_or_false(np.bool_(True), "posterior") is True
    for wrong in ("no", 0, None, np.array([True])):
        with pytest.raises(InputError, match=r"^posterior must be True or False, got "):
            true_or_false(wrong, "posterior")


def test_a_value_of_another_class_is_refused_with_a_way_out() -> None:
    assert instance(3, int, "n", "give one") == 3
    with pytest.raises(InputError, match=r"^n must be a int, got a dict; give one$"):
        instance({"long": "x" * 99}, int, "n", "give one")


@dataclass(frozen=True)
class _Settings:
    n: int = 1
    rate: float = 1.0
    on: bool = False
    name: str = "a"
    two: tuple[float, float] = (0.0, 1.0)
    radius: float | None = None

    def __post_init__(self) -> None:
        check_types(self)


def test_settings_take_numbers_of_numpy_and_paths_for_names() -> None:
    given = {
        "n": np.int32(4),
        "rate": np.float32(2.5),
        "on": np.bool_(True),
        "name": Path("b"),
        "two": np.array([1, 2]).tolist(),
        "radius": np.float64(3),
    }
    expected = _Settings(4, 2.5, True, "b", (1.0, 2.0), 3.0)
    assert from_dict(_Settings, given) == _Settings(**given) == expected
    assert [type(value) for value in vars(_Settings(**given)).values()] == [
        int,
        float,
        bool,
        str,
        tuple,
        float,
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", 1.5),
        ("n", np.float32(2)),
        ("n", True),
        ("rate", "1"),
        ("rate", None),
        ("on", 1),
        ("two", 3),
        ("name", 3),
    ],
)
def test_settings_of_another_type_are_refused_by_name(name: str, value: Any) -> None:
    for make in (lambda: _Settings(**{name: value}), lambda: from_dict(_Settings, {name: value})):
        with pytest.raises(InputError, match=f"{name} must be (of type|a list)"):
            make()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (3, "3 (int)"),
        ("x" * 58, f"'{'x' * 58}' (str)"),  # sixty characters with the quotes
        ("x" * 59, "a str"),
        ({}, "{} (dict)"),
        (Path, "<class 'pathlib.Path'> (type)"),
    ],
)
def test_short_values_are_shown_as_they_are_and_others_by_their_type(value: Any, words: str) -> None:
    assert shown(value) == words
