"""Phrases of the pages with fixed numbers of the method, and with what recordings of benchmarks are."""

from __future__ import annotations

import re
from statistics import NormalDist

import numpy as np
import pytest

from benchmarks.clustering.clustering_methods import N_COMPONENTS
from benchmarks.clustering.final_recordings import FinalSettings
from benchmarks.recordings import coloured_noise
from benchmarks.recordings.ground_truth import PROBES
from benchmarks.recordings.sorters import RECORDINGS
from ncpgui.app.model import open_questions
from ncpgui.core import heaps, two_laws
from ncpgui.core.allocator import LARGE_BYTES
from ncpgui.core.alternatives import MIN_CLUSTER_SHARE, MIN_CLUSTER_SPIKES, MIN_JACCARD
from ncpgui.core.left_out import MIN_RATE_HZ
from ncpgui.core.order_agreement import N_ORDERS
from ncpgui.core.waveform_format import N_SAMPLES
from ncpgui.engine.diagnostics.calibration import HARD
from ncpgui.engine.sampling.sweeps import N_SWEEPS, N_SWEEPS_IN_TIME
from ncpgui.ephys import noise_covariance, noise_levels, time_whitening
from ncpgui.ephys.preprocessing import FilterSettings
from ncpgui.ephys.spikeinterface_adapter import WHITENING_RADIUS_UM
from ncpgui.ephys.time_whitening import REACH_MS
from ncpgui.evidence import (
    drift_jumps,
    drift_turns,
    echoes,
    fields,
    hidden_trains,
    point_events,
    refractory,
    support,
    tempered,
    unit_accuracy,
    white_noise,
)
from ncpgui.sorting import (
    alike_from_places,
    all_spikes,
    component_alternatives,
    drift_pieces,
    jumped_units,
    merge_across_drift,
    neuron_probability,
    noise_likeness,
    second_cells,
)
from ncpgui.sorting import echoes as component_echoes
from ncpgui.sorting.components import DOUBTFUL, MAX_UNITS
from ncpgui.sorting.first_pass import PROPOSING_DRAWS, PROPOSING_SPIKES
from ncpgui.sorting.fitting import GHOST_AMPLITUDE, GHOST_SHARE
from ncpgui.sorting.lost_spikes import AMPLITUDE_SD
from ncpgui.sorting.matching import GAIN_A_HZ
from ncpgui.sorting.neuron_probability import GOOD_FROM, NOISE_BELOW, PURE_FROM
from ncpgui.sorting.noise_likeness import HIGHEST_SD, NOISE_SHAPE
from ncpgui.sorting.templates import AFTER_MS, BEFORE_MS, SEEN_SD, TEMPLATE_RADIUS_UM
from ncpgui.sorting.unit_distances import SEPARATION
from tests.docs.figures_of_results import percent
from tests.docs.figures_of_the_program import CONFIG, in_words
from tests.docs.printed import ROOT


def halves() -> float:
    """Distance of the two halves of one Gaussian, cut in the middle, in their own sd."""
    half_normal = NormalDist().pdf(0) * 2
    return 2 * half_normal / np.sqrt(1 - half_normal**2)


def of_method() -> list[str]:
    """Fixed numbers of a sorting, which are not settings."""
    by_energy = f"{GAIN_A_HZ:.1e}".replace("e-03", "e-3")
    assert GHOST_SHARE == NOISE_SHAPE == 1 / 2
    assert HIGHEST_SD == DOUBTFUL == 6
    assert round(1 / NormalDist().cdf(-DOUBTFUL / 2), -2) == 700
    return [
        f"{PROPOSING_DRAWS} samples of {PROPOSING_SPIKES} spikes a channel",
        f"{BEFORE_MS:g} ms before to {AFTER_MS:g} ms after the trough, where they span more than "
        f"{SEEN_SD:g} sd, beyond {TEMPLATE_RADIUS_UM:g} µm more than",
        f"contacts within {WHITENING_RADIUS_UM:g} µm; in time by a filter of {REACH_MS:g} ms to either side",
        f"{by_energy} a Hz of sampling ({20_000 * GAIN_A_HZ:.0f} at 20 kHz)",
        "over that in white noise, where that is more than 1 (how)",
        f"half of that, or an amplitude under {GHOST_AMPLITUDE} |",
        f"less than {SEPARATION} sd apart, with what",
        f"cut in the middle, are {halves():.2f} of their sd apart",
        f"less than {DOUBTFUL:g} sd apart by the same measure, {in_words(MAX_UNITS)} units at most",
        f"at {DOUBTFUL:g} sd one spike in 700 is mistaken",
        f"`noise` under P(neuron) {NOISE_BELOW}, `good` from {GOOD_FROM} unless P(pure) is under "
        f"{PURE_FROM}, `mua`",
        f"{MIN_RATE_HZ} spikes a second |",
        f"P(neuron) under {NOISE_BELOW}, less than {HIGHEST_SD:g} sd high, and half of the energy",
        f"a threshold of {CONFIG.threshold_sd} noise sd about four times a minute",
        f"its {CONFIG.assignment_dims} principal components",
        f"blocks of {LARGE_BYTES >> 20} MiB or more return",
    ]


