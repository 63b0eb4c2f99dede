"""Spikes that the sorter under review found in two units: looked at once, and then in one unit at most."""

from __future__ import annotations

import logging
from contextlib import closing

import numpy as np
import pytest

from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.review import given_units

from .planted import Cell, leader_clustering, planted_recording, regular_times
from .test_pipeline import CONFIG
from .test_review import sorting_of

N_SAMPLES = 10 * 20_000
EVERY = regular_times(300, N_SAMPLES, 1)
FIRST, SECOND = EVERY[::2], EVERY[1::2]
TWICE = FIRST[::3]
"""A third of the spikes of the first cell are in the unit of the second one too, two samples later."""


@pytest.fixture(scope="module")
def reviewed() -> tuple[np.ndarray, np.ndarray, tuple, str]:
    """What the review made of them: rows, what each spike is again, the component, and what was said."""
    recording = planted_recording(
        [Cell([40, 25, 12, 6], FIRST), Cell([25, 40, 12, 6], SECOND)], n_samples=N_SAMPLES
    )
    sorting = sorting_of({3: FIRST, 8: np.concatenate([SECOND, TWICE + 2])})
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.getLogger("ncpgui.sorting.review")
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        with closing(given_units(recording, sorting, CONFIG, together=[(3, 8)])) as found:
            assert found.units.matched.again is not None
            sampled, failed = sample_components(found, found.draws, cluster=leader_clustering)
            assert failed == {}
            return sorting.sample_index, found.units.matched.again, sampled[0], "\n".join(said)
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def test_each_is_the_spike_of_the_other_unit(reviewed: tuple) -> None:
    times, again, _, said = reviewed
    twice = np.flatnonzero(again >= 0)
    assert times[twice].tolist() == (TWICE + 2).tolist()
    assert times[again[twice]].tolist() == TWICE.tolist()
    assert f"Spikes found twice, in two units at once: {len(TWICE)} in 3 and 8." in said


def test_none_is_sampled_and_each_lies_where_the_other_one_does(reviewed: tuple) -> None:
    times, again, (component, waveforms), _ = reviewed
    assert component.again is not None
    assert times[component.spike_ids[component.again]].tolist() == (TWICE + 2).tolist()
    assert not np.isin(component.sampled, component.again).any()
    others = np.searchsorted(component.spike_ids, again[component.spike_ids[component.again]])
    assert np.array_equal(waveforms.coordinates[component.again], waveforms.coordinates[others])


def test_they_stay_in_the_sorting_that_was_given_and_are_in_no_unit_of_another(reviewed: tuple) -> None:
    times, _, (component, _), _ = reviewed
    given, *others = component.alternatives
    own = times[component.spike_ids]
    in_second = np.isin(own, SECOND) | np.isin(own, TWICE + 2)
    assert len(np.unique(given.labels[in_second])) == 1
    assert others
    for one in others:
        assert (one.labels[component.again] == -1).all()
        assert (one.probability[component.again] == 0).all()
        assert (np.delete(one.labels, component.again) >= 0).all()
