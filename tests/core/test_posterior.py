"""Samples of a posterior that were stored come back to the last bit."""

from __future__ import annotations

import numpy as np

from ncpgui.core.posterior import PosteriorSamples


def test_weights_are_normalised_once_and_then_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    for n in (3, 7, 49, 100, 1000):
        for weight in (np.ones(n), rng.random(n), rng.random(n) ** 20):
            first = PosteriorSamples(np.zeros((n, 2), int), np.zeros(n), weight)
            again = PosteriorSamples(first.labels, first.log_prob, first.weight)
            assert abs(first.weight.sum() - 1) < 1e-12
            assert again.weight.tobytes() == first.weight.tobytes()
