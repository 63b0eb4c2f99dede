"""Which units are one neuron? P(same neuron) of the draws beside similarities of templates.

    python -m benchmarks.probabilities.similarity [--recordings hexagon ...] [--seconds 60]

Recordings with known units on which settings were tuned (seeds from 101). Their true spikes are the sorting,
but a third of the units is cut into random halves, a third in two at the middle of the recording, and a third
is left whole. The templates of these units are fitted to the traces without joining any, those in doubt are
put into components, and the posterior is sampled, as for a recording. Every pair of units whose main channels
are at most 100 um apart is then scored: the cell of both is the same, or not. AUC: how often a pair of one
cell is ranked before a pair of two (ties count half). First: how often the other half is the first of a
half's list.
"""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from spikeinterface.core import BaseRecording, BaseSorting, NumpySorting, create_sorting_analyzer

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.recordings.ablation import apart
from benchmarks.recordings.ground_truth import GroundTruth, made
from benchmarks.recordings.unit_scores import near
from ncpgui.core.seeds import stream
from ncpgui.ephys.motion import motion_of, places_in
from ncpgui.ephys.preprocessing import Preprocessed
from ncpgui.ephys.readers import recording_of
from ncpgui.evidence.same_neuron import same_neuron
from ncpgui.export.phy import cosine_similarity
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.components import draw_components
from ncpgui.sorting.config import SortingConfig, filter_options
from ncpgui.sorting.found import Found
from ncpgui.sorting.found_units import FoundUnits, found_units
from ncpgui.sorting.matching import match_units

RECORDINGS = {
    "hexagon": GroundTruth("hex49", 20_000.0, 45, 180.0, seed=101),
    "linear": GroundTruth("linear32", 30_000.0, 35, 150.0, seed=102),
    "columns, drift": GroundTruth("columns48", 30_000.0, 35, 180.0, motion="zigzag", drift_um=30.0, seed=104),
}
NEAR_UM = 100.0
COINCIDENT_MS = 0.4
LEAST_SPIKES = 60
"""Units of fewer are left out: a half would have too few to be seen by any of them."""
SCORES = (
    "P(same neuron)",
    "P(same neuron), then template distance",
    "cosine of templates (phy)",
    "SpikeInterface, cosine",
    "SpikeInterface, l2",
)


@dataclass(frozen=True)
class Planted:
    """Spikes of a sorting with cut units: (n,) each.

    unit : 0 .. K-1; cell_of : (K,) true unit; kind : (K,) "whole", "random" or "time"
    """

    sample_index: NDArray[np.int64]
    unit: NDArray[np.int64]
    cell_of: NDArray[np.int64]
    kind: NDArray[np.str_]


@dataclass(frozen=True)
class Pairs:
    """Scored pairs of units: (P,) each; rows (P, 2) of the units."""

    units: NDArray[np.int64]
    same: NDArray[np.bool_]
    kind: NDArray[np.str_]
    score: Mapping[str, NDArray[np.float64]]


def planted(truth: BaseSorting, *, n_samples: int, seed: int) -> Planted:
    """Cut a third of the units at random and a third by time."""
    rng = stream(seed, "planted splits")
    kinds = rng.permutation(np.resize(["whole", "random", "time"], len(truth.unit_ids)))
    trains, cells, names = [], [], []
    for cell, kind in zip(truth.unit_ids, kinds, strict=True):
        train = np.asarray(truth.get_unit_spike_train(cell), np.int64)
        if len(train) < LEAST_SPIKES:
            continue
        first = {
            "whole": np.ones(len(train), bool),
            "random": rng.random(len(train)) < 0.5,
            "time": train < n_samples // 2,
        }[kind]
        for part in (train[first], train[~first]):
            if len(part):
                trains.append(part)
                cells.append(int(cell))
                names.append(kind)
    unit = np.repeat(np.arange(len(trains)), [len(train) for train in trains])
    samples = np.concatenate(trains)
    order = np.argsort(samples, kind="stable")
    return Planted(samples[order], unit[order], np.array(cells), np.array(names))


