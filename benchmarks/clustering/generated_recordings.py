"""Recordings of SpikeInterface's generator with the units that are in them.

`generate_drifting_recording` on a probe made with probeinterface, units placed around a few contacts far from
each other, amplitudes set by the trough on the main contact after the band-pass. A detected spike belongs to
the unit whose spike is there and deepest on that contact; it is kept if that contact is the unit's main one
(or its trough there is at least `SHARED_MAIN` of the largest).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import probeinterface
from numpy.typing import NDArray
from scipy.special import ndtr
from spikeinterface.core import NumpyRecording
from spikeinterface.core.generate import generate_sorting, generate_templates
from spikeinterface.generation import generate_drifting_recording
from spikeinterface.preprocessing import bandpass_filter

from benchmarks.common.array_recording import ArrayRecording
from benchmarks.recordings.generator import shapes_of_cells, wired
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.core.spikes import SpikeEvents
from ncpgui.ephys.preprocessing import FILTER_ORDER
from ncpgui.ephys.probes import load_probe
from ncpgui.sorting.config import SortingConfig

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BANDS = {"3-6": (3.0, 6.0), "6-12": (6.0, 12.0), "mixed": (3.0, 24.0)}
SHARED_MAIN = 0.9


@dataclass(frozen=True)
class RecordingSettings:
    """What recordings are made of; ranges are uniform unless said otherwise.

    threshold_sd : of the detection; spikes whose trough does not reach it are not in the sets
    units_more : K - 2 of a group is Poisson of this mean; max_units : the largest K
    group_rate_hz : detected spikes around one contact
    spare : recordings are longer than the spikes asked for need, by this factor
    near_pitches, depth_um : units lie within so many pitches of their contact, at such depths
    apart_um : smallest distance of the units of a group
    noise_uv, noise_decay_um : sd of each contact's noise before the filter, and reach of its correlation
    amplitude_spread : sd of the amplitudes of a unit's spikes, relative
    drift_um : way there and back of all units along the probe, once in a drifting recording
    waveform_radius_um, waveform_channels : the nearest channels are cut, up to so many
    match_ms : a detected spike is one of a unit's within this time
    """

    threshold_sd: float = 3.5
    units_more: float = 1.5
    max_units: int = 8
    group_rate_hz: float = 30.0
    spare: float = 1.5
    near_pitches: float = 0.45
    depth_um: tuple[float, float] = (5.0, 45.0)
    apart_um: float = 5.0
    noise_uv: tuple[float, float] = (6.0, 8.0)
    noise_decay_um: float = 25.0
    amplitude_spread: float = 0.05
    drift_um: float = 15.0
    waveform_radius_um: float = 100.0
    waveform_channels: int = 7
    match_ms: float = 0.3


class Array(NamedTuple):
    """A probe, how fast its recordings are sampled, and how far apart its groups are."""

    make: Callable[[], probeinterface.Probe]
    sampling_frequency_hz: float
    groups_apart_um: float


def hexagon(pitch_um: float) -> probeinterface.Probe:
    """Hexagon of 19 contacts."""
    return probeinterface.generate_multi_columns_probe(
        num_columns=5,
        num_contact_per_column=[3, 4, 5, 4, 3],
        xpitch=pitch_um * np.sqrt(3) / 2,
        ypitch=pitch_um,
        y_shift_per_column=[pitch_um, pitch_um / 2, 0, pitch_um / 2, pitch_um],
    )


ARRAYS = {
    "hex7": Array(lambda: hexagon(30), 20_000.0, 50.0),
    "tetrode": Array(lambda: probeinterface.generate_tetrode(r=17.7), 30_000.0, 30.0),  # 25 µm
    "linear": Array(lambda: probeinterface.generate_linear_probe(12, ypitch=25), 30_000.0, 70.0),
    "dense": Array(
        lambda: probeinterface.generate_multi_columns_probe(2, 10, xpitch=32, ypitch=15), 30_000.0, 50.0
    ),
}


class Truth(NamedTuple):
    """A generated recording and what is in it.

    contacts : (G,) those with a group of units around them
    sample_index, unit : (n,) every spike, in order of time
    trough_sd : (U, n_channels) depth of each unit's template after the band-pass, noise sd of each contact
    """

    recording: ArrayRecording
    contacts: Ints
    sample_index: Ints
    unit: Ints
    trough_sd: Floats


def true_units(spikes: SpikeEvents, contact: int, truth: Truth, *, match_ms: float) -> tuple[Ints, Ints]:
    """Detected spikes of `contact` that are of its units: rows of `spikes`, and the unit of each.

    Of several true spikes at one place the deepest on this contact is the one that was detected.
    """
    rows = np.flatnonzero(spikes.channel == contact)
    reach = match_ms * spikes.sampling_frequency_hz / 1000
    depth = truth.trough_sd[:, contact]
    is_main = depth >= SHARED_MAIN * truth.trough_sd.max(axis=1)
    unit = deepest(spikes.sample_index[rows], truth.sample_index, truth.unit, depth[truth.unit], reach)
    known = (unit >= 0) & is_main[unit]
    return rows[known], unit[known]


def deepest(detected: Ints, sample: Ints, unit: Ints, depth: Floats, reach: float) -> Ints:
    """Of the true spikes at each detected one, the unit of the deepest on this contact; -1 of none."""
    first = np.searchsorted(sample, detected - reach, "left")
    last = np.searchsorted(sample, detected + reach, "right")
    found = np.full(len(detected), -1)
    for i, (start, stop) in enumerate(zip(first, last, strict=True)):
        if stop > start:
            found[i] = unit[start + depth[start:stop].argmax()]
    return found


def first_apart(points: Floats, order: Ints, apart_um: float, most: int | None = None) -> Ints:
    """Rows of points (n, D), the first in `order` that are no nearer than `apart_um` to one before: (k,)."""
    kept: list[int] = []
    for row in order.tolist():
        if all(np.linalg.norm(points[row] - points[other]) >= apart_um for other in kept):
            kept.append(row)
    return np.array(kept[:most], np.int64)


def around(
    contact_um: Floats, reach_um: float, depth_um: tuple[float, float], n: int, rng: np.random.Generator
) -> Floats:
    """Places behind a probe within `reach_um` of a contact: (n, 3)."""
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.sqrt(rng.uniform(size=n))
    beside = np.column_stack([np.cos(angle), np.sin(angle)]) * (reach_um * radius)[:, None]
    return np.column_stack([contact_um + beside, rng.uniform(*depth_um, n)])


def generate(
    geometry: str, band: str, n_spikes: int, settings: RecordingSettings, *, drifting: bool, seed: int
) -> Truth:
    """Make a recording whose groups have about `spare` times `n_spikes` detected spikes each.

    geometry, band : names of `ARRAYS` and `BANDS`
    """
    rng = stream(seed, "units")
    array = ARRAYS[geometry]
    probe, rate_hz = wired(array.make()), array.sampling_frequency_hz
    places = np.asarray(probe.contact_positions, dtype=np.float64)
    contacts = first_apart(places, rng.permutation(len(places)), array.groups_apart_um)
    noise_uv = rng.uniform(*settings.noise_uv, len(places))
    noise_sd = noise_uv * _noise_gain(rate_hz, rng)
    groups = [_group(places, int(contact), noise_sd, settings, rate_hz, rng) for contact in contacts]
    locations = np.concatenate([group.locations for group in groups])
    parameters = {
        name: np.concatenate([group.parameters[name] for group in groups]) for name in groups[0].parameters
    }
    shape = _troughs(places, locations, parameters, rate_hz)  # at amplitude 1
    main = (shape / noise_sd).argmax(axis=1)
    row = np.arange(len(main))
    low, high = np.log(BANDS[band])
    snr = np.exp(rng.uniform(low, high, len(main)))
    parameters["alpha"] = snr * noise_sd[main] / shape[row, main]
    seen = ndtr(snr - settings.threshold_sd).clip(0.3)
    share = np.concatenate([rng.dirichlet(np.ones(len(group.locations))) for group in groups])
    duration_s = settings.spare * n_spikes / settings.group_rate_hz
    sorting = generate_sorting(
        num_units=len(main),
        sampling_frequency=rate_hz,
        durations=[duration_s],
        firing_rates=(share + 0.03) * settings.group_rate_hz / seen,
        refractory_period_ms=2.0,
        seed=stream_seed(seed, "spikes"),
    )
    static, moved, _ = generate_drifting_recording(
        probe=probe,
        sorting=sorting,
        unit_locations=locations,
        duration=duration_s,
        generate_displacement_vector_kwargs=_there_and_back(settings.drift_um, duration_s),
        generate_templates_kwargs={**TEMPLATE, "unit_params": parameters},
        generate_noise_kwargs={"noise_levels": noise_uv, "spatial_decay": settings.noise_decay_um},
        amplitude_std=settings.amplitude_spread,
        seed=stream_seed(seed, "noise"),
    )
    chosen = moved if drifting else static
    spikes = sorting.to_spike_vector()
    return Truth(
        ArrayRecording(chosen.get_traces(), sampling_frequency_hz=rate_hz, probe=load_probe(probe)),
        contacts,
        spikes["sample_index"].astype(np.int64),
        spikes["unit_index"].astype(np.int64),
        shape * parameters["alpha"][:, None] / noise_sd,
    )


TEMPLATE: dict[str, Any] = {"ms_before": 1.5, "ms_after": 3.0, "mode": "ellipsoid"}


def _there_and_back(drift_um: float, duration_s: float) -> dict[str, Any]:
    half = drift_um / 2
    zigzag = {"drift_mode": "zigzag", "t_start_drift": 0.0, "period_s": duration_s}
    return {
        "displacement_sampling_frequency": 5.0,
        "drift_start_um": [0, half],
        "drift_stop_um": [0, -half],
        "drift_step_um": 1,
        "motion_list": [{**zigzag, "non_rigid_gradient": None}],
    }


class _Group(NamedTuple):
    """Units around one contact: locations (K, 3) µm, and parameters of SpikeInterface, each (K,)."""

    locations: Floats
    parameters: dict[str, Floats]


def _group(
    places: Floats,
    contact: int,
    noise_sd: Floats,
    settings: RecordingSettings,
    rate_hz: float,
    rng: np.random.Generator,
) -> _Group:
    """Draw units until enough of them have this contact as their main one, apart from each other."""
    n_units = min(2 + rng.poisson(settings.units_more), settings.max_units)
    gaps = np.linalg.norm(places - places[contact], axis=1)
    reach = settings.near_pitches * np.sort(gaps)[1]
    n_tried = 50 * n_units
    locations = around(places[contact], reach, settings.depth_um, n_tried, rng)
    parameters = shapes_of_cells(n_tried, rng)
    parameters["alpha"] = np.ones(n_tried)
    depth_sd = _troughs(places, locations, parameters, rate_hz) / noise_sd
    is_main = np.flatnonzero(depth_sd.argmax(axis=1) == contact)
    chosen = first_apart(locations, is_main, settings.apart_um, n_units)
    return _Group(locations[chosen], {name: values[chosen] for name, values in parameters.items()})


def _troughs(places: Floats, locations: Floats, parameters: dict[str, Floats], rate_hz: float) -> Floats:
    """Depth of each unit's template on each contact after the band-pass: (U, n_channels)."""
    templates = generate_templates(
        places, locations, sampling_frequency=rate_hz, unit_params=parameters, seed=0, **TEMPLATE
    )
    padded = np.pad(templates, ((0, 0), (int(0.01 * rate_hz),) * 2, (0, 0)))
    filtered = _band_pass(padded.reshape(-1, templates.shape[2]), rate_hz).reshape(padded.shape)
    return -filtered.min(axis=1).astype(np.float64)


def _noise_gain(rate_hz: float, rng: np.random.Generator) -> float:
    """Sd that the band-pass leaves of white noise of sd 1."""
    white = rng.standard_normal((int(10 * rate_hz), 1)).astype(np.float32)
    return float(_band_pass(white, rate_hz).std())


def _band_pass(traces: NDArray[np.float32], rate_hz: float) -> NDArray[np.float32]:
    """Filter traces (n_samples, n_channels) as `ncpgui.ephys.preprocessing` does by default."""
    settings = SortingConfig()
    return bandpass_filter(
        NumpyRecording([traces], rate_hz),
        freq_min=settings.highpass_hz,
        freq_max=settings.lowpass_hz,
        filter_order=FILTER_ORDER,
        dtype="float32",
    ).get_traces()
