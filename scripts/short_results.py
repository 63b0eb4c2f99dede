"""The few figures of README and of the pages on trust and results; other tables have pages of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kept_results import Row, evaluation, is_of_earlier_model, kept, made_by_all, table

from benchmarks.recordings.noise_families import FAMILIES, loudness

SORTERS = {
    "ncpgui": "ncpgui",
    "matched": "ncpgui, matching alone",
    "lupin": "Lupin",
    "tridesclous2": "Tridesclous2",
    "spykingcircus2": "SpykingCircus2",
    "mountainsort5": "MountainSort5",
}


GENERATORS = {"coloured_probes": "SpikeInterface's generator", "mearec": "MEArec"}
"""Results of recordings in coloured and in white noise, and what pages call their generator."""

PARTLY = " *Of*: the cells of the recordings on which a sorter was run, where these are not all."

OFF_BY = 0.05
"""What probabilities of units may be off by."""


def span(values: list[float], form: str = ".2f", between: str = " to ") -> str:
    """Smallest and largest of some numbers."""
    low, high = f"{min(values):{form}}", f"{max(values):{form}}"
    return low if low == high else f"{low}{between}{high}"


KINDS = {
    "white noise, tissue stays": ("hex49", "linear32", "tetrode", "columns48", "dense128", "hex49 far"),
    "white noise, tissue moves": ("columns48 zigzag", "columns48 jump"),
}
"""Recordings of benchmarks/results/sorters.json that README puts together."""


def proof() -> str:
    """Whole recordings in white and coloured noise, a second opinion, and whether probabilities come true."""
    found = kept("sorters")
    rows = {(row["recording"], row["sorter"]): row for row in found["rows"]}
    sorters = [name for name in SORTERS if name != "matched" and any(one == name for _, one in rows)]
    result = [["simulated recordings", "true units", *(SORTERS[name] for name in sorters)]]
    for kind, names in KINDS.items():
        totals = sums(rows, names, sorters)
        result.append([f"{kind} ({len(names)})", str(totals[0]["true units"]), *found_of(totals)])
    pairs = in_coloured_noise()
    n_cells = sum(row["cells"] for row in pairs["ncpgui"])
    n_pairs = len(pairs["ncpgui"])
    of = [found_and_other(pairs.get(name, []), n_pairs) for name in sorters]
    result.append([f"coloured noise ({n_pairs})", str(n_cells), *of])
    white, cells, _ = by_colour(kept("coloured_noise"))
    n_cells, n_found = (sum(row[key] for row in cells) for key in ("cells", "found"))
    n_other = sum(row[f"{kind}, P(neuron) >= 0.5"] for row in cells for kind in ("false", "extra"))
    ours = f"{n_found} ({n_other})"
    result.append([f"other spectra ({len(cells)})", str(n_cells), ours, *["–"] * (len(sorters) - 1)])
    louder = span([loudness(FAMILIES[row["noise"]]) for row in cells], ".1f")
    (right,) = (
        row for row in kept("unit_probabilities")["ways"]["all spikes and times"] if row["P of"] == "right"
    )
    words = (
        f"Coloured noise: recordings of {len(GENERATORS)} generators on hexagonal, linear and three-column "
        f"probes and tetrodes. In the last row, noise of {len(cells)} other spectra was added to one "
        f"recording, so that its noise is {louder} times as loud. In white noise alone, {white['found']} of "
        f"its {white['cells']} units are found. "
        "In the last two rows, units that are probably noise are not counted in the brackets."
        f"{PARTLY if any(' of ' in cell for cell in of) else ''}"
        f"{beside(kept('coloured_noise'))}\n\n"
        f"{second_opinion(kept('curation'))}\n"
        "Do the probabilities come true? In recordings on which nothing was fitted, "
        f"{100 * right['true']:.0f} % of {right['how many']} units are right. P(right) is "
        f"{100 * right['mean P']:.0f} % on average, and off by "
        f"{right['ECE']:.2f} (expected calibration error).\n"
    )
    return table(result) + "\n" + words


def in_coloured_noise() -> dict[str, list[Row]]:
    """Rows of each sorter, of the recordings in coloured noise of all `GENERATORS`."""
    rows: dict[str, list[Row]] = {}
    for name in GENERATORS:
        for row in kept(name)["rows"]:
            if row["noise"] == "coloured":
                rows.setdefault(row["sorter"], []).append(row)
    return rows


def found_and_other(rows: list[Row], n_recordings: int) -> str:
    """Cells that a sorter found in recordings, and in brackets other units; a dash where it did not run.

    Other units match no cell and are not said to be noise; other sorters do not say it. Of a sorter that was
    not run on all `n_recordings`, the cells of those on which it was are told too.
    """
    if not rows:
        return "–"
    n_other = sum(
        not unit["match"] and not unit["P(neuron)"] < 0.5 for row in rows for unit in row["of units"]
    )
    words = f"{sum(row['found'] for row in rows)} ({n_other})"
    return words if len(rows) == n_recordings else f"{words} of {sum(row['cells'] for row in rows)}"


def second_opinion(found: Row) -> str:
    """What a review makes of the units of other sorters, beside the merge presets of SpikeInterface."""
    given, alone, answered, *presets = found["sums"]
    sortings = found["sortings"]
    ran = [row for row in presets if not any(row["method"] in one["failed"] for one in sortings)]
    n_sorters = len({one["sorter"] for one in sortings})
    moving = {one["recording"]: one["of"]["motion"] != "none" for one in sortings}
    rows = [
        ["units of other sorters", "true units found", "wrong spikes", "decisions"],
        ["as given", str(given["found"]), str(given["wrong spikes"]), "–"],
        [
            f"after a merge preset of SpikeInterface ({len(ran)} of {len(presets)} ran)",
            *(span([row[key] for row in ran], "d") for key in ("found", "wrong spikes", "decisions")),
        ],
    ]
    for words, row in (
        ("`ncpgui review --apply 0.9`, nobody asked", alone),
        ("`ncpgui review`, with answers from the truth", answered),
    ):
        rows.append([words, f"**{row['found']}**", str(row["wrong spikes"]), str(row["decisions"])])
    return (
        f"A second opinion on {len(sortings)} results of {n_sorters} other sorters, from {len(moving)} "
        f"recordings, {sum(moving.values())} of them with drift ({given['true units']} true units in all):"
        f"\n\n{table(rows)}"
    )


def by_colour(found: Row) -> tuple[Row, list[Row], list[Row]]:
    """Of ncpgui: cells in white noise, cells in noise of each other spectrum, and such noise alone."""
    ours = [row for row in found["rows"] if row["sorter"] == "ncpgui"]
    (white,) = (row for row in ours if row["noise"] == "white" and row["cells"])
    others = [row for row in ours if row["noise"] != "white"]
    return white, [row for row in others if row["cells"]], [row for row in others if not row["cells"]]


def beside(found: Row) -> str:
    """What other sorters find where they were run in noise of another spectrum, beside ncpgui: sentences."""
    ours = {row["noise"]: row for row in by_colour(found)[1]}
    words = ""
    for sorter in dict.fromkeys(row["sorter"] for row in found["rows"] if row["sorter"] != "ncpgui"):
        theirs = [
            row for row in found["rows"] if row["sorter"] == sorter and row["cells"] and row["noise"] in ours
        ]
        same = [ours[row["noise"]] for row in theirs]
        (n_theirs, n_ours), (false, ours_false) = (
            (sum(row[key] for row in theirs), sum(row[key] for row in same)) for key in ("found", "false")
        )
        words += (
            f" {SORTERS[sorter]} was run with {len(theirs)} of these spectra: it finds {n_theirs} of "
            f"{sum(row['cells'] for row in same)} units there, with {false} that match none, and ncpgui "
            f"{n_ours}, with {ours_false}."
        )
    return words


def coloured(found: Row) -> str:
    """What is found in noise that is not white, beside white noise, as sentences."""
    white, cells, without = by_colour(found)
    n_cells, n_found = (sum(row[key] for row in cells) for key in ("cells", "found"))
    hardest = min(cells, key=lambda row: row["found"])
    no_cell, parts = (sum(row[f"{kind}, P(neuron) >= 0.5"] for row in cells) for kind in ("false", "extra"))
    words = (
        f"{white['found']} of {white['cells']} cells in white noise. After noise of {len(cells)} other "
        f"spectra is added, {n_found} of {n_cells}; the fewest with {hardest['noise']}, which is "
        f"{loudness(FAMILIES[hardest['noise']]):.1f} times as loud ({hardest['found']} of {hardest['cells']}"
        "). "
        f"Of the units with a P(neuron) of 0.5 or more, {no_cell} are no cell and {parts} are a part of one"
    )
    if without:
        n_units = sum(row["units"] for row in without)
        words += f". In noise of {len(without)} such spectra without cells, {n_units} units are found"
    return words


def sums(rows: dict[tuple[str, str], Row], names: Iterable[str], sorters: list[str]) -> list[Row]:
    """Of each sorter, its counts in some recordings together."""
    keys = ("true units", "found", "extra", "CPU s")
    return [{key: sum(rows[name, sorter][key] for name in names) for key in keys} for sorter in sorters]


def found_of(of: list[Row]) -> list[str]:
    """Units that each sorter found, the most of them bold, and in brackets its units that are no cell's."""
    best = max(row["found"] for row in of)
    marks = ["**" if row["found"] == best else "" for row in of]
    return [f"{mark}{row['found']}{mark} ({row['extra']})" for mark, row in zip(marks, of, strict=True)]


