"""Everything in one .npz file, for one's own analysis; posterior samples included.

::

    spike_sample (n,) int64          spike_time_s (n,) float64 on the clock of the recording
    spike_unit (n,) int64            spike_probability (n,) float32
    spike_entropy (n,) float32 nats  spike_amplitude (n,) float32 noise sd
    unit_ids (k,)  unit_name (k,) where ids are no numbers  unit_label (k,)  unit_n_spikes (k,)
    unit_channel (k,)  unit_p_exists (k,)
    unit_probability (k,)  unit_p_neuron (k,)  unit_p_pure (k,)  unit_p_complete (k,)
    unit_false_positives (k,)  unit_misses (k,) expected shares
    unit_sampler (k,)                what these come from, where a unit's are those of a beam
    templates (k, t, channels) float32 noise sd, if there are any
    channel_positions_um (c, 2)      channel_shank (c,)           noise_sd (c,)
    sampling_frequency_hz ()         recording_path ()            ncp () JSON text
    first_sample (), n_samples ()    what was sorted: samples from first_sample to n_samples of the recording
    component_ids (g,)               for each component, with i its id:
    posterior_i_channels (c,)        its contacts, the reference contact first
    posterior_i_sample (m,)          sample index of the spikes that the network clustered
    posterior_i_labels (S, m)        cluster of each of them in each sample, smallest unsigned integers
    posterior_i_sampler ()           "draws", or that they are label vectors of a beam and no posterior
    posterior_i_weight (S,)          posterior_i_order (S,)       order of the spikes in which each was drawn
    posterior_i_log_prob (S,) nats   nan of samples that were swept

Read it with ``numpy.load(path)``; there are no pickles in it. Arrays that are not known are absent.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.numpy_files import write_npz
from ncpgui.core.posterior import sampler_words
from ncpgui.export.bundle import NUMBERS, ExportBundle
from ncpgui.export.unit_ids import unit_ids


def export_npz(bundle: ExportBundle, path: Path, *, replace: bool = True) -> Path:
    """Write the file `path`.

    Raises
    ------
    ExportError
        The file cannot be written.
    """
    arrays = {name: values for name, values in _arrays(bundle).items() if values is not None}
    write_npz(path, arrays, replace=replace)
    return path


def _arrays(bundle: ExportBundle) -> dict[str, NDArray[Any] | None]:
    sorting, units = bundle.sorting, bundle.units
    ids = unit_ids(units.ids, bundle.unit_names)
    known = units.some("label", "n_spikes", "channel", "p_exists", "probability", *NUMBERS, "sampler")
    return {
        "spike_sample": sorting.sample_index,
        "spike_time_s": bundle.time_s,
        "spike_unit": ids.number[bundle.unit_index],
        "spike_probability": sorting.probability,
        "spike_entropy": sorting.entropy,
        "spike_amplitude": bundle.amplitude,
        "unit_ids": ids.number,
        "unit_name": None if ids.name is None else np.array(ids.name, dtype=str),
        **{f"unit_{name}": values for name, values in known.items()},
        "templates": bundle.templates,
        "channel_positions_um": bundle.probe.positions_um,
        "channel_shank": bundle.probe.shank,
        "noise_sd": bundle.noise_sd,
        "sampling_frequency_hz": np.array(sorting.sampling_frequency_hz),
        "n_samples": np.array(sorting.n_samples),
        "first_sample": np.array(bundle.first_sample),
        "recording_path": np.array(bundle.recording.path),
        "ncp": np.array(json.dumps(bundle.ncp)),
        **_posterior(bundle),
    }


def _posterior(bundle: ExportBundle) -> dict[str, NDArray[Any]]:
    if bundle.spikes is None:
        return {}
    result: dict[str, NDArray[Any]] = {
        "component_ids": np.array([component.id for component in bundle.components], dtype=np.int64)
    }
    for component in bundle.components:
        name = f"posterior_{component.id}"
        result[f"{name}_channels"] = component.contacts
        sample = bundle.spikes.sample_index[component.spike_ids[component.sampled]]
        result[f"{name}_sample"] = sample + bundle.first_sample
        labels = component.posterior.labels
        result[f"{name}_labels"] = labels.astype(np.min_scalar_type(labels.max(initial=0)))
        result[f"{name}_sampler"] = np.array(sampler_words(component.posterior.sampler))
        result[f"{name}_weight"] = component.posterior.weight
        result[f"{name}_log_prob"] = component.posterior.log_prob
        if component.posterior.order is not None:
            result[f"{name}_order"] = component.posterior.order
    return result
