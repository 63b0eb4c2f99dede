"""For SpikeInterface: a recording of it in, a sorting of it out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ncpgui.core.arguments import reporting, true_or_false
from ncpgui.core.config import from_dict
from ncpgui.core.posterior import sampler_words
from ncpgui.core.progress import Progress
from ncpgui.ephys.numpy_sortings import numpy_sorting
from ncpgui.evidence.units import project_numbers
from ncpgui.export.from_project import project_table
from ncpgui.sorting.chosen_workers import checked_workers
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Workers
from ncpgui.sorting.pipeline import sort_recording

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording, BaseSorting

    from ncpgui.core.probe import Probe
    from ncpgui.core.project import Project


UNIT_PROPERTIES = {
    "snr": "amplitude_sd",
    "main_channel": "channel",
    "probability": "probability",
    "p_neuron": "p_neuron",
    "p_pure": "p_pure",
    "p_complete": "p_complete",
    "false_positives": "false_positives",
    "misses": "misses",
    "label": "label",
}
"""Properties of the units of a sorting: columns of `export.from_project.project_table`, by name."""


def sort(
    recording: BaseRecording,
    *,
    probe: str | Path | Probe | None = None,
    posterior: bool = True,
    workers: Workers | int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> BaseSorting:
    """Sort a recording as a whole: templates of all units, found in collisions and under the threshold too.

    Parameters
    ----------
    recording : of SpikeInterface, unfiltered or filtered; segments are sorted together, one after the other
    probe : where the contacts are, if the recording does not say: a file, or a name such as "tetrode"
    posterior : whether to sample the posterior of all units, which splits and joins some of those that
        matching finds; without it sorting takes less than half as long
    workers : channels, components and pieces of traces at a time (`sorting.executors`); as many as there are
        cores, up to four, when left out. The result does not depend on it
    progress : told how far it is as ``progress(done, total, message)``; nobody is when None
    settings : fields of `SortingConfig`, such as ``threshold_sd=4.0, seed=1``

    Returns
    -------
    a NumpySorting with the segments and the times of the recording, which is registered in it, with unit ids
    0 .. K-1 and these properties of units: `snr` (mean depth, noise sd), `main_channel` (an id of the
    recording's channels), `probability` (mean over its spikes of P(the spike is of this unit)), `p_neuron`
    (P(the unit is one or more cells)), `p_pure` and `p_complete` (P(it has hardly a spike of another cell),
    P(its cell has hardly a spike elsewhere)), `false_positives` and `misses` (expected shares), nan of these
    four without `posterior`, and `label` ("good", "mua" or "noise", by `p_neuron` and `p_pure`).
    `ncpgui.draws` takes it, as long as it was not saved and loaded. Its annotations hold the settings, and
    with ``sampler="beam"`` that the probabilities are over a beam and no posterior.

    Raises
    ------
    InputError
        No recording of SpikeInterface; a setting or an option that there is not, or that does not fit; no
        probe; no spikes; `Processes` in a script without ``if __name__ == "__main__":``.
    RecordingError
        Traces that cannot be used, such as NaN.
    """
    from ncpgui.ephys.readers import recording_of

    config, progress = from_dict(SortingConfig, settings), reporting(progress)
    workers, posterior = checked_workers(workers), true_or_false(posterior, "posterior")
    opened = recording_of(recording, probe=probe)
    project = sort_recording(opened, config, posterior=posterior, workers=workers, progress=progress)
    return as_spikeinterface(project, recording)


def as_spikeinterface(project: Project, recording: BaseRecording) -> BaseSorting:
    """Return the sorting of a recording as a sorting of SpikeInterface, with `UNIT_PROPERTIES`."""
    kept = project.unit_of_spike >= 0
    n_units = int(project.unit_of_spike.max(initial=-1)) + 1
    sorting, _ = numpy_sorting(
        project.spikes.sample_index[kept],
        project.unit_of_spike[kept],
        np.arange(n_units),
        sampling_frequency_hz=project.spikes.sampling_frequency_hz,
        segment_start=project.recording.whole_clock.segment_start,
    )
    sorting.register_recording(recording)
    sorting.ncpgui_project = project
    numbers = project_numbers(project, project.unit_of_spike, project.probability)
    by_matching = np.where(np.isnan(numbers.probability), project.probability, numbers.probability)
    table = project_table(project, project.unit_of_spike, replace(numbers, probability=by_matching))
    for name, column in UNIT_PROPERTIES.items() if n_units else ():
        values = table[column]
        if column == "channel":
            values = recording.channel_ids[values]
        sorting.set_property(name, values.astype(np.float32) if values.dtype.kind == "f" else values)
    sorting.annotate(sorter="ncpgui", **{"ncpgui_settings": project.settings})
    if any(component.posterior.sampler == "beam" for component in project.components):
        sorting.annotate(**{"ncpgui_probabilities": sampler_words("beam")})
    return sorting
