"""Spikes are dropped, moved and joined by their gains; fitted in pieces as in one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.motion import Places
from ncpgui.sorting import fitting
from ncpgui.sorting.fitting import fitted, moved, piece_samples, together, without_ghosts
from ncpgui.sorting.least_gain import LeastGain
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.template_distance import Likeness
from tests.sorting.two_units import two_units

RATE = 20_000.0
N_TIMES, N_BEFORE = 40, 10


def found(times: list[int], units: list[int], *, gain: Any = None, lag: int = 0) -> Matched:
    """Spikes of two units, each the other's candidate; the second begins `lag` samples later."""
    one = two_units(np.zeros(len(times)), np.array(units, bool), np.array(times), apart=4.0)
    lags = np.array([[0, lag], [-lag, 0]])
    like = Likeness(np.zeros((2, 2)), np.zeros((2, 2)), lags, np.array([[0, 1], [1, 0]]))
    gains = one.gain if gain is None else np.array(gain, np.float32)
    return replace(one, like=like, gain=gains)


def trains(matched: Matched) -> list[tuple[int, int]]:
    return list(zip(matched.sample_index.tolist(), matched.unit.tolist(), strict=True))


# -- ghosts ------------------------------------------------------------------------------------


def test_a_spike_must_save_more_than_half_of_the_least_gain_and_be_higher_than_0_4() -> None:
    one = found([100, 200, 300, 400], [0, 0, 0, 0], gain=[[15, 0], [15.5, 0], [99, 0], [99, 0]])
    one = replace(one, amplitude=np.array([1, 1, 0.4, 0.41], np.float32))
    assert trains(without_ghosts(one, LeastGain(30.0))) == [(200, 0), (400, 0)]


def test_the_least_gain_is_that_of_the_unit_at_the_place_of_the_tissue() -> None:
    class ByPlace(LeastGain):
        def of(self, waveforms: np.ndarray) -> np.ndarray:
            assert waveforms.shape[:2] == (2, 2)  # places, units
            return np.array([[10.0, 20.0], [30.0, 40.0]])

    one = found([100, 100, 900, 900], [0, 1, 0, 1], gain=[[15.5, 0]] * 4)
    two_places = Places(np.array([[0, 500], [500, 1000]]), np.array([0, 1]), np.zeros((2, 1)), np.zeros(1))
    moving = MovingBank(np.repeat(one.moving.waveforms, 2, axis=0), N_BEFORE, two_places.share)
    one = replace(one, places=two_places, moving=moving)
    assert trains(without_ghosts(one, ByPlace(0.0))) == [
        (100, 0),
        (100, 1),
        (900, 0),
    ]  # more than 5, 10, 15, 20


def test_nothing_of_no_unit_is_a_ghost() -> None:
    one = two_units(np.zeros(0), np.zeros(0, bool), np.zeros(0, np.int64), 4.0)
    nothing = replace(one, moving=replace(one.moving, waveforms=one.moving.waveforms[:, :0]))
    assert without_ghosts(nothing, LeastGain(30.0)) is nothing


# -- moved to another unit -----------------------------------------------------------------------

TEN = [1000 * k for k in range(1, 11)]


def own_and_one(gains: tuple[float, float], n_other: int = 10) -> Matched:
    """A spike of unit 0 at 50,000 with these gains, and some spikes of unit 1, which begins 3 later."""
    return found(
        [*TEN[:n_other], 50_000], [1] * n_other + [0], gain=[[100, 0]] * n_other + [list(gains)], lag=3
    )


@pytest.mark.parametrize(
    ("gains", "expected"),
    [((50, 56.5), (50_003, 1)), ((50, 56), (50_000, 0)), ((50, 20), (50_000, 0))],
)
def test_a_spike_moves_where_another_template_gains_more_than_6_at_the_time_of_that(
    gains: tuple[float, float], expected: tuple[int, int]
) -> None:
    assert trains(moved(own_and_one(gains), RATE))[-1] == expected


def test_no_spike_moves_to_a_unit_of_nine_spikes() -> None:
    assert trains(moved(own_and_one((50, 99), 10), RATE))[-1] == (50_003, 1)
    assert trains(moved(own_and_one((50, 99), 9), RATE))[-1] == (50_000, 0)


def test_a_spike_that_moves_onto_one_of_that_unit_is_the_same_spike() -> None:
    """0.3 ms are 6 samples: what is nearer to a spike of the same unit than that is dropped."""
    for gap, n in ((5, 10), (6, 11)):
        times = [*TEN[:9], 50_003 - gap, 50_000]
        one = found(times, [1] * 10 + [0], gain=[[100, 0]] * 10 + [[50, 99]], lag=3)
        assert len(trains(moved(one, RATE))) == n


def test_spikes_of_two_units_at_one_time_are_two_and_come_by_time_and_unit() -> None:
    one = found([500, 100, 100], [0, 1, 0])
    assert trains(moved(one, RATE)) == [(100, 0), (100, 1), (500, 0)]


