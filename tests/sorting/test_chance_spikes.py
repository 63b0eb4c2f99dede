"""How many spikes of a unit are of none: by their lengths, worked out by hand where these are few values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.sorting.chance_spikes import fit_none, least_lengths, lengths
from ncpgui.sorting.matched import Matched
from tests.sorting.two_units import two_units

PRIOR = 25.0
ROOT = np.sqrt(2 * np.pi)


def units(
    first: list[float], second: list[float] = (), *, least: float = 6.0, peaks_hz: float = 0.0
) -> Matched:  # type: ignore[assignment]
    """Spikes of these lengths of two templates of energy 900 and 1600; the least length of each is given."""
    length = np.array([*first, *second])
    unit = np.repeat([0, 1], [len(first), len(second)])
    one = two_units(np.zeros(len(length)), unit.astype(bool), 1000 * np.arange(len(length)), apart=0.0)
    waveforms = np.zeros_like(one.bank.waveforms)
    waveforms[0, 10, 0], waveforms[1, 10, 0] = -30, -40
    root = np.array([30.0, 40.0])
    # a spike of length L lies L * root along the template: a^2 / (E + 25) - 25 is its gain, a = L root + 25
    gain = (length * root[unit] + PRIOR) ** 2 / (root[unit] ** 2 + PRIOR) - PRIOR
    return replace(
        one,
        moving=replace(one.moving, waveforms=waveforms[None]),
        gain=np.column_stack([gain, np.zeros_like(gain)]).astype(np.float32),
        least_gain=2 * least * root - root**2,  # (E + g) / 2 / sqrt(E) is the least length
        noise=replace(one.noise, peaks_hz=np.full(2, peaks_hz)),
    )


def test_the_length_of_a_spike_that_is_its_template_is_that_of_the_template() -> None:
    one = units([30.0], [40.0])
    assert one.gain[:, 0] == pytest.approx([900, 1600], rel=1e-6)
    assert lengths(one) == pytest.approx([30, 40], rel=1e-6)
    assert lengths(units([7.0, 45.0], [12.0])) == pytest.approx([7, 45, 12], rel=1e-5)


def test_a_spike_that_gains_nothing_at_all_has_no_length() -> None:
    one = replace(units([5.0]), gain=np.array([[-26.0, 0.0]], np.float32))
    assert lengths(one) == pytest.approx([-25 / 30])


def test_the_least_length_is_half_of_the_energy_and_the_least_gain() -> None:
    one = replace(units([30.0]), least_gain=np.array([30.0, 40.0]))
    assert least_lengths(one) == pytest.approx([930 / 60, 1640 / 80])


def test_noise_makes_as_many_spikes_as_it_rises_above_the_least_length_at_each_of_its_levels() -> None:
    one = units([30.0] * 10, [40.0] * 10, peaks_hz=500.0)
    one = replace(
        one,
        noise=replace(one.noise, sd=np.array([1.0, 2.0])),
        noise_level=np.array([[1.0, 1.0], [4.0, 1.0]]),
    )
    expected = [500 * 60 * (np.exp(-18) + np.exp(-4.5)) / 2, 500 * 60 * np.exp(-4.5)]
    assert fit_none(one, duration_s=60.0).by_chance == pytest.approx(expected)


def test_noise_of_units_that_others_found_is_counted_from_their_median_length() -> None:
    """Matching takes spikes from 6 on. Below one noise sd, Rice's rate is no rate of peaks."""
    lengths_of_units = [2.0, 3.0, 9.0], [0.2] * 4
    fit = fit_none(units(*lengths_of_units, peaks_hz=500.0), duration_s=60.0)
    assert fit.least == pytest.approx([3.0, 1.0], rel=1e-5)
    assert fit.by_chance == pytest.approx([500 * 60 * np.exp(-4.5), 500 * 60 * np.exp(-0.5)], rel=1e-4)
    larger = fit_none(units([2.0, 7.0, 9.0], [6.5] * 4, peaks_hz=500.0), duration_s=60.0)
    assert larger.least == pytest.approx([6.0, 6.0])


def test_a_unit_far_above_the_threshold_has_one_spike_of_what_is_left_of_others_anywhere() -> None:
    """Ten spikes at one length: one spike is spread by a density of 0.0001, nine are the unit's, of sd 1."""
    fit = fit_none(units([30.0] * 10), duration_s=60.0)
    odds = 1e-4 * ROOT / 9
    assert fit.odds == pytest.approx(np.full(10, odds), rel=1e-3)
    assert fit.share[0] == pytest.approx(odds, rel=1e-3)
    assert (fit.mean[0], fit.sd[0]) == (pytest.approx(30, rel=1e-6), 1.0)
    assert fit.least == pytest.approx([6, 6])
    assert (fit.share[1], fit.mean[1], fit.sd[1]) == (0, 0, 0)  # a unit without spikes


