"""The grid of correlograms: which units, in which order, and what is said of their pairs within 2 ms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from app_fakes import MASSES, WAYS
from later import Later
from tiny_project import tiny_project

from ncpgui.analysis.correlograms import Correlograms, correlograms
from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.correlograms import MOST_UNITS, Scale, present_correlograms, spikes_of_grid
from ncpgui.core.spikes import SpikeEvents


@pytest.fixture
def workspace(project) -> Workspace:
    """Units 0, 1, 2 of four, three, three spikes; the spikes of 0 are 1 ms apart but for the last."""
    times = np.array([0, 20, 40, 4000, 5000, 6000, 7000, 8000, 9000, 10_000, *range(11_000, 21_000, 1000)])
    spikes = project.spikes
    moved = SpikeEvents(100 + times, spikes.channel, spikes.amplitude, 20_000.0, 30_000)
    workspace = Workspace(replace(project, spikes=moved))
    workspace.show_component(0)
    return workspace


def known(workspace: Workspace) -> Correlograms:
    trains = [workspace.state.project.fired[ids] for ids in spikes_of_grid(workspace)[1]]
    return correlograms(trains, sampling_frequency_hz=20_000.0)


def test_a_row_is_a_unit_on_screen_and_close_pairs_are_counted(workspace) -> None:
    view = present_correlograms(workspace, known(workspace))
    assert view.names == ("0", "1", "2")
    assert view.note == ""
    assert [view.pair_words(row, row) for row in range(3)] == [
        "3 within 2 ms, 0 expected",  # 0-20, 20-40, and 0-40 at 2 ms
        "0 within 2 ms, 0 expected",  # pairs 50 ms apart say nothing of chance
        "0 within 2 ms, 0 expected",
    ]


def test_the_highest_of_many_bins_is_one_and_few_spikes_stay_low(workspace) -> None:
    """The autocorrelogram of unit 0: two pairs at 1 ms and one at 2 ms, either way; 8 fill the cell."""
    view = present_correlograms(workspace, known(workspace))
    bars = view.bars(0, 0)
    assert bars.max() == 2 / 8
    assert bars.sum() == pytest.approx(6 / 8)


def test_intervals_take_the_place_of_the_diagonal_only(workspace) -> None:
    """Unit 0 has two intervals of 1 ms and one of 198 ms, which is off the histogram."""
    view = present_correlograms(workspace, known(workspace))
    bars = view.bars(0, 0, intervals=True)
    assert bars.sum() == pytest.approx(2 / 8)
    assert view.edges_ms(0, 0, intervals=True)[np.argmax(bars)] == 1.0
    assert np.array_equal(view.bars(0, 1, intervals=True), view.bars(0, 1))


def test_the_preview_has_correlograms_of_its_own(workspace) -> None:
    before = spikes_of_grid(workspace)[0]
    workspace.show_alternative(1)
    assert spikes_of_grid(workspace)[0][1] == before[2]  # unit 2 has the same spikes
    view = present_correlograms(workspace, None)
    assert view.names == ("0+1", "2")
    assert view.message == "Correlograms are being computed …"
    assert present_correlograms(workspace, known(workspace)).message == ""


def test_two_selected_units_have_the_grid_for_themselves(workspace) -> None:
    workspace.select([0, 2])
    view = present_correlograms(workspace, known(workspace))
    assert view.names == ("0", "2")
    assert view.is_selected == (True, True)
    workspace.select([1])
    view = present_correlograms(workspace, None)
    assert view.names == ("0", "1", "2")
    assert view.is_selected == (False, True, False)


def test_units_that_do_not_fit_are_counted() -> None:
    n = MOST_UNITS + 2
    labels = [unit for unit in range(n) for _ in range(2)]
    workspace = Workspace(tiny_project({0: [labels]}))
    view = present_correlograms(workspace, known(workspace))
    assert len(view.names) == MOST_UNITS
    assert view.note == "select fewer to see the other 2 units"


def test_a_tooltip_says_what_the_pairs_mean(workspace) -> None:
    view = present_correlograms(workspace, known(workspace))
    assert view.tooltip(0, 0) == (
        "Spikes of unit 0 around its own\n"
        "3 pairs 0.7 to 2 ms apart; by chance there would be 0.\n"
        "One neuron has hardly any this close.\n"
        f"The highest bin has {view.highest(0, 0)} spikes in 1 ms."
    )
    assert view.tooltip(1, 0) == view.tooltip(0, 1)
    assert "Spikes of unit 1 around those of unit 0" in view.tooltip(0, 1)


def test_the_axis_of_a_cell_says_how_far_it_reaches(workspace) -> None:
    view = present_correlograms(workspace, known(workspace))
    assert view.axis_words() == ("−25", "0", "25\u2009ms")
    assert view.axis_words(intervals=True) == ("0", "25", "50\u2009ms")


def test_window_and_bins_go_together() -> None:
    """At most 400 bins: ±100 ms of half a millisecond, ±500 ms of 2.5, for which 5 is the next one."""
    assert Scale().words == "±25 / 1 ms"
    assert Scale(25, 0.5).with_half(100) == Scale(100, 0.5)
    assert Scale(25, 0.5).with_half(500) == Scale(500, 5)
    assert Scale(500, 5).with_bin(0.25) == Scale(50, 0.25)
    assert Scale.of([100.0, 2.0]) == Scale(100, 2)
    assert Scale.of([7, 2]) == Scale.of("much") == Scale.of(None) == Scale()


def test_without_anything_to_show_it_says_why() -> None:
    assert present_correlograms(Workspace(), None).message == "Open a recording or a session to begin."
    waiting = Workspace(tiny_project(WAYS, masses=MASSES, sampled=False))
    assert present_correlograms(waiting, None).message == "Correlograms appear when these spikes are sampled."


def test_they_are_computed_once_in_the_background_and_again_at_another_scale(
    workspace, preferences: Preferences
) -> None:
    runner = Later()
    data = Controller(workspace, runner, preferences).data
    assert data.correlograms(Scale()) is None
    assert [(task.key, task.lane) for task in runner.waiting] == [("correlograms", "view")]
    runner.run()
    found = data.correlograms(Scale())
    assert found is not None
    assert data.correlograms(Scale()) is found
    assert not runner.waiting
    assert data.correlograms(Scale(50, 0.5)) is None
    runner.run()
    finer = data.correlograms(Scale(50, 0.5))
    assert (found.edges_ms[-1], finer.edges_ms[-1]) == (25, 50)
    assert data.correlograms(Scale()) is found
