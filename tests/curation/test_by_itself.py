"""Sortings that are probable enough are used without a person, as edits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.project import Project
from ncpgui.curation.by_itself import with_probable_sortings
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.history import History
from ncpgui.evidence.tempered import widened
from tests.tiny_project import tiny_project

ONE, TWO = [0] * 60, [0] * 30 + [1] * 30


@pytest.fixture
def project() -> Project:
    """As given, the first component is one unit at 4 %, the second two at 30 %, the third one at 97 %."""
    return tiny_project(
        {0: [ONE, TWO], 1: [TWO, ONE], 2: [ONE, TWO]},
        masses={0: [0.04, 0.96], 1: [0.3, 0.7], 2: [0.97, 0.03]},
    )


def decided(project: Project) -> History:
    base = Clustering(project.unit_of_spike, project.probability, highest=project.highest_unit)
    history = History(base, project.components, project.given_labels)
    history.replay(project.history)
    return history


def n_units(history: History, project: Project) -> list[int]:
    return [len(np.unique(history.clustering.unit_of_spike[one.spike_ids])) for one in project.components]


@pytest.mark.parametrize(
    ("least", "expected", "n_decisions"), [(0.97, [1, 2, 1], 0), (0.96, [2, 2, 1], 1), (0.6, [2, 1, 1], 2)]
)
def test_what_is_probable_enough_and_not_in_use_is_used(
    project: Project, least: float, expected: list[int], n_decisions: int
) -> None:
    done, words = with_probable_sortings(project, least)
    history = decided(done)
    assert n_units(history, done) == expected
    assert len(words) == len(history.commands) == n_decisions
    assert np.array_equal(done.unit_of_spike, project.unit_of_spike)  # the sorting before it is kept


def test_a_decision_says_what_it_did_and_can_be_undone(project: Project) -> None:
    done, words = with_probable_sortings(project, 0.9)
    assert words == ("sort 0 as 2 units, by itself at 96 %",)
    history = decided(done)
    assert history.undo_words == words[0]
    history.undo()
    assert n_units(history, done) == [1, 2, 1]


def test_few_draws_and_beams_decide_nothing(project: Project) -> None:
    first = project.components[0]
    drawn = np.full(200, 1 / 200)
    labels = np.array([ONE] * 199 + [TWO])
    few = first.posterior.changed(
        rows=labels,
        log_prob=np.zeros(200),
        weight=widened(drawn, np.eye(200)[199]),
        order=None,
        drawn_weight=drawn,
    )
    for posterior in (few, first.posterior.changed(sampler="beam", order=None)):
        components = (replace(first, posterior=posterior), *project.components[1:])
        assert with_probable_sortings(replace(project, components=components), 0.9)[1] == ()


@pytest.mark.parametrize("least", [0.5, 0.0, 1.01, float("nan")])
def test_a_probability_that_decides_nothing_for_sure_is_refused(project: Project, least: float) -> None:
    with pytest.raises(InputError, match="probability"):
        with_probable_sortings(project, least)
