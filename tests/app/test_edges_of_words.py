"""Where the words of panels change: at which number, and on which side of it."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from ncpgui.app.model.open_questions import UnitDoubt
from ncpgui.app.presenters.card import Card
from ncpgui.app.presenters.correlograms import few
from ncpgui.app.presenters.events import EventWindow, _rate
from ncpgui.app.presenters.finding import FindingOfUnit
from ncpgui.app.presenters.traces import thinned


@pytest.mark.parametrize(
    ("number", "words"), [(0.0, "0"), (0.04, "0.0"), (0.4, "0.4"), (9.4, "9.4"), (9.5, "10"), (41.3, "41")]
)
def test_numbers_under_ten_have_a_decimal(number: float, words: str) -> None:
    assert few(number) == _rate(number) == words


@pytest.mark.parametrize(("error", "words"), [(0.01, "± 1"), (0.0099, "± <1"), (0.126, "± 13")])
def test_an_error_under_a_percent_is_not_told_as_none(error: float, words: str) -> None:
    card = SimpleNamespace(sampler="draws", mass_se=error)
    assert Card.error.fget(card) == words  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("before_s", "after_s", "bin_s", "is_possible"),
    [
        (0.0, 0.05, 0.05, True),  # one bin after the event
        (0.0, 0.05, 0.1, False),
        (0.5, 0.5, 0.002, True),  # 500 bins
        (1.0, 0.5, 0.002, False),
        (0.5, 0.5, 0.001, False),
    ],
)
def test_bins_around_events_are_one_after_it_to_500_in_all(
    before_s: float, after_s: float, bin_s: float, is_possible: bool
) -> None:
    assert EventWindow(before_s, after_s, bin_s).is_possible == is_possible


@pytest.mark.parametrize(
    ("share", "from_sorting", "depends_on", "is_robust"),
    [
        (0.19, 0.0, (7,), False),  # without 19 % of its variance an interval is a tenth narrower
        (0.18, 0.49, (), True),
        (0.0, 0.5, (), False),
        (0.0, math.nan, (), True),
    ],
)
def test_a_finding_depends_on_an_answer_that_would_narrow_it_by_a_tenth(
    share: float, from_sorting: float, depends_on: tuple[int, ...], is_robust: bool
) -> None:
    one = FindingOfUnit(0, 1.0, 1.0, 0.5, 1.5, from_sorting, 1.0, ((7, share), (8, 0.01)))
    assert (one.depends_on, one.is_robust) == (depends_on, is_robust)


@pytest.mark.parametrize(
    ("p_right", "p_neuron", "agreement", "is_question"),
    [
        (0.85, 0.9, 0.9, False),
        (0.84, 0.9, 0.9, True),
        (0.85, 0.9, 0.89, True),
        (0.0, 0.011, 0.0, True),
        (0.0, 0.01, 0.0, False),  # noise, and called so
    ],
)
def test_a_unit_is_a_question_where_it_is_hardly_right_and_not_surely_noise(
    p_right: float, p_neuron: float, agreement: float, is_question: bool
) -> None:
    assert UnitDoubt(p_right, p_neuron, agreement, 0.0, 0.0).is_question == is_question


@pytest.mark.parametrize(
    ("p_neuron", "lost", "words"),
    [
        (0.79, 0.5, "may be no neuron (P 79\u2009%)"),
        (0.8, 0.1, "may have lost 10\u2009% of its spikes"),
        (0.8, 0.09, "may be a part of a neuron, or more than one"),
    ],
)
def test_a_doubt_is_told_by_the_first_that_is_so(p_neuron: float, lost: float, words: str) -> None:
    assert UnitDoubt(0.5, p_neuron, 0.5, lost, 0.0).words == words


@pytest.mark.parametrize(("n", "n_columns"), [(1000, 1000), (1001, 666), (1500, 1000), (1502, 750)])
def test_traces_are_thinned_where_there_are_more_columns_than_asked_for(n: int, n_columns: int) -> None:
    """Of every three, four ... columns the lowest and the highest stay; the rest at the end goes."""
    time_ms, heights = thinned(np.arange(n, dtype=float), np.zeros((1, n)), 1000)
    assert heights.shape == (1, n_columns)
    assert len(time_ms) == n_columns
