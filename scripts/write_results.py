"""Write figures from files of ``benchmarks/results`` and from cards of models into README, docs and a card.

python scripts/write_results.py

A figure of a page stands between two marks, and nowhere else. What made it is said below it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

from kept_results import Row, evaluation, kept, made_by_all, table  # noqa: E402
from marked_table import with_table  # noqa: E402
from short_results import (  # noqa: E402
    GENERATORS,
    OFF_BY,
    SORTERS,
    costs,
    findings,
    found_and_other,
    found_of,
    proof,
    span,
    sums,
    trust,
)

from benchmarks.recordings.colour_pairs import NOISES  # noqa: E402
from benchmarks.recordings.noise_families import FAMILIES, loudness  # noqa: E402

MODELS = ROOT / "trained_models"
CARD = MODELS / "spikes.json"
BEAM = 150
"""Width of the beam in benchmarks/speed/sampling.py."""

# docs/results/single_channels.md: agreement with the truth

METHODS = {
    "{}, first alternative": "ncpgui, first alternative",
    "PCA-5 variational GMM": "variational Gaussian mixture",
    "PCA-5 GMM, BIC": "Gaussian mixture, number of clusters by BIC",
    "PCA-5 HDBSCAN": "HDBSCAN",
    "PCA-5 isosplit6": "isosplit6",
    "oracle: LDA on the true labels": "*LDA that is told the truth, a ceiling*",
}
SOURCES = {
    "ours": "our generator, cells that no gradient saw",
    "spikeinterface": "SpikeInterface's generator, half of them drifting",
}


def agreement() -> str:
    """AMI of each method by source and number of spikes."""
    found = kept("clustering")
    model = next(iter(found["models"]))
    sizes = list(dict.fromkeys(row["N"] for row in found["overall"]))
    heads = []
    for source, name in SOURCES.items():
        sets = found["by_source"][source]["sets"]
        counts = [str(sum(row["sets"] for row in sets if row["N"] == n)) for n in sizes]
        heads.append(f"{name}: {', '.join(map(str, sizes))} spikes ({', '.join(counts)} sets)")
    rows = [["", *heads]]
    value = {(row["source"], row["N"], row["method"]): row["AMI"] for row in found["overall"]}
    for pattern, name in METHODS.items():
        if (next(iter(SOURCES)), sizes[0], pattern.format(model)) not in value:
            continue  # isosplit6, where it was not installed
        mark = "**" if name.startswith("ncpgui") else "*" if name.startswith("*") else ""
        cells = [
            ", ".join(f"{mark}{value[source, n, pattern.format(model)]:.2f}{mark}" for n in sizes)
            for source in SOURCES
        ]
        rows.append([name, *cells])
    return table(rows) + "\n" + made_by_all("clustering")


LARGE_SNR, FOUND = 4.0, 0.8
"""Trough over noise sd of a unit that is not small; accuracy of one that is found."""


def whole_recordings() -> str:
    """Units that each sorter finds in each recording, and units that are no cell's; sums and CPU time."""
    found = kept("sorters")
    rows = {(row["recording"], row["sorter"]): row for row in found["rows"]}
    sorters = [name for name in SORTERS if any(sorter == name for _, sorter in rows)]
    result = [["recording", "true units", *(SORTERS[name] for name in sorters)]]
    recordings = list(dict.fromkeys(name for name, _ in rows))
    for name in recordings:
        of = [rows[name, sorter] for sorter in sorters]
        result.append([name, str(of[0]["true units"]), *found_of(of)])
    totals = sums(rows, recordings, sorters)
    result.append(["all", str(totals[0]["true units"]), *found_of(totals)])
    result.append(["CPU s", "", *(str(one["CPU s"]) for one in totals)])
    sentences = _large_units(rows, sorters) + "\n" + _inserted_units()
    return table(result) + "\n" + sentences + "\n" + made_by_all("sorters", "hybrid")


