"""What people see in a terminal: a progress bar, or plain lines where there is no terminal."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import click

from ncpgui.core.percent import percent as words_of
from ncpgui.core.progress import Progress
from ncpgui.core.visible import visible

PLAIN_EVERY_SHARE = 0.1
PLAIN_LEAST_S, PLAIN_MOST_S = 1.0, 5.0
EXPECTED_FROM_S, EXPECTED_FROM_SHARE = 60.0, 0.02


def echo(line: str = "") -> None:
    """Write one line on stdout; what a terminal would obey in it is written out."""
    click.echo(visible(line))


def tell(line: str) -> None:
    """Write one line on stderr, which is never worth the work: where it cannot be written, it is not."""
    with suppress(OSError):
        click.echo(visible(line), err=True)


def notes(*sentences: str) -> None:
    """Tell sentences, each as a note; an empty one is none."""
    for sentence in filter(None, sentences):
        tell(f"note: {sentence}")


def has_a_person(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal with a person at it.

    To a command, a cell of a notebook looks like a terminal too. But it prints each picture of a bar below
    the one before, and nobody can answer a question there. Jupyter names itself in ``JPY_PARENT_PID``.
    """
    return stream is not None and stream.isatty() and "JPY_PARENT_PID" not in os.environ


@contextmanager
def progress_report(title: str) -> Iterator[Progress]:
    """Yield a progress callback that draws on stderr while the block runs."""
    if has_a_person(sys.stderr):
        with _bar(title) as report:
            yield report
    else:
        yield PlainProgress(title)


@contextmanager
def _bar(title: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from ncpgui.cli.streams import drawn_on, show_control_characters

    columns = (
        TextColumn("[bold]{task.fields[title]}"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    console = Console(file=drawn_on(sys.stderr))
    with Bar(*columns, console=console, transient=True) as bar:
        show_control_characters()  # rich has put streams of its own in place, until the bar is gone
        task = bar.add_task("", title=title, total=None)

        def report(done: int, total: int, message: str = "") -> None:
            bar.update(task, completed=done, total=max(total, 1), description=visible(message))

        yield report


class PlainProgress:
    """A line on stderr for every tenth of the work, or every 5 s; none within a second of the last.

    After the first minute it says how long the whole will take.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._started = self._last_time = time.monotonic()
        self._last_share = 0.0

    def __call__(self, done: int, total: int, message: str = "") -> None:
        """Report `done` of `total` steps."""
        share, now = done / max(total, 1), time.monotonic()
        waited = now - self._last_time
        much = abs(share - self._last_share) >= PLAIN_EVERY_SHARE
        if waited >= PLAIN_MOST_S or (much and waited >= PLAIN_LEAST_S):
            self._last_share, self._last_time = share, now
            passed_s = now - self._started
            words = f"{expected(share, passed_s)}  {message}" if message else expected(share, passed_s)
            tell(f"{self._title}: {share:4.0%}  {passed_s:5.0f} s{words}")


def expected(share: float, passed_s: float) -> str:
    """How long all of the work will take if it goes on as it has begun; nothing within the first minute."""
    if passed_s < EXPECTED_FROM_S or not EXPECTED_FROM_SHARE <= share < 1:
        return ""
    minutes = passed_s / share / 60
    return f" of about {minutes:.0f} min" if minutes < 100 else f" of about {minutes / 60:.1f} h"


def print_json(value: Any) -> None:
    """Write `value` as indented JSON on stdout; null for nan and infinity, which JSON lacks."""
    from ncpgui.core.json_text import as_json

    known = as_json(value, lambda number: number if math.isfinite(number) else None)
    click.echo(json.dumps(known, indent=2, default=str))


def print_explained(columns: Mapping[str, str], rows: list[list[str]]) -> None:
    """Write a table on stdout, and below it what each of its columns means."""
    print_table(list(columns), rows)
    echo()
    for name, meaning in columns.items():
        echo(f"{name}: {meaning}")
    echo()


def print_table(columns: list[str], rows: list[list[str]]) -> None:
    """Write a table on stdout: drawn on a terminal, tab-separated elsewhere."""
    if not sys.stdout.isatty():
        for row in [columns, *rows]:
            click.echo("\t".join(map(visible, row)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ncpgui.cli.streams import drawn_on

    table = Table(header_style="bold", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    Console(file=drawn_on(sys.stdout)).print(table)


def one_line(message: object) -> str:
    """Message of an error as a single line."""
    return " ".join(str(message).split())


def percent(share: float) -> str:
    """A probability as the window has it, in characters that each terminal has: "55%", "<1%", ">99%"."""
    return words_of(share).replace("\u2009", "")
