"""What matching found among the alternatives of the posterior, and what is shown first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.component_posterior import with_matched
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.group_posterior import build_alternatives
from ncpgui.sorting.pipeline import shown_first

ALL = np.arange(80)
TWO = np.repeat([0, 1], 40)
ONE = np.zeros(80, int)
SURE = np.full(80, 0.75, np.float32)


def alternative(labels: np.ndarray, mass: float = 1.0) -> Alternative:
    n_units = int(labels.max()) + 1
    probability = np.full(len(labels), 0.5, np.float32)
    return Alternative(labels.astype(np.int32), probability, mass, 0.01, np.ones(n_units, np.float32))


def draws(*labels: np.ndarray) -> PosteriorSamples:
    return PosteriorSamples(np.stack(labels), np.zeros(len(labels)))


def test_what_matching_found_takes_the_place_and_the_mass_of_the_sorting_that_is_the_same() -> None:
    almost = np.where(ALL == 3, 1, TWO)
    found = with_matched(
        (alternative(almost, 0.75), alternative(ONE, 0.25)), TWO, SURE, draws(TWO, TWO, TWO, ONE), ALL
    )
    assert [one.mass for one in found] == [0.75, 0.25]
    assert found[0].labels.tolist() == TWO.tolist()
    assert found[0].probability.tolist() == SURE.tolist()
    assert found[0].p_exists.tolist() == [1.0, 1.0]  # half of what is merged is a partner, 40 of 80


def test_alternatives_keep_what_waveforms_alone_say() -> None:
    """Three draws of four split; firing times are e^3 for the fourth, which merges."""
    drawn = draws(TWO, TWO, TWO, ONE)
    merged = np.exp(3) / (3 + np.exp(3))
    spread = np.stack([ALL % 7, 5 * TWO], axis=1).astype(np.float32)
    for posterior, masses in (
        (drawn.weighed(np.array([0.0, 0.0, 0.0, 3.0])), [(0.25, merged), (0.75, 1 - merged)]),
        (drawn, [(None, 0.75), (None, 0.25)]),
    ):
        made = build_alternatives(posterior, ALL, spread, SortingConfig())
        for found in (made, with_matched(made, TWO, SURE, posterior, ALL)):
            assert sorted((one.mass_waveforms, one.mass) for one in found if one.mass) == [
                (alone, pytest.approx(mass)) for alone, mass in sorted(masses)
            ]


def test_what_matching_found_is_first_unless_another_is_clearly_more_probable() -> None:
    for mass, first in ((0.5, 2), (0.61, 1)):
        found = with_matched(
            (alternative(ONE, mass), alternative(TWO, 0.2)), TWO, SURE, draws(TWO, ONE, ONE), ALL
        )
        assert [one.n_units for one in found] == [first, 3 - first]


def test_what_matching_found_is_there_where_no_draw_has_it() -> None:
    found = with_matched((alternative(ONE),), 1 - TWO, SURE, draws(ONE, ONE), ALL)
    assert [(one.n_units, one.mass) for one in found] == [(1, 1.0), (2, 0.0)]


def component(ids: list[int], labels: list[int]) -> Component:
    return cast(
        "Component",
        SimpleNamespace(spike_ids=np.array(ids), alternatives=(alternative(np.array(labels)),)),
    )


def test_units_keep_their_numbers_where_the_first_alternative_has_them_as_they_are() -> None:
    """Units 0 and 1 are asked about together and stay; 2 is split; 3 is of no component."""
    units = np.array([0, 1, 0, 1, 2, 2, 3])
    shown, probability = shown_first(
        units, np.ones(7, np.float32), [component([0, 1, 2, 3], [1, 0, 1, 0]), component([4, 5], [0, 1])]
    )
    assert shown.tolist() == [0, 1, 0, 1, 3, 4, 2]
    assert probability.tolist() == [0.5] * 6 + [1.0]


def test_units_that_the_first_alternative_merges_are_one_and_spikes_may_be_of_none() -> None:
    shown, _ = shown_first(
        np.array([0, 1, 0, 1]), np.ones(4, np.float32), [component([0, 1, 2, 3], [0, 0, 0, -1])]
    )
    assert shown.tolist() == [0, 0, 0, -1]
