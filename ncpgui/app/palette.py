"""The command palette: all actions, units and components that a few letters find, the best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from ncpgui.app.action import Action, Context, shown_keys
from ncpgui.app.actions import ACTIONS
from ncpgui.app.model.workspace import Workspace

PLACES = ("unit", "question", "contact", "channel")
MOST_PLACES = 12
"""Units and components that are listed for one query."""


@dataclass(frozen=True)
class Entry:
    """A line of the palette. keys : as shown; reason : why it is not allowed now, '' when it is."""

    name: str
    menu: str
    keys: str
    reason: str
    run: Callable[[], None]


def found(context: Context, keys: Mapping[str, tuple[str, ...]], query: str) -> list[Entry]:
    """Entries that a query finds, the best first; all actions for an empty one.

    keys : those in force, by action id
    """
    actions = [item for item in ACTIONS if item.in_menu]
    if not query.strip():
        return [_of_action(context, item, keys) for item in actions]
    scores = [(match(query, item.name.rstrip("…"), more=f"{item.id} {item.help}"), item) for item in actions]
    ranked = sorted(((score, item) for score, item in scores if score is not None), key=lambda pair: pair[0])
    return [*_places(context.workspace, query), *(_of_action(context, item, keys) for _, item in ranked)]


def _of_action(context: Context, item: Action, keys: Mapping[str, tuple[str, ...]]) -> Entry:
    return Entry(
        item.name.rstrip("…"),
        item.menu,
        shown_keys(keys[item.id]),
        item.why_not(context),
        lambda: item.run(context, 0),
    )


def match(query: str, name: str, *, more: str = "") -> tuple[int, int] | None:
    """How well a query fits, smaller is better; None when it does not.

    Its words begin words of the name (0), its letters are the first ones of words (1), its words are inside
    (2), its letters are there in order from the first of a word (3), or its words begin words of `more` (4).
    Of two that fit as well the one that begins so, or has fewer letters in between, is better.
    """
    name, words = name.lower(), query.lower().split()
    if all(re.search(rf"\b{re.escape(word)}", name) for word in words):
        return (0, not name.startswith(words[0]))
    letters = "".join(words)
    if "".join(part[0] for part in name.split()).startswith(letters):
        return (1, 0)
    if all(word in name for word in words):
        return (2, 0)
    spread = re.search(r"\b" + ".*?".join(map(re.escape, letters)), name)
    if spread is not None:
        return (3, len(spread.group()))
    if all(re.search(rf"\b{re.escape(word)}", f"{name} {more.lower()}") for word in words):
        return (4, 0)
    return None


def _places(workspace: Workspace, query: str) -> list[Entry]:
    """Units and components that the query names."""
    if workspace.state.project is None:
        return []
    words = query.lower().replace("go to", "").split()
    numbers = [word for word in words if word.isdigit()]
    kinds = [word for word in words if not word.isdigit()]
    if len(numbers) != 1 or not all(any(n.startswith(kind) for n in PLACES) for kind in kinds):
        return []
    number, entries = int(numbers[0]), []
    if number in workspace.state.clustering and (not kinds or "unit".startswith(kinds[0])):
        entries.append(Entry(f"Go to unit {number}", "Go", "", "", partial(workspace.select, [number])))
    for component_id in workspace.questions.queue_order():
        names = workspace.state.unit_names(component_id) or ()
        if numbers[0] in names or number == workspace.state.components.contact(component_id):
            show = partial(workspace.show_component, component_id)
            entries.append(Entry(f"Go to question: {workspace.state.name(component_id)}", "Go", "", "", show))
    return entries[:MOST_PLACES]
