"""Spikes with known units: drawn from our own generator, or cut from recordings of SpikeInterface's.

Ours: `sample_dataset`, cells that no training has seen. Sets of one unit, in which agreement means little,
come along for the calibration; only the others count as sets asked for.

SpikeInterface's: recordings of `generated_recordings.py` go through ncpgui's own detection and cut. What
matches no unit is left out: the truth does not name it.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import spikeinterface
from numpy.typing import NDArray

from benchmarks.clustering.generated_recordings import BANDS, RecordingSettings, generate, true_units
from benchmarks.common.kept import add_cache, kept_sets
from benchmarks.common.made_data import sample_dataset
from ncpgui.core.partition import canonical, cluster_sizes
from ncpgui.core.seeds import stream_seed
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.waveforms import extract_waveforms
from ncpgui.sorting.channel_partition import draw_group
from ncpgui.sorting.config import SortingConfig, filter_options
from ncpgui.sorting.first_pass import Detected, detect

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

OWN_GEOMETRIES = ("hex7", "tetrode", "linear", "dense", "single")
MOTIONS = ("static", "drifting")
MIN_UNIT_SPIKES = 10
CACHE_FORMAT = 1


class SpikeSet(NamedTuple):
    """What a clustering step is given, and the truth.

    waveforms : (N, 32, C) float32, noise sd, main channel first
    channel_positions : (C, 2) float, µm relative to the main channel
    labels : (N,) int64, canonical
    """

    waveforms: NDArray[np.float32]
    channel_positions: Floats
    labels: Ints

    @property
    def n_units(self) -> int:
        """Units that have a spike."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True)
class Kind:
    """One row of the benchmark; `band` (a name of `BANDS`, noise sd) and `motion` are of recordings only."""

    source: str
    geometry: str
    band: str = ""
    motion: str = ""


def own_sets(geometry: str, n_spikes: int, n_sets: int, *, seed: int = 0) -> list[SpikeSet]:
    """Draw until `n_sets` have two units or more; those of one unit are returned too."""
    found: list[SpikeSet] = []
    while sum(one.n_units > 1 for one in found) < n_sets:
        own_seed = stream_seed(seed, "own", geometry, len(found))
        data = sample_dataset(own_seed, n_spikes, geometry=geometry, split="test")
        found.append(SpikeSet(data.waveforms, data.channel_positions.astype(np.float64), data.labels))
    return found


def foreign_sets(
    kind: Kind,
    n_spikes: int,
    n_sets: int,
    *,
    settings: RecordingSettings | None = None,
    cache: Path | None = None,
    seed: int = 0,
) -> list[SpikeSet]:
    """Cut sets from one recording after the other until there are enough.

    cache : folder in which the sets of each recording are kept, and looked for
    """
    chosen = settings or RecordingSettings()
    found: list[SpikeSet] = []
    for index in range(10 * n_sets):
        found += _kept(kind, n_spikes, index, chosen, cache, seed)
        if len(found) >= n_sets:
            return found[:n_sets]
    raise RuntimeError(f"{10 * n_sets} recordings gave only {len(found)} sets of {n_spikes} spikes of {kind}")


def sets_of(
    kind: Kind,
    n_spikes: int,
    n_sets: int,
    *,
    settings: RecordingSettings | None = None,
    cache: Path | None = None,
) -> list[SpikeSet]:
    """Return `own_sets`, or `foreign_sets` with `settings` and `cache`."""
    if kind.source == "ours":
        return own_sets(kind.geometry, n_spikes, n_sets)
    return foreign_sets(kind, n_spikes, n_sets, settings=settings, cache=cache)


def add_set_options(parser: argparse.ArgumentParser, geometries: Iterable[str]) -> None:
    """Add the options that say which sets are taken (of all `geometries` by default) and kept where."""
    known = list(geometries)
    parser.add_argument("--geometries", nargs="+", choices=known, default=known)
    parser.add_argument("--bands", nargs="+", choices=list(BANDS), default=list(BANDS))
    parser.add_argument("--motions", nargs="+", choices=MOTIONS, default=list(MOTIONS))
    add_cache(parser, "clustering-sets", "the sets cut from recordings, and scores of other methods")


