"""Spikes that another program found in two units at once: which one is the other again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ncpgui.core.motion import Places
from ncpgui.sorting.found_twice import found_twice, twice_words
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.moving_templates import MovingBank
from tests.sorting.two_units import RATE_HZ, two_units

TIME = np.arange(60) - 20
WAVE = -20 * np.exp(-0.5 * (TIME / 6) ** 2)
BESIDE = np.stack([WAVE, 0.2 * WAVE, 0 * WAVE], axis=1)
FAR = np.stack([0 * WAVE, 0 * WAVE, WAVE], axis=1)
INVERTED = -BESIDE


def found(
    spikes: list[tuple[int, int, float]],
    templates: tuple[np.ndarray, ...] = (BESIDE, BESIDE),
    least: int = 0,
) -> list[int]:
    """Rows of the spikes that others are again; spikes are (sample, unit, amplitude), in order of time."""
    return found_twice(matched(spikes, templates), sampling_frequency_hz=RATE_HZ, least=least).tolist()


def matched(spikes: list[tuple[int, int, float]], templates: tuple[np.ndarray, ...]) -> Matched:
    times, unit, amplitude = (np.array(one) for one in zip(*spikes, strict=True))
    one = two_units(np.zeros(len(times)), unit == 1, times, apart=4.0)
    bank = MovingBank(np.stack(templates)[None].astype(np.float32), 20, one.places.share)
    return replace(one, moving=bank, unit=unit, amplitude=amplitude.astype(np.float32))


def test_a_spike_of_which_nothing_is_left_beside_another_one_is_that_spike_again() -> None:
    spikes = [(100, 0, 1.0), (103, 1, 0.1), (900, 1, 1.1), (902, 0, 0.4), (1500, 0, 1.0), (1503, 1, 0.41)]
    assert found(spikes) == [-1, 0, -1, 2, -1, -1]


def test_the_other_one_is_at_most_half_a_millisecond_away() -> None:
    """Which is ten samples."""
    assert found([(100, 0, 1.0), (110, 1, 0.1), (500, 1, 0.1), (510, 0, 1.0)]) == [-1, 0, 3, -1]
    assert found([(100, 0, 1.0), (111, 1, 0.1), (500, 1, 0.1), (511, 0, 1.0)]) == [-1, -1, -1, -1]


def test_small_spikes_alone_beside_each_other_or_beside_what_others_see_stay() -> None:
    assert found([(100, 0, 0.1), (500, 0, 0.2), (503, 1, 0.3)]) == [-1, -1, -1]
    assert found([(100, 0, 1.0), (103, 1, 0.1)], (BESIDE, FAR)) == [-1, -1]
    assert found([(100, 0, 1.0), (101, 1, 0.1)], (BESIDE, INVERTED)) == [-1, -1]


def test_of_several_it_is_the_one_whose_template_is_laid_over_it_most() -> None:
    """One is as far and twice as large; one that is small itself is not asked."""
    templates = (BESIDE, 2 * BESIDE, BESIDE)
    assert found([(98, 1, 1.0), (100, 2, 0.0), (102, 0, 1.0)], templates) == [-1, 0, -1]
    assert found([(98, 1, 0.3), (100, 2, 0.0), (102, 0, 1.0)], templates) == [2, 2, -1]
    assert found([(92, 0, 1.0), (100, 2, 0.0), (102, 0, 1.0)], templates) == [-1, 2, -1]


def test_a_unit_that_would_keep_too_few_keeps_all() -> None:
    spikes = [(100, 0, 1.0), (103, 1, 0.1), (500, 1, 1.0), (900, 1, 1.0)]
    assert found(spikes, least=2) == [-1, 0, -1, -1]
    assert found(spikes, least=3) == [-1, -1, -1, -1]


def test_templates_are_those_where_the_tissue_was() -> None:
    """Where it was first, the second unit sees nothing of the first one."""
    one = matched([(100, 0, 1.0), (103, 1, 0.1), (900, 0, 1.0), (903, 1, 0.1)], (BESIDE, BESIDE))
    places = Places(np.array([[0, 500], [500, 1000]]), np.array([0, 1]), np.zeros((2, 1)), np.zeros(1))
    waveforms = np.stack([[BESIDE, FAR], [BESIDE, BESIDE]]).astype(np.float32)
    one = replace(one, places=places, moving=MovingBank(waveforms, 20, places.share))
    assert found_twice(one, sampling_frequency_hz=RATE_HZ, least=1).tolist() == [-1, -1, -1, 2]


def test_pairs_of_units_are_told_with_their_own_names_the_most_first() -> None:
    one = matched([(100, 0, 1.0), (103, 1, 0.1), (900, 1, 1.0), (903, 0, 0.1)], (BESIDE, BESIDE, BESIDE))
    names = np.array([7, 9, 30])
    assert twice_words(one, names) == ""
    told = twice_words(replace(one, again=np.array([-1, 0, -1, 2])), names)
    assert told == "Spikes found twice, in two units at once: 2 in 7 and 9. Each is looked at once."


def test_of_many_pairs_five_are_named() -> None:
    n = 7
    unit = np.concatenate([np.arange(n), [n] * n, [n]])
    one = matched([(100 * k, 0, 1.0) for k in range(2 * n + 1)], (BESIDE, BESIDE))
    again = np.concatenate([np.full(n, -1), np.arange(n), [0]])
    words = twice_words(replace(one, unit=unit, again=again), np.arange(n + 1))
    assert "2 in 0 and 7, 1 in 1 and 7, 1 in 2 and 7, 1 in 3 and 7, 1 in 4 and 7 and 2 more pairs" in words
