"""Recordings with what is no neuron: noise alone, the hash of many far cells, cells hardly above the noise.

From SpikeInterface's generator, for P(neuron): every cell is known, the far ones too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import probeinterface
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, BaseSorting, NumpyRecording, NumpySorting
from spikeinterface.core.generate import (
    InjectTemplatesRecording,
    default_unit_params_range,
    generate_sorting,
    generate_templates,
    generate_unit_locations,
)
from spikeinterface.generation import generate_noise

from benchmarks.recordings.ground_truth import UV_PER_COUNT, counts_of
from ncpgui.core.seeds import stream, stream_seed

RATE_HZ = (0.7, 12.0)
DEPTH_UM = (5.0, 45.0)
FAR_DEPTH_UM = (50.0, 110.0)
FAR_AMPLITUDE_UV = (40.0, 250.0)
AMPLITUDE_SD = 0.07
MS_BEFORE, MS_AFTER = 1.5, 3.0


@dataclass(frozen=True)
class HashTruth:
    """What a recording is made of.

    columns, rows : contacts of the probe, a hexagon, 25 um apart in one column; 0 columns: a tetrode
    n_cells, amplitude_uv : near cells, and the range of the generator's `alpha`, log-uniform
    n_far : cells at `FAR_DEPTH_UM`
    noise_uv : range of the noise sd of the contacts
    """

    columns: int
    rows: int
    sampling_frequency_hz: float
    duration_s: float
    n_cells: int
    n_far: int
    seed: int
    amplitude_uv: tuple[float, float] = (60.0, 450.0)
    noise_uv: tuple[float, float] = (6.0, 8.0)

    def probe(self) -> probeinterface.Probe:
        """Contacts in a plane, wired in order."""
        if self.columns == 0:
            probe = probeinterface.generate_tetrode(r=17.7)
        elif self.columns == 1:
            probe = probeinterface.generate_linear_probe(self.rows, ypitch=25)
        else:
            shift = [15.0 * (column % 2) for column in range(self.columns)]
            probe = probeinterface.generate_multi_columns_probe(
                self.columns, self.rows, xpitch=26, ypitch=30, y_shift_per_column=shift
            )
        probe.set_device_channel_indices(np.arange(probe.get_contact_count()))
        return probe


def made(truth: HashTruth) -> tuple[BaseRecording, BaseSorting]:
    """Return the recording, int16 in memory, and the spikes of its cells, the near ones first."""
    probe, rate, duration = truth.probe(), truth.sampling_frequency_hz, truth.duration_s
    traces = generate_noise(
        probe=probe,
        sampling_frequency=rate,
        durations=[duration],
        noise_levels=truth.noise_uv,
        spatial_decay=25.0,
        seed=stream_seed(truth.seed, "noise"),
    )
    n = truth.n_cells + truth.n_far
    if n == 0:
        cells = NumpySorting.from_samples_and_labels([np.zeros(0, int)], [np.zeros(0, int)], rate)
    else:
        cells, traces = _with_cells(truth, probe, traces)
    recording = NumpyRecording([np.concatenate(list(counts_of(traces)))], rate)
    recording.set_channel_gains(UV_PER_COUNT)
    recording.set_channel_offsets(0.0)
    recording.set_probe(probe)
    return recording, cells


def _with_cells(
    truth: HashTruth, probe: probeinterface.Probe, noise: BaseRecording
) -> tuple[BaseSorting, BaseRecording]:
    n, rate = truth.n_cells + truth.n_far, truth.sampling_frequency_hz
    rng = stream(truth.seed, "units")
    parameters = {name: rng.uniform(low, high, n) for name, (low, high) in default_unit_params_range.items()}
    near, far = (
        np.exp(rng.uniform(*np.log(limits), count))
        for limits, count in ((truth.amplitude_uv, truth.n_cells), (FAR_AMPLITUDE_UV, truth.n_far))
    )
    parameters["alpha"] = np.r_[near, far]
    cells = generate_sorting(
        num_units=n,
        sampling_frequency=rate,
        durations=[truth.duration_s],
        firing_rates=np.exp(rng.uniform(*np.log(RATE_HZ), n)),
        refractory_period_ms=3.0,
        seed=stream_seed(truth.seed, "spikes"),
    )
    templates = generate_templates(
        probe.contact_positions,
        np.concatenate(
            [
                _places(truth, probe, count, depth_um, name)
                for count, depth_um, name in (
                    (truth.n_cells, DEPTH_UM, "near"),
                    (truth.n_far, FAR_DEPTH_UM, "far"),
                )
            ]
        ),
        rate,
        MS_BEFORE,
        MS_AFTER,
        unit_params=parameters,
        seed=stream_seed(truth.seed, "templates"),
    )
    return cells, InjectTemplatesRecording(
        cells,
        templates,
        nbefore=round(MS_BEFORE * rate / 1000),
        amplitude_factor=list(rng.normal(1, AMPLITUDE_SD, cells.count_total_num_spikes())),
        parent_recording=noise,
    )


def _places(
    truth: HashTruth, probe: probeinterface.Probe, count: int, depth_um: tuple[float, float], name: str
) -> NDArray[np.float64]:
    if count == 0:
        return np.zeros((0, 3))
    return np.asarray(
        generate_unit_locations(
            count,
            probe.contact_positions,
            margin_um=15.0 if name == "near" else 40.0,
            minimum_z=depth_um[0],
            maximum_z=depth_um[1],
            minimum_distance=12.0 if name == "near" else None,
            max_iteration=100,
            distance_strict=False,
            seed=stream_seed(truth.seed, name),
        )
    )
