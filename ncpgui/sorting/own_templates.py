"""From sorted recordings to what a network of one's own is trained on: cells, and the noise."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ncpgui.core.errors import InputError
from ncpgui.core.files import replaced_files
from ncpgui.core.measured_noise import MeasuredNoise
from ncpgui.core.progress import Progress, silent
from ncpgui.core.spikes import Sorting
from ncpgui.ephys.measured_templates import MeasuredTemplate, measure_templates
from ncpgui.ephys.noise_statistics import measure_noise
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.recording import Recording

log = logging.getLogger(__name__)

SEEN_SHARE = 0.2  # of the largest trough: what counts as seen by a contact


@dataclass(frozen=True)
class BuiltTemplates:
    """What was written, for people.

    n_cells : measured cells, n_test of them for test; n_shipped : shipped cells beside them
    share : part of the draws of a training that are measured cells
    left_out : units that are no templates, by reason
    error : (median, largest) relative error with which the cells' sources reproduce the templates
    contacts : median number of contacts that see a unit; pitch_um : of the probe
    """

    n_cells: int
    n_test: int
    n_shipped: int
    share: float
    left_out: Counter[str]
    error: tuple[float, float]
    contacts: float
    pitch_um: float
    noise: MeasuredNoise


def build_templates(
    sorted_recordings: Sequence[tuple[Recording, Sorting]],
    *,
    reservoir: Path,
    noise: Path,
    share: float = 0.5,
    min_spikes: int = 50,
    seed: int = 0,
    replace_files: bool = True,
    progress: Progress = silent,
) -> BuiltTemplates:
    """Measure templates and noise of sorted recordings, and write both files.

    Parameters
    ----------
    share : part of a training's cells that are to be measured ones, the rest are shipped; 1 for no other
    replace_files : whether files that are there by then are replaced; else the new ones go beside them

    Raises
    ------
    InputError
        No unit is good for a template, a single one without shipped cells, or no noise between the spikes.
    RecordingError
        NaN or infinite samples.
    """
    from ncpgui.engine.generative.measured_cells import reservoir_of, with_shipped_cells
    from ncpgui.engine.generative.template_reservoir import RESERVOIR_SAMPLES, RESERVOIR_TROUGH

    templates: list[MeasuredTemplate] = []
    noises: list[MeasuredNoise] = []
    left_out: Counter[str] = Counter()
    for recording, sorting in sorted_recordings:
        with preprocess(recording, progress=progress) as pre:
            found = measure_templates(
                pre,
                sorting,
                n_samples=RESERVOIR_SAMPLES,
                trough_sample=RESERVOIR_TROUGH,
                min_spikes=min_spikes,
                seed=seed,
                progress=progress,
            )
            left_out += found.left_out
            templates += found.templates
            if found.templates:
                noises.append(measure_noise(pre, sorting, found.templates, progress=progress))
    if not templates:
        reasons = ", ".join(f"{n} {reason}" for reason, n in left_out.items()) or "there are none"
        raise InputError(
            f"no unit is good for a template ({reasons}); give a longer recording, or one with larger units"
        )
    if len(templates) == 1 and share >= 1:
        raise InputError(
            "a reservoir needs at least two cells, one for training and one for test, but one unit only is "
            "good for a template; give more sortings, or leave --share below 1 for shipped cells beside it"
        )
    cells, errors = reservoir_of(
        [(t.waveform, t.positions_um, t.noise_sd) for t in templates],
        keep_test=len(templates) > 1,
        seed=seed,
        progress=progress,
    )
    together, copies = with_shipped_cells(cells, share)
    contacts = float(np.median([_contacts(template) for template in templates]))
    pitch = float(np.median([recording.probe.pitch_um for recording, _ in sorted_recordings]))
    _warn_of_spacing(contacts, pitch)
    mean = MeasuredNoise.average(noises)
    trained = ~together.is_test.numpy()
    with replaced_files((reservoir, noise), replace=replace_files) as (new_reservoir, new_noise):
        together.save(new_reservoir, copies=copies)
        mean.save(new_noise)
    return BuiltTemplates(
        len(cells),
        int(cells.is_test.sum()),
        len(together) - len(cells),
        float(copies[: len(cells)][trained[: len(cells)]].sum() / copies[trained].sum()),
        left_out,
        (float(np.median(errors)), max(errors)),
        contacts,
        pitch,
        mean,
    )


def _contacts(template: MeasuredTemplate) -> int:
    """Contacts on which the trough is at least a part of the largest."""
    trough = -template.waveform.min(axis=0)
    return int((trough >= SEEN_SHARE * trough.max()).sum())


def _warn_of_spacing(contacts: float, pitch_um: float) -> None:
    if contacts < 2 and pitch_um > 0 and math.isfinite(pitch_um):
        log.warning(
            "most units are seen by one contact only: contacts %.0f µm apart do not tell how spikes fall off "
            "between them, so that the cells are made up there; for a denser probe measure with such a probe",
            pitch_um,
        )
