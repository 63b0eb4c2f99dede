"""The demo: simulate a recording, sort it, export it, score it against the truth.

Everything goes to one folder: ``recording/`` (with the true spikes), ``session.h5``, ``phy/`` and
``score.json``.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.work.recordings import RecordingRequest
from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.config import to_dict
from ncpgui.core.files import replaced_file
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting, SpikeEvents

if TYPE_CHECKING:
    from ncpgui.analysis.comparison import Comparison
    from ncpgui.ephys.simulation import SimulatedRecording

RECORDING = "recording"
WINDOW_MS = 0.4
MIN_CLEAR_SD = 6.0
"""True units of at least this amplitude are counted apart: below it spikes hide in the noise."""


@dataclass(frozen=True)
class DemoSettings:
    """What the demo simulates and with what it sorts."""

    duration_s: float = 60.0
    seed: int = 0
    model: str | None = None
    device: str = "auto"


@dataclass(frozen=True)
class DemoResult:
    """What the demo made: the project, where its session is, its score and seconds per stage."""

    project: Project
    folder: Path
    score: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def session(self) -> Path:
        """Path of the session."""
        return session_of(self.folder)


def session_of(folder: Path) -> Path:
    """Session of the demo that lies in `folder`."""
    return folder / "session.h5"


def simulate(folder: Path, settings: DemoSettings, *, progress: Progress = silent) -> SimulatedRecording:
    """Simulate the recording of the demo into `folder`, in place of an earlier one."""
    from ncpgui.ephys.simulation import RetinaSettings, simulate_to_folder

    folder.mkdir(parents=True, exist_ok=True)
    return simulate_to_folder(
        RetinaSettings(duration_s=settings.duration_s),
        folder / RECORDING,
        seed=settings.seed,
        progress=progress,
    )


def prepare(folder: Path, *, progress: Progress = silent) -> RecordingRequest:
    """Simulate the recording unless it is there, and say how to sort it: the window does the rest."""
    if not (folder / RECORDING / "recording.json").is_file():
        simulate(folder, DemoSettings(), progress=progress)
    return RecordingRequest(folder / RECORDING, session=session_of(folder))


def run_demo(folder: Path, settings: DemoSettings, *, progress: Progress = silent) -> DemoResult:
    """Run all steps; `folder` is made if need be, what an earlier demo left there is replaced.

    Raises
    ------
    ExportError, SessionError
        The folder cannot be written.
    CheckpointError
        The model cannot be loaded.
    """
    from ncpgui.curation.clustering import Clustering
    from ncpgui.curation.curated_sorting import CuratedSorting
    from ncpgui.curation.history import History
    from ncpgui.export.whole_project import export_project
    from ncpgui.session import store
    from ncpgui.sorting.config import SortingConfig
    from ncpgui.sorting.pipeline import sort_recording

    clock = _Clock()
    with clock("simulate"):
        simulated = simulate(folder, settings, progress=portion(progress, 0, 10, 100))
    with clock("sort"):
        config = SortingConfig(seed=settings.seed, model=settings.model, device=settings.device)
        project = sort_recording(
            simulated.recording, config, stimulus=simulated.stimulus, progress=portion(progress, 10, 90, 100)
        )
    with clock("save"):
        progress(90, 100, "saving the session")
        store.save(project, session_of(folder))
    with clock("export"):
        progress(93, 100, "exporting to Phy")
        as_sorted = History(Clustering(project.unit_of_spike, project.probability))
        decisions = CuratedSorting.of(as_sorted, project.unit_of_spike)
        export_project(project, decisions, "phy", _emptied(folder / "phy"))
    with clock("score"):
        progress(97, 100, "scoring against the true spikes")
        result = score(project, simulated)
    result = {"settings": to_dict(settings), **result, "seconds": clock.seconds}
    write_score(folder / "score.json", result)
    progress(100, 100, "done")
    return DemoResult(project, folder, result, clock.seconds)


def write_score(path: Path, score: dict[str, Any]) -> None:
    """Write ``score.json``, swapped in whole."""
    with replaced_file(path) as beside:
        beside.write_text(json.dumps(score, indent=2) + "\n", encoding="utf-8")


def score(project: Project, simulated: SimulatedRecording) -> dict[str, Any]:
    """Score a sorted project against the simulated truth.

    Returns
    -------
    Plain values: summary (all true units), summary_clear (those of `MIN_CLEAR_SD` and more), units
    (one a true unit), components (AMI of the point estimate on the sampled spikes of each),
    mean_ami, weighted by spikes, and receptive_fields (see `field_scores`).
    """
    from ncpgui.analysis.comparison import compare

    sorting = Sorting(
        project.spikes.sample_index,
        project.unit_of_spike,
        project.spikes.sampling_frequency_hz,
        project.spikes.n_samples,
    )
    compared = compare(sorting, simulated.truth, window_ms=WINDOW_MS)
    cells = simulated.cells
    row_of = {int(unit): row for row, unit in enumerate(cells["unit_id"])}
    rows = np.array([row_of[int(unit)] for unit in compared.true_ids], dtype=np.int64)
    amplitude = cells["amplitude_sd"][rows]
    components = component_scores(project, simulated.truth, -cells["template_sd"].min(axis=1))
    weights = np.array([component["n_scored"] for component in components], dtype=np.float64)
    ami = np.array([component["ami"] for component in components])
    return {
        "summary": compared.summary(),
        "summary_clear": compared.summary(scored=amplitude >= MIN_CLEAR_SD),
        "mean_ami": float((ami * weights).sum() / weights.sum()) if weights.sum() else 0.0,
        "receptive_fields": field_scores(sorting, compared, simulated),
        "n_spikes": len(project.spikes),
        "n_ambiguous_components": sum(
            len(g.alternatives) > 1 and g.alternatives[0].mass < 0.9 for g in project.components
        ),
        "model": project.model,
        "units": [
            {
                "true_unit": int(unit),
                "type": str(cells["type"][row]),
                "main_channel": int(cells["main_channel"][row]),
                "amplitude_sd": round(float(amplitude[i]), 2),
                "n_spikes": int(compared.n_true[i]),
                "found_unit": int(compared.best_match[i]),
                "accuracy": round(float(compared.accuracy[i]), 4),
                "precision": round(float(compared.precision[i]), 4),
                "recall": round(float(compared.recall[i]), 4),
            }
            for i, (unit, row) in enumerate(zip(compared.true_ids, rows, strict=True))
        ],
        "false_units": [int(unit) for unit in compared.false_ids],
        "components": components,
    }


def component_scores(
    project: Project, truth: Sorting, depth_sd: NDArray[np.floating]
) -> list[dict[str, Any]]:
    """AMI of each component's first alternative with the true units of its sampled spikes.

    True units with too few spikes in the component to count as a unit there (`min_unit_size`: strays of
    neurons of other channels) are left out: no sorting tells them apart.

    depth_sd : (n_true, n_channels), depth of each true unit's template, in order of `truth.unit_ids`;
    of several true spikes within the window the one deepest on the component's reference contact counts.
    """
    from sklearn.metrics import adjusted_mutual_info_score

    result = []
    for component in project.components:
        ids = component.spike_ids[component.sampled]
        true_unit = true_units(project.spikes, ids, truth, depth_sd[:, component.channel])
        known = true_unit >= 0
        sizes = np.bincount(true_unit[known], minlength=truth.unit_ids.max(initial=0) + 1)
        scored = known & (sizes[true_unit] >= min_unit_size(len(ids)))
        labels = component.alternatives[0].labels[component.sampled]
        ami = float(adjusted_mutual_info_score(true_unit[scored], labels[scored])) if scored.any() else 0.0
        result.append(
            {
                "component": component.id,
                "contact": component.channel,
                "ami": round(ami, 4),
                "n_scored": int(scored.sum()),
                "n_not_in_truth": int((~known).sum()),
                "n_true_units": len(np.unique(true_unit[scored])),
                "n_units": component.alternatives[0].n_units,
                "alternatives": [round(float(a.mass), 4) for a in component.alternatives],
            }
        )
    return result


def field_scores(sorting: Sorting, compared: Comparison, simulated: SimulatedRecording) -> dict[str, Any]:
    """Receptive fields of the units that were found for a true one, against the true fields.

    n_units, n_clear : found units, and those with a clear field; median_error_px, largest_error_px :
    distance of the centres of the clear ones from the truth.
    """
    from ncpgui.analysis.receptive_field import receptive_field

    row_of = {int(unit): row for row, unit in enumerate(simulated.cells["unit_id"])}
    errors, n_units = [], 0
    for true_unit, found in zip(compared.true_ids.tolist(), compared.best_match.tolist(), strict=True):
        if found < 0:
            continue
        n_units += 1
        field = receptive_field(simulated.stimulus, sorting.spike_train(found))
        if field.is_clear:
            true_centre = simulated.cells["field_centre_px"][row_of[true_unit]]
            errors.append(float(np.hypot(*(np.array(field.center_px) - true_centre))))
    return {
        "n_units": n_units,
        "n_clear": len(errors),
        "median_error_px": round(float(np.median(errors)), 3) if errors else None,
        "largest_error_px": round(max(errors), 3) if errors else None,
    }


def true_units(
    spikes: SpikeEvents, ids: NDArray[np.int64], truth: Sorting, depth_sd: NDArray[np.floating]
) -> NDArray[np.int64]:
    """True unit of each detected spike: (len(ids),), -1 where no true spike is near.

    depth_sd : (n_true,), depth of each true unit on the channel of these spikes
    """
    window = int(WINDOW_MS * truth.sampling_frequency_hz / 1000 + 1e-6)
    times = spikes.sample_index[ids]
    result = np.full(len(ids), -1, dtype=np.int64)
    deepest = np.full(len(ids), -np.inf)
    for unit, depth in zip(truth.unit_ids.tolist(), depth_sd, strict=True):
        train = truth.spike_train(unit)
        near = np.searchsorted(train, times + window, "right") > np.searchsorted(
            train, times - window, "left"
        )
        better = near & (depth > deepest)
        result[better], deepest[better] = unit, depth
    return result


def _emptied(folder: Path) -> Path:
    """Remove what an earlier demo exported, also where phy has been at work on it since."""
    if (folder / "ncpgui_export.json").is_file():
        shutil.rmtree(folder)
    return folder


class _Clock:
    """Seconds of each named stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.seconds[stage] = round(time.monotonic() - started, 2)
