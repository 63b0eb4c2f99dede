"""Agreement with the truth and calibration on spikes of held-out cells, beside other clustering steps.

    python -m benchmarks.clustering.clustering [--model NAME|FILE ...] [--spikes 500 1000 2000] [--sets 20]
        [--source ours|spikeinterface|both] [--geometries hex7 tetrode ...] [--bands ...] [--motions ...]

The sets are those of `clustering_sets.py`, drawn from our own generator with cells that no gradient saw and
cut from recordings of SpikeInterface's, the methods those of `clustering_methods.py`. Of ncpgui there are the
first alternative, single posterior samples (the mean of their scores) and the best of the beam. Results are
kept after all sets of a source and N, and what each method made of each set in `--cache`: a long run can be
stopped and run again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.clustering.clustering_methods import ORACLE, VGMM
from benchmarks.clustering.clustering_outcomes import Scores, by_others, mean_score, posterior, score
from benchmarks.clustering.clustering_promises import N_PAIRED, Promise, calibration_row, promise
from benchmarks.clustering.clustering_sets import (
    OWN_GEOMETRIES,
    Kind,
    SpikeSet,
    add_set_options,
    sets_of,
    unit_distances,
    unit_troughs_sd,
)
from benchmarks.clustering.generated_recordings import ARRAYS, BANDS, RecordingSettings
from benchmarks.common.report import SEED, Origin, add_jobs, begin, keep, options, side_by_side, table, where
from ncpgui.core.order_agreement import N_ORDERS
from ncpgui.engine import default_model
from ncpgui.engine.diagnostics.calibration import HARD
from ncpgui.engine.networks.checkpoint import load_checkpoint

N_SINGLES = 20
"""Posterior samples whose scores are averaged."""
TARGET = 11.0
"""Per cent by which the AMI should be above the variational mixture's."""


class Scored(NamedTuple):
    """One kind of sets at one N: scores of each method set by set, promises of each model, the sets."""

    kind: Kind
    n_spikes: int
    scores: dict[str, list[Scores]]
    promises: dict[str, list[Promise]]
    sets: dict[str, Any]


def by_model(
    one: SpikeSet, name: str, model: str, arguments: argparse.Namespace
) -> tuple[dict[str, Scores], Promise]:
    """Scores of one model of ours, and what its posterior promised."""
    found = posterior(one, model, arguments)
    singles = [score(row, one.labels, found.seconds) for row in found.labels[:N_SINGLES]]
    scores = {
        f"{name}, first alternative": score(found.first, one.labels, found.seconds),
        f"{name}, single samples": mean_score(singles),
    }
    if len(found.beam):
        scores[f"{name}, best of the beam"] = score(found.beam, one.labels, found.beam_seconds)
    return scores, promise(found.labels, one.labels, found.order_spread)


def by_all(
    one: SpikeSet, models: dict[str, str], arguments: argparse.Namespace
) -> tuple[dict[str, Scores], dict[str, Promise]]:
    """Scores of every method on one set, of none where it is one unit; what each model promised."""
    found: dict[str, Scores] = {}
    promises: dict[str, Promise] = {}
    for name, model in models.items():
        ours, promises[name] = by_model(one, name, model, arguments)
        found |= ours
    return (found | by_others(one, arguments.cache) if one.n_units > 1 else {}), promises


def run(
    kind: Kind,
    n_spikes: int,
    models: dict[str, str],
    arguments: argparse.Namespace,
    in_turn: Callable[..., Iterator[Any]],
) -> Scored:
    """Score every method on the sets of one kind.

    Sets of one unit, of which our generator draws some, only show whether the posterior is calibrated.
    """
    settings = RecordingSettings(threshold_sd=arguments.threshold)
    count = n_sets(kind, n_spikes, arguments)
    sets = sets_of(kind, n_spikes, count, settings=settings, cache=arguments.cache)
    scores: dict[str, list[Scores]] = {}
    promises: dict[str, list[Promise]] = {name: [] for name in models}
    for found, promised in in_turn(partial(by_all, models=models, arguments=arguments), sets):
        for method, row in found.items():
            scores.setdefault(method, []).append(row)
        for name, one in promised.items():
            promises[name].append(one)
    return Scored(kind, n_spikes, scores, promises, figures_of_sets(sets))