def _inserted_units() -> str:
    """How many units of one recording each sorter recovers in another, by the kind of the other."""
    rows = kept("hybrid")["rows"]
    sentences = []
    for background in ("simulated", "real"):
        of = [row for row in rows if row["recording"].split()[0] == background]
        counts = [
            f"{SORTERS[sorter]} {sum(row['recovered'] for row in of if row['sorter'] == sorter)}"
            for sorter in dict.fromkeys(row["sorter"] for row in of)
        ]
        first = of[0]["sorter"]
        inserted = sum(row["inserted"] for row in of if row["sorter"] == first)
        sentences.append(f"of {inserted} in a {background} recording {', '.join(counts)}")
    page = "[inserted into another](../../benchmarks/results/hybrid.md)"
    return f"Units of one recording {page} that are recovered: {'; '.join(sentences)}.\n"


def _large_units(rows: dict[tuple[str, str], Row], sorters: list[str]) -> str:
    """How many of the units that are not small each sorter finds, as a sentence."""
    counts = []
    for sorter in sorters:
        of = [row for (_, name), row in rows.items() if name == sorter]
        pairs = [
            (snr, accuracy)
            for row in of
            for snr, accuracy in zip(row["SNR of true units"], row["accuracy of true units"], strict=True)
        ]
        large = [accuracy for snr, accuracy in pairs if snr >= LARGE_SNR]
        counts.append(f"{SORTERS[sorter]} {sum(one >= FOUND for one in large)} of {len(large)}")
    return f"Of units of SNR {LARGE_SNR:g} and more: {'; '.join(counts)}.\n"


def how_good() -> str:
    """What is merged, whether probabilities of pairs come true, and seconds."""
    clustering, failures, sampling = kept("clustering"), kept("failures"), kept("sampling")
    by = {source: [row for row in clustering["calibration"] if row["source"] == source] for source in SOURCES}
    apart = [row for row in failures["by_distance"] if row["all: pairs"]]
    merged = table(
        [
            ["distance, noise sd", *(row["distance"] for row in apart)],
            ["pairs of units", *(str(row["all: pairs"]) for row in apart)],
            ["of these merged", *(f"{row['all: merged %']:.0f} %" for row in apart)],
        ]
    )
    error = {source: span([row["ECE, hard"] for row in rows]) for source, rows in by.items()}
    cover = {source: span([100 * row["K covered"] for row in rows], ".0f") for source, rows in by.items()}
    beam = [row["beam s"] for row in sampling["rows"]]
    missed = [
        "What is missed in the sets of SpikeInterface's generator is mostly units that are merged",
        "([examples](../../benchmarks/results/failures.md)). The closer two units are, the more often they",
        f"are merged. The table is of {failures['sets']} sets:",
    ]
    promised = [
        "A probability that two spikes share a unit is doubtful if it is between 2 and 98 %. Such",
        f"probabilities are off by {error['ours']} on sets of our generator, and by",
        f"{error['spikeinterface']} on those of",
        "SpikeInterface's. A 90 % credible set of the number of units contains the true number in",
        f"{cover['ours']} % of the sets of our generator, and in {cover['spikeinterface']} % of the others.",
    ]
    timed = [
        f"{sampling['origin']['n_samples']} posterior samples of {sampling['spikes']} spikes take",
        f"{span(_seconds_of_draws(sampling['rows']), '.0f')} s, with times",
        f"{span(_seconds_of_draws(sampling['timed_rows']), '.0f')} s,",
        f"and a beam of {BEAM} takes {span(beam, '.0f')} s, with {where(sampling)}",
        "([tables](../../benchmarks/results/sampling.md)).",
    ]
    words = [" ".join(missed), merged.rstrip(), " ".join(promised), " ".join(timed)]
    return "\n\n".join([*words, made_by_all("failures", "sampling")])


def _seconds_of_draws(rows: list[Row]) -> list[float]:
    """Of the posterior samples of benchmarks/speed/sampling.py, with all that comes before."""
    return [row["encode s"] + row["ancestral s"] + row["sweeps s"] for row in rows]


