"""Curation against truth: review by ncpgui, SpikeInterface's merge presets, and Bombcell's labels.

    python -m benchmarks.curation.curation [--development] [--recordings NAME ...] [--sorters NAME ...]
        [--draws 200] [--resume] [--cache DIR]

Units of other sorters, with their own settings and without motion correction, on simulated recordings of
seeds that nothing else has: still, moving as a zigzag and slowly, dense, and in coloured noise. Each
sorting is scored as it is given; after the decisions that `ncpgui review --apply 0.9` makes by itself;
after somebody who knows the truth has answered the questions; and after the merges of each preset of
SpikeInterface's `compute_merge_unit_groups`. What is said of each unit as given, P(right) and the other
probabilities of a review, Bombcell's labels as SpikeInterface makes them, and forests that it trains on
other recordings (`forests.py`), is compared with what is true of it. Of redundant units it is counted how
many are in a question with a card that joins them to their cell.

With `--resume` what is on the page stays, and only what is missing is made: a run that was stopped goes on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import BaseSorting, NumpySorting

from benchmarks.common.report import REVISION, Origin, begin, keep, options, where
from benchmarks.curation.curation_page import AS_GIVEN, BY_ITSELF, OF_A_ROW, WITH_ANSWERS, page_of, sums
from benchmarks.curation.forests import keep_metrics, metrics_path, with_forests
from benchmarks.curation.others import PRESETS, analyzer_of, bombcell_labels, merged
from benchmarks.curation.reviewed_sorting import (
    Curated,
    Truth,
    answered,
    by_itself,
    came_true,
    joined_by_a_card,
    promises,
    reviewed,
)
from benchmarks.recordings.coloured_noise import recorded
from benchmarks.recordings.generator import in_file
from benchmarks.recordings.ground_truth import GroundTruth, made
from benchmarks.recordings.peers import PEERS, add_sorters, asked_of, parsed
from benchmarks.recordings.sorted_apart import OnDisk, sorted_apart
from benchmarks.recordings.sorters import on_disk
from benchmarks.recordings.unit_scores import scores
from ncpgui.sorting.config import SortingConfig

LEAST = 0.9
"""Probability from which on decisions are made by themselves."""
COLOURED = "peak 300 Hz"
METRICS = "metrics"
"""Folder of the cache with the quality metrics of units."""
RECORDINGS = {
    "zigzag": GroundTruth("linear32", 30_000.0, 20, 90.0, "zigzag", 40.0, seed=621),
    "still": GroundTruth("linear32", 30_000.0, 20, 90.0, seed=622),
    "slow": GroundTruth("columns48", 30_000.0, 20, 90.0, "slow", 50.0, seed=623),
    "coloured": GroundTruth("linear32", 20_000.0, 20, 90.0, seed=624),
    "dense": GroundTruth("hex49", 20_000.0, 40, 90.0, seed=625),
}
"""Twenty cells a recording, so that all of them take minutes."""
DEVELOPMENT = -80
"""Added to the seeds for the recordings that settings are chosen on; 501 to 615 were final before."""
QUICK = {"still": GroundTruth("tetrode", 30_000.0, 3, 15.0, seed=901)}
UNCORRECTED = {"spykingcircus2": "spykingcircus2:apply_motion_correction=false"}
"""Sorters that follow the tissue unless they are told not to."""


def made_recording(name: str, truth: GroundTruth, cache: Path) -> tuple[OnDisk, BaseSorting]:
    """Return a recording on disk and its cells."""
    if name == "coloured":
        return recorded(COLOURED, truth, cache, with_cells=True)
    _, cells = made(truth, cache)
    return on_disk(truth, cache), cells


def row_of(
    method: str, curated: Curated, sorting: BaseSorting, cells: BaseSorting, truth: Truth
) -> dict[str, Any]:
    """Return what a curated sorting is worth."""
    inside = curated.unit >= 0
    samples = sorting.to_spike_vector()["sample_index"][inside]
    units = NumpySorting.from_samples_and_labels(
        [samples], [curated.unit[inside]], sorting.sampling_frequency
    )
    score = scores(cells, units)
    values = {
        "method": method,
        "units": score.n_units,
        "found": score.n_found,
        "mean accuracy": float(score.accuracy.mean()),
        "wrong spikes": truth.wrong(curated.unit),
        "false": score.n_false,
        "redundant": score.n_redundant,
        "extra": score.n_extra,
        "questions": curated.questions,
        "decisions": curated.decisions,
    }
    assert list(values) == list(OF_A_ROW)
    return values


def verdicts(
    said: dict[str, NDArray[np.float64]], true: dict[str, NDArray[Any]], labels: NDArray[np.str_]
) -> list[dict[str, Any]]:
    """Return what was said of each unit, and what is true of it."""
    return [
        {
            **{
                name: None if np.isnan(value[k]) else round(float(value[k]), 4)
                for name, value in said.items()
            },
            **{f"is {name[2:-1]}": bool(value[k]) for name, value in true.items()},
            "Bombcell": str(labels[k]),
        }
        for k in range(len(labels))
    ]


def curated_sorting(
    recording: OnDisk, sorting: BaseSorting, cells: BaseSorting, config: SortingConfig, metrics: Path
) -> dict[str, Any]:
    """Curate one sorting in all ways: rows, and verdicts on its units; their metrics go into a file."""
    traces = in_file(recording.traces, recording.sampling_frequency_hz, recording.probe, recording.gain_uv)
    truth = Truth.of(sorting.to_spike_vector()["sample_index"], cells)
    analyzer = analyzer_of(traces, sorting)
    labels, failure = bombcell_labels(analyzer)
    failed = {"Bombcell": failure} if failure else {}
    if not failure:
        keep_metrics(analyzer, metrics)
    by_presets = {}
    for preset in PRESETS:
        unit, n_merges, failure = merged(analyzer, preset)
        by_presets[preset] = Curated(unit, decisions=n_merges)
        failed |= {preset: failure} if failure else {}
    project = reviewed(traces, sorting, config)
    ways = {
        AS_GIVEN: Curated(sorting.to_spike_vector()["unit_index"].astype(np.int64)),
        BY_ITSELF: by_itself(project, LEAST),
        WITH_ANSWERS: answered(project, truth),
        **by_presets,
    }
    score = scores(cells, sorting)
    true = came_true(project, truth, score.is_of_cells)
    return {
        "joined by a card": int(joined_by_a_card(project, truth, score.is_redundant).sum()),
        "rows": [row_of(name, curated, sorting, cells, truth) for name, curated in ways.items()],
        "units": verdicts(promises(project), true, labels),
        "failed": failed,
    }


def results(
    chosen: dict[str, GroundTruth],
    sorters: list[str],
    cache: Path,
    there: list[dict[str, Any]],
    config: SortingConfig,
) -> Iterator[dict[str, Any]]:
    """Curate every sorting that is not `there`, one after the other."""
    done = {(one["recording"], one["sorter"]) for one in there}
    for name, truth in chosen.items():
        for sorter in sorters:
            if (name, sorter) in done:
                continue
            recording, cells = made_recording(name, truth, cache)
            called, settings = asked_of(UNCORRECTED.get(sorter, sorter))
            found = sorted_apart(called, recording, cache / "found", settings)
            about = {"recording": name, "sorter": sorter, "true units": truth.n_units}
            about |= {"version": found.version, "failure": found.failure}
            about |= {"made": date.today().isoformat(), "source": REVISION.commit}
            if found.failure:
                yield {**about, "rows": [], "units": []}
                continue
            sorting = found.sorting(truth.sampling_frequency_hz).remove_empty_units()
            about["of"] = asdict(truth)
            metrics = metrics_path(cache / METRICS, about)
            yield {**about, **curated_sorting(recording, sorting, cells, config, metrics)}


def main() -> int:
    """Print the tables and keep them."""
    parser = options(__doc__)
    parser.add_argument("--recordings", nargs="+", choices=RECORDINGS, default=list(RECORDINGS))
    parser.add_argument("--resume", action="store_true", help="make only what is not on the page yet")
    parser.add_argument("--draws", type=int, default=200, help="of the posterior of each component  [200]")
    add_sorters(parser)
    parser.set_defaults(sorters=["ncpgui"] if "--quick" in sys.argv else [*PEERS[1:]])
    arguments = parsed(parser)
    device = begin(arguments)
    added = DEVELOPMENT if arguments.development else 0
    chosen = QUICK
    if not arguments.quick:
        chosen = {
            name: RECORDINGS[name].with_seed(RECORDINGS[name].seed + added) for name in arguments.recordings
        }
    name = "curation_development" if arguments.development else "curation"
    found: list[dict[str, Any]] = []
    kept = None if arguments.out is None else arguments.out / f"{name}.json"
    if arguments.resume and kept is not None and kept.is_file():
        found = json.loads(kept.read_text(encoding="utf-8"))["sortings"]
    config = SortingConfig(posterior_samples=arguments.draws)
    origin = Origin(min(one.seed for one in chosen.values()), arguments.draws, {"spikes": "spikes"})

    def write() -> str:
        page = page_of(found, development=arguments.development) + f"\n{where(device)}\n"
        keep(name, {"sums": sums(found), "sortings": found}, page=page, origin=origin, folder=arguments.out)
        return page

    for one in results(chosen, arguments.sorters, arguments.cache, found.copy(), config):
        found.append(one)
        write()
        print(one["recording"], one["sorter"], one["failure"] or "", flush=True)
    with_forests(found, arguments.cache / METRICS)
    print(write())
    return 0


if __name__ == "__main__":
    sys.exit(main())
