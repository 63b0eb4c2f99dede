"""A review in the words of the analyzer: what is used in its curation makes those units there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from spikeinterface.core import NumpySorting
from spikeinterface.curation import apply_curation

from ncpgui.core.errors import InputError
from ncpgui.core.given import SPIKEINTERFACE, GivenSorting
from ncpgui.core.project import Project
from ncpgui.export.reviewed_analyzer import ReviewedAnalyzer
from tests.tiny_project import RATE, tiny_project

pytestmark = pytest.mark.filterwarnings("ignore")
N_ONE, N_PART = 60, 20
TWO_OF_ONE = [0] * (N_ONE - N_PART) + [1] * N_PART


def reviewed(stray: int | None = None) -> tuple[Project, NumpySorting]:
    """Unit b may be two; c and d may be one; a is in no question. The folder has spikes in order of time.

    stray : sample of a spike of b that the recording does not have
    """
    project = tiny_project(
        {0: [[0] * 60], 1: [[0] * N_ONE, TWO_OF_ONE], 2: [[0] * 30 + [1] * 30, [0] * 60]},
        masses={1: [0.1, 0.9], 2: [0.2, 0.8]},
    )
    names: dict[int, int | str] = dict(enumerate("abcd"))
    trains = {
        name: project.spikes.sample_index[project.unit_of_spike == unit] for unit, name in names.items()
    }
    rows = np.arange(len(project.spikes))
    if stray is not None:
        trains["b"] = np.append(trains["b"], stray)
    sorting = NumpySorting.from_unit_dict([trains], RATE)
    given = GivenSorting("/data/an", SPIKEINTERFACE, rows, "d", names=names, highest=3)
    return replace(project, given=given), sorting


def empty(sorting: NumpySorting) -> dict[str, Any]:
    return {
        "format_version": "2",
        "unit_ids": sorting.unit_ids.tolist(),
        "label_definitions": {"quality": {"label_options": ["good", "noise", "MUA"], "exclusive": True}},
        "manual_labels": [],
        "merges": [],
        "splits": [],
        "removed": [],
    }


def sizes(sorting: NumpySorting, curation: dict[str, Any]) -> list[int]:
    after = apply_curation(sorting, curation)
    return sorted(after.count_num_spikes_per_unit(outputs="array").tolist())


def test_ways_that_are_used_are_the_units_that_spikeinterface_makes() -> None:
    project, sorting = reviewed()
    review = ReviewedAnalyzer.of(project, sorting)
    curation = empty(sorting)
    for name in ("b", "c"):
        question = review.about([np.str_(name)])
        assert question is not None
        curation = review.chosen(curation, question, question.alternatives[0])
        assert [review.is_chosen(curation, question, way) for way in question.alternatives] == [True, False]
    assert sizes(sorting, curation) == [N_PART, N_ONE - N_PART, 60, 60]
    question = review.about(["b"])
    assert question is not None
    curation = review.chosen(curation, question, question.alternatives[1])  # as given: the split goes
    assert sizes(sorting, curation) == [60, 60, 60]


def test_a_spike_that_the_recording_lacks_stays_with_the_larger_part() -> None:
    project, sorting = reviewed(stray=10**6)
    review = ReviewedAnalyzer.of(project, sorting)
    question = review.about(["b"])
    assert question is not None
    curation = review.chosen(empty(sorting), question, question.alternatives[0])
    assert sizes(sorting, curation) == [N_PART, 30, 30, N_ONE - N_PART + 1, 60]


def test_questions_go_around_and_those_that_gain_nothing_are_passed_over() -> None:
    review = ReviewedAnalyzer.of(*reviewed())
    first = review.after(None)
    assert first is not None
    second = review.after(first)
    assert second is not None
    assert {*review.units(first), *review.units(second)} == {"b", "c", "d"}
    assert review.after(second) is first
    assert review.after(first, -1) is second
    assert review.after(review.about(["a"])) is first
    assert review.about(["nobody"]) is None


def test_units_that_changed_since_are_told_by_their_spikes() -> None:
    review = ReviewedAnalyzer.of(*reviewed())
    question = review.about(["c"])
    assert question is not None
    assert review.is_there(question, {"c": 30, "d": 30})
    assert not review.is_there(question, {"c": 60})
    assert not review.is_there(question, {"c": 30, "d": 29})


def test_a_way_that_moves_spikes_between_units_is_refused_with_the_way_out() -> None:
    moved = tiny_project({0: [[0] * 60, TWO_OF_ONE], 1: [[0] * 30 + [1] * 30, [0] * 45 + [1] * 15]})
    names: dict[int, int | str] = dict(enumerate("abc"))
    trains = {name: moved.spikes.sample_index[moved.unit_of_spike == unit] for unit, name in names.items()}
    sorting = NumpySorting.from_unit_dict([trains], RATE)
    given = GivenSorting("/data/an", SPIKEINTERFACE, np.arange(120), "d", names=names)
    review = ReviewedAnalyzer.of(replace(moved, given=given), sorting)
    question = review.about(["b"])
    assert question is not None
    with pytest.raises(InputError, match="whole merges and splits only; use the way in ncpgui"):
        review.chosen(empty(sorting), question, question.alternatives[1])


@pytest.mark.parametrize("change", ["another unit", "another spike", "fewer spikes"])
def test_an_analyzer_of_other_units_or_spikes_is_refused(change: str) -> None:
    project, sorting = reviewed()
    trains = {name: sorting.get_unit_spike_train(name) for name in sorting.unit_ids}
    if change == "another unit":
        trains["x"] = trains.pop("d")
    elif change == "another spike":
        trains["a"], trains["b"] = trains["a"][:-1], np.append(trains["a"][-1:], trains["b"])
    else:
        trains["d"] = trains["d"][:-1]
    with pytest.raises(InputError, match="Review the analyzer again: ncpgui review FOLDER"):
        ReviewedAnalyzer.of(project, NumpySorting.from_unit_dict([trains], RATE))