FINAL = {
    "ECE hard": "error of hard pairs",
    "by chance hard": "by chance",
    "ECE joined": "joined pairs",
    "ECE parted": "parted pairs",
    "K covered": "K contained",
    "P(K=1), one unit": "P(K = 1)",
    "merged": "units merged",
    "split": "needless clusters",
    "AMI first": "AMI",
    "AMI samples": "AMI of draws",
    "AMI oracle": "AMI of the oracle",
}
"""Columns of benchmarks/results/final_sets.json that the page shows, and what they are called there."""


def final_sets() -> str:
    """What the sets that chose nothing said of the model that is used, together and by kind of set."""
    models = kept("final_sets")["models"]

    def of(row: Row) -> list[str]:
        return [str(row["n"]), *(f"{row[key]:.2f}" if row[key] != "" else "" for key in FINAL)]

    together = [["model", "draws", "sets", *FINAL.values()]]
    for model, kinds in models.items():
        for evidence, tables in kinds.items():
            whole = next(row for row in tables["rows"] if row["sets"] == "all foreign")
            together.append([f"`{model}`", evidence, *of(whole)])
    kinds = [["kind of sets", "sets", *FINAL.values()]]
    for row in models["spikes"]["given firing times"]["rows"]:
        if row["sets"] != "all foreign":
            kinds.append([row["sets"], *of(row)])
    words = (
        "Given firing times, by kind of set; *ours* are sets of our own generator, drawn as for the training "
        "or with the generator's defaults:\n"
    )
    return "\n".join([table(together), words, table(kinds), made_by_all("final_sets")])


def card_of_final_sets() -> Row:
    """The card of the model that is used, with what the final sets said of these weights.

    Raises
    ------
    ValueError
        The benchmark had other weights.
    """
    card: Row = json.loads(CARD.read_text(encoding="utf-8"))
    found = kept("final_sets")
    scored = found["origin"]["models"][card["name"]]
    if scored != card["weights_sha256"]:
        raise ValueError(f"final_sets.json is of weights {scored[:12]}, not those of {card['name']}")
    card["final_sets"] = {
        evidence: {
            row["sets"]: {key: row[key] for key in ("n", *FINAL) if row[key] != ""} for row in tables["rows"]
        }
        for evidence, tables in found["models"][card["name"]].items()
    }
    return card


def card_of_evaluation(model: str) -> Row:
    """The card of a model with the main figures of its whole check, which a quick one is compared with.

    Raises
    ------
    ValueError
        The check was of other weights.
    """
    path = MODELS / f"{model}.json"
    card: Row = json.loads(path.read_text(encoding="utf-8"))
    found = evaluation(model)
    if found["weights_sha256"] != card["weights_sha256"]:
        raise ValueError(f"the evaluation of {model} is of other weights; run ncpgui evaluate {model}")
    card["evaluation"] = {row["what"]: row["value"] for row in found["summary"]}
    return card


def where(found: Row) -> str:
    """Machine of a result."""
    machine = found["machine"]
    threads = "1 thread" if machine["threads"] == 1 else f"{machine['threads']} threads"
    busy = f", load average {machine['load_average']:.1f} at the start"
    return f"{threads} on {machine['cores']} cores of {machine['processor']}{busy}"


# docs/method/diagnostics.md

EVALUATED = ("spikes", "gauss2d", "gauss2d-alpha07", "gauss2d-ccp")
FAILED = 0.01
"""p value of a rank test below which it has failed; there are four or fewer a model."""


