"""P(neuron) and P(two units are one): fitted on units whose spikes are known, and how often both come true.

    python -m benchmarks.probabilities.neuron_probability [--first-seed 111]

Units are those of recordings of noise, hash and small cells (`hash_recordings.py`) and of the development
recordings of the sorters' benchmark (seeds 101 to 104). Each is sorted twice: from what the first pass
proposes, and from this and a cluster of threshold crossings (4 noise sd) on each channel, most of which are
no neurons. A unit is a neuron if at least half of its spikes, beyond chance, are those of cells which have
a tenth of them each (within 0.4 ms); spikes of a cell whose own unit has them too do not count. Two units
of the first pass, whole or cut into halves, are one neuron if the same cell gives most spikes of both.
Weights are those of `neuron_probability.py` and `one_neuron.py` in `sorting`; probabilities of the table
are of recordings that were left out of the fit.
"""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from spikeinterface.core import BaseRecording, BaseSorting

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.recordings import hash_recordings
from benchmarks.recordings.ablation import apart
from benchmarks.recordings.ground_truth import GroundTruth
from benchmarks.recordings.ground_truth import made as made_with_motion
from benchmarks.recordings.hash_recordings import HashTruth
from benchmarks.recordings.unit_scores import calibration_error, near
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.chance_spikes import fit_none
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.first_pass import PROPOSING_DRAWS, detect, propose
from ncpgui.sorting.matching import GAIN_A_HZ, Matched, match_units
from ncpgui.sorting.neuron_probability import QUANTITIES, neuron_evidence
from ncpgui.sorting.one_neuron import PAIR_QUANTITIES, pair_evidence

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
LOOSE, TIGHT = 10.0, 1.0
"""C of a fit: of P(neuron), and of P(two units are one), which has fewer rows. The first was chosen on rows
that were left out: 10 in place of 1 brings the mean of what is no neuron from 0.22 to 0.20."""


@dataclass(frozen=True)
class Labelled:
    """Evidence (n, q) and truth (n,) of units, or of pairs of units.

    kind : "first pass", "crossings" or "pairs"
    """

    name: str
    kind: str
    evidence: NDArray[np.float64]
    truth: NDArray[np.bool_]


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


def units_labelled(name: str, kind: str, matched: Matched, truth: BaseSorting, duration_s: float) -> Labelled:
    """Evidence of the units of a recording, and which are neurons."""
    rate = truth.sampling_frequency
    none = fit_none(matched, threshold=GAIN_A_HZ * rate, duration_s=duration_s)
    evidence = neuron_evidence(matched, none, duration_s=duration_s, sampling_frequency_hz=rate)
    own, _ = shares(matched, truth)
    return Labelled(name, kind, evidence, are_neurons(own))


