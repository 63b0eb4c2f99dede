"""What a project and the reference to its recording say of themselves, on a dozen spikes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.clock import Clock
from ncpgui.core.given import GivenSorting
from ncpgui.core.project import NO_TRACES, RecordingReference
from tests.tiny_project import tiny_project, unsampled

REFERENCE = RecordingReference("/data/a.raw", {}, "0" * 64, 4, 1000.0, 500)
GIVEN = GivenSorting("/data/sorted", "phy", np.arange(2), "", labels={3: "good"}, highest=8)


def test_seconds_of_a_part_count_from_the_begin_of_the_whole() -> None:
    assert REFERENCE.clock.seconds([0, 20]) == pytest.approx([0.0, 0.02])
    assert replace(REFERENCE, first_sample=100).clock.seconds([0, 20]) == pytest.approx([0.1, 0.12])
    late = replace(REFERENCE, first_sample=100, own_clock=Clock(1000.0, [0], [7.0]))
    assert late.clock.seconds([0, 20]) == pytest.approx([7.1, 7.12])
    assert late.whole_clock.seconds(0) == 7.0


def test_the_clock_is_told_where_seconds_do_not_count_from_the_first_sample() -> None:
    assert REFERENCE.clock_words == ""
    assert replace(REFERENCE, own_clock=Clock(1000.0, [0], [7.0])).clock_words == "from 7 to 7.5 s"


def test_a_recording_has_traces_unless_it_was_opened_without() -> None:
    assert REFERENCE.has_traces
    assert not replace(REFERENCE, fingerprint=NO_TRACES).has_traces
    assert (REFERENCE.first_sample, REFERENCE.second_0) == (0, "")


def test_the_highest_unit_is_that_of_a_spike_or_was_once_in_use() -> None:
    project = tiny_project({0: [[0, 0, 1]]})
    assert project.highest_unit == 1
    assert replace(project, unit_of_spike=np.array([-1, -1, -1])).highest_unit == -1
    assert replace(project, highest=5).highest_unit == 5
    assert replace(project, highest=5, given=GIVEN).highest_unit == 8
    assert replace(project, highest=9, given=GIVEN).highest_unit == 9


def test_each_spike_has_the_component_that_has_it_sampled_or_waiting() -> None:
    project = tiny_project({0: [[0, 0]], 2: [[0, 0, 1]]})
    assert project.component_of_spike.tolist() == [0, 0, 2, 2, 2]
    assert unsampled(project, 0).component_of_spike.tolist() == [0, 0, 2, 2, 2]
    assert replace(project, components=project.components[1:]).component_of_spike.tolist() == [
        -1,
        -1,
        2,
        2,
        2,
    ]


def test_a_component_is_found_by_its_id() -> None:
    project = tiny_project({0: [[0, 0]], 2: [[0, 0, 1]]})
    found = project.component(2)
    assert found is not None
    assert found.spike_ids.tolist() == [2, 3, 4]
    assert project.component(1) is None


def test_a_project_is_known_by_its_recording_or_else_by_its_sorting() -> None:
    project = tiny_project({0: [[0, 0]]})
    assert project.place == "/data/tiny.raw"
    in_memory = replace(project, recording=replace(REFERENCE, path=""))
    assert in_memory.place == ""
    assert replace(in_memory, given=GIVEN).place == "/data/sorted"
    assert replace(project, given=GIVEN).place == "/data/tiny.raw"


def test_labels_and_small_clusters_are_as_the_sorting_says() -> None:
    project = tiny_project({0: [[0, 0]]})
    assert (project.given_labels, project.min_cluster_spikes) == ({}, 0)
    told = replace(project, given=GIVEN, settings={"min_cluster_spikes": 7})
    assert (told.given_labels, told.min_cluster_spikes) == ({3: "good"}, 7)


def test_spikes_on_the_sides_of_a_gap_fired_as_far_apart_as_they_were() -> None:
    project = tiny_project({0: [[0, 0, 0]]})  # samples 100, 200 and 300
    clock = Clock(20_000.0, [0, 149, 150], [0.0, 149 / 20e3, 1 + 150 / 20e3])
    gap = replace(project, recording=replace(project.recording, own_clock=clock))
    assert np.diff(project.fired).tolist() == [100, 100]
    assert np.diff(gap.fired).tolist() == [20_100, 100]
