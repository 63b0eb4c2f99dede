"""P(neuron): fitted on units whose spikes are known, and how often it comes true.

    python -m benchmarks.probabilities.neuron_probability [--first-seed 111] [--unseen-seed 511]

Units are those of recordings of noise, hash and small cells, of SpikeInterface's generator
(`hash_recordings.py`) and of our own (`ncpgui.ephys.simulation`), and of the development recordings of the
sorters' benchmark (seeds 101 to 104). Each is sorted twice: from what the first pass proposes, and from this
and a cluster of threshold crossings (4 noise sd) on each channel, most of which are no neurons. A unit is a
neuron if at least half of its spikes, beyond chance, are those of cells which have a tenth of them each
(within 0.4 ms); spikes of a cell whose own unit has them too do not count. What is no neuron is hash if half
of its spikes are those of cells all the same, and noise else. Weights are those of
`sorting/neuron_probability.py` and the nats of `sorting/noise_likeness.py`. Probabilities are of recordings
that were left out of the fit in turn, and of recordings of other seeds, which nothing was fitted on.

Small cells, half of the time beside far ones, are also in each kind of noise that is not white
(`recordings/noise_families.py`): these recordings have the name of their kind.
"""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from spikeinterface.core import BaseSorting, NumpySorting

from benchmarks.common.array_recording import ArrayRecording
from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.recordings import hash_recordings
from benchmarks.recordings.generator import UV_PER_COUNT, in_memory
from benchmarks.recordings.ground_truth import GroundTruth
from benchmarks.recordings.ground_truth import made as made_with_motion
from benchmarks.recordings.hash_recordings import HashTruth
from benchmarks.recordings.noise_families import FAMILIES, with_noise
from benchmarks.recordings.unit_scores import calibration_error, near
from ncpgui.core.errors import InputError
from ncpgui.core.seeds import stream
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.ephys.readers import recording_of
from ncpgui.ephys.recording import Recording
from ncpgui.ephys.simulated_cells import RetinaSettings, plan_simulation
from ncpgui.ephys.simulated_traces import simulated_pieces
from ncpgui.sorting.chance_spikes import fit_none
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.first_pass import PROPOSING_DRAWS, detect, propose
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.neuron_probability import QUANTITIES, neuron_evidence
from ncpgui.sorting.noise_likeness import noise_likeness