def between(ends: tuple[float, float]) -> str:
    """Two ends of a range."""
    return f"{ends[0]:g} to {ends[1]:g}"


def of_evidence() -> list[str]:
    """Numbers of the evidence that weighs draws."""
    least, most = time_whitening.GAIN
    assert tempered.EFFECTIVE_PART == 3 / 10
    assert tempered.STIMULUS_PART == 1 / 10
    assert drift_jumps.MOST_ELSEWHERE == 1 / 4
    assert echoes.P_ECHO == 1 / 50
    assert time_whitening.ALIKE == 5 / 4
    least_factor = (noise_likeness.LEAST / noise_likeness.UNLIKE) ** noise_likeness.NATS
    assert least_factor == pytest.approx(1 / 16)
    assert refractory.P_OFTEN == 0.02
    assert echoes.SYNCHRONY == 10
    assert all_spikes.SAID_TWICE == drift_turns.P_BY_MOTION == fields.P_IN_TIME == 1 / 2
    assert support.TOLERATED == 1 / 10
    assert (MIN_JACCARD, drift_jumps.MOST_TURNS, N_SAMPLES) == (1 / 2, 3, 32)
    turns, motion = drift_turns.P_CHANGES, drift_turns.P_BY_MOTION
    wide, few = tempered.WIDE_PART, point_events.FEW_DRAWS
    draws = CONFIG.posterior_samples
    heavy = [percent(heaviest(n, k, part)) for n, k, part in (
        (100, 1, tempered.EFFECTIVE_PART), (draws, 1, wide), (draws, 10, wide))]  # fmt: skip
    odds = (
        f"{second_cells.NATS} + {second_cells.NATS_A_BIC}\\,b + {second_cells.NATS_A_TIME}\\,t + "
        f"{second_cells.NATS_A_SHARE}\\,q, \\text{{ at most }} {second_cells.MOST_NATS:g}.$"
    )
    assert odds in (ROOT / "docs" / "method" / "evidence.md").read_text(encoding="utf-8")
    jump, at_once, alone = drift_jumps.P_JUMPS, drift_jumps.P_AT_ONCE, drift_jumps.P_COMES_AND_GOES
    return [
        f"({MIN_CLUSTER_SPIKES} spikes, or {100 * MIN_CLUSTER_SHARE:g} %)",
        f"Clusters under {CONFIG.min_cluster_spikes} sampled spikes are dropped",
        "the largest power that leaves three in ten of the effective draws",
        "a power of its own that leaves a tenth of the draws",
        f"fewer than {100 * tempered.WIDE_PART:g} % of the effective draws",
        f"Two neurons do so with the probability {drift_turns.P_CHANGES}",
        f"units that take turns ($t > {merge_across_drift.MIN_NATS:g}$)",
        f"differ by less than {percent(alike_from_places.ALIKE)} of the larger energy",
        f"two differ by less than {percent(alike_from_places.THE_SAME)}",
        f"${drift_pieces.NATS} - {-drift_pieces.NATS_UNLIKE}\\,u - {-drift_pieces.NATS_TOGETHER}\\,s$",
        "In their first {} and {} principal components".format(*second_cells.N_DIMENSIONS),
        f"between one law and two, at most {second_cells.BIC[1]:g}",
        f"the share of the smaller law, at most {second_cells.MOST_SHARE}",
        f"the log Bayes factor, at most {second_cells.TIME_NATS:g}, of pairs of spikes of the unit that are "
        f"{between(hidden_trains.CLOSE_MS)} ms apart",
        f"one neuron has {hidden_trains.OF_ONE[0]} to {hidden_trains.OF_ONE[-1]} of the pairs that chance "
        f"gives, two have {hidden_trains.OF_TWO[0]} to {hidden_trains.OF_TWO[-1]}",
        f"If the probability is {second_cells.LEAST_P} or more, $q$ at least {two_laws.LEAST_SHARE} and "
        f"$b > {second_cells.LEAST_BIC:g}$",
        f"that are {between(refractory.REFRACTORY_MS)} ms apart",
        f"that are {between(refractory.CHANCE_MS)} ms apart give the number expected by chance",
        f"(probability {refractory.P_SHY}: one of two",
        f"(probability {refractory.P_OFTEN}: {refractory.OFTEN[0]:g} to {refractory.OFTEN[-1]:g} times as "
        f"often)",
        f"averaged over shares $d$ from {refractory.LEFT[0]} to {refractory.LEFT[-1]:g}",
        f"The odds are at most $e^{heaps.MOST_NATS:g}$ either way",
        f"count to the power {heaps.SAID_TWICE:g}",
        f"each of {white_noise.N_LAGS} lags and each pixel",
        f"With probability {fields.P_MIXED} it has",
        f"whose energy is {fields.CLEAR_SD:g} sd above that of noise",
        f"fewer than {fields.FEWEST} spikes during the stimulus",
        f"{100 * drift_jumps.P_MISTAKEN:g} % of the spikes may be in the wrong part",
        f"| parts of one neuron | {jump} | {alone} | {1 - jump - alone:.1f} |",
        f"| two neurons | {at_once} | {alone} | {1 - at_once - alone:.2f} |",
        f"(at most $e^{{{jumped_units.MOST_NATS:g}}}$ times as probable",
        "a part may fire at a quarter of its rate at most",
        f"in bins of {echoes.BIN_MS} ms at all lags up to {echoes.MOST_LAG_MS} ms",
        f"at lags from {echoes.MOST_LAG_MS} to {echoes.FLANK_MS} ms",
        f"is below {echoes.SIGNIFICANT}.",
        "A priori one pair in fifty is an echo.",
        f"Units with P(echo) of {component_echoes.DOUBTFUL} and more",
        f"from {least:g} to {most:g}, of a symmetric filter of {REACH_MS:g} ms to either side",
        f"each waveform of {N_SAMPLES} samples",
        f"in {noise_levels.N_SLICES} stretches of half a second, at times when no channel is beyond "
        f"{noise_covariance.BUSY_SD:g} sd",
        f"contacts at most {noise_covariance.PAIR_UM:g} µm apart",
        f"A unit with $q < {NOISE_SHAPE}$ of that height, and a P(neuron) under {NOISE_BELOW}, is noise",
        f"If it is below {point_events.FEW_DRAWS:g}, or below half",
        f"a relative sd of {AMPLITUDE_SD} of the amplitudes",
        f"with an sd of {unit_accuracy.LOST_SD_NATS}.",
        f"if its P(right) is under {open_questions.RIGHT}, or if its expected agreement with the found "
        f"part of its "
        f"cell is less than {open_questions.AGREES}.",
        f"the agreement is at least {unit_accuracy.AGREES}, times P(neuron)",
        f"At most {in_words(component_alternatives.MAX_SHOWN)} alternatives are shown",
        f"have $d = {halves():.2f}$ and change",
        f"With {CONFIG.spikes_per_group} spikes no two samples are equal",
        "a Jaccard overlap above one half",
        f"one draw of a hundred can get a weight of {heavy[0]} at most",
        f"({few:g} of {draws}), the weights become a mixture",
        f"the largest that leaves {100 * wide:g} %. So if a single draw of {draws} fits, its weight is "
        f"{heavy[1]} at most; ten such draws together have {heavy[2]}.",
        "take turns with the probability one half",
        f"$({1 - turns} + {turns}\\,e^t) / ({1 - motion} + {motion}\\,e^t)$ times as probable as one: "
        f"between a fifth and {(1 - turns) / (1 - motion):g}",
        f"has the same probability of {refractory.P_OFTEN}, so",
        f"has $r = {1 - fields.APART[0]}$",
        "No delay has the probability one half.",
        "one, two or three changes",
        f"one neuron is up to {jump / at_once:.0f} times as probable",
        "Each of the two has half the weight",
        f"count to the power {all_spikes.SAID_TWICE}, because",
        f"the larger template within {component_echoes.CLOSE_MS} ms",
        f"wider than a bin of {echoes.BIN_MS} ms",
        "is uniform from one half to one; that of two neurons is one in eleven",
        "differ by less than a quarter",
        f"measured in {noise_levels.N_SLICES} slices",
        f"for units that are less than {HIGHEST_SD:g} sd high",
        "if the cell has 90 % of the unit, and complete if the unit has 90 % of the cell",
        f"when their spikes are less than {DOUBTFUL:g} sd apart by all evidence",
        f"at most {in_words(MAX_UNITS)} units, all visible",
        "its cell are nine tenths of both",
        f"where fewer than {2 * few:g} were drawn",
        f"below {in_words(point_events.TOO_FEW_DRAWS)} (or a twentieth of fewer than "
        f"{20 * point_events.TOO_FEW_DRAWS:g} samples)",
        f"within {neuron_probability.COINCIDENCE_MS:g} ms of spikes of one larger unit than chance explains "
        f"({in_words(neuron_probability.BEYOND_CHANCE_SD)} sd above its mean)",
    ]