def trust() -> str:
    """How far the probabilities of the default model are off, on data that it was not trained on."""
    from ncpgui.engine.networks.model_files import default_model_name

    model = default_model_name()
    summary = {row["what"]: row["value"] for row in evaluation(model)["summary"]}
    pairs = "two spikes are of one unit"
    rows = [["data", "probability that", "off by"]]
    rows.append(
        [
            "simulated spikes like those of the training, other cells",
            pairs,
            f"{summary['hard pairs: calibration error']:.2f}",
        ]
    )
    final = {row["sets"]: row for row in kept("final_sets")["models"][model]["given firing times"]["rows"]}
    for words, name in {
        "spikes of one channel from another simulator": "all foreign",
        "the same where the tissue jumps": "motion sudden",
    }.items():
        error, bias = final[name]["ECE hard"], final[name]["bias hard"]
        leaning = "" if abs(bias) < OFF_BY else ": too low, units are split too often"
        leaning = leaning if bias < 0 or not leaning else ": too high, units are merged too often"
        rows.append([words, pairs, f"{error:.2f}{leaning}"])
    promised = {row["P of"]: row for row in kept("unit_probabilities")["ways"]["all spikes and times"]}
    for name, words in {
        "right": "a unit is right",
        "pure": "a unit is pure",
        "complete": "a unit is complete",
    }.items():
        rows.append(["whole simulated recordings", words, f"{promised[name]['ECE']:.2f}"])
    ours = [row for row in kept("hybrid")["rows"] if row["recording"].startswith("real")]
    ours = [row for row in ours if row["sorter"] == "ncpgui"]
    inserted, recovered = (sum(row[key] for row in ours) for key in ("inserted", "recovered"))
    rows += [
        ["units with the badge *few draws*", "anything", "not measured"],
        [
            f"a real recording, into which {inserted} units were inserted",
            "anything",
            f"not known; {recovered} of them were found",
        ],
    ]
    pages = {
        "the training": "../method/diagnostics.md#scores-and-targets",
        "another simulator": "../../benchmarks/results/final_sets.md",
        "whole recordings": "../../benchmarks/results/unit_probabilities.md",
        "inserted units": "../../benchmarks/results/hybrid.md",
    }
    made = ", ".join(f"[{name}]({page})" for name, page in pages.items())
    return (
        f"The model is `{model}`, the default of sortings.\n\n{table(rows)}\n"
        f"These pages have all figures and the commands: {made}.\n"
    )