NOISY = [
    HashTruth(4, 4, 20_000.0, 80.0, 10, 120, 0),
    HashTruth(1, 16, 30_000.0, 60.0, 0, 0, 1),
    HashTruth(4, 4, 20_000.0, 80.0, 24, 0, 2, amplitude_uv=(25.0, 150.0)),
    HashTruth(1, 16, 30_000.0, 60.0, 12, 80, 3, amplitude_uv=(40.0, 300.0)),
    HashTruth(0, 4, 30_000.0, 90.0, 6, 40, 4, amplitude_uv=(40.0, 300.0)),
    HashTruth(4, 4, 20_000.0, 80.0, 0, 150, 5),
    HashTruth(2, 12, 30_000.0, 60.0, 14, 0, 6, amplitude_uv=(30.0, 200.0), noise_uv=(10.0, 12.0)),
    HashTruth(2, 12, 20_000.0, 80.0, 12, 60, 7, amplitude_uv=(80.0, 800.0)),
    HashTruth(0, 4, 20_000.0, 120.0, 5, 0, 8, amplitude_uv=(30.0, 250.0), noise_uv=(10.0, 12.0)),
    HashTruth(1, 16, 20_000.0, 80.0, 16, 40, 9, amplitude_uv=(30.0, 450.0)),
    HashTruth(4, 4, 20_000.0, 80.0, 0, 0, 10),
    HashTruth(2, 12, 30_000.0, 60.0, 10, 100, 11, amplitude_uv=(40.0, 300.0)),
]
OURS = [
    RetinaSettings(60.0, 20_000.0, "tetrode-25", 12, 0, amplitude_median_sd=3.0, amplitude_spread=0.9),
    RetinaSettings(60.0, 30_000.0, "linear-16-25", 40, 0, amplitude_median_sd=2.5, amplitude_spread=0.9),
    RetinaSettings(60.0, 20_000.0, "hex16-30", 40, 2, amplitude_median_sd=4.0, amplitude_spread=0.8),
    RetinaSettings(80.0, 20_000.0, "hex16-30", 60, 0, amplitude_median_sd=1.5, amplitude_spread=0.5),
    RetinaSettings(80.0, 30_000.0, "tetrode-25", 1, 0, amplitude_median_sd=0.5, amplitude_spread=0.1),
    RetinaSettings(60.0, 20_000.0, "linear-16-25", 25, 2, amplitude_median_sd=6.0, amplitude_spread=0.6),
]
"""Of our own generator: cells of which many are too small for the threshold, hash alone, and noise alone."""
FAINTEST_SD = 0.3
COLOURED = {
    "peaks": ("peak 150 Hz, shared", "peak 300 Hz", "peak 500 Hz", "peak 800 Hz"),
    "1/f": ("1/f", "1/f^2"),
    "mains": ("hum", "hum, half of the contacts"),
    "drifting": ("peak 300 Hz, drifting", "1/f, drifting"),
    "measured": ("locust tetrode", "Purkinje cell", "retina array"),
    "others": ("artefacts", "coarse steps"),
}
"""Families of noise by kind; not that of far cells, which are cells that the truth does not know."""
IN_NOISE = HashTruth(1, 16, 20_000.0, 40.0, 12, 0, 0, amplitude_uv=(40.0, 400.0))
FAR_IN_NOISE = 60
DEVELOPMENT = [
    GroundTruth("tetrode", 30_000.0, 8, 240.0, seed=103),
    GroundTruth("linear32", 30_000.0, 35, 150.0, seed=102),
    GroundTruth("columns48", 30_000.0, 35, 180.0, seed=104),
    GroundTruth("hex49", 20_000.0, 45, 180.0, seed=101),
]
CROSSING_SD = 4.0
MIN_CROSSINGS = 20
COINCIDENT_MS = 0.4
APART_MS = 0.5
CELL_SHARE, NEURON_SHARE, TAKEN_SHARE = 0.1, 0.5, 0.5
"""Part of a unit's spikes for a cell to count, for a neuron, and of a cell's that another unit may have."""
INVERSE_PENALTY = 10.0
"""Of the fit, chosen on rows that were left out: 10 in place of 1 brings the mean of what is no neuron from
0.22 to 0.20."""


FITTED = (*QUANTITIES, "noise shape")
NEURON, HASH, NOISE = "neurons", "hash", "noise"


@dataclass(frozen=True)
class Recorded:
    """A recording, its true spikes, and the generator that made it."""

    name: str
    generator: str
    recording: Recording
    truth: BaseSorting
    duration_s: float


@dataclass(frozen=True)
class Labelled:
    """Evidence (n, q) and truth (n,) of units: `FITTED` quantities.

    kind : "first pass" or "crossings"
    what : (n,) `NEURON`, `HASH` or `NOISE`
    """

    name: str
    generator: str
    kind: str
    evidence: NDArray[np.float64]
    truth: NDArray[np.bool_]
    what: NDArray[np.str_]


