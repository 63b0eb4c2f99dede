"""From waveforms to a posterior over their clusterings, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.alternatives import SortingMode, group_alternatives
from ncpgui.core.arguments import WHOLE_NUMBERS, array, instance, pairs, reporting, whole_number
from ncpgui.core.errors import InputError
from ncpgui.core.heaps import weighed_by_heaps
from ncpgui.core.order_agreement import order_spread, trust
from ncpgui.core.posterior import PosteriorSamples, Sampler
from ncpgui.core.progress import Progress, portion
from ncpgui.core.sampled import Sampled
from ncpgui.core.waveform_format import MAX_CHANNELS, MAX_NOISE, MIN_NOISE, SAMPLING_FREQUENCY_HZ, noise_level
from ncpgui.engine.checked_times import checked_times, odd_interval
from ncpgui.engine.checked_waveforms import checked_waveforms, spikes_of
from ncpgui.engine.device import resolve_device
from ncpgui.engine.networks.as_arrays import is_compiled
from ncpgui.engine.networks.checkpoint import Checkpoint, kept_checkpoint, network_of_spikes
from ncpgui.engine.networks.model_files import default_model_name, find_model
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.sampling.beams import beam_samples
from ncpgui.engine.sampling.links import Pairs, with_linked_held
from ncpgui.engine.sampling.memory import check_memory
from ncpgui.engine.sampling.posterior import ancestral_samples, linked_samples
from ncpgui.engine.sampling.sweeps import swept
from ncpgui.engine.seen_motion import known_motion_um, wandered_um
from ncpgui.engine.torch_defaults import usual_defaults

MIN_COMPARED = 20
"""Spikes from which on their noise is judged."""


@dataclass(frozen=True, kw_only=True)
class ClusterResult(Sampled):
    """Posterior over clusterings of n spikes.

    posterior : samples, ancestral and swept (`sampling.sweeps`), linked spikes aside; log q is nan of swept
        samples, which are draws of no law that is known, and cannot be weighed by it; the weights are equal
        where neither links nor heaps say anything. Where no samples were asked for, the beam: most probable
        label vectors and no posterior, `sampler` "beam"
    labels, log_prob, weight, order : its (S, n) int32, (S,) and (S,) float64, (S,) int32 or None
    modes : structurally different sortings, the most probable first
    map_labels : (n,) int32, the point estimate: the consensus of the samples of the most probable sorting
    alternatives, alternative_mass, alternative_mass_se : (A, n) int32, (A,), (A,) of the modes: labels,
        probability and its standard error (`PosteriorSamples.standard_error`)
    beam : the most probable label vectors found, best first, None where none were asked for;
        beam_labels, beam_log_prob : its (B, n), (B,)
    features : (n, d) float32, the network's encoding of each spike
    links_log_prob : log of the probability that all links hold, in nats: what they cost; 0 without links
    model : name of the network
    order_spread : how much the order of the spikes moves the probability that two of them share a unit
        (`core.order_agreement`); nan where that cannot be told
    notes : what a person should know of the waveforms before trusting the answer; none as a rule
    knows_times : whether the network was told the times and reads them
    """

    modes: tuple[SortingMode, ...]
    beam: PosteriorSamples | None = None
    links_log_prob: float = 0.0
    order_spread: float = float("nan")
    notes: tuple[str, ...] = ()

    @property
    def sampler(self) -> Sampler:
        """How the label vectors were found."""
        return self.posterior.sampler

    @property
    def labels(self) -> NDArray[np.int32]:
        """Samples, (S, n); a copy."""
        return self.posterior.labels

    @property
    def log_prob(self) -> NDArray[np.float64]:
        """Log q of each sample, in nats."""
        return self.posterior.log_prob

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each sample."""
        return self.posterior.weight

    @property
    def order(self) -> NDArray[np.int32] | None:
        """Number of the order of the spikes in which each sample was drawn."""
        return self.posterior.order

    @property
    def map_labels(self) -> NDArray[np.int32]:
        """The point estimate, (n,)."""
        return self.modes[0].labels

    @property
    def alternatives(self) -> NDArray[np.int32]:
        """Labels of the modes, (A, n)."""
        return np.stack([mode.labels for mode in self.modes])

    @property
    def alternative_mass(self) -> NDArray[np.float64]:
        """Probability of each mode."""
        return np.array([mode.mass for mode in self.modes])

    @property
    def alternative_mass_se(self) -> NDArray[np.float64]:
        """Standard error of the probability of each mode."""
        return np.array([mode.mass_se for mode in self.modes])

    @property
    def beam_labels(self) -> NDArray[np.int32]:
        """Label vectors of the beam, (B, n)."""
        return np.zeros((0, self.posterior.n_points), np.int32) if self.beam is None else self.beam.labels

    @property
    def beam_log_prob(self) -> NDArray[np.float64]:
        """Log q of each vector of the beam, in nats."""
        return np.zeros(0) if self.beam is None else self.beam.log_prob


