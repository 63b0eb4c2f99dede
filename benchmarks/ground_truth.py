"""Recordings with known units, from SpikeInterface's generator: the ground truth of the sorters' benchmark.

Each recording is a probe, a rate, a number of units and a motion. Amplitudes are log-uniform, so that many
units are small; depths, shapes and rates vary. The traces are written once, as int16, and opened from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import probeinterface
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, BaseSorting, NumpySorting, read_binary
from spikeinterface.core.generate import default_unit_params_range, generate_sorting
from spikeinterface.generation import generate_displacement_vector, generate_drifting_recording

from ncpgui.core.seeds import stream, stream_seed

UV_PER_COUNT = 0.195
AMPLITUDE_UV = (60.0, 450.0)
"""Range of the generator's `alpha`; the trough that a contact sees is a part of it."""
RATE_HZ = (0.7, 12.0)
NOISE_UV = (6.0, 8.0)


def hexagon(columns: int, pitch_um: float = 30.0) -> probeinterface.Probe:
    """Square piece of a hexagonal array: so many columns of as many contacts."""
    return probeinterface.generate_multi_columns_probe(
        num_columns=columns,
        num_contact_per_column=columns,
        xpitch=pitch_um * np.sqrt(3) / 2,
        ypitch=pitch_um,
        y_shift_per_column=[pitch_um / 2 * (i % 2) for i in range(columns)],
    )


PROBES: dict[str, Callable[[], probeinterface.Probe]] = {
    "hex49": lambda: hexagon(7),
    "linear32": lambda: probeinterface.generate_linear_probe(32, ypitch=25),
    "columns48": lambda: probeinterface.generate_multi_columns_probe(
        2, 24, xpitch=32, ypitch=20, y_shift_per_column=[0, 10]
    ),
    "tetrode": lambda: probeinterface.generate_tetrode(r=17.7),
    "dense128": lambda: probeinterface.generate_multi_columns_probe(
        4, 32, xpitch=22, ypitch=20, y_shift_per_column=[0, 10, 0, 10]
    ),
}


@dataclass(frozen=True)
class GroundTruth:
    """What a recording is made of.

    motion : "none", "zigzag", "slow" or "jump", over `drift_um` from one end to the other
    """

    probe: str
    sampling_frequency_hz: float
    n_units: int
    duration_s: float
    motion: str = "none"
    drift_um: float = 0.0
    seed: int = 0

    def with_seed(self, seed: int) -> GroundTruth:
        """Return the same with another seed."""
        return replace(self, seed=seed)

    def lasting(self, duration_s: float) -> GroundTruth:
        """Return the same with another duration."""
        return replace(self, duration_s=duration_s)


def motion_settings(truth: GroundTruth) -> dict[str, Any]:
    """Return what SpikeInterface's generator takes for the motion of `truth`."""
    half = truth.drift_um / 2
    kinds: dict[str, dict[str, Any]] = {
        "none": {"drift_mode": "zigzag", "t_start_drift": 0.0, "period_s": truth.duration_s},
        "zigzag": {
            "drift_mode": "zigzag",
            "t_start_drift": 0.1 * truth.duration_s,
            "period_s": 0.45 * truth.duration_s,
        },
        "slow": {"drift_mode": "zigzag", "t_start_drift": 0.0, "period_s": 2.2 * truth.duration_s},
        "jump": {
            "drift_mode": "bump",
            "t_start_drift": 0.0,
            "bump_interval_s": (0.24 * truth.duration_s, 0.26 * truth.duration_s),
        },
    }
    return {
        "displacement_sampling_frequency": 5.0,
        "drift_start_um": [0, half],
        "drift_stop_um": [0, -half],
        "drift_step_um": 1,
        "motion_list": [{**kinds[truth.motion], "non_rigid_gradient": None}],
    }


