"""Recordings with known units, from SpikeInterface's generator: the ground truth of the sorters' benchmark.

Each recording is a probe, a rate, a number of units and a motion. Amplitudes are log-uniform, so that many
units are small; depths, shapes and rates vary. Far units, where there are any, are small and seen by many
contacts. The traces are written once, as int16, and opened from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import probeinterface
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, BaseSorting, NumpySorting
from spikeinterface.generation import generate_displacement_vector, generate_drifting_recording

from benchmarks.common.kept import made_once
from benchmarks.recordings.generator import (
    MS_AFTER,
    MS_BEFORE,
    NEAR,
    cells_firing,
    counts_of,
    in_file,
    noise_on,
    shapes_of_cells,
    wired,
)
from ncpgui.core.seeds import stream, stream_seed

AMPLITUDE_UV = (60.0, 450.0)
"""Range of the generator's `alpha`; the trough that a contact sees is a part of it."""
FAR_UV = (20.0, 60.0)
FAR_DECAY_UM = (45.0, 70.0)
"""Of far units: `alpha`, and the distance over which amplitudes fall, 10 to 45 of the others."""
RATE_HZ = (0.7, 12.0)
NOISE_UV = (6.0, 8.0)
NOISE_DECAY_UM = 25.0
TRACES = "traces.raw"


def hexagon(columns: int, pitch_um: float = 30.0) -> probeinterface.Probe:
    """Square piece of a hexagonal array: so many columns of as many contacts."""
    return probeinterface.generate_multi_columns_probe(
        num_columns=columns,
        num_contact_per_column=columns,
        xpitch=pitch_um * np.sqrt(3) / 2,
        ypitch=pitch_um,
        y_shift_per_column=[pitch_um / 2 * (i % 2) for i in range(columns)],
    )


def two_columns(contacts: int) -> probeinterface.Probe:
    """Two columns of contacts, 20 µm apart in each, one half a step higher: a part of a Neuropixels probe."""
    return probeinterface.generate_multi_columns_probe(
        2, contacts // 2, xpitch=32, ypitch=20, y_shift_per_column=[0, 10]
    )


PROBES: dict[str, Callable[[], probeinterface.Probe]] = {
    "hex25": lambda: hexagon(5),
    "hex49": lambda: hexagon(7),
    "linear32": lambda: probeinterface.generate_linear_probe(32, ypitch=25),
    "columns48": partial(two_columns, 48),
    **{f"columns{n}": partial(two_columns, n) for n in (64, 128, 256, 384)},
    "poly32": partial(
        probeinterface.generate_multi_columns_probe,
        num_columns=3,
        num_contact_per_column=[10, 12, 10],
        xpitch=18,
        ypitch=25,
        y_shift_per_column=[12.5, 0, 12.5],
    ),
    "tetrode": lambda: probeinterface.generate_tetrode(r=17.7),
    "tetrode50": lambda: probeinterface.generate_tetrode(r=50.0 / np.sqrt(2)),
    "dense128": lambda: probeinterface.generate_multi_columns_probe(
        4, 32, xpitch=22, ypitch=20, y_shift_per_column=[0, 10, 0, 10]
    ),
}


@dataclass(frozen=True)
class GroundTruth:
    """What a recording is made of.

    motion : "none", "zigzag", "slow" or "jump", over `drift_um` from one end to the other
    n_far : how many of the `n_units` are far from the probe: the last ones
    """

    probe: str
    sampling_frequency_hz: float
    n_units: int
    duration_s: float
    motion: str = "none"
    drift_um: float = 0.0
    seed: int = 0
    n_far: int = 0

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
    return kept(truth, place_of(truth, folder), lambda: _generated(truth, probe_of(truth))[:2])


def kept(
    truth: GroundTruth, place: Path, make: Callable[[], tuple[BaseRecording, BaseSorting]]
) -> tuple[BaseRecording, BaseSorting]:
    """Return a recording in int16 and its true sorting, from the folder `place` where they are already.

    make : the recording in µV, computed where it is read, and the sorting
    """
    made_once(place / "truth.json", asdict(truth), lambda: _write(*make(), place), n_far=0)
    recording = in_file(place / TRACES, truth.sampling_frequency_hz, probe_of(truth))
    spikes = np.load(place / "spikes.npy")
    sorting = NumpySorting.from_samples_and_labels(
        [spikes[:, 0]], [spikes[:, 1]], truth.sampling_frequency_hz, unit_ids=np.arange(truth.n_units)
    )
    return recording, sorting


