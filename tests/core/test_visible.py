"""What a terminal would obey is shown as what it is; words of any language stay words."""

from __future__ import annotations

import logging

import pytest

from ncpgui.core.csv_text import text_cell
from ncpgui.core.visible import visible, visible_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;owned\x07", r"\x1b[2J\x1b]0;owned\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("a\r\nerror: fake", r"a\r\nerror: fake"),
        ("tab\there", r"tab\there"),
        ("\x7f\b\0", r"\x7f\x08\x00"),
        ("gpj.\u202egnp", r"gpj.\u202egnp"),
        ("zero\u200bwidth\u2066\ufeff", r"zero\u200bwidth\u2066\ufeff"),
        ("line\u2028\u2029", r"line\u2028\u2029"),
        ("tag\U000e0041", r"tag\U000e0041"),
        (b"Aufnahme \xfc\xff.raw".decode("utf-8", "surrogateescape"), r"Aufnahme \xfc\xff.raw"),
        ("\ud800", r"\ud800"),
    ],
)
def test_characters_that_are_no_text_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["µm, Ω", "神経細胞", "اَلْعَرَبِيَّةُ", "می‌خواهم", "क्‍ष", "👩‍🔬", "C:\\data\\x1b"])
def test_words_of_any_language_stay(text: str) -> None:
    assert visible(text) == text


def test_of_several_lines_the_ends_stay() -> None:
    assert visible_lines("one\n\ttwo\x1b\r\n") == "one\n\ttwo\\x1b\\r\n"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\t=1", "'\t=1"),
        ("\r", "'\r"),
        ("\u00a0=1", "'\u00a0=1"),
        ("\uff1d1", "'\uff1d1"),
        ("good", "good"),
        ("a=b", "a=b"),
        ("3 - 4", "3 - 4"),
        ("", ""),
    ],
)
def test_a_cell_of_text_is_no_formula(text: str, cell: str) -> None:
    assert text_cell(text) == cell


def test_an_entry_of_the_log_cannot_pretend_to_be_another() -> None:
    from ncpgui.gui.application import LogFormatter

    record = logging.LogRecord(
        "ncpgui", logging.ERROR, "", 0, "cannot open %s", ("\x1b[31ma\nINFO all well",), None
    )
    assert LogFormatter("%(levelname)s %(message)s").format(record) == (
        "ERROR cannot open \\x1b[31ma\n    INFO all well"
    )
