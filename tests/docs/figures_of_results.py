"""Phrases of the pages whose figures are kept results, or those of code that a page itself runs.

A phrase that is on no page any more fails a test, and so does a figure of a page that no phrase has.
"""

from __future__ import annotations

import json
import re
import sys
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.recordings import coloured_probes, mearec
from benchmarks.recordings.coloured_noise import NEURON_FROM
from benchmarks.recordings.mearec_recordings import COLOUR_PEAK_HZ
from benchmarks.recordings.neurons_in_noise import MOST, calibration
from benchmarks.recordings.noise_families import SPECTRA
from ncpgui.engine.checked_waveforms import checked_waveforms
from ncpgui.engine.networks.model_files import default_model_name
from ncpgui.engine.seen_motion import known_motion_um
from ncpgui.ephys.probes import load_probe
from tests.docs.printed import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from kept_results import Row, evaluation, kept
from short_results import GENERATORS, SORTERS, span

FINAL = {row["sets"]: row for row in kept("final_sets")["models"]["spikes"]["given firing times"]["rows"]}
ALL = FINAL["all foreign"]


def percent(share: float) -> str:
    """A share as pages say it."""
    return f"{100 * share:.0f} %"


def mean_ami_where_it_moves() -> float:
    """Mean over the kinds of motion."""
    moving = [FINAL[f"motion {kind}"]["AMI first"] for kind in ("slow", "zigzag", "sudden")]
    return sum(moving) / len(moving)


def answers() -> str:
    """Answers that the rate of one cell needs, in two orders."""
    (row,) = (
        row for row in kept("answers")["answers"] if (row["finding"], row["of"]) == ("rate", "one cell")
    )
    return (
        f"For the rate of one cell, {row['by effect']:.1f} answers in this order remove half of the error on "
        f"average, and {row['answers in order of the queue']:.1f} answers in the order of the queue."
    )


def fields() -> str:
    """Receptive fields that ncpgui and others find."""
    found = kept("receptive_fields")
    by: dict[str, Any] = {row["sorter"]: row["of true cells"] for row in found["rows"]}
    ours = by.pop("ncpgui")
    return (
        f"A simulated retina has {found['true fields']} cells with a clear receptive field. ncpgui finds "
        f"{ours} of them; the other sorters find {span(list(by.values()), 'd')}."
    )


def speed() -> str:
    """How long 64 channels take, in words."""
    (row,) = kept("real_time")["rows"]
    share = row["wall s"] / row["recording s"]
    assert 0.45 < share < 0.6
    return f"{row['channels']} channels are sorted in about half the time that the recording took"


def small_units() -> list[str]:
    """Most units that are missed are small."""
    rows: list[Row] = [row for row in kept("sorters")["rows"] if row["sorter"] == "ncpgui"]
    missed = [
        snr
        for row in rows
        for snr, accuracy in zip(row["SNR of true units"], row["accuracy of true units"], strict=True)
        if accuracy < 0.8
    ]
    assert sum(size < 4 for size in missed) > 0.5 * len(missed)
    return ["most missed units have an SNR below 4", "small units (SNR below 4) mostly missed"]


def merged_units() -> list[str]:
    """Units that lie close are mostly merged."""
    row = kept("failures")["by_distance"][0]
    assert row["distance"] == "0-3"
    assert row["all: merged %"] > 50
    return [f"{first}nits less than 3 noise sd apart are mostly merged" for first in "uU"]


def tetrodes() -> str:
    """Hard pairs of all foreign sets and of tetrodes."""
    return (
        f"Hard pairs are off by {ALL['ECE hard']:.2f} over all foreign sets: the network is not sure "
        f"enough that spikes share a unit, most of all on tetrodes ({FINAL['tetrode']['ECE hard']:.2f}) and "
        f"in zigzags ({FINAL['motion zigzag']['ECE hard']:.2f}). Perfect probabilities would be off by "
        f"{ALL['by chance hard']:.2f}."
    )


def joined() -> str:
    """Pairs that the first alternative joins and parts."""
    return (
        f"Joined pairs are off by {ALL['ECE joined']:.2f}, parted ones by {ALL['ECE parted']:.2f}, which is "
        "within their target."
    )


def number_of_units() -> str:
    """How often the credible set has the true number."""
    return (
        f"The 90 % sets of K contain the truth in {ALL['K covered']:.2f} of the sets. Sets of one unit "
        f"have P(K = 1) of {FINAL['one unit']['P(K=1), one unit']:.2f}, and "
        f"{FINAL['motion zigzag']['P(K=1), one unit']:.2f} in zigzags."
    )


def first_alternative() -> str:
    """Agreement where the tissue stays and where it moves."""
    still = FINAL["motion none"]
    return (
        f"If the tissue stays, the AMI is {still['AMI first']:.2f}. If it moves, "
        f"the AMI is {mean_ami_where_it_moves():.2f} on average, and "
        f"{FINAL['motion sudden']['AMI first']:.2f} with jumps."
    )


def single_draws() -> str:
    """How far single draws are below the first alternative."""
    return f"They are {ALL['AMI first'] - ALL['AMI samples']:.2f} below the first alternative."


