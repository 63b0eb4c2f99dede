"""Firing times are evidence by real intervals: spikes beside a gap are neighbours in the file only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.clock import Clock
from ncpgui.core.component import Clamp
from ncpgui.core.project import Project
from ncpgui.sorting import component_posterior, recluster
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.neuron_probability import QUANTITIES, neuron_evidence
from ncpgui.sorting.pipeline import sort_recording
from ncpgui.sorting.recluster import resample_rest
from ncpgui.sorting.unit_distances import joined

from .planted import SAMPLING_FREQUENCY_HZ, SQUARE, Cell, leader_clustering, planted_recording
from .test_neuron_probability import units_by_hand
from .two_units import RATE_HZ, two_units

SEAMS = 1000 * np.arange(1, 2001)
"""Samples before which 10 s are missing."""


def clock_with_gaps(seams: NDArray[np.int64] = SEAMS, rate_hz: float = RATE_HZ, gap_s: float = 10.0) -> Clock:
    known = np.append(0, np.sort(np.r_[seams - 1, seams]))
    return Clock(rate_hz, known, known / rate_hz + gap_s * np.searchsorted(seams, known, side="right"))


def test_two_halves_of_a_heap_that_meet_across_gaps_only_are_joined() -> None:
    """The second half fires 1 ms after the first: two neurons, unless 10 s lie between them."""
    rng = np.random.default_rng(0)
    times = np.sort(np.r_[SEAMS - 10, SEAMS + 10])
    is_second = np.tile([False, True], len(SEAMS))
    side = np.where(is_second, 1, -1) * np.abs(rng.normal(0, 1, len(times)))
    matched = two_units(side, is_second, times, apart=1.6)
    assert joined(matched, sampling_frequency_hz=RATE_HZ).tolist() == [0, 1]
    with_gaps = replace(matched, clock=clock_with_gaps())
    assert joined(with_gaps, sampling_frequency_hz=RATE_HZ).tolist() == [0, 0]


def test_a_unit_that_breaks_its_refractory_period_across_gaps_only_does_not_break_it() -> None:
    train = np.sort(np.r_[SEAMS[:50] - 10, SEAMS[:50] + 10]).tolist()
    matched, none = units_by_hand([train], [8.0], 6.0)
    options = {"duration_s": 100.0, "sampling_frequency_hz": RATE_HZ}
    column = QUANTITIES.index("refractory")
    expected = 100**2 / 100 * 0.0013 + 0.5
    assert neuron_evidence(matched, none, **options)[0, column] == pytest.approx(np.log(50.5 / expected))
    matched = replace(matched, clock=clock_with_gaps())
    assert neuron_evidence(matched, none, **options)[0, column] == pytest.approx(np.log(0.5 / expected))


def test_spikes_beside_those_of_a_larger_unit_across_gaps_only_are_their_own() -> None:
    large, small = (SEAMS[:100] - 5).tolist(), (SEAMS[:100] + 5).tolist()
    matched, none = units_by_hand([large, small], [30.0, 8.0], 6.0)
    options = {"duration_s": 100.0, "sampling_frequency_hz": RATE_HZ}
    column = QUANTITIES.index("left over")
    assert neuron_evidence(matched, none, **options)[1, column] > 0.9
    matched = replace(matched, clock=clock_with_gaps())
    assert neuron_evidence(matched, none, **options)[1, column] == 0


@pytest.fixture(scope="module")
def recording() -> ArrayRecording:
    """Two cells that fire just before and just after a gap of 10 s in the middle of 10 s."""
    cells = [
        Cell([40, 15, 10, 5], np.r_[300 + 2000 * np.arange(49), 99_990]),
        Cell([25, 4, 16, 4], np.r_[100_030, 101_300 + 2000 * np.arange(49)]),
    ]
    made = planted_recording(cells, 200_000)
    clock = clock_with_gaps(np.array([100_000]), SAMPLING_FREQUENCY_HZ)
    return ArrayRecording(
        made.array,
        sampling_frequency_hz=SAMPLING_FREQUENCY_HZ,
        probe=SQUARE,
        reference=replace(made.reference, own_clock=clock),
    )


CONFIG = SortingConfig(
    spikes_per_group=30, posterior_samples=6, min_cluster_spikes=5, reference="none", heaps=False
)


def sample_again(project: Project, held: NDArray[np.integer], cluster: Any = leader_clustering) -> None:
    """Sample the first component again, some of whose spikes are held together by label."""
    component = project.components[0]
    waveforms = project.waveforms[component.id]
    resample_rest(project, component, waveforms, Clamp(held), CONFIG, cluster=cluster)


def test_draws_are_weighed_by_real_intervals(
    recording: ArrayRecording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a recording is sorted, and when a component of it is sampled again."""
    seen: list[NDArray[np.int64]] = []
    for module in (component_posterior, recluster):
        real = module.weighed_by_all_spikes

        def spy(*given: Any, real: Any = real, **options: Any) -> Any:
            seen.append(given[4])
            return real(*given, **options)

        monkeypatch.setattr(module, "weighed_by_all_spikes", spy)
    project = sort_recording(recording, CONFIG, cluster=leader_clustering)
    assert np.diff(project.fired).max() > 10 * SAMPLING_FREQUENCY_HZ
    assert len(seen) == len(project.components)
    for fired, component in zip(seen, project.components, strict=True):
        assert fired.tolist() == project.fired[component.spike_ids].tolist()
    component = project.components[0]
    sample_again(project, np.full(len(component.spike_ids), -1))
    assert seen[-1].tolist() == project.fired[component.spike_ids].tolist()


def test_the_network_is_told_when_spikes_were_fired(recording: ArrayRecording) -> None:
    """In real seconds: those of channels, of components, and of a component that is sampled again."""
    told: list[list[float]] = []

    def cluster(waveforms: NDArray[np.float32], *, times_s: NDArray[np.float64], **options: Any) -> Any:
        assert len(times_s) == len(waveforms)
        told.append(times_s.tolist())
        return leader_clustering(waveforms, **options)

    project = sort_recording(recording, CONFIG, cluster=cluster)
    n_components = len(project.components)
    assert len(told) > n_components  # the channels of the first pass are before them
    assert all(times_s == sorted(times_s) for times_s in told)
    assert all(np.ptp(times_s) > 10 for times_s in told[:-n_components] if len(times_s) > 1)
    seconds = project.fired / SAMPLING_FREQUENCY_HZ
    of_components = [seconds[one.spike_ids[one.sampled]].tolist() for one in project.components]
    assert sorted(told[-n_components:]) == sorted(of_components)
    sample_again(project, np.full(len(project.components[0].spike_ids), -1), cluster)
    assert told[-1] == of_components[0]


def test_spikes_of_an_accepted_unit_are_in_no_company_of_others(
    recording: ArrayRecording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When evidence weighs draws, held spikes are of units of their own, whatever number these have."""
    project = sort_recording(recording, CONFIG, cluster=leader_clustering)
    component = project.components[0]
    seen: list[NDArray[np.int64]] = []
    real = recluster.weighed_by_all_spikes

    def spy(*given: Any, **options: Any) -> Any:
        seen.append(given[3])
        return real(*given, **options)

    monkeypatch.setattr(recluster, "weighed_by_all_spikes", spy)
    held = np.where(np.arange(len(component.spike_ids)) % 3 == 0, 0, -1)
    sample_again(project, held)
    (company,) = seen
    assert len(set(company[held == 0])) == 1
    assert not set(company[held == 0]) & set(company[held < 0])
