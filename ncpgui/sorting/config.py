"""SortingConfig: every number that a sorting depends on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ncpgui.core.config import check_types
from ncpgui.core.errors import InputError
from ncpgui.core.motion import MOTION_PRESETS
from ncpgui.core.nearest import did_you_mean
from ncpgui.core.posterior import SAMPLERS
from ncpgui.core.probe import Probe

# A hexagonal array has neighbours at 1 and at 1.73 pitches, a square one (a tetrode) at 1 and 1.41.
NEIGHBOUR_PITCHES = 1.6
DETECTION_RADIUS_UM = (50.0, 100.0)
MOTION_CHOICES = ("auto", "off", *MOTION_PRESETS)
LEAST_HIGHPASS_HZ = 1.0
MOST = {"exclude_ms": 100.0, "posterior_samples": 1e6, "beam": 1e6}
MEASURED = ("auto", "all", "parts")
MATCHERS = ("wobble", "tdc-peeler", "circus-omp", "none")


@dataclass(frozen=True)
class SortingConfig:
    """Settings of a sorting; the defaults suit extracellular spikes of any array.

    Parameters
    ----------
    highpass_hz, lowpass_hz : pass band of spikes
    reference : "median" of all channels, or "none"
    artefact_sd : 50 ms in which most channels are beyond this for two thirds of the time are blanked
    blank_nan : samples that are NaN or infinite count as zero; they are refused otherwise
    threshold_sd : depth of a trough that counts as a spike, in noise sd
    peak_sign : "neg" for troughs, "pos" for positive peaks, "both" for either
    exclude_ms, detection_radius_um : the deepest trough within these is one spike; the radius is
        1.6 pitches, between 50 and 100 µm, when None
    neighbour_radius_um, max_neighbours : channels of a waveform: those within the radius (1.6
        pitches when None), the nearest first: 7 of a hexagonal array, 4 of a tetrode
    spikes_per_group : spikes of a component that the network clusters, half as many where it has one unit;
        the rest is assigned
    sampler : "draws" of the posterior of a component, or "beam" for its most probable label vectors, which
        are no posterior
    posterior_samples : draws of the posterior of a component
    beam : label vectors of a component that a beam keeps
    heaps : whether it weighs these draws if all spikes of what they part lie in one heap or in two, and
        whether units that are two heaps are two in some draws
    firing_times : whether the refractory periods in the times of all spikes weigh these draws
    stimulus : whether what all spikes respond to weighs these draws, where white noise was shown
    echoes : whether spikes at a fixed lag from those of another unit weigh these draws
    min_cluster_spikes : clusters with fewer sampled spikes are dropped (paper, SM D)
    assignment_dims : principal components in which the remaining spikes are assigned
    motion : "auto" follows tissue that moves along the probe, where the probe can show it; "off"; or a preset
        of SpikeInterface (`MOTION_PRESETS`)
    matcher : how spikes of templates are found: "wobble", "tdc-peeler" or "circus-omp" of SpikeInterface, or
        "none", which keeps the spikes of the first pass
    measured : what of the traces a review reads to measure units: "all"; "parts", `measured_s` seconds spread
        evenly over the recording; "auto" reads all of what takes a few minutes, and parts of the rest
    measured_s : seconds of these parts
    seed : of every draw
    model : name or path of the network; the default one when None
    device : "auto", "cpu", "cuda"

    Raises
    ------
    InputError
        A number out of its range.
    """

    highpass_hz: float = 300.0
    lowpass_hz: float = 6000.0
    reference: str = "median"
    artefact_sd: float = 2.0
    blank_nan: bool = False
    threshold_sd: float = 4.5
    peak_sign: str = "neg"
    exclude_ms: float = 0.5
    detection_radius_um: float | None = None
    neighbour_radius_um: float | None = None
    max_neighbours: int = 7
    spikes_per_group: int = 2000
    sampler: str = "draws"
    posterior_samples: int = 200
    beam: int = 150
    heaps: bool = True
    firing_times: bool = True
    stimulus: bool = True
    echoes: bool = True
    min_cluster_spikes: int = 20
    assignment_dims: int = 16
    motion: str = "auto"
    matcher: str = "wobble"
    measured: str = "auto"
    measured_s: float = 100.0
    seed: int = 0
    model: str | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        check_types(self)
        for name in (
            "highpass_hz",
            "lowpass_hz",
            "artefact_sd",
            "threshold_sd",
            "exclude_ms",
            "max_neighbours",
            "spikes_per_group",
            "posterior_samples",
            "beam",
            "min_cluster_spikes",
            "assignment_dims",
            "measured_s",
        ):
            value = getattr(self, name)
            if not value > 0:
                raise InputError(f"{name} must be positive, got {value}")
            most = MOST.get(name, math.inf)
            if value > most or (math.isinf(value) and name != "artefact_sd"):
                raise InputError(f"{name} must be finite{_at_most(most)}, got {value:g}")
        if self.highpass_hz < LEAST_HIGHPASS_HZ:
            raise InputError(f"highpass_hz must be at least {LEAST_HIGHPASS_HZ:g}, got {self.highpass_hz}")
        for name in ("detection_radius_um", "neighbour_radius_um"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise InputError(f"{name} must not be negative, got {value}; leave it out for 1.6 pitches")
            if value is not None and not math.isfinite(value):
                raise InputError(f"{name} must be finite, got {value}; leave it out for 1.6 pitches")
        for name, known in (
            ("matcher", MATCHERS),
            ("sampler", SAMPLERS),
            ("measured", MEASURED),
            ("reference", ("median", "none")),
            ("peak_sign", ("neg", "pos", "both")),
            ("motion", MOTION_CHOICES),
        ):
            value = getattr(self, name)
            if value not in known:
                raise InputError(
                    f"{name} must be one of {', '.join(map(repr, known))}, got '{value}'"
                    + did_you_mean(value, known)
                )


def _at_most(most: float) -> str:
    return "" if math.isinf(most) else f" and at most {most:g}"


def filter_options(config: SortingConfig) -> dict[str, Any]:
    """Settings of a sorting that `ephys.preprocessing.preprocess` takes."""
    names = ("highpass_hz", "lowpass_hz", "reference", "artefact_sd", "blank_nan")
    return {name: getattr(config, name) for name in names}


def detection_radius_um(config: SortingConfig, probe: Probe) -> float:
    """Radius within which one trough silences the others."""
    if config.detection_radius_um is not None:
        return config.detection_radius_um
    low, high = DETECTION_RADIUS_UM
    return min(max(NEIGHBOUR_PITCHES * probe.pitch_um, low), high)


def neighbour_radius_um(config: SortingConfig, probe: Probe) -> float:
    """Radius of the channels that a waveform has."""
    if config.neighbour_radius_um is not None:
        return config.neighbour_radius_um
    return NEIGHBOUR_PITCHES * probe.pitch_um
