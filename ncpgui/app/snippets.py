"""Snippets as in phy: a colon, a letter and what it takes. `run_snippet` does a line or says why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ncpgui.app.action import NOTHING_OPEN, Context
from ncpgui.app.actions import action
from ncpgui.app.unit_actions import label_units
from ncpgui.app.words import unit_names
from ncpgui.core.errors import InputError


@dataclass(frozen=True)
class Snippet:
    """A letter, what it does in a word, an example, and what that example does."""

    letter: str
    word: str
    example: str
    help: str
    run: Callable[[Context, str], None]


def run_snippet(context: Context, line: str) -> None:
    """Do one line, with or without its colon.

    Raises
    ------
    NcpguiError
        There is no such snippet, it lacks something, or it is impossible now; nothing has changed then.
    """
    if context.workspace.state.project is None:
        raise InputError(NOTHING_OPEN)
    letter, _, rest = line.strip().removeprefix(":").strip().partition(" ")
    known = ", ".join(f"{snippet.letter} ({snippet.word})" for snippet in SNIPPETS)
    if not letter:
        raise InputError(f"write a letter and what it takes: c 3 7 selects units; there are {known}")
    for snippet in SNIPPETS:
        if snippet.letter == letter:
            snippet.run(context, rest.strip())
            return
    raise InputError(f"there is no snippet '{letter}'; there are {known}")


def _select(context: Context, text: str) -> None:
    units = _units(context, text)
    if not units:
        raise InputError("c needs unit numbers, such as 'c 3 7' or 'c 3-7'")
    context.workspace.select(units)


def _units(context: Context, text: str) -> list[int]:
    """Units of ``3 7``, ``3,7`` and ``3-7``, each once; of a range those that there are."""
    known = sorted(context.workspace.state.clustering.unit_ids.tolist())
    units: list[int] = []
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError(f"'{part}' is not a unit number or a range such as 3-7")
        if dash and int(last) < int(first):
            raise InputError(f"{part} is not a range: the second number is smaller than the first")
        some = [unit for unit in known if int(first) <= unit <= int(last)] if dash else [int(first)]
        if not some:
            raise InputError(f"there is no unit in {part}")
        units += some
    missing = [str(unit) for unit in units if unit not in known]
    if missing:
        raise InputError(f"there {'is' if len(missing) == 1 else 'are'} no {unit_names(missing)}")
    return list(dict.fromkeys(units))


def _sort(context: Context, text: str) -> None:
    words = text.split()
    if not words:
        raise InputError("s needs a column of the unit table, such as 's SNR' or 's SNR desc'")
    column, way = (" ".join(words[:-1]), words[-1]) if len(words) > 1 else (text, "asc")
    if way not in ("asc", "desc"):
        raise InputError(f"sorting is asc or desc, got '{way}'")
    context.window.part("units").sort_by(column, descending=way == "desc")


def _label(context: Context, text: str) -> None:
    label, _, units = text.partition(" ")
    if not label:
        raise InputError("l needs a label, such as 'l good'")
    if units:
        _select(context, units)
    _allowed(context, "good")
    label_units(context, label, context.workspace.selected)


def _merge(context: Context, text: str) -> None:
    before = context.workspace.selected
    if text:
        context.workspace.select(_units(context, text))
    try:
        _allowed(context, "merge")
    except InputError:
        context.workspace.select(before)
        raise
    action("merge").run(context, 0)


def _allowed(context: Context, name: str) -> None:
    why_not = action(name).why_not(context)
    if why_not:
        raise InputError(why_not)


SNIPPETS = (
    Snippet("c", "select", "c 0 1", "Select units by their numbers; ranges such as 3-7 too.", _select),
    Snippet(
        "f",
        "filter",
        "f snr > 5",
        "List only units that fit; f alone lists all.",
        lambda c, text: c.window.part("units").set_filter(text),
    ),
    Snippet("s", "sort", "s SNR desc", "Sort the unit table by a column, asc or desc.", _sort),
    Snippet("l", "label", "l good", "Label the selected units, or others: l good 3 7.", _label),
    Snippet("g", "merge", "g", "Merge the selected units, or others: g 3 7.", _merge),
)
