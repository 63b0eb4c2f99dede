"""One NWB file: the table of units with spike times, probabilities and waveform means, and the electrodes.

::

    units        spike_times s, spike_probability, spike_entropy nats, spike_amplitude noise sd (ragged),
                 unit_name (where ids are no numbers), label, quality_label and quality_score (as proposed
                 for the schema of NWB: the label, and P(neuron) P(pure)), n_spikes, amplitude_sd, p_exists,
                 probability, p_neuron, p_pure, p_complete,
                 false_positives, misses, sampler (where it is a beam), obs_intervals s,
                 electrodes: those on which the unit is seen, the largest first,
                 template_noise_sd (t, c): its mean waveform on them, noise sd,
                 waveform_mean (t, c): the same in volts, where the gain of the recording is known
    electrodes   rel_x, rel_y µm on the probe, a group for each shank, noise_sd in the recording's unit
    scratch      ncpgui: JSON text about model, components and alternatives

All waveform means have as many electrodes as the widest unit, since NWB wants one table of them. Values that
are not known are absent, or NaN.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import ncpgui
from ncpgui.core.files import replaced_file
from ncpgui.core.guarded_file import GuardedFile
from ncpgui.core.project import RecordingReference
from ncpgui.export.bundle import NUMBERS, ExportBundle
from ncpgui.export.unit_ids import unit_ids

if TYPE_CHECKING:
    from pynwb import NWBFile

ABOUT_UNITS = {
    "p_exists": "probability that the unit is there in the posterior",
    "probability": "mean probability that a spike of the unit belongs to it",
    "p_neuron": "probability that the unit is a neuron, and not noise or what is left of others",
    "p_pure": "probability that the unit holds the spikes of one neuron only",
    "p_complete": "probability that the unit holds all spikes of its neuron",
    "false_positives": "expected share of the unit's spikes that are not of its neuron",
    "misses": "expected share of the neuron's spikes that are not in the unit",
}
UNKNOWN_START = datetime(1970, 1, 1, tzinfo=timezone.utc)


def export_nwb(bundle: ExportBundle, path: Path, *, replace: bool = True) -> Path:
    """Write the file `path`.

    Raises
    ------
    ExportError
        The file cannot be written.
    """
    import h5py
    import pynwb

    content = nwb_file(bundle)
    with (
        replaced_file(path, replace=replace) as beside,
        GuardedFile(beside) as target,
        h5py.File(target, "w") as file,
        pynwb.NWBHDF5IO(mode="w", file=file) as io,
    ):
        io.write(content)
    return path


def nwb_file(bundle: ExportBundle) -> NWBFile:
    """Everything that is written, in memory."""
    from pynwb import NWBFile

    start = _start(bundle.recording)
    zero = "which was 0 at session_start_time"
    if start is None:
        zero = "when that was 0 is not known, session_start_time stands for it"
    file = NWBFile(
        session_description=(
            f"Units of {bundle.recording.path or 'a recording in memory'}, sorted and curated with ncpgui. "
            f"Times are seconds on the clock of the recording; {zero}."
        ),
        identifier=_identifier(bundle),
        session_start_time=start or UNKNOWN_START,
        source_script=f"ncpgui {ncpgui.__version__}",
        source_script_file_name="ncpgui export",
    )
    _add_electrodes(file, bundle)
    _add_units(file, bundle)
    file.add_scratch(
        json.dumps(bundle.ncp),
        name="ncpgui",
        description="JSON: the model, and for each component the probable numbers of units and alternatives",
    )
    return file


def _start(recording: RecordingReference) -> datetime | None:
    """When the clock of the recording was 0; None where that is not known."""
    try:
        found = datetime.fromisoformat(recording.second_0)
    except ValueError:
        return None
    return None if found.tzinfo is None else found


def _identifier(bundle: ExportBundle) -> str:
    """A UUID of the recording and of the spikes of every unit."""
    sorting = bundle.sorting
    digest = hashlib.sha256(bundle.recording.fingerprint.encode())
    digest.update(sorting.sample_index.tobytes())
    digest.update(sorting.unit_id.tobytes())
    return str(uuid.UUID(bytes=digest.digest()[:16], version=5))


def _add_electrodes(file: NWBFile, bundle: ExportBundle) -> None:
    probe = bundle.probe
    assert probe.shank is not None
    device = file.create_device(name="probe", description=f"{probe.n_channels} contacts")
    groups = {
        int(shank): file.create_electrode_group(
            name=f"shank{shank}", description="contacts of one shank", location="unknown", device=device
        )
        for shank in np.unique(probe.shank)
    }
    file.add_electrode_column("noise_sd", "sd of the noise after the band-pass, in the unit of the recording")
    for place, shank, noise in zip(probe.positions_um, probe.shank, bundle.noise_sd, strict=True):
        file.add_electrode(
            rel_x=float(place[0]),
            rel_y=float(place[1]),
            location="unknown",
            group=groups[int(shank)],
            noise_sd=float(noise),
        )


def _add_units(file: NWBFile, bundle: ExportBundle) -> None:
    from pynwb.misc import Units

    sorting = bundle.sorting
    file.units = Units(
        name="units",
        description="Units as they stand after curation; probabilities are those of the posterior"
        f"{', or of a beam where the column sampler says so' if 'sampler' in bundle.units else ''}.",
        electrode_table=file.electrodes,
        resolution=1 / sorting.sampling_frequency_hz,
        waveform_rate=float(sorting.sampling_frequency_hz),
    )
    ids = unit_ids(bundle.unit_ids, bundle.unit_names)
    spikes = _spike_columns(bundle)
    for name, (about, _) in spikes.items():
        file.add_unit_column(name, about, index=True)
    units = _unit_columns(bundle)
    for name, (about, _) in units.items():
        file.add_unit_column(name, about)
    contacts = _contacts(bundle)
    means = _waveform_means(bundle, contacts)
    if "template_noise_sd" in means:
        about = "mean of the filtered waveforms on the unit's electrodes (samples, electrodes), noise sd"
        file.add_unit_column("template_noise_sd", about)
    sorted_s = bundle.sorted_s
    for row, mine in enumerate(bundle.rows_of_units):
        file.add_unit(
            id=int(ids.number[row]),
            spike_times=bundle.time_s[mine],
            obs_intervals=sorted_s,
            electrodes=contacts[row].tolist(),
            **{name: values[mine] for name, (_, values) in spikes.items()},
            **{name: values[row] for name, (_, values) in units.items()},
            **{name: values[row] for name, values in means.items()},
        )


def _spike_columns(bundle: ExportBundle) -> dict[str, tuple[str, NDArray[np.float32]]]:
    """What is known of each spike: name -> (description, values in the order of the sorting)."""
    known = {
        "spike_probability": (
            "probability that the spike belongs to the unit",
            bundle.sorting.probability,
        ),
        "spike_entropy": ("entropy of the unit of the spike, nats", bundle.sorting.entropy),
        "spike_amplitude": ("trace at the spike on its main channel, noise sd", bundle.amplitude),
    }
    return {
        name: (about, np.asarray(values, np.float32))
        for name, (about, values) in known.items()
        if values is not None
    }


def _unit_columns(bundle: ExportBundle) -> dict[str, tuple[str, list[Any]]]:
    """What is known of each unit: name -> (description, values)."""
    known: dict[str, tuple[str, Any]] = {}
    units, names = bundle.units, unit_ids(bundle.unit_ids, bundle.unit_names).name
    if names is not None:
        known["unit_name"] = ("what the unit is called in the sorting that was reviewed", names)
    known |= {
        "label": ("good, mua, noise or unsorted", units["label"].tolist()),
        "quality_label": ("quality of the unit: good, mua, noise or unsorted", units["label"].tolist()),
        "n_spikes": ("number of spikes", units["n_spikes"].tolist()),
        "amplitude_sd": ("mean size of the spikes, noise sd", units["amplitude_sd"].tolist()),
    }
    named = units.some("p_exists", "probability", *NUMBERS)
    known |= {name: (ABOUT_UNITS[name], values.tolist()) for name, values in named.items()}
    neuron, pure = units.get("p_neuron"), units.get("p_pure")
    if neuron is not None and pure is not None:
        score = (np.asarray(neuron) * np.asarray(pure)).astype(np.float32)
        about = "probability that the unit is one neuron, P(neuron) times P(pure); NaN where it is not known"
        known["quality_score"] = (about, list(score))
    if "sampler" in units:
        known["sampler"] = ("what the probabilities of the unit come from", units["sampler"].tolist())
    return known


def _contacts(bundle: ExportBundle) -> NDArray[np.int64]:
    """(n_units, c) contacts of each unit, the largest first, then the nearest; c as the widest unit has."""
    if bundle.templates is None:
        channel: NDArray[np.int64] = bundle.units["channel"]
        return channel[:, None]
    size = np.ptp(bundle.templates, axis=1)
    widest = max(1, int((size > 0).sum(axis=1).max(initial=1)))
    places = bundle.probe.positions_um
    away = np.linalg.norm(places[None] - places[size.argmax(axis=1)][:, None], axis=2)
    return np.lexsort((away, -size), axis=1)[:, :widest].astype(np.int64)


def _waveform_means(bundle: ExportBundle, contacts: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
    """Mean waveforms on these contacts, (n_units, t, c) each: in noise sd, and in volts if they are known."""
    if bundle.templates is None:
        return {}
    means = {"template_noise_sd": np.take_along_axis(bundle.templates, contacts[:, None, :], axis=2)}
    if bundle.gain_uv is not None:
        volts = (bundle.noise_sd * bundle.gain_uv * 1e-6)[contacts]
        means["waveform_mean"] = (means["template_noise_sd"] * volts[:, None, :]).astype(np.float32)
    return means
