"""What panels have computed of spikes, as plain functions: maps, correlograms, responses, pairs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.project import RecordingReference
from ncpgui.core.seeds import stream_seed
from ncpgui.core.stimulus import Stimulus

if TYPE_CHECKING:
    from ncpgui.analysis.correlograms import Correlograms
    from ncpgui.analysis.event_response import EventResponse
    from ncpgui.analysis.receptive_field import ReceptiveField
    from ncpgui.app.presenters.events import EventWindow

Key = TypeVar("Key", bound=Hashable)


def embed(features: NDArray[np.float32], *, progress: Progress = silent) -> NDArray[np.float32]:
    """t-SNE of encoder features: (m, 2)."""
    from ncpgui.analysis.embedding import MAX_POINTS, tsne

    if len(features) <= MAX_POINTS:
        return tsne(features, seed=stream_seed(0, "t-SNE"), progress=progress)
    raise InputError(f"a map takes at most {MAX_POINTS} spikes, this question has {len(features)} sampled")


def receptive_fields(
    stimulus: Stimulus, spike_samples: dict[bytes, NDArray[np.int64]], *, progress: Progress = silent
) -> dict[bytes, ReceptiveField]:
    """Receptive field of each set of spikes."""
    from ncpgui.analysis.receptive_field import receptive_field

    result = {}
    for key, samples in reported(spike_samples.items(), progress, "receptive fields"):
        result[key] = receptive_field(stimulus, samples)
    return result


def event_responses(
    trains: Mapping[Key, NDArray[np.int64]],
    events_s: NDArray[np.float64],
    recording: RecordingReference,
    window: EventWindow,
    *,
    progress: Progress = silent,
) -> dict[Key, EventResponse]:
    """Spikes (samples) of each train around events of a recording."""
    from ncpgui.analysis.event_response import event_response

    found = {}
    for key, samples in reported(trains.items(), progress, "responses to events"):
        found[key] = event_response(
            samples,
            events_s,
            clock=recording.clock,
            n_samples=recording.n_samples,
            before_s=window.before_s,
            after_s=window.after_s,
            bin_s=window.bin_s,
        )
    return found


def correlograms(
    trains: Sequence[NDArray[np.int64]],
    sampling_frequency_hz: float,
    *,
    half_ms: float,
    bin_ms: float,
    progress: Progress = silent,
) -> Correlograms:
    """Correlograms and intervals of spike trains (sorted samples), up to `half_ms` to either side."""
    from ncpgui.analysis.correlograms import correlograms as found

    progress(0, 1, "correlograms")
    return found(trains, sampling_frequency_hz=sampling_frequency_hz, window_ms=2 * half_ms, bin_ms=bin_ms)


def pair_times(
    pairs: Mapping[Key, Sequence[NDArray[np.int64]]],
    sampling_frequency_hz: float,
    *,
    progress: Progress = silent,
) -> dict[Key, float]:
    """What firing times say of pairs of trains (sorted samples): nats for one neuron against two."""
    from ncpgui.evidence.same_neuron import pair_nats

    found = {}
    for key, (one, other) in reported(pairs.items(), progress, "firing times of pairs"):
        found[key] = pair_nats(one, other, sampling_frequency_hz=sampling_frequency_hz)
    return found
