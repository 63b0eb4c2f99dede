"""Sampling in bounded memory: hypotheses in chunks, smaller ones when a device runs out, then the CPU."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from typing import TypeVar

import torch

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, portion

_log = logging.getLogger(__name__)

_FEWEST_ROWS = 16
_BYTES_PER_LABEL = 40  # a random number, a choice, its parent row and the label, twice while they are copied
_BYTES_PER_POINT = 16384  # activations of the encoder, and the tables of a few orders

Found = TypeVar("Found")


def rows_at_once(device: torch.device) -> int:
    """Hypotheses that are walked side by side: more than this is not faster on such a device."""
    return 16384 if device.type == "cuda" else 512


def check_memory(n_rows: int, n_points: int) -> None:
    """Refuse what cannot fit into the machine's memory, before any work.

    Raises
    ------
    InputError
        `n_rows` label vectors of `n_points` points need more memory than the machine has.
    """
    needed = n_points * (n_rows * _BYTES_PER_LABEL + _BYTES_PER_POINT)
    there = _physical_memory()
    if there is not None and needed > there:
        raise InputError(
            f"{n_rows} samples of {n_points} points need about {needed / 2**30:.0f} GiB of memory and the "
            f"machine has {there / 2**30:.0f} GiB; draw fewer samples, or cluster a part of the points"
        )


def in_chunks(
    draw: Callable[[slice, torch.device, Progress], Found],
    *,
    n_rows: int,
    at_once: int,
    device: torch.device,
    progress: Progress,
    together: int = 1,
) -> Iterator[tuple[slice, Found]]:
    """Yield ``rows, draw(rows, device, progress)`` for chunks of at most `at_once` rows.

    Chunks have whole multiples of `together` rows, one such lot at least. When the device runs out of memory
    the chunk is tried again in halves, and on the CPU when even a small one does not fit; a warning is
    logged.
    """

    def lots(n: int) -> int:
        return max(together, n // together * together)

    start, at_once, fewest = 0, lots(at_once), lots(_FEWEST_ROWS)
    while start < n_rows:
        rows = slice(start, min(start + at_once, n_rows))
        try:
            found = draw(rows, device, portion(progress, rows.start, rows.stop, n_rows))
        except torch.OutOfMemoryError:
            if at_once > fewest:
                at_once = max(fewest, lots(at_once // 2))
                _log.warning("%s is out of memory; going on with %d samples at a time", device, at_once)
                continue
            if device.type == "cpu":
                raise
            _log.warning("%s is out of memory even for %d samples; going on on the CPU", device, at_once)
            device = torch.device("cpu")
            at_once = lots(rows_at_once(device))
            continue
        yield rows, found
        start = rows.stop


def _physical_memory() -> int | None:
    """Bytes of memory of the machine; None where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
