"""Spikes that anybody can cluster: nobody needs a network for them, and a network must not be worse.

    python -m benchmarks.clustering.easy_sets [--model NAME|FILE] [--sets 96] [--seed 0] [--families ...]

Sets of 1 to 8 units, each pair 8 noise sd apart or more, of tissue that stays, in white or coloured noise, on
a hexagon, a tetrode and a linear probe. Of four families of shapes the network was trained on none but
`reservoir`, whose cells no gradient saw. Each set is clustered twice, with and without its times, and by a
mixture of Gaussians on six principal components whose number of clusters the BIC chooses.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from spikeinterface.core.generate import generate_templates

from benchmarks.common.report import SEED, Origin, add_jobs, begin, keep, options, side_by_side, table
from ncpgui import engine
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ, TROUGH_SAMPLE
from ncpgui.engine.generative.template_reservoir import TemplateReservoir, random_rotations

Floats = NDArray[np.float64]
Shape = Callable[[np.random.Generator, Floats], Floats]
_ANGLES = np.arange(6) * np.pi / 3
PROBES = {
    "hexagon": np.vstack([[0, 0], 30 * np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])]),
    "tetrode": np.array([[0, 0], [25, 0], [0, 25], [25, 25]], float),
    "linear": np.column_stack([np.zeros(7), 25.0 * np.array([0, 1, -1, 2, -2, 3, -3])]),
}
APART_SD = 8.0
MOST_TRIES = 4000
BANDS = {"1": (1, 1), "2 to 4": (2, 4), "5 to 8": (5, 8)}
MS = (np.arange(N_SAMPLES) - TROUGH_SAMPLE) * 1000 / SAMPLING_FREQUENCY_HZ


def bells(rng: np.random.Generator, positions: Floats) -> Floats:
    """A trough and a later bump, both Gaussian, that fall off with the distance: (T, C), trough about 1."""
    width, late = rng.uniform(0.08, 0.2), rng.uniform(0.25, 0.7)
    wave = -np.exp(-0.5 * (MS / width) ** 2) + rng.uniform(0.1, 0.6) * np.exp(
        -0.5 * ((MS - late) / rng.uniform(0.15, 0.3)) ** 2
    )
    return wave[:, None] * _fall(rng, positions)


def wavelets(rng: np.random.Generator, positions: Floats) -> Floats:
    """A cosine under a bell, which may have several peaks: (T, C)."""
    rate_khz, width, phase = rng.uniform(0.5, 2.5), rng.uniform(0.12, 0.4), rng.uniform(-0.8, 0.8)
    wave = -np.exp(-0.5 * (MS / width) ** 2) * np.cos(2 * np.pi * rate_khz * MS + phase)
    return wave[:, None] * _fall(rng, positions)


def reservoir(rng: np.random.Generator, positions: Floats) -> Floats:
    """A held-out cell of the shipped reservoir, somewhere about the contacts: (T, C)."""
    cells = _cells()
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    place = torch.tensor([*rng.uniform(-14, 14, 2), rng.choice([-1, 1]) * rng.uniform(8, 40)]).float()
    contacts = torch.from_numpy(np.pad(positions, ((0, 0), (0, 1)))).float()
    cell = torch.tensor(int(rng.integers(len(cells))))
    return _window(cells.templates(cell, place, random_rotations((), generator), contacts).double().numpy())


def spikeinterface(rng: np.random.Generator, positions: Floats) -> Floats:
    """A cell of SpikeInterface's generator: (T, C)."""
    place = np.array([[*rng.uniform(-14, 14, 2), rng.uniform(8, 30)]])
    raw = generate_templates(
        positions,
        place,
        SAMPLING_FREQUENCY_HZ,
        ms_before=2.0,
        ms_after=4.0,
        seed=int(rng.integers(2**31)),
    )[0]
    return _window(np.asarray(raw, float))


FAMILIES: dict[str, Shape] = {
    "bells": bells,
    "wavelets": wavelets,
    "reservoir": reservoir,
    "spikeinterface": spikeinterface,
}


class EasySet(NamedTuple):
    """Spikes of one set, and what they are of; see `ncpgui.engine.cluster` for the arrays."""

    family: str
    probe: str
    coloured: bool
    waveforms: NDArray[np.float32]
    times_s: Floats
    labels: NDArray[np.int64]


