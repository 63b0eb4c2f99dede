"""Everything of a simulated recording but its traces: cells, stimulus, templates, spikes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe
from ncpgui.core.seeds import stream
from ncpgui.core.spikes import Sorting
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys import retina
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.spike_shapes import draw_shape, potential

BEFORE_MS, AFTER_MS = 1.2, 2.8
PHASES = 16
MIN_STIMULUS_MARGIN_UM = 80.0
SORTING_BAND_HZ = (300.0, 6000.0)


@dataclass(frozen=True)
class RetinaSettings:
    """What is simulated.

    probe : name or file (`probes.load_probe`); n_cells : None = two for every three contacts, at
    least 4; n_twins : pairs of an ON and an OFF midget at one place with nearly the same waveform,
    which a sorter may take for one cell, None = one for every ten cells; twin_distance_sd : norm of
    the difference of their templates, noise sd, of the first and the last pair; amplitudes are
    troughs on the best contact in noise sd of the band 300-6000 Hz, log-normal around
    `amplitude_median_sd` within the two limits; gain : of the exponential nonlinearity; noise_uv :
    noise sd; gain_uv : µV of one step of the int16 samples.
    """

    duration_s: float = 100.0
    sampling_frequency_hz: float = 20_000.0
    probe: str = "hex49"
    n_cells: int | None = None
    n_twins: int | None = None
    twin_distance_sd: tuple[float, float] = (14.0, 18.0)
    mean_rate_hz: float = 9.0
    amplitude_median_sd: float = 9.0
    amplitude_spread: float = 0.45
    min_amplitude_sd: float = 4.0
    max_amplitude_sd: float = 25.0
    amplitude_variation: float = 0.04
    burst_attenuation: float = 0.15
    stimulus_side_px: int = 16
    frame_rate_hz: float = 30.0
    stimulus_start_s: float = 0.5
    response_gain: float = 1.3
    noise_uv: float = 10.0
    noise_length_um: float = 60.0
    noise_shared: float = 0.5
    gain_uv: float = 0.195


@dataclass(frozen=True)
class SimulationPlan:
    """What the traces are made from.

    times : (n,) float, s, in order, between samples; units : (n,) cell; scale : (n,) factor of the
    amplitude; templates : (n_cells, PHASES, T, n_channels) noise sd, the trough at row `before`;
    cells : arrays by name, one row a cell.
    """

    settings: RetinaSettings
    seed: int
    probe: Probe
    n_samples: int
    times: NDArray[np.float64]
    units: NDArray[np.int64]
    scale: NDArray[np.float32]
    templates: NDArray[np.float32]
    stimulus: Stimulus
    receptive_fields: NDArray[np.float64]
    cells: dict[str, NDArray[Any]]

    @property
    def before(self) -> int:
        """Rows of a template before its trough."""
        return round(BEFORE_MS * self.settings.sampling_frequency_hz / 1000)

    @property
    def truth(self) -> Sorting:
        """Every spike, at the nearest sample to its trough on the best contact."""
        rate = self.settings.sampling_frequency_hz
        return Sorting(
            sample_index=np.clip(np.round(self.times * rate).astype(np.int64), 0, self.n_samples - 1),
            unit_id=self.units,
            sampling_frequency_hz=rate,
            n_samples=self.n_samples,
            main_channel={i: int(c) for i, c in enumerate(self.cells["main_channel"])},
        )


def plan_simulation(settings: RetinaSettings, *, seed: int) -> SimulationPlan:
    """Draw cells, stimulus and spikes.

    Raises
    ------
    InputError
        Settings that make no sense.
    """
    probe = load_probe(settings.probe)
    _check(settings)
    rate = settings.sampling_frequency_hz
    n_samples = round(settings.duration_s * rate)
    cells = _with_twins(settings, _cells(settings, probe, stream(seed, "cells")), stream(seed, "twins"))
    stimulus = _stimulus(settings, probe, stream(seed, "stimulus"))
    fields, courses, cells = _fields(settings, cells, stimulus, probe, stream(seed, "fields"))
    templates, cells = _templates(settings, probe, cells, stream(seed, "templates"))
    times, units, scale = _spikes(settings, cells, stimulus, fields, courses, seed)
    return SimulationPlan(
        settings, seed, probe, n_samples, times, units, scale, templates, stimulus, fields, cells
    )


def _check(settings: RetinaSettings) -> None:
    for name in (
        "duration_s",
        "sampling_frequency_hz",
        "mean_rate_hz",
        "frame_rate_hz",
        "noise_uv",
        "gain_uv",
    ):
        value = getattr(settings, name)
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"{name} of a simulation must be positive, got {value}")
    if settings.sampling_frequency_hz < 14_000:
        raise InputError(
            f"sampling_frequency_hz must be at least 14000 to hold spikes of up to 6 kHz, "
            f"got {settings.sampling_frequency_hz:g}"
        )
    if settings.n_cells is not None and settings.n_cells < 1:
        raise InputError(f"n_cells must be at least 1, got {settings.n_cells}")
    if not 0 < settings.min_amplitude_sd <= settings.max_amplitude_sd:
        raise InputError("amplitudes need 0 < min_amplitude_sd <= max_amplitude_sd")
    if settings.n_twins is not None and settings.n_twins < 0:
        raise InputError(f"n_twins must not be negative, got {settings.n_twins}")
    if settings.stimulus_side_px < 2:
        raise InputError(f"stimulus_side_px must be at least 2, got {settings.stimulus_side_px}")


def _cells(settings: RetinaSettings, probe: Probe, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """Types in equal proportions on each seed, each a mosaic of its own over the array."""
    n_cells = settings.n_cells or max(4, round(probe.n_channels * 2 / 3))
    margin = 0.35 * probe.pitch_um or 20.0
    low, high = probe.positions_um.min(axis=0) - margin, probe.positions_um.max(axis=0) + margin
    ends = np.round(np.cumsum([t.share for t in retina.CELL_TYPES]) * n_cells).astype(int)
    counts = np.diff(np.concatenate([[0], ends]))
    positions = np.concatenate([retina.mosaic(rng, n, low, high) for n in counts])
    kind = np.repeat(np.arange(len(counts)), counts)
    factor = np.array([retina.CELL_TYPES[k].amplitude_factor for k in kind])
    amplitude = (
        settings.amplitude_median_sd * factor * np.exp(settings.amplitude_spread * rng.normal(size=len(kind)))
    )
    rate = settings.mean_rate_hz * np.exp(0.35 * rng.normal(size=len(kind)))
    return {
        "unit_id": np.arange(len(kind)),
        "kind": kind,
        "type": np.array([retina.CELL_TYPES[k].name for k in kind]),
        "position_um": positions,
        "amplitude_sd": np.clip(amplitude, settings.min_amplitude_sd, settings.max_amplitude_sd),
        "rate_hz": rate,
    }


def _with_twins(
    settings: RetinaSettings, cells: dict[str, NDArray[Any]], rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Move the faintest OFF midgets to ON midgets of middling amplitude: adds twin_of, -1 = none.

    Their receptive fields have opposite signs, so that these settle what the waveforms leave open.
    """
    n_twins = len(cells["unit_id"]) // 10 if settings.n_twins is None else settings.n_twins
    on, off = (np.flatnonzero(cells["type"] == name) for name in ("ON midget", "OFF midget"))
    amplitude, position = cells["amplitude_sd"].copy(), cells["position_um"].copy()
    middling = on[np.argsort(np.abs(amplitude[on] - settings.amplitude_median_sd), kind="stable")]
    faintest = off[np.argsort(amplitude[off], kind="stable")]
    twin_of = np.full(len(amplitude), -1)
    for first, second in zip(middling[:n_twins], faintest[:n_twins], strict=False):
        twin_of[second] = first
        position[second] = position[first] + rng.normal(0.0, 3.0, 2)
        amplitude[second] = amplitude[first] * rng.uniform(0.9, 1.0)
    return {**cells, "position_um": position, "amplitude_sd": amplitude, "twin_of": twin_of}


