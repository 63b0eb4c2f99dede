"""What the comparison with Gibbs sampling counts; times are looked at, never asserted."""

from __future__ import annotations

import pytest

from ncpgui.engine.diagnostics.speed import Speed, compare_speed


def test_a_draw_is_compared_with_sweeps_worth_as_much():
    speed = Speed(n_points=10, n_samples=5, gibbs_sweep_s=0.01, gibbs_worth=0.25, draw_s=0.002)
    assert speed.ratio == pytest.approx(20)


def test_both_are_timed_on_datasets_of_the_model(right, model):
    speed = compare_speed(right, model, n_datasets=2, n_points=6, n_sweeps=60, n_samples=10, seed=0)
    assert 0 < speed.gibbs_worth <= 1
    assert speed.gibbs_sweep_s > 0
    assert speed.draw_s > 0
