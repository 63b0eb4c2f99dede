"""Beside the slice of a long probe is the whole of it: activity, units and open questions by depth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.model.adoption import adopt
from ncpgui.app.presenters.probe_map import present_probe_map
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project
from ncpgui.gui.panels import probe_map
from ncpgui.gui.panels.probe_map import ProbeMapPanel
from ncpgui.gui.theme import DARK, LIGHT


def long_probe(n_contacts: int, n_shanks: int = 1) -> Probe:
    """Rows of two contacts, 20 µm apart, as on a Neuropixels probe; shanks 250 µm apart."""
    contact = np.arange(n_contacts)
    shank = contact % n_shanks
    row, side = contact // n_shanks // 2, contact // n_shanks % 2
    return Probe(np.column_stack([shank * 250.0 + side * 32.0, row * 20.0]), shank)


def on_long_probe(project: Project, probe: Probe, first: int, second: int) -> Project:
    """The small project with its channel 0 on one contact and its channel 1 on another."""
    place = np.array([first, second])
    component, waiting = project.components[0], project.waiting[0]
    neighbour = first + (1 if probe.n_channels > first + 1 else -1)
    contacts = np.array([first, neighbour])
    return replace(
        project,
        probe=probe,
        recording=replace(project.recording, n_channels=probe.n_channels),
        spikes=replace(project.spikes, channel=place[project.spikes.channel]),
        noise_sd=np.full(probe.n_channels, 10.0, np.float32),
        components=(replace(component, contacts=contacts),),
        waiting=(replace(waiting, contacts=np.array([second])),),
    )


@pytest.fixture
def panel(show, workspace, small_project) -> ProbeMapPanel:
    """384 contacts: the question that is sampled at 100 µm, the one that waits at 3000 µm."""
    workspace.state.open(on_long_probe(small_project, long_probe(384), 10, 300))
    return show(ProbeMapPanel, 230, 300)


def test_it_is_beside_a_slice_and_frames_what_the_map_shows(panel, screen) -> None:
    assert panel.map.is_slice
    assert panel.whole.isVisible()
    low, high = panel.whole.seen_um
    assert low < 100 < high
    assert high - low == pytest.approx(panel.map.height() / panel.map._transform()[0])
    panel.workspace.show_component(1)
    screen.settle()
    low, high = panel.whole.seen_um
    assert low < 3000 < high


def test_only_contacts_that_are_seen_are_painted(panel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two every 20 µm, and those whose disc reaches into the slice."""
    painted: list[float] = []
    monkeypatch.setattr(
        probe_map, "paint_state", lambda painter, centre, *_, **__: painted.append(centre.y())
    )
    panel.map.grab()
    low, high = panel.whole.seen_um
    assert 2 * (high - low) / 20 - 2 <= len(painted) <= 2 * (high - low) / 20 + 4 < 100


def test_it_shows_activity_units_and_open_questions_by_depth(panel, screen) -> None:
    """Ten spikes in 2 s and two units at contact 10, three spikes of no unit at contact 300."""
    whole = panel.map.view.whole
    assert np.flatnonzero(whole.rate_hz).tolist() == [10, 300]
    assert whole.rate_hz[[10, 300]].tolist() == [5.0, 1.5]
    assert np.flatnonzero(whole.n_units).tolist() == [10]
    assert whole.n_units[10] == 2
    assert np.flatnonzero(whole.is_open).tolist() == [10, 300]
    assert whole.words(0, 90, 110) == (
        "Depth 90 to 110 µm: 5 spikes a second, 2 units, 1 contact with an open question"
    )
    assert screen.pixel(panel.whole, panel.whole.place_of(10)) == LIGHT.amber.lower()
    assert screen.pixel(panel.whole, panel.whole.place_of(300)) == LIGHT.accent.lower()
    column = panel.whole.column(0)
    bar = QtCore.QPointF(column.left() + 6, panel.whole.y_of(100.0))
    none = QtCore.QPointF(column.left() + 6, panel.whole.y_of(1800.0))
    assert (
        QtGui.QColor(screen.pixel(panel.whole, bar)).lightness()
        < QtGui.QColor(screen.pixel(panel.whole, none)).lightness()
    )


def test_a_settled_question_is_no_longer_amber(panel, workspace, screen) -> None:
    before = panel.whole.place_of(10)
    adopt(workspace)
    screen.settle()
    assert screen.pixel(panel.whole, before) != LIGHT.amber.lower()
    assert not panel.map.view.whole.is_open[10]
    grey = QtGui.QColor(screen.pixel(panel.whole, panel.whole.place_of(10)))
    assert grey.lightness() < 190
    assert grey.saturation() < 60


def test_a_click_on_a_dot_goes_to_its_question(panel, workspace, screen) -> None:
    screen.click(panel.whole, panel.whole.place_of(300))
    screen.settle()
    assert workspace.component_id == 1
    assert panel.map.view.current == 300
    screen.click(panel.whole, panel.whole.place_of(10) + QtCore.QPointF(-3, 4))
    screen.settle()
    assert workspace.component_id == 0


