"""A finished sorting whose recording is not at hand: what its own files say of probe, rate and length."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.project import NO_TRACES, RecordingReference
from ncpgui.ephys.hdf5_formats import has_nwb_units
from ncpgui.ephys.phy_data import own_places
from ncpgui.ephys.phy_folder import (
    array,
    is_phy_folder,
    phy_folder_of,
    read_phy_folder,
    sampling_frequency_of,
)
from ncpgui.ephys.probes import load_wired_probe
from ncpgui.ephys.recording import Recording, check_sampling
from ncpgui.ephys.sorting_readers import spikeinterface_sorting

USUAL_HZ = 30_000.0
"""Rate of Neuropixels, taken where nothing says another one."""
RATE_IS_TAKEN = (
    f"nothing says how many samples a second has; it is taken to have {USUAL_HZ:.0f} (--sampling-frequency)"
)


def without_traces(
    path: Path,
    reason: str,
    *,
    sampling_frequency: float | None = None,
    probe: str | Path | Probe | None = None,
) -> Recording:
    """Say of a sorting what its files say of its recording.

    reason : why the recording is not at hand; sampling_frequency, probe : where the files do not say them

    Raises
    ------
    RecordingError, InputError
        The files are damaged, or do not say where the contacts are.
    """
    folder = phy_folder_of(path)
    notes = [f"opened without raw data: {reason}"]
    if is_phy_folder(folder):
        phy = read_phy_folder(folder)
        is_named = phy.parameters.says("sample_rate")
        is_said = sampling_frequency is not None or is_named
        rate = sampling_frequency or (sampling_frequency_of(phy) if is_named else USUAL_HZ)
        if not is_said:
            notes.append(RATE_IS_TAKEN)
        n_samples = int(phy.times.max(initial=0)) + 1
        found = _own_probe(folder) if probe is None else load_wired_probe(probe).probe
    else:
        sorting = spikeinterface_sorting(folder).sorting
        is_rate = not has_nwb_units(folder)  # which has seconds
        rate = sampling_frequency or (sorting.sampling_frequency_hz if is_rate else USUAL_HZ)
        n_samples = math.ceil(sorting.n_samples / sorting.sampling_frequency_hz * rate)
        found = load_wired_probe(probe).probe if probe is not None else Probe(np.zeros((1, 2)))
        if not (sampling_frequency or is_rate):
            notes.append(RATE_IS_TAKEN)
        if probe is None:
            notes.append("nothing says where the contacts are; all units are shown at one (--probe)")
    check_sampling(rate, str(folder))
    reference = RecordingReference(
        path="",
        options={},
        fingerprint=NO_TRACES,
        n_channels=found.n_channels,
        sampling_frequency_hz=rate,
        n_samples=n_samples,
    )
    return Recording(None, probe=found, reference=reference, notes=tuple(notes))


def _own_probe(folder: Path) -> Probe:
    """Contacts of a Phy folder."""
    if not (folder / "channel_positions.npy").is_file():
        raise RecordingError(
            f"{folder} has no channel_positions.npy, so nothing says where contacts are; add --probe"
        )
    n = len(np.atleast_1d(array(folder / "channel_positions.npy", flat=False)))
    columns = folder / "channel_map.npy"
    try:
        return own_places(folder, array(columns) if columns.is_file() else np.arange(n)).probe
    except InputError as error:
        raise RecordingError(f"{folder}: {error}; give the places of the contacts with --probe") from error
