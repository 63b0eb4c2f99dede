"""A sorting shows what it has found so far to whoever looks, and is the same if nobody does."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.progress import Watched, silent
from ncpgui.core.project import Project
from ncpgui.core.so_far import N_STRETCHES, SpikesSoFar, UnitsSoFar
from ncpgui.core.steps import NOTHING_KEPT, Steps
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
from tests.sorting.planted import Cell, leader_clustering, planted_recording
from tests.sorting.stopping import StepsInMemory, Stopped, assert_same

SECONDS = 4
CONFIG = SortingConfig(spikes_per_group=30, posterior_samples=6, min_cluster_spikes=5, reference="none")


@pytest.fixture(scope="module")
def recording() -> ArrayRecording:
    """Two cells, 40 and 30 sd deep, on contacts 0 and 3, never at once; one fires in the first half only."""
    n = SECONDS * 20_000
    late = np.random.default_rng(0).integers(0, 40, 50)
    cells = [
        Cell([40.0, 5.0, 5.0, 0.0], 300 + 600 * np.arange(60)),
        Cell([0.0, 4.0, 4.0, 30.0], 1100 + 1500 * np.arange(50) + late),
    ]
    return planted_recording(cells, n)


def _sorted(recording: ArrayRecording, seen: list[object] | None, steps: Steps = NOTHING_KEPT) -> Project:
    progress = silent if seen is None else Watched(silent, seen.append)
    return sort_recording(
        recording, CONFIG, cluster=leader_clustering, workers=1, progress=progress, steps=steps
    )


@pytest.fixture(scope="module")
def looked_at(recording: ArrayRecording) -> tuple[Project, list[object]]:
    seen: list[object] = []
    return _sorted(recording, seen), seen


def test_the_result_is_the_same_to_the_bit_whether_somebody_looks_or_not(
    recording: ArrayRecording, looked_at: tuple[Project, list[object]]
) -> None:
    assert_same(looked_at[0], _sorted(recording, None))


def test_spikes_are_shown_where_and_when_they_are_detected(looked_at: tuple[Project, list[object]]) -> None:
    spikes = [one for one in looked_at[1] if isinstance(one, SpikesSoFar)]
    assert (spikes[-1].seconds, spikes[-1].of_seconds) == (SECONDS, SECONDS)
    counts = spikes[-1].n_spikes
    assert counts.shape == (N_STRETCHES, 4)
    assert counts[N_STRETCHES // 2 :, 0].sum() == 0
    assert counts.sum(axis=0)[[0, 3]].tolist() == [60, 50]
    assert counts.sum(axis=0)[[1, 2]].max() <= 3  # crossings of noise
    assert spikes[-1].rate_hz[[0, 3]].tolist() == [15, 12.5]


def test_units_are_shown_as_they_are_proposed_and_after_each_round(
    looked_at: tuple[Project, list[object]],
) -> None:
    units = [one for one in looked_at[1] if isinstance(one, UnitsSoFar)]
    assert [(one.round, one.n_rounds) for one in units] == [(0, 2), (1, 2), (2, 2)]
    assert units[-1].n_spikes.tolist() == [60, 50]
    assert units[-1].contact.tolist() == [0, 3]
    assert units[-1].shown.tolist() == [0, 1]
    first, second = -units[-1].waveforms.min(axis=1)
    assert first / second == pytest.approx(40 / 30, rel=0.03)
    assert first > 40  # the band-pass takes more of the noise than of the spikes


def test_a_sorting_that_goes_on_shows_the_round_it_goes_on_from(recording: ArrayRecording) -> None:
    steps = StepsInMemory(stop_after=None)
    keep = steps.keep

    def stop_in_the_second_round(name: str, values: object) -> None:
        keep(name, values)  # type: ignore[arg-type]
        if name == "round-1":
            raise Stopped(name)

    steps.keep = stop_in_the_second_round  # type: ignore[method-assign]
    with pytest.raises(Stopped):
        _sorted(recording, None, steps)
    steps.keep = keep  # type: ignore[method-assign]
    seen: list[object] = []
    _sorted(recording, seen, steps)
    assert [one.round for one in seen if isinstance(one, UnitsSoFar)] == [1, 2]
    assert not [one for one in seen if isinstance(one, SpikesSoFar)]
