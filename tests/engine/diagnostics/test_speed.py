"""What the comparison with Gibbs sampling counts; times are looked at, never asserted."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ncpgui.engine.diagnostics import speed as speed_module
from ncpgui.engine.diagnostics.speed import Speed, compare_speed, draws_worth


def test_a_draw_is_compared_with_sweeps_worth_as_much():
    speed = Speed(n_points=10, n_samples=5, gibbs_sweep_s=0.01, gibbs_worth=0.25, draw_s=0.002)
    assert speed.ratio == pytest.approx(20)


def test_both_are_timed_on_datasets_of_the_model(right, model):
    speed = compare_speed(right, model, n_datasets=2, n_points=6, n_sweeps=60, n_samples=10, seed=0)
    assert 0 < speed.gibbs_worth <= 1
    assert speed.gibbs_sweep_s > 0
    assert speed.draw_s > 0


def test_the_rival_is_as_many_chains_side_by_side_as_there_are_draws(right, model, monkeypatch):
    """Sweeps of one chain would be charged with the cost of an operation that chains share."""
    started = []

    def chains(x, model, start, *, seed):
        started.append(start)
        return walk(x, model, start, seed=seed)

    walk = speed_module.parallel_sweeps
    monkeypatch.setattr(speed_module, "parallel_sweeps", chains)
    compare_speed(right, model, n_datasets=2, n_points=6, n_sweeps=20, n_samples=7, seed=0)
    assert [start.shape for start in started] == [(7, 6), (7, 6)]


def test_chains_count_by_the_slower_of_two_figures(model):
    """K is drawn anew each time; which two of the points are together, and so p(c, x), stays as it began."""
    x = torch.tensor([[0.0, 0.0], [0.5, 0.0], [40.0, 0.0]])
    near, far = np.array([0, 0, 1]), np.array([0, 1, 1])
    stuck = np.stack([np.tile(near, (50, 1)), np.tile(far, (50, 1))])
    assert draws_worth(stuck, x, model) < 3
    anew = np.where(np.random.default_rng(0).random((2, 50, 1)) < 0.5, near, far)
    assert draws_worth(anew, x, model) > 50