def test_of_few_spikes_at_most_a_fifth_is_what_is_left_of_others() -> None:
    fit = fit_none(units([30.0] * 4), duration_s=60.0)
    assert fit.odds == pytest.approx(np.full(4, 0.8e-4 * ROOT / 3.2), rel=1e-3)


@pytest.mark.parametrize(
    ("below", "above", "left"),
    [(10, 0, 10), (10, 2, 8), (40, 0, 20)],  # at most a fifth of 100
)
def test_spikes_shorter_than_those_of_the_unit_are_left_of_others_but_for_as_many_longer_ones(
    below: int, above: int, left: int
) -> None:
    own = 100 - below - above
    fit = fit_none(units([30.0] * own + [15.0] * below + [38.0] * above), duration_s=60.0)
    assert (fit.mean[0], fit.sd[0]) == (pytest.approx(30, rel=1e-5), 1.0)
    # what is left of others begins at the least length, 6, and falls by e in 0.7
    assert fit.odds[0] == pytest.approx(left * 1e-4 * ROOT / (100 - left), rel=1e-3)
    assert fit.odds[own] > 1e3
    assert fit.share[0] == pytest.approx((below + above) / 100, abs=1e-3)


def test_where_few_of_those_left_of_others_can_be_seen_more_are_expected() -> None:
    """Two spikes are shorter by 2.5 sd; a share of 0.349 lies within 0.3 above the least length."""
    fit = fit_none(units([30.0] * 98 + [27.3] * 2, least=27.2), duration_s=60.0)
    left = 2 / (1 - np.exp(-0.3 / 0.7))
    none = left * (np.exp(-2.8 / 0.7) / 0.7 + 1e-4)
    assert fit.odds[0] == pytest.approx(none * ROOT / (100 - left), rel=1e-2)
    # where less than a share of 0.3 is seen, one spike is taken to be left
    hardly = fit_none(units([30.0] * 98 + [27.4] * 2, least=27.3), duration_s=60.0)
    assert hardly.odds[0] == pytest.approx((np.exp(-2.7 / 0.7) / 0.7 + 1e-4) * ROOT / 99, rel=2e-2)


def test_what_is_left_of_others_begins_at_the_shortest_spike_where_that_is_below_the_least_length() -> None:
    fit = fit_none(units([30.0] * 90 + [5.0] * 10, least=6.0), duration_s=60.0)
    assert fit.share[0] == pytest.approx(0.1, abs=1e-3)
    near = fit_none(units([6.0] * 10, least=6.0), duration_s=60.0)
    odds = (1 / 0.7 + 1e-4) * ROOT / 9
    assert near.odds == pytest.approx(np.full(10, odds), rel=1e-3)


def test_spikes_just_above_the_least_length_are_partly_chance() -> None:
    """Four spikes by chance in 2 s of noise, which begin at the least length 6 and fall off by e in 1/6."""
    rate = 2 / np.exp(-18)
    fit = fit_none(units([6.0] * 20, peaks_hz=rate), duration_s=2.0)
    assert fit.by_chance[0] == pytest.approx(4)
    odds = (4 * 6 + 1 / 0.7 + 1e-4) * ROOT / (20 - 4 - 1)
    assert fit.odds == pytest.approx(np.full(20, odds), rel=1e-3)
    longer = fit_none(units([6.5] * 20, peaks_hz=rate), duration_s=2.0)
    fallen = 4 * 6 * np.exp(-3) + np.exp(-0.5 / 0.7) / 0.7 + 1e-4
    assert longer.odds == pytest.approx(np.full(20, fallen * ROOT / 15), rel=1e-3)


def test_chance_makes_at_most_seven_of_ten_spikes_of_a_unit() -> None:
    fit = fit_none(units([6.0] * 20, peaks_hz=1e12), duration_s=2.0)
    odds = (14 * 6 + 1 / 0.7 + 1e-4) * ROOT / (20 - 14 - 1)
    assert fit.odds == pytest.approx(np.full(20, odds), rel=1e-3)
    assert fit.by_chance[0] > 1000


def test_the_spread_of_a_unit_is_at_least_that_of_the_noise_and_else_that_of_its_spikes() -> None:
    spread = fit_none(units([24.0, 36.0] * 20), duration_s=60.0)
    assert spread.sd[0] == pytest.approx(6, rel=1e-2)
    assert spread.mean[0] == pytest.approx(30, rel=1e-3)
    loud = units([30.0] * 10)
    loud = replace(loud, noise=replace(loud.noise, sd=np.array([2.5, 1.0])))
    assert fit_none(loud, duration_s=60.0).sd[0] == 2.5


def test_of_no_unit_there_is_nothing() -> None:
    one = units([])
    nothing = replace(one, moving=replace(one.moving, waveforms=one.moving.waveforms[:, :0]))
    fit = fit_none(nothing, duration_s=60.0)
    assert all(
        len(getattr(fit, name)) == 0 for name in ("odds", "length", "share", "mean", "sd", "by_chance")
    )
