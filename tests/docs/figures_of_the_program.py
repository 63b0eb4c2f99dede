"""Phrases of the pages whose figures are defaults and limits: each is made of the program's own value.

A phrase that is on no page any more fails a test, and so does a figure of a page that no phrase has.
"""

from __future__ import annotations

import re
from dataclasses import fields
from inspect import signature
from statistics import NormalDist

import numpy as np

from ncpgui.analysis.comparison import WELL_DETECTED
from ncpgui.analysis.refractory_violations import REFRACTORY_MS as ISI_MS
from ncpgui.app.demo import DemoSettings
from ncpgui.app.model import open_questions as open_
from ncpgui.app.presenters.consequences import MOST_MERGED
from ncpgui.app.presenters.correlograms import Scale
from ncpgui.app.presenters.events import EventWindow
from ncpgui.app.presenters.finding import DEPENDS_FROM
from ncpgui.app.presenters.traces import HALF_MS
from ncpgui.app.presenters.trust_badge import LARGE_ERROR
from ncpgui.app.presenters.waveforms import SCALE_BAR_SD
from ncpgui.app.report.contents import OPEN_UNDER
from ncpgui.app.work.finding import N_DRAWS
from ncpgui.cli.main import EXIT_CANCELLED, EXIT_INPUT
from ncpgui.core.alternatives import MIN_JACCARD
from ncpgui.core.given import LARGEST_UNIT
from ncpgui.core.numpy_files import MOST_BYTES
from ncpgui.core.order_agreement import N_ORDERS, SHAKY, STEADY
from ncpgui.core.probe import LEAST_PITCH_UM
from ncpgui.core.waveform_format import MAX_CHANNELS, N_SAMPLES, SAMPLING_FREQUENCY_HZ, TROUGH_SAMPLE
from ncpgui.curation.by_itself import FEW, LITTLE, SMALL_SD
from ncpgui.curation.decision import MOSTLY
from ncpgui.engine.diagnostics.calibration import HARD
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.presets import PRESETS
from ncpgui.ephys import blanking, motion, noise_levels, trace_cache
from ncpgui.ephys.event_files import MOST_KINDS
from ncpgui.ephys.measured_templates import measure_templates
from ncpgui.ephys.preprocessing import MIN_CHANNELS_FOR_REFERENCE
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.recording import SAMPLING_HZ
from ncpgui.ephys.spikeinterface_adapter import STRETCH_S
from ncpgui.ephys.without_traces import USUAL_HZ
from ncpgui.evidence.gain import FEW_LEFT
from ncpgui.evidence.point_events import FEW_DRAWS, TOO_FEW_DRAWS
from ncpgui.evidence.refractory import REFRACTORY_MS
from ncpgui.evidence.same_train import LEAST_JACCARD
from ncpgui.evidence.support import TOLERATED
from ncpgui.evidence.unit_accuracy import AGREES
from ncpgui.evidence.units import MORE_PROBABLY
from ncpgui.export.nwb import UNKNOWN_START
from ncpgui.findings.propagate import propagate
from ncpgui.gui.workbench import IF_WIDE
from ncpgui.sorting.components import MAX_UNITS
from ncpgui.sorting.config import DETECTION_RADIUS_UM, NEIGHBOUR_PITCHES, SortingConfig
from ncpgui.sorting.enough_draws import SETTLED, rounds
from ncpgui.sorting.executors import MAX_WORKERS
from ncpgui.sorting.first_pass import PROPOSING_SPIKES
from ncpgui.sorting.lost_spikes import AMPLITUDE_SD
from ncpgui.sorting.neuron_probability import GOOD_FROM, NOISE_BELOW, PURE_FROM
from ncpgui.sorting.parts import ENOUGH, LEAST_TIMES, SHORT_CHANNEL_S
from tests.docs.printed import ROOT

CONFIG = SortingConfig()
NUMBERS = {
    2: "two",
    3: "three",
    4: "four",
    5: "five",
    6: "six",
    8: "eight",
    9: "nine",
    10: "ten",
    50: "fifty",
    100: "a hundred",
}


def in_words(number: float) -> str:
    """A small whole number as sentences say it."""
    return NUMBERS[int(number)]


def spaced(number: float) -> str:
    """A large number: thousands apart."""
    return f"{int(number):,}".replace(",", " ")


def percent(share: float) -> str:
    """A share as pages say it."""
    return f"{100 * share:g} %"


def default(function: object, name: str) -> object:
    """Default of an argument."""
    return signature(function).parameters[name].default  # type: ignore[arg-type]


