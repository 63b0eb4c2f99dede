"""What no option can mean is refused where the option is read: an empty path, a number that is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from ncpgui.cli import options
from ncpgui.cli.main import cli
from ncpgui.core.errors import ExportError, SessionError
from ncpgui.export.registry import FORMATS
from ncpgui.session.schema import SessionPaths

from .conftest import Command


def parameters(command: click.Command = cli) -> Iterator[click.Parameter]:
    """Of all commands, and of the commands in them."""
    yield from command.params
    for inner in getattr(command, "commands", {}).values():
        yield from parameters(inner)


def refusal(one: click.Parameter, value: str) -> str:
    with pytest.raises(click.BadParameter) as told:
        one.type.convert(value, one, None)
    return told.value.message


def test_no_option_takes_an_empty_path() -> None:
    """An unset variable of a shell leaves one; it would be the working folder."""
    paths = [one for one in parameters() if isinstance(one.type, click.Path)]
    assert len(paths) > 20
    assert {refusal(one, "") for one in paths} == {"it is empty; give a path"}
    assert options.PATH.convert(".", None, None) == Path()


def test_no_option_with_a_range_takes_nan() -> None:
    ranges = [one for one in parameters() if isinstance(one.type, click.FloatRange)]
    assert len(ranges) > 8
    for one in ranges:
        assert "nan is not in the range" in refusal(one, "nan")


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("demo --duration", "5 and more"),
        ("sort --beam", "1 and more"),
        ("sort --jobs", "1 and more"),
        ("review --apply", "above 0.5, to 1"),
        ("review --beam", "1 and more"),
        ("review --jobs", "1 and more"),
        ("cluster --samples", "1 and more"),
        ("cluster --beam", "0 and more"),
        ("export --min-probability", "0 to 1"),
        ("findings --duration", "above 0"),
        ("findings --period", "above 0"),
        ("findings --draws", "2 and more"),
        ("findings --level", "above 0, below 1"),
        ("report --draws", "2 and more"),
        ("templates build --share", "above 0, to 1"),
        ("templates build --min-spikes", "10 and more"),
        ("train --minutes", "above 0"),
        ("train --steps", "1 and more"),
        ("simulate --duration", "above 0"),
        ("simulate --cells", "1 and more"),
        ("simulate --rate", "above 0"),
        ("models mix --share", "0 to 1"),
    ],
)
def test_numbers_are_taken_from_the_least_to_the_largest_that_means_something(
    option: str, values: str
) -> None:
    *names, flag = option.split()
    command: Any = cli
    for name in names:
        command = command.commands[name]
    (one,) = (one for one in command.params if flag in one.opts)
    step = 1 if isinstance(one.type, click.IntRange) else 1e-9
    least = float(re.findall(r"[\d.]+", values)[0])
    taken, refused = ([least + step], [least]) if "above" in values else ([least], [least - step])
    if "1" in values.partition("to")[2]:
        taken, refused = [*taken, 1], [*refused, 1 + step]
    elif "below 1" in values:
        taken, refused = [*taken, 1 - step], [*refused, 1]
    else:
        taken = [*taken, 10**6]
    whole = isinstance(one.type, click.IntRange)
    words = [[f"{n:.0f}" if whole else repr(n) for n in some] for some in (taken, refused)]
    assert [float(one.type.convert(n, one, None)) for n in words[0]] == pytest.approx(taken, abs=1e-12)
    for n in words[1]:
        assert "is not in the range" in refusal(one, n)


def test_no_other_option_has_a_range() -> None:
    ranges = [one for one in parameters() if isinstance(one.type, (click.IntRange, click.FloatRange))]
    assert len(ranges) == 22


@pytest.mark.parametrize("path", ["", ".", "/", ".."])
def test_a_folder_without_a_name_is_no_session_and_no_file_of_an_export(path: str) -> None:
    with pytest.raises(SessionError, match="is a folder, not a session"):
        SessionPaths.of(path)
    for one in FORMATS.values():
        if not one.is_folder:
            with pytest.raises(ExportError, match="it is a folder; give the name of a file"):
                one.with_suffix(Path(path))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sort", "r.raw", "--out", ""], "'--out': it is empty; give a path"),
        (["sort", "r.raw", "--out", "."], "'.' is a folder, not a session"),
        (["info", "/"], "'/' is a folder, not a session"),
        (["cluster", "w.npz", "--out", "o.npz", "--model", ""], "w.npz does not exist"),
        (["review", "phy", "--apply", "nan"], "nan is not in the range 0.5<x<=1"),
    ],
)
def test_such_values_are_told_in_one_line(ncpgui: Command, words: list[Any], said: str) -> None:
    ran = ncpgui(*words)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