def scores() -> str:
    """Main figures of all evaluated models, what missed its target or failed its test beside what did not."""
    found = {model: evaluation(model) for model in EVALUATED}
    by = {model: [_named(row) for row in one["summary"]] for model, one in found.items()}
    names = list(dict.fromkeys(row["what"] for model in ("gauss2d", "spikes") for row in by[model]))
    rows = [["figure", "target", *(f"`{model}`" for model in EVALUATED)]]
    for name in names:
        of = {model: next((row for row in by[model] if row["what"] == name), None) for model in EVALUATED}
        target = next((row["target"] for row in of.values() if row and row["target"] is not None), None)
        aim = f"≤ {target:g}" if target is not None else f"p ≥ {FAILED:g}" if "p value" in name else ""
        rows.append([name, aim, *(score_cell(row) for row in of.values())])
    return table(rows) + "\n" + made_by_all(*(f"evaluation/{model}.evaluation" for model in EVALUATED))


def _named(row: Row) -> Row:
    """The row, with a name that is the same for all models: masses differ from one to the other."""
    return {**row, "what": re.sub(r"that claim \d+%", "that claim 90 % or more", row["what"])}


def score_cell(row: Row | None) -> str:
    """A figure, bold where its target is met, with a word where it is missed or where a test failed."""
    if row is None:
        return ""
    value = f"{row['value']:.2g}" if abs(row["value"]) < 1 else f"{row['value']:.3g}"
    if row.get("se") is not None:
        value += f" ± {row['se']:.1g}"
    if row["target"] is not None:
        return f"**{value}**" if row["met"] else f"{value}, missed"
    if "p value" in row["what"] and row["value"] < FAILED:
        return f"{value}, failed"
    return value


def speed() -> str:
    """Seconds and ratios beside their targets."""
    sampling, step, scaling = kept("sampling"), kept("training_step"), kept("scaling")
    spikes, paper = sampling["rows"], sampling["paper_sizes"]["rows"]

    def each(rows: list[Row], key: str) -> str:
        return ", ".join(f"{row[key]:.2g}" if row[key] < 10 else f"{row[key]:.0f}" for row in rows)

    def fair(rows: list[Row]) -> str:
        return _aimed([min(row["wall ratio"], row["CPU ratio"]) for row in rows], 6)

    cells = ", ".join(str(row["true K"]) for row in spikes)
    clusters = ", ".join(str(row["true K"]) for row in paper)
    total, timed = (_seconds_of_draws(sampling[rows]) for rows in ("rows", "timed_rows"))
    memory = [row["MiB"] for row in scaling["samples"]] + [row["NCP MiB"] for row in scaling["points"]]
    steps = step["rows"]
    clusters_of_steps, orders = (", ".join(str(row[of]) for row in steps) for of in ("K", "orders"))
    rows = [
        ["figure", "target", "measured"],
        [
            f"beam of {BEAM}, {sampling['spikes']} spikes of {cells} cells",
            "10 s, goal 4 s",
            f"{each(spikes, 'beam s')} s",
        ],
        [
            f"{sampling['origin']['n_samples']} posterior samples of them, with sweeps",
            "5 s",
            f"{', '.join(f'{s:.3g}' for s in total)} s",
        ],
        [
            "the same spikes with their times, with twice as many sweeps",
            "5 s",
            f"{', '.join(f'{s:.3g}' for s in timed)} s",
        ],
        [
            f"Algorithm 1 over our beam, g and f of the paper, {clusters} clusters, both on one core: "
            "smaller one of the ratios of wall clock and of CPU time",
            "6",
            fair(paper),
        ],
        [
            "the same: wall clock; CPU time",
            "",
            f"{each(paper, 'wall ratio')}; {each(paper, 'CPU ratio')}",
        ],
        [
            f"the same with Algorithm 1 on {threads(sampling)}: wall clock; CPU time",
            "",
            f"{each(paper, 'wall ratio, its threads')}; {each(paper, 'CPU ratio, its threads')}",
        ],
        [f"the network `{sampling['model']}`, {cells} cells, both on one core", "6", fair(spikes)],
        [
            f"the same with Algorithm 1 on {threads(sampling)}: wall clock; CPU time",
            "",
            f"{each(spikes, 'wall ratio, its threads')}; {each(spikes, 'CPU ratio, its threads')}",
        ],
        [
            f"CPU time of a loop over the points over that of a training step, {threads(step)} each; "
            f"{clusters_of_steps} clusters and {orders} orders",
            "2",
            _aimed([row["CPU ratio"] for row in steps], 2),
        ],
        ["the same, wall clock", "5", _aimed([row["wall ratio"] for row in steps], 5)],
        [
            f"memory of {_range(scaling['samples'], 'samples')} samples of {scaling['job']['n_points']} "
            f"points; of {scaling['job']['n_samples']} samples of {_range(scaling['points'], 'points')}",
            "bounded",
            f"{span(memory, '.0f')} MiB",
        ],
    ]
    load = f"Beam and samples: {where(sampling)}. Training step: {where(step)}.\n"
    return table(rows) + "\n" + load + made_by_all("sampling", "training_step", "scaling")


