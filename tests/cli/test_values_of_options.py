"""What no option can mean is refused where the option is read: an empty path, a number that is none."""

from __future__ import annotations

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