def untouched(truth: GroundTruth) -> BaseRecording:
    """Return the recording as the generator makes it up: float32 in µV, computed where it is read.

    Noise of different contacts is independent. Of correlated noise the generator decomposes the covariance
    anew for each second that is read, which takes it longer than sorting takes.
    """
    return untouched_with_cells(truth)[0]


def untouched_with_cells(truth: GroundTruth) -> tuple[BaseRecording, BaseSorting, NDArray[np.floating]]:
    """As `untouched`, with the true sorting and the templates of the units: (n_units, samples, contacts)."""
    return _generated(truth, probe_of(truth), noise_decay_um=None)[:3]


def place_of(truth: GroundTruth, folder: Path) -> Path:
    """Folder of a recording among those that are kept in `folder`."""
    far = f"-far{truth.n_far}" if truth.n_far else ""
    return folder / f"{truth.probe}-{truth.motion}{far}-{truth.seed}"


def traces_of(truth: GroundTruth, folder: Path) -> Path:
    """File of the traces of a recording that has been made: int16, interleaved, `UV_PER_COUNT`."""
    return place_of(truth, folder) / TRACES


def probe_of(truth: GroundTruth) -> probeinterface.Probe:
    """Probe of a recording, its contacts in the order of the channels."""
    return wired(PROBES[truth.probe]())


def true_snr(truth: GroundTruth, folder: Path) -> NDArray[np.float64]:
    """Deepest trough of each unit's template over the noise sd of that contact: (n_units,).

    Templates and noise are the generator's, unfiltered; a unit that moves is taken where it is at rest.
    """
    path = place_of(truth, folder) / "snr.npy"
    if not path.is_file():
        _, _, templates, noise = _generated(truth, probe_of(truth))
        second = noise.get_traces(start_frame=0, end_frame=int(truth.sampling_frequency_hz))
        np.save(path, (-templates.min(axis=1) / second.std(axis=0)).max(axis=1))
    snr: NDArray[np.float64] = np.load(path)
    return snr


def _generated(
    truth: GroundTruth, probe: probeinterface.Probe, noise_decay_um: float | None = NOISE_DECAY_UM
) -> tuple[BaseRecording, BaseSorting, NDArray[np.floating], BaseRecording]:
    """Return the recording, not yet computed, its spikes, templates (unit, sample, contact) and noise."""
    rng = stream(truth.seed, "units")
    n = truth.n_units
    parameters = shapes_of_cells(n, rng)
    parameters["alpha"] = np.exp(rng.uniform(*np.log(AMPLITUDE_UV), n))
    rates = np.exp(rng.uniform(*np.log(RATE_HZ), n))
    if truth.n_far:
        far = stream(truth.seed, "far units")
        parameters["alpha"][-truth.n_far :] = np.exp(far.uniform(*np.log(FAR_UV), truth.n_far))
        parameters["spatial_decay"][-truth.n_far :] = far.uniform(*FAR_DECAY_UM, truth.n_far)
    rate_hz, seed = truth.sampling_frequency_hz, stream_seed(truth.seed, "noise")
    sorting = cells_firing(rates, rate_hz, truth.duration_s, stream_seed(truth.seed, "spikes"))
    static, moved, _, more = generate_drifting_recording(
        num_units=n,
        probe=probe,
        sorting=sorting,
        duration=truth.duration_s,
        generate_unit_locations_kwargs={**NEAR, "distribution": "uniform"},
        generate_displacement_vector_kwargs=motion_settings(truth),
        generate_templates_kwargs={
            "ms_before": MS_BEFORE,
            "ms_after": MS_AFTER,
            "mode": "ellipsoid",
            "unit_params": parameters,
        },
        generate_noise_kwargs={"noise_levels": NOISE_UV, "spatial_decay": noise_decay_um},
        amplitude_std=0.07,
        extra_outputs=True,
        seed=seed,
    )
    noise = noise_on(probe, rate_hz, truth.duration_s, NOISE_UV, seed, decay_um=noise_decay_um)  # once more
    chosen = static if truth.motion == "none" else moved
    return chosen, sorting, more["templates"].templates_array, noise


def _write(recording: BaseRecording, cells: BaseSorting, place: Path) -> None:
    (place / "snr.npy").unlink(missing_ok=True)
    with (place / TRACES).open("wb") as file:
        for piece in counts_of(recording):
            file.write(piece.tobytes())
    spikes = cells.to_spike_vector()
    np.save(
        place / "spikes.npy", np.column_stack([spikes["sample_index"], spikes["unit_index"]]).astype(np.int64)
    )
