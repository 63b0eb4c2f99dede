"""Decisions are a curation that SpikeInterface applies: it makes the same units, spike by spike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncpgui.export.curation_json import curation_steps

RATE = 20_000.0


def applied(before: np.ndarray, steps: list[dict[str, Any]], names: dict[int, str]) -> dict[Any, list[int]]:
    """Unit -> rows of its spikes, as SpikeInterface makes them."""
    from spikeinterface.core import NumpySorting
    from spikeinterface.curation import apply_curation, load_curation
    from spikeinterface.curation.curation_model import Curation, SequentialCuration

    assert load_curation is not None
    ids = np.unique(before)
    called = [names[unit] for unit in ids.tolist()] if names else ids.tolist()
    trains = {name: np.flatnonzero(before == unit) * 10 for name, unit in zip(called, ids, strict=True)}
    sorting = NumpySorting.from_unit_dict([trains], RATE)
    model = Curation(**steps[0]) if len(steps) == 1 else SequentialCuration(curation_steps=steps)
    result = apply_curation(sorting, model)
    return {unit: (result.get_unit_spike_train(unit) // 10).tolist() for unit in result.unit_ids}


def expected(after: np.ndarray) -> list[list[int]]:
    return sorted(np.flatnonzero(after == unit).tolist() for unit in np.unique(after[after >= 0]))


CASES = {
    "nothing": ([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], 1),
    "two are one": ([0, 0, 1, 1, 2, 2], [3, 3, 3, 3, 2, 2], 1),
    "one is two": ([0, 0, 0, 0, 2, 2], [3, 4, 3, 4, 2, 2], 1),
    "one is two, and keeps its name": ([0, 0, 0, 0, 2, 2], [0, 4, 0, 4, 2, 2], 1),
    "removed": ([0, 0, 1, 1, 2, 2], [-1, -1, 1, 1, 2, 2], 1),
    "a part moves to another": ([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1], 2),
    "a part is removed": ([0, 0, 0, 0, 1, 1], [0, 0, -1, -1, 1, 1], 2),
    "split and joined crosswise": ([0, 0, 1, 1, 2, 2], [3, 4, 3, 4, 2, 2], 2),
}


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_spikeinterface_makes_the_units_of_it(case: str, named: bool) -> None:
    before, after = (np.array(values) for values in CASES[case][:2])
    names = {unit: f"unit {unit}" for unit in np.unique(before).tolist()} if named else {}
    steps = curation_steps(before, after, {}, names)
    assert len(steps) == CASES[case][2]
    assert sorted(applied(before, steps, names).values()) == expected(after)


def test_units_that_did_not_change_keep_their_ids() -> None:
    before, after = np.array([5, 5, 7, 7, 9, 9]), np.array([5, 5, 10, 10, 10, 10])
    found = applied(before, curation_steps(before, after, {}, {}), {})
    assert found == {5: [0, 1], 10: [2, 3, 4, 5]}


def test_units_without_a_spike_stay_and_no_new_unit_is_called_like_them() -> None:
    from spikeinterface.core import NumpySorting
    from spikeinterface.curation import apply_curation
    from spikeinterface.curation.curation_model import SequentialCuration

    before, after = np.array([0, 0, 1, 1, 2, 2]), np.array([30, 31, 31, 31, 2, 2])
    trains = {unit: np.flatnonzero(before == unit) * 10 for unit in (0, 1, 2)}
    sorting = NumpySorting.from_unit_dict([{**trains, 7: np.zeros(0, int), 29: np.zeros(0, int)}], RATE)
    steps = curation_steps(before, after, {}, {}, silent=(7, 29), highest=29)
    result = apply_curation(sorting, SequentialCuration(curation_steps=steps))
    found = {unit: len(result.get_unit_spike_train(unit)) for unit in result.unit_ids.tolist()}
    assert found == {30: 1, 31: 3, 2: 2, 7: 0, 29: 0}


def test_a_curation_of_numbers_that_ncpgui_cannot_have_speaks_of_these() -> None:
    before, after = np.array([7, 7, 5, 5, 6, 6]), np.array([8, 8, 8, 8, 6, 6])
    (step,) = curation_steps(before, after, {6: "good"}, {7: -1}, highest=7)
    assert step["unit_ids"] == [5, 6, -1]
    assert step["merges"] == [{"unit_ids": [5, -1], "new_unit_id": 8}]


def test_labels_are_those_of_the_units_that_come_out() -> None:
    before, after = np.array([0, 0, 1, 1, 2, 2]), np.array([3, 3, 3, 3, 2, 2])
    (step,) = curation_steps(before, after, {3: "mua", 2: "good"}, {})
    quality = {label["unit_id"]: label["labels"]["quality"] for label in step["manual_labels"]}
    assert quality == {0: ["MUA"], 1: ["MUA"], 2: ["good"]}


def test_random_decisions_make_the_same_units() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        before = rng.integers(0, 4, 40)
        after = np.where(rng.random(40) < 0.3, rng.integers(-1, 7, 40), before)
        steps = curation_steps(before, after, {}, {})
        assert sorted(applied(before, steps, {}).values()) == expected(after)


@pytest.mark.parametrize(("silent", "highest", "first_part"), [((), -1, 2), ((), 9, 10), ((30,), 9, 31)])
def test_parts_that_are_joined_get_numbers_above_all_that_there_are_or_were(
    silent: tuple[int, ...], highest: int, first_part: int
) -> None:
    before, after = np.array([0, 0, 1]), np.array([0, 1, 1])
    parts, joined = curation_steps(before, after, {}, {}, silent=silent, highest=highest)
    assert parts["splits"][0]["new_unit_ids"] == [first_part, first_part + 1]
    assert parts["splits"][0]["indices"] == [[0], [1]]
    assert joined["merges"] == [{"unit_ids": [first_part + 1, 1], "new_unit_id": 1}]
    assert joined["unit_ids"] == [first_part, first_part + 1, 1, *silent]


def test_a_part_that_nothing_joins_is_the_unit_that_it_became() -> None:
    (step,) = curation_steps(np.array([0, 0, 1]), np.array([5, 6, 1]), {}, {})
    assert step["splits"][0]["new_unit_ids"] == [5, 6]
    assert (step["merges"], step["removed"]) == ([], [])
