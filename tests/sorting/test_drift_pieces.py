"""Units that are pieces of a cell which moved, and units that only look so."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit

from ncpgui.core.motion import Places
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.all_spikes import weighed_by_all_spikes
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.drift_pieces import Pieces, drift_pieces, pieces_words, with_pieces_joined
from ncpgui.sorting.moving_templates import known_best
from ncpgui.sorting.template_distance import likeness

N_CHANNELS, N_TIMES, LENGTH, STEP_UM = 8, 20, 1000, 10.0


def template(channel: float, width: float = 2.0) -> np.ndarray:
    """A spike that is deepest at a place between channels: (T, C)."""
    shape = -np.exp(-(((np.arange(N_TIMES) - 8) / width) ** 2))
    return (30 * shape[:, None] * np.exp(-((np.arange(N_CHANNELS) - channel) ** 2))).astype(np.float32)


def cell(channel: float, width: float = 2.0) -> list[np.ndarray]:
    """Templates of a cell at three places of the tissue, half a channel apart."""
    return [template(channel + 0.5 * place, width) for place in range(3)]


def matched(units: Sequence[list[np.ndarray]], counts: Sequence[tuple[int, int, int]]) -> SimpleNamespace:
    """Units by their templates and numbers of spikes at three places, each of which is visited once."""
    starts = LENGTH * np.arange(3)
    stretches = np.column_stack([starts, starts + LENGTH])
    waveforms = np.array(units, np.float32).transpose(1, 0, 2, 3)
    side_by_side = waveforms.transpose(1, 2, 0, 3).reshape(len(units), N_TIMES, -1)
    spikes = [
        (starts[place] + number, unit)
        for unit, by_place in enumerate(counts)
        for place, n in enumerate(by_place)
        for number in range(n)
    ]
    times, unit = np.array(sorted(spikes)).T
    return SimpleNamespace(
        sample_index=times,
        unit=unit,
        measured=None,
        n_units=len(units),
        moving=SimpleNamespace(waveforms=waveforms),
        like=likeness(side_by_side, max_lag=2),
        places=Places(stretches, np.arange(3), STEP_UM * np.arange(3)[:, None], np.zeros(1)),
    )


def found(
    units: Sequence[list[np.ndarray]], counts: Sequence[tuple[int, int, int]]
) -> dict[tuple[int, int], float]:
    pieces = drift_pieces(matched(units, counts), np.zeros(len(units)))
    return {(one.first, one.second): one.p_one for one in pieces if one.is_doubtful}


def test_a_cell_in_three_pieces_is_found_over_the_whole_depth_that_it_moved() -> None:
    """The first and the last never fire at one place; those that meet are the surest."""
    pieces = found([cell(3)] * 3, [(90, 10, 0), (10, 90, 10), (0, 10, 90)])
    assert set(pieces) == {(0, 1), (1, 2), (0, 2)}
    assert min(pieces.values()) > 0.85


def test_pieces_are_compared_where_both_are_known_and_not_where_neither_fires() -> None:
    """Moving a template far is wrong by much: each is another one where only the other has fired."""
    counts = [(90, 20, 0), (0, 20, 90)]
    first = [template(3.0), template(3.5), template(5.0)]
    second = [template(2.0), template(3.5), template(4.0)]
    assert matched([first, second], counts).like.relative[0, 1] > 0.4
    assert found([first, second], counts)[0, 1] > 0.85
    two_cells = [template(3.0), template(4.5), template(4.0)]
    assert matched([first, two_cells], counts).like.relative[0, 1] < 0.6
    assert found([first, two_cells], counts).get((0, 1), 0.0) < 0.2


def test_templates_are_known_where_spikes_were_measured_and_turns_are_taken_by_all_spikes() -> None:
    """Read in parts of the traces: nothing was measured at the place where both fire."""
    apart = [(90, 10, 0), (0, 10, 90)]
    whole = matched([cell(3)] * 2, apart)
    of_all, depth = drift_pieces(whole, np.zeros(2))[0], np.zeros(2)
    whole.measured = np.ones(200, bool)
    assert drift_pieces(whole, depth)[0] == of_all
    whole.measured = whole.places.of(whole.sample_index) != 1
    of_some = drift_pieces(whole, depth)[0]
    assert of_some.take_turns
    assert of_some.nats == pytest.approx(of_all.nats)
    assert of_some.weight < of_all.weight


def test_units_that_fire_at_all_places_are_no_pieces_however_alike() -> None:
    assert found([cell(3)] * 2, [(40, 40, 40), (30, 30, 30)]) == {}


def test_the_more_they_fire_at_one_place_the_less_probably_they_are_one_cell() -> None:
    few = found([cell(3)] * 2, [(90, 5, 0), (0, 5, 90)])[0, 1]
    many = found([cell(3)] * 2, [(90, 60, 0), (0, 60, 90)])[0, 1]
    assert many < few


def test_cells_of_other_shapes_that_take_turns_are_no_pieces() -> None:
    assert found([cell(3), cell(5)], [(90, 10, 0), (0, 10, 90)]) == {}


def test_units_that_are_unlike_at_all_places_tell_against_and_those_alike_for_nothing() -> None:
    """Both fire at all places: that they are alike is for the waveforms of their spikes to say."""
    alike, unlike = (
        drift_pieces(matched([cell(3), other], [(40, 40, 40), (30, 30, 30)]), np.zeros(2))[0]
        for other in (cell(3), cell(3.9))
    )
    assert (alike.nats, alike.take_turns) == (0.0, False)
    assert -3.0 <= unlike.nats < -1.0


def test_tissue_that_stood_still_has_no_pieces() -> None:
    still = matched([cell(3)] * 2, [(90, 10, 0), (0, 10, 90)])
    still.places = Places.one(3 * LENGTH)
    assert drift_pieces(still, np.zeros(2)) == []


def test_a_template_is_known_by_the_mean_of_most_spikes_or_by_one_nearby() -> None:
    """100 spikes there: 1/100. None there, and those from 10 µm off are moved: more than that."""
    waveforms = np.array([cell(3)], np.float32).transpose(1, 0, 2, 3)
    at_um = STEP_UM * np.arange(3)[:, None]
    variance = known_best(waveforms, np.array([[100], [0], [0]]), at_um)[:, 0]
    assert variance[0] == pytest.approx(0.01)
    assert 0.01 < variance[1] < variance[2]


def pair(first: int, second: int, p_one: float, **more: float) -> Pieces:
    return Pieces(first, second, float(np.log(p_one / (1 - p_one))), **more)


def test_pairs_are_told_with_their_ids_and_what_was_compared() -> None:
    pieces = [pair(0, 2, 0.94, unlike=0.09), pair(0, 1, 0.2), pair(1, 2, 0.9, take_turns=False)]
    said = pieces_words(pieces, np.array([30, 31, 45]))
    assert said == (
        "Units that take turns as the tissue moves and may be one cell: 30 and 45 (94\u2009%; "
        "where they meet, their templates differ by 9\u2009% of their power)."
    )


def drawn(*labels: list[int], weight: list[float] | None = None) -> PosteriorSamples:
    return PosteriorSamples(np.array(labels), np.zeros(len(labels)), weight)


UNIT = np.array([5, 5, 5, 8, 8, 8])


def test_a_draw_with_pieces_apart_shares_its_weight_with_one_in_which_they_are_one() -> None:
    draws = drawn([0, 0, 0, 1, 1, 1], [0] * 6, weight=[0.6, 0.4])
    both = with_pieces_joined(draws, UNIT, [pair(5, 8, 0.75)], np.random.default_rng(0))
    assert both.labels.tolist() == [[0, 0, 0, 1, 1, 1], [0] * 6, [0] * 6]
    assert both.weight.tolist() == pytest.approx([0.15, 0.4, 0.45])
    assert both.drawn_weight is not None
    assert both.drawn_weight.tolist() == pytest.approx([0.6, 0.4, 0.0])
    assert np.isnan(both.log_prob[2])


def test_what_else_a_draw_parts_stays_apart() -> None:
    draws = drawn([0, 0, 2, 1, 1, 1])
    both = with_pieces_joined(draws, UNIT, [pair(5, 8, 0.5)], np.random.default_rng(0))
    assert both.labels[1].tolist() == [0, 0, 1, 0, 0, 0]


def test_draws_without_pieces_apart_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    draws, parted = drawn([0] * 6), drawn([0, 0, 0, 1, 1, 1])
    assert with_pieces_joined(draws, UNIT, [pair(5, 8, 0.5)], rng) is draws
    assert with_pieces_joined(draws, UNIT, [], rng) is draws
    assert with_pieces_joined(parted, UNIT, [pair(1, 8, 0.5)], rng) is parted
    assert with_pieces_joined(parted, UNIT, [pair(5, 8, 0.2)], rng) is parted  # not to be asked about


def shares(pieces: list[Pieces], unit: list[int], groups: list[set[int]]) -> list[float]:
    """Share of the draws in which each group of units, and nothing else, is one cell; all begin apart."""
    points = np.array(unit)
    draws = drawn(*[unit] * 1500)
    both = with_pieces_joined(draws, points, pieces, np.random.default_rng(0))
    found = []
    for group in groups:
        own = np.isin(points, list(group))
        labels = both.labels
        first = labels[:, np.flatnonzero(own)[0]]
        is_one = ((labels == first[:, None]) == own).all(axis=1)
        found.append(float(both.weight[is_one].sum()))
    return found


def test_pairs_of_other_units_are_joined_each_as_often_as_it_is_probable() -> None:
    pieces = [pair(0, 1, 0.8), pair(2, 3, 0.3)]
    first, second = shares(pieces, [0, 1, 2, 3], [{0, 1}, {2, 3}])
    assert first == pytest.approx(0.8, abs=0.04)
    assert second == pytest.approx(0.3, abs=0.04)


def test_a_third_piece_is_joined_as_its_pairs_with_both_others_say_on_average() -> None:
    """0 and 1 are one with odds of e^3. Then 2.8 and -1.2 nats are 0.8 on average, and 2.4 by weights."""
    sure, against = Pieces(0, 1, 3.0), Pieces(0, 2, -1.2)
    (even,) = shares([sure, Pieces(1, 2, 2.8), against], [0, 1, 2], [{0, 1, 2}])
    assert even == pytest.approx(expit(3.0) * expit(0.8), abs=0.04)
    (known,) = shares([sure, Pieces(1, 2, 2.8, weight=9.0), against], [0, 1, 2], [{0, 1, 2}])
    assert known == pytest.approx(expit(3.0) * expit(2.4), abs=0.04)


def test_one_pair_that_is_alike_by_chance_does_not_make_one_cell_of_two_in_pieces() -> None:
    """0 and 1 are a cell, 2 and 3 another one; 1 and 2 are alike, no other pair is."""
    pieces = [Pieces(0, 1, 3.0), Pieces(2, 3, 3.0), Pieces(1, 2, 1.5)]
    (every,) = shares(pieces, [0, 1, 2, 3], [{0, 1, 2, 3}])
    assert every < 0.15


def test_two_heaps_of_pieces_say_nothing_more() -> None:
    """Where traces are moved back by interpolation, pieces are two heaps; of other units that is evidence."""
    rng = np.random.default_rng(0)
    company = np.repeat([0, 1], 200)
    coordinates = rng.normal(size=(400, 2)).astype(np.float32) + 12 * company[:, None].astype(np.float32)
    draws = drawn(company.tolist(), [0] * 400)

    def weighed(pieces: list[list[int]]) -> list[float]:
        result = weighed_by_all_spikes(
            draws,
            np.arange(400),
            coordinates,
            company,
            1000 * np.arange(400),
            sampling_frequency_hz=20_000.0,
            config=SortingConfig(firing_times=False),
            place=company,
            pieces=pieces,
        )
        return result.weight.tolist()

    assert weighed([[0, 1]]) == pytest.approx([0.5, 0.5])
    assert weighed([])[0] > 0.6