def threads(found: Row) -> str:
    """How many threads torch had."""
    n = found["machine"]["threads"]
    return "one thread" if n == 1 else f"{n} threads"


def _aimed(values: list[float], target: float) -> str:
    """Values, those that reach the target bold, the others with a word."""
    return ", ".join(f"**{value:.1f}**" if value >= target else f"{value:.1f} (missed)" for value in values)


def _range(rows: list[Row], key: str) -> str:
    values = [row[key] for row in rows]
    return f"{min(values)} to {max(values)}"


def of_rows(name: str) -> str:
    """A table that a benchmark has kept, as it is."""
    rows = kept(name)["rows"]
    cells = [
        [f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()] for row in rows
    ]
    return table([list(rows[0]), *cells]) + "\n" + made_by_all(name)


# docs/method/training.md

ADDED = {
    "spikes": "sets of 30 to 300 spikes on up to seven contacts",
    "spikes-long": "sets of up to 900 spikes",
    "spikes-pairs": "up to twelve contacts; what each spike sees of those to come (`pairs`)",
    "spikes-components": "principal components of each dataset (`components`)",
    "spikes-wide": "biophysical cells beside the parametric ones, smaller units, wider drift",
    "spikes-white": "these components in white noise (`whitened`)",
    "spikes-types": "groups whose cells are of one type, or of one size",
    "spikes-close": "units closer to each other; half way back to the weights before (`start_share`)",
    "spikes-times": "times, and nothing else trained (`start_fixed`): knots along time, units that move",
    "spikes-times-all": "all weights",
    "spikes-times-way": "knots along the way of the tissue (`along_way`)",
    "spikes-times-tired": "units that tire, a hash of far cells, fewer units",
    "spikes-times-tired-longer": "larger sets",
    "spikes-times-apart": "units as far apart as cells that are placed at random",
    "spikes-times-hash": "a denser hash; mean of the weights of this run and the one before",
    "spikes-seeing": "points that see each other (`attention`); any number of units, near and far",
    "spikes-openings": "first points of further orders in the loss (`n_beginnings`)",
    "spikes-distances": "distances on all components at once (`mahalanobis`)",
    "spikes-heaps": "fewer neurons with two clean heaps",
    "spikes-density": "how dense spikes lie about each of them (`density`)",
    "spikes-deep": "six blocks of attention; 64 larger sets a step, on a GPU",
    "spikes-bursts": "what was fired just before and after each spike (`neighbours_in_time`); 96 sets a step",
}


def runs_of_spikes() -> str:
    """Stretches of the training of `spikes`, from its card."""
    card = json.loads((MODELS / "spikes.json").read_text(encoding="utf-8"))
    chain = [card]
    while "started_from" in chain[0]:
        chain.insert(0, chain[0]["started_from"])
    rows = [["run", "minutes", "steps", "held out, nats a spike", "spikes a held-out set", "what it added"]]
    for (name, added), one in zip(ADDED.items(), chain, strict=True):
        rows.append(
            [
                f"[`{name}`](../../trained_models/runs/{name}.toml)",
                f"{one['minutes']:g}",
                str(one["steps"]),
                f"{one['scores']['nll']:.4f}",
                str(one["training"].get("validate_points", 250)),
                added,
            ]
        )
    return (
        table(rows) + "\nHeld-out sets are of the data of each run; they get harder from one to the next.\n"
    )