def are_neurons(own: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which units are neurons: (K,)."""
    return np.asarray(np.where(own >= CELL_SHARE, own, 0).sum(axis=1) >= NEURON_SHARE)


def pairs_labelled(name: str, matched: Matched, truth: BaseSorting) -> Labelled:
    """Evidence of pairs of neurons that are alike, and which are one."""
    own, part = shares(matched, truth)
    is_neuron = are_neurons(own)
    same, rows = [], []
    evidence = pair_evidence(matched, sampling_frequency_hz=truth.sampling_frequency)
    for (first, second), row in evidence.items():
        if is_neuron[first] and is_neuron[second]:
            cells = part[[first, second]].argmax(axis=1)
            most = part[[first, second], cells].min() >= NEURON_SHARE
            same.append(bool(cells[0] == cells[1] and most))
            rows.append(row)
    kept = np.asarray(rows, float).reshape(-1, len(PAIR_QUANTITIES))
    return Labelled(name, "pairs", kept, np.asarray(same, bool))


def halved(sample: NDArray[np.int64], unit: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut each proposal into two, which get its spikes by turns."""
    turn = np.zeros(len(unit), np.int64)
    turn[np.lexsort((sample, unit))] = np.arange(len(unit)) % 2
    return sample, np.where(unit >= 0, 2 * unit + turn, -1)


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


def recordings(
    first_seed: int, cache: Path, quick: bool
) -> Iterator[tuple[str, BaseRecording, BaseSorting, float]]:
    """Name, recording, truth and duration of each."""
    noisy = [replace(truth, duration_s=15.0) for truth in NOISY[2:5]] if quick else NOISY
    for truth in noisy:
        seeded = replace(truth, seed=first_seed + truth.seed)
        yield str(seeded.seed), *hash_recordings.made(seeded), truth.duration_s
    for large in () if quick else DEVELOPMENT:
        yield str(large.seed), *made_with_motion(large, cache), large.duration_s


def units_of(name: str, recording: BaseRecording, truth: BaseSorting, duration_s: float) -> list[Labelled]:
    """Sort a recording from both kinds of proposals."""
    result = []
    with preprocess(recording_of(recording)) as pre:
        proposals = propose(detect(pre, SortingConfig()), SortingConfig())
        proposed = proposals.sample_index, proposals.unit
        for pairs in (proposed, halved(*proposed)):
            before = match_units(pre, *pairs, n_rounds=1, join=apart)
            result.append(pairs_labelled(name, before, truth))
        for kind in ("first pass", "crossings"):
            matched = match_units(
                pre, *(proposed if kind == "first pass" else with_crossings(pre, *proposed))
            )
            result.append(units_labelled(name, kind, matched, truth, duration_s))
    return result


def left_out(
    names: list[str], x: NDArray[np.float64], y: NDArray[np.bool_], c: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Probabilities (n,) of a fit without the row's recording; weights and intercept of the fit to all."""
    groups = np.asarray(names)
    probability = np.full(len(y), y.mean())
    for name in np.unique(groups):
        rest = groups != name
        if 0 < y[rest].sum() < rest.sum():
            weights, intercept = fit(x[rest], y[rest], c)
            probability[~rest] = 1 / (1 + np.exp(-(x[~rest] @ weights + intercept)))
    return probability, *fit(x, y, c)


def fit(x: NDArray[np.float64], y: NDArray[np.bool_], c: float) -> tuple[NDArray[np.float64], float]:
    """Weights and intercept of a logistic regression; the penalty is on quantities of sd 1."""
    mean, sd = x.mean(axis=0), x.std(axis=0) + 1e-9
    model = LogisticRegression(C=c, max_iter=1000).fit((x - mean) / sd, y)
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


def together(sets: list[Labelled]) -> tuple[list[str], NDArray[np.float64], NDArray[np.bool_]]:
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


def summary(sets: list[Labelled]) -> tuple[dict[str, Any], str]:
    """Figures to keep, and the middle of the page."""
    units = [part for part in sets if part.kind != "pairs"]
    names, x, y = together(units)
    p, weights, intercept = left_out(names, x, y, LOOSE)
    is_crossing = np.concatenate([np.full(len(part.truth), part.kind == "crossings") for part in units])
    false = p[is_crossing & ~y]
    row = {
        "units": len(y),
        "neurons": int(y.sum()),
        "ECE": calibration_error(p, y, n_bins=10),
        "no neurons of crossings": len(false),
        "their mean P": float(false.mean()) if len(false) else "",
        "under 0.2": float((false < 0.2).mean()) if len(false) else "",
    }
    kept: dict[str, Any] = {"neuron": row, "weights": weights.tolist(), "intercept": intercept}
    text = f"{table([row])}\n\n{table(reliability(p, y))}\n\n{told(QUANTITIES, weights, intercept)}\n"
    names, x, y = together([part for part in sets if part.kind == "pairs"])
    if 0 < y.sum() < len(y):
        p, weights, intercept = left_out(names, x, y, TIGHT)
        row = {"pairs": len(y), "one neuron": int(y.sum()), "ECE": calibration_error(p, y, n_bins=10)}
        kept["same"] = {**row, "weights": weights.tolist(), "intercept": intercept}
        text += f"\n## One neuron or two\n\n{table([row])}\n\n{table(reliability(p, y))}\n\n"
        text += told(PAIR_QUANTITIES, weights, intercept) + "\n"
    return kept, text


def main() -> None:
    """Sort, fit, and print what comes true."""
    parser = options(__doc__)
    parser.add_argument("--first-seed", type=int, default=111, help="of the noisy recordings  [111]")
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps the other recordings")
    arguments = parser.parse_args()
    device = begin(arguments)
    sets: list[Labelled] = []
    with tempfile.TemporaryDirectory(prefix="ncpgui-truth-") as temporary:
        for item in recordings(arguments.first_seed, arguments.cache or Path(temporary), arguments.quick):
            with warnings.catch_warnings(), contextlib.redirect_stdout(None):
                warnings.simplefilter("ignore")
                sets += units_of(*item)
            found = [part for part in sets if part.name == item[0]]
            print(item[0], *(f"{part.kind}: {part.truth.sum()} of {len(part.truth)}" for part in found))
    kept, text = summary(sets)
    print(text)
    page = f"""
# P(neuron), and whether two units are one

Units of {len({s.name for s in sets})} recordings with known spikes, from proposals of the first pass and
from these and threshold crossings. Probabilities are of recordings that were left out of the fit.

{text}

{where(device)}
"""
    origin = Origin(arguments.first_seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    keep("neuron_probability", kept, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
