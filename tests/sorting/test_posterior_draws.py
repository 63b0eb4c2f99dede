"""Draws of many sets of waveforms, with a stand-in for the network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncpgui.core.progress import silent
from ncpgui.sorting import posterior_draws
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Threads, run_all
from ncpgui.sorting.posterior_draws import ToDraw

from .planted import SQUARE, leader_clustering


def test_progress_names_what_is_sampled_side_by_side_by_one_word_and_its_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Channels of 6, 5 and 4 spikes, two at once, the largest first."""
    wanted = {
        channel: ToDraw(np.ones((n_spikes, 32, 4), np.float32), SQUARE.positions_um, None, 0)
        for channel, n_spikes in ((9, 4), (3, 6), (7, 5))
    }
    named: list[str] = []

    def run(tasks: Any, *, names: list[str], **options: Any) -> Any:
        named.extend(names)
        return run_all(tasks, names=names, **options)

    monkeypatch.setattr(posterior_draws, "run_all", run)
    drawn, failed = posterior_draws.draw_all(
        wanted,
        SortingConfig(posterior_samples=2),
        what="channel",
        cluster=leader_clustering,
        workers=Threads(1),
        progress=silent,
        at_once=2,
    )
    assert sorted(drawn) == [3, 7, 9]
    assert not failed
    assert named == ["clustering 11 spikes of channels 3, 7", "clustering 4 spikes of channel 9"]
