"""What ``ncpgui info`` says of a recording, and how it counts what an answer gains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.cli import info
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.evidence.units import component_gain
from tests.tiny_project import tiny_project


def told(**about: object) -> str:
    return info._part({"stream": None, "time_range_s": None, "bad_channels": [], **about})


def test_of_a_whole_recording_no_part_is_told() -> None:
    assert told() == ""


def test_a_part_is_told_by_its_stream_its_seconds_and_what_was_left_out() -> None:
    words = told(stream="Rhythm", time_range_s=(0.5, 60.0), bad_channels=[1, 2, 3, 4])
    assert words == "stream Rhythm, 0.5 to 60 s, without channels 1, 2, 3, 4"
    assert told(bad_channels=[1, 2, 3, 4, 9]) == "without channels 1, 2, 3, 4 …"


@pytest.mark.parametrize(
    ("recording", "words"),
    [
        ({"has_traces": True, "path": "/data/a.raw", "found": True}, "/data/a.raw"),
        ({"has_traces": True, "path": "/data/a.raw", "found": False}, "/data/a.raw  (not found)"),
        ({"has_traces": True, "path": "", "found": True}, "in memory"),
        (
            {"has_traces": False, "path": "", "found": False},
            "none: the sorting was opened without its raw data",
        ),
    ],
)
def test_where_a_recording_is_is_told_and_whether_it_is_there(
    recording: dict[str, object], words: str
) -> None:
    assert info._where(recording) == words


@pytest.mark.parametrize(
    ("masses", "words"),
    [
        ([(1, 0.5), (2, 0.496)], "1 (50%), 2 (50%)"),  # less than half a per cent is no row of its own
        ([(1, 0.5), (2, 0.49)], "1 (50%), 2 (49%), other (1%)"),
        ([(1, 0.6), (3, 0.4), (2, 0.0)], "1 (60%), 3 (40%)"),
        ([(1, 0.3), (2, 0.25), (3, 0.2), (4, 0.15), (5, 0.1)], "1 (30%), 2 (25%), 3 (20%), 4 (15%)"),
    ],
)
def test_the_likeliest_four_numbers_of_units_are_told(masses: list[tuple[int, float]], words: str) -> None:
    assert info._numbers_of_units([{"n_units": n, "mass": mass} for n, mass in masses]) == words


def test_labels_gain_what_is_expected_wrong_of_units_without_one_in_the_component_where_they_are() -> None:
    """Eight spikes at 0.75 and four at 0.5 in the first, five certain ones in the other."""
    project = tiny_project({0: [[0] * 8 + [1] * 4], 2: [[0] * 5]})
    p_neuron = np.repeat([0.75, 0.5, 1.0], [8, 4, 5]).astype(np.float32)
    project = replace(project, p_neuron=p_neuron)
    units = project.unit_of_spike
    open_ = CuratedSorting(units, project.probability, {0: "unsorted"}, frozenset(), units)
    assert info._label_gains(project, open_) == pytest.approx({0: 8 / 4 + 4 / 2, 2: 0.0})
    labelled = replace(open_, labels={0: "noise"})
    assert info._label_gains(project, labelled) == pytest.approx({0: 4 / 2, 2: 0.0})
    accepted = replace(open_, accepted=frozenset({1, 2}))
    assert info._label_gains(project, accepted) == pytest.approx({0: 8 / 4})
    assert info._label_gains(replace(project, p_neuron=None), open_) == {}


def test_units_and_spikes_of_none_are_counted_as_they_stand() -> None:
    project = tiny_project({0: [[0, 0, 0, 1, -1, -1]]})
    units = project.unit_of_spike
    values = info.describe(
        project, CuratedSorting(units, project.probability, {1: "good"}, frozenset(), units)
    )
    assert (values["n_spikes"], values["n_units"], values["n_unassigned"]) == (6, 2, 2)
    assert [(unit["id"], unit["n_spikes"]) for unit in values["units"]] == [(0, 3), (1, 1)]
    assert values["units"][1]["label"] == "good"
    assert values["components"][0]["unit_ids"] == [0, 1]
    assert not values["recording"]["found"]


@pytest.mark.parametrize(
    ("units", "labels"),
    [
        ([5, 5, 5, 5, 9, 9, 9, 9], [0, 0, 0, 0, 1, 1, 1, 1]),
        ([9, 9, 9, 9, -1, -1, -1, -1], [0, 0, 0, 0, -1, -1, -1, -1]),
        ([9] * 8, [0] * 8),
    ],
)
def test_what_an_answer_gains_is_of_the_sorting_as_it_stands_whatever_the_numbers_of_units(
    units: list[int], labels: list[int]
) -> None:
    """Of eight spikes four are a second unit with a probability of 0.4."""
    ways = [[0] * 4 + [1] * 4, [0] * 8]
    project = tiny_project({0: ways}, masses={0: [0.4, 0.6]})
    component = project.components[0]
    expected = component_gain(project, component, np.array(labels))
    assert info._gain(project, component, np.array(units)) == expected
