"""What stands in the menus, the toolbar and the menus of a right click, in which order and groups."""

from __future__ import annotations

from PyQt5 import QtWidgets

MENUS = {
    "File": "Open recording… / Open session… / Review another sorter's result… / Review the units of an "
    "NWB file… / Open recent > / Open the demo / - / Save session / Save session as… / Export… / "
    "Write decisions back… / Locate recording… / Load events… / Save picture… / - / Close project "
    "/ Quit",
    "Edit": "Undo / Redo / History / - / Select all units / - / Command palette / Snippet / Select the "
    "next unit too / Select the previous unit too / Compare with the next unit / Compare with the "
    "previous unit / - / Filter units / Copy units as CSV",
    "Unit": "Merge / Split along the lasso / Split as shown / Accept unit / Must be one neuron / Never "
    "merge / - / Label good / Label MUA / Label noise / Label unsorted / Label of your own… / "
    "Note…",
    "Sorting": "Next alternative / Previous alternative / - / Use this sorting / Use the most probable "
    "sorting / Next question after an answer ? / Open or close rarer sortings / Resample the rest "
    "/ Search by beam / - / Sample all questions / Stop",
    "Go": "Next in the queue / Previous in the queue / Next row in any case / Previous row in any case "
    "/ - / Next unit / Previous unit / - / Next spike / Previous spike / Next uncertain spike / "
    "Go to a time… / Traces > Traces later / Traces earlier / Shorter stretch / Longer stretch / "
    "Larger traces / Smaller traces / Traces of all contacts",
    "View": "Light or dark / Theme of the system / Colour units by > Colour by unit ? / Colour by label ? "
    "/ Colour by depth ? / Colour by P(neuron) ? / Colour by shank ? / Waveforms at probe "
    "geometry ? / Spikes, density, means, most similar / Read all spikes / Receptive fields of "
    "other cards ? / Means alone ? / List all units ? / List similar units ? / Similarity matrix "
    "? / Intervals between spikes ? / Amplitude, depth, raster / - / Layout: decide ? / Layout: "
    "inspect ? / Reset the panels / Panels > / Save panel >",
    "Help": "Keys / Tour / About ncpgui",
}
"""``-`` between groups, ``>`` before what a menu inside holds, ``?`` after what is on or off."""
CONTEXT = {
    "units": "Merge / Split along the lasso / Split as shown / Accept unit / - / Must be one neuron / "
    "Never merge / - / Label good / Label MUA / Label noise / Label unsorted / Label of your own… "
    "/ Note… / - / List similar units ? / Copy units as CSV",
    "question": "Use this sorting / Use the most probable sorting / Open or close rarer sortings / - / "
    "Resample the rest / Search by beam",
    "card": "Use this sorting / Split as shown / - / Previous alternative / Next alternative / Open or "
    "close rarer sortings",
}


def told(menu: QtWidgets.QMenu) -> str:
    words = []
    for entry in menu.actions():
        if entry.isSeparator():
            words.append("-")
        elif entry.menu():
            words.append(f"{entry.text()} > {told(entry.menu())}".strip())
        else:
            words.append(entry.text() + " ?" * entry.isCheckable())
    return " / ".join(words)


def test_every_action_has_its_place(window) -> None:
    assert {entry.text(): told(entry.menu()) for entry in window.menuBar().actions()} == MENUS
    assert {what: told(window.actions_.context_menu(what, window)) for what in CONTEXT} == CONTEXT
    tools = ["-" if entry.isSeparator() else entry.iconText() for entry in window.toolbar.actions()]
    assert tools == [
        "Open…", "Save", "Export", "-", "Undo", "Redo", "-", "Merge", "Accept unit", "-", "Resample rest",
        "-", "Light/dark", "", "",
    ]  # fmt: skip
    assert not window.toolbar.isMovable()
    assert window.toolbar.toolButtonStyle() == 1
    assert window.recent_menu.isEnabled() is bool(window.preferences.recent)


def test_an_action_is_explained_where_it_is_pointed_at(window) -> None:
    merge = window.actions_["merge"]
    assert merge.toolTip().startswith("<b>Merge</b>  (G)<br>")
    assert merge.statusTip()
    assert merge.statusTip() in merge.toolTip()
    assert window.actions_["quit"] in window.actions()
