"""What is asked, and what settles itself: by the probability of what is in use and by what may be wrong."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.app.model.open_questions import expected_wrong_of, is_sure
from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples


def component(mass: float, n_spikes: int = 500, *rows: np.ndarray) -> Component:
    """One unit of so many spikes, all sampled, whose sorting in use has a mass."""
    labels = np.zeros(n_spikes, dtype=np.int32)
    way = Alternative(labels, np.ones(n_spikes, np.float32), mass, 0.01, np.ones(1, np.float32))
    draws = PosteriorSamples(np.stack(rows or (labels,)), np.zeros(max(len(rows), 1)))
    every = np.arange(n_spikes)
    return Component(0, np.array([0]), every, every, draws, (way,))


@pytest.mark.parametrize(
    ("mass", "wrong", "sure"),
    [
        (0.99, 24.9, True),  # no other sorting is likely: what is left are single spikes
        (0.99, 25.0, False),  # 5 % of 500: too many to be single ones
        (0.91, 19.9, True),  # fewer than a unit has
        (0.98, 20.0, False),
        (0.9, 0.1, False),  # another sorting is likely, however few spikes it is about
    ],
)
def test_a_component_settles_itself_if_it_is_sure_or_if_little_is_likely_wrong(
    mass: float, wrong: float, sure: bool
) -> None:
    assert is_sure(component(mass), 0, wrong) is sure


@pytest.mark.parametrize(("n_spikes", "most"), [(10, 1.0), (200, 10.0), (5000, 20.0)])
def test_how_few_are_few_goes_by_the_spikes_there_are_but_ends_at_twenty(n_spikes: int, most: float) -> None:
    one = component(0.97, n_spikes)
    assert is_sure(one, 0, most - 0.01)
    assert not is_sure(one, 0, most)


def test_a_sorting_made_by_hand_is_not_settled_by_itself() -> None:
    assert not is_sure(component(0.995), None, 0.0)


def test_spikes_of_noise_are_in_no_wrong_unit() -> None:
    """One of two draws cuts 100 of 500 spikes off: 50 are expected to be wrong, were they of a neuron."""
    whole = np.zeros(500, dtype=int)
    cut = np.where(np.arange(500) < 100, 1, 0)
    one = component(0.5, 500, whole, cut)
    assert expected_wrong_of(one, whole) == pytest.approx(50)
    assert expected_wrong_of(one, whole, np.full(500, 0.04)) == pytest.approx(2)
