"""Large sessions with all that a window shows: units, spikes, posteriors with some doubts, waveforms.

Units stand in small groups along a probe of two columns, those of a group close enough to be in doubt with
each other: a group is a component, whose draws disagree on purpose. The session is written by the project's
own writer. The traces hold the templates at the times of the spikes, in noise that repeats each second.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.order_agreement import N_ORDERS
from ncpgui.core.partition import canonical, rows_of_clusters
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.seeds import stream
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.ephys.fingerprint import fingerprint

RATE_HZ = 20_000.0
REFRACTORY_S = 0.002
PITCH_UM = 20.0
N_CONTACTS = 7
N_FEATURES, N_COORDINATES = 128, 16
MICROVOLTS_PER_SD = 10.0
GROUP_SIZES = (2, 3, 1, 2, 4)
MASSES = ((0.55, 0.30, 0.12), (0.97,), (0.82, 0.15), (0.46, 0.27, 0.20), (0.995,))
"""Probabilities of the ways to sort a group, in turn; what lacks to one are draws of no way."""


@dataclass(frozen=True)
class Size:
    """What a session is made of.

    sampled, draws : of each component at most; has_traces : whether the traces are written, or are zeros that
    take no room on the disk
    """

    n_spikes: int
    n_channels: int
    n_units: int
    duration_s: float
    sampled: int = 2000
    draws: int = 200
    has_traces: bool = True
    seed: int = 0

    @property
    def name(self) -> str:
        """Folder of the session."""
        return f"{self.n_spikes}-{self.n_channels}-{self.n_units}"


SIZES = {
    "540k": Size(540_000, 64, 60, 600.0),
    "5M": Size(5_000_000, 384, 500, 500.0, has_traces=False),
}
QUICK = Size(6_000, 16, 12, 60.0, sampled=200, draws=40)


@dataclass(frozen=True, eq=False)
class Units:
    """The planted units and their spikes in order of time.

    templates : (U, 32, n_channels) float32, noise sd; main, group : (U,) main channel and group
    sample_index, unit, channel, amplitude : of each spike
    """

    probe: Probe
    templates: NDArray[np.float32]
    main: NDArray[np.int64]
    group: NDArray[np.int64]
    sample_index: NDArray[np.int64]
    unit: NDArray[np.int64]
    channel: NDArray[np.int32]
    amplitude: NDArray[np.float32]


def session_of(size: Size, cache: Path) -> Path:
    """Return the session of a size, made where it is not there yet.

    Beside it lie `traces.raw` and `units.npz`, which other programs are given.
    """
    from ncpgui.session.schema import ENCODINGS

    folder = cache / size.name
    made, told = folder / "made.json", json.dumps({**asdict(size), "format": ENCODINGS})
    if made.is_file() and made.read_text(encoding="utf-8") == told:
        return folder / "session.h5"
    from ncpgui.session import store

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    units = planted(size)
    write_traces(units, size, folder / "traces.raw")
    np.savez(folder / "units.npz", **arrays_of(units))
    store.save(project_of(units, size, folder / "traces.raw"), folder / "session.h5")
    made.write_text(told, encoding="utf-8")
    return folder / "session.h5"


def arrays_of(units: Units) -> dict[str, Any]:
    """What other programs are given of the units."""
    arrays = {name: value for name, value in vars(units).items() if name != "probe"}
    return {**arrays, "positions_um": units.probe.positions_um, "rate_hz": RATE_HZ}


def planted(size: Size) -> Units:
    """Units along the probe, and when they fire."""
    rng = stream(size.seed, "large session", size.name)
    rows = np.arange(size.n_channels) // 2
    column = np.arange(size.n_channels) % 2
    positions = np.column_stack([32.0 * column + 16.0 * (rows % 2), PITCH_UM * rows])
    group = np.concatenate([np.full(GROUP_SIZES[k % len(GROUP_SIZES)], k) for k in range(size.n_units)])[
        : size.n_units
    ]
    height_um = positions[-1, 1] * (np.arange(group[-1] + 1) + 0.5) / (group[-1] + 1)
    centre = np.column_stack([np.full(size.n_units, 24.0), height_um[group]])
    centre += rng.uniform(-14, 14, centre.shape)
    templates = np.stack([_template(positions, place, rng) for place in centre])
    main = np.abs(templates).max(axis=1).argmax(axis=1)
    times, unit = _firing(size, rng)
    peak = templates[np.arange(size.n_units), TROUGH_SAMPLE, main]
    amplitude = peak[unit] * rng.normal(1, 0.07, len(unit)) + rng.normal(0, 0.8, len(unit))
    return Units(
        Probe(positions), templates, main, group, times, unit, main[unit].astype(np.int32),
        np.minimum(amplitude, -1).astype(np.float32),
    )  # fmt: skip


def _template(
    positions_um: NDArray[np.float64], centre_um: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Biphasic spike that decays with distance, (32, n_channels), noise sd."""
    distance = np.linalg.norm(positions_um - centre_um, axis=1)
    width, height = rng.uniform(0.8, 1.4), rng.uniform(8, 26)
    t = np.arange(N_SAMPLES)[:, None] - TROUGH_SAMPLE - distance[None] / 60
    shape = -np.exp(-((t / (1.7 * width)) ** 2)) + 0.4 * np.exp(-(((t - 6.5 * width) / (4.2 * width)) ** 2))
    decay = np.where(distance < 120, np.exp(-distance / 28), 0)
    return (height * decay * shape).astype(np.float32)