def _stimulus(settings: RetinaSettings, probe: Probe, rng: np.random.Generator) -> Stimulus:
    extent = float(np.ptp(probe.positions_um, axis=0).max()) + 2 * MIN_STIMULUS_MARGIN_UM
    shown = max(0.0, settings.duration_s - settings.stimulus_start_s)
    return retina.white_noise(
        rng,
        n_frames=max(1, int(shown * settings.frame_rate_hz)),
        side_px=settings.stimulus_side_px,
        first_sample=round(
            min(settings.stimulus_start_s, settings.duration_s / 2) * settings.sampling_frequency_hz
        ),
        samples_per_frame=settings.sampling_frequency_hz / settings.frame_rate_hz,
        pixel_um=extent / settings.stimulus_side_px,
    )


def _fields(
    settings: RetinaSettings,
    cells: dict[str, NDArray[Any]],
    stimulus: Stimulus,
    probe: Probe,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, NDArray[Any]]]:
    """Spatial and temporal filters, centred near the soma of each cell (image over the array)."""
    middle = (probe.positions_um.min(axis=0) + probe.positions_um.max(axis=0)) / 2
    side, pixel = settings.stimulus_side_px, stimulus.pixel_um
    jitter = rng.normal(0.0, 8.0, cells["position_um"].shape)
    centre = (cells["position_um"] + jitter - middle) / pixel + (side - 1) / 2
    fields, ellipses, courses = [], [], []
    for kind, place in zip(cells["kind"], centre, strict=True):
        cell_type = retina.CELL_TYPES[kind]
        field, ellipse = retina.spatial_filter(rng, cell_type, centre_px=place, pixel_um=pixel, side_px=side)
        fields.append(field)
        ellipses.append(ellipse)
        courses.append(retina.temporal_filter(rng, cell_type, frame_ms=1000 / settings.frame_rate_hz))
    more = {
        "field_centre_px": centre,
        "field_ellipse_px": np.array(ellipses),
        "time_course": np.array(courses),
    }
    return np.array(fields), np.array(courses), {**cells, **more}


