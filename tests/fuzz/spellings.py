"""Texts as other programs spell them: encodings, ends of lines, delimiters, orders of columns."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "cp437")
KNOWABLE = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1")
"""Encodings that a mark says, or in which western letters are the same."""


@st.composite
def another_encoding(draw: st.DrawFn, content: bytes) -> bytes:
    """A text in another encoding, with other ends of lines, and with letters that ASCII lacks."""
    text = content.decode("utf-8", "replace")
    text = text.replace("\n", draw(st.sampled_from(("\n", "\r\n", "\r"))))
    letters = draw(st.sampled_from(("", "é", "µ", "ä", "\x85", "\u2028")))
    place = draw(st.integers(0, len(text)))
    text = text[:place] + letters + text[place:]
    return text.encode(draw(st.sampled_from(ENCODINGS)), "replace")


@st.composite
def other_columns(draw: st.DrawFn, content: bytes) -> bytes:
    """A table whose columns are in another order, divided by something else, or one of them twice or not."""
    lines = content.decode("utf-8", "replace").splitlines()
    delimiter = next((one for one in "\t;, " if lines and one in lines[0]), ",")
    rows = [line.split(delimiter) for line in lines]
    width = max(map(len, rows), default=0)
    order = draw(st.permutations(range(width)))
    order = draw(st.sampled_from((order, order[1:], [*order, *order[:1]])))
    return table(
        [[row[place] if place < len(row) else "" for place in order] for row in rows],
        draw(st.sampled_from("\t;,| ")),
    )


def table(rows: Sequence[Sequence[str]], delimiter: str = "\t", end: str = "\n") -> bytes:
    """Rows as text in UTF-8."""
    return "".join(delimiter.join(row) + end for row in rows).encode("utf-8", "replace")