def shares(matched: Matched, truth: BaseSorting) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Part of the spikes of each unit that are of each cell, beyond chance, less what its best unit has too.

    Also the same without taking anything off: both (K, cells).
    """
    rate = truth.sampling_frequency
    cells = [truth.get_unit_spike_train(cell) for cell in truth.unit_ids]
    trains = [matched.sample_index[matched.unit == unit] for unit in range(matched.n_units)]
    reach = round(COINCIDENT_MS * rate / 1000)
    duration = matched.sample_index.max(initial=1) / rate
    part, agreement = np.zeros((2, len(trains), len(cells)))
    hit = {}
    for u, train in enumerate(trains):
        for c, cell in enumerate(cells):
            if len(train) and len(cell):
                hit[u, c] = near(train, cell, reach)
                chance = 1 - np.exp(-len(cell) / duration * 2 * COINCIDENT_MS / 1000)
                part[u, c] = max(0.0, (hit[u, c].mean() - chance) / (1 - chance))
                both = min(int(hit[u, c].sum()), int(near(cell, train, reach).sum()))
                agreement[u, c] = both / (len(train) + len(cell) - both)
    own = part.copy()
    for (u, c), mine in hit.items():
        best = int(agreement[:, c].argmax())
        if best != u and mine.any() and near(trains[u][mine], trains[best], 2 * reach).mean() > TAKEN_SHARE:
            own[u, c] = 0
    return own, part


def units_labelled(one: Recorded, kind: str, pre: Preprocessed, matched: Matched) -> Labelled:
    """Evidence of the units of a recording, and which are neurons."""
    rate = one.truth.sampling_frequency
    none = fit_none(matched, duration_s=one.duration_s)
    evidence = neuron_evidence(matched, none, duration_s=one.duration_s, sampling_frequency_hz=rate)
    n_spikes = np.bincount(matched.unit, minlength=matched.n_units)
    shape = noise_likeness(pre, pre.unwhitened(matched.bank.waveforms), n_spikes).shape
    evidence = np.column_stack([evidence, shape])
    what = what_they_are(*shares(matched, one.truth))
    return Labelled(one.name, one.generator, kind, evidence, what == NEURON, what)


def what_they_are(own: NDArray[np.float64], part: NDArray[np.float64]) -> NDArray[np.str_]:
    """Name what units are, from what `shares` says of them: (K,).

    >>> what_they_are(np.array([[0.9, 0.0], [0.0, 0.0]]), np.array([[0.9, 0.0], [0.3, 0.3]])).tolist()
    ['neurons', 'hash']
    """
    return np.where(are_neurons(own), NEURON, np.where(part.sum(axis=1) >= NEURON_SHARE, HASH, NOISE))


def are_neurons(own: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which units are neurons: (K,)."""
    return np.asarray(np.where(own >= CELL_SHARE, own, 0).sum(axis=1) >= NEURON_SHARE)


