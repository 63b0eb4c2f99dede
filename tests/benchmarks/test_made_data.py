"""Made datasets have the contacts that they are asked for."""

from __future__ import annotations

import numpy as np

from benchmarks.common.made_data import sample_dataset


def test_sample_dataset_gives_the_contacts_that_are_there() -> None:
    dataset = sample_dataset(0, 40, geometry="single")
    assert dataset.waveforms.shape == (40, 32, 1)
    assert dataset.channel_positions.shape == (1, 2)
    again = sample_dataset(0, 40, geometry="single")
    assert np.array_equal(dataset.waveforms, again.waveforms)
    tetrode = sample_dataset(1, 40, geometry="tetrode", split="train")
    assert tetrode.waveforms.shape[2] in (3, 4)
