"""What went wrong in another library is said in words that tell people something."""

from __future__ import annotations

import pytest

from ncpgui.ephys.reasons import reason

UNKNOWN = "it is not complete, or not as its reader expects it"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("two  words\nand more"), "two words"),
        (ValueError(), UNKNOWN),
        (ValueError("\n\n"), UNKNOWN),
        (KeyError("name"), "it lacks 'name'"),
        (KeyError(), "it lacks something that belongs there"),
        (FileNotFoundError(2, "No such file", "a.dat"), "No such file: a.dat"),
        (OSError("odd"), "odd"),
        (IndexError("list index out of range"), UNKNOWN),
        (TypeError("'int' object is not iterable"), UNKNOWN),
        (AssertionError("only one stream"), f"{UNKNOWN} (only one stream)"),
        (AssertionError(), UNKNOWN),
        (NotImplementedError("version 9"), f"{UNKNOWN} (version 9)"),
    ],
)
def test_an_error_is_told_by_its_first_line_or_by_what_it_means(error: Exception, words: str) -> None:
    assert reason(error) == words