def own_sets() -> str:
    """Our own sets, by the defaults of the generator, of tissue that stays."""
    return f"hard pairs are off by {FINAL['ours, still']['ECE hard']:.2f} where the tissue stays."


def how_many_sets() -> str:
    """Sets that were scored."""
    ours = sum(row["n"] for name, row in FINAL.items() if name.startswith("ours"))
    return f"These are {ALL['n']} foreign sets and {ours} of our own."


def coverage() -> str:
    """How often intervals contain the truth."""
    found = kept("coverage")
    of = {row["finding"]: row["draws cover"] for row in found["coverage"] if row["units"] == "all"}
    assert percent(of["rate"]) == percent(of["preferred orientation"])
    alike = {
        name: mean(
            row["covers"] for row in found["rows"] if row["quantity"] == name and row["agreement"] >= 0.8
        )
        for name in of
    }
    return (
        f"contain {percent(of['rate'])} of the rates and of the preferred orientations, "
        f"{percent(of['field centre'])} of the field centres, and "
        f"{percent(of['tuning width'])} of the tuning widths. "
        "For units that share at least four fifths of the spikes with their neuron, it is "
        f"{percent(alike['rate'])} of the rates, {percent(alike['preferred orientation'])} of the "
        f"orientations, {percent(alike['field centre'])} of the field centres, and "
        f"{percent(alike['tuning width'])} of the widths."
    )


def review_of_many() -> str:
    """What a second opinion on many channels costs."""
    found = kept("large_review")
    (given,) = re.findall(r"--units (\d+)", found["origin"]["command"])
    rows = {row["until"]: row for row in found["rows"]}
    done = rows["all questions are sampled"]
    assert found["minutes"] == 1
    return (
        f"A minute of {found['recording']['channels']} channels with {given} units, into which we put "
        f"errors, takes {rows['all units are on screen']['CPU s']} s of CPU time until all units are on "
        f"screen, and {done['CPU s']} s until all {found['recording']['questions']} questions are "
        f"sampled, in {done['MiB'] / 1024:.1f} GiB"
    )


def longest() -> str:
    """Nobody measured an hour of 384 channels."""
    most = {row["channels"]: row["seconds"] for row in kept("endurance")["rows"]}
    assert most[384] < 3600
    return "**An hour of 384 channels.** The longest recordings that were measured are shorter."


def crossings() -> str:
    """How often white noise crosses the threshold, without a reference."""
    often = mean(row["no reference"] for row in kept("noise_crossings")["rows"])
    assert round(often) == 4
    return "Gaussian noise alone crosses 4.5 about four times a minute on a channel"


def other_sorters() -> list[str]:
    """Which other sorter was run in coloured noise, and what all of them miss."""
    tried = {
        (row["sorter"], row["noise"])
        for row in kept("coloured_noise")["rows"]
        if row["sorter"] != "ncpgui" and row["cells"] and row["noise"] != "white"
    }
    assert {sorter for sorter, _ in tried} == {"tridesclous2"}
    for name in SORTERS:
        found = [
            accuracy >= 0.8
            for row in kept("sorters")["rows"]
            if row["sorter"] == name
            for snr, accuracy in zip(row["SNR of true units"], row["accuracy of true units"], strict=True)
            if snr < 4
        ]
        assert mean(found) < 0.5
    return [
        f"only Tridesclous2 in noise of other spectra, and only in {len(tried)} of them",
        "every sorter misses most units with an SNR below 4.",
    ]


def probes_in_coloured_noise() -> list[str]:
    """What recordings on other probes are, and that nobody finds more cells in any of them."""
    assert (len(coloured_probes.RECORDINGS), len(mearec.RECORDINGS)) == (6, 4)
    assert sum(pair.name != coloured_probes.PEAK[0] for pair in coloured_probes.RECORDINGS.values()) == 2
    for name in GENERATORS:
        rows = [row for row in kept(name)["rows"] if row["noise"] == "coloured"]
        ours = {row["probe"]: row["found"] for row in rows if row["sorter"] == "ncpgui"}
        assert all(row["found"] <= ours[row["probe"]] for row in rows)
    return [
        "linear and three-column probes and tetrodes have six recordings of SpikeInterface's generator "
        f"({coloured_probes.SECONDS:g} s) and four",
        f"({mearec.SECONDS:g} s), which simulates cells",
        f"The coloured noise has a peak at {COLOUR_PEAK_HZ:g} Hz",
        f"of ncpgui, those with a P(neuron) of {NEURON_FROM:g} or more.",
    ]


def probability_of_neurons() -> str:
    """How far P(neuron) is off, and what units that are no neuron get."""
    rows = {
        row["generator"]: row for row in kept("neuron_probability")["rows"] if "never" in row["recordings"]
    }
    every = rows["all"]
    none = sum(every[kind] * every[f"P of {kind}"] for kind in ("hash", "noise"))
    return (
        f"off by {every['ECE']:.2f} on average ({rows['ours']['ECE']:.2f} on our own alone), and what is no "
        f"neuron gets {none / (every['hash'] + every['noise']):.2f}"
    )