def figures_of_sets(sets: list[SpikeSet]) -> dict[str, Any]:
    """How hard the sets of two units or more are, in noise sd of mean waveforms."""
    several = [one for one in sets if one.n_units > 1]
    troughs = np.concatenate([unit_troughs_sd(one) for one in several])
    nearest = [unit_distances(one).min() for one in several]
    low, middle, high = np.quantile(troughs, [0.1, 0.5, 0.9])
    return {
        "sets": len(several),
        "of one unit": len(sets) - len(several),
        "channels": float(np.median([one.waveforms.shape[2] for one in several])),
        "K": float(np.mean([one.n_units for one in several])),
        "trough 10 %": float(low),
        "50 %": float(middle),
        "90 %": float(high),
        "nearest units apart": float(np.median(nearest)),
    }


def place(part: Scored) -> dict[str, Any]:
    """Columns that say which sets a row is about."""
    kind = part.kind
    band = {"SNR": kind.band, "motion": kind.motion} if kind.band else {}
    return {"geometry": kind.geometry, **band, "N": part.n_spikes}


def agreement_rows(scores: dict[str, list[Scores]]) -> Iterator[dict[str, Any]]:
    """Means over sets, the standard error of AMI, and where AMI lies between the mixture and the oracle.

    "above vGMM" and "of the gap" are per cent: (AMI / AMI vGMM - 1), (AMI - vGMM) / (oracle - vGMM).
    """
    mean = {method: mean_score(found) for method, found in scores.items()}
    floor, ceiling = mean[VGMM]["AMI"], mean[ORACLE]["AMI"]
    for method, found in scores.items():
        ami = np.array([one["AMI"] for one in found])
        error = float(ami.std(ddof=1) / np.sqrt(len(ami))) if len(ami) > 1 else ""
        gain = mean[method]["AMI"] - floor
        rest = {name: value for name, value in mean[method].items() if name != "AMI"}
        yield {
            "method": method,
            "AMI": mean[method]["AMI"],
            "± se": error,
            "above vGMM %": 100 * gain / floor if floor > 0.01 else "",
            "of the gap %": 100 * gain / (ceiling - floor) if ceiling - floor > 0.01 else "",
            **rest,
        }


def add_rows(found: dict[str, Any], parts: list[Scored]) -> None:
    """Add the rows of all sets of one source and N to the tables: together, then kind by kind."""
    source, n_spikes = parts[0].kind.source, parts[0].n_spikes
    head = {"source": source, "N": n_spikes}
    scores = {m: [row for part in parts for row in part.scores[m]] for m in parts[0].scores}
    found["overall"] += [head | row for row in agreement_rows(scores)]
    for name in parts[0].promises:
        promises = [one for part in parts for one in part.promises[name]]
        found["calibration"].append(head | {"model": name} | calibration_row(promises))
    of = found["by_source"].setdefault(source, {"agreement": [], "calibration": [], "sets": []})
    for part in parts:
        of["agreement"] += [place(part) | row for row in agreement_rows(part.scores)]
        of["calibration"] += [
            place(part) | {"model": name} | calibration_row(promises)
            for name, promises in part.promises.items()
        ]
        of["sets"].append(place(part) | part.sets)


def training(card: dict[str, Any]) -> str:
    """How the model came to be: each run with its command and its curve on held-out data."""
    before = training(card["started_from"]) + "\n\nthen " if "started_from" in card else ""
    n_points = card["training"].get("validate_points", 250)
    return (
        f"{before}`{card['training']['command']}`: {card['steps']} steps in {card['minutes']} minutes, on "
        f"held-out sets of {n_points} spikes:\n\n{table(card['curve'])}"
    )


