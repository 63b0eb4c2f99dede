"""How many spikes of each unit the panel of waveforms draws."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ncpgui.app.presenters.waveforms import _columns


@pytest.mark.parametrize(("n_units", "drawn"), [(1, 80), (3, 80), (4, 60), (20, 12), (40, 12)])
def test_of_few_units_80_spikes_are_drawn_of_many_240_in_all_and_never_under_12(
    n_units: int, drawn: int
) -> None:
    labels = np.repeat(np.arange(n_units), 100)
    shown: Any = SimpleNamespace(units=list(range(n_units)), sampled_labels=labels)
    waveforms: Any = SimpleNamespace(waveforms=np.zeros((len(labels), 32, 1), np.float32))
    assert [len(spikes) for spikes, _ in _columns(shown, waveforms)] == [drawn] * n_units
