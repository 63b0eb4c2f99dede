"""The window as a person meets it: start page, keys, menus, messages, look, leaving."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.actions import ACTIONS
from ncpgui.app.words import sentence
from ncpgui.core.errors import RecordingError, SessionError
from ncpgui.gui.dialogs.export import ExportDialog
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.theme import DARK, LIGHT
from ncpgui.gui.workbench import LAYOUTS
from ncpgui.session.journal import Journal
from ncpgui.session.session_file import SessionFile, create_session, open_session
from tests.ephys import hostile
from tests.gui.windows import drop_file, press_keys, redraws, settle, shown_window
from tests.synthetic_project import synthetic_project

Qt = QtCore.Qt


def test_an_empty_window_says_how_to_begin(window: MainWindow) -> None:
    assert window.pages.currentWidget() is window.start
    words = ["Open recording…", "Open session…", "Review a sorting…", "Try the demo"]
    assert [button.text() for button in window.start.buttons] == words
    assert window.windowTitle() == "ncpgui"
    assert not window.actions_["export"].isEnabled()


def test_a_session_opens_at_its_most_ambiguous_component(opened: MainWindow) -> None:
    workspace = opened.workspace
    assert opened.pages.currentWidget() is opened.bench
    assert workspace.component_id == workspace.questions.queue_order()[0]
    assert opened.bench.alternatives.headline.text() == sentence(
        workspace.state.units_of(workspace.component_id)
    )
    assert "array.h5" in opened.windowTitle()


def test_the_cards_show_the_probability_of_each_sorting(opened: MainWindow) -> None:
    component = opened.workspace.component()
    cards = [card.card for card in opened.bench.alternatives.cards]
    assert [card.mass for card in cards] == [a.mass for a in component.alternatives]
    assert len({len(card.units) for card in cards}) > 1


def test_a_digit_previews_a_sorting_and_enter_uses_it(qtbot, opened: MainWindow) -> None:
    workspace = opened.workspace
    before = workspace.current()
    press_keys(qtbot, opened, "2")
    assert workspace.preview == 1
    assert opened.bench.alternatives.cards[1].card.is_shown
    press_keys(qtbot, opened, "Return")
    assert workspace.preview is None
    assert workspace.present_alternative() == 1
    assert len(workspace.current().units) == len(workspace.component().alternatives[1].p_exists)
    press_keys(qtbot, opened, "Ctrl+Z")
    assert [u.unit for u in workspace.current().units] == [u.unit for u in before.units]


def test_g_merges_the_selected_units_and_undo_and_redo_go_both_ways(qtbot, opened: MainWindow) -> None:
    workspace = opened.workspace
    n_units = len(workspace.current().units)
    press_keys(qtbot, opened, "Ctrl+A")
    assert len(workspace.selected) == n_units
    press_keys(qtbot, opened, "G")
    assert len(workspace.current().units) == 1
    opened.actions_.refresh()
    assert opened.actions_["undo"].text().startswith("Undo merge ")
    press_keys(qtbot, opened, "Ctrl+Z")
    assert len(workspace.current().units) == n_units
    press_keys(qtbot, opened, "Ctrl+Shift+Z")
    assert len(workspace.current().units) == 1


def test_an_impossible_edit_is_explained_and_changes_nothing(qtbot, opened: MainWindow) -> None:
    workspace = opened.workspace
    press_keys(qtbot, opened, "Ctrl+A")
    press_keys(qtbot, opened, "Y")
    before = workspace.state.clustering.unit_of_spike.copy()
    press_keys(qtbot, opened, "R")
    assert "all is decided" in opened.statusBar().currentMessage()
    assert (workspace.state.clustering.unit_of_spike == before).all()


def test_space_goes_to_the_next_in_queue_that_is_not_settled(qtbot, opened: MainWindow) -> None:
    order = opened.workspace.questions.queue_order()
    press_keys(qtbot, opened, "Space")
    assert opened.workspace.component_id == order[1]
    press_keys(qtbot, opened, "Shift+Space")
    assert opened.workspace.component_id == order[0]


def test_every_key_of_the_list_works_from_wherever_the_focus_is(opened: MainWindow) -> None:
    for item in ACTIONS:
        shown = [s for action in opened.actions_._made[item.id] for s in action.shortcuts()]
        assert [QtGui.QKeySequence(k) for k in item.keys] == shown, item.id
    assert opened.bench.units.table.focusPolicy() == Qt.NoFocus


def test_what_is_not_possible_now_is_grey(opened: MainWindow) -> None:
    opened.actions_.refresh()
    assert not opened.actions_["merge"].isEnabled()
    assert not opened.actions_["undo"].isEnabled()
    opened.workspace.select([u.unit for u in opened.workspace.current().units])
    opened.actions_.refresh()
    assert opened.actions_["merge"].isEnabled()


@pytest.mark.parametrize(("theme", "colour"), [("light", LIGHT.window), ("dark", DARK.window)])
def test_the_theme_colours_the_whole_window(opened: MainWindow, theme: str, colour: str) -> None:
    if opened.theme.name != theme:
        opened.toggle_theme()
    QtWidgets.QApplication.processEvents()
    picture = opened.grab().toImage()
    assert picture.pixelColor(picture.width() // 2, 3).name() == QtGui.QColor(colour).name()
    panel = opened.bench.waveforms
    corner = panel.mapTo(opened, QtCore.QPoint(panel.width() // 2, 4))
    wanted = (DARK if theme == "dark" else LIGHT).panel
    assert picture.pixelColor(corner).name() == QtGui.QColor(wanted).name()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_panels_have_something_to_look_at(opened: MainWindow, layout: str) -> None:
    opened.bench.show_layout(layout)
    for _ in range(3):
        QtWidgets.QApplication.processEvents()
    shown = [name for name, panel in opened.bench.by_name.items() if panel.isVisible()]
    assert shown == [*opened.bench.shown]
    assert {*LAYOUTS[layout]} <= {*shown}
    for panel in map(opened.bench.by_name.__getitem__, shown):
        image = panel.grab().toImage()
        colours = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
        assert len(colours) > 12, type(panel).__name__


def test_without_a_stimulus_the_embedding_has_the_place_of_receptive_fields(
    window: MainWindow, tmp_path: Path
) -> None:
    create_session(synthetic_project(with_stimulus=False), tmp_path / "dark.h5").close()
    window.open_path(tmp_path / "dark.h5")
    assert not window.bench.fields.isVisible()


def test_a_damaged_session_is_refused_and_left_alone(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "damaged.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + b"rubbish" * 20)
    before = path.read_bytes()
    window.open_path(path)
    assert window.banner.isVisible()
    assert "damaged.h5" in window.banner.text.text()
    assert window.pages.currentWidget() is window.start
    assert path.read_bytes() == before


def test_an_error_nobody_expected_says_that_the_work_is_safe(window: MainWindow) -> None:
    window.show_error(ZeroDivisionError("division by zero"), "sampling channel 3")
    text = window.banner.text.text()
    assert "While sampling channel 3" in text
    assert "Your work is safe" in text
    window.banner.close_button.click()
    assert not window.banner.isVisible()


def test_a_known_error_is_told_in_its_own_words(window: MainWindow) -> None:
    window.show_error(RecordingError("the file is truncated; copy it again"))
    assert window.banner.text.text() == "The file is truncated; copy it again"


def test_an_action_that_no_file_could_take_is_warned_of_until_a_save_takes_it(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(Journal, "append", _refuse)
        full.setattr(SessionFile, "save", _refuse)
        opened.workspace.label((0,), "good")
        assert "disk full" in opened.banner.text.text()
        assert opened.banner.isVisible()
        assert not opened.banner.action_button.isVisible()
    opened.controller.save()
    settle()
    assert not opened.banner.isVisible()


def _refuse(*_: object, **__: object) -> None:
    raise SessionError("disk full")


def test_a_session_that_another_program_has_open_can_be_opened_read_only(
    window: MainWindow, session: Path
) -> None:
    with open_session(session):
        window.open_path(session)
        assert window.pages.currentWidget() is window.start
        assert "open the session read-only" in window.banner.text.text()
        assert window.banner.action_button.text() == "Open read-only"
        window.banner.action_button.click()
        assert window.pages.currentWidget() is window.bench
        assert not window.banner.isVisible()
        assert window.windowTitle() == "array.h5 (read-only)[*] – ncpgui"
        assert not window.isWindowModified()
    window.show_error(RecordingError("something else"))
    assert not window.banner.action_button.isVisible()


def test_export_asks_for_format_and_place_and_writes(opened: MainWindow, tmp_path: Path, monkeypatch) -> None:
    def choose(dialog: ExportDialog) -> int:
        dialog.choices["npz"].setChecked(True)
        assert dialog.place.text().endswith("array.npz")
        dialog.place.setText(str(tmp_path / "out.npz"))
        return QtWidgets.QDialog.Accepted

    monkeypatch.setattr(ExportDialog, "exec_", choose)
    opened.actions_["export"].trigger()
    assert (tmp_path / "out.npz").is_file()
    assert "out.npz" in opened.statusBar().currentMessage()


@pytest.mark.parametrize("yes", [False, True])
def test_an_export_replaces_files_only_if_that_was_answered_with_yes(
    opened: MainWindow, tmp_path: Path, monkeypatch, yes: bool
) -> None:
    asked: list[str] = []

    def choose(dialog: ExportDialog) -> int:
        dialog.choices["csv"].setChecked(True)
        dialog.place.setText(str(tmp_path / "out.csv"))
        return QtWidgets.QDialog.Accepted

    monkeypatch.setattr(ExportDialog, "exec_", choose)
    monkeypatch.setattr(MainWindow, "confirm", lambda _, question: asked.append(question.text) or yes)
    (tmp_path / "out_units.csv").write_text("somebody's")
    opened.actions_["export"].trigger()
    assert asked == ["out_units.csv exists already. Replace it?"]
    assert ((tmp_path / "out_units.csv").read_text() == "somebody's") != yes
    assert (tmp_path / "out.csv").is_file() == yes


def test_doubtful_spikes_are_left_out_as_on_the_command_line(
    qtbot, opened: MainWindow, tmp_path: Path, monkeypatch
) -> None:
    """All spikes at first; with a least probability of 0.9 those that are as sure as that."""
    values = iter((0.0, 0.9))

    def choose(dialog: ExportDialog) -> int:
        dialog.choices["npz"].setChecked(True)
        least = next(values)
        dialog.min_probability.setValue(least)
        dialog.place.setText(str(tmp_path / f"{least}.npz"))
        return QtWidgets.QDialog.Accepted

    monkeypatch.setattr(ExportDialog, "exec_", choose)
    for _ in range(2):
        opened.actions_["export"].trigger()
    everything, sure = (np.load(tmp_path / name)["spike_probability"] for name in ("0.0.npz", "0.9.npz"))
    assert everything.min() < 0.9 <= sure.min()
    assert len(sure) == (everything >= np.float32(0.9)).sum()


def test_an_export_that_cannot_be_written_is_told_and_the_window_stays(
    opened: MainWindow, tmp_path: Path, monkeypatch
) -> None:
    def choose(dialog: ExportDialog) -> int:
        dialog.choices["csv"].setChecked(True)
        dialog.place.setText(str(tmp_path / "array.h5" / "out.csv"))
        return QtWidgets.QDialog.Accepted

    monkeypatch.setattr(ExportDialog, "exec_", choose)
    opened.actions_["export"].trigger()
    assert opened.banner.isVisible()
    assert opened.workspace.state.project is not None


def test_a_dropped_session_opens(qtbot, window: MainWindow, session: Path) -> None:
    drop_file(window, session)
    qtbot.waitUntil(lambda: window.workspace.state.project is not None)


@pytest.mark.parametrize("kind", hostile.KINDS)
def test_a_dropped_recording_whose_class_is_a_program_is_not_run(
    qtbot, window: MainWindow, tmp_path: Path, kind: str
) -> None:
    drop_file(window, hostile.KINDS[kind](tmp_path, hostile.program(tmp_path / "was run")))
    qtbot.waitUntil(window.banner.isVisible)
    assert "names 'subprocess.run', which is not a recording or sorting" in window.banner.text.text()
    assert not (tmp_path / "was run").exists()


def test_what_was_done_is_there_again_after_closing_without_saving(
    qtbot, opened: MainWindow, session: Path
) -> None:
    press_keys(qtbot, opened, "Ctrl+A")
    press_keys(qtbot, opened, "G")
    merged = opened.workspace.state.clustering.unit_of_spike.copy()
    opened.actions_["close"].trigger()
    assert opened.pages.currentWidget() is opened.start
    assert str(session) in opened.preferences.recent
    opened.open_path(session)
    assert (opened.workspace.state.clustering.unit_of_spike == merged).all()
    assert opened.workspace.state.history.can_undo


def test_the_layout_is_remembered(qtbot, tmp_path: Path, session: Path) -> None:
    with shown_window(qtbot, tmp_path) as first:
        first.open_path(session)
        first.bench.splitters["all"].setSizes([330, 900])
        width = first.bench.splitters["all"].sizes()[0]
    with shown_window(qtbot, tmp_path) as second:
        second.open_path(session)
        assert abs(second.bench.splitters["all"].sizes()[0] - width) <= 2


def test_the_view_menu_shows_and_hides_panels(opened: MainWindow) -> None:
    opened.panels_menu.aboutToShow.emit()
    entries = {entry.text(): entry for entry in opened.panels_menu.actions()}
    assert [name for name, entry in entries.items() if entry.isChecked()] == [
        "Probe", "Queue", "Cards", "Waveforms", "Embedding", "Receptive fields", "Units", "Correlograms",
    ]  # fmt: skip
    width = opened.bench.waveforms.width()
    entries["Over time"].trigger()
    assert opened.bench.amplitudes.isVisible()
    for name in ("Embedding", "Receptive fields", "Units", "Correlograms", "Over time"):
        opened.panels_menu.aboutToShow.emit()
        next(entry for entry in opened.panels_menu.actions() if entry.text() == name).trigger()
    QtWidgets.QApplication.processEvents()
    assert not opened.bench.embedding.isVisible()
    assert opened.bench.waveforms.width() > 1.8 * width


def test_the_panels_on_screen_are_remembered(qtbot, tmp_path: Path, session: Path) -> None:
    with shown_window(qtbot, tmp_path) as first:
        first.open_path(session)
        press_keys(qtbot, first, "F3")
        first.bench.show_panel("units", True)
        shown = first.bench.shown
        QtWidgets.QApplication.processEvents()
    with shown_window(qtbot, tmp_path) as second:
        second.open_path(session)
        assert second.bench.shown == shown
        assert second.bench.units.isVisible()
        assert second.bench.correlograms.isVisible()
        assert not second.bench.embedding.isVisible()


def other_component(window: MainWindow) -> int:
    """One that is sampled and not on screen."""
    workspace = window.workspace
    known = [k for k in workspace.state.components.ids if workspace.component(k) is not None]
    return next(k for k in known if k != workspace.component_id)


def test_a_component_without_evidence_on_screen_costs_nothing(opened: MainWindow) -> None:
    asked: list[str] = []
    opened.controller.arrived.connect(asked.append)
    opened.bench.show_panel("correlograms", False)
    opened.workspace.show_component(other_component(opened))
    settle()
    assert opened.controller.data.embedding() is not None
    assert "t-SNE" in asked
    assert "correlograms" not in asked
    opened.bench.show_layout("inspect")
    opened.workspace.show_component(other_component(opened))
    settle()
    assert "correlograms" in asked
    assert opened.controller.data.embedding() is None
    opened.bench.show_layout("decide")
    settle()
    assert opened.controller.data.embedding() is not None


def test_the_key_page_lists_every_action(opened: MainWindow) -> None:
    opened.actions_["help"].trigger()
    text = opened.commands.page.page.toPlainText()
    assert all(item.name.rstrip("…") in text for item in ACTIONS)
    opened.commands.page.close()


CONTROLS = (
    QtWidgets.QAbstractButton,
    QtWidgets.QLineEdit,
    QtWidgets.QComboBox,
    QtWidgets.QTableView,
    QtWidgets.QListView,
)


def heard(widget: QtWidgets.QWidget) -> str:
    """What a screen reader says of a control."""
    own = widget.accessibleName() or widget.toolTip()
    if isinstance(widget, QtWidgets.QAbstractButton):
        return own or widget.text()
    return own or (widget.placeholderText() if isinstance(widget, QtWidgets.QLineEdit) else "")


def test_every_control_can_be_read_by_a_screen_reader(opened: MainWindow) -> None:
    for card in opened.bench.alternatives.cards:
        assert "%" in card.accessibleName()
        assert "unit" in card.accessibleName()
    controls = [
        widget
        for widget in opened.findChildren(QtWidgets.QWidget)
        if widget.isVisible() and isinstance(widget, CONTROLS)
    ]
    assert len(controls) > 12
    unnamed = [f"{type(one).__name__} of {type(one.parent()).__name__}" for one in controls if not heard(one)]
    assert unnamed == []


def test_a_panel_that_fails_says_so_and_the_others_go_on(
    qtbot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding, waveforms = opened.bench.embedding, opened.bench.waveforms

    def broken() -> None:
        raise ZeroDivisionError("no points")

    with monkeypatch.context() as patch, qtbot.captureExceptions() as raised:
        patch.setattr(embedding, "redraw", broken)
        drawn = redraws(waveforms)
        workspace = opened.workspace
        workspace.show_component(other_component(opened))
        settle()
    assert {kind for kind, _, _ in raised} == {ZeroDivisionError}
    assert embedding.failure.isVisible()
    assert "cannot be drawn: ZeroDivisionError: no points\nNothing is lost" in embedding.failure.text()
    below = embedding.header.geometry().bottom() + 1
    covered = embedding.rect().adjusted(1, below, -1, -1)
    assert embedding.failure.geometry() == covered, "all but the title, inside the border"
    assert drawn
    assert not waveforms.failure.isVisible()
    embedding.mark_dirty()
    settle()
    assert not embedding.failure.isVisible()


def test_pages_menus_and_dialogs_that_were_closed_are_gone(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in (ExportDialog, OpenRecordingDialog, QtWidgets.QMessageBox):
        monkeypatch.setattr(kind, "exec_", lambda dialog: QtWidgets.QDialog.Rejected)
    n_widgets = []
    for _ in range(3):
        opened.commands.show_keys()
        opened.commands.page.close()
        for menu in (opened.bench.units.columns_menu(), opened.bench.panel_menu("units")):
            menu.popup(QtCore.QPoint(0, 0))
            menu.close()
        opened.ask_export()
        opened.ask_open()
        opened.show_about()
        settle(deleted=True)
        n_widgets.append(len(QtWidgets.QApplication.allWidgets()))
    assert n_widgets[0] == n_widgets[2]


@pytest.mark.parametrize(
    "name",
    ["all_units", "similar", "similarity", "intervals", "arrangement", "means", "other_fields", "inspect"],
)
def test_what_can_be_on_in_view_has_a_check_mark(opened: MainWindow, name: str) -> None:
    entry = opened.actions_[name]
    before = entry.isChecked()
    entry.trigger()
    assert entry.isChecked() is not before
    assert entry.isCheckable()


def test_check_marks_follow_what_was_done_without_the_menu(opened: MainWindow) -> None:
    assert opened.actions_["decide"].isChecked()
    opened.bench.show_panel("similar", True)
    view = next(entry.menu() for entry in opened.menuBar().actions() if entry.text() == "View")
    view.aboutToShow.emit()
    assert opened.actions_["similar"].isChecked()