def steps() -> str:
    """Steps of ``make results`` with how long each takes."""
    from benchmarks.common.all_results import STEPS

    rows = [["step", "minutes on two idle cores", "command"]]
    for one in STEPS:
        minutes = f"{one.minutes:g}" + ("" if one.alone else ", beside another")
        name = f"{one.name} (with `--trainings`)" if one.training else one.name
        name += " (with the other sorters' environments)" if one.peers else ""
        rows.append([name, minutes, f"`{one.command}`"])
    return table(rows)


# docs/method/evidence.md

PROMISES = {
    "neuron": "P(neuron)",
    "right": "P(right)",
    "pure": "P(pure)",
    "complete": "P(complete)",
    "pure and complete": "P(pure and complete)",
    "spike": "P(spike)",
    "false positives, share": "expected false positives",
    "misses, share": "expected misses",
}


def promises() -> str:
    """What is said of units and what is true, by all evidence; how far off it is with less of it."""
    ways = kept("unit_probabilities")["ways"]
    first, *others = ways
    rows = [["", "how many", "mean", "true", f"off by (at most {OFF_BY:g})", *(f"{way}" for way in others)]]
    for place, row in enumerate(ways[first]):
        error = [f"{ways[way][place]['ECE']:.3f}" for way in ways]
        error[0] = f"**{error[0]}**" if row["ECE"] <= OFF_BY else f"{error[0]}, missed"
        said = [f"{row[key]:.3f}" for key in ("mean P", "true")]
        rows.append([PROMISES[row["P of"]], str(row["how many"]), *said, *error])
    return table(rows) + "\n" + made_by_all("unit_probabilities")


def questions() -> str:
    """How many questions there are, how many units are wrong, and what is left after some answers."""
    tables = kept("questions")["tables"]
    rows = [["", "components", "questions", "wrong units", "the traces can tell", "of these asked about"]]
    for name in ("Questions", "Planted merges, as they are shown", "Planted merges, as they were planted"):
        row = tables[name][0]
        counts = (row[key] for key in ("components", "questions", "wrong", "can be told", "told and asked"))
        rows.append(["as sorted" if name == "Questions" else name.lower(), *map(str, counts)])
    left = tables["Wrong assignments left, of planted merges as planted"]
    curve = [["questions of each recording", *(str(row["questions a recording"]) for row in left)]]
    for order in ("queue", "random", "similarity"):
        curve.append([f"wrong spikes left, {order}", *(str(row[order]) for row in left)])
    return table(rows) + "\n" + table(curve) + "\n" + made_by_all("questions")


def stimulus() -> str:
    """What white noise alone says of cells that are split and of pairs, by spikes; how far off it is."""
    found = kept("stimulus")
    sizes, overlaps, _ = found["tables"].values()
    kinds = [name for name in sizes[0] if name.startswith("P(one)")]
    rows = [["spikes of the smaller part", "pairs", "nothing said", *kinds, "off by"]]
    for row in sizes:
        numbers = [f"{row[key]:.3f}" if row[key] != "" else "" for key in (*kinds, "ECE")]
        rows.append([row["spikes"], str(row["pairs"]), str(row["nothing said"]), *numbers])
    alike = [["correlation of the fields of neighbours", "pairs", "mean P(one)"]]
    alike += [[row["overlap"], str(row["pairs"]), f"{row['mean P(one)']:.3f}"] for row in overlaps]
    error = found["total"]["ECE"]
    words = f"Off by {error:.3f} in all (at most {OFF_BY:g}{'' if error <= OFF_BY else ', missed'}).\n"
    return "\n".join([table(rows), words, table(alike), made_by_all("stimulus")])