SOURCES = {
    "ours": "Our generator, cells that no gradient saw",
    "spikeinterface": "SpikeInterface's generator, which no gradient saw",
}


def page_of(found: dict[str, Any], models: dict[str, str], device: Any, arguments: argparse.Namespace) -> str:
    """Write what a person reads."""
    several = ""
    for source, tables in found["by_source"].items():
        several += f"""
## {SOURCES[source]}

{table(tables["agreement"])}

Calibration:

{table(tables["calibration"])}

The sets:

{table(tables["sets"])}
"""
    trained = "\n\n".join(
        f"### `{name}`\n\n{training(load_checkpoint(model).card)}" for name, model in models.items()
    )
    settings = RecordingSettings()
    low, high = BANDS["mixed"]
    foreign, own = (" / ".join(map(str, given)) for given in (arguments.sets, arguments.own_sets))
    ours = "" if own == foreign else f" ({own} of our generator's)"
    at_a_time = f" {arguments.jobs} sets at a time, on a core each." if arguments.jobs > 1 else ""
    beam = f', "best of the beam" that of width {arguments.beam}' if arguments.beam else ""
    return f"""
# Agreement with the truth

{foreign} sets of each kind with two units or more{ours}, {arguments.samples} posterior samples.
{where(device)}{at_a_time}

**What is held out.** No gradient saw the cells of our sets or the recordings of SpikeInterface's generator.
But cells of this split chose which weights of a training are kept and its temperature, and what those
recordings showed decided what our generator draws, which weights of `spikes` are shipped and its
temperature. So neither source is a test on data that nobody has looked at, and the figures flatter the
model.

AMI is scikit-learn's, arithmetic mean; "AMI max" divides by the larger entropy; "± se" is the standard
error of AMI over sets; "K error" is found minus true units. "above vGMM %" compares AMI with the paper's
variational mixture (target {TARGET:g}); "of the gap %" is where AMI lies between that (0) and the oracle
(100), which is linear discriminant analysis of all samples trained on the true units of other spikes of the
set (more than 100 is possible: a model can know more than so few spikes teach). "single samples" is the mean
score of {N_SINGLES} posterior samples{beam}.
HDBSCAN's noise goes to the cluster of the nearest mean; its smallest cluster is 5 spikes, with which it did
best.

{table(found["overall"])}

Calibration, over all pairs of {N_PAIRED} spikes of each set (hard: {HARD[0]:g} < p < {HARD[1]:g}; log score:
mean -log p of what is true, nats; bias above 0: merged too much; slope below 1: too sure) and the 90 %
credible sets of K. Sets of one unit count here too. "if right" is the ECE of hard pairs that so few sets
would have were every probability right: that of draws of the posterior taken for the truth. A set of whole
numbers of units holds more than 90 % ("mass held"); for "K, exactly 90 %" its last number counts only for
the share of it that makes 90 %, which right ones cover. "one order" is the sd over orders of the spikes of
the probability that two share a unit (root mean square over pairs, mean over sets; after the sweeps, which
make it smaller), "{N_ORDERS} orders" that of its mean over {N_ORDERS}, which the samples are.

{table(found["calibration"])}

The sets of SpikeInterface's generator: units around single contacts of a hexagon (30 µm), a tetrode (25 µm),
a column (25 µm) and two columns (32 by 15 µm). "SNR" is the range of their troughs in noise sd before
detection, "mixed" from {low:g} to {high:g}. Recordings are filtered, spikes detected at
{arguments.threshold:g} noise sd and cut by ncpgui's pipeline, with overlaps, on the nearest
{settings.waveform_channels} channels at most; drifting units move {settings.drift_um:g} µm and back. The
truth of a detected spike is the unit whose spike is there; what matches none is left out. "Trough" and
"apart" are of mean waveforms, in noise sd.
{several}
## Models

{trained}
"""


