"""Recordings with what is no neuron: noise alone, the hash of many far cells, cells hardly above the noise.

From SpikeInterface's generator, for P(neuron): every cell is known, the far ones too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import probeinterface
from spikeinterface.core import BaseRecording, BaseSorting
from spikeinterface.core.generate import generate_templates, generate_unit_locations

from benchmarks.recordings.generator import (
    MS_AFTER,
    MS_BEFORE,
    NEAR,
    cells_firing,
    counts_of,
    in_memory,
    no_cells,
    noise_on,
    shapes_of_cells,
    wired,
    with_spikes,
)
from ncpgui.core.seeds import stream, stream_seed

RATE_HZ = (0.7, 12.0)
FAR: dict[str, Any] = {
    **NEAR,
    "margin_um": 40.0,
    "minimum_z": 50.0,
    "maximum_z": 110.0,
    "minimum_distance": None,
}
"""Where the far cells lie."""
FAR_AMPLITUDE_UV = (40.0, 250.0)
AMPLITUDE_SD = 0.07


@dataclass(frozen=True)
class HashTruth:
    """What a recording is made of.

    columns, rows : contacts of the probe, a hexagon, 25 um apart in one column; 0 columns: a tetrode
    n_cells, amplitude_uv : near cells, and the range of the generator's `alpha`, log-uniform
    n_far : cells at `FAR`
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
        return wired(probe)


def made(truth: HashTruth) -> tuple[BaseRecording, BaseSorting]:
    """Return the recording, int16 in memory, and the spikes of its cells, the near ones first."""
    probe, rate, duration = truth.probe(), truth.sampling_frequency_hz, truth.duration_s
    traces = noise_on(probe, rate, duration, truth.noise_uv, stream_seed(truth.seed, "noise"))
    cells: BaseSorting = no_cells(rate)
    if truth.n_cells + truth.n_far:
        cells, traces = _with_cells(truth, probe, traces)
    return in_memory(np.concatenate(list(counts_of(traces))), rate, probe), cells


def _with_cells(
    truth: HashTruth, probe: probeinterface.Probe, noise: BaseRecording
) -> tuple[BaseSorting, BaseRecording]:
    n, rate = truth.n_cells + truth.n_far, truth.sampling_frequency_hz
    rng = stream(truth.seed, "units")
    parameters = shapes_of_cells(n, rng)
    near, far = (
        np.exp(rng.uniform(*np.log(limits), count))
        for limits, count in ((truth.amplitude_uv, truth.n_cells), (FAR_AMPLITUDE_UV, truth.n_far))
    )
    parameters["alpha"] = np.r_[near, far]
    firing_hz = np.exp(rng.uniform(*np.log(RATE_HZ), n))
    cells = cells_firing(firing_hz, rate, truth.duration_s, stream_seed(truth.seed, "spikes"))
    templates = generate_templates(
        probe.contact_positions,
        np.concatenate(
            [
                generate_unit_locations(
                    count, probe.contact_positions, **where, seed=stream_seed(truth.seed, name)
                )
                for count, where, name in ((truth.n_cells, NEAR, "near"), (truth.n_far, FAR, "far"))
                if count
            ]
        ),
        rate,
        MS_BEFORE,
        MS_AFTER,
        unit_params=parameters,
        seed=stream_seed(truth.seed, "templates"),
    )
    sizes = rng.normal(1, AMPLITUDE_SD, cells.count_total_num_spikes())
    return cells, with_spikes(noise, cells, templates, sizes)
