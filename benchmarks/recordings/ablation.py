"""What each step of `ncpgui.sort` is worth: the same recordings with one step changed or left out at a time.

    python -m benchmarks.recordings.ablation [--recordings NAME ...] [--steps NAME ...] [--cache DIR]

The first row is all as by default. A first pass is done once a recording for all rows that share it; its CPU
time counts in each. "isosplit" clusters the detected spikes with SpikeInterface's iterative isosplit in place
of our first pass; "SpikeInterface joins" leaves joining to the merging of SpykingCircus2, once after
matching. Gains and losses are true units against the first row. Found, extra and mean accuracy are those of
`sorters.py`, whose development recordings without motion these are.
"""

from __future__ import annotations

import contextlib
import tempfile
import traceback
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, BaseSorting, ChannelSparsity, NumpySorting, Templates

from benchmarks.common.report import Clock, Origin, begin, keep, options, table, where
from benchmarks.recordings.ground_truth import made
from benchmarks.recordings.sorters import DEVELOPMENT, RECORDINGS, STILL, with_other_seeds
from benchmarks.recordings.unit_scores import FOUND, MATCHED, scores
from ncpgui.core.left_out import MIN_RATE_HZ
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.config import SortingConfig, detection_radius_um
from ncpgui.sorting.first_pass import PROPOSING_DRAWS, PROPOSING_SPIKES, detect, propose
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.matching import GAIN_A_HZ, match_units
from ncpgui.sorting.unit_distances import joined

