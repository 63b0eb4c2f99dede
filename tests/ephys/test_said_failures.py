"""Where a reader fails in the middle of a recording, the place and the reason are said."""

from __future__ import annotations

import numpy as np
import pytest
from spikeinterface.core import NumpyRecording

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys.said_failures import SaidFailures

TRACES = np.arange(12, dtype=np.int16).reshape(3, 4)


def read(error: BaseException | None = None) -> SaidFailures:
    recording = NumpyRecording([TRACES], sampling_frequency=1000.0)
    if error is not None:

        def fail(*_: object) -> np.ndarray:
            raise error

        recording._recording_segments[0].get_traces = fail
    return SaidFailures(recording, "a.plx")


def test_what_can_be_read_is_read() -> None:
    assert read().get_traces().tolist() == TRACES.tolist()
    assert read().get_traces(start_frame=1, end_frame=3, channel_ids=[2, 0]).tolist() == [[6, 4], [10, 8]]


def test_a_failure_says_the_place_the_reason_and_a_way_out() -> None:
    said = r"a\.plx cannot be read at samples 1 to 2: .*cut short.*; check .* complete, or sort a part of it"
    with pytest.raises(RecordingError, match=said):
        read(ValueError("cut short")).get_traces(start_frame=1, end_frame=2)


@pytest.mark.parametrize("error", [InputError("the rule"), MemoryError("all of it")])
def test_what_says_enough_itself_stays_as_it_is(error: BaseException) -> None:
    with pytest.raises(type(error), match=f"^{error}$"):
        read(error).get_traces()
