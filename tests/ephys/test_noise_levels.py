"""The noise of each channel by slices, and the channels that are of no use; values by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.ephys import noise_levels as module
from ncpgui.ephys.noise_levels import (
    MAD_OF_NORMAL,
    noise_levels,
    noisy_channels,
    raw_slices,
    slices_of,
    usable_channels,
)
from ncpgui.ephys.spikeinterface_adapter import BaseRecording


def recording(traces: np.ndarray, rate_hz: float = 1000.0) -> BaseRecording:
    from spikeinterface.core import NumpyRecording

    return NumpyRecording([traces], rate_hz)


def alternating(n: int, height: float) -> np.ndarray:
    """Samples at +h and -h, never 0: the median absolute deviation is h."""
    return height * np.where(np.arange(n) % 2, 1.0, -1.0)


def in_slices(monkeypatch: pytest.MonkeyPatch, *heights: list[float]) -> np.ndarray:
    """Levels of channels (columns) that have these heights in slices of 10 samples (rows)."""
    rows = [np.column_stack([alternating(10, height) for height in row]) for row in heights]
    places = [(0, 10 * k, 10 * k + 10) for k in range(len(rows))]
    monkeypatch.setattr(module, "slices_of", lambda _: places)
    return noise_levels(recording(np.concatenate(rows))) * MAD_OF_NORMAL


def test_slices_are_half_a_second_twenty_of_them_and_fewer_of_a_short_recording() -> None:
    assert [end - first for _, first, end in slices_of(recording(np.zeros((30_000, 1))))] == [500] * 20
    assert len(slices_of(recording(np.zeros((1600, 1))))) == 3
    (whole,) = slices_of(recording(np.zeros((400, 1))))
    assert whole == (0, 0, 400)
    assert slices_of(recording(np.zeros((9000, 1)))) == slices_of(recording(np.ones((9000, 2))))


def test_raw_slices_come_one_after_the_other() -> None:
    traces = np.arange(400.0)[:, None]
    assert np.array_equal(raw_slices(recording(traces)), traces)
    assert raw_slices(recording(np.zeros((1600, 2)))).shape == (1500, 2)


def test_white_noise_of_sd_3_has_the_level_3() -> None:
    noise = 3 * np.random.default_rng(0).standard_normal((5000, 2))
    assert noise_levels(recording(noise)) == pytest.approx([3, 3], rel=0.05)


def test_the_level_is_the_mean_over_slices_of_each_channel(monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_slices(monkeypatch, [1, 10], [2, 10], [3, 13]) == pytest.approx([2, 11])


def test_silent_slices_and_those_with_an_artefact_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual level is the third quartile of slices with any signal, one that occurs."""
    loud = [[1], [2], [2], [2], [6]]  # three times the usual 2 is too loud, less is not
    assert in_slices(monkeypatch, *loud) == pytest.approx([7 / 4])
    assert in_slices(monkeypatch, *loud[:4], [5.9]) == pytest.approx([12.9 / 5])
    silent = [[0.2], [2], [2], [2], [2]]  # a tenth of the usual is silent
    assert in_slices(monkeypatch, *silent) == pytest.approx([2])
    assert in_slices(monkeypatch, [0.21], *silent[1:]) == pytest.approx([8.21 / 5])


def test_traces_in_volts_have_a_level_as_those_in_microvolts_have(monkeypatch: pytest.MonkeyPatch) -> None:
    volts = [[1e-6], [2e-6], [2e-6], [2e-6], [6e-6]]
    assert in_slices(monkeypatch, *volts) == pytest.approx([7e-6 / 4])


def test_of_two_levels_the_higher_one_is_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_slices(monkeypatch, [1], [20]) == pytest.approx([20])


def test_a_channel_without_signal_has_no_noise_and_one_that_is_not_finite_no_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = in_slices(monkeypatch, [0, 1], [0, np.nan], [0, 1])
    assert found[0] == 0
    assert np.isnan(found[1])


def test_blanked_samples_do_not_count() -> None:
    traces = alternating(400, 2.0)[:, None]
    traces[100:390] = 0
    assert noise_levels(recording(traces)) * MAD_OF_NORMAL == pytest.approx([2])


def test_the_level_is_around_the_median_and_not_around_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "slices_of", lambda _: [(0, 0, 10)])
    assert noise_levels(recording(100 + alternating(10, 2.0)[:, None])) * MAD_OF_NORMAL == pytest.approx([2])


# -- channels of no use ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 8, 1001, 1002])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_medians_of_rows_are_those_of_numpy(n: int, dtype: type) -> None:
    """Of numbers of any sign and size, of many that are the same, and with some that are none."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(8, n)).astype(dtype)
    rows[1, 0], rows[2, -1] = np.nan, np.inf
    rows[3] = np.abs(rows[3])
    rows[4] = -np.exp(20 * rows[4])
    rows[5] = rng.integers(-1, 2, n)
    rows[6] = np.where(rng.random(n) < 0.5, 0.0, -0.0)
    rows[7, : n // 2], rows[7, n // 2 :] = -3, 5  # the middle is between two numbers far apart
    expected = np.median(rows, axis=1)
    found = module.medians_of_rows(rows)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == dtype


def test_the_median_of_no_values_is_none() -> None:
    assert np.isnan(module.medians_of_rows(np.zeros((3, 0), np.float32))).tolist() == [True] * 3


def usable(noise_sd: list[float], *raw: list[float]) -> list[bool]:
    return usable_channels(np.array(noise_sd), np.array(raw)).tolist()


def test_a_channel_that_never_changes_is_dead() -> None:
    assert usable([1.0, 1.0], [5, 1], [5, 2], [5, 1]) == [False, True]
    assert usable([1.0, 1.0], [5, 1], [5, 1]) == [False, False]
    assert usable([1.0, 1.0], [5, 1], [6, 1], [5, 3]) == [True, True]


def test_a_channel_that_only_jumps_is_dead() -> None:
    """Its noise is a billionth of its span, or less."""
    assert usable([1e-9 * 1000, 1e-9 * 1000], [0, 0], [1000, 999]) == [False, True]


def test_a_channel_with_a_hundredth_of_the_usual_noise_is_dead() -> None:
    raw = [[0, 0, 0], [1, 1, 1]]
    assert usable([0.04, 4.0, 4.0], *raw) == [False, True, True]
    assert usable([0.041, 4.0, 4.0], *raw) == [True, True, True]
    # a channel that never changes has no say in what is usual
    assert usable([4.0, 400.0, 400.0], [0, 7, 7], [1, 7, 7]) == [True, False, False]


def test_spans_of_whole_numbers_do_not_overflow() -> None:
    raw = np.array([[-32_000], [32_000]], np.int16)
    assert usable_channels(np.array([6.4e-5]), raw).tolist() == [False]
    assert usable_channels(np.array([6.5e-5]), raw).tolist() == [True]


def test_more_than_five_times_the_usual_noise_is_noisy_where_there_are_eight_channels() -> None:
    assert noisy_channels(np.array([1.0] * 6 + [5.0, 5.1])).tolist() == [False] * 7 + [True]
    assert not noisy_channels(np.array([1.0] * 6 + [50.0])).any()