Proposals = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Sample and unit of each spike, -1 = none."""


@dataclass(frozen=True)
class Step:
    """A row: what differs from the default.

    rounds : of matching; 0 takes the proposals as they are
    joining : "ours", "SpikeInterface" or "none"
    first : "ours" or "isosplit"
    """

    rounds: int = 2
    matcher: str = "wobble"
    gain: float = 1.0
    joining: str = "ours"
    first: str = "ours"
    threshold_sd: float = 4.5
    draws: int = PROPOSING_DRAWS
    spikes: int = PROPOSING_SPIKES


STEPS = {
    "as by default": Step(),
    "no matching": Step(rounds=0),
    "1 round": Step(rounds=1),
    "3 rounds": Step(rounds=3),
    "tdc-peeler": Step(matcher="tdc-peeler"),
    "circus-omp": Step(matcher="circus-omp"),
    "no matcher": Step(matcher="none"),
    "gain x 2/3": Step(gain=2 / 3),
    "gain x 5/3": Step(gain=5 / 3),
    "no joining": Step(joining="none"),
    "SpikeInterface joins": Step(joining="SpikeInterface"),
    "isosplit": Step(first="isosplit"),
    "4 sd": Step(threshold_sd=4.0),
    "5 sd": Step(threshold_sd=5.0),
    "20 draws": Step(draws=20),
    "2000 spikes": Step(spikes=2000),
}


def config_of(step: Step) -> SortingConfig:
    """Settings of the first pass."""
    return SortingConfig(
        posterior_samples=step.draws, spikes_per_group=step.spikes, threshold_sd=step.threshold_sd
    )


def our_proposals(pre: Preprocessed, step: Step) -> Proposals:
    """Units of single channels."""
    config = config_of(step)
    found = propose(detect(pre, config), config, most_draws=step.draws, most_spikes=step.spikes)
    return found.sample_index, found.unit


def isosplit_proposals(pre: Preprocessed, step: Step) -> Proposals:
    """Clusters of the same detected spikes by SpikeInterface."""
    from spikeinterface.sortingcomponents.clustering import find_clusters_from_peaks

    config = config_of(step)
    spikes = detect_spikes(
        pre,
        threshold_sd=config.threshold_sd,
        exclude_ms=config.exclude_ms,
        radius_um=detection_radius_um(config, pre.probe),
    )
    fields = [(name, "<i8") for name in ("sample_index", "channel_index", "segment_index")]
    peaks = np.zeros(len(spikes.sample_index), [*fields, ("amplitude", "<f8")])
    peaks["sample_index"], peaks["amplitude"] = spikes.sample_index, spikes.amplitude
    peaks["channel_index"] = np.searchsorted(pre.good_channels, spikes.channel)
    _, label = find_clusters_from_peaks(
        pre.whitened(),
        peaks,
        method="iterative-isosplit",
        method_kwargs={"seed": 0, "verbose": False},
        job_kwargs={"n_jobs": 1, "progress_bar": False},
    )
    return spikes.sample_index, np.asarray(label, np.int64)


def apart(matched: Matched, *, sampling_frequency_hz: float) -> NDArray[np.int64]:
    """Join nothing."""
    return np.arange(matched.n_units)


def joined_by_spikeinterface(pre: Preprocessed, matched: Matched, sorting: NumpySorting) -> BaseSorting:
    """Units after the last step of SpykingCircus2."""
    from spikeinterface.sorters.internal.spyking_circus2 import final_cleaning_circus

    recording = pre.whitened()
    dense = Templates(
        templates_array=matched.bank.waveforms,
        sampling_frequency=recording.sampling_frequency,
        nbefore=matched.bank.n_before,
        channel_ids=recording.channel_ids,
        unit_ids=sorting.unit_ids,
        probe=recording.get_probe(),
        is_in_uV=False,
    )
    seen = ChannelSparsity((matched.bank.waveforms != 0).any(axis=1), dense.unit_ids, dense.channel_ids)
    noise = np.ones(recording.get_num_channels(), np.float32)
    jobs = {"n_jobs": 1, "progress_bar": False}
    cleaned = final_cleaning_circus(
        recording, sorting, dense.to_sparse(seen), noise_levels=noise, job_kwargs=jobs
    )
    return cleaned.sorting


def sorted_by(pre: Preprocessed, proposals: Proposals, step: Step) -> BaseSorting:
    """Units of a recording from its proposals."""
    rate, sample, unit = pre.sampling_frequency_hz, *proposals
    if step.rounds == 0:
        return NumpySorting.from_samples_and_labels([sample[unit >= 0]], [unit[unit >= 0]], rate)
    matched = match_units(
        pre,
        sample,
        unit,
        n_rounds=step.rounds,
        matcher=step.matcher,
        gain_a_hz=step.gain * GAIN_A_HZ,
        join=joined if step.joining == "ours" else apart,
    )
    sorting: BaseSorting = NumpySorting.from_samples_and_labels(
        [matched.sample_index], [matched.unit], rate, unit_ids=np.arange(matched.n_units)
    )
    if step.joining == "SpikeInterface":
        sorting = joined_by_spikeinterface(pre, matched, sorting)
    count = sorting.count_num_spikes_per_unit(outputs="array")
    often = count >= MIN_RATE_HZ * pre.n_samples / rate
    return sorting.select_units(sorting.unit_ids[often])


def rows_of(
    name: str, recording: BaseRecording, truth: BaseSorting, steps: dict[str, Step]
) -> list[dict[str, Any]]:
    """Sort a recording in every way, and return the rows of the table."""
    firsts: dict[tuple[Any, ...], tuple[Proposals, float]] = {}
    rows: list[dict[str, Any]] = []
    default: NDArray[np.bool_] | None = None
    with preprocess(recording_of(recording)) as pre:
        for label, step in steps.items():
            key = (step.first, step.threshold_sd, step.draws, step.spikes)
            if key not in firsts:
                with Clock() as clock:
                    proposals = (
                        our_proposals(pre, step) if step.first == "ours" else isosplit_proposals(pre, step)
                    )
                firsts[key] = proposals, clock.cpu_s
            try:
                with Clock() as clock:
                    found = sorted_by(pre, firsts[key][0], step)
            except Exception:
                traceback.print_exc()
                rows.append(failed(name, label, truth))
                continue
            score = scores(truth, found)
            good = score.accuracy >= FOUND
            default = good if default is None else default
            rows.append(
                {
                    "recording": name,
                    "step": label,
                    "true units": len(score.accuracy),
                    "found": score.n_found,
                    "gained": int((good & ~default).sum()),
                    "lost": int((default & ~good).sum()),
                    "extra": score.n_extra,
                    "mean accuracy": float(score.accuracy.mean()),
                    "CPU s": round(firsts[key][1] + clock.cpu_s),
                }
            )
    return rows


def failed(name: str, label: str, truth: BaseSorting) -> dict[str, Any]:
    """Row of a step that ended in an error."""
    nothing = dict.fromkeys(("found", "gained", "lost", "extra"), 0)
    label = f"{label} (failed)"
    true = truth.get_num_units()
    row = {"recording": name, "step": label, "true units": true, **nothing}
    return {**row, "mean accuracy": 0.0, "CPU s": 0}


def main() -> None:
    """Print the table and keep it."""
    parser = options(__doc__)
    parser.add_argument("--recordings", nargs="+", choices=STILL, default=list(STILL))
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--cache", type=Path, default=None, help="folder that keeps the recordings")
    parser.add_argument("--name", default="ablation", help="of the file of results  [ablation]")
    arguments = parser.parse_args()
    device = begin(arguments)
    chosen = with_other_seeds(arguments.recordings, DEVELOPMENT)
    steps = {label: STEPS[label] for label in ["as by default", *arguments.steps]}
    if arguments.quick:
        chosen = {"tetrode": replace(RECORDINGS["tetrode"], n_units=3, duration_s=20.0, seed=101)}
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="ncpgui-truth-") as temporary:
        for name, truth in chosen.items():
            recording, units = made(truth, arguments.cache or Path(temporary))
            with warnings.catch_warnings(), contextlib.redirect_stdout(None):
                warnings.simplefilter("ignore")
                rows += rows_of(name, recording, units, steps)
            print(table([row for row in rows if row["recording"] == name]), flush=True)
    labels = list(dict.fromkeys(row["step"] for row in rows))
    sums = []
    for label in labels:
        of_it = [row for row in rows if row["step"] == label]
        total: dict[str, Any] = {"step": label}
        for column in ("true units", "found", "gained", "lost", "extra"):
            total[column] = sum(row[column] for row in of_it)
        weights = [row["true units"] for row in of_it]
        total["mean accuracy"] = float(np.average([row["mean accuracy"] for row in of_it], weights=weights))
        sums.append({**total, "CPU s": sum(row["CPU s"] for row in of_it)})
    print(table(sums))
    page = f"""
# What each step is worth

Recordings of SpikeInterface's generator without motion, on which settings were tuned; one step of
`ncpgui.sort` changed or left out in each row. Found: true units with an accuracy of
{FOUND:g} or more; gained and lost: of these against the first row; extra: units that match none by
{MATCHED:g}.

{table(sums)}

{table(rows)}

{where(device)}
"""
    origin = Origin(min(truth.seed for truth in chosen.values()), PROPOSING_DRAWS, {"spikes": "spikes"})
    keep(arguments.name, {"rows": rows, "sums": sums}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
