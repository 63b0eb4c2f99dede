"""A long recording is read in parts to measure units; what is decided covers all spikes all the same."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from spikeinterface.core import BaseRecording, NumpyRecording

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.alternatives import same_sorting
from ncpgui.core.errors import InputError
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.motion import Motion
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.ephys.cached_recording import KeptRecording
from ncpgui.ephys.motion import motion_of
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.stretches import PART_S
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.fitting import within
from ncpgui.sorting.parts import (
    Parts,
    filled,
    nearest_measured,
    parts_of,
    parts_of_project,
    without_own_noise,
)
from ncpgui.sorting.peeling import TemplateBank
from ncpgui.sorting.review import given_units, review_recording

from .conftest import component_of
from .planted import SAMPLING_FREQUENCY_HZ, leader_clustering
from .test_pipeline import CELLS, CONFIG, N_SAMPLES
from .two_units import two_units

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed
    from ncpgui.sorting.matched import Matched

RATE_HZ = 1000.0
FIRST, SECOND, THIRD = (cell.times for cell in CELLS)
PARTS = replace(CONFIG, motion="off", measured="parts", measured_s=4.0)
ALL = replace(PARTS, measured="all")


def parts_read(times_s: list[float], units: list[int], seconds: float, **settings: object) -> Parts | None:
    config = replace(SortingConfig(measured="parts", measured_s=4.0), **settings)
    times = np.round(np.array(times_s) * RATE_HZ).astype(np.int64)
    given = Sorting(times, np.array(units, dtype=np.int64), RATE_HZ, round(seconds * RATE_HZ))
    return parts_of(given, config, n_channels=384, n_samples=given.n_samples)


def test_parts_are_seconds_spread_evenly_from_the_first_to_the_last() -> None:
    parts = parts_read([], [], 13.5)
    assert parts is not None
    assert np.flatnonzero(parts.pieces).tolist() == [0, 4, 8, 12]
    assert parts.seconds == 4
    assert parts.stretches.tolist() == [[0, 992], [4008, 4992], [8008, 8992], [12008, 12992]]
    assert parts.words == "4 of 14 s of the traces"
    assert parts.piece_samples == round(PART_S * RATE_HZ)  # what is read at a time is what is kept


def test_the_end_of_a_recording_is_no_edge_where_its_last_second_is_whole() -> None:
    parts = parts_read([], [], 13.0)
    assert parts is not None
    assert parts.stretches[-1].tolist() == [12_008, 13_000]


@pytest.mark.parametrize(("seconds", "measured_s", "read"), [(13.0, 1.0, [0, 12]), (1.5, 0.4, [0])])
def test_the_first_and_the_last_second_are_read_at_least(
    seconds: float, measured_s: float, read: list[int]
) -> None:
    parts = parts_read([], [], seconds, measured_s=measured_s)
    assert parts is not None
    assert np.flatnonzero(parts.pieces).tolist() == read


@pytest.mark.parametrize(
    ("time_s", "counts"), [(6.015, False), (6.016, True), (6.983, True), (6.984, False), (13.2, False)]
)
def test_spikes_near_the_ends_of_a_second_are_none_that_it_holds(time_s: float, counts: bool) -> None:
    """Twice 8 ms: those of the edge, and those of which a template does not lie in it."""
    parts = parts_read([time_s], [0], 13.5)
    assert parts is not None
    assert parts.pieces[6] == counts


def test_everything_is_read_of_what_is_short_and_where_it_is_asked_for() -> None:
    assert parts_read([], [], 8.0) is None
    assert parts_read([], [], 8.1) is not None
    assert parts_read([], [], 100.0, measured="all") is None
    assert parts_read([], [], 300.0, measured="auto") is None  # 384 channels, the limit is 64 of half an hour
    assert parts_read([], [], 301.0, measured="auto") is not None


def test_seconds_that_hold_what_units_lack_come_to_them() -> None:
    """Unit 1 fires in second 6 only, three times, and in second 9 once; unit 0 in those that are read."""
    parts = parts_read([0.2, 0.4, 4.5, 6.2, 6.5, 6.8, 9.5], [0, 0, 0, 1, 1, 1, 1], 13.0)
    assert parts is not None
    assert np.flatnonzero(parts.pieces).tolist() == [0, 4, 6, 8, 9, 12]


def test_no_more_than_as_many_again_but_for_units_that_have_hardly_a_spike() -> None:
    """Fifty seconds hold a spike each of unit 0: four are read, four more, and others until it has enough."""
    times, units = [k + 0.5 for k in range(50)], [0] * 50
    for least, seconds in ((5, 8), (20, 20)):
        parts = parts_read(times, units, 50.0, min_cluster_spikes=least)
        assert parts is not None
        assert parts.seconds == seconds


def test_a_spike_that_was_not_measured_is_as_the_nearest_of_its_unit_that_was() -> None:
    times = np.array([0, 10, 20, 30, 41, 50, 60])
    unit = np.array([0, 1, 0, 0, 0, 2, 0])
    measured = np.array([True, True, False, False, True, False, False])
    assert nearest_measured(times, unit, measured).tolist() == [0, 1, 0, 4, 4, -1, 4]


def test_of_two_measured_spikes_as_near_the_later_one_is_taken() -> None:
    times, unit = np.array([0, 20, 40]), np.zeros(3, np.int64)
    assert nearest_measured(times, unit, np.array([True, False, True])).tolist() == [0, 2, 2]


def test_spikes_that_were_not_measured_have_what_the_nearest_of_their_unit_has() -> None:
    """Of unit 0 the first and the last were measured; of unit 1 none was."""
    found = two_units(np.zeros(2), np.zeros(2, bool), np.array([10, 90]), apart=4.0)
    amplitude, shift = np.array([2, 3], np.float32), np.array([0.25, 0.5], np.float32)
    gain = np.array([[2500, 7], [2600, 8]], np.float32)
    found = replace(found, amplitude=amplitude, shift_samples=shift, gain=gain)
    times, unit = np.array([10, 30, 50, 80, 90]), np.array([0, 0, 1, 0, 0])
    measured = np.array([True, False, False, False, True])
    every = filled(found, times, unit, measured)
    assert every.sample_index.tolist() == times.tolist()
    assert every.unit.tolist() == unit.tolist()
    assert every.amplitude.tolist() == [2, 2, 1, 3, 3]
    assert every.shift_samples.tolist() == [0.25, 0, 0, 0, 0.5]
    assert every.gain[:, 1].tolist() == [7, 7, 0, 8, 8]
    assert every.gain[2, 0] == 0
    assert every.gain[1, 0] == every.gain[0, 0] != 0
    assert every.n_of_templates.tolist() == [2, 0]


def test_stretches_hold_what_lies_in_one_of_them() -> None:
    stretches = np.array([[0, 10], [20, 30]])
    first, last = np.array([0, 5, 8, 12, 20, 25, -1]), np.array([10, 11, 21, 18, 30, 31, 3])
    assert within(first, last, stretches).tolist() == [True, False, False, False, True, False, False]


@pytest.mark.parametrize("wrong", ["some", ""])
def test_an_unknown_way_to_measure_names_those_that_there_are(wrong: str) -> None:
    with pytest.raises(InputError, match=f"measured must be one of 'auto', 'all', 'parts', got '{wrong}'"):
        SortingConfig(measured=wrong)


def test_parts_of_no_length_are_refused() -> None:
    with pytest.raises(InputError, match="measured_s must be positive, got 0"):
        SortingConfig(measured_s=0.0)


@pytest.fixture(scope="module")
def sorting() -> Sorting:
    """The first two cells are one unit, the third is cut in two."""
    times = np.concatenate([FIRST, SECOND, THIRD[::2], THIRD[1::2]])
    units = np.repeat([40, 40, 7, 12], [len(FIRST), len(SECOND), len(THIRD[::2]), len(THIRD[1::2])])
    order = np.argsort(times, kind="stable")
    return Sorting(times[order], units[order], SAMPLING_FREQUENCY_HZ, N_SAMPLES)


def reviewed(recording: ArrayRecording, sorting: Sorting, config: SortingConfig) -> Project:
    given = GivenSorting("/data/phy", PHY, np.arange(len(sorting)), "d", sorting.labels)
    return review_recording(recording, sorting, given, config, cluster=leader_clustering)


@pytest.fixture(scope="module")
def in_parts(recording: ArrayRecording, sorting: Sorting) -> Project:
    return reviewed(recording, sorting, PARTS)


def test_a_unit_of_two_cells_is_parted_to_the_last_spike(in_parts: Project) -> None:
    component = component_of(in_parts, 40)
    best = max(component.alternatives[1:], key=lambda way: way.mass)
    truth = np.isin(in_parts.spikes.sample_index[component.spike_ids], FIRST)
    assert same_sorting(best.labels, truth.astype(int))
    assert best.mass == pytest.approx(0.75)


def test_two_units_of_one_cell_may_be_one_with_all_their_spikes(in_parts: Project) -> None:
    component = component_of(in_parts, 7)
    assert len(component.spike_ids) == len(THIRD)
    assert [way.n_units for way in component.alternatives] == [2, 1]
    assert (component.alternatives[1].labels == 0).all()
    given = in_parts.unit_of_spike[component.spike_ids] == 7
    assert same_sorting(component.alternatives[0].labels, given.astype(int))


def test_questions_are_those_of_the_whole_recording(
    recording: ArrayRecording, sorting: Sorting, in_parts: Project
) -> None:
    whole = reviewed(recording, sorting, ALL)
    assert [one.spike_ids.tolist() for one in whole.components] == [
        one.spike_ids.tolist() for one in in_parts.components
    ]
    for one, other in zip(whole.components, in_parts.components, strict=True):
        for way, beside in zip(one.alternatives, other.alternatives, strict=True):
            assert same_sorting(way.labels, beside.labels)
            assert way.mass == pytest.approx(beside.mass)
    assert whole.p_neuron is not None
    assert in_parts.p_neuron is not None
    np.testing.assert_allclose(whole.p_neuron, in_parts.p_neuron, atol=0.02)


def test_gains_are_as_if_a_template_were_a_mean_of_all_spikes() -> None:
    """Unit 0 is 5 high on 4 samples, a mean of 2 of 4 spikes: it holds 4 / 2 of each, and not 4 / 4."""
    bank = TemplateBank(np.full((2, 4, 1), 5, np.float32), 1)
    gain = np.array([[100, 3], [100, 4], [100, 5]], np.float32)
    found = SimpleNamespace(bank=bank, unit=np.array([0, 0, 1]), gain=gain, n_units=2)
    changed = without_own_noise(cast("Matched", found), np.array([4, 1]))
    np.testing.assert_allclose(changed[:, 0], [124**2 / 125 - 25, 124**2 / 125 - 25, 100], rtol=1e-6)
    np.testing.assert_array_equal(changed[:, 1], [3, 4, 5])


def test_a_project_tells_its_parts_and_a_sorting_of_our_own_has_none(in_parts: Project) -> None:
    found = parts_of_project(in_parts)
    assert found is not None
    assert "s of" in found.words
    assert parts_of_project(replace(in_parts, given=None)) is None


def test_where_no_unit_is_parted_nothing_but_the_parts_is_read(
    recording: ArrayRecording, sorting: Sorting, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = np.isin(sorting.unit_id, [7, 12])
    halves = replace(sorting, sample_index=sorting.sample_index[only], unit_id=sorting.unit_id[only])
    with closing(given_units(recording, halves, PARTS)) as found:
        read: list[tuple[int, int]] = []
        traces = type(found.pre.in_noise_sd).get_traces

        def seen(self: KeptRecording, **options: int) -> object:
            read.append((options["start_frame"], options["end_frame"]))
            return traces(self, **options)

        monkeypatch.setattr(KeptRecording, "get_traces", seen)
        sampled, failed = sample_components(found, found.draws, cluster=leader_clustering)
    assert len(sampled) == 1
    assert failed == {}
    measured = found.units.matched.measured
    assert measured is not None
    assert 0 < measured.sum() < 0.6 * len(measured)
    parts = parts_of(halves, PARTS, n_channels=4, n_samples=recording.n_samples)
    assert parts is not None
    assert read
    size = round(SAMPLING_FREQUENCY_HZ)
    for start, stop in read:
        assert parts.pieces[start // size]
        assert parts.pieces[(stop - 1) // size]


def test_noise_is_measured_in_the_stretches_that_are_looked_at(recording: ArrayRecording) -> None:
    """One of the channels is twice as loud in the second half, which is not looked at."""
    traces = recording.traces(0, N_SAMPLES).copy()
    traces[N_SAMPLES // 2 :, 3] *= 2
    louder = ArrayRecording(traces, sampling_frequency_hz=SAMPLING_FREQUENCY_HZ, probe=recording.probe)
    with preprocess(louder, reference="none") as pre:
        pre.look_at(np.array([[0, 60_000], [80_000, 140_000]]))
        assert pre.looked_at.get_num_samples() == 120_000
        last = pre.looked_at.get_traces(start_frame=119_000, end_frame=120_000)
        np.testing.assert_array_equal(last, pre.traces(139_000, 140_000))
        quiet = pre.whitened(where_looked_at=True).get_traces().std(axis=0)
        loud = pre.whitened().get_traces(start_frame=N_SAMPLES // 2, end_frame=N_SAMPLES).std(axis=0)
    assert loud[3] / quiet[3] == pytest.approx(2, rel=0.2)
    assert loud[0] / quiet[0] == pytest.approx(1, rel=0.2)


def test_motion_by_parts_is_at_the_times_of_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the seconds from 0 and from 3 on: what is seen at 1.5 s of these two is at 3.5 s."""
    seen: list[int] = []

    def estimate(pre: object, preset: str, axis: int, traces: BaseRecording) -> Motion:
        seen.append(traces.get_num_samples())
        times = np.array([0.5, 1.5])
        return Motion(times, np.zeros(1), np.array([[0.0], [9.0]]), axis=axis, peak_time_s=times + 0.25)

    monkeypatch.setattr("ncpgui.ephys.motion._estimated", estimate)
    depths = Probe(np.column_stack([np.zeros(16), 20.0 * np.arange(16)]))
    pre = SimpleNamespace(
        probe=depths,
        good_channels=np.arange(16),
        n_samples=30_000,
        sampling_frequency_hz=RATE_HZ,
        in_noise_sd=NumpyRecording(np.zeros((30_000, 16), np.float32), sampling_frequency=RATE_HZ),
    )
    found = motion_of(cast("Preprocessed", pre), stretches=np.array([[0, 1000], [3000, 4000]]))
    assert found.time_s.tolist() == [0.5, 3.5]
    assert found.peak_time_s.tolist() == [0.75, 3.75]
    assert found.applied
    assert seen == [2000]


def test_those_that_part_a_unit_are_left_where_nothing_more_is_to_be_read(
    recording: ArrayRecording, sorting: Sorting
) -> None:
    with closing(given_units(recording, sorting, PARTS)) as found:
        sampled, failed = sample_components(found, found.draws, cluster=leader_clustering, complete=False)
    assert failed == {}
    assert all(waveforms.coordinates is None for _, waveforms in sampled.values())
    (left,) = [draw for draw in found.draws if draw.id not in sampled]
    assert set(sorting.unit_id[left.spike_ids].tolist()) == {40}
