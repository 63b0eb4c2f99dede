"""Commands that tests cannot run (they install, or run the tests) say what setup.py and the Makefile have."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import click

from ncpgui.cli.main import cli
from tests.docs.printed import ROOT


def check_make(words: list[str]) -> None:
    """Targets are in the Makefile, and what is set for them is used there."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):", text, flags=re.MULTILINE)
    for word in words:
        name, _, value = word.partition("=")
        assert f"$({name})" in text if value else word in targets, f"make {word}"


def check_pip(words: list[str]) -> None:
    """``pip install`` of this folder with known extras, or of a pinned package; files are there."""
    assert words[0] == "install"
    rest = iter(words[1:])
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    for word in rest:
        if word == "-c":
            assert (ROOT / next(rest)).is_file()
        elif word == "--index-url":
            assert next(rest) in (ROOT / "scripts" / "set_up.sh").read_text(encoding="utf-8")
        elif word.startswith("."):
            extra = re.fullmatch(r"\.(?:\[(\w+)\])?", word)
            assert extra is not None, word
            assert not extra[1] or f'"{extra[1]}": ' in setup, word
        elif word != "-e":
            assert any(line.partition(";")[0].strip() == word for line in pins), f"not pinned: {word}"


def check_sigui(words: list[str]) -> None:
    """The window of SpikeInterface: its options, where it is installed."""
    assert '"sigui": ["spikeinterface-gui' in (ROOT / "setup.py").read_text(encoding="utf-8")
    found = find_spec("spikeinterface_gui")
    if found is None or found.origin is None:
        return
    known = Path(found.origin).with_name("main.py").read_text(encoding="utf-8")
    assert [word for word in words if word.startswith("-") and f"'{word}'" not in known] == []


def check_ncpgui(text: str) -> None:
    """A call of ncpgui as prose shows it, ``ncpgui sort RECORDING --out FILE``: command and options exist.

    Brackets mean that something may be left out. A command that is only mentioned has no arguments.
    """
    words = shlex.split(re.sub(r"[\[\]]", "", text))[1:]
    if not words:
        return
    command: click.Command = cli
    if words[0] in cli.commands:
        command = cli.commands[words.pop(0)]
        if isinstance(command, click.Group) and words:
            assert words[0] in command.commands, text
            command = command.commands[words.pop(0)]
    else:
        assert re.fullmatch(r"[A-Z]+|\S+\.\w+|--?\w+", words[0]), f"no such command: {text}"
    with click.Context(command, info_name=command.name, resilient_parsing=True) as context:
        try:
            command.make_parser(context).parse_args(words)
        except click.UsageError as error:
            raise AssertionError(f"{text}: {error.format_message()}") from error


def options() -> set[str]:
    """Every option of ncpgui."""
    commands = list(cli.commands.values())
    commands += [c for group in commands if isinstance(group, click.Group) for c in group.commands.values()]
    params = [p for command in (cli, *commands) for p in command.params if isinstance(p, click.Option)]
    return {name for param in params for name in param.opts} | {"--help", "--version"}
