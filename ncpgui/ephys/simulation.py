"""Simulated recordings with known spikes: retina-like cells under white noise on an electrode array.

All spikes are in the truth, also those too small to detect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.config import to_dict
from ncpgui.core.files import replaced_folder
from ncpgui.core.home import expanded
from ncpgui.core.progress import Progress, silent
from ncpgui.core.spikes import Sorting
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.recording import ArrayRecording, Recording
from ncpgui.ephys.simulated_cells import RetinaSettings, SimulationPlan, plan_simulation
from ncpgui.ephys.simulated_traces import PIECE_S, simulated_pieces

__all__ = ["RetinaSettings", "SimulatedRecording", "simulate_retina", "simulate_to_folder"]


@dataclass(frozen=True)
class SimulatedRecording:
    """A recording, its true spikes, and the cells behind them.

    receptive_fields : (n_cells, side, side) spatial filters, signed, in the order of
    ``truth.unit_ids``; cells : arrays by name, one row a cell: unit_id, type, position_um,
    main_channel, amplitude_sd, field_centre_px, field_ellipse_px, time_course, rate_hz,
    template_sd (n_cells, T, n_channels); plan : what the traces were made from.
    """

    recording: Recording
    truth: Sorting
    stimulus: Stimulus
    receptive_fields: NDArray[np.float64]
    cells: dict[str, NDArray[Any]]
    settings: RetinaSettings
    seed: int
    plan: SimulationPlan

    def save(self, folder: str | Path, *, progress: Progress = silent) -> Path:
        """Write the folder that `readers.open_recording` opens; replaced as a whole."""
        place = expanded(folder).resolve()
        with replaced_folder(place) as beside:
            _write(beside, self.plan, _pieces_of(self.recording), progress)
        return place


def simulate_retina(
    settings: RetinaSettings | None = None, *, seed: int = 0, progress: Progress = silent
) -> SimulatedRecording:
    """Simulate in memory: 40 kB a second and channel.

    Raises
    ------
    InputError
        Settings that make no sense.
    """
    plan = plan_simulation(settings or RetinaSettings(), seed=seed)
    traces = np.empty((plan.n_samples, plan.probe.n_channels), dtype=np.int16)
    start = 0
    for piece in simulated_pieces(plan):
        progress(start, plan.n_samples, "simulating")
        traces[start : start + len(piece)] = piece
        start += len(piece)
    progress(plan.n_samples, plan.n_samples, "simulating")
    rate = plan.settings.sampling_frequency_hz
    return _result(plan, ArrayRecording(traces, sampling_frequency_hz=rate, probe=plan.probe))


def simulate_to_folder(
    settings: RetinaSettings | None, folder: str | Path, *, seed: int = 0, progress: Progress = silent
) -> SimulatedRecording:
    """Simulate straight into a folder: memory does not grow with the duration.

    Raises
    ------
    InputError
        Settings that make no sense.
    ExportError
        The folder cannot be written.
    """
    plan = plan_simulation(settings or RetinaSettings(), seed=seed)
    place = expanded(folder).resolve()
    with replaced_folder(place) as beside:
        _write(beside, plan, simulated_pieces(plan), progress)
    return _result(plan, open_recording(place))


def _result(plan: SimulationPlan, recording: Recording) -> SimulatedRecording:
    return SimulatedRecording(
        recording,
        plan.truth,
        plan.stimulus,
        plan.receptive_fields,
        plan.cells,
        plan.settings,
        plan.seed,
        plan,
    )


def _pieces_of(recording: Recording) -> Iterator[NDArray[np.int16]]:
    step = round(PIECE_S * recording.sampling_frequency_hz)
    for start in range(0, recording.n_samples, step):
        yield recording.traces(start, min(start + step, recording.n_samples)).astype(np.int16)


def _write(
    folder: Path, plan: SimulationPlan, pieces: Iterator[NDArray[np.int16]], progress: Progress
) -> None:
    settings, done = plan.settings, 0
    with (folder / simulated_folder.TRACES).open("wb") as file:
        for piece in pieces:
            progress(done, plan.n_samples, "writing the recording")
            file.write(piece.astype(simulated_folder.DTYPE).tobytes())
            done += len(piece)
    simulated_folder.write_description(
        folder,
        sampling_frequency_hz=settings.sampling_frequency_hz,
        n_channels=plan.probe.n_channels,
        gain_uv=settings.gain_uv,
        more={"seed": plan.seed, "settings": to_dict(settings)},
    )
    simulated_folder.write_probe(folder, plan.probe)
    simulated_folder.write_truth(folder, plan.truth, {**plan.cells, "receptive_field": plan.receptive_fields})
    simulated_folder.write_stimulus(folder, plan.stimulus)
    progress(plan.n_samples, plan.n_samples, "writing the recording")
