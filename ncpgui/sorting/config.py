"""SortingConfig: every number that a sorting depends on."""

from __future__ import annotations

from dataclasses import dataclass

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe

# A hexagonal array has neighbours at 1 and at 1.73 pitches, a square one (a tetrode) at 1 and 1.41.
NEIGHBOUR_PITCHES = 1.6
DETECTION_RADIUS_UM = (50.0, 100.0)
MATCHERS = ("wobble", "tdc-peeler", "circus-omp", "none")


@dataclass(frozen=True)
class SortingConfig:
    """Settings of a sorting; the defaults suit extracellular spikes of any array.

    Parameters
    ----------
    highpass_hz, lowpass_hz : pass band of spikes
    reference : "median" of all channels, or "none"
    threshold_sd : depth of a trough that counts as a spike, in noise sd
    exclude_ms, detection_radius_um : the deepest trough within these is one spike; the radius is
        1.6 pitches, between 50 and 100 µm, when None
    neighbour_radius_um, max_neighbours : channels of a waveform: those within the radius (1.6
        pitches when None), the nearest first: 7 of a hexagonal array, 4 of a tetrode
    spikes_per_group : spikes of a main channel that the network clusters; the rest is assigned
    posterior_samples : draws of the posterior
    min_cluster_spikes : clusters with fewer sampled spikes are dropped (paper, SM D)
    assignment_dims : principal components in which the remaining spikes are assigned
    none_quantile : a spike farther from a cluster than this share of its spikes belongs to none
    duplicate_ms, duplicate_share : two units that coincide within this time for this share of the
        smaller are one neuron seen twice
    flip_distance : squared distance of two templates, relative to the larger one's energy, under
        which they may be one neuron whose main channel flips
    matcher : how `ncpgui.sort` finds spikes of templates: "wobble", "tdc-peeler" or "circus-omp" of
        SpikeInterface, or "none", which keeps the spikes of the first pass
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
    threshold_sd: float = 4.5
    exclude_ms: float = 0.5
    detection_radius_um: float | None = None
    neighbour_radius_um: float | None = None
    max_neighbours: int = 7
    spikes_per_group: int = 2000
    posterior_samples: int = 200
    min_cluster_spikes: int = 20
    assignment_dims: int = 16
    none_quantile: float = 0.999
    duplicate_ms: float = 0.4
    duplicate_share: float = 0.5
    flip_distance: float = 0.15
    matcher: str = "wobble"
    seed: int = 0
    model: str | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        for name in (
            "highpass_hz",
            "lowpass_hz",
            "threshold_sd",
            "exclude_ms",
            "max_neighbours",
            "spikes_per_group",
            "posterior_samples",
            "min_cluster_spikes",
            "assignment_dims",
            "duplicate_ms",
        ):
            value = getattr(self, name)
            if not value > 0:
                raise InputError(f"{name} must be positive, got {value}")
        for name in ("none_quantile", "duplicate_share", "flip_distance"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise InputError(f"{name} must be between 0 and 1, got {value}")
        for name in ("detection_radius_um", "neighbour_radius_um"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise InputError(f"{name} must not be negative, got {value}; leave it out for 1.6 pitches")
        if self.matcher not in MATCHERS:
            raise InputError(f"matcher must be one of {', '.join(map(repr, MATCHERS))}, got '{self.matcher}'")
        if self.reference not in ("median", "none"):
            raise InputError(f"reference must be 'median' or 'none', got '{self.reference}'")


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