def with_crossings(
    pre: Preprocessed, sample: NDArray[np.int64], unit: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Proposals, and one more of each channel: its threshold crossings that are none of their spikes."""
    found = detect_spikes(pre, threshold_sd=CROSSING_SD, exclude_ms=0.5, radius_um=50.0)
    sample, unit = sample[unit >= 0], unit[unit >= 0]
    free = ~near(found.sample_index, np.sort(sample), round(APART_MS * pre.sampling_frequency_hz / 1000))
    free &= np.bincount(found.channel[free], minlength=pre.n_channels)[found.channel] >= MIN_CROSSINGS
    channel = found.channel[free].astype(np.int64)
    return np.append(sample, found.sample_index[free]), np.append(unit, channel + unit.max(initial=-1) + 1)


def small_recordings(first_seed: int, quick: bool) -> Iterator[Recorded]:
    """Recordings of noise, hash and small cells, of both generators."""
    for truth in [replace(truth, duration_s=15.0) for truth in NOISY[2:5]] if quick else NOISY:
        seeded = replace(truth, seed=first_seed + truth.seed)
        recording, cells = hash_recordings.made(seeded)
        name = f"hash {seeded.seed}"
        yield Recorded(name, "SpikeInterface's", recording_of(recording), cells, truth.duration_s)
    for number, settings in enumerate([replace(OURS[0], duration_s=15.0)] if quick else OURS):
        plan = plan_simulation(
            replace(settings, min_amplitude_sd=FAINTEST_SD), seed=first_seed + len(NOISY) + number
        )
        rate, traces = settings.sampling_frequency_hz, np.concatenate(list(simulated_pieces(plan)))
        made = ArrayRecording(traces, sampling_frequency_hz=rate, probe=plan.probe)
        cells = NumpySorting.from_samples_and_labels([plan.truth.sample_index], [plan.truth.unit_id], rate)
        yield Recorded(f"ours {plan.seed}", "ours", made, cells, settings.duration_s)


def coloured_recordings(first_seed: int, quick: bool) -> Iterator[Recorded]:
    """Small cells in each kind of noise, in every second one beside far cells."""
    families = [(kind, name) for kind, names in COLOURED.items() for name in names]
    for number, (kind, name) in enumerate(families[1:2] if quick else families):
        seed = first_seed + number
        far = FAR_IN_NOISE * (number % 2)
        truth = replace(IN_NOISE, seed=seed, n_far=far, duration_s=15.0 if quick else IN_NOISE.duration_s)
        base, cells = hash_recordings.made(truth)
        traces = base.get_traces().astype(np.float32) * np.float32(UV_PER_COUNT)
        rng = stream(seed, f"added {name}")
        counts = with_noise(
            traces, FAMILIES[name], base.get_channel_locations(), base.sampling_frequency, rng
        )
        recording = recording_of(in_memory(counts, base.sampling_frequency, base.get_probe()))
        yield Recorded(f"{name} {seed}", kind, recording, cells, truth.duration_s)


def large_recordings(cache: Path) -> Iterator[Recorded]:
    """The development recordings of the sorters' benchmark."""
    for large in DEVELOPMENT:
        recording, truth = made_with_motion(large, cache)
        name = f"{large.probe} {large.seed}"
        yield Recorded(name, "SpikeInterface's", recording_of(recording), truth, large.duration_s)


def labelled(one: Recorded) -> list[Labelled]:
    """Sort a recording from both kinds of proposals."""
    result = []
    with preprocess(one.recording) as pre:
        try:
            proposals = propose(detect(pre, SortingConfig()), SortingConfig())
            proposed = proposals.sample_index, proposals.unit
        except InputError:  # noise alone may have no spike at all
            proposed = np.zeros(0, np.int64), np.zeros(0, np.int64)
        for kind, (sample, unit) in (
            ("first pass", proposed),
            ("crossings", with_crossings(pre, *proposed)),
        ):
            if len(sample):
                result.append(units_labelled(one, kind, pre, match_units(pre, sample, unit)))
    return result


def left_out(
    names: list[str], x: NDArray[np.float64], y: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Probabilities (n,) of a fit without the row's recording; weights and intercept of the fit to all."""
    groups = np.asarray(names)
    probability = np.full(len(y), y.mean())
    for name in np.unique(groups):
        rest = groups != name
        if 0 < y[rest].sum() < rest.sum():
            weights, intercept = fit(x[rest], y[rest])
            probability[~rest] = 1 / (1 + np.exp(-(x[~rest] @ weights + intercept)))
    return probability, *fit(x, y)


def fit(x: NDArray[np.float64], y: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
    """Weights and intercept of a logistic regression; the penalty is on quantities of sd 1."""
    mean, sd = x.mean(axis=0), x.std(axis=0) + 1e-9
    model = LogisticRegression(C=INVERSE_PENALTY, max_iter=1000).fit((x - mean) / sd, y)
    weights = model.coef_[0] / sd
    return weights, float(model.intercept_[0] - (weights * mean).sum())


def reliability(probability: NDArray[np.float64], right: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Return rows of promised and true shares, by promised probability."""
    bins = np.digitize(probability, [0.1, 0.3, 0.5, 0.8, 0.95])
    names = ("under 0.1", "0.1 to 0.3", "0.3 to 0.5", "0.5 to 0.8", "0.8 to 0.95", "0.95 and more")
    return [
        {
            "promised": names[b],
            "how many": int((bins == b).sum()),
            "mean promised": float(probability[bins == b].mean()),
            "true": float(right[bins == b].mean()),
        }
        for b in range(6)
        if (bins == b).any()
    ]


def together(
    sets: list[Labelled],
) -> tuple[list[str], NDArray[np.float64], NDArray[np.bool_]]:
    """Return recordings, evidence and truth of all rows."""
    names = [part.name for part in sets for _ in part.truth]
    return (
        names,
        np.concatenate([part.evidence for part in sets]),
        np.concatenate([part.truth for part in sets]),
    )


def told(quantities: tuple[str, ...], weights: NDArray[np.float64], intercept: float) -> str:
    """Return weights as a sentence."""
    named = ", ".join(f"{name} {weight:.3f}" for name, weight in zip(quantities, weights, strict=True))
    return f"Weights: {named}; intercept {intercept:.3f}."


def neuron_rows(
    units: list[Labelled], p: NDArray[np.float64], recordings: str = "all"
) -> list[dict[str, Any]]:
    """Rows of the table, of the units of each generator and of all: p (n,) is P(neuron) of each."""
    generator = np.concatenate([np.full(len(part.truth), part.generator) for part in units])
    what = np.concatenate([part.what for part in units])
    rows = []
    for name in ("all", *dict.fromkeys(generator)):
        here = np.full(len(p), True) if name == "all" else generator == name
        row: dict[str, Any] = {
            "recordings": recordings,
            "generator": name,
            "units": int(here.sum()),
            "ECE": calibration_error(p[here], what[here] == NEURON, n_bins=10),
        }
        for kind in (NEURON, HASH, NOISE):
            some = here & (what == kind)
            row |= {kind: int(some.sum()), f"P of {kind}": float(p[some].mean()) if some.any() else ""}
        rows.append(row)
    return rows


def summary(sets: list[Labelled], unseen: list[Labelled]) -> tuple[dict[str, Any], str]:
    """Figures to keep, and the middle of the page: of recordings that are fitted on, and of others."""
    names, x, y = together(sets)
    p, weights, intercept = left_out(names, x, y)
    _, x_new, y_new = together(unseen)
    p_new = 1 / (1 + np.exp(-(x_new @ weights + intercept)))
    is_crossing = np.concatenate([np.full(len(part.truth), part.kind == "crossings") for part in sets])
    false = p[is_crossing & ~y]
    rows = [*neuron_rows(sets, p, "left out in turn"), *neuron_rows(unseen, p_new, "never fitted on")]
    crossings = {
        "no neurons of crossings": len(false),
        "their mean P": float(false.mean()) if len(false) else "",
        "under 0.2": float((false < 0.2).mean()) if len(false) else "",
    }
    kept: dict[str, Any] = {
        "neuron": {"units": len(y), "neurons": int(y.sum()), **crossings},
        "rows": rows,
        "weights": weights.tolist(),
        "intercept": intercept,
    }
    text = f"{table(rows)}\n\n## Recordings left out in turn\n\n{table([crossings])}\n\n"
    text += f"{table(reliability(p, y))}\n\n{told(FITTED, weights, intercept)}\n\n"
    text += f"## Recordings never fitted on\n\n{table(reliability(p_new, y_new))}\n"
    return kept, text


def main() -> None:
    """Sort, fit, and print what comes true."""
    parser = options(__doc__)
    parser.add_argument("--first-seed", type=int, default=111, help="of the noisy recordings  [111]")
    parser.add_argument("--unseen-seed", type=int, default=511, help="of those never fitted on  [511]")
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps the other recordings")
    arguments = parser.parse_args()
    device = begin(arguments)
    sets: list[Labelled] = []
    unseen: list[Labelled] = []
    with tempfile.TemporaryDirectory(prefix="ncpgui-truth-") as temporary:
        large = [] if arguments.quick else large_recordings(arguments.cache or Path(temporary))
        seeds, quick = (arguments.first_seed, arguments.unseen_seed), arguments.quick
        fitted, others = (chain(small_recordings(s, quick), coloured_recordings(s, quick)) for s in seeds)
        fitted = chain(fitted, large)
        for into, some in ((sets, fitted), (unseen, others)):
            for one in some:
                with warnings.catch_warnings(), contextlib.redirect_stdout(None):
                    warnings.simplefilter("ignore")
                    found = labelled(one)
                into += found
                told_of = (f"{part.kind}: {part.truth.sum()} of {len(part.truth)}" for part in found)
                print(one.name, *told_of, flush=True)
    kept, text = summary(sets, unseen)
    print(text)
    page = f"""
# P(neuron)

Units of {len({s.name for s in sets})} recordings with known spikes, from proposals of the first pass and
from these and threshold crossings; their probabilities are of a fit to the other recordings. And units of
{len({s.name for s in unseen})} recordings of other seeds, which chose nothing; their probabilities are of the
fit to all of the former, whose weights are shipped. What is no neuron is hash if most of its spikes are those
of cells, and noise else.

{text}

{where(device)}
"""
    origin = Origin(arguments.first_seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    keep("neuron_probability", kept, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