def findings() -> str:
    """A row for each finding: what was found, and the page that has its command."""
    rows = [["what was asked", "what was found", "page"]]
    for question, (name, say) in FINDINGS.items():
        earlier = " (earlier)" if is_of_earlier_model(kept(name)) else ""
        rows.append([question, say(kept(name)), f"[tables](../../benchmarks/results/{name}.md){earlier}"])
    return table(rows)


def _ours_and_others(found: Row, names: Iterable[str] = ()) -> tuple[Row, dict[str, Row]]:
    """Counts of ncpgui and of the other sorters in some recordings together; in all when left out."""
    by = {(row["recording"], row["sorter"]): row for row in found["rows"]}
    names = names or list(dict.fromkeys(name for name, _ in by))
    sorters = [name for name in SORTERS if name != "matched"]
    totals = dict(zip(sorters, sums(by, names, sorters), strict=True))
    return totals.pop("ncpgui"), totals


def _whole(found: Row) -> str:
    ours, totals = _ours_and_others(found)
    best = max(totals.values(), key=lambda row: row["found"])
    return (
        f"{ours['found']} of {ours['true units']} true units, and {ours['extra']} units that match none; the "
        f"best of the other sorters finds {best['found']}, and {best['extra']} that match none"
    )


def _moving(found: Row) -> str:
    ours, totals = _ours_and_others(found, KINDS["white noise, tissue moves"])
    return (
        f"{ours['found']} of {ours['true units']}; the other sorters find "
        f"{span([row['found'] for row in totals.values()], 'd')}"
    )


