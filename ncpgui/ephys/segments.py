"""The segments of a recording or sorting of SpikeInterface, whatever its version calls them."""

from __future__ import annotations

from typing import Any


def segments_of(extractor: Any) -> list[Any]:
    """Segments in order; `segments` from 0.105 on, before that a name of each kind."""
    for name in ("segments", "_recording_segments", "_sorting_segments"):
        if hasattr(extractor, name):
            return list(getattr(extractor, name))
    raise AttributeError(f"{type(extractor).__name__} has no segments")
