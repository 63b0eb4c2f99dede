"""An answer in a curation takes the place of what was said of its units, and of nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ncpgui.export.curation_choice import is_chosen, with_choice

PART = np.array([0, 2])


def curation(**more: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"merges": [], "splits": [], "removed": [], "manual_labels": [{"unit_id": 1}]}
    return {**empty, **more}


def test_a_merge_and_a_split_are_added() -> None:
    made = with_choice(curation(), [1, 2, 3], [[1, 2]], {3: (PART,)})
    assert made["merges"] == [{"unit_ids": [1, 2]}]
    assert made["splits"] == [{"unit_id": 3, "mode": "indices", "indices": [[0, 2]]}]
    assert made["manual_labels"] == [{"unit_id": 1}]


def test_other_answers_about_the_same_units_go_and_those_about_others_stay() -> None:
    before = curation(
        merges=[{"unit_ids": [1, 2]}, {"unit_ids": [3, 7, 8]}, {"unit_ids": [3, 9]}],
        splits=[
            {"unit_id": 2, "mode": "indices", "indices": [[1]]},
            {"unit_id": 6, "mode": "indices", "indices": [[1]]},
        ],
        removed=[3, 5],
    )
    made = with_choice(before, [1, 2, 3], [], {})
    assert made["merges"] == [{"unit_ids": [7, 8]}]
    assert [one["unit_id"] for one in made["splits"]] == [6]
    assert made["removed"] == [5]
    assert before["removed"] == [3, 5]  # a new curation: the one before is as it was


def test_what_is_chosen_is_known_again() -> None:
    made = with_choice(curation(), ["a", "b", "c"], [["a", "b"]], {"c": (PART,)})
    assert is_chosen(made, ["a", "b", "c"], [["b", "a"]], {"c": (PART,)})
    assert not is_chosen(made, ["a", "b", "c"], [["b", "a"]], {})
    assert not is_chosen(made, ["a", "b", "c"], [], {"c": (PART,)})
    assert not is_chosen({**made, "removed": ["a"]}, ["a", "b", "c"], [["b", "a"]], {"c": (PART,)})
    assert is_chosen({}, ["a"], [], {})