def heaviest(n_draws: int, n_heavy: int, part: float) -> float:
    """Weight that so many of the draws share at most, where this part of the draws stays effective."""
    shares = np.linspace(n_heavy / n_draws, 1, 100_001)
    squares = shares**2 / n_heavy + (1 - shares) ** 2 / (n_draws - n_heavy)
    return float(shares[1 / squares >= part * n_draws].max())


def of_coloured_noise() -> list[str]:
    """Matching in noise that is not white."""
    note = (ROOT / "docs" / "notes" / "2026-11-26-coloured-noise.md").read_text(encoding="utf-8")
    note = note.partition("## Step by step")[2].partition("| white, far cells |")[0]
    peaks = re.findall(r"^\| peak at (\d+) Hz \| \d+ \| \d+ \| (\d+) \| \d+ \| (\d+) \|", note, re.MULTILINE)
    hz, without, filtered = ([int(one) for one in column] for column in zip(*peaks, strict=True))
    band = FilterSettings(CONFIG.highpass_hz, CONFIG.lowpass_hz, CONFIG.reference)
    densities = [band.white_density(rate) for rate in (20_000.0, 30_000.0)]
    assert component_echoes.DOUBTFUL > (1 - 0.79) ** 2
    return [
        f"In noise with peaks at {hz[0]}, {hz[1]} and {hz[2]} Hz, {sum(filtered)} cells were found from half "
        f"of their spikes, against {sum(without)} without the filter",
        f"({densities[0]:.1f} at 20 kHz, {densities[1]:.1f} at 30 kHz)",
        f"if 79 % of the spikes of a unit are at a lag, P(neuron) is at most {component_echoes.DOUBTFUL}",
    ]


