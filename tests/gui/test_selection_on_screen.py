"""What is selected is drawn in every panel, of whatever question; the cards say of which they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.core.project import Project
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle, shown_window


@pytest.fixture
def window(qtbot, tmp_path: Path, array_project: Project) -> Iterator[MainWindow]:
    """Units 0, 1, 2 are of component 0; 3, 4 of 1; 5 to 8 of 2; 9 to 11 of 3; all contacts are near."""
    with shown_window(qtbot, tmp_path) as made:
        made.workspace.state.open(array_project)
        for name in made.bench.by_name:
            made.bench.show_panel(
                name, name != "finding"
            )  # which has its own tests, and draws each unit anew
        made.workspace.show_component(0)
        settle(deleted=True)
        yield made
        made.controller.close()


def drawn(window: MainWindow) -> dict[str, list[str]]:
    """Names of the units that each panel draws."""
    settle()
    bench = window.bench
    return {
        "waveforms": [column.name for column in bench.waveforms.plot.view.columns],
        "correlograms": list(bench.correlograms.grid.view.names),
        "features": list(bench.features.view.points.names),
        "over time": list(bench.amplitudes.view.points.names),
        "embedding": list(bench.embedding.view.points.names),
        "fields": [tile.name for tile in bench.fields.grid.view.tiles][
            : len(bench.waveforms.plot.view.columns)
        ],
    }


def everywhere(window: MainWindow) -> list[str]:
    """Names of the units that all panels draw."""
    found = drawn(window)
    names = found["waveforms"]
    assert all(one == names for one in found.values()), found
    return names


def test_a_unit_of_another_question_is_drawn_when_its_row_is_clicked(window, screen) -> None:
    window.bench.units.set_all_units(True)
    settle()
    table = window.bench.units.table
    row = list(window.bench.units.listed_units).index(9)
    table.scrollTo(table.model().index(row, 0))
    place = QtCore.QPointF(table.visualRect(table.model().index(row, 0)).center())
    screen.click(table.viewport(), place)
    assert window.workspace.selected == (9,)
    assert everywhere(window) == ["9", "10", "11"]
    assert window.bench.alternatives.headline.text() == "Units 9, 10 and 11"


def test_down_goes_to_the_question_of_the_next_unit(window, press) -> None:
    window.bench.units.set_all_units(True)
    window.workspace.select([2])
    press("Down")
    assert window.workspace.selected == (3,)
    assert everywhere(window) == ["3", "4"]
    assert window.bench.alternatives.headline.text() == "Units 3 and 4"


def test_units_of_two_questions_are_drawn_together_and_the_cards_say_whose_they_are(
    window, press, qtbot
) -> None:
    press(":")
    qtbot.keyClicks(window.focusWidget(), "c 1 9")
    press("Return")
    assert window.workspace.selected == (1, 9)
    assert everywhere(window) == ["1", "9"]
    assert window.bench.alternatives.headline.text() == "Units 0, 1 and 2"
    assert "unit 9 belongs to another question" in window.bench.alternatives.subtitle.text()
    names = [row["id"] for row in window.bench.units.model.rows]
    assert names == [0, 1, 2, 9]


def test_a_similar_unit_of_another_question_is_drawn_beside_the_chosen_one(window, press) -> None:
    window.workspace.select([1])
    settle()
    elsewhere = next(row.unit for row in window.bench.similar.model.rows if row.unit > 2)
    while elsewhere not in window.workspace.selected:
        press("Space")
    assert window.workspace.selected == (1, elsewhere)
    assert everywhere(window) == ["1", str(elsewhere)]
    assert window.workspace.component_id == 0


def test_ten_units_of_five_questions_are_drawn_together_each_in_a_colour_of_its_own(window) -> None:
    units = [0, 1, 3, 4, 5, 6, 9, 10, 12, 13]
    assert len({window.workspace.state.places.components_of(unit)[0] for unit in units}) == 5
    window.workspace.select(units)
    assert everywhere(window) == [str(unit) for unit in units]
    colors = [column.color for column in window.bench.waveforms.plot.view.columns]
    assert len(set(colors)) == len(units)
    assert [window.workspace.coloring.of_unit(unit) for unit in units] == colors
    window.workspace.select([3])
    assert window.workspace.coloring.of_unit(3) == window.workspace.state.sortings.colors.color(3)


def test_waveforms_are_drawn_where_they_are_known(window) -> None:
    """Components 0 and 1 share contacts; their means there are those of their own components."""
    workspace = window.workspace
    workspace.select([1, 9])
    settle()
    view = window.bench.waveforms.plot.view
    for column, home in zip(view.columns, (0, 3), strict=True):
        component, sorting = workspace.component(home), workspace.current_of(home)
        row = next(row for row, one in enumerate(sorting.units) if one.unit == column.unit)
        own = workspace.waveforms(home).waveforms[sorting.sampled_labels == row]
        for at, contact in enumerate(view.channels):
            here = np.flatnonzero(component.contacts == contact)
            expected = own[:, :, here[0]].mean(axis=0) if len(here) else np.full(32, np.nan)
            np.testing.assert_allclose(column.mean[:, at], expected, rtol=1e-4, atol=1e-4)
        assert column.known.any()


def test_merges_and_labels_of_units_on_screen_ask_nothing(window, press, monkeypatch) -> None:
    monkeypatch.setattr(window, "confirm", lambda question: pytest.fail(question))
    window.workspace.select([1, 9])
    press("Alt+G")
    assert [window.workspace.state.history.labels.label(unit) for unit in (1, 9)] == ["good", "good"]
    n = len(window.workspace.state.clustering.spikes_of(1)) + len(
        window.workspace.state.clustering.spikes_of(9)
    )
    press("G")
    (merged,) = window.workspace.selected
    assert len(window.workspace.state.clustering.spikes_of(merged)) == n
    assert everywhere(window) == [str(merged)]
    assert window.bench.waveforms.plot.view.columns[0].n_spikes == n


def test_a_preview_is_drawn_with_the_selected_unit_of_another_question(window, press) -> None:
    window.workspace.select([1, 9])
    press("2")
    assert everywhere(window) == ["1+2", "0", "9"]
    press("Escape")
    assert everywhere(window) == ["1", "9"]


def test_a_lasso_splits_one_of_the_units_that_are_drawn_together(window, press) -> None:
    workspace = window.workspace
    workspace.select([1, 9])
    settle()
    before = {unit: len(workspace.state.clustering.spikes_of(unit)) for unit in (1, 9)}
    middle = float(
        np.median(
            workspace.state.project.recording.clock.seconds(
                workspace.state.project.spikes.sample_index[workspace.state.clustering.spikes_of(9)]
            )
        )
    )
    for x, y in ((-1, -1), (middle, -1), (middle, 1e3), (-1, 1e3)):
        window.bench.amplitudes.scatter.corner_set.emit(float(x), float(y))
    press("K")
    assert workspace.proposal is not None
    assert len(everywhere(window)) == 3  # what is left of each, and what is inside
    press("K")
    assert sum(len(workspace.state.clustering.spikes_of(unit)) for unit in workspace.selected) == sum(
        before.values()
    )
    assert 9 not in workspace.state.clustering


def test_a_spike_stays_on_screen_when_another_unit_is_drawn_beside_its_own(window) -> None:
    workspace, traces = window.workspace, window.bench.traces
    workspace.select([1])
    traces.step(1)
    settle()
    spike = workspace.shown().component.spike_ids[traces.position]
    workspace.select([1, 9])
    settle()
    assert workspace.shown().component.spike_ids[traces.position] == spike


def test_a_row_of_the_queue_shows_its_question_again(window) -> None:
    window.workspace.select([1, 9])
    window.workspace.show_component(0)
    assert everywhere(window) == ["0", "1", "2"]
    assert window.workspace.selected == ()
