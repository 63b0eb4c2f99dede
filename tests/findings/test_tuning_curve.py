"""One or two peaks on a base: what they are fitted to is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.findings.tuning_curve import CLEARLY, OF_TWO_CELLS, TuningCurves, has_two_peaks

VALUES = np.arange(0, 180, 15.0)
N_TRIALS = np.full(12, 10)
OF_TRIAL = np.tile(np.arange(12), 10)
CIRCLE = TuningCurves(VALUES, N_TRIALS, 180.0)
LINE = TuningCurves(VALUES, N_TRIALS, None)


def bump(values: NDArray[np.float64], place: float, concentration: float) -> NDArray[np.float64]:
    return np.asarray(np.exp(concentration * (np.cos(2 * np.radians(values - place)) - 1)))


def half_width(concentration: float) -> float:
    return float(np.degrees(np.arccos(1 - np.log(2) / concentration)) / 2)


@pytest.mark.parametrize("places", [(30.0, 110.0), (2.0, 178.0 - 60), (60.0, 100.0)])
def test_two_peaks_without_noise_are_found_where_they_are(places: tuple[float, float]) -> None:
    k = float(CIRCLE._widths[32])  # of the grid, so that the fit can be exact: 3.1
    rates = 3 + 20 * bump(VALUES, places[0], k) + 12 * bump(VALUES, places[1], k)
    found = CIRCLE.two_peaks(rates)
    assert found.peak == pytest.approx(places[0], abs=0.01)
    assert found.width == pytest.approx(half_width(k), rel=0.01)
    assert (found.height, found.second_height, found.base) == pytest.approx((20, 12, 3))
    assert found.explained == pytest.approx(rates.var())


def test_the_higher_of_two_peaks_is_the_preferred_one_whatever_their_order() -> None:
    k = float(CIRCLE._widths[32])
    found = CIRCLE.two_peaks(3 + 12 * bump(VALUES, 30.0, k) + 20 * bump(VALUES, 110.0, k))
    assert found.peak == pytest.approx(110, abs=0.01)
    assert (found.height, found.second_height) == pytest.approx((20, 12))


@pytest.mark.parametrize("place", [0.3, 30.5, 44.7, 179.6])
def test_a_peak_lies_between_the_places_that_are_tried(place: float) -> None:
    """Places are a degree apart; without noise a peak is found to a thirtieth of that."""
    k = float(CIRCLE._widths[32])
    alone = CIRCLE.one_peak(3 + 20 * bump(VALUES, place, k))
    beside = CIRCLE.two_peaks(3 + 20 * bump(VALUES, place, k) + 12 * bump(VALUES, place + 90, k))
    assert (alone.peak, beside.peak) == pytest.approx((place, place), abs=0.03)
    assert 0 <= alone.peak < 180


@pytest.mark.parametrize("k", [1.1, 2.0, 3.3])
def test_a_width_lies_between_those_that_are_tried(k: float) -> None:
    """Widths are 8 % apart; without noise one is found to a half of a percent."""
    assert np.abs(np.log(CIRCLE._widths / k)).min() > 0.02
    assert CIRCLE.one_peak(3 + 20 * bump(VALUES, 52.0, k)).width == pytest.approx(half_width(k), rel=0.005)
    line = LINE.one_peak(3 + 20 * np.exp(-0.5 * ((VALUES - 80) / 20.5) ** 2))
    assert line.width == pytest.approx(20.5 * np.sqrt(2 * np.log(2)), rel=0.005)


def test_a_peak_at_the_end_of_a_line_stays_there() -> None:
    rates = 2 + 10 * np.exp(
        -0.5 * ((VALUES + 8) / 30) ** 2
    )  # it rises towards a place before the first value
    assert LINE.one_peak(rates).peak == 0.0


def test_two_peaks_on_a_line_do_not_go_on_at_its_other_end() -> None:
    rates = 2 + 10 * np.exp(-0.5 * ((VALUES - 10) / 12) ** 2) + 25 * np.exp(-0.5 * ((VALUES - 120) / 12) ** 2)
    found = LINE.two_peaks(rates)
    assert found.peak == pytest.approx(120, abs=1)
    assert found.width == pytest.approx(12 * np.sqrt(2 * np.log(2)), rel=0.08)
    assert (found.height, found.second_height) == pytest.approx((25, 10), rel=0.1)


def test_the_coarse_search_finds_what_trying_all_pairs_finds() -> None:
    """All 990 pairs of coarse places, each with least squares of its own."""
    rates = np.random.default_rng(3).poisson(6 + 15 * bump(VALUES, 40, 4) + 10 * bump(VALUES, 130, 4)) * 1.0
    best = 0.0
    for a, b in itertools.combinations(range(0, 180, 4), 2):
        for width in range(0, 48, 4):
            columns = np.column_stack([CIRCLE._raw[a, width], CIRCLE._raw[b, width], np.ones(12)])
            heights, *_ = np.linalg.lstsq(columns, rates, rcond=None)
            if heights[0] > 0 and heights[1] > 0:
                best = max(best, rates.var() - (rates - columns @ heights).var())
    assert best > 0
    assert CIRCLE.two_peaks(rates).explained >= best - 1e-9


def test_two_peaks_explain_no_less_than_one() -> None:
    for seed in range(20):
        rates = np.random.default_rng(seed).poisson(2 + 20 * bump(VALUES, 9.0 * seed, 2.0)) * 1.0
        assert CIRCLE.two_peaks(rates).explained >= 0.98 * CIRCLE.one_peak(rates).explained


@pytest.mark.parametrize("curves", [CIRCLE, LINE])
def test_a_flat_curve_has_no_peak(curves: TuningCurves) -> None:
    for found in (curves.one_peak(np.full(12, 4.0)), curves.two_peaks(np.full(12, 4.0))):
        assert (found.height, found.second_height, found.base) == pytest.approx((0, 0, 4))


def test_one_cell_has_one_peak_and_two_cells_have_two() -> None:
    """Poisson cells, ten trials at each value: one in 200 cells of one peak seems to have two."""
    rng = np.random.default_rng(0)
    one, both = 0, 0
    for k in range(200):
        second = 2 + 20 * bump(VALUES[OF_TRIAL], k, 2.5)
        one += has_two_peaks(CIRCLE, rng.poisson(second), OF_TRIAL, 1.0)
        apart = 2 + 20 * bump(VALUES[OF_TRIAL], k + 70.0, 2.5)
        both += has_two_peaks(CIRCLE, rng.poisson(second) + rng.poisson(apart), OF_TRIAL, 1.0)
    assert one <= 4
    assert both == 200


def test_less_speaks_for_two_peaks_where_the_spikes_are_known_to_be_of_two_cells() -> None:
    """Cells that prefer values 30 degrees apart: a curve that is little wider than that of one."""
    rng = np.random.default_rng(1)
    asked = {OF_TWO_CELLS: 0, CLEARLY: 0}
    for k in range(100):
        rates = sum(2 + 20 * bump(VALUES[OF_TRIAL], k + apart, 2.5) for apart in (0.0, 30.0))
        counts = rng.poisson(rates)
        for least in asked:
            asked[least] += has_two_peaks(CIRCLE, counts, OF_TRIAL, 1.0, least=least)
    assert asked[OF_TWO_CELLS] > 70
    assert asked[CLEARLY] < 50


def test_trials_that_vary_more_than_a_poisson_process_ask_more_of_a_second_peak() -> None:
    """The same mean rates, with two small bumps: clear where trials agree, chance where they vary."""
    rates = 20 + 12 * bump(VALUES, 30, 6) + 9 * bump(VALUES, 120, 6)
    steady = np.round(rates[OF_TRIAL]).astype(np.int64)
    swing = np.where(np.arange(120) // 12 % 2 == 0, -15, 15)
    assert has_two_peaks(CIRCLE, steady, OF_TRIAL, 1.0)
    assert not has_two_peaks(CIRCLE, steady + swing, OF_TRIAL, 1.0)


def test_a_silent_unit_has_no_second_peak() -> None:
    assert not has_two_peaks(CIRCLE, np.zeros(120, np.int64), OF_TRIAL, 1.0)


def test_the_length_of_trials_changes_no_judgement() -> None:
    counts = np.random.default_rng(5).poisson(
        4 + 9 * bump(VALUES[OF_TRIAL], 30, 4) + 9 * bump(VALUES[OF_TRIAL], 110, 4)
    )
    assert has_two_peaks(CIRCLE, counts, OF_TRIAL, 0.1)
    assert has_two_peaks(CIRCLE, counts, OF_TRIAL, 10.0)


def test_a_unit_that_is_silent_where_values_were_shown_again_has_no_second_peak() -> None:
    """Its only spike is of a value that was shown once: nothing tells how much trials vary."""
    of_trial = np.array([*range(8), *range(1, 8)])
    curves = TuningCurves(np.arange(0.0, 360, 45), np.bincount(of_trial), 360.0)
    counts = np.zeros(15, int)
    counts[0] = 1
    assert not has_two_peaks(curves, counts, of_trial, 1.0)
    assert not has_two_peaks(curves, 0 * counts, of_trial, 1.0)