def test_where_there_is_no_candidate_a_spike_stays() -> None:
    one = found(TEN, [0] * 10, gain=[[50, 99]] * 10)
    alone = replace(one.like, candidates=np.array([[0, -1], [1, -1]]))
    assert trains(moved(replace(one, like=alone), RATE)) == [(time, 0) for time in TEN]


# -- joined ----------------------------------------------------------------------------------------


def test_spikes_of_a_joined_unit_are_its_partners_at_the_partners_time() -> None:
    one = found([100, 200], [0, 1], lag=3)
    assert trains(together(one, np.array([0, 0]), RATE)) == [(100, 0), (197, 0)]
    assert trains(together(one, np.array([1, 1]), RATE)) == [(103, 1), (200, 1)]


def test_a_spike_that_both_joined_units_had_is_one_the_first_of_them() -> None:
    one = found([100, 108, 300, 309], [0, 1, 0, 1], lag=3)
    assert trains(together(one, np.array([0, 0]), RATE)) == [(100, 0), (300, 0), (306, 0)]


# -- fitted ------------------------------------------------------------------------------------------


class Traces:
    """Traces that are there as a whole."""

    sampling_frequency = RATE

    def __init__(self, values: np.ndarray) -> None:
        self._values = values
        self.read: list[tuple[int, int]] = []

    def get_num_samples(self) -> int:
        return len(self._values)

    def get_num_channels(self) -> int:
        return self._values.shape[1]

    def get_channel_locations(self) -> np.ndarray:
        return np.zeros((self.get_num_channels(), 2))

    def get_traces(self, start_frame: int, end_frame: int) -> np.ndarray:
        self.read.append((start_frame, end_frame))
        return self._values[start_frame:end_frame].copy()


def wave() -> np.ndarray:
    """Two templates (2, 40, 2), each on a contact of its own."""
    time = np.arange(N_TIMES) - N_BEFORE
    shape = -20 * np.exp(-((time / 3.0) ** 2)).astype(np.float32)
    result = np.zeros((2, N_TIMES, 2), np.float32)
    result[0, :, 0] = result[1, :, 1] = shape
    return result


def planted(times: list[int], units: list[int], amplitude: list[float], n_samples: int) -> Traces:
    values = np.zeros((n_samples, 2), np.float32)
    for time, unit, height in zip(times, units, amplitude, strict=True):
        first, last = max(0, time - N_BEFORE), min(n_samples, time - N_BEFORE + N_TIMES)
        values[first:last] += height * wave()[unit][first - time + N_BEFORE : last - time + N_BEFORE]
    return Traces(values)


def fit(traces: Traces, times: list[int], units: list[int], **options: Any) -> tuple[Matched, Any]:
    n = traces.get_num_samples()
    bank = MovingBank(wave()[None], N_BEFORE, np.ones(1))
    places = Places.one(n)
    return fitted(traces, np.array(times), np.array(units), bank, places, LeastGain(30.0), **options)  # type: ignore[arg-type]


def test_spikes_whose_window_or_its_largest_lag_passes_an_end_are_left_out() -> None:
    """Lags go up to 0.5 ms, 10 samples: windows of 40 begin at 10 and end at 990 at the outermost."""
    times, units = [19, 20, 500, 960, 961], [0] * 5
    found, _ = fit(planted(times, units, [1] * 5, 1000), times, units)
    assert found.sample_index.tolist() == [20, 500, 960]


def test_amplitudes_are_fitted_beside_their_prior_and_sums_are_of_each_unit() -> None:
    """An amplitude a has the squared error E (a - x)^2 and the prior 25 (a - 1)^2."""
    times, units = [100, 200, 300], [0, 1, 0]
    found, sums = fit(planted(times, units, [1.0, 1.0, 1.2], 1000), times, units)
    energy = float((wave()[0] ** 2).sum())
    expected = (1.2 * energy + 25) / (energy + 25)
    assert found.amplitude == pytest.approx([1, 1, expected], abs=1e-4)
    assert found.shift_samples == pytest.approx([0, 0, 0], abs=1e-3)
    assert found.unit.tolist() == units
    assert found.gain[0, 0] == pytest.approx(energy, rel=1e-4)
    assert sums.n_spikes == pytest.approx(np.array([[1 + expected, 1]]), abs=1e-4)
    cleaned = sums.of_place[0].waveforms
    assert cleaned[1] == pytest.approx(wave()[1].T, abs=1e-3)
    assert cleaned[0] == pytest.approx(2.2 * wave()[0].T, abs=1e-2)


