"""Waveforms moved along the probe: each contact sees what its neighbour saw."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.ephys.moved_waveforms import Mover

N_CONTACTS = 10
PLACES_UM = np.column_stack([np.zeros(N_CONTACTS), 20.0 * np.arange(N_CONTACTS)])


def test_moving_by_the_pitch_gives_each_contact_what_its_neighbour_saw() -> None:
    seen = np.random.default_rng(0).normal(size=(5, N_CONTACTS)).astype(np.float32)
    moved = Mover(PLACES_UM, axis=1)(seen, 20.0)
    assert moved[:, 1:] == pytest.approx(seen[:, :-1], abs=0.01)
    assert Mover(PLACES_UM, axis=1)(seen, 0.1) is seen


def test_a_move_of_less_than_a_quarter_of_a_micrometre_is_none() -> None:
    seen = np.random.default_rng(0).normal(size=(5, N_CONTACTS)).astype(np.float32)
    move = Mover(PLACES_UM, axis=1)
    assert move(seen, 0.24) is seen
    assert not np.array_equal(move(seen, 0.3), seen)
    assert np.array_equal(move(seen, 0.3), move(seen, 0.5))
    assert move(seen, -20.0)[:, :-1] == pytest.approx(seen[:, 1:], abs=0.01)
    sideways = np.column_stack([20.0 * np.arange(N_CONTACTS), np.zeros(N_CONTACTS)])
    assert Mover(sideways, axis=0)(seen, 20.0)[:, 1:] == pytest.approx(seen[:, :-1], abs=0.01)
