"""Draws of many sets of waveforms, with a stand-in for the network."""

from __future__ import annotations

import numpy as np

from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Threads
from ncpgui.sorting.posterior_draws import ToDraw, draw_all

from .planted import SQUARE, leader_clustering


def test_progress_names_what_is_sampled_side_by_side_by_one_word_and_its_numbers() -> None:
    """Channels of 6, 5 and 4 spikes, two at once, the largest first."""
    wanted = {
        channel: ToDraw(np.ones((n_spikes, 32, 4), np.float32), SQUARE.positions_um, 0, f"channel {channel}")
        for channel, n_spikes in ((9, 4), (3, 6), (7, 5))
    }
    words: list[str] = []
    drawn, failed = draw_all(
        wanted,
        SortingConfig(posterior_samples=2),
        what="channel",
        cluster=leader_clustering,
        workers=Threads(1),
        progress=lambda done, total, message="": words.append(message),
        at_once=2,
    )
    assert sorted(drawn) == [3, 7, 9]
    assert not failed
    assert [one.partition("clustering ")[2] for one in words if "clustering" in one] == [
        "11 spikes of channels 3, 7",
        "4 spikes of channel 9",
    ]