def _firing(size: Size, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Times of all spikes in order, and their units: rates differ four times, none fires within 2 ms."""
    share = rng.uniform(0.5, 2.0, size.n_units)
    n = np.maximum((share / share.sum() * size.n_spikes).astype(int), 50)
    n[0] += size.n_spikes - n.sum()
    times, units = [], []
    for unit, count in enumerate(n):
        free_s = size.duration_s - 0.2 - count * REFRACTORY_S
        gaps = np.sort(rng.uniform(0, free_s, count)) + REFRACTORY_S * np.arange(count) + 0.1
        times.append((gaps * RATE_HZ).astype(np.int64))
        units.append(np.full(count, unit))
    together, unit = np.concatenate(times), np.concatenate(units)
    order = np.argsort(together, kind="stable")
    return together[order], unit[order]


def write_traces(units: Units, size: Size, path: Path) -> None:
    """Write int16 traces, µV, a second at a time; without traces, a file that reads as zeros."""
    if not size.has_traces:
        with path.open("wb") as file:
            file.truncate(int(size.duration_s * RATE_HZ) * size.n_channels * 2)
        return
    rng = stream(size.seed, "traces", size.name)
    n_samples, rate = int(size.duration_s * RATE_HZ), int(RATE_HZ)
    noise = rng.normal(0, MICROVOLTS_PER_SD, (rate, size.n_channels)).astype(np.float32)
    contacts = np.argsort(-np.abs(units.templates).max(axis=1), axis=1)[:, :12]
    near = np.take_along_axis(units.templates, contacts[:, None], axis=2) * MICROVOLTS_PER_SD
    bounds = np.searchsorted(units.sample_index, np.arange(0, n_samples + rate, rate))
    window = np.arange(N_SAMPLES) - TROUGH_SAMPLE
    with path.open("wb") as file:
        for second in range(n_samples // rate):
            traces = noise.copy()
            here = slice(bounds[second], bounds[second + 1])
            at = units.sample_index[here] - second * rate
            inside = (at >= TROUGH_SAMPLE) & (at < rate - N_SAMPLES)
            at, unit = at[inside], units.unit[here][inside]
            rows = at[:, None, None] + window[None, :, None]
            np.add.at(traces, (rows, contacts[unit][:, None]), near[unit])
            np.rint(traces).astype(np.int16).tofile(file)


def project_of(units: Units, size: Size, traces: Path) -> Project:
    """The sorting of the planted units, each group a component with its posterior and waveforms."""
    rng = stream(size.seed, "posterior", size.name)
    n_samples = int(size.duration_s * RATE_HZ)
    unit = units.unit.copy()
    probability = rng.beta(20, 1, len(unit)).astype(np.float32)
    components, waveforms = [], {}
    for number, ids in enumerate(rows_of_clusters(units.group[units.unit], int(units.group.max()) + 1)):
        component = _component(number, ids, units, size, rng)
        components.append(component)
        waveforms[number] = _waveforms(component, units, rng)
    options = {"sampling_frequency": RATE_HZ, "n_channels": size.n_channels, "dtype": "int16"}
    return Project(
        recording=RecordingReference(
            str(traces), options, fingerprint(traces), size.n_channels, RATE_HZ, n_samples
        ),
        probe=units.probe,
        spikes=SpikeEvents(units.sample_index, units.channel, units.amplitude, RATE_HZ, n_samples),
        noise_sd=np.full(size.n_channels, MICROVOLTS_PER_SD, np.float32),
        components=tuple(components),
        unit_of_spike=unit,
        probability=probability,
        p_neuron=rng.uniform(0.6, 1, size.n_units).astype(np.float32)[unit],
        settings={"min_cluster_spikes": 20},
        model="spikes",
        waveforms=waveforms,
    )


def _component(
    number: int, ids: NDArray[np.int64], units: Units, size: Size, rng: np.random.Generator
) -> Component:
    truth = canonical(units.unit[ids])
    sampled = np.sort(rng.permutation(len(ids))[: size.sampled])
    masses = MASSES[number % len(MASSES)]
    ways = _ways(truth, len(masses), rng)
    share = np.array([*masses, 1 - sum(masses)])
    which = rng.choice(len(share), size=size.draws, p=share)
    rows = np.stack([ways[min(choice, len(ways) - 1)][sampled] for choice in which])
    wrong = rng.random(rows.shape, dtype=np.float32) < np.where(which < len(ways), 0.02, 0.5)[:, None]
    rows[wrong] = rng.integers(0, rows.max() + 1, int(wrong.sum()))
    posterior = PosteriorSamples(
        rows, rng.normal(-3000, 20, size.draws), order=np.arange(size.draws) % N_ORDERS
    )
    alternatives = tuple(
        Alternative(
            way.astype(np.int32),
            rng.beta(20, 1, len(ids)).astype(np.float32),
            mass,
            posterior.standard_error(which == index),
            np.full(way.max() + 1, min(1.0, mass + 0.1), np.float32),
        )
        for index, (way, mass) in enumerate(zip(ways, masses, strict=True))
    )
    main = units.main[units.unit[ids[0]]]
    distance = np.linalg.norm(units.probe.positions_um - units.probe.positions_um[main], axis=1)
    contacts = np.argsort(distance, kind="stable")[:N_CONTACTS]
    return Component(number, contacts, ids, sampled, posterior, alternatives)


def _ways(truth: NDArray[np.int64], n_ways: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """The truth; its first two units as one, or a lone unit as two; its first unit cut in two."""
    n_units = int(truth.max()) + 1
    cut = np.where((truth == 0) & (rng.random(len(truth)) < 0.5), n_units, truth)
    joined = np.maximum(truth - 1, 0) if n_units > 1 else cut
    thirds = np.where((truth == 0) & (rng.random(len(truth)) < 0.3), n_units, truth)
    return [canonical(way) for way in (truth, joined, cut if n_units > 1 else thirds)][:n_ways]


def _waveforms(component: Component, units: Units, rng: np.random.Generator) -> ComponentWaveforms:
    """Templates times a gain, and noise; features and coordinates are fixed projections of templates."""
    unit = units.unit[component.spike_ids]
    templates = units.templates[:, :, component.contacts]
    few = unit[component.sampled]
    noise = rng.standard_normal((len(few), N_SAMPLES, len(component.contacts)), dtype=np.float32)
    gain = rng.normal(1, 0.07, (len(few), 1, 1)).astype(np.float32)
    flat = templates.reshape(len(templates), -1)
    basis = rng.normal(0, flat.shape[1] ** -0.5, (flat.shape[1], N_FEATURES)).astype(np.float32)
    projected = flat @ basis
    features = projected[few] + rng.standard_normal((len(few), N_FEATURES), dtype=np.float32)
    coordinates = projected[unit, :N_COORDINATES]
    coordinates += rng.standard_normal((len(unit), N_COORDINATES), dtype=np.float32)
    return ComponentWaveforms(templates[few] * gain + noise, features, coordinates)