@usual_defaults()
def cluster(
    waveforms: NDArray[np.floating],
    *,
    channel_positions: ArrayLike | None = None,
    channel_mask: ArrayLike | None = None,
    sampling_frequency: float = SAMPLING_FREQUENCY_HZ,
    times_s: ArrayLike | None = None,
    model: str | Path | None = None,
    samples: int = 200,
    beam: int = 150,
    moves: int = 0,
    sweeps: int | None = None,
    heaps: bool = True,
    seed: int = 0,
    device: str = "auto",
    progress: Progress | None = None,
    clamped: ArrayLike | None = None,
    must_link: Iterable[tuple[int, int]] = (),
    cannot_link: Iterable[tuple[int, int]] = (),
) -> ClusterResult:
    """Sample the posterior over clusterings of spikes.

    Parameters
    ----------
    waveforms : (n_spikes, n_samples, n_channels) float, noise sd, main channel first; all but 32 samples
        at 20 kHz are brought to these around their trough; of more channels than the model takes, the
        nearest are kept
    channel_positions : (n_channels, 2) µm; a hexagon of 30 µm around the main channel when left out
    channel_mask : (n_channels,) bool, False where a channel is missing
    sampling_frequency : Hz, of the waveforms; the network reads 20 000
    times_s : (n_spikes,) s, when each spike was, ascending; a model that knows time then follows units that
        move, and bursts. Refractory periods are not looked at here (`sorting.timed_clusters`)
    model : name of a shipped model, or path of a .safetensors file; None is `spikes`
    samples : ancestral draws S; beam : width B, 0 for none. Without samples the beam stands in for them
    moves : splits and merges of units that each sample is proposed (`sampling.split_merge`); none with links
    sweeps : over each sample (`sampling.sweeps`), as many as fit the model when left out; 0 leaves log q
    heaps : whether samples are weighed by whether the spikes that they part lie in two heaps (`core.heaps`)
    clamped : (n_spikes,) int, spikes held together by label, -1 where free
    must_link, cannot_link : pairs of spikes that share a unit, or do not

    Raises
    ------
    InputError
        Waveforms of another shape, not finite, not in noise sd; a channel or label that does not fit; a value
        of another type; times that are no seconds in order (`checked_times`); more spikes than memory holds.
    CheckpointError
        The model cannot be loaded.
    """
    waveforms = spikes_of(waveforms)
    beam = whole_number(beam, "beam", least=0)
    samples = whole_number(samples, "samples", least=0 if beam else 1)
    moves = whole_number(moves, "moves", least=0)
    sweeps = None if sweeps is None else whole_number(sweeps, "sweeps", least=0)
    heaps = instance(heaps, bool, "heaps", "give True or False")
    seed, progress = whole_number(seed, "seed"), reporting(progress)
    must_link, cannot_link = pairs(must_link, "must_link"), pairs(cannot_link, "cannot_link")
    held = None if clamped is None else array(clamped, "clamped", WHOLE_NUMBERS).astype(np.int64)
    check_memory(max(samples, beam), len(waveforms))
    checkpoint = opened_model(model or default_model_name(), device, beam=bool(beam))
    times = None if times_s is None else checked_times(times_s, len(waveforms))
    seen = encoded(
        checkpoint,
        waveforms,
        channel_positions=channel_positions,
        channel_mask=channel_mask,
        sampling_frequency=sampling_frequency,
        times=times,
    )
    network, encoding = seen.network, seen.encoding
    whole = 5 * (samples + beam)  # steps of progress
    drawn, links_log_prob = None, 0.0
    if samples:
        drawn, links_log_prob = _drawn(
            seen,
            samples,
            moves,
            sweeps,
            seed=seed,
            clamped=held,
            must_link=must_link,
            cannot_link=cannot_link,
            progress=portion(progress, 0, 5 * samples, whole),
        )
        if heaps:
            drawn = weighed_by_heaps(drawn, seen.waveforms)
    best: PosteriorSamples | None = None
    if beam:
        best = beam_samples(
            network,
            encoding,
            width=beam,
            seed=seed,
            clamped=held,
            must_link=must_link,
            cannot_link=cannot_link,
            progress=portion(progress, 5 * samples, whole, whole),
        )
    posterior = drawn or best
    assert posterior is not None
    spread = order_spread(posterior)
    return ClusterResult(
        posterior=posterior,
        modes=tuple(group_alternatives(posterior)),
        beam=best,
        features=encoding.features[0].float().cpu().numpy(),
        links_log_prob=links_log_prob,
        model=checkpoint.name,
        order_spread=np.nan if spread is None else spread,
        notes=(
            *seen.notes,
            *_notes(np.shape(waveforms)[2], seen.n_channels, seen.noise, spread),
            *(() if times is None else _notes_on_times(times, checkpoint, seen.wandered_um)),
        ),
        knows_times=times is not None and network.takes_times,
    )


