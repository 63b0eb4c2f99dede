"""For SpikeInterface: a recording of it in, a sorting of it out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.config import from_dict
from ncpgui.core.progress import Progress, silent
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Workers
from ncpgui.sorting.whole_recording import PROPOSING_DRAWS, PROPOSING_SPIKES, WholeSorting, sort_whole

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording, BaseSorting

    from ncpgui.core.probe import Probe

DEFAULTS = {"posterior_samples": PROPOSING_DRAWS, "spikes_per_group": PROPOSING_SPIKES}
"""Settings that differ from those of `SortingConfig` where a recording is sorted as a whole."""

UNIT_PROPERTIES: dict[str, Callable[[WholeSorting, BaseRecording], NDArray[Any]]] = {
    "snr": lambda result, recording: result.snr,
    "main_channel": lambda result, recording: recording.channel_ids[result.main_channel],
    "probability": lambda result, recording: mean_by_unit(result.probability, result),
}
"""Properties of the units of a sorting, (K,) each."""


def sort(
    recording: BaseRecording,
    *,
    probe: str | Path | Probe | None = None,
    workers: Workers | int | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> BaseSorting:
    """Sort a recording as a whole: templates of all units, found in collisions and under the threshold too.

    Parameters
    ----------
    recording : of SpikeInterface, unfiltered or filtered; segments are joined one after the other
    probe : where the contacts are, if the recording does not say: a file, or a name such as "tetrode"
    workers : where spikes are sampled, with the same result: a number of threads (as many as there are cores,
        up to four, when None), `sorting.process_workers.Processes`, or `sorting.dask_workers.Dask`
    settings : fields of `SortingConfig`, such as ``threshold_sd=4.0, seed=1``

    Returns
    -------
    a NumpySorting with unit ids 0 .. K-1 and these properties of units: `snr` (noise sd), `main_channel` (an
    id of the recording's channels), and `probability` (mean over spikes of P(the spike is of this unit and
    not of one like it)). Its annotations hold the settings.

    Raises
    ------
    InputError
        A setting that there is not, or that does not fit; no probe; no spikes.
    RecordingError
        Traces that cannot be used, such as NaN.
    """
    from ncpgui.ephys.readers import recording_of

    config = from_dict(SortingConfig, {**DEFAULTS, **settings})
    opened = recording_of(recording, probe=probe)
    return as_spikeinterface(sort_whole(opened, config, workers=workers, progress=progress), recording)


def as_spikeinterface(result: WholeSorting, recording: BaseRecording) -> BaseSorting:
    """Return the sorting of a recording as a sorting of SpikeInterface, with `UNIT_PROPERTIES`."""
    from spikeinterface.core import NumpySorting

    sorting = NumpySorting.from_samples_and_labels(
        [result.sample_index],
        [result.unit],
        result.sampling_frequency_hz,
        unit_ids=np.arange(result.n_units),
    )
    for name, values in UNIT_PROPERTIES.items() if result.n_units else ():
        sorting.set_property(name, values(result, recording))
    sorting.annotate(sorter="ncpgui", **{"ncpgui_settings": result.settings})
    return sorting


def mean_by_unit(values: NDArray[np.floating], result: WholeSorting) -> NDArray[np.float32]:
    """Mean of a value of spikes (n,) for each unit: (K,), 0 for a unit without spikes."""
    n_spikes = np.bincount(result.unit, minlength=result.n_units)
    sums = np.bincount(result.unit, values, minlength=result.n_units)
    return (sums / np.maximum(n_spikes, 1)).astype(np.float32)
