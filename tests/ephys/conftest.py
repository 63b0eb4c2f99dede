"""Fixtures of the recordings' tests."""

from __future__ import annotations

import pytest

from tests.ephys.planted_recording import planted


@pytest.fixture
def plant():
    """Builds a recording with spikes at given places."""
    return planted
