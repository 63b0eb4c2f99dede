"""Plexon's ``.plx``, whose blocks of samples are of any length.

neo counts the samples before a block with the length of the block itself. Where lengths differ, samples come
out at wrong places, or the reader fails; the last block is lost. The counts are put right after opening.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

_SIGNALS = 5
"""Number of the kind of blocks that hold samples."""


def plexon(reader: Any, place: Any, **options: Any) -> Any:
    """Open a recording of Plexon.

    reader : of SpikeInterface
    """
    with without_bars():
        recording = reader(place, **options)
    for key, blocks in recording.neo_reader._data_blocks[_SIGNALS].items():
        samples = blocks["size"] // 2
        behind = np.zeros(1, blocks.dtype)  # an empty block, else the last one ends one block early
        if len(blocks):
            behind["pos"] = blocks["pos"][-1]
        found = np.concatenate([blocks, behind])
        found["cumsum"] = np.concatenate([[0], np.cumsum(samples)])
        recording.neo_reader._data_blocks[_SIGNALS][key] = found
    return recording


@contextlib.contextmanager
def without_bars() -> Iterator[None]:
    """neo shows bars of progress on the terminal."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield
