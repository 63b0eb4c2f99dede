"""A real recording has no truth, but the same neurons: in both halves, with every seed, and inserted ones.

Units are clear if they are 6 noise sd high on average, are neurons with a probability of 0.8, and have 30
spikes. Two sortings have the same unit where 80 % of the spikes of either are in both (65 % where one of them
has half of the recording), within 0.4 ms.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from spikeinterface.core import NumpySorting, read_binary

from benchmarks.recordings.real_backgrounds import hybrid
from benchmarks.recordings.unit_scores import near, scores
from ncpgui.core.project import Project
from ncpgui.ephys.readers import open_recording, recording_of
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording

pytestmark = [
    pytest.mark.slow,
    pytest.mark.shared_data,
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings("ignore"),
]
CLEAR_SD, CLEAR_P, CLEAR_SPIKES = 6.0, 0.8, 30
SAME, SAME_OF_A_HALF = 0.8, 0.65
RATE_HZ = 15_000.0
HALF_S = 14.38
TETRODE = {"n_channels": 4, "sampling_frequency": RATE_HZ, "probe": "tetrode"}

Trains = list[NDArray[np.int64]]


def sorted_from(path: Path, seed: int = 0, time_range_s: tuple[float, float] | None = None) -> Project:
    opened = open_recording(path, time_range_s=time_range_s, **TETRODE)
    return sort_recording(opened, SortingConfig(seed=seed), workers=1)


def all_trains(project: Project) -> Trains:
    unit, sample = project.unit_of_spike, project.spikes.sample_index
    return [sample[unit == k] for k in range(unit.max(initial=-1) + 1)]


def clear_trains(project: Project) -> Trains:
    unit, height = project.unit_of_spike, np.abs(project.spikes.amplitude)
    assert project.p_neuron is not None
    return [
        train
        for k, train in enumerate(all_trains(project))
        if len(train) >= CLEAR_SPIKES
        and height[unit == k].mean() >= CLEAR_SD
        and project.p_neuron[unit == k].mean() >= CLEAR_P
    ]


def agreement(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    reach = round(0.4 * RATE_HZ / 1000)
    both = min(int(near(one, other, reach).sum()), int(near(other, one, reach).sum()))
    return both / max(len(one) + len(other) - both, 1)


def share_found_again(trains: Trains, others: Trains, least: float = SAME) -> float:
    """Part of trains that one of the others is the same unit as."""
    return float(np.mean([max(agreement(one, other) for other in others) >= least for one in trains]))


@pytest.fixture(scope="module")
def whole(locust_recording: Path) -> Project:
    return sorted_from(locust_recording)


def test_there_are_clear_units(whole: Project) -> None:
    assert len(clear_trains(whole)) >= 5


@pytest.mark.parametrize("seed", [1, 2])
def test_another_seed_finds_the_same_clear_units(whole: Project, locust_recording: Path, seed: int) -> None:
    again = sorted_from(locust_recording, seed=seed)
    assert share_found_again(clear_trains(whole), all_trains(again)) >= 0.8
    assert share_found_again(clear_trains(again), all_trains(whole)) >= 0.8


@pytest.mark.parametrize("start_s", [0.0, HALF_S])
def test_each_half_by_itself_has_the_clear_units_of_the_whole(
    whole: Project, locust_recording: Path, start_s: float
) -> None:
    half = sorted_from(locust_recording, time_range_s=(start_s, start_s + HALF_S))
    first, end = round(start_s * RATE_HZ), round((start_s + HALF_S) * RATE_HZ)
    inside = [train[(train >= first) & (train < end)] - first for train in clear_trains(whole)]
    often = [train for train in inside if len(train) >= CLEAR_SPIKES]
    assert len(often) >= 4
    assert share_found_again(often, all_trains(half), SAME_OF_A_HALF) >= 0.8


def test_clear_units_keep_their_refractory_period(whole: Project) -> None:
    """Less than 1 % of the intervals of a clear neuron are under 1 ms."""
    for train in clear_trains(whole):
        assert (np.diff(train) < RATE_HZ / 1000).mean() < 0.01


def test_units_inserted_into_the_real_tetrode_are_found_from_8_sd_on(
    locust_recording: Path, tmp_path: Path
) -> None:
    place, cells = hybrid("locust tetrode", locust_recording.parents[1], 131, tmp_path, (8.0, 10.0, 14.0))
    assert place.probe.get_contact_count() == 4
    recording = read_binary(place.traces, RATE_HZ, "int16", 4, gain_to_uV=1.0, offset_to_uV=0.0)
    recording.set_probe(place.probe, in_place=True)
    project = sort_recording(recording_of(recording), SortingConfig(), workers=1)
    sorting = NumpySorting.from_unit_dict([dict(enumerate(all_trains(project)))], RATE_HZ)
    found = scores(cells, sorting)
    assert (found.accuracy >= SAME).sum() >= 2
