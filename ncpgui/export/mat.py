"""One MAT file (format 5) for MATLAB and Octave: spikes as columns, units as an array of structs.

::

    spike_times_s, spike_samples, spike_units, spike_probability, spike_entropy (nats),
    spike_amplitude_sd       (n, 1), one row a spike in order of time
    units                    (k, 1) struct: id, name (where it is no number), label, n_spikes, rate_hz,
                             amplitude_sd, channel, x_um, y_um, depth_um, shank, p_exists, probability,
                             p_neuron, p_pure, p_complete, false_positives, misses, sampler (of a beam),
                             spike_times_s, spike_samples, spike_probability, template_noise_sd (t, channels)
    channel_positions_um (c, 2), channel_shanks (c, 1), noise_sd (c, 1) in the unit of the recording,
    sampling_frequency_hz, first_sample, n_samples (what was sorted), recording_path, ncp_json

Samples and channels count from 1, as MATLAB does; times are seconds on the clock of the recording. Values
that are not known are NaN or absent. ``units(3).spike_times_s`` is a spike train, ``[units.p_neuron] > 0.9``
picks units.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import ExportError
from ncpgui.core.files import replaced_file
from ncpgui.core.given import LARGEST_UNIT
from ncpgui.export.bundle import COLUMNS, ExportBundle
from ncpgui.export.unit_ids import UnitIds, unit_ids

MOST_BYTES = 2**31 - 1
"""Of a variable of a MAT file of format 5."""


def export_mat(bundle: ExportBundle, path: Path, *, replace: bool = True) -> Path:
    """Write the file `path`.

    Raises
    ------
    ExportError
        The sorting is larger than the format allows, or the file cannot be written.
    """
    from scipy.io import savemat

    variables = _variables(bundle)
    variables["units"] = _units(bundle)
    with replaced_file(path, replace=replace) as beside, beside.open("wb") as file:
        savemat(file, variables, do_compression=True, oned_as="column")
    return path


def _variables(bundle: ExportBundle) -> dict[str, Any]:
    sorting = bundle.sorting
    known: dict[str, Any] = {
        "spike_times_s": bundle.time_s,
        "spike_samples": sorting.sample_index + 1.0,
        "spike_units": _ids(bundle).number[bundle.unit_index].astype(np.float64),
        "spike_probability": sorting.probability,
        "spike_entropy": sorting.entropy,
        "spike_amplitude_sd": bundle.amplitude,
        "channel_positions_um": bundle.probe.positions_um,
        "channel_shanks": bundle.probe.shank,
        "noise_sd": bundle.noise_sd,
        "sampling_frequency_hz": float(sorting.sampling_frequency_hz),
        "n_samples": float(sorting.n_samples),
        "first_sample": bundle.first_sample + 1.0,
        "recording_path": bundle.recording.path,
        "ncp_json": json.dumps(bundle.ncp),
    }
    return {name: value for name, value in known.items() if value is not None}


def _units(bundle: ExportBundle) -> NDArray[np.void]:
    """Structs of the units, (k, 1)."""
    sorting, units, ids, rows = bundle.sorting, bundle.units, _ids(bundle), bundle.rows_of_units
    columns: dict[str, Any] = {
        "id": ids.number.astype(np.float64),
        "name": ids.name,
        **{name: _as_double(values) for name, values in units.some(*COLUMNS, "sampler").items()},
        "channel": units["channel"] + 1.0,
        "spike_times_s": [bundle.time_s[mine] for mine in rows],
        "spike_samples": [sorting.sample_index[mine] + 1.0 for mine in rows],
        "spike_probability": None if (p := sorting.probability) is None else [p[mine] for mine in rows],
        "template_noise_sd": bundle.templates,
    }
    columns = {name: values for name, values in columns.items() if values is not None}
    n_bytes = sum(np.asarray(value).nbytes for values in columns.values() for value in values)
    if n_bytes > MOST_BYTES:
        raise ExportError(
            f"the units have {n_bytes} bytes, more than the {MOST_BYTES} that a variable of a MAT file "
            "can have; export it as nwb or npz"
        )
    result = np.empty((len(units), 1), dtype=[(name, object) for name in columns])
    for name, values in columns.items():
        for row, value in enumerate(values):
            result[name][row, 0] = value
    return result


def _as_double(values: NDArray[Any]) -> Any:
    """Numbers of MATLAB, and text as it is."""
    return values.tolist() if values.dtype.kind == "U" else values.astype(np.float64)


def _ids(bundle: ExportBundle) -> UnitIds:
    """Numbers of units that are exact as doubles."""
    return unit_ids(bundle.unit_ids, bundle.unit_names, least=-LARGEST_UNIT, most=LARGEST_UNIT)
