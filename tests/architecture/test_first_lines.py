"""The first line of every file says, in a whole sentence or a name, what a stranger finds in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VAGUE = {"utils", "utilities", "helpers", "misc", "various", "stuff", "todo", "tbd"}


def first_line(text: str) -> str:
    """First line of the docstring of a file, "" where there is none."""
    found = re.match(r'(?:#.*\n|\s)*r?"""(.*)', text)
    return found[1].strip() if found else ""


def problem_of(text: str) -> str:
    """What is wrong with the first line of a file; empty where nothing is."""
    line = first_line(text).removesuffix('"""')
    if not line:
        return "it says nothing"
    if not line.endswith((".", ":", "?", "!")):
        return "it does not end: the first line must be whole"
    words = line.strip(".:?!").lower().split()
    if len(words) < 3 or VAGUE & set(words):
        return "it is too vague to tell this file from another"
    return ""


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Every file of the package, the benchmarks and the scripts that is not empty, by its path."""
    paths = [path for folder in ("ncpgui", "benchmarks", "scripts") for path in (ROOT / folder).rglob("*.py")]
    read = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}
    return {name: text for name, text in read.items() if text.strip()}


def test_every_first_line_says_what_is_in_the_file(texts: dict[str, str]) -> None:
    assert {name: problem_of(text) for name, text in texts.items() if problem_of(text)} == {}


def test_no_two_files_say_the_same_of_themselves(texts: dict[str, str]) -> None:
    names: dict[str, list[str]] = {}
    for name, text in texts.items():
        names.setdefault(first_line(text), []).append(name)
    assert [same for same in names.values() if len(same) > 1] == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('"""Spikes of a recording, found by their troughs."""\n', ""),
        ('#!/usr/bin/env python\n"""Spikes of a recording, found by their troughs.\n\nMore."""\n', ""),
        ("x = 1\n", "it says nothing"),
        (
            '"""Spikes of a recording,\nfound by troughs."""\n',
            "it does not end: the first line must be whole",
        ),
        ('"""Helpers for plots."""\n', "it is too vague to tell this file from another"),
        ('"""Spikes."""\n', "it is too vague to tell this file from another"),
    ],
)
def test_a_line_that_says_too_little_is_found(text: str, problem: str) -> None:
    assert problem_of(text) == problem
