"""The few figures of README and of the pages on trust and results; other tables have pages of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kept_results import Row, evaluation, kept, made_by_all, table

from benchmarks.recordings.noise_families import FAMILIES, loudness

SORTERS = {
    "ncpgui": "ncpgui",
    "matched": "ncpgui, matching alone",
    "lupin": "Lupin",
    "tridesclous2": "Tridesclous2",
    "spykingcircus2": "SpykingCircus2",
    "mountainsort5": "MountainSort5",
}


OFF_BY = 0.05
"""What probabilities of units may be off by."""


def span(values: list[float], form: str = ".2f", between: str = " to ") -> str:
    """Smallest and largest of some numbers."""
    low, high = f"{min(values):{form}}", f"{max(values):{form}}"
    return low if low == high else f"{low}{between}{high}"


KINDS = {
    "tissue that stays": ("hex49", "linear32", "tetrode", "columns48", "dense128"),
    "tissue that moves": ("columns48 zigzag", "columns48 jump"),
    "many far cells behind": ("hex49 far",),
}
"""Recordings of benchmarks/results/sorters.json that README puts together."""


def proof() -> str:
    """Three rows about whole recordings, and whether probabilities of units come true."""
    found = kept("sorters")
    rows = {(row["recording"], row["sorter"]): row for row in found["rows"]}
    sorters = [name for name in SORTERS if name != "matched" and any(one == name for _, one in rows)]
    result = [["simulated recordings", "true units", *(SORTERS[name] for name in sorters)]]
    for kind, names in KINDS.items():
        totals = sums(rows, names, sorters)
        result.append([f"{kind} ({len(names)})", str(totals[0]["true units"]), *found_of(totals)])
    (right,) = (
        row for row in kept("unit_probabilities")["ways"]["all spikes and times"] if row["P of"] == "right"
    )
    words = (
        f"In noise that is not white: {coloured(kept('coloured_noise'))}.\n\n"
        f"Do probabilities come true? Of {right['how many']} units in recordings on which "
        "nothing was fitted, "
        f"{100 * right['true']:.0f} % are right; P(right) is {100 * right['mean P']:.0f} % on "
        "average, and off by "
        f"{right['ECE']:.2f} (expected calibration error).\n"
    )
    return table(result) + "\n" + words


def coloured(found: Row) -> str:
    """What is found in noise that is not white, beside white noise, as sentences."""
    ours = [row for row in found["rows"] if row["sorter"] == "ncpgui"]
    (white,) = (row for row in ours if row["noise"] == "white" and row["cells"])
    others = [row for row in ours if row["noise"] != "white"]
    cells, without = ([row for row in others if bool(row["cells"]) == kind] for kind in (True, False))
    loud = {row["noise"]: f"{loudness(FAMILIES[row['noise']]):.1f}" for row in cells}
    each = [f"{row['found']} ({row['noise']}, {loud[row['noise']]} times as loud)" for row in cells]
    no_cell, parts = (sum(row[f"{kind}, P(neuron) >= 0.5"] for row in cells) for kind in ("false", "extra"))
    words = (
        f"of {white['cells']} cells in white noise {white['found']} are found; with noise of another "
        f"spectrum beside it {', '.join(each)}. Of P(neuron) 0.5 and more are {no_cell} units of no cell "
        f"and {parts} parts of cells"
    )
    if without:
        n_units = sum(row["units"] for row in without)
        words += f". Noise of {len(without)} such spectra alone has {n_units} units"
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
    made = made_by_all(f"evaluation/{model}.evaluation", "final_sets", "unit_probabilities", "hybrid")
    return f"The model is `{model}`, the default of sortings.\n\n{table(rows)}\n{made}"


def findings() -> str:
    """A row for each finding: what was found, and the page that has its command."""
    rows = [["what was asked", "what was found", "page"]]
    for question, (name, say) in FINDINGS.items():
        rows.append([question, say(kept(name)), f"[tables](../../benchmarks/results/{name}.md)"])
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
        f"of {ours['true units']} true units {ours['found']}, with {ours['extra']} units that "
        "match none; the best of "
        f"the others {best['found']} with {best['extra']}"
    )


def _moving(found: Row) -> str:
    ours, totals = _ours_and_others(found, KINDS["tissue that moves"])
    return (
        f"{ours['found']} of {ours['true units']}; the others "
        f"{span([row['found'] for row in totals.values()], 'd')}"
    )


def _cpu(found: Row) -> str:
    ours, totals = _ours_and_others(found)
    return (
        f"{ours['CPU s']} s of CPU time for eight recordings; the others "
        f"{span([r['CPU s'] for r in totals.values()], 'd')} s"
    )


def _units(found: Row) -> str:
    by = {row["P of"]: row for row in found["ways"]["all spikes and times"]}
    said = ", ".join(f"P({name}) by {by[name]['ECE']:.2f}" for name in ("right", "pure", "complete"))
    return f"of {by['right']['how many']} units in recordings on which nothing was fitted, {said}"


def _neuron(found: Row) -> str:
    (row,) = (
        row for row in found["rows"] if row["recordings"] == "never fitted on" and row["generator"] == "all"
    )
    return (
        f"of {row['units']} units by {row['ECE']:.2f}; what is no neuron gets "
        f"{max(row['P of hash'], row['P of noise']):.2f} at most, on average"
    )


def _asked(found: Row) -> str:
    row = found["tables"]["Questions"][0]
    return (
        f"{row['questions']} questions about {row['units']} units; {row['wrong']} are wrong, "
        f"{row['wrong and asked']} of "
        f"them are asked about. Of {row['can be told']} that the traces can tell, {row['told and asked']} are"
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
        f"{many[1]} results of {many[0]} sorters: of {given['true units']} true units {given['found']} are "
        f"found, by itself at 90 % {alone['found']}, with {answered['decisions']} decisions "
        f"{answered['found']}, by merge presets {span([row['found'] for row in presets], 'd')}; "
        f"wrong spikes {given['wrong spikes']} → {alone['wrong spikes']} and "
        f"{answered['wrong spikes']}, presets {span([row['wrong spikes'] for row in presets], 'd')}"
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
        said.append(f"in a {kind} recording {ours} of {n}, the others {span(list(got.values()), 'd')}")
    return "; ".join(said)


def _fields(found: Row) -> str:
    got = {row["sorter"]: row["of true cells"] for row in found["rows"]}
    ours = got.pop("ncpgui")
    return f"{ours} of {found['true fields']}; the others {span(list(got.values()), 'd')}"


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
    return f"doubtful pairs of spikes, of {row['n']} sets: {', '.join(said)}"


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
    "How many units of whole recordings are found?": ("sorters", _whole),
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
    "How far is the network alone off, on data that chose nothing?": ("final_sets", _chosen_by_nothing),
    "Which units are merged?": ("failures", _merged),
}


def costs() -> str:
    """What long recordings of many channels took."""
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
    return table(rows) + "\n" + made_by_all("endurance")
