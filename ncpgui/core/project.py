"""Everything a sorting of one recording consists of: what pipelines make and sessions keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.clock import Clock
from ncpgui.core.component import Component, ComponentWaveforms, WaitingComponent
from ncpgui.core.events import Events
from ncpgui.core.given import GivenSorting
from ncpgui.core.left_out import LeftOut
from ncpgui.core.motion import Motion
from ncpgui.core.probe import Probe
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.stimulus import Stimulus

SESSION_ENCODING = "ncpgui-session"
WAVEFORM_CACHE_ENCODING = "ncpgui-waveform-cache"
"""What the attribute `encoding` of the root of our HDF5 files says they are."""
NO_TRACES = "no traces"
"""Fingerprint of the recording of a finished sorting that was opened without it."""


@dataclass(frozen=True)
class RecordingReference:
    """Where the recording is and how it was opened; `fingerprint` tells whether it is the same.

    options : plain values that the reader needs (sampling_frequency, n_channels, dtype, probe path)
    first_sample : of the recording that is the first one here, where a part of it was opened
    own_clock : of the whole recording; None where seconds count from its first sample
    second_0 : date and time when its clock was 0, as ISO 8601 text with the zone; '' where it does not say
    """

    path: str
    options: dict[str, Any]
    fingerprint: str
    n_channels: int
    sampling_frequency_hz: float
    n_samples: int
    first_sample: int = 0
    own_clock: Clock | None = None
    second_0: str = ""

    @property
    def has_traces(self) -> bool:
        """Whether there was a recording at all when the project was made."""
        return self.fingerprint != NO_TRACES

    @property
    def whole_clock(self) -> Clock:
        """Seconds of the samples of the whole recording."""
        return self.own_clock or Clock(self.sampling_frequency_hz)

    @cached_property
    def clock(self) -> Clock:
        """Seconds of the samples here: the one place that seconds come from."""
        return self.whole_clock.of_part(self.first_sample, self.n_samples)

    @property
    def clock_words(self) -> str:
        """``from 100 to 142 s, 1 gap (30 s)``; '' where seconds count from the first sample."""
        return "" if self.own_clock is None else self.clock.words(self.n_samples)


@dataclass(frozen=True)
class Project:
    """A recording, its spikes, the posterior of each component and the sorting shown first.

    Parameters
    ----------
    recording, probe, spikes : what was sorted
    noise_sd : (n_channels,) float, of the filtered traces, in the recording's own unit
    components : those whose posterior was sampled, in order of id
    unit_of_spike : (n_spikes,) int64, sorting before any curation; -1 = unassigned
    probability : (n_spikes,) float32, with which each spike was assigned to its unit
    p_neuron : (n_spikes,) float32, P(the unit that matching found each spike for is one or more cells, and
        not noise, and the spike not what is left of another unit's); None where nothing is known
    lost : (n_spikes,) float32, spikes of its cell that are expected to have been missed for each that was
        found; None where nothing is known
    left_out : units that matching had and the sorting is without; None where nothing is known
    motion : of the tissue along the probe, and whether templates followed it; None where nothing is known
    settings : SortingConfig as a plain dictionary
    model : name of the network
    waiting : components still to be sampled, in order of id
    failed : id -> message, those of them that could not be sampled
    stimulus : white noise shown during the recording, if any
    events : times of what happened during the recording, where somebody gave them
    given : the finished sorting that is reviewed; None where spikes were found here
    history : curation commands as JSON values, oldest first
    waveforms : id -> cache of waveforms and features; may lack components
    highest : largest number that a unit had before its component was sampled: it is given to no other
    """

    recording: RecordingReference
    probe: Probe
    spikes: SpikeEvents
    noise_sd: NDArray[np.float32]
    components: tuple[Component, ...]
    unit_of_spike: NDArray[np.int64]
    probability: NDArray[np.float32]
    settings: dict[str, Any]
    model: str
    p_neuron: NDArray[np.float32] | None = None
    lost: NDArray[np.float32] | None = None
    left_out: LeftOut | None = None
    motion: Motion | None = None
    waiting: tuple[WaitingComponent, ...] = ()
    failed: dict[int, str] = field(default_factory=dict)
    stimulus: Stimulus | None = None
    events: Events | None = None
    given: GivenSorting | None = None
    history: tuple[dict[str, Any], ...] = ()
    waveforms: dict[int, ComponentWaveforms] = field(default_factory=dict)
    highest: int = -1

    @cached_property
    def fired(self) -> NDArray[np.int64]:
        """(n_spikes,) samples of the spikes, as far apart as they were in time: see `Clock.apart`."""
        return self.recording.clock.apart(self.spikes.sample_index)

    @property
    def min_cluster_spikes(self) -> int:
        """Sampled spikes below which the sorting dropped clusters; 0 when the settings do not tell."""
        return int(self.settings.get("min_cluster_spikes", 0))

    @property
    def given_labels(self) -> dict[int, str]:
        """Labels of units before any curation."""
        return {} if self.given is None else self.given.labels

    @property
    def highest_unit(self) -> int:
        """Largest number that a unit ever had before any curation, also in the sorting that is reviewed."""
        given = -1 if self.given is None else self.given.highest
        return max(int(self.unit_of_spike.max(initial=-1)), self.highest, given)

    @property
    def component_of_spike(self) -> NDArray[np.int32]:
        """(n_spikes,) id of the component of each spike, sampled or waiting; -1 = none."""
        result = np.full(len(self.spikes), -1, dtype=np.int32)
        known: tuple[Component | WaitingComponent, ...] = (*self.components, *self.waiting)
        for one in known:
            result[one.spike_ids] = one.id
        return result

    @property
    def place(self) -> str:
        """Path of the recording, or of the sorting that was opened without one; '' of traces in memory."""
        return self.recording.path or ("" if self.given is None else self.given.path)

    def component(self, component_id: int) -> Component | None:
        """Return the component of an id, or None."""
        return next((c for c in self.components if c.id == component_id), None)