def _drawn(
    seen: Encoded,
    samples: int,
    moves: int,
    sweeps: int | None,
    *,
    seed: int,
    clamped: NDArray[np.int64] | None,
    must_link: Pairs,
    cannot_link: Pairs,
    progress: Progress,
) -> tuple[PosteriorSamples, float]:
    """Draws of the posterior, swept, and log of the probability of the links; see `cluster`."""
    network, encoding, fixed, links_log_prob = seen.network, seen.encoding, clamped, 0.0
    report = portion(progress, 0, 4, 5)
    if len(must_link) or len(cannot_link):
        linked = linked_samples(
            network,
            encoding,
            must_link=must_link,
            cannot_link=cannot_link,
            n_samples=samples,
            seed=seed,
            clamped=clamped,
            progress=report,
        )
        posterior, links_log_prob = linked.samples, linked.log_probability
        fixed = with_linked_held(clamped, posterior.n_points, [*must_link, *cannot_link])
    else:
        posterior = ancestral_samples(
            network, encoding, n_samples=samples, seed=seed, n_moves=moves, clamped=clamped, progress=report
        )
    if sweeps == 0:
        return posterior, links_log_prob
    report = portion(progress, 4, 5, 5)
    return (
        swept(network, encoding, posterior, seed=seed, n_sweeps=sweeps, clamped=fixed, progress=report),
        links_log_prob,
    )


@dataclass(frozen=True)
class Encoded:
    """What a network made of spikes: their encoding, as of one dataset, and what was seen on the way.

    waveforms : (n, 32, C) that it has read; n_channels : as many, and those that are missing
    noise : of the spikes, in the unit in which 1 is expected
    notes : what was done to the waveforms
    wandered_um : how far the spikes wander along the contacts, 0 without times
    """

    network: ClusteringNetwork
    encoding: Encoding
    waveforms: NDArray[np.float32]
    n_channels: int
    noise: float
    notes: tuple[str, ...]
    wandered_um: float


def opened_model(model: str | Path | None, device: str, *, beam: bool = False) -> Checkpoint:
    """A model of spikes on a device; parameters and errors as of `cluster`.

    beam : whether a beam is asked for. Where none is, "auto" is the CPU for the networks whose draws are
        compiled: of 2000 spikes they take a sixth of the time that torch takes on a GPU
    """
    path, target = find_model(model), resolve_device(device)
    if device == "auto" and not beam and is_compiled(kept_checkpoint(path, "cpu").network):
        target = resolve_device("cpu")
    checkpoint = kept_checkpoint(path, str(target))
    network_of_spikes(checkpoint)
    return checkpoint


def encoded(
    checkpoint: Checkpoint,
    waveforms: NDArray[np.floating],
    *,
    channel_positions: ArrayLike | None,
    channel_mask: ArrayLike | None = None,
    sampling_frequency: float = SAMPLING_FREQUENCY_HZ,
    times: NDArray[np.float64] | None = None,
) -> Encoded:
    """Check spikes and encode them; parameters and errors as of `cluster`."""
    network = network_of_spikes(checkpoint)
    target = network.log_temperature.device
    spikes, positions, mask, notes = checked_waveforms(
        waveforms,
        channel_positions,
        channel_mask,
        sampling_frequency,
        max_channels=checkpoint.card.get("input", {}).get("max_channels", MAX_CHANNELS),
    )
    read = spikes[..., mask]
    noise = noise_level(read) if len(read) >= MIN_COMPARED else 1.0
    if noise > MAX_NOISE:
        raise InputError(
            f"waveforms must be in noise sd, but their noise is about {noise:.1f} where 1 is expected, as "
            "it is in µV; divide each channel by the sd of its noise"
        )
    arrays = [spikes, positions, mask, *([times] if times is not None and network.takes_times else [])]
    wandered = 0.0 if times is None else wandered_um(read, positions[mask], times)
    with torch.inference_mode():
        encoding = network.encode(*(torch.from_numpy(array)[None].to(target) for array in arrays))
    return Encoded(network, encoding, read, spikes.shape[2], noise, notes, wandered)


def _notes_on_times(times: NDArray[np.float64], checkpoint: Checkpoint, wandered: float) -> Iterator[str]:
    odd = odd_interval(times)
    if odd is not None:
        yield odd
    if not getattr(checkpoint.network, "takes_times", False):
        yield f"model '{checkpoint.name}' knows nothing of time; the times were not used"
    known_um = known_motion_um(checkpoint.card)
    if known_um is not None and wandered > known_um:
        yield (
            f"the places of the spikes wander by about {wandered:.0f} µm along the contacts, and the "
            f"model knows tissue that moves by up to {known_um:.0f} µm; units may be split, so cluster "
            "shorter stretches of time, or cut the spikes from traces that are moved back"
        )


def _notes(n_given: int, n_read: int, noise: float, spread: float | None) -> Iterator[str]:
    """Say what is odd about waveforms of `n_given` channels, of which the network has read `n_read`."""
    if spread is not None and trust(spread) == "shaky":
        yield (
            "the order in which the network sees the spikes moves the probability that two share a unit by "
            f"{spread:.2f}, much more than with spikes like those of its training; do not rely on them"
        )
    if n_read < n_given:
        yield f"of {n_given} channels the model takes {n_read}; those nearest to the main one were used"
    if noise < MIN_NOISE:
        yield (
            f"the most similar spikes differ by {noise:.2g} a sample, where noise of 1 is expected; if they "
            "are copies of each other, or not in noise sd (but in V or mV), probabilities are worth nothing"
        )
