"""Channels that are silenced are zero, and the others as they were."""

from __future__ import annotations

import numpy as np
from spikeinterface.core import NumpyRecording

from ncpgui.ephys.zeroed_channels import Silenced

TRACES = 1 + np.arange(12, dtype=np.int16).reshape(3, 4)


def test_silenced_channels_are_zero_in_any_order_and_the_file_is_not_touched() -> None:
    recording = NumpyRecording([TRACES, TRACES + 20], sampling_frequency=1000.0)
    silent = Silenced(recording, (1, 3))
    assert silent.get_traces(segment_index=0).tolist() == [[1, 0, 3, 0], [5, 0, 7, 0], [9, 0, 11, 0]]
    some = silent.get_traces(segment_index=1, start_frame=1, end_frame=2, channel_ids=[3, 2, 0])
    assert some.tolist() == [[0, 27, 25]]
    assert recording.get_traces(segment_index=0).tolist() == TRACES.tolist()
    assert silent.get_num_segments() == 2


def test_a_silenced_recording_is_made_again_of_what_it_was_made_of() -> None:
    recording = NumpyRecording([TRACES], sampling_frequency=1000.0)
    silent = Silenced(recording, np.array([2]))
    again = Silenced(**silent._kwargs)
    assert again.get_traces()[0].tolist() == [1, 2, 0, 4]
