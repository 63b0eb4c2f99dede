"""A finding of each unit over draws of the whole sorting, and the questions that it depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncpgui.app.presenters.finding import CHOICES, FindingOfUnit, Needs
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project

if TYPE_CHECKING:
    from ncpgui.findings.finding import Key
    from ncpgui.findings.propagate import TrainAnalysis

N_DRAWS = 50
BOOTSTRAPS = 40


def findings_of_units(
    project: Project, needs: Needs, *, progress: Progress = silent
) -> dict[str, tuple[FindingOfUnit, ...]]:
    """Intervals of all units in use by the name of the result, and how much the answers narrow them.

    All results that need the same come of one analysis, and are made at once.

    project : with everything done in its history; needs : what the results need of it

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
    made = draws(decided(project), N_DRAWS)
    results = [one.result for one in CHOICES if one.needs == needs]
    found = propagate(made, _analysis(project, needs), bootstraps=BOOTSTRAPS, progress=progress)
    narrowed: dict[tuple[Key, str], list[tuple[int, float]]] = {}
    for one in effects(made, found, names=results):
        narrowed.setdefault((one.of, one.name), []).append((one.component, one.share))
    return {
        result: tuple(
            FindingOfUnit(
                unit=unit,
                in_use=float(of_unit.in_use),
                mean=float(of_unit.mean),
                low=float(of_unit.low),
                high=float(of_unit.high),
                from_sorting=float(of_unit.from_sorting),
                p_there=float(of_unit.p_there),
                questions=tuple(narrowed.get((unit, result), ())),
            )
            for unit in made.posterior.units.tolist()
            if (of_unit := found.found.get((unit, result))) is not None
        )
        for result in results
    }


def _analysis(project: Project, needs: Needs) -> TrainAnalysis:
    from ncpgui.findings.analyses import Psth, Rates, ReceptiveFields

    if needs == "stimulus":
        return ReceptiveFields.of_project(project)
    if needs == "events":
        assert project.events is not None
        return Psth(project.events.time_s)
    return Rates()
