"""A table that a script writes into a page, between two marks."""

from __future__ import annotations


def with_table(page: str, table: str, begin: str, end: str) -> str:
    """Return the page with `table` between the lines `begin` and `end`, in place of what is there."""
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    return f"{before}{begin}\n{table}\n{end}{after}"