def _cpu(found: Row) -> str:
    ours, totals = _ours_and_others(found)
    return (
        f"{ours['CPU s']} s of CPU time for eight recordings, on a slower machine than that on which the "
        f"other sorters took {span([r['CPU s'] for r in totals.values()], 'd')} s"
    )


def _units(found: Row) -> str:
    by = {row["P of"]: row for row in found["ways"]["all spikes and times"]}
    said = ", ".join(f"P({name}) by {by[name]['ECE']:.2f}" for name in ("right", "pure", "complete"))
    return f"{said}, for {by['right']['how many']} units in recordings on which nothing was fitted"


def _neuron(found: Row) -> str:
    (row,) = (
        row for row in found["rows"] if row["recordings"] == "never fitted on" and row["generator"] == "all"
    )
    return (
        f"by {row['ECE']:.2f}, for {row['units']} units; units that are no neuron have a P(neuron) of "
        f"{max(row['P of hash'], row['P of noise']):.2f} at most, on average"
    )


def _asked(found: Row) -> str:
    row = found["tables"]["Questions"][0]
    return (
        f"{row['questions']} questions about {row['units']} units. Of {row['wrong']} wrong units, "
        f"{row['wrong and asked']} are asked about; of {row['can be told']} that the traces show to be "
        f"wrong, {row['told and asked']} are"
    )


def _second(found: Row) -> str:
    return "; ".join(
        f"{row['sorter']} on {row['recording']}: {row['questions']} questions, "
        f"{row['decisions']} decisions, wrong spikes "
        f"{row['wrong assignments']}, units found {row['found']} of {row['true units']}"
        for row in found["rows"]
    )


def _curated(found: Row) -> str:
    given, alone, answered, *presets = found["sums"]
    many = len({one["sorter"] for one in found["sortings"]}), len(found["sortings"])
    return (
        f"{many[1]} results of {many[0]} sorters find {given['found']} of {given['true units']} true units; "
        f"{alone['found']} after `--apply 0.9`, {answered['found']} after {answered['decisions']} "
        f"decisions, and "
        f"{span([row['found'] for row in presets], 'd')} after merge presets. Wrong spikes, in the same "
        f"order: "
        f"{given['wrong spikes']}, {alone['wrong spikes']}, {answered['wrong spikes']}, and "
        f"{span([row['wrong spikes'] for row in presets], 'd')}"
    )


def _inserted(found: Row) -> str:
    said = []
    for kind in ("simulated", "real"):
        of = [row for row in found["rows"] if row["recording"].startswith(kind)]
        got = dict.fromkeys(dict.fromkeys(row["sorter"] for row in of), 0)
        for row in of:
            got[row["sorter"]] += row["recovered"]
        ours = got.pop("ncpgui")
        n = sum(row["inserted"] for row in of if row["sorter"] == "ncpgui")
        said.append(
            f"in a {kind} recording {ours} of {n}, by the other sorters {span(list(got.values()), 'd')}"
        )
    return "; ".join(said)


