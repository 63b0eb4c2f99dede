"""A part of a recording: some seconds, some channels silent; the rest is as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys.channel_and_time_selection import channel_numbers
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.readers import open_recording, reopen, reopen_whole, stimulus_of

RAW = {"sampling_frequency": 20_000.0, "n_channels": 4, "probe": "tetrode"}


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """A second of four channels: sample s of channel c is (10 s + c) modulo 30 000."""
    path = tmp_path / "a.raw"
    ((np.arange(20_000)[:, None] * 10 + np.arange(4)) % 30_000).astype("<i2").tofile(path)
    return path


def test_a_part_begins_and_ends_where_it_was_asked_to(raw: Path) -> None:
    part = open_recording(raw, time_range_s=(0.1, 0.25), **RAW)
    assert part.n_samples == part.reference.n_samples == 3000
    assert part.reference.first_sample == 2000
    assert part.traces(0, 2).tolist() == [[20_000, 20_001, 20_002, 20_003], [20_010, 20_011, 20_012, 20_013]]
    assert reopen(part.reference).reference == part.reference
    assert reopen_whole(part.reference).n_samples == 20_000


def test_times_may_be_half_a_sample_beside_the_recording_as_they_are_rounded(raw: Path) -> None:
    half_s = 0.5 / 20_000
    assert open_recording(raw, time_range_s=(0 - half_s, 1 + half_s), **RAW).n_samples == 20_000
    for range_s in ((-1.01 * half_s, 1), (0, 1 + 1.01 * half_s)):
        with pytest.raises(InputError, match="does not lie in the recording"):
            open_recording(raw, time_range_s=range_s, **RAW)


@pytest.mark.parametrize("range_s", [(0.5, 0.5), (0.5, 0.2), (-0.1, 0.5), (0.5, 1.1), (float("nan"), 1)])
def test_a_part_that_does_not_lie_in_the_recording_is_refused(
    raw: Path, range_s: tuple[float, float]
) -> None:
    with pytest.raises(
        InputError,
        match=r"time range .* s does not lie in the recording, which lasts from 0 to 1 s; give two times",
    ):
        open_recording(raw, time_range_s=range_s, **RAW)


def test_bad_channels_are_silent_and_left_out(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).normal(0, 50, (20_000, 4)).astype("<f4")
    noise[5, 2] = np.nan  # of a bad channel this harms nobody
    noise.tofile(tmp_path / "a.raw")
    recording = open_recording(tmp_path / "a.raw", bad_channels=(2,), dtype="float32", **RAW)
    np.testing.assert_array_equal(recording.traces(0, 20_000)[:, 2], 0)
    np.testing.assert_array_equal(recording.traces(0, 10)[:, [0, 1, 3]], noise[:10][:, [0, 1, 3]])
    with preprocess(recording) as pre:
        assert pre.bad_channels == (2,)
    assert reopen(recording.reference).reference == recording.reference


@pytest.mark.parametrize(
    ("channels", "message"),
    [
        ((4,), "there is no channel 4 to leave out; the 4 channels count from 0 to 3"),
        ((0, 1, 2, 3), "all 4 channels are to be left out; keep one"),
    ],
)
def test_channels_that_cannot_be_left_out_are_named(
    raw: Path, channels: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        open_recording(raw, bad_channels=channels, **RAW)


def test_channels_are_written_as_numbers_and_ranges() -> None:
    assert channel_numbers("3, 17,20-23 3") == (3, 17, 20, 21, 22, 23)
    assert channel_numbers("") == ()
    for many in ("0-1000000000000", "1234567", "3-" + "9" * 5000):
        with pytest.raises(InputError, match=r"^'.{1,40}' names channels that no recording has$"):
            channel_numbers(many)
    for wrong in ("a", "3-", "-2", "1.5"):
        with pytest.raises(InputError, match=r"is not a channel; give numbers from 0, such as 3,17,20-23"):
            channel_numbers(wrong)


def test_the_stimulus_counts_from_the_first_sample_of_the_part(raw: Path) -> None:
    stimulus = Stimulus(np.zeros((3, 2, 2), np.int8), np.array([0, 3000, 6000]))
    part = open_recording(raw, time_range_s=(0.1, 0.5), **RAW)
    assert stimulus_of(part, stimulus).trigger_sample.tolist() == [-2000, 1000, 4000]
    assert stimulus_of(part, None) is None
    assert stimulus_of(open_recording(raw, **RAW), stimulus) is stimulus
