"""What went wrong in another library is said in words that tell people something."""

from __future__ import annotations

import pytest

from ncpgui.ephys.reasons import reason, way_out

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


def test_where_rights_are_lacking_the_way_out_is_to_get_them() -> None:
    assert (
        way_out(PermissionError(13, "Permission denied"), "write it again")
        == "see to it that you may read it"
    )
    assert way_out(OSError(5, "I/O error"), "write it again") == "write it again"