def of_sampling() -> list[str]:
    """Numbers of drawing and of sweeps."""
    return [
        f"the draws are divided over `n_orders` ({in_words(N_ORDERS)}) random orders",
        f"There are {in_words(N_SWEEPS)} sweeps, and {in_words(N_SWEEPS_IN_TIME)} if the network uses times",
    ]


def of_benchmarks() -> list[str]:
    """What recordings of benchmarks are."""
    final, cells = FinalSettings(), coloured_noise.CELLS
    assert N_COMPONENTS == 5
    far = RECORDINGS["hex49 far"].n_far
    hard = " and ".join(map(str, HARD))
    return [
        f"There is a background of {final.n_hash[0]} to {final.n_hash[1]} far cells.",
        f"it moves by {final.reach_um[0]:g} to {final.reach_um[1]:g} µm to either side",
        f"Each set has {final.n_spikes} spikes from {final.duration_s:g} s of one contact.",
        f"if they are between {hard} (*hard pairs*)",
        f"in *far* {far} of the cells are far away",
        f"the same {cells.n_units} cells on {PROBES['linear32']().get_contact_count()} contacts fire for "
        f"{cells.duration_s:g} s",
        "The other methods work on five principal components.",
    ]


def phrases() -> list[str]:
    """All of them."""
    return of_method() + of_evidence() + of_coloured_noise() + of_sampling() + of_benchmarks()