def identity(units: FoundUnits, wanted: Planted, reach: int) -> NDArray[np.int64]:
    """Planted unit that each found unit is: (K,), by most of its spikes."""
    trains = [wanted.sample_index[wanted.unit == unit] for unit in range(len(wanted.cell_of))]
    result = np.zeros(units.n_units, np.int64)
    for unit in range(units.n_units):
        mine = units.matched.sample_index[units.unit == unit]
        result[unit] = int(np.argmax([near(mine, train, reach).sum() for train in trains]))
    return result


def scored(recording: BaseRecording, truth: BaseSorting, *, seed: int) -> Pairs:
    """Score all pairs of units near each other."""
    from ncpgui.ephys.preprocessing import preprocess

    config = SortingConfig()
    opened = recording_of(recording)
    wanted = planted(truth, n_samples=recording.get_num_samples(), seed=seed)
    pre = preprocess(opened, **filter_options(config))
    with closing(pre):
        motion = motion_of(pre, config.motion)
        matched = match_units(
            pre, wanted.sample_index, wanted.unit, places=places_in(pre, motion), n_rounds=1,
            matcher="none", join=apart,
        )  # fmt: skip
        units = found_units(pre, matched)
        draws = draw_components(units, pre.probe, config, bad_channels=pre.bad_channels)
        found = Found(pre, units, tuple(draws), config, model="", motion=motion)
        sampled, failed = sample_components(found, draws, workers=1)
        assert not failed, failed
        p_same = np.zeros((units.n_units, units.n_units))
        for component, _ in sampled.values():
            members, labels = np.unique(units.unit[component.spike_ids], return_inverse=True)
            p_same[np.ix_(members, members)] = np.nan_to_num(
                same_neuron(
                    component.posterior,
                    labels[component.sampled],
                    stands_for=component.stands_for,
                    n_units=len(members),
                )
            )
        similar = dict(template_similarities(pre, units))
        positions_um = pre.probe.positions_um[units.main_channel]
    reach = round(COINCIDENT_MS * recording.sampling_frequency / 1000)
    row = identity(units, wanted, reach)
    cell, kind = wanted.cell_of[row], wanted.kind[row]
    one, other = np.triu_indices(units.n_units, 1)
    close = np.linalg.norm(positions_um[one] - positions_um[other], axis=1) <= NEAR_UM
    one, other = one[close], other[close]
    distance = units.matched.like.distance[one, other]
    said = p_same[one, other]
    score = {
        SCORES[0]: said,
        SCORES[1]: said - 1e-6 * distance,
        **{name: values[one, other] for name, values in similar.items()},
    }
    same = cell[one] == cell[other]
    return Pairs(np.column_stack([one, other]), same, np.where(same, kind[one], "two"), score)


