"""Actions of single panels: how waveforms, features and receptive fields are drawn, and in which colours."""

from __future__ import annotations

from ncpgui.app.action import Action, has_project

PANEL_ACTIONS: tuple[Action, ...] = (
    Action(
        "arrangement", "Waveforms at probe geometry", ("P", "O"), "View",
        "Draw the contacts where they are on the probe, all units over each other, or one under the other.",
        lambda c, _: c.front.toggle_arrangement(), has_project,
    ),
    Action(
        "waveforms", "Spikes, density, means, most alike", ("W",), "View",
        "Draw some spikes of each unit, then the density of all, then means alone, then beside each the most "
        "alike unit in grey.",
        lambda c, _: c.front.step_waveforms(1), has_project,
    ),
    Action(
        "waveforms_back", "Most alike, means, density, spikes", ("Shift+W",), "View",
        "The same in the other direction.",
        lambda c, _: c.front.step_waveforms(-1), has_project, in_menu=False,
    ),
    Action(
        "means", "Means alone", ("M",), "View", "Draw the mean waveforms alone, or spikes again.",
        lambda c, _: c.front.toggle_means(), has_project,
    ),
)  # fmt: skip