def _kept(
    kind: Kind, n_spikes: int, index: int, settings: RecordingSettings, cache: Path | None, seed: int
) -> list[SpikeSet]:
    """Sets of one recording, from the cache where they are there."""
    make = partial(sets_of_recording, kind, n_spikes, settings, seed=_seed_of(kind, index, seed))
    if cache is None:
        return list(make())
    versions = (CACHE_FORMAT, spikeinterface.__version__, np.__version__)
    told = repr((versions, kind, n_spikes, index, seed, sorted(asdict(settings).items())))
    digest = hashlib.sha256(told.encode()).hexdigest()[:16]
    path = cache / f"{kind.geometry}-{kind.motion}-{kind.band}-{n_spikes}-{index}-{digest}.npz"
    return kept_sets(path, SpikeSet, make)


def _seed_of(kind: Kind, index: int, seed: int) -> int:
    """The same cells and spike times with and without drift."""
    return stream_seed(seed, kind.geometry, kind.band, index)


def sets_of_recording(
    kind: Kind, n_spikes: int, settings: RecordingSettings, *, seed: int
) -> Iterator[SpikeSet]:
    """Generate one recording and yield a set of each of its groups that has enough spikes and two units."""
    truth = generate(
        kind.geometry, kind.band, n_spikes, settings, drifting=kind.motion == "drifting", seed=seed
    )
    config = SortingConfig(
        threshold_sd=settings.threshold_sd,
        spikes_per_group=n_spikes,
        neighbour_radius_um=settings.waveform_radius_um,
        max_neighbours=settings.waveform_channels,
        seed=seed,
    )
    found = detect(preprocess(truth.recording, **filter_options(config)), config)
    with closing(found.pre):
        for contact in truth.contacts:
            rows, unit = true_units(found.spikes, int(contact), truth, match_ms=settings.match_ms)
            if len(rows) < n_spikes:
                continue
            chosen, neighbours, waveforms = cut(found, rows, int(contact), config)
            places = found.pre.probe.positions_um[neighbours]
            one = SpikeSet(waveforms, places - places[0], canonical(unit[chosen]))
            if (cluster_sizes(one.labels) >= MIN_UNIT_SPIKES).sum() >= 2:
                yield one


def cut(
    found: Detected, rows: Ints, contact: int, config: SortingConfig
) -> tuple[Ints, Ints, NDArray[np.float32]]:
    """Draw among the detected spikes `rows` of a contact and cut their waveforms, as the pipeline does.

    Returns which of `rows` were drawn (N,), the channels (C,), and waveforms (N, 32, C).
    """
    spikes = found.spikes
    known = SpikeEvents(
        spikes.sample_index[rows],
        spikes.channel[rows],
        spikes.amplitude[rows],
        spikes.sampling_frequency_hz,
        spikes.n_samples,
    )
    draw = draw_group(known, contact, found.pre.probe, config, bad_channels=found.pre.bad_channels)
    waveforms = extract_waveforms(found.pre, known.sample_index[draw.spike_ids], draw.neighbours)
    return draw.spike_ids, draw.neighbours, waveforms


def unit_troughs_sd(one: SpikeSet) -> Floats:
    """Depth of each unit's mean waveform on its main channel, noise sd: (K,)."""
    return np.array(
        [-one.waveforms[one.labels == unit, TROUGH_SAMPLE, 0].mean() for unit in range(one.n_units)]
    )


def unit_distances(one: SpikeSet) -> Floats:
    """Norm of the difference of the mean waveforms of every two units, noise sd: (K (K - 1) / 2,)."""
    means = np.stack([one.waveforms[one.labels == unit].mean(axis=0) for unit in range(one.n_units)])
    i, j = np.triu_indices(one.n_units, 1)
    return np.linalg.norm((means[i] - means[j]).reshape(len(i), -1), axis=1).astype(np.float64)
