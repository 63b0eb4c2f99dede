"""What a report tells of a session, as plain values; the page only sets it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.analysis.correlograms import correlograms
from ncpgui.app.model.colors import Color, ColorBook
from ncpgui.core.component import Component
from ncpgui.core.difference import difference
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.project import Project
from ncpgui.core.unit_table import Row
from ncpgui.evidence.gain import Gain
from ncpgui.evidence.units import component_gain, project_numbers, spikes_of_units
from ncpgui.export.from_project import main_components, project_table
from ncpgui.export.templates import templates_from_waveforms
from ncpgui.findings.analyses import Rates, ReceptiveFields
from ncpgui.findings.draws import draws
from ncpgui.findings.finding import Finding
from ncpgui.findings.propagate import propagate
from ncpgui.session.decided import DecidedSession

OPEN_UNDER = 0.95
"""Mass of the most probable alternative under which a question is open."""
LEAST_MASS = 0.01
"""Alternatives of less are not told."""
FIELD_BOOTSTRAPS = 16
BY_ITSELF = "by itself at"
"""What the words of edits have that nobody was asked about (`curation.by_itself`)."""


@dataclass(frozen=True, eq=False)
class UnitReport:
    """One unit. known : its row of `project_table`

    waveforms : (T, n_channels) mean, noise sd, None where none are kept
    snr : depth on its main channel; close, by_chance : pairs of its spikes at refractory distances
    findings : by name; note : a person's label and note
    """

    id: int
    color: Color
    known: Row
    snr: float
    waveforms: NDArray[np.float32] | None
    correlogram: NDArray[np.int64]
    close: int
    by_chance: float
    findings: dict[str, Finding]
    note: str = ""


@dataclass(frozen=True)
class Way:
    """One alternative: its mass and error, number of units, and how it differs from what is in use."""

    mass: float
    mass_se: float
    n_units: int
    words: str


@dataclass(frozen=True, eq=False)
class Question:
    """A component whose sorting is open. gained : spikes that an answer is expected to put right"""

    id: int
    channel: int
    units: tuple[int, ...]
    n_spikes: int
    gain: Gain
    alternatives: tuple[Way, ...]


@dataclass(frozen=True)
class Decided:
    """An edit in force, in words, and who made it."""

    words: str
    by: str


@dataclass(frozen=True, eq=False)
class Report:
    """All that a report tells. edges_ms : of correlograms; n_draws, level : of findings"""

    name: str
    project: Project
    units: tuple[UnitReport, ...]
    questions: tuple[Question, ...]
    n_settled: int
    decisions: tuple[Decided, ...]
    edges_ms: NDArray[np.float64]
    n_draws: int
    level: float
    has_fields: bool
    n_unassigned: int


def report_of(
    session: DecidedSession, *, name: str, n_draws: int = 50, seed: int = 0, progress: Progress = silent
) -> Report:
    """Gather what a report tells.

    Parameters
    ----------
    name : of the session, for the heading
    n_draws, seed : of the findings
    """
    project, decisions = session.as_it_stands, session.decisions
    units = decisions.unit_of_spike
    numbers = project_numbers(project, units, decisions.probability, decided=decisions.decided)
    found = _findings(session, n_draws, seed, portion(progress, 0, 9, 10))
    templates = templates_from_waveforms(project, units)
    of_unit, table = spikes_of_units(units), project_table(project, units, numbers, decisions.labels)
    book, told = ColorBook(), []
    progress(9, 10, "drawing units")
    edges = np.zeros(2)
    home = main_components(project, units)
    for place, known in enumerate(table.rows()):
        unit, main = known["id"], known["channel"]
        spike_ids = of_unit[unit]
        beside = [other for other in of_unit if home.get(other) == home.get(unit)]
        train = project.fired[spike_ids]
        counted = correlograms([train], sampling_frequency_hz=project.spikes.sampling_frequency_hz)
        edges = counted.edges_ms
        waveform = None if templates is None else templates[place]
        on_main = spike_ids[project.spikes.channel[spike_ids] == main]
        told.append(
            UnitReport(
                unit,
                book.color(unit, beside),
                known,
                float(np.abs(project.spikes.amplitude[on_main]).mean()),
                None if waveform is None or not waveform.any() else waveform,
                counted.counts[0, 0],
                int(counted.close[0, 0]),
                float(counted.expected[0, 0]),
                {name_: one for (of, name_), one in found.items() if of == unit},
                ": ".join(filter(None, (decisions.tags.get(unit), decisions.notes.get(unit)))),
            )
        )
    questions = [_question(project, component, units) for component in project.components]
    is_open = [
        one
        for one in questions
        if one.alternatives[:1] and max(w.mass for w in one.alternatives) < OPEN_UNDER
    ]
    return Report(
        name=name,
        project=project,
        units=tuple(told),
        questions=tuple(sorted(is_open, key=lambda one: -one.gain.gained)),
        n_settled=len(questions) - len(is_open),
        decisions=tuple(
            Decided(command.words, "ncpgui" if BY_ITSELF in command.words else "a person")
            for command in session.history.commands
        ),
        edges_ms=edges,
        n_draws=n_draws,
        level=0.9,
        has_fields=any("x_px" in one.findings for one in told),
        n_unassigned=int((units < 0).sum()),
    )


def _findings(
    session: DecidedSession, n_draws: int, seed: int, progress: Progress
) -> dict[tuple[Any, str], Finding]:
    """Rates, and receptive fields where white noise was shown, of units in use."""
    project = session.project
    if not len(project.spikes):
        return {}
    made = draws(session, n_draws, seed)
    in_use = made.posterior.units.tolist()
    found = dict(propagate(made, Rates(), units=in_use, seed=seed, progress=portion(progress, 0, 1, 4)))
    stimulus = project.stimulus
    if stimulus is not None and len(stimulus.frames) > 12:
        found |= propagate(
            made,
            ReceptiveFields.of_project(project),
            units=in_use,
            bootstraps=FIELD_BOOTSTRAPS,
            seed=seed,
            progress=portion(progress, 1, 4, 4),
        )
    return found


def _question(project: Project, component: Component, units: NDArray[np.int64]) -> Question:
    here = units[component.spike_ids]
    names = np.unique(here[here >= 0])
    labels = np.where(here >= 0, np.searchsorted(names, here), -1)
    alternatives = tuple(
        Way(
            alternative.mass,
            alternative.mass_se,
            alternative.n_units,
            difference(labels, alternative.labels, component.again).words(list(map(str, names.tolist()))),
        )
        for alternative in component.alternatives
        if alternative.mass >= LEAST_MASS
    )
    gain = component_gain(project, component, labels[component.sampled])
    return Question(
        component.id, component.channel, tuple(names.tolist()), len(component.spike_ids), gain, alternatives
    )
