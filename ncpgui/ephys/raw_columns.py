"""Some columns of a raw binary file, in any order, behind a header: as Phy's ``params.py`` describes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ncpgui.core.errors import RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.ephys.fingerprint import fingerprint
from ncpgui.ephys.probes import describe_probe, load_probe
from ncpgui.ephys.recording import ExtractorRecording, Recording

COLUMNS = "columns"
"""Option of a reference that says that it is one of these."""


def open_columns(
    path: str | Path,
    *,
    sampling_frequency: float,
    n_channels: int,
    dtype: str,
    probe: Probe | dict[str, Any],
    columns: Sequence[int],
    offset: int = 0,
) -> Recording:
    """Open columns of a file of `n_channels` columns; `probe` has a contact for each of them.

    A file that is all columns in their order is one that `readers.open_recording` opens too.

    Raises
    ------
    RecordingError
        The file holds no whole samples, or the columns are not in it.
    """
    file, kind = Path(path).resolve(), np.dtype(dtype)
    places = np.asarray(columns, dtype=np.int64)
    size = file.stat().st_size - offset
    if n_channels < 1 or size <= 0 or size % (n_channels * kind.itemsize):
        raise RecordingError(
            f"{size} bytes of data are no whole samples of {n_channels} channels of {kind} ({file})"
        )
    fit = places.ndim == 1 and len(places) and places.min() >= 0 and places.max() < n_channels
    if not fit or len(np.unique(places)) < len(places):
        raise RecordingError(f"channel_map.npy does not fit {n_channels} channels ({file})")
    from spikeinterface.core import BinaryRecordingExtractor

    extractor = BinaryRecordingExtractor(
        [file],
        sampling_frequency=float(sampling_frequency),
        dtype=kind.str,
        num_channels=n_channels,
        file_offset=offset,
    )
    chosen = extractor.select_channels(extractor.channel_ids[places])
    found = load_probe(probe, n_channels=len(places))
    options: dict[str, Any] = {
        "sampling_frequency": float(sampling_frequency),
        "n_channels": int(n_channels),
        "dtype": kind.str if not kind.isnative else kind.name,
        "probe": describe_probe(found),
    }
    if offset or not np.array_equal(places, np.arange(n_channels)):
        options |= {"offset": int(offset), COLUMNS: places.tolist()}
    reference = RecordingReference(
        path=str(file),
        options=options,
        fingerprint=fingerprint(file),
        n_channels=len(places),
        sampling_frequency_hz=float(sampling_frequency),
        n_samples=int(chosen.get_num_samples(segment_index=0)),
    )
    return ExtractorRecording(chosen, probe=found, reference=reference)
