"""Metrics and firing times of pairs: computed once, again when spikes change, and not when nobody looks."""

from __future__ import annotations

import pytest
from app_fakes import FakeJobs
from later import Later

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.work import jobs, unit_evidence
from ncpgui.app.work.tasks import Immediate
from ncpgui.app.work.unit_evidence import UnitEvidence
from ncpgui.core.project import Project


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Units of each call of the work."""
    calls: list[list[int]] = []
    real = jobs.unit_metrics

    def spy(trains, *rest, progress):
        calls.append(sorted(trains))
        return real(trains, *rest, progress=progress)

    monkeypatch.setattr(jobs, "unit_metrics", spy)
    return calls


def test_metrics_are_computed_of_all_units_once_somebody_wants_them(
    workspace: Workspace, computed: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_evidence, "UNITS_AT_ONCE", 2)
    evidence = UnitEvidence(workspace, Immediate())
    assert evidence.metrics == {}
    evidence.want_metrics(True)
    evidence.want_metrics(True)
    assert computed == [[0, 1], [2, 3], [4]]
    assert sorted(evidence.metrics) == [0, 1, 2, 3, 4]
    assert evidence.metrics[0].isi_violations_ratio == 0


def test_an_edit_computes_those_of_its_units_again(workspace: Workspace, computed: list[list[int]]) -> None:
    evidence = UnitEvidence(workspace, Immediate())
    evidence.want_metrics(True)
    workspace.merge((0, 1))
    assert computed[1:] == [[5]]
    assert sorted(evidence.metrics) == [2, 3, 4, 5]
    workspace.undo()
    assert computed[2:] == [[0, 1]]
    workspace.label((2,), "good")
    assert len(computed) == 3


def test_nothing_is_computed_of_what_nobody_wants_any_more(project: Project) -> None:
    runner = Later()
    workspace = Workspace(project)
    evidence = UnitEvidence(workspace, runner)
    evidence.want_metrics(True)
    evidence.want_metrics(False)
    runner.run()
    assert evidence.metrics == {}
    evidence.want_metrics(True)
    runner.run()
    assert sorted(evidence.metrics) == [0, 1, 2, 3, 4]


def test_an_edit_while_metrics_are_computed_makes_those_of_its_units_late(project: Project) -> None:
    runner = Later()
    workspace = Workspace(project)
    evidence = UnitEvidence(workspace, runner)
    evidence.want_metrics(True)
    workspace.merge((0, 1))
    runner.run()
    assert sorted(evidence.metrics) == [2, 3, 4, 5]


def test_firing_times_of_a_pair_are_asked_for_once(workspace: Workspace, fake: FakeJobs) -> None:
    told: list[str] = []
    evidence = UnitEvidence(workspace, Immediate())
    evidence.changed.connect(lambda: told.append("changed"))
    evidence.ask_pairs(1, [0, 2])
    evidence.ask_pairs(0, [1])
    assert sorted(evidence.nats) == [(0, 1), (1, 2)]
    assert told == ["changed"]
    workspace.merge((0, 1))
    assert evidence.nats == {}


def test_another_project_forgets_everything(workspace: Workspace) -> None:
    evidence = UnitEvidence(workspace, Immediate())
    evidence.want_metrics(True)
    evidence.ask_pairs(0, [1])
    workspace.close()
    assert evidence.metrics == evidence.nats == {}
