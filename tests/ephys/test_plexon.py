"""Blocks of Plexon's samples: where each begins is counted by those before it, and the last one is kept."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ncpgui.ephys.plexon import plexon

BLOCK = np.dtype([("pos", np.int64), ("size", np.int64), ("cumsum", np.int64)])


def test_blocks_of_any_length_begin_where_those_before_them_end(capfd: pytest.CaptureFixture[str]) -> None:
    """Blocks of 2, 5 and 1 samples of two bytes; neo has counted 4 before the second, and 15."""
    blocks = np.array([(100, 4, 0), (200, 10, 5), (300, 2, 2)], BLOCK)
    spikes = {0: blocks.copy()}
    reader = SimpleNamespace(_data_blocks={1: spikes, 5: {0: blocks, 1: blocks[:0]}})

    def opened(place: str, **options: Any) -> Any:
        print("a bar of progress", file=sys.stderr)
        return SimpleNamespace(neo_reader=reader, place=place, options=options)

    found = plexon(opened, "a.plx", stream_id="3")
    assert (found.place, found.options) == ("a.plx", {"stream_id": "3"})
    signals = reader._data_blocks[5]
    assert signals[0]["cumsum"].tolist() == [0, 2, 7, 8]
    assert signals[0]["pos"].tolist() == [100, 200, 300, 300]
    assert signals[0]["size"].tolist() == [4, 10, 2, 0]
    assert (signals[1]["cumsum"].tolist(), signals[1]["pos"].tolist()) == ([0], [0])
    assert len(reader._data_blocks[1][0]) == 3
    assert capfd.readouterr().err == ""
