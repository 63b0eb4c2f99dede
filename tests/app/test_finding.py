"""A finding of each unit over draws: what it depends on, and the order that it gives the queue."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.finding import (
    CHOICES,
    FindingOfUnit,
    FindingRow,
    possible_choices,
    present_finding,
    shares_of,
)
from ncpgui.app.work.finding import findings_of_units
from ncpgui.core.events import Events
from tests.doubtful_project import SIZES, component_of, posterior_of, project_of
from tests.tiny_project import tiny_project

RATE, LATENCY = CHOICES[0], CHOICES[-1]


@pytest.fixture(scope="module")
def project():
    """Units 2 and 3 are perhaps one, the others are as they are."""
    return project_of(component_of(posterior_of()))


@pytest.fixture(scope="module")
def found(project) -> dict[int, FindingOfUnit]:
    return {one.unit: one for one in findings_of_units(project, RATE.needs)[RATE.result]}


def test_the_rate_of_a_unit_is_its_mean_over_draws(project, found) -> None:
    """Unit 2 has 40 spikes, and 80 in the 28 % of the draws in which unit 3 is part of it."""
    seconds = project.spikes.duration_s
    assert found[1].mean == pytest.approx(SIZES[1] / seconds, rel=1e-6)
    assert found[2].mean == pytest.approx((40 + 0.28 * 40) / seconds, rel=0.1)
    assert found[2].in_use == pytest.approx(40 / seconds)
    assert found[3].p_there == pytest.approx(0.72, abs=0.08)


def test_a_finding_depends_on_the_questions_whose_answers_narrow_it(found) -> None:
    assert found[2].depends_on == (0,)
    assert found[2].high > 1.9 * found[2].in_use
    assert found[1].depends_on == ()
    assert found[1].from_sorting == pytest.approx(0.0, abs=1e-6)
    assert set(shares_of(tuple(found.values()))) == {0}


def test_rows_say_value_interval_and_verdict_those_that_depend_first(project, found) -> None:
    workspace = Workspace(project)
    view = present_finding(workspace, RATE, tuple(found.values()))
    first = view.rows[0]
    assert (first.unit, first.is_robust, first.question) == (2, False, 0)
    assert first.verdict == f"depends on {workspace.state.name(0)}"
    assert first.value.endswith(" Hz")
    assert " to " in first.value
    assert {row.verdict for row in view.rows[1:]} == {"robust"}
    assert view.note == "3 robust · 1 open"
    assert 0 <= first.low < first.mean < first.high <= 1
    assert "Settling" in first.tooltip
    assert "of the variance comes from the sorting" in first.tooltip


def test_units_have_the_colours_that_they_have_in_other_panels(project, found) -> None:
    workspace = Workspace(project)

    def rows() -> tuple[FindingRow, ...]:
        return present_finding(workspace, RATE, tuple(found.values())).rows

    workspace.coloring.set_apart([row.unit for row in rows()])
    assert len({row.color for row in rows()}) == len(rows())
    workspace.coloring.color_by("label")
    assert {row.color for row in rows()} == {workspace.coloring.of_unit(row.unit) for row in rows()}


@pytest.mark.parametrize(
    ("from_sorting", "verdict"),
    [(0.96, "unsure, and no question asks why"), (0.4, "robust"), (float("nan"), "robust")],
)
def test_a_unit_in_doubt_without_a_question_is_not_robust(project, found, from_sorting, verdict) -> None:
    """As one is that may hide a second cell."""
    one = replace(found[1], from_sorting=from_sorting)
    view = present_finding(Workspace(project), RATE, (found[0], one))
    row = next(row for row in view.rows if row.unit == 1)
    assert (row.verdict, row.is_robust, row.question) == (verdict, verdict == "robust", None)


def test_what_is_computed_missing_or_failed_says_so(project) -> None:
    workspace = Workspace(project)
    nothing = FindingOfUnit(0, math.nan, math.nan, math.nan, math.nan, math.nan, 1.0)
    assert "is computed" in present_finding(workspace, RATE, None).message
    assert present_finding(workspace, RATE, (), problem="no memory").message.endswith("no memory")
    assert "No unit has" in present_finding(workspace, RATE, (nothing,)).message
    assert "Open a recording" in present_finding(Workspace(), RATE, None).message


def test_only_what_the_session_has_the_data_of_can_be_looked_at(project) -> None:
    assert [one.name for one in possible_choices(Workspace(project))] == ["Firing rate"]
    with_events = replace(project, events=Events(np.array([0.001, 0.002])))
    names = [one.name for one in possible_choices(Workspace(with_events))]
    assert names == ["Firing rate", "Peak rate after events", "Latency after events"]


def test_the_peak_after_events_is_that_of_the_spikes_after_them(project) -> None:
    """Counted by hand, around an event that no spike is a whole number of bins away from."""
    peak = next(one for one in CHOICES if one.result == "peak_hz")
    timed = replace(project, events=Events(np.array([0.00013])))
    found = {one.unit: one for one in findings_of_units(timed, peak.needs)[peak.result]}
    first = project.spikes.sample_index[project.unit_of_spike == 1] / project.spikes.sampling_frequency_hz
    counts = np.histogram(first, 0.00013 + np.arange(-10, 41) * 0.02)[0]
    assert found[1].in_use == pytest.approx(counts.max() / 0.02)


def test_results_of_one_analysis_are_made_at_once(project) -> None:
    timed = replace(project, events=Events(np.array([0.00013])))
    said: list[tuple[int, int, str]] = []
    two = findings_of_units(timed, "events", progress=lambda *step: said.append(step))
    assert set(two) == {"peak_hz", "latency_s"}
    assert said[0] == (0, 1, "drawing sortings")


def test_the_queue_takes_the_order_of_a_finding_and_gets_its_own_back() -> None:
    halves = [[0] * 60 + [1] * 60, [0] * 120]
    workspace = Workspace(tiny_project({0: halves, 1: halves}))
    own = workspace.questions.queue_order()
    told: list[tuple[int, ...]] = []
    workspace.state.components_changed.connect(told.append)
    workspace.questions.ask_by("Firing rate", {own[-1]: 0.5})
    assert workspace.questions.queue_order() == own[::-1]
    assert (workspace.questions.asked_by, len(told)) == ("Firing rate", 1)
    workspace.questions.ask_by("", {})
    assert workspace.questions.queue_order() == own


def test_a_finding_depends_on_an_answer_that_narrows_it_by_a_tenth_and_is_robust_else() -> None:
    """Nearly a fifth of the variance; without questions, while less than half of it is of the sorting."""
    sure = FindingOfUnit(7, 1.0, 1.0, 0.9, 1.1, 0.49, 1.0)
    assert sure.is_robust
    assert not replace(sure, from_sorting=0.5).is_robust
    assert replace(sure, from_sorting=float("nan")).is_robust, "nothing is known of it"
    asked = replace(sure, questions=((3, 0.4), (5, 0.19), (6, 0.189)))
    assert asked.depends_on == (3, 5)
    assert not asked.is_robust
    assert replace(sure, questions=((6, 0.189),)).is_robust