def template_similarities(pre: Preprocessed, units: FoundUnits) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Similarities (K, K) of the mean waveforms of the same spikes, as phy and SpikeInterface have them."""
    sorting = NumpySorting.from_samples_and_labels(
        [units.matched.sample_index],
        [units.unit],
        pre.sampling_frequency_hz,
        unit_ids=np.arange(units.n_units),
    )
    analyzer = create_sorting_analyzer(sorting, pre.in_noise_sd, sparse=False, format="memory")
    analyzer.compute({"random_spikes": {"seed": 0}, "templates": {}})
    yield SCORES[2], cosine_similarity(analyzer.get_extension("templates").get_data()).astype(np.float64)
    for name, method in zip(SCORES[3:], ("cosine", "l2"), strict=True):
        analyzer.compute("template_similarity", method=method)
        yield name, np.asarray(analyzer.get_extension("template_similarity").get_data(), np.float64)


def first_of_list(pairs: Pairs, score: NDArray[np.float64]) -> float:
    """Share of the halves whose other half comes first among all units near them; ties share."""
    hits = []
    for unit in np.unique(pairs.units[pairs.same]):
        mine = (pairs.units == unit).any(axis=1)
        best = mine & (score == score[mine].max())
        hits.append(pairs.same[best].mean())
    return float(np.mean(hits))


def summary(parts: Mapping[str, Pairs]) -> list[dict[str, Any]]:
    """One row for each recording, and for all of them, kind of cut and score."""
    rows = []
    for name, pairs in parts.items():
        for kind in ("random", "time"):
            chosen = (pairs.kind == kind) | ~pairs.same
            part = Pairs(
                pairs.units[chosen], pairs.same[chosen], pairs.kind[chosen],
                {key: score[chosen] for key, score in pairs.score.items()},
            )  # fmt: skip
            if part.same.all() or not part.same.any():
                continue
            for key in SCORES:
                rows.append(
                    {
                        "recording": name,
                        "cut": kind,
                        "score": key,
                        "pairs of one cell": int(part.same.sum()),
                        "of two": int((~part.same).sum()),
                        "AUC": float(roc_auc_score(part.same, part.score[key])),
                        "first": first_of_list(part, part.score[key]),
                    }
                )
    return rows


def over_recordings(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over recordings and cuts, in which every pair of one cell counts alike, and the least AUC."""
    result = []
    for key in SCORES:
        mine = [row for row in rows if row["score"] == key]
        n_pairs = [row["pairs of one cell"] for row in mine]
        result.append(
            {
                "score": key,
                "AUC": float(np.average([row["AUC"] for row in mine], weights=n_pairs)),
                "least AUC": min(row["AUC"] for row in mine),
                "first": float(np.average([row["first"] for row in mine], weights=n_pairs)),
            }
        )
    return result


def main() -> None:
    """Plant, sample, score, and print."""
    parser = options(__doc__)
    parser.add_argument("--recordings", nargs="+", choices=RECORDINGS, default=list(RECORDINGS))
    parser.add_argument("--seconds", type=float, default=60.0, help="of each recording  [60]")
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps the recordings")
    arguments = parser.parse_args()
    device = begin(arguments)
    chosen = {name: RECORDINGS[name] for name in arguments.recordings}
    if arguments.quick:
        chosen = {"tetrode": GroundTruth("tetrode", 30_000.0, 6, 30.0, seed=103)}
    parts = {}
    with tempfile.TemporaryDirectory(prefix="ncpgui-truth-") as temporary:
        for name, wanted in chosen.items():
            recording, truth = made(wanted, arguments.cache or Path(temporary))
            last = min(round(arguments.seconds * recording.sampling_frequency), recording.get_num_samples())
            with warnings.catch_warnings(), contextlib.redirect_stdout(None):
                warnings.simplefilter("ignore")
                parts[name] = scored(
                    recording.frame_slice(0, last), truth.frame_slice(0, last), seed=wanted.seed
                )
            print(name, len(parts[name].same), "pairs", flush=True)
    rows = summary(parts)
    print(table(over_recordings(rows)))
    page = f"""
# Which units are one neuron?

Development recordings: settings were tuned on them. The true spikes of {", ".join(chosen)}
({arguments.seconds:g} s of each) are the sorting, with a third of the units cut into random halves and a
third at the middle of the recording. Pairs of units within {NEAR_UM:g} um are ranked. AUC: how often a
pair of one cell comes before a pair of two; first: how often the other half is the first of a half's list.
The cosine that phy shows is that of all channels; SpikeInterface's are its defaults. Halves by time that fire
at different places of moving tissue are joined by matching before anything is scored: they are no pairs any
more.

{table(over_recordings(rows))}

{table(rows)}

{where(device)}
"""
    origin = Origin(
        min(truth.seed for truth in chosen.values()), SortingConfig().posterior_samples, {"spikes": "spikes"}
    )
    keep("similarity", {"rows": rows, "all": over_recordings(rows)}, page=page, origin=origin,
         folder=arguments.out)  # fmt: skip


if __name__ == "__main__":
    main()
