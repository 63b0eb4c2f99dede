"""For SpikeInterface: a recording of it in, a sorting of it out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import reporting, true_or_false
from ncpgui.core.config import from_dict
from ncpgui.core.posterior import sampler_words
from ncpgui.core.progress import Progress
from ncpgui.ephys.numpy_sortings import numpy_sorting
from ncpgui.evidence.units import ProjectNumbers, project_numbers
from ncpgui.sorting.chosen_workers import checked_workers
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Workers
from ncpgui.sorting.neuron_probability import unit_label
from ncpgui.sorting.pipeline import sort_recording

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording, BaseSorting

    from ncpgui.core.probe import Probe
    from ncpgui.core.project import Project


UNIT_PROPERTIES: dict[str, Callable[[Project, BaseRecording, ProjectNumbers], NDArray[Any]]] = {
    "snr": lambda project, recording, numbers: mean_by_unit(np.abs(project.spikes.amplitude), project),
    "main_channel": lambda project, recording, numbers: recording.channel_ids[main_channels(project)],
    "probability": lambda project, recording, numbers: mean_by_unit(_probability(project, numbers), project),
    "p_neuron": lambda project, recording, numbers: by_unit(numbers, "p_neuron"),
    "p_pure": lambda project, recording, numbers: by_unit(numbers, "p_pure"),
    "p_complete": lambda project, recording, numbers: by_unit(numbers, "p_complete"),
    "false_positives": lambda project, recording, numbers: by_unit(numbers, "false_positives"),
    "misses": lambda project, recording, numbers: by_unit(numbers, "misses"),
    "label": lambda project, recording, numbers: np.array(
        [
            unit_label(one.p_neuron, one.p_pure, is_beyond_cards=one.is_beyond_cards)
            for one in (numbers.of_unit[unit] for unit in sorted(numbers.of_unit))
        ]
    ),
}
"""Properties of the units of a sorting, (K,) each, of its project, recording and `evidence.units` numbers."""


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
    n_units = n_units_of(project)
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
    for name, values in UNIT_PROPERTIES.items() if n_units else ():
        sorting.set_property(name, values(project, recording, numbers))
    sorting.annotate(sorter="ncpgui", **{"ncpgui_settings": project.settings})
    if any(component.posterior.sampler == "beam" for component in project.components):
        sorting.annotate(**{"ncpgui_probabilities": sampler_words("beam")})
    return sorting


def n_units_of(project: Project) -> int:
    """Number of units that spikes are of."""
    return int(project.unit_of_spike.max(initial=-1)) + 1


def mean_by_unit(values: NDArray[np.floating], project: Project) -> NDArray[np.float32]:
    """Mean of a value of spikes (n,) for each unit: (K,), 0 for a unit without spikes."""
    kept = project.unit_of_spike >= 0
    unit, n_units = project.unit_of_spike[kept], n_units_of(project)
    sums = np.bincount(unit, values[kept], minlength=n_units)
    return (sums / np.maximum(np.bincount(unit, minlength=n_units), 1)).astype(np.float32)


def main_channels(project: Project) -> NDArray[np.int64]:
    """Channel on which most spikes of each unit are largest: (K,)."""
    kept = project.unit_of_spike >= 0
    on_channel = np.zeros((n_units_of(project), project.probe.n_channels), dtype=np.int64)
    np.add.at(on_channel, (project.unit_of_spike[kept], project.spikes.channel[kept]), 1)
    return on_channel.argmax(axis=1)


def by_unit(numbers: ProjectNumbers, name: str) -> NDArray[np.float32]:
    """One of the `UnitNumbers` of each unit: (K,), nan where it is not known."""
    return np.array([getattr(numbers.of_unit[unit], name) for unit in sorted(numbers.of_unit)], np.float32)


def _probability(project: Project, numbers: ProjectNumbers) -> NDArray[np.float32]:
    """P(each spike is of its unit); by matching where no posterior was sampled."""
    return np.where(np.isnan(numbers.probability), project.probability, numbers.probability)
