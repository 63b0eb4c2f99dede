"""Filter expressions: written as in phy, only names of columns, one line that says what is wrong."""

from __future__ import annotations

import pytest

from ncpgui.app.presenters.unit_columns import COLUMNS
from ncpgui.app.presenters.unit_filter import unit_filter
from ncpgui.core.errors import InputError

nan = float("nan")
A = {
    "id": 3, "label": "good", "accepted": True, "channel": 5, "n_spikes": 1200, "rate_hz": 4.0,
    "p_neuron": 0.95, "p_pure": 0.8, "depth_um": 150.0, "tag": "axon", "note": "same as 17 in the morning",
}  # fmt: skip
B = {**A, "id": 17, "label": "mua", "accepted": False, "rate_hz": 0.5, "tag": "", "note": "",
     "p_neuron": 0.5, "p_pure": nan}  # fmt: skip
C = {**A, "id": 31, "label": "unsorted", "accepted": False, "rate_hz": 9.0, "channel": 7, "tag": "",
     "note": "", "p_neuron": nan, "p_pure": nan}  # fmt: skip


def found(text: str) -> list[int]:
    return [row["id"] for row in filter(unit_filter(text), (A, B, C))]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("", [3, 17, 31]),
        ("fr > 1", [3, 31]),
        ("fr > 1 & p_neuron > .9", [3]),
        ("fr > 1 && p_neuron > .9", [3]),
        ("fr > 1 and not p_neuron > .9", [31]),
        ("label == 'good'", [3]),
        ("group == 'good'", [3]),
        ("group == good", [3]),
        ("label != 'good'", [17, 31]),
        ("label !== 'good' || fr < 1", [17, 31]),
        ("label == 'good' | label == \"mua\"", [3, 17]),
        ("(fr > 1 | ch == 7) & !accepted", [31]),
        ("~(fr > 1)", [17]),
        ("accepted", [3]),
        ("accepted == False", [17, 31]),
        ("0.4 < fr <= 4", [3, 17]),
        ("n_spikes / fr > 1000", [17]),
        ("-fr < -4", [31]),
        ("tag == 'axon'", [3]),
        ("tag == 'a & b'", []),
        ("depth == 150 & id > 3", [17, 31]),
    ],
)
def test_expressions(text: str, units: list[int]) -> None:
    assert found(text) == units


@pytest.mark.parametrize(
    ("text", "units"), [("17", [3, 17]), ("3 31", [3, 31]), ("#31", [31]), ("axo", [3]), ("MORNING", [3])]
)
def test_numbers_and_words_are_searched_for(text: str, units: list[int]) -> None:
    """Unit 3 is found by 17 too: its note names it."""
    assert found(text) == units


def test_a_comparison_with_what_is_not_known_holds_of_no_unit() -> None:
    assert found("p_neuron < 2") == [3, 17]
    assert found("p_neuron != 0.5") == [3]
    assert found("p_pure >= 0") == [3]


UNREADABLE = "the filter '{}' cannot be read; write comparisons such as fr > 1 & label == 'good'"
UNLIKE = (
    "'{}' and '{}' in the filter cannot be compared so: words are compared with == or != and a word in "
    "quotes, as in label == 'good'"
)
STRANGE = (
    "'{}' is not allowed in a filter; it takes names of columns, numbers, words in quotes, + - * / and "
    "comparisons"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fr >", UNREADABLE.format("fr >")),
        ("(fr > 1", UNREADABLE.format("(fr > 1")),
        ("label > 3", UNLIKE.format("label", "3")),
        ("label < 'good'", UNLIKE.format("label", "'good'")),
        ("fr + 1", "'fr + 1' in the filter is neither true nor false; compare it, as in fr > 1"),
        ("fr in (1, 2)", "a filter compares with <, <=, >, >=, == or !=; combine comparisons with & and |"),
        ("fr > open('x')", STRANGE.format("open('x')")),
        ("fr > ch.real", STRANGE.format("ch.real")),
        ("fr > 2 ** 9", STRANGE.format("2 ** 9")),
    ],
)
def test_a_bad_expression_says_what_is_wrong_with_it(text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        unit_filter(text)
    assert str(error.value) == words


def test_an_unknown_name_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(
        InputError, match="there is no 'frr' to filter by; there are id, name, accepted, label"
    ) as error:
        unit_filter("frr > 1")
    for column in COLUMNS:
        assert column.name in str(error.value)
    assert "\n" not in str(error.value)


def test_nothing_is_run() -> None:
    for text in ("__import__('os')", "(lambda: 1)() > 0", "[x for x in (1,)]", "fr > f'{fr}'", "fr > 1j"):
        with pytest.raises(InputError):
            unit_filter(text)
    with pytest.raises(InputError, match="cannot be read"):
        unit_filter("(" * 5000 + "fr" + ")" * 5000 + " > 1")