def _templates(
    settings: RetinaSettings, probe: Probe, cells: dict[str, NDArray[Any]], rng: np.random.Generator
) -> tuple[NDArray[np.float32], dict[str, NDArray[Any]]]:
    """Waveforms at `PHASES` places between samples: (n_cells, PHASES, T, C), noise sd.

    Time 0 is the trough on the best contact; after the usual band-pass its depth is amplitude_sd.
    """
    rate = settings.sampling_frequency_hz / 1000
    grid = np.arange(-round(BEFORE_MS * rate), round(AFTER_MS * rate) + 1) / rate
    fine = np.arange(-0.5, 1.0, 0.002)
    angle = rng.uniform(0, 2 * np.pi)
    templates, main = [], []
    for place, amplitude in zip(cells["position_um"], cells["amplitude_sd"], strict=True):
        shape, offsets = draw_shape(rng, axon_angle_rad=angle), probe.positions_um - place
        fine_potential = potential(shape, offsets, fine)
        best = int(fine_potential.min(axis=0).argmin())
        zero = fine[fine_potential[:, best].argmin()]
        phases = np.stack(
            [potential(shape, offsets, grid + zero - phase / PHASES / rate) for phase in range(PHASES)]
        )
        phases -= phases[:, :3].mean(axis=1, keepdims=True)
        depth = -in_sorting_band(phases[0], settings.sampling_frequency_hz)[:, best].min()
        fade = np.minimum(1.0, np.minimum(np.arange(len(grid)), np.arange(len(grid))[::-1]) / (0.3 * rate))
        templates.append(phases * (amplitude / depth) * fade[:, None])
        main.append(best)
    cells = {**cells, "main_channel": np.array(main)}
    return _twin_templates(settings, cells, np.array(templates, dtype=np.float32))


