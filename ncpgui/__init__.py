"""ncpgui: the alternative sortings of ambiguous spikes, each with a probability.

``ncpgui.sort(recording)`` sorts a recording of SpikeInterface (`ncpgui.spikeinterface_sorting`).
``ncpgui.draws(session)`` gives sortings drawn from its posterior, ``ncpgui.propagate(session, analysis)``
what they say of a result (`ncpgui.findings`). They are looked up when they are asked for, so that this module
imports nothing heavy and every layer may import it.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


PLACES = {
    "sort": "ncpgui.spikeinterface_sorting",
    "draws": "ncpgui.findings.draws",
    "propagate": "ncpgui.findings.propagate",
}
"""Functions for people who write Python, and the modules that have them."""


def __getattr__(name: str) -> Any:
    if name in PLACES:
        from importlib import import_module

        return getattr(import_module(PLACES[name]), name)
    raise AttributeError(f"module 'ncpgui' has no attribute {name!r}")
