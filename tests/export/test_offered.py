"""What a review asks, as merges and splits that other programs can hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.given import SPIKEINTERFACE, GivenSorting
from ncpgui.core.project import Project
from ncpgui.evidence.tempered import widened
from ncpgui.export.offered import FEW_DRAWS, OfferedQuestion, offered_questions
from tests.tiny_project import tiny_project

ONE, TWO = [0] * 60, [0] * 40 + [1] * 20


def given(project: Project, names: dict[int, int | str] | None = None) -> Project:
    """The project as a review of units whose spikes the folder has in the opposite order."""
    rows = np.arange(len(project.spikes))[::-1].copy()
    return replace(project, given=GivenSorting("/data/an", SPIKEINTERFACE, rows, "d", names=names or {}))


def only(labels: list[list[int]], masses: list[float], **more: object) -> OfferedQuestion:
    (question,) = offered_questions(given(tiny_project({0: labels}, masses={0: masses}), **more))  # type: ignore[arg-type]
    return question


def test_a_unit_that_may_be_two_is_split_in_rows_of_the_folder() -> None:
    question = only([ONE, TWO], [0.1, 0.9])
    best, as_it_is = question.alternatives
    assert (best.words, best.merges, best.is_offered, best.n_left) == ("splits 0 in 2", (), True, 0)
    ((unit, (smaller,)),) = best.splits
    assert unit == 0
    assert smaller.tolist() == list(range(20))  # the last 20 spikes, which come first in the folder
    assert as_it_is.is_given
    assert question.is_open


def test_two_units_that_may_be_one_are_merged_by_number_and_called_by_name() -> None:
    question = only([TWO, ONE], [0.3, 0.7], names={0: "left", 1: "right"})
    best = question.alternatives[0]
    assert (best.merges, best.splits, best.words) == (((0, 1),), (), "merges left + right")


@pytest.mark.parametrize(("n_moved", "is_offered"), [(3, True), (12, False)])
def test_few_spikes_that_change_their_unit_stay_and_many_are_no_offer(n_moved: int, is_offered: bool) -> None:
    """Of 120 spikes 5 % are 6."""
    before = [0] * 60 + [1] * 60
    other = [0] * 60 + [0] * n_moved + [1] * (60 - n_moved)
    way = next(one for one in only([before, other], [0.5, 0.5]).alternatives if one.n_left)
    assert (way.n_left, way.is_offered, way.is_given) == (n_moved, is_offered, is_offered)


def test_a_unit_whose_halves_go_different_ways_is_no_offer() -> None:
    """It would be in a merge and in a split at once."""
    before = [0] * 60 + [1] * 10
    other = [0] * 36 + [1] * 24 + [0] * 10
    question = only([before, other], [0.2, 0.8])
    assert not question.alternatives[0].is_offered


def test_the_question_whose_answer_gains_most_comes_first_and_one_that_gains_nothing_is_not_open() -> None:
    project = tiny_project({0: [ONE], 1: [ONE, TWO], 2: [ONE, TWO]}, masses={1: [0.7, 0.3], 2: [0.1, 0.9]})
    questions = offered_questions(given(project))
    assert [one.component for one in questions] == [2, 1, 0]
    assert not questions[2].is_open


def test_beams_and_few_draws_are_said() -> None:
    project = given(tiny_project({0: [ONE, TWO]}))
    first = project.components[0]
    labels = np.array([ONE] * 199 + [TWO])
    drawn = np.full(200, 1 / 200)
    few = first.posterior.changed(
        rows=labels,
        log_prob=np.zeros(200),
        weight=widened(drawn, np.eye(200)[199]),
        order=None,
        drawn_weight=drawn,
    )
    beam = first.posterior.changed(sampler="beam", order=None)
    doubts = [
        offered_questions(replace(project, components=(replace(first, posterior=one),)))[0].doubt
        for one in (few, beam, first.posterior)
    ]
    assert doubts[0] == FEW_DRAWS
    assert "posterior" in doubts[1]
    assert doubts[2] == ""


def test_a_session_that_reviews_nothing_has_no_such_questions() -> None:
    with pytest.raises(InputError, match="no units of another program; give a session that 'ncpgui review'"):
        offered_questions(tiny_project({0: [ONE]}))
