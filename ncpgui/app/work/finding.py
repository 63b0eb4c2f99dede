"""A finding of each unit over draws of the whole sorting, and the questions that it depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ncpgui.app.presenters.finding import FindingChoice, FindingOfUnit
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project

if TYPE_CHECKING:
    from ncpgui.findings.propagate import TrainAnalysis

N_DRAWS = 50
BOOTSTRAPS = 40


@dataclass(frozen=True)
class Chosen:
    """What is computed: a project with its history, and the finding that was chosen."""

    project: Project
    choice: FindingChoice


def findings_of_units(chosen: Chosen, *, progress: Progress = silent) -> tuple[FindingOfUnit, ...]:
    """Intervals of all units in use, and how much the answer to each question narrows them.

    Raises
    ------
    InputError
        The project has no posterior.
    """
    from ncpgui.findings.draws import draws
    from ncpgui.findings.effects import effects
    from ncpgui.findings.propagate import propagate
    from ncpgui.session.decided import decided

    progress(0, 1, "drawing sortings")
    made = draws(decided(chosen.project), N_DRAWS)
    result = chosen.choice.result
    found = propagate(made, _analysis(chosen), bootstraps=BOOTSTRAPS, progress=progress)
    narrowed: dict[int, list[tuple[int, float]]] = {}
    for one in effects(made, found, names=[result]):
        if isinstance(one.of, int):
            narrowed.setdefault(one.of, []).append((one.component, one.share))
    return tuple(
        FindingOfUnit(
            unit=unit,
            in_use=float(of_unit.in_use),
            mean=float(of_unit.mean),
            low=float(of_unit.low),
            high=float(of_unit.high),
            from_sorting=float(of_unit.from_sorting),
            p_there=float(of_unit.p_there),
            questions=tuple(narrowed.get(unit, ())),
        )
        for unit in made.posterior.units.tolist()
        if (of_unit := found.found.get((unit, result))) is not None
    )


def _analysis(chosen: Chosen) -> TrainAnalysis:
    from ncpgui.findings.analyses import Psth, Rates, ReceptiveFields

    project, needs = chosen.project, chosen.choice.needs
    if needs == "stimulus":
        assert project.stimulus is not None
        return ReceptiveFields(project.stimulus)
    if needs == "events":
        assert project.events is not None
        recording, rate_hz = project.recording, project.spikes.sampling_frequency_hz
        position = recording.clock.positions(np.sort(project.events.time_s))
        return Psth((position + recording.first_sample) / rate_hz)  # as trains of draws are
    return Rates()
