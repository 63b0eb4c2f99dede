"""Which channels of a file are read, and where their contacts are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe
from ncpgui.ephys.nwb_places import nwb_probe
from ncpgui.ephys.probe_files import of_probeinterface
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.raw_files import columns_in
from ncpgui.ephys.wired_probe import WiredProbe

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

MAX_NAMED = 6
"""Channels that a sentence names."""


def columns_for(wired: WiredProbe) -> int | None:
    """Columns of the raw file that a probe was made for, None where its wiring leaves that open."""
    n = wired.probe.n_channels
    if wired.n_columns is not None or wired.channels is None:
        return wired.n_columns or n
    return n if np.array_equal(wired.channels, np.arange(n)) else None


def left_out(columns: Sequence[int], n_channels: int) -> tuple[str, ...]:
    """What is said of channels without a contact, nothing where there are none."""
    rest = sorted(set(range(n_channels)) - set(columns))
    if not rest:
        return ()
    shown = ", ".join(map(str, rest[:MAX_NAMED])) + (" ..." if len(rest) > MAX_NAMED else "")
    return (f"{len(rest)} of {n_channels} channels have no contact of the probe and are not read: {shown}",)


def some_columns(
    extractor: BaseRecording, columns: Sequence[int], place: Path
) -> tuple[BaseRecording, list[int] | None]:
    """Some channels of a recording, and which; None where they are all of them in their order."""
    n_channels = int(extractor.get_num_channels())
    read = columns_in(columns, n_channels, place)
    if np.array_equal(read, np.arange(n_channels)):
        return extractor, None
    return extractor.select_channels(extractor.channel_ids[read]), read.tolist()


def own_probe(extractor: BaseRecording, path: Path) -> Probe:
    """Probe that a recording says itself; InputError with a way out where it says none."""
    try:
        wired = nwb_probe(extractor)
        if wired is None and extractor.has_probe():
            wired = of_probeinterface(extractor.get_probegroup().probes)
    except InputError as error:
        raise InputError(f"{path}: {error}, or give another with --probe") from error
    if wired is not None:
        return wired.probe
    if extractor.get_num_channels() == 1:
        return load_probe("single")
    raise InputError(
        f"{path} does not say where its {extractor.get_num_channels()} contacts are; give --probe "
        "(a probeinterface JSON, .prb or CSV file, or a name such as tetrode, hex49, linear-16-25)"
    )
