"""Recordings in coloured noise differ from those beside them in the spectrum of the noise alone."""

from __future__ import annotations

import pytest

from benchmarks.recordings.coloured_probes import RECORDINGS
from benchmarks.recordings.noise_families import loudness


@pytest.mark.parametrize("name", RECORDINGS)
def test_both_kinds_of_noise_are_as_loud_in_the_band(name: str) -> None:
    (of_coloured, coloured), (of_white, white) = (
        RECORDINGS[name].added(coloured=kind) for kind in (True, False)
    )
    assert loudness(white) == pytest.approx(loudness(coloured), rel=1e-6)
    assert loudness(coloured) > 1.3
    assert (white.reach_um, white.drift) == (coloured.reach_um, coloured.drift)
    assert of_white != of_coloured


def test_each_recording_has_cells_of_its_own() -> None:
    seeds = [one.truth.seed for one in RECORDINGS.values()]
    assert len(set(seeds)) == len(RECORDINGS) == 6
