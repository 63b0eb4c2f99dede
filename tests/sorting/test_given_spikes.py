"""Spikes that another program found: which of them can be measured, and what the others are like."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.core.motion import Places
from ncpgui.ephys.preprocessing import Preprocessed
from ncpgui.sorting import given_spikes
from ncpgui.sorting.given_spikes import _inside, _measured, _with_edges, explained
from ncpgui.sorting.parts import Parts

from .two_units import two_units


def inside(times: list[int], n_samples: int) -> list[int]:
    """Templates of 100 samples, 30 of them before a spike's; they are moved by half a millisecond, 10."""
    pre = SimpleNamespace(sampling_frequency_hz=20_000.0, n_samples=n_samples)
    return _inside(np.array(times), 30, 100, cast("Preprocessed", pre)).tolist()


def test_templates_of_spikes_at_the_ends_are_laid_where_all_of_them_is_in_the_recording() -> None:
    assert inside([0, 39, 40, 41, 919, 920, 921, 999], 1000) == [40, 40, 40, 41, 919, 920, 920, 920]
    assert inside([5, 90], 100) == [40, 40]  # none fits: the first place is said


def test_a_spike_is_measured_where_its_template_and_those_beside_it_lie_in_the_parts() -> None:
    """At 20 kHz templates are 20 samples before and 50 after, moved by 10; and one to be sure."""
    pieces = np.array([False, True, False])
    parts = Parts(pieces, 20_000, 60_000, 20_000.0)
    assert parts.stretches.tolist() == [[20_160, 39_840]]
    first, last = 20_160 + 31, 39_840 - 61
    times = np.array([first - 1, first, last, last + 1])
    assert _measured(times, parts).tolist() == [False, True, True, False]


def test_a_spike_at_an_end_is_as_high_as_its_template_and_gains_what_others_of_its_unit_do() -> None:
    is_second = np.array([False, False, False, False, True, True])
    found = two_units(np.zeros(6), is_second, 1000 * np.arange(6), apart=4.0)
    gain = np.arange(12, dtype=np.float32).reshape(6, 2) ** 2
    found = replace(
        found,
        amplitude=np.full(6, 2, np.float32),
        shift_samples=np.full(6, 0.5, np.float32),
        gain=gain,
    )
    at_edge = np.array([True, False, False, False, False, False])
    changed = _with_edges(found, at_edge)
    assert changed.amplitude.tolist() == [1, 2, 2, 2, 2, 2]
    assert changed.shift_samples.tolist() == [0, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert changed.gain[0].tolist() == [16, 25]  # of 4, 16, 36 and 9, 25, 49
    assert changed.gain[1:].tolist() == gain[1:].tolist()
    assert found.amplitude[0] == 2


def test_where_all_spikes_of_a_unit_are_at_an_end_their_gains_stay() -> None:
    found = two_units(np.zeros(3), np.array([False, True, True]), 1000 * np.arange(3), apart=4.0)
    changed = _with_edges(found, np.array([False, True, True]))
    assert changed.gain.tolist() == found.gain.tolist()
    assert changed.amplitude.tolist() == [1, 1, 1]


def fit(
    monkeypatch: pytest.MonkeyPatch, times: list[int], *, n_found: int
) -> tuple[Any, list[int], list[np.ndarray]]:
    """Two units fitted with templates of 50, then with means of 7, of which the second is of no spike.

    What is found, what progress is told, and the templates before and after.
    """
    unit = (np.arange(len(times)) % 2).astype(np.int64)
    found = two_units(np.zeros(n_found), np.arange(n_found) % 2 == 1, np.arange(n_found), apart=4.0)
    banks: list[np.ndarray] = []
    sums = SimpleNamespace(
        n_spikes=np.array([[1, 0]]), means=lambda *_: np.full((1, *found.bank.waveforms.shape), 7, np.float32)
    )

    def fitted(_: object, __: object, ___: object, bank: Any, *____: object, **_____: object) -> Any:
        banks.append(bank.waveforms)
        return found, sums

    monkeypatch.setattr(given_spikes, "templates_of", lambda *_, **__: (found.moving, unit))
    monkeypatch.setattr(given_spikes, "least_gain_of", lambda *_: None)
    monkeypatch.setattr(given_spikes, "fitted", fitted)
    monkeypatch.setattr(given_spikes, "pruned", lambda bank, units, *_, **__: (bank, units))
    traces = SimpleNamespace(get_channel_locations=lambda: np.zeros((2, 2)), sampling_frequency=20_000.0)
    pre = SimpleNamespace(
        whitened=lambda **_: traces,
        n_samples=1000,
        sampling_frequency_hz=20_000.0,
        recording=SimpleNamespace(reference=SimpleNamespace(clock=None)),
    )
    told: list[int] = []
    places = Places.one(1000)
    result = explained(
        cast("Preprocessed", pre),
        np.array(times),
        unit,
        places,
        None,
        lambda done, total, _="": told.append(100 * done // total),
        least=1,
    )
    return result, told, banks


def test_templates_are_the_means_that_are_left_where_a_unit_has_spikes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result, told, (before, after) = fit(monkeypatch, [0, 300, 400], n_found=3)
    assert told == [30, 50, 75]
    assert result.sample_index.tolist() == [0, 300, 400]  # as they were given, and not as they were fitted
    assert (after[0, 0] == 7).all()
    assert np.array_equal(after[0, 1], before[0, 1])


def test_a_recording_shorter_than_a_template_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RecordingError, match="has 1000 samples, fewer than a template is long; give a long"):
        fit(monkeypatch, [0, 300, 400], n_found=0)
