"""Recordings of NWB with the places of their electrodes as the file has them, in all its dimensions.

SpikeInterface leaves ``rel_z`` out, and opens no file whose electrodes differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np

from ncpgui.ephys.wired_probe import WiredProbe, wired_probe

PLACES = "ncpgui_places_um"
"""Property of a recording: (n_channels, 2) or (n_channels, 3) µm, relative to the group of the electrode."""
_ONE_AT_A_TIME = Lock()


def nwb_recording(reader: Any, place: Any, **options: Any) -> Any:
    """Open a series of an NWB file; its places are the property `PLACES`.

    reader : of SpikeInterface
    """
    with _without_places():
        recording = reader(place, **options)
    places = _places_of(recording)
    if places is not None:
        recording.set_property(PLACES, places)
    return recording


def nwb_probe(recording: Any) -> WiredProbe | None:
    """Probe of a recording of NWB, None of any other, and of one without places.

    Raises
    ------
    InputError
        Its places are none of a probe.
    """
    places = recording.get_property(PLACES)
    if places is None:
        places = _places_of(recording)
    if places is None:
        return None
    if places.shape[1] == 3 and np.isnan(places[:, 2]).all():
        places = places[:, :2]
    groups = recording.get_property("group")
    return wired_probe(places, shanks=None if groups is None else [str(group) for group in groups])


def _places_of(recording: Any) -> Any:
    found = getattr(getattr(recording, "_reader", None), "locations", None)
    return None if found is None else found()


@contextmanager
def _without_places() -> Iterator[None]:
    """SpikeInterface reads no places of electrodes meanwhile."""
    from spikeinterface.extractors import nwbextractors

    with _ONE_AT_A_TIME:
        table = nwbextractors._NWBReader
        original = table.locations
        table.locations = lambda self: None
        try:
            yield
        finally:
            table.locations = original
