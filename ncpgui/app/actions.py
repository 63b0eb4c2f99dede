"""The one list of user actions, from which menus, toolbar, keys and the help page are made.

Each has name, key, menu, help, when it is allowed, and what it does; here are those of View and Help. Keys
are phy's where phy has the action; the others are free in phy.
"""

from __future__ import annotations

from collections.abc import Mapping

from ncpgui.app.action import Action, Is, On, has_project, is_shown, shown_keys
from ncpgui.app.file_actions import FILE_ACTIONS
from ncpgui.app.panel_actions import PANEL_ACTIONS
from ncpgui.app.question_actions import QUESTION_ACTIONS
from ncpgui.app.unit_actions import UNIT_ACTIONS

CONTEXT: dict[str, tuple[str, ...]] = {
    "units": (
        "merge", "split", "split_as", "accept", "", "must_link", "never_merge", "", "good", "mua", "noise",
        "unsorted", "tag", "note", "", "similar", "copy",
    ),
    "question": ("adopt", "adopt_better", "open_other", "", "resample", "beam"),
    "card": ("adopt", "split_as", "", "previous_alternative", "next_alternative", "open_other"),
}  # fmt: skip
"""Actions in the menu of a right click, by what it is on; '' is a line between them."""
MENUS = ("File", "Edit", "Unit", "Sorting", "Go", "View", "Help")

ACTIONS: tuple[Action, ...] = (
    *FILE_ACTIONS,
    *UNIT_ACTIONS,
    *QUESTION_ACTIONS,
    Action(
        "theme", "Light or dark", ("Ctrl+T",), "View", "Change between the light and the dark theme.",
        On("window", "toggle_theme"), in_toolbar=True,
    ),
    Action(
        "system_theme", "Theme of the system", (), "View",
        "Use the theme of the system, light or dark. This is the default.",
        On("window", "follow_system_theme"),
    ),
    *PANEL_ACTIONS,
    Action(
        "all_units", "List all units", ("U",), "View",
        "List the units of the whole recording, or those on screen.",
        On("units", "toggle_all_units"), has_project, is_on=Is("units", "all_units"),
    ),
    Action(
        "similar", "List similar units", ("S",), "View",
        "Show or hide the list of units that may be the same neuron as the selected one.",
        On("layout", "toggle_panel", ("similar",)), has_project, is_on=is_shown("similar"),
    ),
    Action(
        "similarity", "Similarity matrix", (), "View",
        "Show or hide the matrix of P(same) of all pairs of units, in the order of the table.",
        On("layout", "toggle_panel", ("similarity",)), has_project, is_on=is_shown("similarity"),
    ),
    Action(
        "intervals", "Intervals between spikes", ("I",), "View",
        "Switch between autocorrelograms and intervals between spikes.",
        On("correlograms", "intervals.toggle"), has_project,
        is_on=Is("correlograms", "grid.shows_intervals"),
    ),
    Action(
        "height", "Amplitude, depth, raster", ("A",), "View",
        "Show amplitudes over time, then the depth of the spikes along the probe, then a row for each unit.",
        On("over time", "toggle_height"), has_project,
    ),
    Action(
        "decide", "Layout: decide", ("F2",), "View",
        "Show what a decision is about: waveforms, embedding, receptive fields, units.",
        On("layout", "show_layout", ("decide",)), has_project, starts_section=True,
        is_on=Is("layout", "layout_shown", "decide"),
    ),
    Action(
        "inspect", "Layout: inspect", ("F3",), "View",
        "Show the evidence: correlograms, amplitudes over time, features, traces.",
        On("layout", "show_layout", ("inspect",)), has_project,
        is_on=Is("layout", "layout_shown", "inspect"),
    ),
    Action(
        "reset_layout", "Reset the panels", (), "View",
        "Put all panels back to their original places and sizes, in the layout \"decide\".",
        On("layout", "reset"), has_project,
    ),
    Action("help", "Keys", ("H", "F1"), "Help", "Show this page.", On("commands", "show_keys")),
    Action(
        "tour", "Tour", (), "Help", "Explain the window in three steps, as at the first start.",
        On("window", "show_tour"), has_project,
    ),
    Action(
        "about", "About ncpgui", ("?",), "Help",
        "Say what this program is.", On("window", "show_about"),
    ),
)  # fmt: skip


def action(name: str) -> Action:
    """Return the action with this id."""
    return next(item for item in ACTIONS if item.id == name)


def help_page(
    keys: Mapping[str, tuple[str, ...]] | None = None,
) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """(menu, [(keys, name, help)]) of all actions: the key page; `keys` in force, phy's when left out."""
    in_force = {item.id: item.keys for item in ACTIONS} if keys is None else keys
    return [
        (
            menu,
            [
                (shown_keys(in_force[item.id]), item.name.rstrip("…"), item.help)
                for item in ACTIONS
                if item.menu == menu
            ],
        )
        for menu in MENUS
        if any(item.menu == menu for item in ACTIONS)
    ]