def coloured_noise() -> str:
    """Units in noise of each colour, white noise first: without cells, and with them."""
    by_noise: dict[str, dict[bool, Row]] = {}
    for row in kept("coloured_noise")["rows"]:
        if row["sorter"] == "ncpgui":
            by_noise.setdefault(row["noise"], {})[bool(row["cells"])] = row
    counts = {
        "cells": "cells",
        "found": "found",
        "units": "units",
        "false": "no cell's",
        "false, P(neuron) >= 0.5": "of them P(neuron) >= 0.5",
        "extra, P(neuron) >= 0.5": "parts of cells, P(neuron) >= 0.5",
        "least peak, sd": "least height, noise sd",
    }
    rows = [["noise", "how loud in the band", "units without cells", *counts.values()]]
    for name in sorted(by_noise, key=lambda name: name != "white"):
        without, found = (by_noise[name].get(kind) for kind in (False, True))
        cells = [""] * len(counts) if found is None else [str(found[key]) for key in counts]
        loud = f"{loudness(FAMILIES[name]):.1f}" if name in FAMILIES else ""
        rows.append([name, loud, "" if without is None else str(without["units"]), *cells])
    return table(rows) + "\n" + made_by_all("coloured_noise")


def probes_in_noise() -> str:
    """Cells on other probes that each sorter finds in each kind of noise, and its units that match none."""
    found = {words: kept(name)["rows"] for name, words in GENERATORS.items()}
    ran = {row["sorter"] for rows in found.values() for row in rows}
    sorters = [name for name in SORTERS if name in ran]
    result = [["recordings", "true cells", *(SORTERS[name] for name in sorters)]]
    for words, rows in found.items():
        for noise in NOISES:
            some = {
                name: [row for row in rows if (row["sorter"], row["noise"]) == (name, noise)]
                for name in sorters
            }
            n_cells = sum(row["cells"] for row in some["ncpgui"])
            cells = [found_and_other(of, len(some["ncpgui"])) for of in some.values()]
            result.append([f"{words}, {noise} ({len(some['ncpgui'])})", str(n_cells), *cells])
    return table(result) + "\n" + made_by_all(*GENERATORS)


PAGES: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"proof": proof},
    "docs/concepts/trust.md": {"trust": trust},
    "docs/tutorials/neuropixels.md": {"costs": lambda: costs(is_short=True)},
    "docs/results/costs.md": {"costs": costs},
    "docs/results/index.md": {"findings": findings},
    "docs/results/whole_recordings.md": {
        "whole recordings": whole_recordings,
        "coloured noise": coloured_noise,
        "probes in noise": probes_in_noise,
    },
    "docs/results/single_channels.md": {
        "agreement": agreement,
        "how good": how_good,
        "final sets": final_sets,
    },
    "docs/method/diagnostics.md": {
        "scores": scores,
        "speed": speed,
        "known posteriors": lambda: of_rows("known_posteriors"),
        "finite spikes": lambda: of_rows("finite_spikes"),
    },
    "docs/method/evidence.md": {"promises": promises, "questions": questions, "stimulus": stimulus},
    "benchmarks/README.md": {"steps": steps},
    "docs/method/training.md": {"runs of spikes": runs_of_spikes},
}


def with_results(page: str, text: str) -> str:
    """The text of a page with all its figures up to date."""
    for name, write in PAGES[page].items():
        begin, end = f"<!-- results: {name} -->\n", f"<!-- end of {name} -->\n"
        text = with_table(text, write(), begin, end)
    return text


if __name__ == "__main__":
    for page in PAGES:
        path = ROOT / page
        path.write_text(with_results(page, path.read_text(encoding="utf-8")), encoding="utf-8")
    CARD.write_text(json.dumps(card_of_final_sets(), indent=2) + "\n", encoding="utf-8")
    for model in EVALUATED:
        card = json.dumps(card_of_evaluation(model), indent=2) + "\n"
        (MODELS / f"{model}.json").write_text(card, encoding="utf-8")
