"""Units and spikes of matching: some of them, and all of them as arrays and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.clock import Clock
from ncpgui.core.motion import Places
from ncpgui.sorting.gain_noise import GainNoise
from ncpgui.sorting.matched import ROUND, SPIKES_OF_UNITS, Matched, Round, matched_packing
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.peeling import TemplateBank
from ncpgui.sorting.template_distance import Likeness

K, T, C, P = 3, 5, 4, 2
PLACES = Places(np.array([[0, 60], [60, 300]]), np.array([0, 1]), np.zeros((2, 1)), np.zeros(1))


@pytest.fixture
def matched() -> Matched:
    """Three units, whose numbers all differ; the first is seen on two contacts of four."""
    numbers = np.random.default_rng(0).random
    waveforms = numbers((P, K, T, C)).astype(np.float32)
    waveforms[:, 0, :, 2:] = 0
    moving = MovingBank(waveforms, 2, PLACES.share)
    like = Likeness(
        numbers((K, K)), numbers((K, K)), np.arange(9).reshape(K, K), np.array([[0, 2], [1, -1], [2, 0]])
    )
    return Matched(
        np.array([10, 20, 70, 80]),
        np.array([0, 1, 2, 1]),
        numbers(4).astype(np.float32),
        numbers(4).astype(np.float32),
        numbers((4, 2)).astype(np.float32),
        moving,
        PLACES,
        like,
        GainNoise(numbers(K), numbers(K), numbers((K, 2)), numbers((K, 2))),
        numbers(K),
        numbers((2, K)),
        n_faint=7,
    )


def test_spikes_fired_as_far_apart_as_the_clock_says(matched: Matched) -> None:
    assert matched.fired.tolist() == [10, 20, 70, 80]
    gap = Clock(1.0, [0, 59, 60], [0.0, 59.0, 100.0])
    assert replace(matched, clock=gap).fired.tolist() == [10, 20, 110, 120]


def test_some_spikes_come_with_all_that_is_known_of_them(matched: Matched) -> None:
    some = matched.of(np.array([True, False, False, True]))
    assert (some.sample_index.tolist(), some.unit.tolist()) == ([10, 80], [0, 1])
    for name in ("amplitude", "shift_samples", "gain"):
        assert np.array_equal(getattr(some, name), getattr(matched, name)[[0, 3]])
    assert some.n_units == 3


def test_templates_are_means_of_the_spikes_whose_traces_were_read(matched: Matched) -> None:
    assert matched.n_of_templates.tolist() == [1, 2, 1]
    some = replace(matched, measured=np.array([True, True, False, False]))
    assert some.n_of_templates.tolist() == [1, 1, 0]
    later = some.of(np.array([1, 2]))
    assert later.measured is not None
    assert later.measured.tolist() == [True, False]
    packing = matched_packing(PLACES, None)
    again = packing.unpack(packing.pack(some)).measured
    assert again is not None
    assert again.tolist() == [True, True, False, False]
    assert packing.unpack(packing.pack(matched)).measured is None


def test_spikes_that_were_found_twice_are_kept_and_templates_are_means_without_them(matched: Matched) -> None:
    twice = replace(matched, again=np.array([-1, -1, -1, 1]))
    assert twice.n_of_templates.tolist() == [1, 1, 1]
    assert replace(twice, measured=np.array([True, False, True, True])).n_of_templates.tolist() == [1, 0, 1]
    of_the_first_row = replace(twice, again=np.array([-1, 0, -1, 1]))
    assert of_the_first_row.n_of_templates.tolist() == [1, 0, 1]
    packing = matched_packing(PLACES, None)
    kept = packing.unpack(packing.pack(twice)).again
    assert kept is not None
    assert kept.tolist() == [-1, -1, -1, 1]
    assert packing.unpack(packing.pack(matched)).again is None
    with pytest.raises(AssertionError, match="found twice"):
        twice.of(np.array([0]))


def test_some_units_come_in_the_order_that_is_asked_for(matched: Matched) -> None:
    two = matched.of(np.array([0, 2])).with_units(np.array([2, 0]))
    assert two.unit.tolist() == [1, 0]
    assert two.n_units == 2
    assert np.array_equal(two.bank.waveforms, matched.bank.waveforms[[2, 0]])
    assert np.array_equal(two.moving.waveforms, matched.moving.waveforms[:, [2, 0]])
    assert two.like.candidates.tolist() == [[0, 1], [1, 0]]
    assert two.like.lag.tolist() == [[8, 6], [2, 0]]
    for name in ("relative", "distance"):
        assert np.array_equal(getattr(two.like, name), getattr(matched.like, name)[[2, 0]][:, [2, 0]])
    for name in ("sd", "peaks_hz", "lead", "lead_sd"):
        assert np.array_equal(getattr(two.noise, name), getattr(matched.noise, name)[[2, 0]])
    assert np.array_equal(two.least_gain, matched.least_gain[[2, 0]])
    assert np.array_equal(two.noise_level, matched.noise_level[:, [2, 0]])


def test_a_candidate_that_is_gone_is_none(matched: Matched) -> None:
    one = matched.of(np.array([0])).with_units(np.array([0, 1]))
    assert one.like.candidates.tolist() == [[0, -1], [1, -1]]


def test_what_was_found_is_the_same_after_it_was_kept(matched: Matched) -> None:
    packing = matched_packing(PLACES, None)
    again = packing.unpack(packing.pack(matched))
    for name in ("sample_index", "unit", "amplitude", "shift_samples", "gain", "least_gain", "noise_level"):
        assert np.array_equal(getattr(again, name), getattr(matched, name)), name
    for part, names in {
        "moving": ("waveforms", "n_before", "share"),
        "bank": ("waveforms", "n_before"),
        "like": ("relative", "distance", "lag", "candidates"),
        "noise": ("sd", "peaks_hz", "lead", "lead_sd"),
    }.items():
        for name in names:
            before, after = (getattr(getattr(one, part), name) for one in (matched, again))
            assert np.array_equal(before, after), name
    assert (again.n_faint, again.clock, again.places) == (7, None, PLACES)
    assert isinstance(again.bank, TemplateBank)


def test_zeros_of_templates_are_not_kept(matched: Matched) -> None:
    packed = matched_packing(PLACES, None).pack(matched)
    assert packed["moving.waveforms"].shape == (P * (2 + 4 + 4), T)
    minus = replace(matched.moving, waveforms=-0.0 * np.ones((1, 1, T, C), np.float32), share=np.ones(1))
    again = ROUND.unpack(ROUND.pack(Round(minus, np.zeros(0, np.int64), np.zeros(0, np.int64))))
    assert np.signbit(again.bank.waveforms).all()  # to the last bit


def test_a_round_is_the_same_after_it_was_kept(matched: Matched) -> None:
    one = Round(matched.moving, np.array([3, 9]), np.array([1, 0]), 4)
    again = ROUND.unpack(ROUND.pack(one))
    assert np.array_equal(again.bank.waveforms, matched.moving.waveforms)
    assert (again.spikes.tolist(), again.units.tolist(), again.n_faint) == ([3, 9], [1, 0], 4)
    assert Round(matched.moving, one.spikes, one.units).n_faint == 0
    spikes, units = SPIKES_OF_UNITS.unpack(SPIKES_OF_UNITS.pack((np.array([5]), np.array([2]))))
    assert (spikes.tolist(), units.tolist()) == ([5], [2])
