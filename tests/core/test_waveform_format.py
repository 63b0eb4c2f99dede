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


def test_the_noise_of_two_spikes_is_their_distance_over_the_root_of_two() -> None:
    two = np.stack([np.zeros((32, 2)), np.full((32, 2), 3.0)])
    assert noise_level(two) == pytest.approx(3 / np.sqrt(2))
    many = np.zeros((101, 32, 2))
    many[-1] = 3  # the first and the last are compared, of more than a hundred too
    assert noise_level(np.concatenate([many[-1:], 7 + many[:1], many[-1:]])) == 0
