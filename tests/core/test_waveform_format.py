"""How much noise waveforms hold, judged without knowing their units."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.waveform_format import noise_level


@pytest.mark.parametrize("scale", [1.0, 8.0, 1e-3])
def test_noise_is_found_back_whatever_units_lie_beneath(scale):
    rng = np.random.default_rng(0)
    templates = 30 * rng.standard_normal((3, 32, 4))
    spikes = templates[rng.integers(3, size=400)] + rng.standard_normal((400, 32, 4))
    assert noise_level(scale * spikes) == pytest.approx(scale, rel=0.15)  # the nearest of many is nearer


def test_copies_of_one_spike_have_no_noise():
    assert noise_level(np.ones((5, 32, 2))) == 0