def test_a_click_beside_all_dots_looks_there_and_what_is_on_screen_stays(panel, workspace, screen) -> None:
    screen.click(panel.whole, QtCore.QPointF(10, panel.whole.y_of(2000.0)))
    screen.settle()
    assert workspace.component_id == 0
    low, high = panel.whole.seen_um
    assert (low + high) / 2 == pytest.approx(2000, abs=20)
    assert panel.map.rect().contains(panel.map.place_of(200))
    assert not panel.map.rect().contains(panel.map.place_of(10))
    screen.click(panel.whole, panel.whole.place_of(10))
    screen.settle()
    assert panel.map.rect().contains(panel.map.place_of(10))


def test_its_tooltip_says_what_is_at_a_depth_and_the_pointer_is_a_hand_over_a_dot(panel) -> None:
    whole = panel.whole
    words = whole.tooltip_at(whole.place_of(10))
    assert words.splitlines()[0].startswith("Depth ")
    assert words.splitlines()[0].endswith(": 5 spikes a second, 2 units, 1 contact with an open question")
    assert words.splitlines()[1] == (
        "Bars: spikes a second. Grey: units. Amber: open questions. A click goes there"
    )
    low, high = (float(word) for word in words.split(" µm")[0].removeprefix("Depth ").split(" to "))
    assert low < 100 < high
    for where, shape in (
        (whole.place_of(10), QtCore.Qt.PointingHandCursor),
        (QtCore.QPointF(10, whole.y_of(2000.0)), QtCore.Qt.ArrowCursor),
    ):
        move = QtGui.QMouseEvent(
            QtCore.QEvent.MouseMove, where, QtCore.Qt.NoButton, QtCore.Qt.NoButton, QtCore.Qt.NoModifier
        )
        whole.mouseMoveEvent(move)
        assert whole.cursor().shape() == shape


def test_another_question_brings_the_map_back(panel, workspace, screen) -> None:
    screen.click(panel.whole, QtCore.QPointF(10, panel.whole.y_of(2000.0)))
    workspace.show_component(1)
    screen.settle()
    assert panel.map.rect().contains(panel.map.place_of(300))


def test_dragging_moves_the_slice(panel, qtbot, screen) -> None:
    start = QtCore.QPoint(10, round(panel.whole.y_of(2000.0)))
    qtbot.mousePress(panel.whole, QtCore.Qt.LeftButton, pos=start)
    for depth in (2200.0, 2400.0):
        where = QtCore.QPointF(10, panel.whole.y_of(depth))
        event = QtGui.QMouseEvent(
            QtCore.QEvent.MouseMove, where, QtCore.Qt.LeftButton, QtCore.Qt.LeftButton, QtCore.Qt.NoModifier
        )
        panel.whole.mouseMoveEvent(event)
    screen.settle()
    assert sum(panel.whole.seen_um) / 2 == pytest.approx(2400, abs=20)


@pytest.mark.parametrize("n_contacts", [192, 384])
def test_shanks_are_side_by_side(show, workspace, small_project, screen, n_contacts: int) -> None:
    probe = long_probe(n_contacts, 4)
    workspace.state.open(on_long_probe(small_project, probe, 2, n_contacts - 1))
    panel = show(ProbeMapPanel, 230, 180)
    assert panel.whole.isVisible()
    lefts = [panel.whole.column(shank).left() for shank in range(4)]
    assert lefts == sorted(lefts)
    assert panel.whole.column(2).contains(panel.whole.place_of(2))
    assert panel.whole.column(3).contains(panel.whole.place_of(n_contacts - 1))
    assert ", shank 2: 5 spikes a second, 2 units" in panel.map.view.whole.words(2, -10, 10)
    screen.click(panel.whole, panel.whole.place_of(n_contacts - 1))
    assert workspace.component_id == 1


def test_shanks_are_in_the_order_in_which_they_lie(small_project, workspace) -> None:
    probe = long_probe(192, 2)
    swapped = Probe(probe.positions_um * [-1, 1], probe.shank)
    workspace.state.open(on_long_probe(small_project, swapped, 0, 1))
    whole = present_probe_map(workspace).whole
    assert whole.shank_names == (1, 0)
    assert whole.shank[[0, 1]].tolist() == [1, 0]


def test_a_probe_that_lies_is_told_by_its_longer_axis(show, workspace, small_project) -> None:
    probe = long_probe(384)
    lying = Probe(probe.positions_um[:, ::-1], probe.shank)
    workspace.state.open(on_long_probe(small_project, lying, 10, 300))
    panel = show(ProbeMapPanel, 230, 300)
    assert panel.whole.isVisible()
    low, high = panel.whole.seen_um
    assert low < 100 < high
    assert high - low == pytest.approx(panel.map.width() / panel.map._transform()[0])


def test_a_probe_that_is_seen_whole_and_a_wide_array_have_none(show, workspace, small_project) -> None:
    panel = show(ProbeMapPanel, 230, 300)
    assert not panel.whole.isVisible()
    grid = np.stack(np.meshgrid(np.arange(40.0), np.arange(40.0)), axis=-1).reshape(-1, 2) * 17
    workspace.state.open(on_long_probe(small_project, Probe(grid), 10, 300))
    panel = show(ProbeMapPanel, 230, 200)
    assert panel.map.is_slice
    assert not panel.whole.isVisible()
    workspace.state.close()
    panel.redraw_now()
    assert not panel.whole.isVisible()


def test_both_themes_have_their_own_ground(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    assert DARK.sunken.lower() in screen.colors(panel.whole)
