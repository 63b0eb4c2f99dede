"""Questions are ordered by what their answer does to a result, against the law of total variance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncpgui.findings.draws import draws
from ncpgui.findings.effects import Effect, effect_words, effects, questions_by_effect
from ncpgui.findings.propagate import propagate
from tests.tiny_project import tiny_project

OPEN = [[0, 0, 0, 0, 1, 1, 1, 1], [0] * 8]


def spikes_of(unit: int) -> Any:
    def analysis(sorting: Any) -> dict[int, int]:
        return {one: len(sorting.get_unit_spike_train(one)) for one in sorting.unit_ids if one == unit}

    return analysis


def both() -> Any:
    """Two components of the same kind, of units 0 and 1, and 2 and 3."""
    return draws(tiny_project({0: OPEN, 1: OPEN}, masses={0: [0.5, 0.5], 1: [0.5, 0.5]}), 200)


def test_an_answer_that_says_everything_takes_all_of_the_variance_away() -> None:
    """Unit 0 has four spikes or eight, as component 0 is sorted; component 1 has nothing to do with it."""
    made = both()
    found = effects(made, propagate(made, spikes_of(0)))
    assert [(one.component, one.of) for one in found] == [(0, 0)]
    assert found[0].share == pytest.approx(1)
    assert found[0].narrows_to == pytest.approx(0)


def test_the_variance_of_the_data_is_not_taken_away() -> None:
    """Sorting has the variance 4 of 4 + 12: the answer takes a quarter, and the width is sqrt(3 / 4)."""

    class Noisy:
        def __call__(self, sorting: Any) -> dict[int, int]:
            return spikes_of(0)(sorting)

        def resampled(self, sorting: Any, rng: np.random.Generator) -> dict[int, float]:
            return {0: spikes_of(0)(sorting)[0] + rng.choice([-1, 1]) * np.sqrt(12)}

    made = both()
    found = effects(made, propagate(made, Noisy(), bootstraps=2000))
    assert found[0].share == pytest.approx(0.25, abs=0.01)
    assert found[0].narrows_to == pytest.approx(np.sqrt(0.75), abs=0.01)


def test_questions_come_by_what_they_do_to_the_findings_asked_for() -> None:
    made = both()

    def total(sorting: Any) -> float:
        """Of which component 1 makes four times as much as component 0: 4 x 4 against 2 x 2."""
        counts = {unit: len(sorting.get_unit_spike_train(unit)) for unit in sorting.unit_ids.tolist()}
        return counts[0] + 2 * counts[2]

    order = questions_by_effect(made, propagate(made, total))
    assert [component for component, _ in order] == [1, 0]
    assert [share for _, share in order] == pytest.approx([0.8, 0.2], abs=0.12)
    assert questions_by_effect(made, propagate(made, spikes_of(2)))[0][0] == 1


def test_names_choose_findings_and_arrays_have_no_effects() -> None:
    made = both()

    def named(sorting: Any) -> dict[int, dict[str, Any]]:
        n = len(sorting.get_unit_spike_train(0))
        return {0: {"a": n, "b": 2 * n, "curve": [n, n]}}

    findings = propagate(made, named)
    assert {one.name for one in effects(made, findings)} == {"a", "b"}
    assert {one.name for one in effects(made, findings, names=["b"])} == {"b"}


def test_what_no_question_changes_has_no_effects() -> None:
    made = draws(tiny_project({0: [[0] * 8]}), 20)
    assert effects(made, propagate(made, spikes_of(0))) == ()


@pytest.mark.parametrize(
    ("of", "words"),
    [(12, "of unit 12 to 50 %"), ((3, 4), "of units 3 and 4 to 50 %"), (None, "of the sorting to 50 %")],
)
def test_an_effect_is_told_in_a_sentence(of: Any, words: str) -> None:
    told = effect_words(Effect(7, of, "width", 0.75))
    assert told == f"settling component 7 is expected to narrow the interval of width {words}"