def _twin_templates(
    settings: RetinaSettings, cells: dict[str, NDArray[Any]], templates: NDArray[np.float32]
) -> tuple[NDArray[np.float32], dict[str, NDArray[Any]]]:
    """Each twin's template moved towards its sibling's (or away) until they differ by what was asked for."""
    amplitude, main = cells["amplitude_sd"].copy(), cells["main_channel"].copy()
    twins = np.flatnonzero(cells["twin_of"] >= 0)
    for twin, distance in zip(twins, np.linspace(*settings.twin_distance_sd, len(twins)), strict=True):
        sibling = templates[cells["twin_of"][twin]]
        apart = templates[twin] - sibling
        templates[twin] = sibling + apart * (distance / float(np.linalg.norm(apart[0])))
        main[twin] = int(templates[twin, 0].min(axis=0).argmin())
        band = in_sorting_band(templates[twin, 0], settings.sampling_frequency_hz)
        amplitude[twin] = -band[:, main[twin]].min()
    more = {"amplitude_sd": amplitude, "main_channel": main, "template_sd": templates[:, 0]}
    return templates, {**cells, **more}


def _spikes(
    settings: RetinaSettings,
    cells: dict[str, NDArray[Any]],
    stimulus: Stimulus,
    fields: NDArray[np.float64],
    courses: NDArray[np.float64],
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float32]]:
    """Times in s, units and amplitude factors of all spikes, in order of time."""
    rate = settings.sampling_frequency_hz
    shown = np.append(stimulus.trigger_sample / rate, 0.0)
    shown[-1] = min(shown[-2] + 1 / settings.frame_rate_hz, settings.duration_s)
    edges = np.concatenate([[0.0], shown, [settings.duration_s]])
    means = cells["rate_hz"].tolist()
    shown_hz = (
        retina.firing_rate(stimulus.frames, field, course, mean_hz=mean, gain=settings.response_gain)
        for field, course, mean in zip(fields, courses, means, strict=True)
    )
    rates = (np.concatenate([[mean], one, [mean]]) for mean, one in zip(means, shown_hz, strict=True))
    return spikes_at_rates(settings, rates, edges, seed=seed)


def spikes_at_rates(
    settings: RetinaSettings,
    rates_hz: Iterable[NDArray[np.float64]],
    edges_s: NDArray[np.float64],
    *,
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float32]]:
    """Times in s, units and amplitude factors of Poisson spikes with a dead time, in order of time.

    rates_hz : of each cell (n,), between edges (n + 1,)
    """
    times, scales = [], []
    for cell, rate_hz in enumerate(rates_hz):
        rng = stream(seed, "spikes", cell)
        train = retina.poisson_spikes(rng, rate_hz, edges_s)
        gap_ms = np.diff(train, prepend=-1.0) * 1000
        attenuation = 1 - settings.burst_attenuation * np.exp(-gap_ms / 15.0)
        scales.append(attenuation * (1 + settings.amplitude_variation * rng.normal(size=len(train))))
        times.append(train)
    units = np.repeat(np.arange(len(times)), [len(train) for train in times]).astype(np.int64)
    all_times = np.concatenate(times)
    order = np.argsort(all_times, kind="stable")
    return all_times[order], units[order], np.concatenate(scales)[order].astype(np.float32)


def in_sorting_band(traces: NDArray[np.floating], rate_hz: float) -> NDArray[np.float64]:
    """Traces (T, C) after a zero-phase band-pass as sorters apply it."""
    pad = round(0.01 * rate_hz)
    padded = np.pad(traces, ((pad, pad), (0, 0)))
    filtered: NDArray[np.float64] = signal.sosfiltfilt(_band_pass(rate_hz), padded, axis=0)
    return filtered[pad:-pad]


@cache
def _band_pass(rate_hz: float) -> NDArray[np.float64]:
    """Sections of the filter; designed once, for it is applied to every cell."""
    high = min(SORTING_BAND_HZ[1], 0.45 * rate_hz)
    sections: NDArray[np.float64] = signal.butter(
        3, [SORTING_BAND_HZ[0], high], "bandpass", fs=rate_hz, output="sos"
    )
    return sections
