"""Phrases of the pages with fixed numbers of the method, and with what recordings of benchmarks are."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from benchmarks.clustering.clustering_methods import N_COMPONENTS
from benchmarks.clustering.final_recordings import FinalSettings
from benchmarks.recordings import coloured_noise
from benchmarks.recordings.ground_truth import PROBES
from benchmarks.recordings.sorters import RECORDINGS
from ncpgui.core.allocator import LARGE_BYTES
from ncpgui.core.left_out import MIN_RATE_HZ
from ncpgui.engine.diagnostics.calibration import HARD
from ncpgui.ephys.spikeinterface_adapter import WHITENING_RADIUS_UM
from ncpgui.ephys.time_whitening import REACH_MS
from ncpgui.sorting.components import DOUBTFUL, MAX_UNITS
from ncpgui.sorting.first_pass import PROPOSING_DRAWS, PROPOSING_SPIKES
from ncpgui.sorting.fitting import GHOST_AMPLITUDE, GHOST_SHARE
from ncpgui.sorting.matching import GAIN_A_HZ
from ncpgui.sorting.neuron_probability import GOOD_FROM, NOISE_BELOW, PURE_FROM
from ncpgui.sorting.noise_likeness import HIGHEST_SD, NOISE_SHAPE
from ncpgui.sorting.templates import AFTER_MS, BEFORE_MS, SEEN_SD, TEMPLATE_RADIUS_UM
from ncpgui.sorting.unit_distances import SEPARATION
from tests.docs.figures_of_the_program import CONFIG, in_words


def of_method() -> list[str]:
    """Fixed numbers of a sorting, which are not settings."""
    by_energy = f"{GAIN_A_HZ:.1e}".replace("e-03", "e-3")
    half_normal = NormalDist().pdf(0) * 2
    halves = 2 * half_normal / np.sqrt(1 - half_normal**2)
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
        f"cut in the middle, are {halves:.2f} of their sd apart",
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
    return of_method() + of_benchmarks()