def test_pieces_give_the_same_to_the_last_bit_by_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times, units = list(range(120, 1160, 37)), [0, 1] * 14 + [0]
    traces = planted(times, units, np.linspace(0.8, 1.2, len(times)).tolist(), 1200)
    monkeypatch.setattr(fitting, "PIECE_S", 100 / RATE)
    monkeypatch.setattr(fitting, "PIECE_BYTES", 1 << 30)
    found = []
    for n_threads in (1, 3):
        monkeypatch.setattr("ncpgui.core.ahead.N_THREADS", n_threads)
        matched, sums = fit(traces, times, units)
        found.append([matched.amplitude, matched.gain, matched.noise.sd, sums.of_place[0].waveforms])
    assert len(found[0][0]) == len(times)
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


def test_pieces_give_what_one_piece_gives_also_for_spikes_at_their_edges(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = [120, 390, 399, 400, 410, 800, 1150]
    units = [0, 0, 1, 0, 1, 1, 0]
    traces = planted(times, units, [1.0, 0.9, 1.1, 1.0, 1.0, 0.8, 1.0], 1200)
    whole, sums = fit(traces, times, units, with_noise=False)
    traces.read.clear()
    monkeypatch.setattr("ncpgui.core.ahead.N_THREADS", 1)  # more threads may read the pieces in any order
    monkeypatch.setattr(fitting, "PIECE_S", 400 / RATE)
    monkeypatch.setattr(fitting, "MARGIN_MS", 3.0)
    monkeypatch.setattr(fitting, "PIECE_BYTES", 1 << 30)
    parts, of_parts = fit(traces, times, units, with_noise=False)
    # 60 of the margin, 40 of a window and 10 of lags on both sides of 400 samples
    assert traces.read == [(0, 510), (290, 910), (690, 1200)]
    for name in ("sample_index", "unit"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name))
    assert parts.amplitude == pytest.approx(whole.amplitude, abs=1e-3)
    assert parts.gain[:, 0] == pytest.approx(whole.gain[:, 0], rel=1e-3)
    assert of_parts.n_spikes == pytest.approx(sums.n_spikes, abs=1e-3)


def test_a_piece_without_spikes_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "PIECE_S", 400 / RATE)
    traces = planted([900], [0], [1.0], 1200)
    fit(traces, [900], [0])
    assert [last for _, last in traces.read] == [1200]


def test_noise_counts_as_white_where_it_is_not_measured() -> None:
    times, units = [100, 500], [0, 1]
    rng = np.random.default_rng(0)
    noise = Traces(3 * rng.standard_normal((20_000, 2)).astype(np.float32))
    white, _ = fit(noise, times, units, with_noise=False)
    assert white.noise.sd.tolist() == [1, 1]
    measured, _ = fit(noise, times, units)
    assert measured.noise.sd == pytest.approx([3, 3], rel=0.15)
    assert measured.least_gain.tolist() == [30, 30]


def test_only_the_usual_place_measures_the_noise_and_each_place_has_its_templates() -> None:
    """At the second place, for a quarter of the time, the first template is on the second contact."""
    bank = np.stack([wave(), wave()[::-1]])
    places = Places(np.array([[0, 900], [900, 1200]]), np.array([0, 1]), np.zeros((2, 1)), np.zeros(1))
    traces = planted([300, 1000], [0, 1], [1.0, 1.0], 1200)
    found, sums = fitted(
        traces,  # type: ignore[arg-type]
        np.array([300, 1000]),
        np.array([0, 0]),
        MovingBank(bank, N_BEFORE, places.share),
        places,
        LeastGain(30.0),
    )
    assert found.amplitude == pytest.approx([1, 1], abs=1e-4)
    assert sums.n_spikes == pytest.approx(np.array([[1, 0], [1, 0]]), abs=1e-4)
    assert np.array_equal(found.bank.waveforms, wave())


def test_noise_is_that_at_the_usual_place() -> None:
    """The tissue is elsewhere for the first quarter, and the noise is three times as loud there."""
    noise = 3 * np.random.default_rng(1).standard_normal((20_000, 2)).astype(np.float32)
    noise[:5000] *= 3
    places = Places(np.array([[0, 5000], [5000, 20_000]]), np.array([1, 0]), np.zeros((2, 1)), np.zeros(1))
    bank = MovingBank(np.stack([wave(), wave()]), N_BEFORE, places.share)
    found, _ = fitted(
        Traces(noise),  # type: ignore[arg-type]
        np.array([2000, 9000]),
        np.array([0, 1]),
        bank,
        places,
        LeastGain(30.0),
    )
    assert found.noise.sd == pytest.approx([3, 3], rel=0.15)


def test_a_piece_is_10_s_or_what_80_mib_hold_but_at_least_a_second() -> None:
    def samples(n_channels: int) -> int:
        return piece_samples(Traces(np.zeros((1, n_channels), np.float32)))  # type: ignore[arg-type]

    assert samples(4) == 200_000
    assert samples(200) == 104_857  # 80 * 2**20 / 800
    assert samples(4000) == 20_000
