"""The units of an NWB file, which somebody sorted: opened to be reviewed beside a recording.

Spikes are there as seconds on the clock of the session; which samples of a recording these are, its own clock
says (`core.clock`): that of a series of the same file, or of another recording.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ncpgui.core.errors import RecordingError
from ncpgui.core.nothing_runs import nothing_runs
from ncpgui.ephys.hdf5_formats import check_nwb_units
from ncpgui.ephys.reasons import reason

CLOCK_HZ = 1e9
"""Seconds as whole numbers: spikes are told apart to the nanosecond."""


def nwb_sorting(path: Path) -> Any:
    """Open the units as a sorting of SpikeInterface, whose samples are nanoseconds.

    Raises
    ------
    RecordingError
        The table cannot be read.
    """
    from spikeinterface.extractors import read_nwb_sorting  # type: ignore[attr-defined]

    try:
        check_nwb_units(path)
        with nothing_runs(path):
            return read_nwb_sorting(path, sampling_frequency=CLOCK_HZ, t_start=0.0)
    except RecordingError:
        raise
    except Exception as error:
        raise RecordingError(
            f"the units of {path} cannot be read ({reason(error)}); write the file again, or export its "
            "units to a folder of Phy"
        ) from error
