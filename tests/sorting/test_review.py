"""Units that another program made are asked about as they are, and nothing of them changes by itself."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.alternatives import same_sorting
from ncpgui.core.errors import CheckpointError, RecordingError
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting
from ncpgui.sorting.review import given_units, review_recording

from .conftest import component_of
from .planted import SAMPLING_FREQUENCY_HZ, leader_clustering
from .test_pipeline import CELLS, CONFIG, N_SAMPLES

FIRST, SECOND, THIRD = (cell.times for cell in CELLS)
REVIEW = replace(CONFIG, motion="off")


def sorting_of(trains: dict[int, np.ndarray], labels: dict[int, str] | None = None) -> Sorting:
    times = np.concatenate([np.asarray(train) for train in trains.values()])
    units = np.repeat(list(trains), [len(train) for train in trains.values()])
    order = np.argsort(times, kind="stable")
    return Sorting(times[order], units[order], SAMPLING_FREQUENCY_HZ, N_SAMPLES, labels=labels or {})


def reviewed(recording: ArrayRecording, sorting: Sorting, **options: object) -> Project:
    rows = np.arange(len(sorting))[::-1].copy()
    given = GivenSorting("/data/phy", PHY, rows, "d", sorting.labels)
    return review_recording(recording, sorting, given, REVIEW, cluster=leader_clustering, **options)


@pytest.fixture(scope="module")
def sorting() -> Sorting:
    """The first two cells are one unit, the third is cut in two; a unit of three spikes, two at the ends."""
    return sorting_of(
        {
            40: np.sort(np.concatenate([FIRST, SECOND])),
            7: THIRD[::2],
            12: THIRD[1::2],
            3: np.array([2, 150_000, N_SAMPLES - 3]),
        },
        {40: "good"},
    )


@pytest.fixture(scope="module")
def told() -> list[tuple[int, int, str]]:
    """What progress said: done, of how much, words."""
    return []


@pytest.fixture(scope="module")
def project(recording: ArrayRecording, sorting: Sorting, told: list[tuple[int, int, str]]) -> Project:
    return reviewed(
        recording, sorting, progress=lambda done, total, words="": told.append((done, total, words))
    )


def test_progress_names_each_step_and_grows_to_its_end(
    project: Project, told: list[tuple[int, int, str]]
) -> None:
    assert project is not None
    share = [done / total for done, total, _ in told]
    assert share == sorted(share)
    assert share[-1] == 1
    said = {(round(done / total, 3), words) for done, total, words in told}
    assert said >= {
        (0.12, "measuring templates"),
        (0.2, "taking all spikes out together"),
        (0.3, "taking all spikes out together"),
    }


def test_every_spike_keeps_its_time_and_its_unit(project: Project, sorting: Sorting) -> None:
    np.testing.assert_array_equal(project.spikes.sample_index, sorting.sample_index)
    np.testing.assert_array_equal(project.unit_of_spike, sorting.unit_id)
    assert project.given is not None
    assert project.given.labels == {40: "good"}


def test_a_unit_of_two_cells_has_the_two_as_a_likely_sorting(project: Project) -> None:
    component = component_of(project, 40)
    as_given, *others = component.alternatives
    assert as_given.n_units == 1
    best = max(others, key=lambda way: way.mass)
    truth = np.isin(project.spikes.sample_index[component.spike_ids], FIRST)
    assert same_sorting(best.labels, truth.astype(int))
    assert best.mass == pytest.approx(0.75)
    assert as_given.mass == pytest.approx(0.25)  # a quarter of the stand-in's draws has them as one


def test_two_units_of_one_cell_are_asked_about_together_and_may_be_one(project: Project) -> None:
    component = component_of(project, 7)
    assert set(project.unit_of_spike[component.spike_ids].tolist()) == {7, 12}
    assert component.alternatives[0].n_units == 2
    assert component.alternatives[0].mass == 0
    assert [way.n_units for way in component.alternatives[1:]] == [1]
    assert component.alternatives[1].mass == pytest.approx(1)


def test_a_unit_of_few_spikes_stays_and_it_is_said_that_nothing_is_known_of_it(project: Project) -> None:
    (waiting,) = project.waiting
    assert set(project.unit_of_spike[waiting.spike_ids].tolist()) == {3}
    assert project.failed == {
        waiting.id: "unit 3 has 3 spikes; the posterior says something of units of 20 and more "
        "(min_cluster_spikes)"
    }


def test_units_of_cells_are_likely_neurons(project: Project) -> None:
    assert project.p_neuron is not None
    assert (project.p_neuron[project.unit_of_spike == 40] > 0.5).all()


def test_spikes_lie_on_the_contact_where_their_unit_is_largest(project: Project) -> None:
    main = project.spikes.channel
    assert set(main[project.unit_of_spike == 40].tolist()) == {0}
    assert set(main[project.unit_of_spike == 7].tolist()) == {3}
    depth = project.spikes.amplitude[project.unit_of_spike == 7]
    assert np.median(depth) == pytest.approx(-30 / project.noise_sd[3], rel=0.15)


def mean_waveform(project: Project, unit: int) -> np.ndarray:
    component = component_of(project, unit)
    rows = project.unit_of_spike[component.spike_ids[component.sampled]] == unit
    return np.asarray(project.waveforms[component.id].waveforms[rows].mean(axis=0))


def test_times_that_are_late_by_half_a_millisecond_change_nothing(recording: ArrayRecording) -> None:
    at_trough = reviewed(recording, sorting_of({1: FIRST, 2: SECOND, 3: THIRD}))
    late = sorting_of({1: FIRST + 10, 2: SECOND + 10, 3: THIRD + 10})
    project = reviewed(recording, late)
    np.testing.assert_array_equal(project.spikes.sample_index, late.sample_index)
    for unit in (1, 2, 3):
        known = mean_waveform(at_trough, unit)
        np.testing.assert_allclose(mean_waveform(project, unit), known, atol=0.03 * np.abs(known).max())


def test_the_result_is_the_same_with_any_number_of_workers(
    recording: ArrayRecording, sorting: Sorting, project: Project
) -> None:
    again = reviewed(recording, sorting, workers=3)
    for one, other in zip(project.components, again.components, strict=True):
        np.testing.assert_array_equal(one.posterior.labels, other.posterior.labels)
        assert [way.mass for way in one.alternatives] == [way.mass for way in other.alternatives]


def test_a_model_that_clusters_no_spikes_is_refused_before_anything_is_read(
    recording: ArrayRecording, sorting: Sorting
) -> None:
    done: list[str] = []
    with pytest.raises(CheckpointError, match="model 'gauss2d' clusters points, not spikes"):
        given_units(
            recording,
            sorting,
            replace(REVIEW, model="gauss2d"),
            progress=lambda done_, total, words="": done.append(words),
        )
    assert done == []


def test_a_sorting_of_few_spikes_only_says_what_to_do(recording: ArrayRecording) -> None:
    with pytest.raises(RecordingError, match=r"no unit has 20 spikes.*longer recording.*--settings"):
        reviewed(recording, sorting_of({1: np.array([1000, 2000])}))


@pytest.mark.parametrize(
    ("sign", "peak_sign", "hint"), [(-1, "neg", "pos"), (1, "neg", ""), (1, "pos", "neg")]
)
def test_an_inverted_recording_is_said_as_by_a_sorting(
    recording: ArrayRecording, sign: int, peak_sign: str, hint: str, caplog: pytest.LogCaptureFixture
) -> None:
    turned = ArrayRecording(
        sign * recording.array, sampling_frequency_hz=SAMPLING_FREQUENCY_HZ, probe=recording.probe
    )
    config = replace(REVIEW, peak_sign=peak_sign)
    with closing(given_units(turned, sorting_of({1: FIRST, 2: SECOND, 3: THIRD}), config)):
        pass
    assert ("if the recording is inverted, units are looked at by a later" in caplog.text) == bool(hint)
    assert f"review it with --peak-sign {hint}" in caplog.text or not hint


def test_what_was_blanked_is_said_as_by_a_sorting(
    recording: ArrayRecording, caplog: pytest.LogCaptureFixture
) -> None:
    traces = recording.array.astype(np.float32)
    traces[50_000:50_200] = np.nan
    holes = ArrayRecording(traces, sampling_frequency_hz=SAMPLING_FREQUENCY_HZ, probe=recording.probe)
    trains = {1: FIRST, 2: SECOND, 3: THIRD}
    with closing(given_units(holes, sorting_of(trains), replace(REVIEW, blank_nan=True))):
        pass
    assert "NaN" in caplog.text
