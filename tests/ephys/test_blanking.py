"""Artefacts, silence and samples that are no numbers: zero in the traces, no spikes, and said."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from spikeinterface.core import NumpyRecording

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys.blanking import Blanked
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.local_whitening import Whitened
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.probes import load_probe
from tests.ephys.planted_recording import RATE_HZ, planted

N = 200_000  # 10 s
OUTSIDE_MS = 60


def recording_with_spikes(probe: str = "tetrode", n_samples: int = N) -> ArrayRecording:
    """A spike of 20 noise sd every 25 ms, on one channel after the other."""
    place = load_probe(probe)
    spikes = [(float(s), s // 500 % place.n_channels, 20.0) for s in range(250, n_samples - 250, 500)]
    return planted(n_samples=n_samples, spikes=spikes, probe=place)


def found(recording: ArrayRecording, **options: object) -> np.ndarray:
    with preprocess(recording, **options) as pre:
        return detect_spikes(pre, threshold_sd=7, radius_um=100).sample_index


@cache
def found_without(probe: str = "tetrode", offset: float = 0.0) -> np.ndarray:
    """Spikes of the recording as it is, at an offset; found once for all that is done to it."""
    recording = recording_with_spikes(probe)
    recording.array += offset
    return found(recording)


def artefact(kind: str, n_channels: int) -> np.ndarray:
    """One second, on all channels, of another size on each."""
    time = np.arange(20_000)[:, None] / RATE_HZ
    size = np.linspace(40, 120, n_channels)
    if kind == "tone":
        return size * np.sin(2 * np.pi * 700 * time)
    if kind == "noise":
        return size * np.random.default_rng(1).normal(size=(20_000, n_channels))
    return np.repeat(3000 * np.ones((1, n_channels)), 20_000, axis=0)


@pytest.mark.parametrize("probe", ["single", "tetrode", "linear-16"])
@pytest.mark.parametrize("kind", ["tone", "noise"])
def test_an_artefact_of_a_second_is_blanked_and_said(kind, probe, caplog):
    recording = recording_with_spikes(probe)
    before = found_without(probe)
    caplog.clear()
    recording.array[80_000:100_000] += artefact(kind, recording.n_channels)
    after = found(recording)
    margin = OUTSIDE_MS * 20
    assert not ((after > 80_000 - margin) & (after < 100_000 + margin)).any()
    outside = (before < 80_000 - 2 * margin) | (before > 100_000 + 2 * margin)
    assert np.isin(after, before[outside]).mean() > 0.95
    assert np.isin(before[outside], after).mean() > 0.99
    seconds, first, last = re.search(
        r"([\d.]+) s are blanked, where most channels are beyond 2 noise sd .*: ([\d.]+) to ([\d.]+) s",
        caplog.text,
    ).groups()
    assert float(seconds) == pytest.approx(1.1, abs=0.051)
    assert float(first) == pytest.approx(3.95, abs=0.051)
    assert float(last) == pytest.approx(5.05, abs=0.051)


@pytest.mark.parametrize("probe", ["tetrode", "linear-16"])
def test_an_amplifier_at_its_rail_for_a_second_makes_no_spikes(probe, caplog):
    recording = recording_with_spikes(probe)
    recording.array[80_000:100_000] = 3000
    after = found(recording)
    assert not ((after > 79_000) & (after < 101_000)).any()
    assert "most channels are still: 3.95 to 5.05 s" in caplog.text


def test_an_artefact_does_not_move_the_noise():
    recording = recording_with_spikes()
    clean = preprocess(recording).noise_sd
    recording.array[80_000:100_000] += artefact("noise", 4)
    assert preprocess(recording).noise_sd == pytest.approx(clean, rel=0.02)


@pytest.mark.parametrize("value", [0.0, 500.0])
def test_a_silent_half_changes_nothing_in_the_other(value, caplog):
    recording = recording_with_spikes()
    before = found(recording)
    recording.array[N // 2 :] = value
    after = found(recording)
    assert after.max() < N // 2
    kept = before[before < N // 2 - 2000]
    assert np.isin(kept, after).mean() > 0.99
    assert len(after) <= 1.02 * len(before[before < N // 2])
    assert "5.05 s are blanked, where most channels are still: 4.95 to 10.00 s" in caplog.text


def test_strong_bursts_are_not_taken_for_an_artefact(caplog):
    """For a second, a cell of some 40 noise sd fires at 150 Hz on each of four contacts."""
    rng = np.random.default_rng(0)
    spikes = [
        (float(s + rng.integers(0, 40)), c, 30.0) for s in range(80_000, 100_000, 133) for c in range(4)
    ]
    found(planted(n_samples=N, spikes=spikes))
    assert "blanked" not in caplog.text


def test_an_artefact_of_another_size_is_one_where_the_setting_says_so(caplog):
    recording = recording_with_spikes()
    recording.array[80_000:100_000] += artefact("noise", 4)
    found(recording, artefact_sd=1e6)
    assert "blanked" not in caplog.text
    with pytest.raises(InputError, match="artefact_sd must be positive, got 0"):
        preprocess(recording, artefact_sd=0)


def test_nan_is_refused_with_its_place_and_the_way_out():
    recording = recording_with_spikes()
    recording.array[123_456, 2] = np.nan
    with pytest.raises(
        RecordingError, match=r"channel 2 is NaN or infinite at sample 123456 \(6.173 s\)"
    ) as error:
        found(recording)
    assert "--blank-nan" in str(error.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("channels", [[2], [0, 1, 2, 3]])
def test_nan_is_zero_where_that_is_asked_for_and_said(value, channels, caplog):
    recording = recording_with_spikes()
    recording.array += 800  # what stands for NaN must not be far from the trace
    before = found_without(offset=800)
    recording.array[50_000:52_000, channels] = value
    with preprocess(recording, blank_nan=True) as pre:
        after = detect_spikes(pre, threshold_sd=7, radius_um=100).sample_index
        traces = pre.traces(49_900, 52_100)
    assert not traces[:, channels].any()
    near = (before > 49_000) & (before < 53_000)
    assert np.array_equal(after[(after < 49_000) | (after > 53_000)], before[~near])
    assert "2000 samples (0.1 s) are blanked" in caplog.text
    assert "the first at sample 50000 (2.500 s)" in caplog.text


def test_a_channel_that_is_nan_throughout_is_left_out(caplog):
    recording = recording_with_spikes()
    recording.array[:, 1] = np.nan
    with preprocess(recording, blank_nan=True) as pre:
        assert pre.bad_channels == (1,)
    assert "left out: 1" in caplog.text


def test_what_is_blanked_does_not_depend_on_who_asks():
    recording = recording_with_spikes()
    recording.array[80_000:100_000] += artefact("noise", 4)
    whole = preprocess(recording).traces(0, N)
    pre = preprocess(recording)
    parts = [pre.traces(a, min(a + 7_777, N)) for a in reversed(range(0, N, 7_777))]
    assert np.array_equal(np.concatenate(parts[::-1]), whole)


def test_a_silent_half_does_not_change_the_whitening_of_the_other():
    recording = planted(n_samples=N, spikes=[], probe=load_probe("linear-8"))
    recording.array[N // 2 :] = 0
    with preprocess(recording) as pre:
        assert pre.whitened().get_traces(start_frame=0, end_frame=N // 3).std() == pytest.approx(1, abs=0.05)


def test_whitened_templates_go_back_to_the_filtered_traces_where_some_are_blanked():
    recording = recording_with_spikes()
    recording.array[20_000:60_000] = np.nan
    with preprocess(recording, blank_nan=True) as pre:
        white = Whitened(pre.in_noise_sd, pre.whitening).get_traces(start_frame=80_000, end_frame=80_200)
        filtered = pre.in_noise_sd.get_traces(start_frame=80_000, end_frame=80_200)
        np.testing.assert_allclose(pre.unwhitened(white[None])[0], filtered, atol=1e-3)


@pytest.mark.parametrize("silent_from", [N // 2, N])
def test_whitening_is_undone_whether_or_not_a_part_is_silent(silent_from):
    recording = planted(n_samples=N, spikes=[], probe=load_probe("linear-8"))
    recording.array[silent_from:] = 0
    with preprocess(recording) as pre:
        white = Whitened(pre.in_noise_sd, pre.whitening).get_traces(start_frame=1000, end_frame=1100)
        assert pre.unwhitened(white[None])[0] == pytest.approx(pre.traces(1000, 1100), abs=1e-3)


def test_samples_that_are_nan_are_counted_wherever_the_traces_are_read():
    """Two in the eighth second, which is read by itself, and none in the second."""
    array = np.random.default_rng(0).normal(size=(N, 4)).astype(np.float32)
    raw = array.copy()
    raw[[150_000, 150_010], 1] = np.nan
    blanked = Blanked(
        NumpyRecording([array], RATE_HZ), np.ones(4), artefact_sd=30.0, raw=NumpyRecording([raw], RATE_HZ)
    )
    blanked.get_traces(start_frame=30_000, end_frame=40_000)
    assert blanked.said(Clock(RATE_HZ)) == []
    blanked.get_traces(start_frame=149_500, end_frame=150_500)
    (sentence,) = blanked.said(Clock(RATE_HZ))
    assert sentence.startswith("2 samples (0.0001 s) are blanked")
    assert "the first at sample 150000 (7.500 s)" in sentence


# -- by hand: blocks of 50 samples at 1 kHz, of which every fourth sample is looked at ---------------------


def quiet(n: int = 500, n_channels: int = 2) -> np.ndarray:
    """Traces at one noise sd, up and down."""
    return np.repeat(np.where(np.arange(n) % 3 == 0, -1.0, 1.0)[:, None], n_channels, axis=1).astype(
        np.float32
    )


def blanked(
    traces: np.ndarray, raw: np.ndarray | None = None, noise_sd: list[float] | None = None
) -> Blanked:
    made = NumpyRecording([traces], 1000.0)
    return Blanked(
        made,
        noise_sd or [1.0] * traces.shape[1],
        artefact_sd=2.0,
        raw=None if raw is None else NumpyRecording([raw], 1000.0),
    )


def zeros(recording: Blanked, channel: int = 0) -> list[tuple[int, int]]:
    """First and last sample of the stretches that are zero."""
    at = np.flatnonzero(recording.get_traces()[:, channel] == 0)
    ends = np.flatnonzero(np.diff(at) > 1)
    firsts, lasts = (at[[0, *(ends + 1)]], at[[*ends, -1]]) if len(at) else ([], [])
    return [(int(a), int(b)) for a, b in zip(firsts, lasts, strict=True)]


def test_what_is_blanked_stays_in_the_traces_that_were_given() -> None:
    traces = quiet()
    traces[200:250] = 50.0
    given = traces.copy()
    assert zeros(blanked(traces)) != []
    np.testing.assert_array_equal(traces, given)


def test_a_loud_block_goes_with_the_one_before_and_the_one_after() -> None:
    traces = quiet()
    traces[150:200] = 5
    one = blanked(traces)
    assert zeros(one) == zeros(one, 1) == [(100, 249)]
    assert one.said(Clock(1000.0)) == [
        "0.15 s are blanked, where most channels are beyond 2 noise sd for most of the time (an artefact): "
        "0.10 to 0.25 s"
    ]
    assert one.said(Clock(1000.0, [0], [7.0]))[0].endswith("7.10 to 7.25 s")
    assert blanked(quiet()).said(Clock(1000.0)) == []


def test_at_the_ends_of_a_recording_there_is_no_block_beside() -> None:
    traces = quiet(480)
    traces[:50] = traces[450:] = 5
    assert zeros(blanked(traces)) == [(0, 99), (400, 479)]


@pytest.mark.parametrize(("n_loud", "is_blanked"), [(9, True), (8, False)])
def test_more_than_two_thirds_of_the_samples_of_an_artefact_are_loud(n_loud: int, is_blanked: bool) -> None:
    """Of the first block 13 samples are looked at: more than 8.67."""
    traces = quiet()
    traces[: 4 * n_loud : 4] = -5
    assert (zeros(blanked(traces)) == [(0, 99)]) is is_blanked


@pytest.mark.parametrize(("n_still", "is_blanked"), [(7, True), (6, False)])
def test_more_than_half_of_the_samples_of_silence_are_still(n_still: int, is_blanked: bool) -> None:
    traces = quiet()
    traces[: 4 * n_still : 4] = 0.029
    assert (zeros(blanked(traces)) == [(0, 99)]) is is_blanked
    assert bool(blanked(traces).said(Clock(1000.0))) is False  # nothing was read yet
    read = blanked(traces)
    read.get_traces()
    assert read.said(Clock(1000.0)) == (
        ["0.10 s are blanked, where most channels are still: 0.00 to 0.10 s"] if is_blanked else []
    )


@pytest.mark.parametrize(("size", "is_blanked"), [(2.0, False), (2.1, True), (0.03, False), (0.029, True)])
def test_loud_is_above_the_limit_and_still_is_below_three_hundredths(size: float, is_blanked: bool) -> None:
    traces = quiet()
    traces[150:200] = size
    assert bool(zeros(blanked(traces))) is is_blanked
    traces[150:200] = 10 * size
    assert bool(zeros(blanked(traces, noise_sd=[10.0, 10.0]))) is is_blanked


@pytest.mark.parametrize(("n_channels", "n_loud", "is_blanked"), [(2, 1, False), (3, 2, True), (3, 1, False)])
def test_more_than_half_of_the_channels_make_an_artefact(
    n_channels: int, n_loud: int, is_blanked: bool
) -> None:
    traces = quiet(n_channels=n_channels)
    traces[150:200, :n_loud] = 5
    assert bool(zeros(blanked(traces))) is is_blanked


def test_three_places_are_told_and_more_are_counted() -> None:
    traces = quiet(2000)
    for n_places in range(1, 6):
        traces[400 * n_places - 350 : 400 * n_places - 300] = 5
        one = blanked(traces)
        one.get_traces()
        places = [f"{0.4 * k:.2f} to {0.4 * k + 0.15:.2f} s" for k in range(n_places)]
        more = f" and {n_places - 3} more" if n_places > 3 else ""
        assert one.said(Clock(1000.0))[0].endswith(": " + ", ".join(places[:3]) + more)


def test_a_sample_that_is_no_number_is_zero_with_5_ms_on_both_sides_on_its_channel() -> None:
    raw = quiet()
    raw[200, 1] = np.nan
    raw[[320, 330], 1] = np.inf
    one = blanked(quiet(), raw)
    assert zeros(one) == []
    assert zeros(one, 1) == [(195, 205), (315, 335)]
    assert one.said(Clock(1000.0)) == [
        "3 samples (0.003 s) are blanked, where a channel is NaN or infinite, "
        "the first at sample 200 (0.200 s)"
    ]


def test_any_part_is_what_it_is_in_the_whole() -> None:
    traces = quiet()
    traces[150:200], traces[420:470] = 5, 0.0
    raw = quiet()
    raw[301, 0] = np.nan
    whole = blanked(traces, raw).get_traces()
    one = blanked(traces, raw)
    for start, end in ((0, 60), (99, 101), (249, 251), (100, 100), (295, 296), (480, 500), (260, 310)):
        assert np.array_equal(one.get_traces(start_frame=start, end_frame=end), whole[start:end])
    some = one.get_traces(start_frame=90, end_frame=120, channel_ids=[one.channel_ids[1]])
    assert np.array_equal(some, whole[90:120, 1:])
