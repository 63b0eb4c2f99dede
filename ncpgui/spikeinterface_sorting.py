"""For SpikeInterface: a recording of it in, a sorting of it out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncpgui.core.config import from_dict
from ncpgui.core.progress import Progress, silent
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.neuron_probability import unit_labels
from ncpgui.sorting.pipeline import sort_recording

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording, BaseSorting

    from ncpgui.core.probe import Probe
    from ncpgui.core.project import Project


def sort(
    recording: BaseRecording,
    *,
    probe: str | Path | Probe | None = None,
    posterior: bool = True,
    progress: Progress = silent,
    **settings: Any,
) -> BaseSorting:
    """Sort a recording as a whole: templates of all units, found in collisions and under the threshold too.

    Parameters
    ----------
    recording : of SpikeInterface, unfiltered or filtered; segments are joined one after the other
    probe : where the contacts are, if the recording does not say: a file, or a name such as "tetrode"
    posterior : whether to sample the posterior of all units, which splits and joins some of those that
        matching finds; without it sorting takes less than half as long
    settings : fields of `SortingConfig`, such as ``threshold_sd=4.0, seed=1``

    Returns
    -------
    a NumpySorting with unit ids 0 .. K-1 and these properties of units: `snr` (mean depth, noise sd),
    `main_channel` (an id of the recording's channels), `probability` (mean over spikes of P(the spike is of
    this unit, and of none like it nor noise)), `p_neuron` (P(the unit is one or more cells)) and `label`
    ("good", "mua" or "noise", by `p_neuron`). Its annotations hold the settings.

    Raises
    ------
    InputError
        A setting that there is not, or that does not fit; no probe; no spikes.
    RecordingError
        Traces that cannot be used, such as NaN.
    """
    from ncpgui.ephys.readers import recording_of

    config = from_dict(SortingConfig, settings)
    opened = recording_of(recording, probe=probe)
    project = sort_recording(opened, config, posterior=posterior, progress=progress)
    return as_spikeinterface(project, recording)


def as_spikeinterface(project: Project, recording: BaseRecording) -> BaseSorting:
    """Return the sorting of a recording as a sorting of SpikeInterface."""
    import numpy as np
    from spikeinterface.core import NumpySorting

    kept = project.unit_of_spike >= 0
    unit, spikes = project.unit_of_spike[kept], project.spikes
    n_units = int(unit.max(initial=-1)) + 1
    sorting = NumpySorting.from_samples_and_labels(
        [spikes.sample_index[kept]], [unit], spikes.sampling_frequency_hz, unit_ids=np.arange(n_units)
    )
    if n_units:
        n_spikes = np.bincount(unit, minlength=n_units)
        depth = np.bincount(unit, -spikes.amplitude[kept], minlength=n_units) / n_spikes
        sure = np.bincount(unit, project.probability[kept], minlength=n_units) / n_spikes
        on_channel = np.zeros((n_units, project.probe.n_channels), dtype=np.int64)
        np.add.at(on_channel, (unit, spikes.channel[kept]), 1)
        sorting.set_property("snr", depth.astype(np.float32))
        sorting.set_property("main_channel", recording.channel_ids[on_channel.argmax(axis=1)])
        sorting.set_property("probability", sure.astype(np.float32))
        if project.p_neuron is not None:
            p_neuron = np.bincount(unit, project.p_neuron[kept], minlength=n_units) / n_spikes
            sorting.set_property("p_neuron", p_neuron.astype(np.float32))
            sorting.set_property("label", unit_labels(p_neuron))
    sorting.annotate(sorter="ncpgui", **{"ncpgui_settings": project.settings})
    return sorting
