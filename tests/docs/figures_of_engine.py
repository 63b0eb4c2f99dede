"""Phrases of the pages with the settings of trainings and the numbers of networks, samplers and checks."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ncpgui.core.order_agreement import N_ORDERS
from ncpgui.core.waveform_format import MAX_CHANNELS, N_SAMPLES, SAMPLING_FREQUENCY_HZ, TROUGH_SAMPLE
from ncpgui.engine.diagnostics.calibration import HARD
from ncpgui.engine.diagnostics.evaluate import Amount
from ncpgui.engine.diagnostics.importance import PARETO_LIMIT
from ncpgui.engine.generative import digit_images
from ncpgui.engine.generative.digit_mixture import DigitMixtureSettings
from ncpgui.engine.generative.equivalent_sources import MAX_SOURCES
from ncpgui.engine.generative.finite_templates import FiniteSpikesSettings
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMMSettings
from ncpgui.engine.generative.measured_cells import TEST_SHARE
from ncpgui.engine.generative.motion import MotionSettings
from ncpgui.engine.generative.particle_tracks import ParticleTracksSettings
from ncpgui.engine.generative.spike_mixture import SpikeMixtureSettings
from ncpgui.engine.generative.spike_noise import NoiseSettings
from ncpgui.engine.generative.spike_times import SpikeTimeSettings
from ncpgui.engine.generative.template_reservoir import RESERVOIR_SAMPLES
from ncpgui.engine.generative.unit_templates import UnitSettings
from ncpgui.engine.networks import (
    cluster_aware_ncp,
    density,
    image_encoder,
    moving_clusters,
    neighbours_in_time,
    npt,
    point_attention,
    principal_components,
    seen_way,
)
from ncpgui.engine.sampling import sweeps
from ncpgui.engine.sampling.clusterwise import log_prob_estimate
from ncpgui.engine.training import easy_sets
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.presets import PRESETS
from ncpgui.engine.training.validation import EASY_MARGIN
from ncpgui.ephys import measured_templates, noise_statistics
from tests.docs.figures_of_the_program import default, in_words, spaced
from tests.docs.printed import ROOT

SETTINGS: dict[str, tuple[str, type]] = {
    "`gauss2d`": ("", GaussianDPMMSettings),
    "`particles`": ("", ParticleTracksSettings),
    "`spikes`": ("", SpikeMixtureSettings),
    "units.": ("units", UnitSettings),
    "noise.": ("noise", NoiseSettings),
    "motion.": ("motion", MotionSettings),
    "times.": ("times", SpikeTimeSettings),
}
ROW = re.compile(r"^(\| (`[^|]*`) \| ([^|]*) \|)", re.MULTILINE)
NUMBER = re.compile(r"\d[\d.]*(?:e-\d+)?")


def flat(value: object) -> Iterator[float]:
    """Numbers of a setting; none of a text or a switch."""
    if isinstance(value, tuple):
        for one in value:
            yield from flat(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def defaults() -> list[str]:
    """Names and defaults of the rows of settings whose numbers are those of the program."""
    text = (ROOT / "docs" / "method" / "training_settings.md").read_text(encoding="utf-8")
    found = []
    for row, names, values in ROW.findall(text):
        for owner in (TrainConfig, *(kind for _, kind in SETTINGS.values())):
            own = [getattr(owner, name.rpartition(".")[2], None) for name in re.findall(r"`([^`]*)`", names)]
            stated = [float(number) for number in NUMBER.findall(values.partition(";")[0])]
            if stated and stated == [number for value in own for number in flat(value)]:
                found.append(" ".join(row.split()))
                break
    return found


def preset(name: str) -> TrainConfig:
    """Settings of a ready-made run."""
    return PRESETS[name].config


def of_settings() -> list[str]:
    """What the pages say of settings beside their defaults."""
    orders, alpha, paper = preset("gauss2d-orders"), preset("gauss2d-alpha07"), preset("paper-spikes-hex7")
    gauss, digits = preset("gauss2d"), preset("digits")
    fits = {name: one.config.temperature_datasets for name, one in PRESETS.items()}
    spikes, finite, small = SpikeMixtureSettings(), FiniteSpikesSettings(), UnitSettings().small_amplitude_sd
    assert [name for name, n in fits.items() if n] == ["spikes-long"]
    assert alpha.data.options["alpha"] == 0.7
    assert (gauss.learning_rate, digits.weight_decay, paper.learning_rate) == (2e-3, 1e-2, 1e-4)
    assert UnitSettings.p_small == 1 / 2
    tracks = ParticleTracksSettings()
    alive = tracks.appearance_rate * tracks.lifetime
    step = tracks.drift * math.sqrt(alive * tracks.mean_gap)
    assert step == tracks.spread / 10 == 1
    return [
        "2e-3 for 2D Gaussians",
        "have the paper's 1e-4.",
        f"1e-2 for digits, of which there are {digit_images._N_SMALL_TRAIN}.",
        f"learns {digit_images._N_SMALL_TRAIN} images by heart",
        f"`temperature_datasets` | 0; {fits['spikes-long']} in `spikes-long` |",
        f"{orders.order_penalty:g} with {in_words(orders.n_orders)} orders in `gauss2d-orders`",
        f"{gauss.validate_datasets} of {gauss.validate_points} points for 2D Gaussians, "
        f"{digits.validate_datasets} for digits.",
        "as in the paper's Geweke test (0.7)",
        "$\\alpha = 0.7$, as in the preset `gauss2d-alpha07`",
        f"| `p_hash`, `hash_amplitude_sd` | {spikes.p_hash[1]:g}, {spikes.hash_amplitude_sd[0]:g}–"
        f"{spikes.hash_amplitude_sd[1]:g} |",
        f"`pitch_um` ({finite.pitch_um:g}), `n_templates` ({finite.n_templates}, as many",
        f"`n_shifts` ({finite.n_shifts}) and `seed` ({finite.seed}, for",
        f"living particles: {in_words(alive)}, enough",
        f"({in_words(alive)} units of time) a particle moves by {step:g}, a tenth of the spread",
        f"half are small ({small[0]:g} to {small[1]:g} noise sd)",
        f"{paper.n_datasets} sets of {paper.n_points[0]} to {paper.n_points[1]} spikes a step, "
        f"{spaced(paper.steps)} steps)",
        f"from nothing, for {TrainConfig().minutes:g} minutes by default",
        f"designed for {preset('spikes-gpu').minutes:g} minutes, and",
        f"training of the shipped model for {preset('spikes-long').minutes:g} minutes",
    ]


def of_training() -> list[str]:
    """Constants of a training, and what the last stretches were given."""
    least, most = easy_sets._N_SPIKES[0], easy_sets._N_SPIKES[-1]
    runs = {
        name: (ROOT / "trained_models" / "runs" / f"{name}.toml").read_text(encoding="utf-8")
        for name in (
            "spikes-seeing",
            "spikes-times",
            "spikes-times-all",
            "spikes-times-tired",
            "spikes-times-apart",
            "spikes-times-hash",
        )
    }
    card = json.loads((ROOT / "trained_models" / "spikes.json").read_text(encoding="utf-8"))
    blocks = card["architecture"]["network_options"]["attention"]
    deep = card["started_from"]
    to_points = deep["training"]["n_points_end"][1]
    moving, told = ("\np_moving = 0.7\n", "\np_told = 0.7\n")
    assert moving in runs["spikes-times"]
    assert told in runs["spikes-times-all"]
    assert "\np_told = 0.5\n" in runs["spikes-seeing"]
    assert "p_hash = [0.0, 0.4]" in runs["spikes-times-tired"]
    assert "p_hash = [0.0, 0.9]" in runs["spikes-times-hash"]
    assert "p_noise_cluster = 0.6" in runs["spikes-times-hash"]
    assert "p_near = 0.3" in runs["spikes-times-apart"]
    assert "k_rate = 1.1" in runs["spikes-times-apart"]
    assert UnitSettings.p_near == 0.45
    with np.load(ROOT / "resources" / "template_reservoir.npz") as file:
        n_cells = len(file["is_test"])
    lags_ms = 1000 * noise_statistics.N_LAGS / SAMPLING_FREQUENCY_HZ
    khz = f"{SAMPLING_FREQUENCY_HZ / 1000:g}"
    return [
        f"sets of 1 to 12 units, 6 to 40 noise sd apart, of {least} to {most} spikes",
        f"is at most {EASY_MARGIN} below that of the weights kept so far, or if this index is more than "
        f"{EASY_MARGIN} above it",
        f"over {in_words(N_ORDERS)} orders and with sweeps as in the window",
        f"Up to {measured_templates.MAX_SPIKES} spikes of a unit are used, on the contacts within "
        f"{measured_templates.REACH_UM:g} µm",
        f"their median, {RESERVOIR_SAMPLES} samples at {khz} kHz",
        f"a trough under {default(measured_templates.measure_templates, 'min_trough_sd'):g} noise sd",
        f"has the {n_cells} shipped cells",
        f"One in {in_words(1 / TEST_SHARE)} of yours is kept",
        f"nor one over {noise_statistics.CROSSING_SD:g} sd. These samples give the autocorrelation up to "
        f"{lags_ms:g} ms",
        "Seven of ten of its datasets move.",
        "with times in seven of ten datasets",
        "overlap up to 40 % of the spikes of a dataset",
        "which overlaps up to 90 % of the spikes of a dataset, with clusters of noise in 60 % of the "
        "datasets",
        "Half of the sets have no times",
        "fewer units (1 + Poisson(1.1)), of which 30 % and not 45 % are near",
        f"`spikes-deep` has {in_words(blocks)} blocks of attention in place of two",
        f"whose sets have up to {to_points} spikes",
        f"{deep['steps']} steps of {deep['training']['n_datasets']} sets of up to {to_points} spikes, in "
        f"{deep['minutes']:.0f} minutes on a GPU",
        f"{card['steps']} steps of {card['training']['n_datasets']} sets of up to "
        f"{card['training']['n_points_end'][1]} spikes, in {card['minutes']:.0f} minutes on a GPU",
        f"are `spikes-deep` and `spikes-bursts`, {deep['minutes']:.0f} and {card['minutes']:.0f} minutes on "
        "an H100",
        f"scores the first {TrainConfig().beginning_points} points of further orders",
    ]


def of_networks() -> list[str]:
    """Sizes and scales of networks."""
    compared = principal_components._MOST_COMPARED
    rates = default(npt.ClusterAwareNPT, "rates")
    assert isinstance(rates, tuple)
    first, last = (", ".join(f"{rate:g}" for rate in rates[:-1]), f"{rates[-1]:g}")
    images = image_encoder.ImageEncoder
    maps = default(images, "channels")
    assert density.NEIGHBOURS == (2, 6, 15)
    return [
        f"more than {compared} points, {compared} of them, evenly spaced",
        f"Each of {in_words(len(point_attention._REACHES))} heads weighs",
        "second, sixth and fifteenth neighbour on twelve axes",
        f"looks at the {in_words(neighbours_in_time.N_NEIGHBOURS)} points before it in time",
        "from {:g} to {:g} ms at first".format(*neighbours_in_time._FORGOTTEN_MS),
        "scores $s$ on twelve axes in white noise" if cluster_aware_ncp._SEEN_SCORES == 12 else "?",
        "in twenty windows of time" if moving_clusters.N_WINDOWS == 20 else "?",
        f"cut into up to {seen_way._WINDOWS[1]} windows of at least {seen_way._SPIKES} spikes",
        f"Only the nearest {100 * seen_way._NEAREST_PART:g} % of the spikes count",
        f"is less than {seen_way.SEEN} times as long",
        f"{in_words(len(rates))} by default: {first} and {last} per unit of time. Each rate has a quarter",
        "trained on up to twelve contacts" if MAX_CHANNELS == 12 else "?",
        f"kernel {default(images, 'kernel')}, {maps[0]} and {maps[1]} maps",  # type: ignore[index]
        "For 8 x 8 pixels: kernel 3, 32 and 64 maps",
        f"were subtracted: {N_SAMPLES} samples at {SAMPLING_FREQUENCY_HZ / 1000:g} kHz on up to "
        "twelve contacts",
        f"the trough is at sample {TROUGH_SAMPLE}.",
    ]


def of_generators() -> list[str]:
    """Numbers of generative models."""
    with np.load(ROOT / "resources" / "template_reservoir.npz") as file:
        kinds, n_test = file["kind"].astype(str), int(file["is_test"].sum())
    n_parametric = int((kinds == "parametric").sum())
    n_biophysical = len(kinds) - n_parametric
    interneurons = np.mean(kinds[kinds != "parametric"] == "interneuron")
    assert round(interneurons, 1) == 0.1
    finite, spikes, units = FiniteSpikesSettings(), SpikeMixtureSettings(), UnitSettings()
    tracks = ParticleTracksSettings()
    n_means = finite.n_templates * 12
    assert spikes.p_unbalanced == 0.3
    assert units.p_near == 0.45
    assert (units.p_one_type, units.p_alike) == (0.35, 0.35)
    assert SpikeTimeSettings().p_thinned == 1 / 2
    assert (DigitMixtureSettings().alpha, digit_images.N_CLASSES) == (1, 10)
    alive = tracks.appearance_rate * tracks.lifetime
    seen = tracks.lifetime / (alive * tracks.mean_gap)
    reach, small = MotionSettings().reach_um[1], digit_images._N_SMALL_TRAIN
    e_um = 60 / math.log(80 / 20)
    return [
        "CRP, at most 10 clusters",
        f"at most {spikes.k_max}. In a share",
        f"(`p_flat`, {spikes.p_flat:g} by default)",
        "in three of ten datasets $\\mathrm{Dirichlet}",
        f"computed from {n_parametric} parametric and {n_biophysical} biophysical cells",
        f"{n_parametric} parametric and {n_biophysical} biophysical cells (`resources/`, how they are made); "
        f"{n_test} of these cells are kept",
        "Nearly half of the further units are near",
        f"all units are {units.apart_sd[0]:g} noise sd apart and more (`p_apart`, "
        f"{units.p_apart:g} by default)",
        "In a third of the datasets all units are copies of",
        f"move together by up to {reach:g} µm",
        f"(`p_tiring`, {SpikeTimeSettings().p_tiring:g} by default)",
        "Half of the datasets have only a part of the",
        f"(`p_hash`, {spikes.p_hash[1]:g} by default)",
        f"`n_templates` = {finite.n_templates} cells",
        f"`n_shifts` = {finite.n_shifts} shifts",
        f"{spaced(n_means)} for the hexagon, which makes {spaced(n_means * finite.n_shifts)} means",
        f"That is rare with {spaced(n_means)} templates, and common with ten.",
        f"8 x 8 | {small} / {1797 - small}, always the same",
        f"particles are alive on average, {in_words(alive)} by default",
        f"is seen every {in_words(alive * tracks.mean_gap)} units of time on average, and "
        f"{in_words(seen)} times in its life",
        f"It has {n_biophysical} biophysical and {n_parametric} parametric cells",
        f"that of {MAX_SOURCES} sources",
        "in the end a tenth of the stored cells are of this kind",
        f"falls by a factor of e over {e_um:.1f} µm on average between 20 and 80 µm",
        f"(a dipole) does so over {e_um / 2:.1f} µm",
    ]


def of_cells() -> list[str]:
    """How cells are made, from the scripts that make and draw them."""
    scripts = {
        name: (ROOT / "scripts" / f"{name}.py").read_text(encoding="utf-8")
        for name in (
            "build_template_reservoir",
            "build_biophysical_reservoir",
            "cable_cells",
            "draw_reservoir",
        )
    }
    tested = (ROOT / "tests/engine/generative/test_biophysical_reservoir.py").read_text(encoding="utf-8")
    fitted = (ROOT / "tests/engine/generative/test_equivalent_sources.py").read_text(encoding="utf-8")
    assert "assert np.median(error) < 0.01" in tested
    assert "assert np.quantile(error, 0.9) < 0.03" in tested
    assert "assert np.median(fitted) < 0.03" in fitted
    assert "NEAR_UM, N_DIRECTIONS = 15.0, 10" in scripts["draw_reservoir"]
    assert "far = np.array([20.0, 30.0, 40.0, 55.0, 80.0])" in scripts["draw_reservoir"]
    assert "N_SOURCES = 7" in scripts["build_template_reservoir"]
    assert "100-300 segments are replaced by" in scripts["build_biophysical_reservoir"]
    assert "(trough to peak 0.1-1.2 ms, extent 10-150 um)" in scripts["build_biophysical_reservoir"]
    return [
        "A cell has at most seven sources",
        "A cell has 100–300 segments.",
        "the template is off by less than 1 % of its norm in half of the cells, and by less than 3 % in nine "
        "of ten",
        "measured 15 µm from the soma, in ten random directions",
        "along the same directions, from 20 to 80 µm",
        "with an extent of 10–150 µm and a time from trough to peak of 0.1–1.2 ms, seen from 10 µm",
        "(tests ask for an error of 3 % of its norm in the median, 15 % at most)",
    ]


def of_sampling() -> list[str]:
    """Constants of samplers."""
    assert sweeps._AT_ONCE == 1 / 16
    assert sweeps._VOTERS == 50
    prior = default(log_prob_estimate, "from_prior")
    assert isinstance(prior, float)
    assert prior == pytest.approx(1 / 5)
    return [
        "with this point in fifty draws of the other half of the draws",
        "By default four in five draws come from $q(z",
        "so no weight exceeds five times the likelihood",
        f"at most {sweeps._MOST_AT_ONCE}, and one at a time if there are fewer than {2 / sweeps._AT_ONCE:g}",
    ]


def of_checks() -> list[str]:
    """How much `ncpgui evaluate` draws, and its targets."""
    amount = Amount()
    sizes = [n for n, _ in amount.geweke]
    points = amount.last_point_points
    rows: dict[str, Any] = {
        row["what"]: row["target"]
        for row in json.loads(
            (ROOT / "benchmarks/results/evaluation/gauss2d.evaluation.json").read_text(encoding="utf-8")
        )["summary"]
    }
    kl = rows["exact posterior: mean KL, nats"]
    assert (amount.exact_points, amount.orders, N_ORDERS) == (8, 8, 8)
    return [
        '"mean KL over 4 orders". The samplers take eight orders.',
        f"(Pareto k above {PARETO_LIMIT})",
        f"above {PARETO_LIMIT}: do not trust the weights",
        f"`pareto_k` above {PARETO_LIMIT}, of those",
        f"is scored in {in_words(amount.orders)} orders",
        f"it falls with $M$ ({amount.order_datasets} here, as the paper's minibatch) | 0; target "
        f"{rows['order of the points: sd / mean of the NLL']}",
        f"spread their draws over {in_words(N_ORDERS)} orders",
        f"the mean over {in_words(N_ORDERS)} orders divides them by {math.sqrt(N_ORDERS):.1f}",
        f"in {amount.calibration_datasets} datasets, $p_{{ij}}$ is the share of {amount.calibration_samples} "
        "draws",
        f"${HARD[0]} < p_{{ij}} < {HARD[1]}$",
        f"target {rows['hard pairs: calibration error']} on hard pairs",
        f"With eight points there are {spaced(4140).replace(' ', '')} partitions",
        f"`mean_kl` (target {kl}) is for one order",
        f"averaged over {in_words(amount.exact_orders)} orders (the samplers take {in_words(N_ORDERS)})",
        f"With a KL of {kl}, $q/p$ of a clustering drawn from $p$ has the geometric mean "
        f"$e^{{-{kl}}} = {math.exp(-kl):.2f}$",
        f"datasets of {points[0]}, {points[1]} and {points[2]} points (CCP: fewer datasets, of {points[0]} "
        f"and {points[1]}); the target is {rows['last point: mean error']}.",
        f"for {sizes[0]} to {sizes[-1]} points",
        f"`total_variation_k` (target {rows['Geweke, 30 points: total variation of K']} for 30 points)",
        f"of the prior (target: within {rows['Geweke, 30 points: mean K off by']})",
        f"uses the {FiniteSpikesSettings().n_templates} templates",
        "in ten bins of equal numbers of pairs",
        "past two clusters of 20 points",
    ]


def phrases() -> list[str]:
    """All of them."""
    parts = (
        defaults, of_settings, of_training, of_networks, of_generators, of_cells, of_sampling, of_checks,
    )  # fmt: skip
    return [phrase for part in parts for phrase in part()]
