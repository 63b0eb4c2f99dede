"""Names and colours of the sorting on screen, in use and previewed."""

from __future__ import annotations

import numpy as np
from tiny_project import tiny_component

from ncpgui.app.model.colors import ColorBook
from ncpgui.app.model.making_sortings import current_sorting, preview_sorting
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.curation.clustering import Clustering

UNITS = [7] * 10 + [12] * 8 + [30] * 4
IDS = np.arange(len(UNITS))


def names_of(way: list[int], units: list[int] | None = None, **options: object) -> list[str]:
    clustering = Clustering(UNITS if units is None else units)
    component = tiny_component(0, IDS, [way], [1.0])
    return [unit.name for unit in preview_sorting(clustering, component, 0, ColorBook(), **options).units]  # type: ignore[arg-type]


def test_units_are_listed_the_largest_first_under_their_numbers() -> None:
    shown = current_sorting(
        Clustering([5, 3, 3, -1, 5, 3]), tiny_component(0, np.arange(6), [[0] * 6], [1.0]), ColorBook()
    )
    assert [(unit.name, unit.unit, unit.n_spikes) for unit in shown.units] == [("3", 3, 3), ("5", 5, 2)]
    assert shown.labels.tolist() == [1, 0, 0, -1, 1, 0]
    assert shown.units[1].positions.tolist() == [0, 4]


def test_units_of_equal_size_are_listed_by_number() -> None:
    component = tiny_component(0, np.arange(4), [[0] * 4], [1.0])
    shown = current_sorting(Clustering([9, 9, 2, 2]), component, ColorBook())
    assert [unit.name for unit in shown.units] == ["2", "9"]


def test_a_merge_is_called_after_its_parts() -> None:
    assert names_of([0] * 18 + [1] * 4) == ["7+12", "30"]


def test_parts_of_a_split_are_lettered() -> None:
    assert names_of([0] * 10 + [1] * 5 + [2] * 3 + [3] * 4) == ["7", "12a", "30", "12b"]


def test_a_unit_that_loses_or_gains_a_few_spikes_is_primed() -> None:
    assert names_of([0] * 9 + [1] * 9 + [2] * 4) == ["7'", "12'", "30"]


def test_a_cluster_of_spikes_from_everywhere_is_new() -> None:
    mixed = [0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 1, 1, 1, 1, 3, 3, 3, 3, 2, 2, 2, 3]
    assert "new" in names_of(mixed)


def test_spikes_that_no_unit_had_become_a_new_unit() -> None:
    units = [7] * 10 + [-1] * 12
    assert names_of([0] * 10 + [1] * 12, units) == ["new", "7"]


def test_a_merge_of_three_and_the_unit_beside_it_are_told_apart() -> None:
    assert names_of([0] * 22) == ["7+12+30"]


def test_more_parts_than_letters_still_have_different_names() -> None:
    ids = np.arange(60)
    component = tiny_component(0, ids, [[k // 2 for k in range(60)]], [1.0])
    shown = preview_sorting(Clustering([12] * 60), component, 0, ColorBook())
    assert len({unit.name for unit in shown.units}) == 30
    assert shown.units[0].name == "12a"


def test_units_that_stay_are_not_marked_as_changed() -> None:
    clustering, component = Clustering(UNITS), tiny_component(0, IDS, [[0] * 18 + [1] * 4], [1.0])
    shown = preview_sorting(clustering, component, 0, ColorBook())
    assert [(unit.unit, unit.is_changed) for unit in shown.units] == [(None, True), (30, False)]
    assert shown.moved.tolist() == [True] * 18 + [False] * 4


def test_units_that_stay_keep_their_colour_and_a_merge_has_that_of_its_larger_part() -> None:
    clustering, book = Clustering(UNITS), ColorBook()
    component = tiny_component(0, IDS, [[0] * 18 + [1] * 4], [1.0])
    current = current_sorting(clustering, component, book)
    preview = preview_sorting(clustering, component, 0, book)
    assert [unit.color.index for unit in current.units] == [0, 1, 2]
    assert [unit.color.index for unit in preview.units] == [0, 2]


def test_the_larger_part_of_a_split_keeps_the_colour_and_the_other_has_a_fresh_one() -> None:
    clustering, book = Clustering(UNITS), ColorBook()
    component = tiny_component(0, IDS, [[0] * 10 + [1] * 5 + [2] * 3 + [3] * 4], [1.0])
    preview = preview_sorting(clustering, component, 0, book)
    assert {unit.name: unit.color.index for unit in preview.units} == {"7": 0, "12a": 1, "30": 2, "12b": 3}


def test_what_was_previewed_keeps_its_colours_when_it_is_made() -> None:
    before_book = ColorBook()
    component = tiny_component(0, IDS, [[0] * 10 + [1] * 5 + [2] * 3 + [3] * 4], [1.0])
    before = current_sorting(Clustering(UNITS), component, before_book)
    after = current_sorting(
        Clustering([7] * 10 + [31] * 5 + [32] * 3 + [30] * 4), component, before_book, before=before
    )
    assert {unit.name: unit.color.index for unit in after.units} == {"7": 0, "31": 1, "30": 2, "32": 3}


def test_an_empty_sorting_has_no_units_and_can_be_previewed_from() -> None:
    assert names_of([0] * 22, [-1] * 22) == ["new"]
    shown = current_sorting(Clustering([-1] * 22), tiny_component(0, IDS, [[0] * 22], [1.0]), ColorBook())
    assert shown.units == ()
    assert shown.moved.tolist() == [False] * 22
    assert shown.p_exists.tolist() == []


def test_the_existence_of_a_unit_without_sampled_spikes_is_unknown() -> None:
    from dataclasses import replace

    component = replace(tiny_component(0, IDS[:6], [[0] * 6], [1.0]), sampled=np.arange(3))
    component = replace(component, posterior=PosteriorSamples(np.zeros((2, 3), int), np.zeros(2)))
    shown = current_sorting(Clustering([1, 1, 1, 1, 2, 2]), component, ColorBook())
    assert shown.p_exists[0] == 1.0
    assert np.isnan(shown.p_exists[1])