def _fields(found: Row) -> str:
    got = {row["sorter"]: row["of true cells"] for row in found["rows"]}
    ours = got.pop("ncpgui")
    return f"{ours} of {found['true fields']}; the other sorters find {span(list(got.values()), 'd')}"


def _single(found: Row) -> str:
    def of(method: str) -> list[float]:
        return [
            row["AMI"]
            for row in found["overall"]
            if row["source"] == "spikeinterface" and row["method"] == method
        ]

    model = next(iter(found["models"]))
    return (
        f"adjusted mutual information {span(of(f'{model}, first alternative'))}; a variational "
        "Gaussian mixture "
        f"{span(of('PCA-5 variational GMM'))}, HDBSCAN {span(of('PCA-5 HDBSCAN'))} (1 is the truth)"
    )


def _chosen_by_nothing(found: Row) -> str:
    said = []
    for model, kinds in found["models"].items():
        row = next(row for row in kinds["given firing times"]["rows"] if row["sets"] == "all foreign")
        said.append(f"`{model}` by {row['ECE hard']:.2f}")
    return f"for doubtful pairs of spikes in {row['n']} sets: {', '.join(said)}"


def _merged(found: Row) -> str:
    rows = [row for row in found["by_distance"] if row["all: pairs"]]
    near, mid = rows[0], rows[2]
    return (
        f"{near['all: merged %']:.0f} % of pairs that are {near['distance']} noise sd apart, "
        f"{mid['all: merged %']:.0f} % of those {mid['distance']} apart"
    )


def _fast(found: Row) -> str:
    (row,) = found["rows"]
    return (
        f"{row['recording s']:.0f} s of {row['channels']} channels in {row['wall s']:.0f} s, with "
        f"{found['machine']['threads']} threads on {found['machine']['cores']} cores of "
        f"{found['machine']['processor']}"
    )


def _room(found: Row) -> str:
    short, long = (row for row in found["rows"] if row["settings"] == "default")
    return (
        f"{short['MiB']:.0f} MiB for {short['seconds']:.0f} s of 16 channels, {long['MiB']:.0f} "
        f"MiB for {long['seconds']:.0f} s"
    )


FINDINGS: dict[str, tuple[str, Callable[[Row], str]]] = {
    "How many units of whole recordings does it find?": ("sorters", _whole),
    "And where the tissue moves?": ("sorters", _moving),
    "And in noise that is not white?": ("coloured_noise", coloured),
    "How long does it take beside other sorters?": ("sorters", _cpu),
    "Is it faster than the recording?": ("real_time", _fast),
    "Does memory grow with the recording?": ("memory", _room),
    "How far are the probabilities of units off?": ("unit_probabilities", _units),
    "How far is P(neuron) off?": ("neuron_probability", _neuron),
    "Are the questions few and right?": ("questions", _asked),
    "What is a second opinion worth?": ("review", _second),
    "And beside SpikeInterface's curation?": ("curation", _curated),
    "How many inserted units are found again?": ("hybrid", _inserted),
    "How many receptive fields are found?": ("receptive_fields", _fields),
    "How well are spikes of one channel clustered?": ("clustering", _single),
    "How far is the network alone off, on data that decided nothing?": ("final_sets", _chosen_by_nothing),
    "Which units are merged?": ("failures", _merged),
}


def costs(*, is_short: bool = False) -> str:
    """What long recordings of many channels took; a short table does not say how it was made."""
    rows = [["channels", "recording", "sorting, on two cores", "memory"]]
    for row in kept("endurance")["rows"]:
        rows.append(
            [
                str(row["channels"]),
                f"{row['seconds'] / 60:.0f} min",
                f"{row['minutes']:.0f} min",
                f"{row['MiB'] / 1024:.1f} GiB",
            ]
        )
    return table(rows) + ("" if is_short else "\n" + made_by_all("endurance"))
