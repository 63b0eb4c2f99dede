"""Text from outside in tables that spreadsheets open: none of it is a formula."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Signs that begin a formula, also as wide characters, which some spreadsheets take for the same."""
_BLANK = ("\t", "\r", "\n")


def text_cell(text: str) -> str:
    """Text for a cell that no spreadsheet computes: an apostrophe before what it would take for a formula.

    A note such as ``=HYPERLINK(...)`` or ``@SUM(...)`` is computed when the table is opened, and can send
    what is in it away or start a program. Blanks before the sign do not help.
    """
    is_formula = text.lstrip().startswith(_FORMULA) or text.startswith(_BLANK)
    return f"'{text}" if is_formula else text
