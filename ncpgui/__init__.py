"""ncpgui: the alternative sortings of ambiguous spikes, each with a probability.

``ncpgui.sort(recording)`` sorts a recording of SpikeInterface (`ncpgui.spikeinterface_sorting`). It is looked
up when it is asked for, so that this module imports nothing heavy and every layer may import it.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "sort":
        from importlib import import_module

        return import_module("ncpgui.spikeinterface_sorting").sort
    raise AttributeError(f"module 'ncpgui' has no attribute {name!r}")