def draw(family: str, number: int, seed: int) -> EasySet:
    """Draw one set; the number runs through probes and noises."""
    rng = stream(seed, "easy", family, number)
    probe, coloured = list(PROBES)[number % 3], bool(number // 3 % 2)
    positions, n_spikes = PROBES[probe], int(rng.choice([300, 1000]))
    units = _apart(rng, FAMILIES[family], positions, 1 + number % 8)
    labels = rng.choice(len(units), n_spikes, p=rng.dirichlet(np.full(len(units), 5.0)))
    spikes = np.stack(units)[labels] + _noise(rng, n_spikes, len(positions), coloured)
    return EasySet(
        family, probe, coloured, spikes.astype(np.float32), np.sort(rng.uniform(0, 100, n_spikes)), labels
    )


def _apart(rng: np.random.Generator, shape: Shape, positions: Floats, n_units: int) -> list[Floats]:
    """Units of 8 to 18 noise sd, each pair far apart; fewer where tries run out."""
    found: list[Floats] = []
    for _ in range(MOST_TRIES):
        one = rng.uniform(8, 18) * shape(rng, positions)
        is_main = one[:, 0].min() <= 0.9 * one.min() and np.abs(one).max() < 60
        if is_main and all(np.linalg.norm(one - other) >= APART_SD for other in found):
            found.append(one)
            if len(found) == n_units:
                break
    return found


def _window(raw: Floats) -> Floats:
    """Cut the samples about the trough of the main contact, whose depth becomes 1: (T, C)."""
    start = min(max(int(raw[:, 0].argmin()) - TROUGH_SAMPLE, 0), len(raw) - N_SAMPLES)
    return raw[start : start + N_SAMPLES] / max(-float(raw[:, 0].min()), 1e-9)


def _noise(rng: np.random.Generator, n_spikes: int, n_channels: int, coloured: bool) -> Floats:
    """Noise of 1 sd, white, or with most of its power below 700 Hz: (n, T, C)."""
    noise = rng.standard_normal((n_spikes, 3 * N_SAMPLES, n_channels))
    if coloured:
        hz = np.fft.rfftfreq(3 * N_SAMPLES, 1 / SAMPLING_FREQUENCY_HZ)
        spectrum = np.fft.rfft(noise, axis=1) * (0.35 + 1 / (1 + (hz / 700.0) ** 2))[:, None]
        noise = np.fft.irfft(spectrum, n=3 * N_SAMPLES, axis=1)
        noise /= noise.std()
    return noise[:, N_SAMPLES : 2 * N_SAMPLES]


def _fall(rng: np.random.Generator, positions: Floats) -> Floats:
    distance = np.linalg.norm(positions - rng.uniform(-14, 14, 2), axis=1)
    return 1 / (1 + (distance / rng.uniform(18, 40)) ** 1.6)


@lru_cache
def _cells() -> TemplateReservoir:
    return TemplateReservoir.load().subset("test")


def mixture_labels(waveforms: NDArray[np.float32], seed: int) -> NDArray[np.int64]:
    """Labels by a mixture of Gaussians on six principal components, its number of clusters by the BIC."""
    flat = waveforms.reshape(len(waveforms), -1).astype(np.float64)  # of few spikes float32 is too coarse
    scores = PCA(min(6, flat.shape[1]), random_state=0).fit_transform(flat)
    state = stream_seed(seed, "mixture") % 2**32
    fits = [GaussianMixture(k, n_init=2, random_state=state).fit(scores) for k in range(1, 12)]
    best = min(fits, key=lambda fit: fit.bic(scores))
    found: NDArray[np.int64] = best.predict(scores)
    return found


def score(asked: tuple[str, int], arguments: argparse.Namespace) -> dict[str, Any]:
    """Adjusted Rand index of each way to cluster one set."""
    family, number = asked
    one = draw(family, number, arguments.seed)
    row: dict[str, Any] = {"family": family, "probe": one.probe, "coloured": one.coloured}
    row |= {"units": int(one.labels.max()) + 1, "spikes": len(one.labels)}
    for name, times in (("without times", None), ("with times", one.times_s)):
        found = engine.cluster(
            one.waveforms,
            channel_positions=PROBES[one.probe],
            times_s=times,
            model=arguments.model,
            samples=arguments.samples,
            beam=0,
            device=arguments.device,
        )
        row[name] = adjusted_rand_score(found.map_labels, one.labels)
        row[f"K, {name}"] = int(found.map_labels.max()) + 1
    row["mixture"] = adjusted_rand_score(mixture_labels(one.waveforms, arguments.seed), one.labels)
    return row


WAYS = ("without times", "with times", "mixture")


def means(rows: list[dict[str, Any]], **place: Any) -> dict[str, Any]:
    """One row of the table: means, and how many sets are below 0.9."""
    found = {**place, "sets": len(rows)}
    for way in WAYS:
        values = np.array([row[way] for row in rows])
        found[way] = float(values.mean())
        found[f"{way}, below .9"] = int((values < 0.9).sum())
    return found


def main() -> None:
    """Draw, cluster, print and keep."""
    parser = options(__doc__)
    parser.add_argument("--model", default=None, help="name or file  [the default of the program]")
    parser.add_argument("--sets", type=int, default=96, help="of each family  [96]")
    parser.add_argument("--samples", type=int, default=64, help="posterior samples  [64]")
    parser.add_argument("--seed", type=int, default=SEED, help="of the sets  [0]")
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    add_jobs(parser)
    arguments = parser.parse_args()
    begin(arguments)
    n_sets = 3 if arguments.quick else arguments.sets
    asked = [(family, number) for family in arguments.families for number in range(n_sets)]
    rows = []
    with side_by_side(arguments.jobs) as in_turn:
        for row in in_turn(partial(score, arguments=arguments), asked):
            rows.append(row)
            print(
                "  ".join(
                    f"{value:.2f}" if isinstance(value, float) else str(value) for value in row.values()
                )
            )
    shown = [
        means(some, family=family, units=band)
        for family in arguments.families
        for band, (low, high) in BANDS.items()
        if (some := [row for row in rows if row["family"] == family and low <= row["units"] <= high])
    ]
    shown += [
        means([row for row in rows if row["family"] == family], family=family, units="all")
        for family in arguments.families
    ]
    print(table(shown))
    models = {} if arguments.model is None else {arguments.model: arguments.model}
    page = (
        "# Spikes that anybody can cluster\n\nAdjusted Rand index with the truth: first alternative, "
        "and a mixture of Gaussians.\n\n" + table(shown)
    )
    origin = Origin(arguments.seed, arguments.samples, models)
    keep("easy_sets", {"rows": shown, "sets": rows}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
