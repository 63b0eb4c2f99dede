"""What the channels propose: clusters of some of their spikes, with a stand-in for the network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.ephys.recording import Recording
from ncpgui.sorting.config import SortingConfig, filter_options
from ncpgui.sorting.first_pass import Detected, detect, propose

from .planted import Cell, failing_on, leader_clustering, planted_recording, regular_times

N_SAMPLES = 10 * 20_000
CONFIG = SortingConfig(spikes_per_group=100, posterior_samples=8, reference="none")
CELLS = [
    Cell([40, 15, 10, 5], regular_times(200, N_SAMPLES, 1)),
    Cell([4, 4, 8, 30], regular_times(90, N_SAMPLES, 3)),
]


def filtered(recording: Recording) -> Preprocessed:
    return preprocess(recording, **filter_options(CONFIG))


@pytest.fixture(scope="module")
def found() -> Iterator[Detected]:
    detected = detect(filtered(planted_recording(CELLS, N_SAMPLES)), CONFIG)
    yield detected
    detected.pre.close()


def test_each_cell_is_proposed_with_the_spikes_that_were_drawn(found: Detected) -> None:
    proposals = propose(found, CONFIG, cluster=leader_clustering)
    sizes = np.bincount(proposals.unit)
    assert len(sizes) == 2
    assert 95 <= sizes[0] <= 100
    assert 85 <= sizes[1] <= 90
    for unit, cell in enumerate(CELLS):
        times = proposals.sample_index[proposals.unit == unit]
        assert (np.abs(times[:, None] - cell.times[None]).min(axis=1) <= 1).all()
    assert proposals.model == "stand-in"


def test_a_channel_that_fails_proposes_nothing_and_the_log_says_so(
    found: Detected, caplog: pytest.LogCaptureFixture
) -> None:
    proposals = propose(found, CONFIG, cluster=failing_on((0.0, 0.0)))
    assert len(np.unique(proposals.unit)) == 1
    assert "channel 0 could not be sampled: planted failure" in caplog.text


def test_the_proposals_depend_on_nothing_but_the_seed(found: Detected) -> None:
    one, two = (propose(found, CONFIG, cluster=leader_clustering, workers=workers) for workers in (1, 2))
    assert one.sample_index.tolist() == two.sample_index.tolist()
    assert one.unit.tolist() == two.unit.tolist()


def test_settings_below_those_of_the_first_pass_are_kept(found: Detected) -> None:
    asked = []

    def cluster(waveforms: np.ndarray, *, samples: int, **rest: object) -> object:
        asked.append((len(waveforms) <= 100, samples))
        return leader_clustering(waveforms, samples=samples, **rest)

    propose(found, CONFIG, cluster=cluster)
    assert set(asked) == {(True, 8)}
    asked.clear()
    propose(found, SortingConfig(reference="none"), cluster=cluster)
    assert {samples for _, samples in asked} == {10}


def test_draws_that_propose_are_swept(found: Detected) -> None:
    """Without, two neurons of one channel stay one more often."""
    asked = []

    def cluster(waveforms: np.ndarray, *, sweeps: int | None, **rest: Any) -> object:
        asked.append(sweeps)
        return leader_clustering(waveforms, **rest)

    propose(found, CONFIG, cluster=cluster)
    assert set(asked) == {None}  # as many as fit the model


def test_two_neurons_of_a_channel_are_proposed_apart_where_most_draws_join_them() -> None:
    """Heaps that lie far apart speak for the three draws of eight that part them."""
    one, other = regular_times(60, N_SAMPLES, 1), regular_times(60, N_SAMPLES, 2)
    two = [Cell([40, 15, 10, 5], one), Cell([40, 5, 10, 30], other)]

    def cluster(waveforms: np.ndarray, **rest: Any) -> Any:
        drawn = leader_clustering(waveforms, **rest)
        return replace(drawn, labels=np.where(np.arange(8)[:, None] < 5, 0, drawn.labels))

    detected = detect(filtered(planted_recording(two, N_SAMPLES)), CONFIG)
    with closing(detected.pre):
        proposals = propose(detected, CONFIG, cluster=cluster)
    assert np.bincount(proposals.unit).min() >= 40
    for unit in np.unique(proposals.unit):
        times = proposals.sample_index[proposals.unit == unit]
        of_one = np.abs(times[:, None] - one[None]).min(axis=1) <= 1
        assert of_one.all() or not of_one.any()


def test_no_spikes_is_an_error_that_says_what_to_do() -> None:
    quiet = planted_recording([], 40_000)
    with pytest.raises(
        InputError, match=r"no spikes found under -50 noise sd on 4 channels .* lower threshold_sd"
    ):
        detect(filtered(quiet), SortingConfig(threshold_sd=50.0, reference="none"))
