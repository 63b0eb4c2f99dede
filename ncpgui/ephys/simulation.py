"""Simulated recordings with known spikes: retina-like cells under white noise on an electrode array.

All spikes are in the truth, also those too small to detect.
"""

from __future__ import annotations

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
from ncpgui.ephys.recording import Recording
from ncpgui.ephys.simulated_cells import RetinaSettings, SimulationPlan, plan_simulation
from ncpgui.ephys.simulated_traces import simulated_pieces

__all__ = ["RetinaSettings", "SimulatedRecording", "simulate_to_folder"]


@dataclass(frozen=True)
class SimulatedRecording:
    """A recording, its true spikes, and the cells behind them.

    receptive_fields : (n_cells, side, side) spatial filters, signed, in the order of
    ``truth.unit_ids``; cells : arrays by name, one row a cell: unit_id, type, position_um,
    main_channel, amplitude_sd, field_centre_px, field_ellipse_px, time_course, rate_hz,
    template_sd (n_cells, T, n_channels).
    """

    recording: Recording
    truth: Sorting
    stimulus: Stimulus
    receptive_fields: NDArray[np.float64]
    cells: dict[str, NDArray[Any]]
    settings: RetinaSettings
    seed: int


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
        _write(beside, plan, progress)
    return SimulatedRecording(
        open_recording(place),
        plan.truth,
        plan.stimulus,
        plan.receptive_fields,
        plan.cells,
        plan.settings,
        plan.seed,
    )


def _write(folder: Path, plan: SimulationPlan, progress: Progress) -> None:
    settings, done = plan.settings, 0
    with (folder / simulated_folder.TRACES).open("wb") as file:
        for piece in simulated_pieces(plan):
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
