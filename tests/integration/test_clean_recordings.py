"""Clean recordings with few cells give those cells, with the shipped model."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.probe import Probe
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
from tests.sorting.planted import Cell, planted_recording, regular_times

pytestmark = pytest.mark.slow

N_SAMPLES = 30 * 20_000
CELLS = ((0.0, 12, 1.0), (1.6, 18, 1.2), (3.3, 14, 0.9), (5.0, 22, 1.1), (6.6, 16, 1.3))
"""Place between the eight contacts, depth in noise sd, width."""


def test_five_cells_on_eight_channels_are_five_units() -> None:
    contacts = np.arange(8)
    cells = [
        Cell(
            list(depth * np.exp(-(((contacts - place) / 1.2) ** 2))),
            regular_times(120, N_SAMPLES, seed),
            width,
        )
        for seed, (place, depth, width) in enumerate(CELLS, 1)
    ]
    probe = Probe(np.column_stack([np.zeros(8), 25.0 * contacts]))
    project = sort_recording(planted_recording(cells, N_SAMPLES, probe), SortingConfig(posterior_samples=50))
    units, counts = np.unique(project.unit_of_spike[project.unit_of_spike >= 0], return_counts=True)
    assert len(units) == 5
    assert counts.min() >= 0.95 * 120
