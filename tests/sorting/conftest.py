"""The recording that several modules sort: three planted cells on a tetrode."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.component import Component
from ncpgui.core.project import Project
from tests.phy_folder import CELLS, N_SAMPLES

from .planted import planted_recording


@pytest.fixture(scope="session")
def recording() -> ArrayRecording:
    return planted_recording(CELLS, N_SAMPLES)


def component_of(project: Project, unit: int) -> Component:
    """The component that has the first spike of a unit."""
    spike = int(np.flatnonzero(project.unit_of_spike == unit)[0])
    return next(one for one in project.components if spike in one.spike_ids)
