"""Actions of single panels: how waveforms, features and receptive fields are drawn, and in which colours."""

from __future__ import annotations

from ncpgui.app.action import Action, Context, Is, On, has_component, has_project
from ncpgui.app.model.coloring import COLOR_BY
from ncpgui.app.work.asked_for import read_all_spikes

SAID = {
    "unit": "Give neighbouring units different colours.",
    "label": "Colour units by label: good, MUA, noise, unsorted; yours, else that of P(neuron).",
    "depth": "Colour units by the height of their main channel on the probe.",
    "P(neuron)": "Colour units by P(neuron).",
    "shank": "Colour units by the shank of their main channel.",
}


def _color_by(context: Context, what: str) -> None:
    """Let the colours of units say something else, now and in the next run."""
    context.workspace.coloring.color_by(what)
    context.controller.preferences.set("color_by", what)


def _color_action(what: str) -> Action:
    return Action(
        f"color_{what.removeprefix('P(').rstrip(')')}", f"Colour by {what}", (), "View", SAID[what],
        lambda c, _: _color_by(c, what), has_project,
        submenu="Colour units by", is_on=lambda c: c.workspace.coloring.by == what,
    )  # fmt: skip


PANEL_ACTIONS: tuple[Action, ...] = (
    *map(_color_action, COLOR_BY),
    Action(
        "arrangement", "Waveforms at probe geometry", ("P", "O"), "View",
        "Draw the contacts where they are on the probe, all units over each other, or one under the other.",
        On("waveforms", "toggle_arrangement"), has_project, is_on=Is("waveforms", "arrangement", "probe"),
    ),
    Action(
        "waveforms", "Spikes, density, means, most similar", ("W",), "View",
        "Show some spikes of each unit, then the density of all, then means alone, then means beside those "
        "of the most similar units in grey.",
        On("waveforms", "step_shown", (1,)), has_project,
    ),
    Action(
        "waveforms_back", "Most similar, means, density, spikes", ("Shift+W",), "View",
        "Show the same in the other direction.",
        On("waveforms", "step_shown", (-1,)), has_project, in_menu=False,
    ),
    Action(
        "read_all_spikes", "Read all spikes", (), "View",
        "Read the remaining spikes of this question from the recording, so that Features and lassos have all "
        "of them.",
        lambda c, _: read_all_spikes(c.workspace, c.controller.work), has_component,
    ),
    Action(
        "other_fields", "Receptive fields of other cards", (), "View",
        "Show or hide, below the fields on screen, those of the units that other cards would make.",
        On("fields", "toggle_others"), has_project, is_on=Is("fields", "shows_others"),
    ),
    Action(
        "means", "Means alone", ("M",), "View", "Draw the mean waveforms alone, or spikes again.",
        On("waveforms", "toggle_means"), has_project, is_on=Is("waveforms", "plot.shown", "mean"),
    ),
)  # fmt: skip
