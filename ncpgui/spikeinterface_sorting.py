"""For SpikeInterface: a recording of it in, a sorting of it out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncpgui.core.config import from_dict
from ncpgui.core.progress import Progress, silent
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.neuron_probability import unit_labels
from ncpgui.sorting.whole_recording import PROPOSING_DRAWS, PROPOSING_SPIKES, WholeSorting, sort_whole

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording, BaseSorting

    from ncpgui.core.probe import Probe


def sort(
    recording: BaseRecording,
    *,
    probe: str | Path | Probe | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> BaseSorting:
    """Sort a recording as a whole: templates of all units, found in collisions and under the threshold too.

    Parameters
    ----------
    recording : of SpikeInterface, unfiltered or filtered; segments are joined one after the other
    probe : where the contacts are, if the recording does not say: a file, or a name such as "tetrode"
    settings : fields of `SortingConfig`, such as ``threshold_sd=4.0, seed=1``

    Returns
    -------
    a NumpySorting with unit ids 0 .. K-1 and these properties of units: `snr` (noise sd), `main_channel` (an
    id of the recording's channels), `probability` (mean over spikes of P(the spike is of this unit and
    of none like it nor noise), `p_neuron` (P(the unit is one or more cells)) and `label` ("good", "mua" or
    "noise", by `p_neuron`). Its annotations hold the settings.

    Raises
    ------
    InputError
        A setting that there is not, or that does not fit; no probe; no spikes.
    RecordingError
        Traces that cannot be used, such as NaN.
    """
    from ncpgui.ephys.readers import recording_of

    defaults = {"posterior_samples": PROPOSING_DRAWS, "spikes_per_group": PROPOSING_SPIKES}
    config = from_dict(SortingConfig, {**defaults, **settings})
    opened = recording_of(recording, probe=probe)
    return as_spikeinterface(sort_whole(opened, config, progress=progress), recording)


def as_spikeinterface(result: WholeSorting, recording: BaseRecording) -> BaseSorting:
    """Return the sorting of a recording as a sorting of SpikeInterface."""
    import numpy as np
    from spikeinterface.core import NumpySorting

    sorting = NumpySorting.from_samples_and_labels(
        [result.sample_index],
        [result.unit],
        result.sampling_frequency_hz,
        unit_ids=np.arange(result.n_units),
    )
    if result.n_units:
        n_spikes = np.bincount(result.unit, minlength=result.n_units)
        sums = np.bincount(result.unit, result.probability, minlength=result.n_units)
        sorting.set_property("snr", result.snr)
        sorting.set_property("main_channel", recording.channel_ids[result.main_channel])
        sorting.set_property("p_neuron", result.p_neuron)
        sorting.set_property("label", unit_labels(result.p_neuron))
        sorting.set_property("probability", (sums / np.maximum(n_spikes, 1)).astype(np.float32))
    sorting.annotate(sorter="ncpgui", **{"ncpgui_settings": result.settings})
    return sorting