def kinds_by_source(arguments: argparse.Namespace) -> list[list[Kind]]:
    """Every kind of sets that was asked for: ours, then SpikeInterface's."""
    ours = [Kind("ours", name) for name in arguments.geometries]
    names = [name for name in arguments.geometries if name in ARRAYS]
    theirs = [Kind("spikeinterface", *one) for one in product(names, arguments.bands, arguments.motions)]
    asked = {"ours": [ours], "spikeinterface": [theirs], "both": [ours, theirs]}[arguments.source]
    return [some for some in asked if some]


def named(models: list[str] | None) -> dict[str, str]:
    """Models by the name that tables show: their file's, or the whole path where two files share it."""
    given = models or [default_model()]
    stems = [Path(model).stem for model in given]
    return {m if stems.count(s) > 1 else s: m for m, s in zip(given, stems, strict=True)}


def parsed() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--model", action="append", help="name or file; give it again to compare several")
    parser.add_argument("--spikes", type=int, nargs="+", default=[500, 1000, 2000])
    per_n = {"type": int, "nargs": "+", "help": "of each kind, for all or for each of --spikes  [20]"}
    parser.add_argument("--sets", default=[20], **per_n)
    parser.add_argument("--own-sets", **(per_n | {"help": "of our generator, where that is another number"}))
    parser.add_argument("--samples", type=int, default=200, help="of the posterior  [200]")
    parser.add_argument("--beam", type=int, default=48, help="width; 0 for none  [48]")
    parser.add_argument("--source", choices=["ours", "spikeinterface", "both"], default="both")
    add_set_options(parser, OWN_GEOMETRIES)
    parser.add_argument("--threshold", type=float, default=3.5, help="of detection, noise sd  [3.5]")
    add_jobs(parser)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.spikes, arguments.sets, arguments.samples, arguments.beam = [60], [2], 10, 4
        arguments.geometries, arguments.bands, arguments.motions = ["tetrode"], ["mixed"], ["drifting"]
        arguments.own_sets = None
    arguments.own_sets = arguments.own_sets or arguments.sets
    for sets in (arguments.sets, arguments.own_sets):
        if len(sets) not in (1, len(arguments.spikes)):
            parser.error(
                f"give one number of sets, or one for each of the {len(arguments.spikes)} of --spikes"
            )
    return arguments


def n_sets(kind: Kind, n_spikes: int, arguments: argparse.Namespace) -> int:
    """How many sets of a kind were asked for."""
    given = arguments.own_sets if kind.source == "ours" else arguments.sets
    by_n = dict(zip(arguments.spikes, given if len(given) > 1 else cycle(given), strict=False))
    return int(by_n[n_spikes])


def main() -> None:
    arguments = parsed()
    device = begin(arguments)
    models = named(arguments.model)
    settings = {
        name: getattr(arguments, name) for name in ("sets", "own_sets", "samples", "beam", "threshold")
    }
    found: dict[str, Any] = {"overall": [], "calibration": [], "by_source": {}}
    with side_by_side(arguments.jobs) as in_turn:
        for n_spikes, some in product(arguments.spikes, kinds_by_source(arguments)):
            parts = []
            for kind in some:
                part = run(kind, n_spikes, models, arguments, in_turn)
                print(*place(part).values())
                print(table(list(agreement_rows(part.scores))), flush=True)
                parts.append(part)
            add_rows(found, parts)
            page = page_of(found, models, device, arguments)
            origin = Origin(SEED, arguments.samples, models=models)
            keep(
                "clustering",
                {"models": models, **settings, **found},
                page=page,
                origin=origin,
                folder=arguments.out,
            )
    print(table(found["overall"]), table(found["calibration"]), sep="\n\n")


if __name__ == "__main__":
    main()
