"""Which keys do what: phy's keymap or spikeinterface-gui's, and over it the keys of one's own.

Own keys stand in ``keys.toml`` in the folder of the preferences, by the ids of actions::

    [keys]
    merge = "Ctrl+M"
    next_in_queue = ["Space", "N"]
    theme = []                          # no key

An own key is taken from the action that had it. What cannot be understood is told and left out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ncpgui.app.action import Action
from ncpgui.app.preferences import Preferences
from ncpgui.core.config import read_toml
from ncpgui.core.errors import ExportError, InputError
from ncpgui.core.files import replaced_file
from ncpgui.core.nearest import nearest

OWN_KEYS = "keys.toml"
KEYMAPS: dict[str, dict[str, tuple[str, ...]]] = {
    "phy": {},
    "spikeinterface-gui": {
        "merge": ("Ctrl+M",), "good": ("G",), "mua": ("M",), "noise": ("N",), "unsorted": ("C",),
        "next_spike": ("Shift+Down",), "previous_spike": ("Shift+Up",),
    },
}  # fmt: skip
"""Ready keymaps: where they differ from the keys that the list of actions gives, which are phy's."""
MODIFIERS = ("Meta", "Ctrl", "Alt", "Shift")
NAMED = (
    "Return", "Enter", "Escape", "Space", "Tab", "Backspace", "Delete", "Insert", "Home", "End",
    "PgUp", "PgDown", "Up", "Down", "Left", "Right", *(f"F{n}" for n in range(1, 25)),
)  # fmt: skip
ALSO = {"esc": "Escape", "del": "Delete", "ins": "Insert", "pageup": "PgUp", "pagedown": "PgDown"}


@dataclass(frozen=True)
class Keymap:
    """Keys in force by action id, and what of one's own could not be done."""

    name: str
    keys: Mapping[str, tuple[str, ...]]
    problems: tuple[str, ...] = ()


def canonical_key(text: str) -> str:
    """One key as the list of actions writes it: ``Ctrl+Shift+K``.

    Raises
    ------
    InputError
        There is no such key.
    """
    bare = text.replace(" ", "")
    *modifiers, last = (*bare[:-2].split("+"), "+") if bare.endswith("++") else bare.split("+")
    known = {name.lower(): name for name in MODIFIERS}
    held = {known.get(name.lower(), "") for name in modifiers}
    named = {**{name.lower(): name for name in NAMED}, **ALSO}
    key = last.upper() if len(last) == 1 and last.isprintable() else named.get(last.lower(), "")
    if "" in held or not key:
        raise InputError(
            f"there is no key '{text}'; write keys like Ctrl+M, Shift+F4, PgDown, Escape, Space, ] or B"
        )
    return "+".join([*(name for name in MODIFIERS if name in held), key])


def read_keymap(actions: Sequence[Action], preferences: Preferences) -> Keymap:
    """Keymap that was chosen, with the keys of one's own over it."""
    path = preferences.folder / OWN_KEYS
    problems: list[str] = []
    table: Any = {}
    if path.is_file():
        try:
            sections = read_toml(path)
        except InputError as error:
            problems.append(str(error))
        else:
            table = sections.pop("keys", {})
            problems += [f"{OWN_KEYS}: there is no section '{n}'; keys belong under [keys]" for n in sections]
            if not isinstance(table, dict):
                problems.append(
                    f"{OWN_KEYS}: [keys] must be a table of actions and their keys, got {table!r}"
                )
                table = {}
    keymap = keymap_from(actions, str(preferences.get("keymap", "phy")), table)
    return Keymap(keymap.name, keymap.keys, (*problems, *keymap.problems))


def keymap_from(actions: Sequence[Action], name: str, own: Mapping[str, Any]) -> Keymap:
    """Keymap of a name with own keys, by action id, over it; see the head of this file."""
    problems: list[str] = []
    if name not in KEYMAPS:
        problems.append(f"there is no keymap '{name}'; there are {' and '.join(KEYMAPS)}")
        name = "phy"
    keys = {item.id: item.keys for item in actions}
    numbered = {item.id for item in actions if not item.in_menu}
    _lay_over(keys, KEYMAPS[name], numbered)
    mine = _understood(keys, own, problems)
    for key, loser in _lay_over(keys, mine, numbered):
        winner = next(action for action in mine if key in mine[action])
        left = f"keeps {' and '.join(filter(None, keys[loser]))}" if any(keys[loser]) else "has no key left"
        problems.append(
            f"{OWN_KEYS}: {key} is the key of '{winner}' now and no longer of '{loser}', which {left}; "
            f"give '{loser}' keys of its own, or [] for none"
        )
    return Keymap(name, keys, tuple(problems))


def _lay_over(
    keys: dict[str, tuple[str, ...]], over: Mapping[str, tuple[str, ...]], numbered: Container[str]
) -> list[tuple[str, str]]:
    """Give actions other keys, taking them from those that had them; returns (key, who lost it).

    numbered : actions whose keys mean different things; a key that is taken from one leaves '' in its place
    """
    taken = {key for some in over.values() for key in some}
    lost = []
    for action in [action for action in keys if action not in over]:
        lost += [(key, action) for key in keys[action] if key in taken]
        left = tuple("" if key in taken else key for key in keys[action])
        keys[action] = left if action in numbered else tuple(filter(None, left))
    keys.update(over)
    return lost


def _understood(
    known: Iterable[str], own: Mapping[str, Any], problems: list[str]
) -> dict[str, tuple[str, ...]]:
    """Own keys of actions that there are, each key once; what is left out goes to `problems`."""
    names = list(known)
    result: dict[str, tuple[str, ...]] = {}
    owner: dict[str, str] = {}
    for action, value in own.items():
        if action not in names:
            near = nearest(action, names)
            hint = f"did you mean '{near}'?" if near else "the file lists them all in its comments"
            problems.append(f"{OWN_KEYS}: there is no action '{action}'; {hint}")
            continue
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            problems.append(f"{OWN_KEYS}: {action} must be a key or a list of keys, got {value!r}")
            continue
        try:
            wanted = [canonical_key(text) for text in texts]
        except InputError as error:
            problems.append(f"{OWN_KEYS}: {action}: {error}")
            continue
        for key in [key for key in wanted if owner.setdefault(key, action) != action]:
            first = owner[key]
            problems.append(
                f"{OWN_KEYS}: {key} is given to '{first}' and to '{action}'; '{first}' keeps it, "
                f"choose another for '{action}'"
            )
        result[action] = tuple(key for key in dict.fromkeys(wanted) if owner[key] == action)
    return result


def write_template(actions: Sequence[Action], preferences: Preferences) -> Path:
    """File of own keys, made with every action in its comments if it is not there yet.

    Raises
    ------
    InputError
        It cannot be written.
    """
    path = preferences.folder / OWN_KEYS
    if path.is_file():
        return path
    lines = [
        '# Keys of your own. Take the # off a line and change its key, or give several: ["Space", "N"];',
        "# [] means no key. A key is taken from the action that had it. The file is read when the",
        "# program starts, and by 'Read again' on the page of keys.",
        "",
        "[keys]",
    ]
    for item in actions:
        shown = ", ".join(f'"{key}"' for key in item.keys)
        lines.append(
            f"# {item.id} = {shown if len(item.keys) == 1 else f'[{shown}]'}  # {item.name.rstrip('…')}"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as beside:
            beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except ExportError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error}; choose a folder that can be written") from error
    return path