def pinned(package: str) -> str:
    """The version of a package with which it is tested, without its last number."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    (version,) = re.findall(rf"^{package}==([\d.]+)", text, re.MULTILINE)
    return str(version).rpartition(".")[0]


def pythons() -> str:
    """``3.10 to 3.13``, from what setup.py requires."""
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    (first, after) = re.findall(r'python_requires=">=3\.(\d+),<3\.(\d+)"', text)[0]
    return f"3.{first} to 3.{int(after) - 1}"


def settings() -> list[str]:
    """Rows of the table of settings, each with its defaults."""
    low, high = DETECTION_RADIUS_UM
    together = {
        "highpass_hz": f"| `highpass_hz`, `lowpass_hz` | {CONFIG.highpass_hz:g}, {CONFIG.lowpass_hz:g} |",
        "lowpass_hz": "",
        "detection_radius_um": f"| `detection_radius_um` | {NEIGHBOUR_PITCHES} pitches, {low:g} to "
        f"{high:g} µm |",
        "neighbour_radius_um": "| `neighbour_radius_um`, `max_neighbours` | "
        f"{NEIGHBOUR_PITCHES} pitches, {CONFIG.max_neighbours} |",
        "max_neighbours": "",
        "model": "| `model` | the one that `ncpgui models` marks |",
    }
    rows = [
        together.get(field.name, f"| `{field.name}` | {_shown(field.default)} |") for field in fields(CONFIG)
    ]
    return [row for row in rows if row]


def _shown(value: object) -> str:
    if isinstance(value, float) and value >= 10:
        return f"{value:g}"
    return f'`"{value}"`' if isinstance(value, str) else str(value).lower()


def standard_error() -> str:
    """Of a probability of 50 %, in percent."""
    return f"{100 * np.sqrt(0.25 / CONFIG.posterior_samples):.1f} %"


def lost(threshold_sd: float) -> float:
    """Share of the spikes of a neuron of 6 noise sd that are below a threshold."""
    return NormalDist(6, float(np.hypot(1, 6 * AMPLITUDE_SD))).cdf(threshold_sd)


def gb(n_channels: int, seconds: float) -> str:
    """Size of filtered traces at 30 kHz."""
    size = n_channels * 30_000 * seconds * trace_cache.BYTES_A_SAMPLE / 1e9
    return f"{size:.1f} GB" if size < 10 else f"{size:.0f} GB"


def of_a_sorting() -> list[str]:
    """What `ncpgui sort` does by default, and its limits."""
    draws = CONFIG.posterior_samples
    assert round(5 * lost(5)) == 1
    assert round(10 * lost(CONFIG.threshold_sd)) == 1
    assert rounds(CONFIG) == [draws // 4, draws // 4, draws // 2]
    low, high = (f"{spaced(hz)}" for hz in SAMPLING_HZ)
    return [
        f"The default is {CONFIG.threshold_sd:g}.",
        f"below the threshold of {CONFIG.threshold_sd:g} noise sd",
        f"in noise sd ({CONFIG.threshold_sd:g}). Templates",
        f"A neuron of 6 sd loses a fifth of its spikes at 5, and a tenth at {CONFIG.threshold_sd:g}.",
        f"(MAD / {noise_levels.MAD_OF_NORMAL:.4f})",
        f"sees up to {CONFIG.spikes_per_group} spikes of the component",
        f"more than {CONFIG.spikes_per_group} spikes in a component | {CONFIG.spikes_per_group} are sampled",
        "a component of one unit has half as many",
        f"The first pass clusters at most {PROPOSING_SPIKES} spikes of a channel.",
        f"The network reads up to {MAX_CHANNELS}; more take longer.",
        f"a new model, for any layout of up to {MAX_CHANNELS} contacts",
        f"With {draws} samples, a probability of 50 % has a standard error of {standard_error()}.",
        f"over {in_words(N_ORDERS)} orders of the spikes; a quarter of them, or a half, if one sorting has "
        f"{percent(SETTLED)} of these. A probability of "
        f"0.5 has a standard error of {np.sqrt(0.25 / draws):.3f}, and",
        "by a quarter of their draws; such a question gets the others when you look at it.",
        f"*beam of {CONFIG.beam}, not a posterior*",
        f"(one shank, at least {motion.MIN_CONTACTS} contacts, depths with contacts at most "
        f"{motion.MAX_PITCH_UM:g} µm apart, at least {motion.MIN_DURATION_S:g} s and {motion.MIN_PEAKS} "
        f"large spikes) and if it moved over more than {motion.MIN_RANGE_UM:g} µm.",
        f"Recordings of more than {in_words(2 * STRETCH_S / 60)} minutes are compared with themselves in "
        f"stretches of {in_words(STRETCH_S / 60)} minutes.",
        f"on probes of at least {MIN_CHANNELS_FOR_REFERENCE} channels with a signal. This removes",
        f"The sampling frequency must be between {low} and {high} Hz.",
        f"by default one for each core, up to {in_words(MAX_WORKERS)}",
        f"A question has {in_words(MAX_UNITS)} units at most.",
        f"Units of fewer than {CONFIG.min_cluster_spikes} spikes (`min_cluster_spikes`)",
    ]


def of_long_reviews() -> list[str]:
    """What a review reads of a long recording."""
    assert SHORT_CHANNEL_S == 64 * 1800
    assert LEAST_TIMES == 2
    return [
        "recordings of up to 64 channels for half an hour",
        f"with about {ENOUGH} spikes or more of each unit",
        f"each unit has {ENOUGH} spikes in them",
    ]


def of_blanking() -> list[str]:
    """What is blanked and left out."""
    block = f"{1000 * blanking.BLOCK_S:g} ms"
    assert blanking.LOUD_SHARE == 2 / 3
    assert blanking.STILL_SHARE == 1 / 2
    return [
        f"for two thirds of {block}, the {block} are blanked.",
        f"less than {percent(noise_levels.DEAD_SHARE)} of the usual noise",
        f"more than {noise_levels.NOISY_SHARE:g} times the usual noise after the band-pass, on probes of "
        f"at least {noise_levels.MIN_CHANNELS_FOR_NOISY} channels with a signal",
        f"{block} in which most channels are beyond `artefact_sd` for two thirds of the time | set to "
        f"zero, with the {block} before and after",
        f"{block} in which most channels stay within {blanking.STILL_SD:g} noise sd for half of the time",
        f"set to zero on that channel, with {1000 * blanking.AROUND_NAN_S:g} ms before and after",
    ]


def of_probabilities() -> list[str]:
    """Definitions of probabilities, labels, and what counts as settled."""
    close = f"{REFRACTORY_MS[0]:g} to {REFRACTORY_MS[1]:g} ms"
    within = f"within {REFRACTORY_MS[1]:g} ms"
    hard = f"between {100 * HARD[0]:g} and {percent(HARD[1])}"
    level = percent(float(default(propagate, "level")))
    assert TOLERATED == 1 / 10
    assert MIN_JACCARD == MOSTLY == 1 / 2
    assert round(1 - np.sqrt(1 - DEPENDS_FROM), 3) == 1 / 10
    assert (LITTLE, SMALL_SD) == (1 / 5, 4)
    assert AGREES == 4 / 5
    assert round(LARGE_ERROR, 1) == 0.1
    return [
        "at least nine of ten spikes of the unit come from its cell",
        "at least nine of ten spikes of the cell are in the unit",
        "at most one spike in ten comes from another cell; at most one in ten of its cell is missing",
        "at most one in ten of its spikes comes from another cell",
        "at most one in ten spikes of its cell is missing",
        "(but for a tenth of its spikes)",
        f"at least {percent(AGREES)} of the spikes of both in common",
        "if they have more than half of the spikes of both in common",
        f"If more than one spike in ten, and more than {in_words(FEW_LEFT)}, would still be wrong",
        f"`noise` | P(neuron) is below {NOISE_BELOW} |",
        f"`mua` | P(neuron) is below {GOOD_FROM}, or P(pure) below {PURE_FROM}:",
        f"if P(exists) is below {MORE_PROBABLY} and no card settles",
        within,
        within.capitalize(),
        f"Two spikes {close} apart.",
        f"({close} apart)",
        f"how many pairs of spikes are {close} apart",
        f"intervals under {ISI_MS:g} ms",
        f"With two to {in_words(MOST_MERGED)} units selected",
        f"(fewer than {FEW_DRAWS:g})",
        f"While {FEW_DRAWS:g} samples or more are left",
        f"with which fewer than {in_words(TOO_FEW_DRAWS)} samples agree",
        f"The sorting in use has at least {percent(open_.SURE)}, or more than {percent(open_.LIKELY)} and "
        f"fewer than {open_.MANY_WRONG:g} expected wrong spikes. Less than {percent(open_.WRONG_SHARE)} "
        "of the spikes are expected to be wrong. Each unit has a P(exists) of at least "
        f"{percent(MORE_PROBABLY)} and a P(right) of at least {percent(open_.RIGHT)}.",
        "an error is 10 % or more",
        "is at most 4 noise sd deep",
        f"it has under {FEW * CONFIG.min_cluster_spikes} spikes",
        "no unit loses a fifth of its spikes",
        "is expected to narrow its band by a tenth",
        f"(at least {percent(LEAST_JACCARD)} in common)",
        f"most probable sorting is less than {percent(OPEN_UNDER)} probable",
        hard,
        f"an interval of {level}",
        f"intervals of {level}",
        f"Intervals of {level} contain",
        f"{level}, from {N_DRAWS} draws",
        f"in {in_words(N_DRAWS)} draws",
    ]


def of_the_window() -> list[str]:
    """Sizes and scales of panels."""
    (wide, features) = IF_WIDE["decide"]
    events, pairs = EventWindow(), Scale()
    assert IF_WIDE["inspect"][wide] == ("waveforms", "units")
    return [
        f"the scale bar is {SCALE_BAR_SD:g} noise sd",
        f"The scale bar is {SCALE_BAR_SD:g} noise sd",
        f"if the window is at least {wide} pixels wide, and **features**, from {features} pixels on",
        f"**Waveforms** and **units**, if the window is at least {wide} pixels wide.",
        f"*{events.words}*",
        f"*{pairs.words}*",
        f"The filtered traces {HALF_MS:g} ms to either side of a spike",
        "The window begins with a tour of three steps",
    ]


def of_files() -> list[str]:
    """Formats, versions, sizes, codes."""
    left_free, most = trace_cache.LEFT_FREE_BYTES / 1e9, trace_cache.MAX_CACHE_BYTES / 1e9
    each, an_hour = trace_cache.BYTES_A_SAMPLE, 3600
    n_linear, n_hex = (load_probe(name).n_channels for name in ("linear-16-25", "hex49"))
    pitch = load_probe("linear-16-25").pitch_um
    return [
        f"({pythons()})",
        f"spikeinterface-gui {pinned('spikeinterface-gui')} shows the questions",
        f"an accuracy of {WELL_DETECTED} or more",
        f"at most {most:.0f} GB",
        f"Half of the free disk, or {left_free:.0f} GB, stays free.",
        f"{each} bytes for each sample and channel, like a raw file of {8 * each} bits",
        f"({each} bytes for each sample and channel): {384 * 30e3 * each / 1e6:.0f} MB a second for 384 "
        f"channels at 30 kHz, or {gb(384, an_hour)} an hour",
        f"| 64 | {gb(64, 600)} | {gb(64, an_hour)} |",
        f"| 384 | {gb(384, 600)} | {gb(384, an_hour)} |",
        "| channels | 10 minutes at 30 kHz | an hour |",
        f"(a hexagonal array of {n_hex} contacts), `linear-16-25` ({n_linear} contacts, {pitch:g} µm apart)",
        f"contacts closer than {LEAST_PITCH_UM:g} µm",
        f"larger than 2^{LARGEST_UNIT.bit_length() - 1} get a number",
        f"ncpgui assumes {spaced(USUAL_HZ)} samples a second",
        f"Otherwise it is {UNKNOWN_START:%Y-%m-%d}, and times",
        f"says where, and exits with {EXIT_INPUT}.",
        f"standard error and exits with {EXIT_INPUT}.",
        f"the exit code is {EXIT_CANCELLED}.",
        f"| {EXIT_INPUT} | the command could not be done",
        f"| {EXIT_CANCELLED} | stopped by Ctrl-C",
        "| 0 | done |",
        "| 1 | `ncpgui doctor` found",
        f"the first column with 2 to {MOST_KINDS} different values",
        f"Files of up to {MOST_BYTES / 2**30:.0f} GiB are read.",
        f"The network reads {N_SAMPLES} samples at {SAMPLING_FREQUENCY_HZ / 1000:g} kHz, with the trough "
        f"at sample {TROUGH_SAMPLE};",
        f"optional: {spaced(SAMPLING_FREQUENCY_HZ)} when left out",
        f"Up to {STEADY:g} is usual; from {SHAKY:g} on do not rely on the probabilities",
        f"a retina under {n_hex} contacts",
        f"{'one minute' if DemoSettings().duration_s == 60 else '?'} of a retina",
    ]


def of_training() -> list[str]:
    """Lengths of runs."""
    long, full, gpu = (PRESETS[name].config.minutes for name in ("spikes-long", "spikes", "spikes-gpu"))
    assert TrainConfig().save_minutes == 1
    return [
        f"the run of the tutorial | {long:g} min |",
        f"with and without times | {full:g} min |",
        f"the same on a GPU | {gpu:g} min |",
        f"trains the shipped network further for {long:g} minutes",
        f"units of fewer than {default(measure_templates, 'min_spikes')} spikes",
        "writes the weights half way between two models",
    ]


def phrases() -> list[str]:
    """All phrases whose figures the program itself says."""
    parts = (
        settings, of_a_sorting, of_long_reviews, of_blanking, of_probabilities, of_the_window, of_files,
        of_training,
    )  # fmt: skip
    return [phrase for part in parts for phrase in part()]
