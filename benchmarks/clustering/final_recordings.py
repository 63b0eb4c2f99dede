"""Recordings for sets that choose nothing: SpikeInterface's cells in a recording of our own making.

Cells are SpikeInterface's (`generate_templates`), of other shapes than its defaults. What it does not do is
done here: bursts that lose amplitude after short intervals, a hash of many far cells, groups of one unit in
their natural share, and motion that is slow, a zigzag or sudden. Spikes go through ncpgui's own detection and
cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import probeinterface
from numpy.typing import NDArray
from spikeinterface.core.generate import generate_templates

from benchmarks.clustering.clustering_sets import cut
from benchmarks.clustering.final_oracle import Fired, told_nearly_everything
from benchmarks.clustering.generated_recordings import around, deepest, first_apart, hexagon
from benchmarks.common.array_recording import ArrayRecording
from benchmarks.recordings.generator import band_passed, wired
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.probes import load_probe
from ncpgui.sorting.config import SortingConfig, filter_options
from ncpgui.sorting.pipeline import detect

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOTIONS = ("none", "slow", "zigzag", "sudden")
SHAPES = {
    "depolarization_ms": (0.07, 0.18),
    "repolarization_ms": (0.4, 1.0),
    "recovery_ms": (0.8, 1.8),
    "positive_amplitude": (0.05, 0.35),
    "smooth_ms": (0.02, 0.08),
    "spatial_decay": (12.0, 40.0),
    "propagation_speed": (200.0, 450.0),
    "ellipse_shrink": (0.3, 1.0),
    "ellipse_angle": (0.0, 2 * np.pi),
    "spatial_power": (1.3, 2.6),
}
MS_BEFORE, MS_AFTER = 1.5, 3.5


@dataclass(frozen=True)
class FinalSettings:
    """What recordings are made of; ranges are uniform, per unit unless said otherwise.

    duration_s, group_rate_hz : of a recording, and of the spikes of all units around one contact
    n_spikes, fewest : spikes of a set; groups with fewer than that are left out
    units_more, max_units : units around a contact are 1 + Poisson, up to so many
    snr : largest trough in noise sd after the band-pass, log-uniform
    near_pitches, depth_um, apart_um : where the units of a contact lie, and how far apart at least
    n_hash, hash_snr, hash_depth_um, hash_rate_hz : number of far cells, and what they are like
    noise_uv, noise_decay_um : noise before the band-pass of each contact, and reach of its correlation
    amplitude_spread : sd of the log amplitude of a unit's spikes
    p_bursting, burst_part, burst_gap_ms : share of units that burst, spikes that follow another at once,
        and after how long (log-uniform, per spike)
    burst_loss, recovery_ms : amplitude lost right after a spike, and how fast it comes back
    refractory_ms : of all units
    reach_um : of the motion, to either side, per recording
    waveform_radius_um : channels within it are cut, up to seven
    match_ms : a detected spike is one of a unit's within this time
    known_part : units of at least so much of a set are scored
    """

    duration_s: float = 45.0
    group_rate_hz: float = 40.0
    n_spikes: int = 1000
    fewest: int = 600
    units_more: float = 1.0
    max_units: int = 6
    snr: tuple[float, float] = (5.0, 25.0)
    near_pitches: float = 0.45
    depth_um: tuple[float, float] = (8.0, 45.0)
    apart_um: float = 6.0
    n_hash: tuple[int, int] = (30, 80)
    hash_snr: tuple[float, float] = (1.0, 4.5)
    hash_depth_um: tuple[float, float] = (45.0, 110.0)
    hash_rate_hz: tuple[float, float] = (1.0, 10.0)
    noise_uv: tuple[float, float] = (5.0, 9.0)
    noise_decay_um: float = 30.0
    amplitude_spread: tuple[float, float] = (0.03, 0.1)
    p_bursting: float = 0.5
    burst_part: tuple[float, float] = (0.2, 0.5)
    burst_gap_ms: tuple[float, float] = (3.0, 12.0)
    burst_loss: tuple[float, float] = (0.15, 0.55)
    recovery_ms: tuple[float, float] = (10.0, 50.0)
    refractory_ms: float = 2.5
    reach_um: tuple[float, float] = (5.0, 20.0)
    waveform_radius_um: float = 65.0
    match_ms: float = 0.3
    known_part: float = 0.02


class Place(NamedTuple):
    """A probe, how fast its recordings are sampled, its pitch, and how far apart groups are."""

    make: Callable[[], probeinterface.Probe]
    sampling_frequency_hz: float
    pitch_um: float
    groups_apart_um: float


PLACES = {
    "hexagon": Place(lambda: hexagon(35), 20_000.0, 35.0, 60.0),
    "linear": Place(lambda: probeinterface.generate_linear_probe(14, ypitch=20), 30_000.0, 20.0, 70.0),
    "columns": Place(
        lambda: probeinterface.generate_multi_columns_probe(
            2, 9, xpitch=25, ypitch=22, y_shift_per_column=[0, 11]
        ),
        24_000.0,
        25.0,
        60.0,
    ),
    "tetrode": Place(lambda: probeinterface.generate_tetrode(r=15.6), 30_000.0, 22.0, 200.0),
}


class FinalSet(NamedTuple):
    """Detected spikes of one contact.

    waveforms : (N, 32, C) float32, noise sd, main channel first; channel_positions : (C, 2) µm
    times_s : (N,) float64, ascending
    unit : (N,) int64, of the recording; far cells after `n_near`; -1 of noise
    known : (N,) bool, spikes of the units that are scored
    oracle : (N,) int64, unit of those that somebody would say who is told nearly everything (`final_oracle`);
        -1 where nobody was asked
    """

    waveforms: NDArray[np.float32]
    channel_positions: Floats
    times_s: Floats
    unit: Ints
    known: NDArray[np.bool_]
    oracle: Ints

    @property
    def n_units(self) -> int:
        """Units that are scored."""
        return len(np.unique(self.unit[self.known]))


class Cells(NamedTuple):
    """Cells of a recording, those around contacts before the far ones.

    locations : (U, 3) µm; shapes : name of `SHAPES` -> (U,); snr, rate_hz : (U,)
    n_near : those around contacts; contacts : (G,) with such cells
    """

    locations: Floats
    shapes: dict[str, Floats]
    snr: Floats
    rate_hz: Floats
    n_near: int
    contacts: Ints


def sets_of_recording(place: str, motion: str, settings: FinalSettings, *, seed: int) -> Iterator[FinalSet]:
    """Make one recording and yield a set of each of its groups that has enough spikes of a unit."""
    where, rng = PLACES[place], stream(seed, "final", place, motion)
    probe = wired(where.make())
    contacts = np.asarray(probe.contact_positions, dtype=np.float64)
    rate_hz = where.sampling_frequency_hz
    noise_uv = rng.uniform(*settings.noise_uv, len(contacts))
    noise_sd = noise_uv * _noise_gain(rate_hz, rng)
    cells = _draw_cells(where, contacts, noise_sd, settings, rng)
    reach = rng.uniform(*settings.reach_um)
    offsets = np.arange(-5, 6) / 5 * reach if motion != "none" else np.zeros(1)
    templates = np.stack([_templates(where, contacts, cells, offset) for offset in offsets])  # (D, U, T, C)
    depth = _depths(templates, rate_hz)
    middle = len(offsets) // 2
    scale = cells.snr / (depth[middle] / noise_sd).max(axis=1)
    templates *= scale[:, None, None].astype(np.float32)
    depth *= scale[:, None]
    sample, unit, amplitude = _fire(cells, settings, rate_hz, rng)
    way = _way(motion, rng)(sample / (settings.duration_s * rate_hz)) * (len(offsets) - 1)
    traces = _traces(contacts, noise_uv, settings, rate_hz, rng)
    _add(traces, templates, sample, unit, amplitude, way, int(MS_BEFORE * rate_hz / 1000))
    recording = ArrayRecording(traces, sampling_frequency_hz=rate_hz, probe=load_probe(probe))
    config = SortingConfig(
        spikes_per_group=settings.n_spikes,
        neighbour_radius_um=settings.waveform_radius_um,
        seed=stream_seed(seed, "draw"),
    )
    found = detect(preprocess(recording, **filter_options(config)), config)
    depth_now = depth[np.round(way).astype(int), unit] * amplitude[:, None] / noise_sd
    fired = Fired(sample, unit, amplitude, way, depth_now)
    with closing(found.pre):
        for contact in cells.contacts:
            spikes = found.spikes
            rows = np.flatnonzero(spikes.channel == contact)
            if len(rows) < settings.fewest:
                continue
            reach_samples = settings.match_ms * rate_hz / 1000
            truth = deepest(spikes.sample_index[rows], sample, unit, depth_now[:, contact], reach_samples)
            chosen, neighbours, waveforms = cut(found, rows, int(contact), config)
            truth = truth[chosen]
            size = np.bincount(truth[truth >= 0], minlength=len(cells.snr))
            scored = (size >= settings.known_part * len(chosen)) & (np.arange(len(size)) < cells.n_near)
            known = (truth >= 0) & scored[truth]
            if not known.any():
                continue
            places = found.pre.probe.positions_um[neighbours]
            at = spikes.sample_index[rows[chosen]]
            units = np.flatnonzero(scored)
            shapes = band_passed(_roomy(templates[:, units][..., neighbours], rate_hz), rate_hz, axis=2)
            said = told_nearly_everything(
                waveforms, at, units, size[units], shapes, neighbours, found.pre, fired
            )
            yield FinalSet(waveforms, places - places[0], at / rate_hz, truth, known, said)


def _draw_cells(
    where: Place, contacts: Floats, noise_sd: Floats, settings: FinalSettings, rng: np.random.Generator
) -> Cells:
    """Cells around contacts far from each other, and far ones anywhere behind the probe."""
    chosen = first_apart(contacts, rng.permutation(len(contacts)), where.groups_apart_um)
    parts: list[tuple[Floats, dict[str, Floats]]] = []
    rates = []
    for contact in chosen.tolist():
        n_units = min(1 + int(rng.poisson(settings.units_more)), settings.max_units)
        parts.append(_near(where, contacts, contact, n_units, noise_sd, settings, rng))
        n_found = len(parts[-1][0])
        rates.append((rng.dirichlet(np.full(n_found, 1.5)) + 0.05) * settings.group_rate_hz)
    n_near = sum(len(locations) for locations, _ in parts)
    n_hash = int(rng.integers(*settings.n_hash, endpoint=True))
    low, high = contacts.min(axis=0) - 60, contacts.max(axis=0) + 60
    far = np.column_stack([rng.uniform(low, high, (n_hash, 2)), rng.uniform(*settings.hash_depth_um, n_hash)])
    parts.append((far, _shapes(n_hash, rng)))
    rates.append(rng.uniform(*settings.hash_rate_hz, n_hash))
    snr = np.concatenate(
        [
            np.exp(rng.uniform(*np.log(settings.snr), n_near)),
            rng.uniform(*settings.hash_snr, n_hash),
        ]
    )
    locations = np.concatenate([locations for locations, _ in parts])
    shapes = {name: np.concatenate([shapes[name] for _, shapes in parts]) for name in SHAPES}
    return Cells(locations, shapes, snr, np.concatenate(rates), n_near, chosen)


def _shapes(n: int, rng: np.random.Generator) -> dict[str, Floats]:
    return {name: rng.uniform(low, high, n) for name, (low, high) in SHAPES.items()}


def _near(
    where: Place,
    contacts: Floats,
    contact: int,
    n_units: int,
    noise_sd: Floats,
    settings: FinalSettings,
    rng: np.random.Generator,
) -> tuple[Floats, dict[str, Floats]]:
    """Units whose deepest trough is on `contact`, apart from each other: locations (K, 3), shapes."""
    n_tried = 12 * n_units
    reach_um = settings.near_pitches * where.pitch_um
    locations = around(contacts[contact], reach_um, settings.depth_um, n_tried, rng)
    shapes = _shapes(n_tried, rng)
    one = Cells(locations, shapes, np.ones(n_tried), np.ones(n_tried), n_tried, np.array([contact]))
    depth = _depths(_templates(where, contacts, one, 0.0)[None], where.sampling_frequency_hz)[0] / noise_sd
    is_main = np.flatnonzero(depth.argmax(axis=1) == contact)
    chosen = first_apart(locations, is_main, settings.apart_um, n_units)
    return locations[chosen], {name: values[chosen] for name, values in shapes.items()}


def _templates(where: Place, contacts: Floats, cells: Cells, offset_um: float) -> NDArray[np.float32]:
    """Templates (U, T, C) of amplitude 1, of cells moved along the probe."""
    return generate_templates(
        contacts,
        cells.locations + np.array([0.0, offset_um, 0.0]),
        sampling_frequency=where.sampling_frequency_hz,
        ms_before=MS_BEFORE,
        ms_after=MS_AFTER,
        unit_params={**cells.shapes, "alpha": np.ones(len(cells.locations))},
        seed=0,
    ).astype(np.float32)


def _depths(templates: NDArray[np.float32], rate_hz: float) -> Floats:
    """Trough of each template on each contact after the band-pass: (D, U, C)."""
    return -band_passed(_roomy(templates, rate_hz), rate_hz, axis=2).min(axis=2).astype(np.float64)


def _roomy(templates: NDArray[np.float32], rate_hz: float) -> NDArray[np.float32]:
    """Templates (D, U, T, C) with 10 ms of nothing on both sides, for the band-pass."""
    return np.pad(templates, ((0, 0), (0, 0), (int(0.01 * rate_hz),) * 2, (0, 0)))


def _noise_gain(rate_hz: float, rng: np.random.Generator) -> float:
    """Sd that the band-pass leaves of white noise of sd 1."""
    return float(band_passed(rng.standard_normal(int(5 * rate_hz)).astype(np.float32), rate_hz).std())


def _fire(
    cells: Cells, settings: FinalSettings, rate_hz: float, rng: np.random.Generator
) -> tuple[Ints, Ints, Floats]:
    """Samples, units and amplitudes of all spikes, in order of time."""
    found = []
    for unit, rate in enumerate(cells.rate_hz):
        part = rng.uniform(*settings.burst_part) if rng.random() < settings.p_bursting else 0.0
        loss, recovery_s = rng.uniform(*settings.burst_loss), rng.uniform(*settings.recovery_ms) / 1000
        spread = rng.uniform(*settings.amplitude_spread)
        n = int(1.3 * rate * settings.duration_s) + 20
        short = np.exp(rng.uniform(*np.log(settings.burst_gap_ms), n)) / 1000
        wait = settings.refractory_ms / 1000 + rng.exponential(1 / (rate * (1 - part)), n)
        gap = np.where(rng.random(n) < part, short, wait)
        times = np.cumsum(gap)
        tired, amplitude = 0.0, np.ones(n)
        for i in range(1, n):
            tired = (tired + 0.7 * (1 - tired)) * np.exp(-gap[i] / recovery_s)
            amplitude[i] = 1 - loss * tired
        amplitude *= np.exp(spread * rng.standard_normal(n))
        inside = times < settings.duration_s - 0.02
        found.append((times[inside] * rate_hz, np.full(inside.sum(), unit), amplitude[inside]))
    sample, unit, amplitude = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(sample, kind="stable")
    return sample[order].astype(np.int64) + int(0.01 * rate_hz), unit[order], amplitude[order]


def _way(motion: str, rng: np.random.Generator) -> Callable[[Floats], Floats]:
    """Where on its way the probe is at a part of the time: (n,) on [0, 1] -> (n,) on [0, 1]."""
    phase = rng.uniform()
    if motion == "slow":
        half_turns = rng.uniform(0.5, 1.2)
        return lambda part: 0.5 + 0.5 * np.cos(np.pi * (half_turns * part + phase))
    if motion == "zigzag":
        turns = rng.uniform(1.5, 3.5)
        return lambda part: np.abs(2 * ((turns * part + phase) % 1) - 1)
    if motion == "sudden":
        at, levels = np.sort(rng.uniform(0.1, 0.9, 2)), rng.permutation([0.0, 0.5, 1.0])
        return lambda part: levels[np.searchsorted(at, part)]
    return np.zeros_like


def _traces(
    contacts: Floats, noise_uv: Floats, settings: FinalSettings, rate_hz: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Noise that is white in time and correlated between contacts: (n_samples, C) float32, µV."""
    gap = np.linalg.norm(contacts[:, None] - contacts, axis=-1)
    covariance = np.exp(-gap / settings.noise_decay_um) * noise_uv[:, None] * noise_uv
    mixed = np.linalg.cholesky(covariance).T.astype(np.float32)
    return rng.standard_normal((int(settings.duration_s * rate_hz), len(contacts)), dtype=np.float32) @ mixed


def _add(
    traces: NDArray[np.float32],
    templates: NDArray[np.float32],
    sample: Ints,
    unit: Ints,
    amplitude: Floats,
    way: Floats,
    n_before: int,
) -> None:
    """Add each spike to the traces, its template between two places of the way."""
    n_samples, last = templates.shape[2], max(len(templates) - 2, 0)
    before = np.minimum(way.astype(int), last)
    share = (way - before).astype(np.float32)
    for i, start in enumerate(sample - n_before):
        shape = templates[before[i], unit[i]]
        if share[i] > 0:
            shape = shape + share[i] * (templates[before[i] + 1, unit[i]] - shape)
        if start >= 0 and start + n_samples <= len(traces):
            traces[start : start + n_samples] += np.float32(amplitude[i]) * shape
