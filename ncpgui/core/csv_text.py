"""Tables of text from anywhere: encoding and delimiter are found, and kept when they are written again."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

DELIMITERS = "\t;,| "
"""What cells may be divided by; a blank only where nothing else does."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Bytes at the start of a file that say its encoding; those of UTF-32 begin like those of UTF-16."""


_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Signs that begin a formula, also as wide characters, which some spreadsheets take for the same."""
_BLANK = ("\t", "\r", "\n")


@dataclass(frozen=True)
class Spelling:
    """How a file spells a table.

    mark : bytes before the text; encoding : of the text; before : lines before the table, as they are;
    delimiter : between cells; line_end : after rows; quoted : whether quotes hold cells together
    """

    mark: bytes = b""
    encoding: str = "utf-8"
    before: str = ""
    delimiter: str = "\t"
    line_end: str = "\n"
    quoted: bool = True

    def as_bytes(self, rows: Iterable[Sequence[str]]) -> bytes:
        """A file of these rows; in UTF-8 where the encoding lacks a character of them."""
        text = io.StringIO(newline="")
        text.write(self.before)
        csv.writer(
            text,
            delimiter=self.delimiter,
            lineterminator=self.line_end,
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
            quotechar='"' if self.quoted else None,
            escapechar=None if self.quoted else "\\",
        ).writerows(rows)
        try:
            return self.mark + text.getvalue().encode(self.encoding)
        except UnicodeEncodeError:
            return text.getvalue().encode("utf-8")


@dataclass(frozen=True)
class TextTable:
    """Rows that hold anything, cells as they are spelt, and how the file spells them."""

    rows: list[list[str]]
    spelling: Spelling


def decoded(data: bytes) -> tuple[str, bytes, str]:
    """Text of a file, its mark and its encoding: what the mark says, else UTF-16 or UTF-8 where it is
    either, else the western one of Windows. Bytes come back as they were when the text is encoded again.

    Raises
    ------
    ValueError
        It has the mark of an encoding that it is not in.
    """
    mark, encoding = next(((m, name) for m, name in _MARKS if data.startswith(m)), (b"", ""))
    body = data[len(mark) :]
    if not mark and len(body) >= 2 and 0 in body[:2] and body[:2] != b"\0\0":
        encoding = "utf-16-be" if body[0] == 0 else "utf-16-le"
    if encoding not in ("", "utf-8"):
        try:
            return body.decode(encoding), mark, encoding
        except UnicodeDecodeError as error:
            raise ValueError(f"it begins like text in {encoding} and is not: {error.reason}") from error
    for name in ("utf-8", "cp1252"):
        try:
            return body.decode(name), mark, name
        except UnicodeDecodeError:
            continue
    return body.decode("latin-1"), mark, "latin-1"


def read_table(data: bytes, known: Iterable[str] = ()) -> TextTable:
    """Read a table of any delimiter (tab, semicolon, comma, bar, blanks).

    known : names of columns as `plain` gives them; what divides cells is what makes them a cell of the header

    Raises
    ------
    ValueError
        It is no text, or a cell is longer than any table's.
    """
    text, mark, encoding = decoded(data)
    names = frozenset(known)
    line_end = "\r\n" if "\r\n" in text else "\r" if "\r" in text and "\n" not in text else "\n"
    lines = io.StringIO(text, newline="").readlines()
    start = next((i for i, line in enumerate(lines) if line.strip() and not _is_aside(line)), len(lines))
    if start > 0 and not names.isdisjoint(map(plain, re.split(f"[{DELIMITERS}]", lines[start - 1]))):
        start -= 1  # a header behind a #, as NumPy writes it
    before, body = "".join(lines[:start]), "".join(lines[start:])
    aside = body[: len(body) - len(body.lstrip("# "))] if body.startswith("#") else ""
    before, body = before + aside, body.removeprefix(aside)
    header = body.partition(line_end)[0]
    spelling = Spelling(mark, encoding, before, _delimiter(before, header, names), line_end)
    try:
        rows = list(_reader(body, spelling, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):  # a quote that nothing closes is a character like another
            spelling = replace(spelling, quoted=False)
        try:
            rows = list(_reader(body, spelling, strict=False))
        except csv.Error as lasting:
            raise ValueError(str(lasting)) from lasting
    return TextTable([row for row in rows if any(cell.strip() for cell in row)], spelling)


def plain(name: str) -> str:
    """The name of a column as names are compared: lower case, without quotes, blanks as underscores."""
    return "_".join(name.strip(" \"'#\t\r\n\ufeff").lower().replace("-", " ").replace("_", " ").split())


def text_cell(text: str) -> str:
    """Text for a cell that no spreadsheet computes: an apostrophe before what it would take for a formula.

    A note such as ``=HYPERLINK(...)`` or ``@SUM(...)`` is computed when the table is opened, and can send
    what is in it away or start a program. Blanks before the sign do not help.
    """
    is_formula = text.lstrip().startswith(_FORMULA) or text.startswith(_BLANK)
    return f"'{text}" if is_formula else text


def _is_aside(line: str) -> bool:
    """Whether a line before a table is none of it: a comment, or the delimiter as spreadsheets note it."""
    return line.startswith("#") or _noted_delimiter(line) != ""


def _noted_delimiter(line: str) -> str:
    words = line.rstrip("\r\n")
    return words[4] if words.lower().startswith("sep=") and len(words) == 5 else ""


def _delimiter(before: str, header: str, known: frozenset[str]) -> str:
    noted = [delimiter for line in before.splitlines() if (delimiter := _noted_delimiter(line))]
    if noted:
        return noted[-1]

    there = [delimiter for delimiter in DELIMITERS if delimiter in header.strip()]
    if not there:
        return DELIMITERS[0]

    def fit(delimiter: str) -> tuple[bool, int]:
        cells = header.split(delimiter)
        return not known.isdisjoint(map(plain, cells)), len(cells)

    return max([one for one in there if one != " "] or there, key=fit)


def _reader(body: str, spelling: Spelling, *, strict: bool) -> Iterable[list[str]]:
    return csv.reader(
        io.StringIO(body, newline=""),
        delimiter=spelling.delimiter,
        quoting=csv.QUOTE_MINIMAL if spelling.quoted else csv.QUOTE_NONE,
        skipinitialspace=spelling.delimiter == " ",
        strict=strict,
    )