def neurons_in_noise() -> list[str]:
    """How far P(neuron) is off in noise that is not white, and by chance alone."""
    ours = [row for row in kept("coloured_noise")["rows"] if row["sorter"] == "ncpgui" and row["cells"]]
    by_noise = {row["noise"]: calibration(row["noise"], [row]) for row in ours}
    few = by_noise.pop("1/f, drifting")
    many = kept("neurons_in_noise")["rows"]
    assert {row["noise"] for row in many} == {few["noise"]}
    more = calibration(few["noise"], many)
    assert set(by_noise) == {"white", *SPECTRA} - {few["noise"]}
    most = max(row["ECE"] for row in by_noise.values())
    assert (len(many), len(SPECTRA), MOST) == (4, 10, 1 - 1 / 20)
    return [
        f"P(neuron) is off by at most {most:.2f} "
        "(expected calibration error) in white noise and in nine of ten",
        f"In 1/f noise whose gain drifts, that recording has only {few['units']} units",
        f"In four recordings with {more['units']} units it is off by {more['ECE']:.2f} there",
        f"off by {more['by chance, mean']:.2f} on average, "
        f"and by {more['by chance, 95 %']:.2f} in one of twenty",
    ]


def goal_of_hard_pairs() -> list[str]:
    """How far hard pairs may be off, by the goal of evaluations."""
    rows = {row["what"]: row for row in evaluation(default_model_name())["summary"]}
    goal = rows["hard pairs: calibration error"]["target"]
    return [f"calibration error | under {goal} |", f"probabilities are off, and should be below {goal}."]


def defaults_of_cluster() -> list[str]:
    """Where contacts are that a file does not place, and how far units may move."""
    places = checked_waveforms(np.zeros((1, 32, 7), np.float32)).positions
    card = json.loads((ROOT / "trained_models" / f"{default_model_name()}.json").read_text(encoding="utf-8"))
    return [
        f"a hexagon of {np.linalg.norm(places[1:], axis=1).max():.0f} µm when left out",
        f"further along the contacts than the model knows ({known_motion_um(card):g} µm)",
    ]


def code_of(page: str) -> str:
    """Blocks of code of a page, and commands of its cells."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


def tuning() -> list[str]:
    """The experiment of the notebook on tuning, from its own code."""
    code = code_of("tutorials/tuning")
    one = re.compile(r"arange\(0, (\d+), (\d+)\)\) for _ in range\((\d+)\)").search(code)
    assert one is not None
    to, step, times = map(int, one.groups())
    (cells,) = re.findall(r"n_cells, rate_hz = (\d+)", code)
    (contacts,) = re.findall(r"generate_linear_probe\(num_elec=(\d+)", code)
    (twins_degrees,) = re.findall(r"preferred\[1\] = \(preferred\[0\] \+ (\d+)\)", code)
    (apart,) = re.findall(r"templates\[1\] = templates\[0\] \+ ([\d.]+) \* apart", code)
    assert (times, to // step, cells) == (10, 12, "8")
    assert "np.arange(120.0)" in code
    assert "draws(sorting, 50)" in code
    return [
        f"in {times * to // step} trials of one second, ten at each of twelve orientations. Each of eight "
        "cells",
        "Cells 0 and 1 are twins: they lie side by side, and their waveforms are almost the same. They "
        f"prefer orientations that are {twins_degrees} degrees apart.",
        f"on a linear probe of {contacts} contacts. The templates of the twins are {apart} noise sd apart.",
        "There are seven units for eight cells: the sorting",  # a test of the built site looks
        "| eight simulated cells and a grating |",
    ]


def simulated() -> list[str]:
    """What the tutorials simulate, from their commands."""
    fields, first = code_of("tutorials/findings"), code_of("tutorials/recording")
    assert "--probe hex7 --cells 6" in fields
    assert load_probe("hex7").n_channels == 7
    assert "--probe tetrode --cells 6 --duration 60" in first
    assert "num_channels=4, num_units=8" in code_of("tutorials/spikeinterface")
    return [
        "Seven contacts see six cells.",
        "a tetrode with six cells, for a minute.",
        "Are all six cells found?",
        "Eight cells on a tetrode are many",
    ]


def metrics() -> str:
    """Quality metrics of SpikeInterface among the columns."""
    from ncpgui.app.presenters.unit_columns import COLUMNS, METRICS

    assert sum(column.source == METRICS for column in COLUMNS) == 4
    return "the window shows four of the metrics as columns"


def phrases() -> list[str]:
    """All phrases whose figures were measured."""
    parts = (
        answers, fields, speed, small_units, merged_units, tetrodes, joined, number_of_units,
        first_alternative, single_draws, own_sets, how_many_sets, coverage, review_of_many, longest,
        crossings, probability_of_neurons, other_sorters, probes_in_coloured_noise, neurons_in_noise,
        goal_of_hard_pairs, defaults_of_cluster, tuning, simulated, metrics,
    )  # fmt: skip
    said = [part() for part in parts]
    return [phrase for one in said for phrase in ([one] if isinstance(one, str) else one)]
