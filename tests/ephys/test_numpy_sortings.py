"""Spikes of a joined recording as a sorting of SpikeInterface: in order, in their segments."""

from __future__ import annotations

import numpy as np

from ncpgui.ephys.numpy_sortings import numpy_sorting


def made(sample: list[int], unit: list[int], starts: list[int]) -> tuple[list[list[list[int]]], list[int]]:
    """Trains of each unit in each segment, and which given spike each row is."""
    sorting, order = numpy_sorting(
        np.array(sample, int),
        np.array(unit, int),
        ["a", "b"],
        sampling_frequency_hz=1000.0,
        segment_start=np.array(starts),
    )
    trains = [
        [sorting.get_unit_spike_train(name, segment_index=k).tolist() for name in ("a", "b")]
        for k in range(sorting.get_num_segments())
    ]
    return trains, order.tolist()


def test_spikes_come_by_time_and_then_by_unit() -> None:
    assert made([5, 9, 9, 9, 12], [1, 1, 0, 1, 0], [0]) == ([[[9, 12], [5, 9, 9]]], [0, 2, 1, 3, 4])
    assert made([9, 5, 9], [1, 0, 0], [0]) == ([[[5, 9], [9]]], [1, 2, 0])
    assert made([3, 3], [1, 0], [0])[1] == [1, 0]
    assert made([], [], [0]) == ([[[], []]], [])


def test_samples_count_from_the_begin_of_their_segment_and_segments_without_spikes_are_there() -> None:
    assert made([5, 10], [0, 1], [0, 10])[0] == [[[5], []], [[], [0]]]
    trains, order = made([5, 10, 29], [0, 0, 1], [0, 10, 20, 30, 40])
    assert trains == [[[5], []], [[0], []], [[], [9]], [[], []], [[], []]]
    assert order == [0, 1, 2]
