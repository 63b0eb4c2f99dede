"""Stretches of a recording are cut into pieces of a second, with nothing left out and nothing twice."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ncpgui.ephys.spikeinterface_adapter import _slices


@pytest.mark.parametrize(
    ("n_samples", "stretches", "pieces"),
    [
        (2500, None, [(0, 1000), (1000, 2000), (2000, 2500)]),
        (2000, None, [(0, 1000), (1000, 2000)]),
        (9999, [(5, 7), (100, 1101)], [(5, 7), (100, 1100), (1100, 1101)]),
        (9999, [(5, 5)], []),
    ],
)
def test_pieces_follow_each_other(
    n_samples: int, stretches: list[tuple[int, int]] | None, pieces: list[tuple[int, int]]
) -> None:
    recording = SimpleNamespace(sampling_frequency=1000.0, get_num_samples=lambda: n_samples)
    assert list(_slices(recording, stretches)) == [(0, *piece) for piece in pieces]  # type: ignore[arg-type]
