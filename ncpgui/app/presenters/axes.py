"""What is along an axis of a plot, and from what: the words of its tooltip, by the first word of its name."""

from __future__ import annotations

from ncpgui.app.model.state import State
from ncpgui.app.words import sentence

PRINCIPAL = (
    "Principal component, made from the waveforms or from what the network makes of them, in\n"
    "order of variance; it has no unit."
)
HELP = {
    "amplitude": "Height of a spike on its main channel, from the filtered traces or the sorting.",
    "depth": "Place of a spike along the longer axis of the probe, from its size on the contacts around it.",
    "units": "A row for each unit of the sorting on screen, from when it fired.",
    "Hz": "Spikes of a unit in a second, from their times.",
    "time": "From the clock of the recording.",
    "PC": PRINCIPAL,
    "PCA": PRINCIPAL,
    "t-SNE": "A map made from what the network makes of the waveforms: near points are alike, and a\n"
    "distance has no unit.",
    "contact": "Numbers of the contacts, ch; heights are in noise sd, from the filtered traces.",
}
"""Each begins a sentence of its own after the name of the axis with its unit."""


def axis_help(label: str) -> str:
    """The name of an axis with its unit, and what is along it; '' of none."""
    return f"{sentence(label)}\n{HELP[label.split()[0]]}" if label else ""


def height_unit(state: State) -> str:
    """What amplitudes of spikes are counted in."""
    return "noise sd" if state.shapes is None or state.shapes.in_noise_sd else "unit of the sorter"
