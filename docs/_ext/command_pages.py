"""The page of all commands is made from the program itself: what ``--help`` says, as a page."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click
from copied_pages import COPIED, write_if_changed

from ncpgui.cli.commands import help_record
from ncpgui.cli.main import cli

if TYPE_CHECKING:
    from sphinx.application import Sphinx

BAR = "\\|"
"""A bar inside a cell of a table."""
OPTION = re.compile(r"(?<![\w`-])(--[a-z][\w-]*)")


def commands() -> dict[str, click.Command]:
    """All commands by their words, such as 'templates build'."""
    found: dict[str, click.Command] = {}
    for name, command in cli.commands.items():
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": one for inner, one in command.commands.items()}
    return found


def page_of(name: str, command: click.Command) -> str:
    """A section about one command: its call, what it does, its options."""
    context = click.Context(command, info_name=f"ncpgui {name}")
    call = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    about = cleandoc((command.help or "").replace("\b", ""))
    options = [param for param in command.get_params(context) if isinstance(param, click.Option)]
    records = [record for option in options if (record := help_record(option, context))]
    rows = [f"| `{names.replace('|', BAR)}` | {cell(words)} |" for names, words in records]
    table = ["| option | what it does |", "|---|---|", *rows]
    lines = cleandoc((command.epilog or "").replace("\b", "").replace("Examples:", "")).strip("\n")
    shown = f"\n```sh\n{cleandoc(lines)}\n```\n" if lines else ""
    head = f"## ncpgui {name}\n\n```text\n{call}\n```\n\n{escaped(about)}\n\n"
    return head + "\n".join(table) + "\n" + shown


def cell(words: str) -> str:
    """Words in a cell of a table."""
    return escaped(" ".join(words.split())).replace("|", BAR)


def escaped(words: str) -> str:
    """Words that Markdown would take for links, code or HTML, as they are; an option is code."""
    parts = OPTION.split(words)
    for mark in "[]<>*_":
        parts[::2] = [part.replace(mark, "\\" + mark) for part in parts[::2]]
    return "".join(f"`{part}`" if place % 2 else part for place, part in enumerate(parts))


def write_page(app: Sphinx) -> None:
    """Write the text that reference/commands.md includes."""
    sections = [page_of(name, command) for name, command in commands().items()]
    write_if_changed(COPIED / "commands.txt", "\n".join(sections))


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
