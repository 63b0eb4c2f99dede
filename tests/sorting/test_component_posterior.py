"""What matching found among the alternatives of the posterior, and what is shown first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from ncpgui.core.component import Alternative, Component
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.component_alternatives import build_alternatives
from ncpgui.sorting.component_posterior import with_given, with_matched
from ncpgui.sorting.config import SortingConfig
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


def test_a_given_sorting_takes_the_place_and_the_mass_of_the_one_that_is_the_same_and_is_first() -> None:
    almost = np.where(ALL == 3, 1, TWO)
    found = with_given(
        (alternative(ONE, 0.75), alternative(almost, 0.25)), TWO, SURE, draws(TWO, ONE, ONE, ONE), ALL
    )
    assert [one.mass for one in found] == [0.25, 0.75]
    assert found[0].labels.tolist() == TWO.tolist()
    assert found[0].probability.tolist() == SURE.tolist()
    assert found[0].p_exists.tolist() == [1.0, 1.0]  # half of what is merged is a partner, 40 of 80


def test_a_given_sorting_that_no_draw_has_is_first_with_no_mass() -> None:
    found = with_given((alternative(ONE),), 1 - TWO, SURE, draws(ONE, ONE), ALL)
    assert [(one.n_units, one.mass) for one in found] == [(2, 0.0), (1, 1.0)]


def test_spikes_are_where_draws_have_them_in_the_sorting_of_matchings_structure_too() -> None:
    almost = np.where(ALL == 3, 1, TWO)
    found = with_matched(
        (alternative(almost, 0.75), alternative(ONE, 0.25)), TWO, SURE, draws(TWO, TWO, TWO, ONE), ALL
    )
    assert [one.mass for one in found] == [0.75, 0.25]
    assert found[0].labels.tolist() == almost.tolist()


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


@pytest.mark.parametrize(("one", "two", "first"), [(0.49, 0.51, 2), (0.51, 0.49, 1), (0.5, 0.5, 2)])
def test_the_most_probable_sorting_is_first_and_matchings_of_equal_ones(
    one: float, two: float, first: int
) -> None:
    posterior = PosteriorSamples(np.stack([ONE, TWO]), np.zeros(2), np.array([one, two]))
    found = with_matched((alternative(ONE), alternative(TWO)), TWO, SURE, posterior, ALL)
    assert [(way.n_units, way.mass) for way in found] == [
        (first, max(one, two)),
        (3 - first, min(one, two)),
    ]


def test_the_mass_of_a_sorting_is_the_weight_of_the_draws_that_are_it_once_its_spikes_are_placed() -> None:
    """What was grouped with other labels, or has a mass from elsewhere, counts for nothing."""
    posterior = PosteriorSamples(np.stack([ONE, TWO]), np.zeros(2), np.array([0.3, 0.7]))
    found = with_matched((alternative(ONE, 0.9), alternative(TWO, 0.1)), TWO, SURE, posterior, ALL)
    assert [one.mass for one in found] == [0.7, 0.3]


def test_no_two_alternatives_are_the_same_sorting() -> None:
    almost, nearly = np.where(ALL == 3, 1, TWO), np.where(ALL < 6, 1, TWO)
    three = np.where(ALL < 25, 2, TWO)
    posterior = draws(TWO, almost, nearly, three)
    ways = tuple(alternative(one, 0.25) for one in (almost, three, nearly))
    assert [one.mass for one in with_given(ways, TWO, SURE, posterior, ALL)] == [0.75, 0.25]
    assert [one.mass for one in with_matched(ways, TWO, SURE, posterior, ALL)] == [0.75, 0.25]


def test_parts_that_are_too_small_to_be_units_make_no_sorting_of_their_own() -> None:
    with_small = np.where(ALL < 15, 2, TWO)
    found = with_given((alternative(with_small),), TWO, SURE, draws(TWO, with_small), ALL, min_spikes=20)
    assert [(one.n_units, one.mass) for one in found] == [(2, 1.0)]


def test_a_spike_is_in_the_cluster_that_draws_and_matching_together_make_most_probable() -> None:
    """Spike 3 is in the second cluster in six draws of ten, spike 4 in nine; matching has both in the first.

    Matching is sure by 0.75, and by half of the rest: odds of 7 to 1, more than 6 to 4 and less than 9 to 1.
    """
    often, seldom = np.where(np.isin(ALL, [3, 4]), 1, TWO), np.where(ALL == 4, 1, TWO)
    posterior = draws(*[often] * 6, *[seldom] * 3, TWO)
    apart = np.stack([TWO, ALL % 7], axis=1).astype(np.float32)
    (found,) = build_alternatives(posterior, ALL, apart, SortingConfig(), company=TWO, sure=SURE)
    same = canonical(found.labels)
    assert (same[3], same[4], same[5]) == (0, 1, 0)
    (alone,) = build_alternatives(posterior, ALL, apart, SortingConfig(), company=TWO)
    assert canonical(alone.labels)[3] == 1


@pytest.mark.parametrize("n_larger", [40, 52])
def test_a_unit_that_draws_part_does_not_say_in_which_part_a_spike_is(n_larger: int) -> None:
    """The larger part has half or more of the unit, and is no counterpart of it all the same."""
    parted = (n_larger <= ALL).astype(int)
    posterior = draws(*[np.where(ALL == 3, 1, parted)] * 6, *[parted] * 4)
    apart = np.stack([parted, ALL % 7], axis=1).astype(np.float32)
    sure = np.ones(80, np.float32)
    (found,) = build_alternatives(posterior, ALL, apart, SortingConfig(), company=ONE, sure=sure)
    assert canonical(found.labels).tolist() == np.where(ALL == 3, 1, parted).tolist()


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


def test_a_merge_that_somebody_proposes_is_shown_with_the_mass_that_it_has_even_if_that_is_none() -> None:
    three = np.repeat([0, 1, 2], [30, 30, 20])
    found = with_given(
        (alternative(three),), three, SURE, draws(three, three), ALL, proposed=[np.array([0, 2])]
    )
    assert [(one.n_units, one.mass) for one in found] == [(3, 1.0), (2, 0.0)]
    assert found[1].labels.tolist() == np.repeat([0, 1, 0], [30, 30, 20]).tolist()
    merged = np.where(three == 2, 0, three)
    found = with_given(
        (alternative(merged),), three, SURE, draws(three, merged), ALL, proposed=[np.array([0, 2])]
    )
    assert [(one.n_units, one.mass) for one in found] == [(3, 0.5), (2, 0.5)]  # each once
