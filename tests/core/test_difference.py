"""Differences of sortings in words, every spike of which is accounted for."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.difference import NEW, difference
from ncpgui.core.seeds import stream

THREE = np.repeat([0, 1, 2], 100)
TWO = np.repeat([0, 1, 1], 100)


def changed(labels: np.ndarray, places: slice, to: int) -> np.ndarray:
    result = labels.copy()
    result[places] = to
    return result


def test_differences_read_as_curation_words():
    assert difference(THREE, TWO).words() == "merges 2 + 3"
    assert difference(TWO, THREE).words(["7", "12"]) == "splits 12 in 2"
    assert difference(THREE, THREE).words() == "same units"
    moved = THREE.copy()
    moved[:30] = 1
    assert difference(THREE, moved).words() == "moves 30 spikes 1 → 2"


def test_a_unit_that_loses_its_spikes_is_not_merged_with_the_one_that_gets_the_last_of_them() -> None:
    left = changed(changed(THREE, slice(100, 199), -1), slice(199, 200), 2)  # 1 of 100 joins cluster 2
    assert (
        difference(THREE, left).words(["33", "32", "31"])
        == "unassigns 99 spikes of 32, moves 1 spike 32 → 31"
    )


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (changed(THREE, slice(90, 110), -1), "unassigns 20 spikes"),
        (changed(THREE, slice(0, 1), -1), "unassigns 1 spike of 1"),
        (changed(THREE, slice(0, 8), 3), "moves 8 spikes 1 → new"),
        (changed(TWO, slice(0, 8), 1), "merges 2 + 3, moves 8 spikes 1 → 2"),
        (changed(THREE, slice(0, 50), 3), "splits 1 in 2"),
        (np.concatenate([THREE[:60], np.full(40, 1), THREE[100:250], np.full(50, 0)]),
         "moves 50 spikes 3 → 1, moves 40 spikes 1 → 2"),
    ],
)  # fmt: skip
def test_the_words_name_all_that_changed(other: np.ndarray, words: str) -> None:
    assert difference(THREE, other).words() == words


def test_spikes_that_were_found_twice_are_told_apart_from_those_that_lose_their_unit() -> None:
    """Of 60 spikes found twice 50 are left out, 40 of 1 and 10 of 2; 5 others are unassigned."""
    again = np.arange(50, 110)
    other = changed(changed(THREE, slice(60, 110), -1), slice(0, 5), -1)
    found = difference(THREE, other, again)
    assert found.words() == "leaves out 50 spikes found twice, unassigns 5 spikes of 1"
    assert (found.n_twice, found.n_unassigned) == (50, 5)
    assert difference(THREE, other).words() == "unassigns 55 spikes"
    assert difference(THREE, THREE, again).words() == "same units"
    assert difference(np.where(THREE == 0, -1, THREE), other, again).n_twice == 10


def test_spikes_that_get_a_unit_are_told_too() -> None:
    some = changed(THREE, slice(0, 3), -1)
    assert difference(some, THREE).words() == "assigns 3 spikes to 1"
    assert difference(np.where(THREE == 1, -1, THREE), THREE).words() == "assigns 100 spikes to new"
    assert difference(np.full(300, -1), THREE).words() == "assigns 300 spikes"


def test_more_than_two_moves_are_added_up() -> None:
    moved = changed(changed(changed(THREE, slice(0, 30), 1), slice(100, 120), 2), slice(200, 205), 0)
    moved[205:209] = 1
    assert difference(THREE, moved).words() == "moves 30 spikes 1 → 2, moves 20 spikes 2 → 3, moves 9 more"


def test_same_units_means_that_nothing_changes() -> None:
    """Over random pairs of sortings: the words are "same units" exactly when the partitions are equal."""
    rng = stream(0, "difference")
    for _ in range(300):
        a = rng.integers(-1, 3, 40)
        b = np.where(rng.random(40) < rng.choice([0.0, 0.03, 0.5]), rng.integers(-1, 4, 40), a)
        equal = np.array_equal(a < 0, b < 0) and np.array_equal(a[:, None] == a, b[:, None] == b)
        assert (difference(a, b).words() == "same units") == equal


def test_every_spike_is_accounted_for() -> None:
    """Of each cluster, what the words do not name is in one place, or where a merge or split puts it."""
    rng = stream(1, "difference")
    for _ in range(300):
        a, b = rng.integers(-1, 4, 60), rng.integers(-1, 5, 60)
        found = difference(a, b)
        assert found.n_unassigned == int(((a >= 0) & (b < 0)).sum())
        assert found.n_assigned == int(((a < 0) & (b >= 0)).sum())
        for k in range(4):
            assert dict(found.unassigned).get(k, 0) == int(((a == k) & (b < 0)).sum())
            here = np.bincount(b[(a == k) & (b >= 0)], minlength=5)
            n_homes = len(dict(found.splits).get(k, ())) or 1
            n_homes += k in dict(found.splits) and any(k in component for component in found.merges)
            moved = sorted((n for source, _, n in found.moved if source == k), reverse=True)
            stays = sorted(here[here > 0].tolist(), reverse=True)
            for n in moved:
                stays.remove(n)
            assert len(stays) <= n_homes
        assert all(source != to and (to >= 0 or to == NEW) for source, to, _ in found.moved)


def test_spikes_that_join_a_part_of_a_split_unit_go_to_that_unit() -> None:
    other = changed(THREE, slice(0, 8), 1)
    assert difference(TWO, other).words() == "splits 2 in 2, moves 8 spikes 1 → 2"


def test_spikes_that_move_to_both_parts_of_a_split_are_counted_together() -> None:
    """30 spikes of cluster 2 go to cluster 1, which is split: 20 to one part of it and 10 to the other."""
    before = [0] * 200 + [1] * 200
    after = [0] * 100 + [2] * 100 + [0] * 20 + [2] * 10 + [1] * 170
    assert difference(before, after).words() == "splits 1 in 2, moves 30 spikes 2 → 1"