def true_displacement_um(truth: GroundTruth) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return times in s and how far all units have moved along the probe then: (T,) each."""
    settings = motion_settings(truth)
    n_samples = round(truth.duration_s * settings["displacement_sampling_frequency"])
    time_s = np.arange(n_samples) / settings["displacement_sampling_frequency"]
    if truth.motion == "none":
        return time_s, np.zeros(n_samples)
    moved, *_ = generate_displacement_vector(
        truth.duration_s, np.zeros((1, 2)), seed=stream_seed(truth.seed, "noise"), **settings
    )
    return time_s, np.asarray(moved[:n_samples, 0, 1], np.float64)


def made(truth: GroundTruth, folder: Path) -> tuple[BaseRecording, BaseSorting]:
    """Return the recording and its true sorting, from `folder` where it has been made before."""
    settings = json.dumps(asdict(truth), sort_keys=True)
    place = folder / f"{truth.probe}-{truth.motion}-{truth.seed}"
    probe = PROBES[truth.probe]()
    probe.set_device_channel_indices(np.arange(probe.get_contact_count()))
    if not (place / "truth.json").exists() or (place / "truth.json").read_text() != settings:
        _make(truth, probe, place)
        (place / "truth.json").write_text(settings)
    recording = read_binary(
        place / "traces.raw",
        truth.sampling_frequency_hz,
        "int16",
        probe.get_contact_count(),
        gain_to_uV=UV_PER_COUNT,
        offset_to_uV=0.0,
    )
    recording.set_probe(probe)
    spikes = np.load(place / "spikes.npy")
    sorting = NumpySorting.from_samples_and_labels(
        [spikes[:, 0]], [spikes[:, 1]], truth.sampling_frequency_hz, unit_ids=np.arange(truth.n_units)
    )
    return recording, sorting


def _make(truth: GroundTruth, probe: probeinterface.Probe, place: Path) -> None:
    rng = stream(truth.seed, "units")
    n = truth.n_units
    parameters = {name: rng.uniform(low, high, n) for name, (low, high) in default_unit_params_range.items()}
    parameters["alpha"] = np.exp(rng.uniform(*np.log(AMPLITUDE_UV), n))
    rates = np.exp(rng.uniform(*np.log(RATE_HZ), n))
    sorting = generate_sorting(
        num_units=n,
        sampling_frequency=truth.sampling_frequency_hz,
        durations=[truth.duration_s],
        firing_rates=rates,
        refractory_period_ms=3.0,
        seed=stream_seed(truth.seed, "spikes"),
    )
    static, moved, _ = generate_drifting_recording(
        num_units=n,
        probe=probe,
        sorting=sorting,
        duration=truth.duration_s,
        generate_unit_locations_kwargs={
            "margin_um": 15.0,
            "minimum_z": 5.0,
            "maximum_z": 45.0,
            "minimum_distance": 12.0,
            "max_iteration": 100,
            "distance_strict": False,
            "distribution": "uniform",
        },
        generate_displacement_vector_kwargs=motion_settings(truth),
        generate_templates_kwargs={
            "ms_before": 1.5,
            "ms_after": 3.0,
            "mode": "ellipsoid",
            "unit_params": parameters,
        },
        generate_noise_kwargs={"noise_levels": NOISE_UV, "spatial_decay": 25.0},
        amplitude_std=0.07,
        seed=stream_seed(truth.seed, "noise"),
    )
    chosen = static if truth.motion == "none" else moved
    place.mkdir(parents=True, exist_ok=True)
    step = int(4 * truth.sampling_frequency_hz)
    with (place / "traces.raw").open("wb") as file:
        for start in range(0, chosen.get_num_samples(), step):
            traces = chosen.get_traces(
                start_frame=start, end_frame=min(start + step, chosen.get_num_samples())
            )
            file.write(_counts(traces).tobytes())
    spikes = sorting.to_spike_vector()
    np.save(
        place / "spikes.npy", np.column_stack([spikes["sample_index"], spikes["unit_index"]]).astype(np.int64)
    )


def _counts(traces: NDArray[np.floating]) -> NDArray[np.int16]:
    return np.clip(np.round(traces / UV_PER_COUNT), -32768, 32767).astype(np.int16)
