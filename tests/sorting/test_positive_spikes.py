"""Positive spikes: found, turned for the network, never in one unit with negative ones, kept as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.waveforms import extract_waveforms
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
from ncpgui.sorting.positive_spikes import by_sign

from .planted import Cell, leader_clustering, planted_recording, regular_times, template

N_SAMPLES = 20 * 20_000
DOWN = Cell([40, 15, 10, 5], regular_times(150, N_SAMPLES, 1))
UP = Cell([-40, -15, -10, -5], regular_times(130, N_SAMPLES, 2))
"""The same spike upside down, on the same channel."""


@pytest.fixture(scope="module")
def recording() -> Any:
    return planted_recording([DOWN, UP], N_SAMPLES)


def _alone(times: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Times without another spike within 3 ms."""
    return times[np.abs(times[:, None] - others[None]).min(axis=1) > 60]


@pytest.mark.parametrize(("peak_sign", "cells"), [("neg", [DOWN]), ("pos", [UP]), ("both", [DOWN, UP])])
def test_cells_of_the_sign_asked_for_become_units_of_their_own(recording, peak_sign, cells) -> None:
    config = SortingConfig(
        posterior_samples=8, reference="none", threshold_sd=35.0, peak_sign=peak_sign, spikes_per_group=50
    )
    project = sort_recording(recording, config, cluster=leader_clustering)
    units = []
    for cell, other in ((DOWN, UP), (UP, DOWN)):
        times = _alone(cell.times, other.times)
        near = np.abs(project.spikes.sample_index[None] - times[:, None])
        row, hit = near.argmin(axis=1), near.min(axis=1) <= 4
        if cell not in cells:
            assert not hit.any()
            continue
        assert hit.mean() > 0.98
        found = project.unit_of_spike[row[hit]]
        assert (found == found[0]).mean() > 0.97
        units.append(int(found[0]))
        assert ((project.spikes.amplitude[row[hit]] > 0) == (cell is UP)).all()
    assert sorted(units) == list(range(len(cells)))


def test_waveforms_of_positive_spikes_are_aligned_at_their_peak_and_stay_positive(recording) -> None:
    times = _alone(UP.times, DOWN.times)
    with preprocess(recording, reference="none") as pre:
        turned = preprocess(planted_recording([Cell([40, 15, 10, 5], UP.times)], N_SAMPLES), reference="none")
        up = extract_waveforms(pre, times, np.arange(4))
        down = extract_waveforms(turned, times, np.arange(4))
    assert (up[:, :, 0].argmax(axis=1) == TROUGH_SAMPLE).all()
    assert up.mean(axis=0) / up.mean(axis=0).max() == pytest.approx(
        down.mean(axis=0) / down.mean(axis=0).min(), abs=0.02
    )


@pytest.mark.parametrize(("size_sd", "aligned"), [(1.5, False), (6.0, True)])
def test_a_small_positive_value_is_not_taken_for_a_peak(size_sd: float, aligned: bool) -> None:
    """The wave is largest 0.3 samples after the spike's time; where it is noise, nothing is moved."""
    time = np.arange(2000) - 1000.3
    wave = size_sd * np.exp(-0.5 * (time / 4) ** 2)

    class Traces:
        sampling_frequency_hz, n_samples, n_channels, piece_samples = 20_000.0, 2000, 1, 2000

        def padded_traces(self, start: int, stop: int) -> np.ndarray:
            return wave[start:stop, None].astype(np.float32)

        def ahead(self, pieces: list[int]) -> Iterator[int]:
            return iter(pieces)

    cut = extract_waveforms(Traces(), np.array([1000]), np.array([0]))[0, :, 0]  # type: ignore[arg-type]
    before, after = cut[TROUGH_SAMPLE - 1], cut[TROUGH_SAMPLE + 1]
    assert (abs(after - before) < 0.01 * size_sd) == aligned


def test_the_network_sees_positive_spikes_upside_down_and_apart() -> None:
    seen: list[tuple[np.ndarray, Any, int]] = []

    def cluster(waveforms: np.ndarray, *, seed: int, clamped: Any = None, **options: Any) -> Any:
        seen.append((waveforms, clamped, seed))
        return leader_clustering(waveforms, samples=4)

    one = template([40, 10])
    waveforms = np.stack([one, -one, -one, one, one])
    held = np.array([5, 5, -1, -1, 7])
    result = by_sign(cluster)(waveforms, seed=1, clamped=held)
    (up, up_held, up_seed), (down, down_held, down_seed) = seen
    assert np.array_equal(up, np.stack([one, one]))
    assert np.array_equal(down, np.stack([one, one, one]))
    assert (up_held.tolist(), down_held.tolist()) == ([5, -1], [5, -1, 7])
    assert up_seed != down_seed
    together = result.posterior.labels[:, :, None] == result.posterior.labels[:, None]
    assert together[:, 0, 1].all()  # a person put them into one unit
    free = by_sign(cluster)(waveforms, seed=1)
    assert not (free.posterior.labels[:, [0, 3, 4], None] == free.posterior.labels[:, None, [1, 2]]).any()


def test_links_between_spikes_of_one_sign_go_to_the_network_and_a_must_link_across_signs_is_kept() -> None:
    seen: list[tuple[Any, Any]] = []

    def cluster(waveforms: np.ndarray, *, must_link: Any, cannot_link: Any, **_: Any) -> Any:
        seen.append((must_link, cannot_link))
        return leader_clustering(waveforms, samples=4)

    one = template([40, 10])
    waveforms = np.stack([one, -one, one, -one, one])
    links = {"must_link": ((1, 3), (0, 1)), "cannot_link": ((2, 4), (0, 3))}
    result = by_sign(cluster)(waveforms, seed=1, **links)
    assert seen == [(((0, 1),), ()), ((), ((1, 2),))]
    assert (result.posterior.labels[:, 0] == result.posterior.labels[:, 1]).all()


def test_log_probabilities_of_the_signs_add() -> None:
    def cluster(waveforms: np.ndarray, **_: Any) -> Any:
        found = leader_clustering(waveforms, samples=3)
        found.log_prob = np.full(3, -float(len(waveforms)))
        return found

    one = template([40, 10])
    result = by_sign(cluster)(np.stack([one, -one, one]), seed=0)
    assert result.posterior.log_prob.tolist() == [-3.0] * 3


def test_spikes_of_one_sign_are_clustered_as_ever() -> None:
    one = template([40, 10])
    both = by_sign(leader_clustering)(np.stack([one] * 3), seed=0, samples=4)
    assert np.array_equal(both.labels, leader_clustering(np.stack([one] * 3), samples=4).labels)
    up = by_sign(leader_clustering)(np.stack([-one] * 3), seed=0, samples=4)
    assert np.array_equal(up.labels, both.labels)
