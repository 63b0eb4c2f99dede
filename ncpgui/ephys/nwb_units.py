"""The units of an NWB file, which somebody sorted: opened to be reviewed beside a recording.

Spikes are there as seconds on the clock of the session. Samples of a series of the same file are those of
that series, also where it has time stamps; samples of any other recording begin at second 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ncpgui.core.errors import RecordingError
from ncpgui.core.project import RecordingReference

CLOCK_HZ = 1e9
"""Of spikes that no recording is known of: they are told apart, and no more."""


def nwb_sorting(path: Path, reference: RecordingReference | None = None) -> Any:
    """Open the units as a sorting of SpikeInterface: its samples are those of a recording, if there is one.

    Raises
    ------
    RecordingError
        The table cannot be read.
    """
    from spikeinterface.extractors import read_nwb_recording, read_nwb_sorting  # type: ignore[attr-defined]

    base: dict[str, Any] = {"sampling_frequency": CLOCK_HZ, "t_start": 0.0}
    try:
        if reference is not None and Path(reference.path).resolve() == path.resolve():
            series = read_nwb_recording.fetch_available_electrical_series_paths(path)
            base = {"electrical_series_path": reference.options.get("stream", series[0])}
        elif reference is not None:
            base["sampling_frequency"] = reference.sampling_frequency_hz
        return read_nwb_sorting(path, **base)
    except Exception as error:
        text = str(error).strip().splitlines()
        raise RecordingError(
            f"the units of {path} cannot be read ({text[0] if text else type(error).__name__}); write the "
            "file again, or export its units to a folder of Phy"
        ) from error
