"""The palette, the line for snippets and the page of keys, by the keyboard and with the real window."""

from __future__ import annotations

from itertools import product
from operator import attrgetter
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.action import On
from ncpgui.app.actions import ACTIONS
from ncpgui.app.keymap import OWN_KEYS
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.theme import DARK, LIGHT
from tests.gui.painted_text import collisions, painted_texts
from tests.gui.windows import press_keys, settle, shown_window

Qt = QtCore.Qt


@pytest.fixture
def window(array_window: MainWindow) -> MainWindow:
    return array_window


def write(qtbot, window: MainWindow, text: str) -> None:
    qtbot.keyClicks(window.focusWidget(), text)
    settle()


def listed(window: MainWindow) -> list[str]:
    return [entry.name for entry in window.commands.palette.model.rows]


# -- palette ------------------------------------------------------------------------------------


def test_ctrl_k_finds_an_action_by_some_letters_and_enter_does_it(qtbot, window) -> None:
    press_keys(qtbot, window, "Ctrl+K")
    assert window.commands.palette.isVisible()
    write(qtbot, window, "inspect")
    assert listed(window)[0] == "Layout: inspect"
    press_keys(qtbot, window, "Return")
    assert not window.commands.palette.isVisible()
    assert window.bench.correlograms.isVisible()


def test_keys_go_to_the_palette_while_it_is_open_and_to_actions_after_it(qtbot, window) -> None:
    units = window.workspace.current().units
    window.workspace.select([unit.unit for unit in units])
    press_keys(qtbot, window, "Ctrl+K", "G", "1", "Space", "Ctrl+A", "]", "Escape")
    assert window.workspace.state.history.entries == ()
    assert window.workspace.preview is None
    assert len(window.workspace.selected) == len(units)  # Esc closed the palette and did no more
    assert not window.commands.palette.isVisible()
    press_keys(qtbot, window, "G")
    assert window.workspace.state.history.entries[0]["do"] == "merge"


def test_what_is_not_allowed_is_grey_says_why_and_stays(qtbot, window) -> None:
    press_keys(qtbot, window, "Ctrl+K")
    write(qtbot, window, "merge")
    palette = window.commands.palette
    entry = palette.model.rows[palette.view.currentIndex().row()]
    assert (entry.name, entry.reason) == ("Merge", "fewer than two units are selected")
    texts = [text.words for text in painted_texts(palette.view.viewport())]
    assert texts[:3] == ["Merge", "G", "Fewer than two units are selected"]
    press_keys(qtbot, window, "Enter")
    assert palette.isVisible()
    assert window.workspace.state.history.entries == ()


def test_arrows_choose_among_what_was_found(qtbot, window) -> None:
    press_keys(qtbot, window, "Ctrl+K")
    write(qtbot, window, "label")
    chosen = window.commands.palette.view.currentIndex
    first, second = listed(window)[:2]
    press_keys(qtbot, window, "Down")
    assert chosen().data() == second
    press_keys(qtbot, window, "Up", "Up")
    assert chosen().data() == first
    write(qtbot, window, "zzz")
    assert listed(window) == []
    assert window.commands.palette.note.isVisible()
    press_keys(qtbot, window, "Enter", "Down")
    assert window.commands.palette.isVisible()


def test_a_number_goes_to_a_unit_and_a_click_chooses_too(qtbot, window) -> None:
    workspace = window.workspace
    other = workspace.questions.queue_order()[1]
    unit = int(workspace.state.unit_names(other)[0])
    press_keys(qtbot, window, "Ctrl+K")
    write(qtbot, window, str(unit))
    view = window.commands.palette.view
    place = view.visualRect(view.model().index(0, 0)).center()
    qtbot.mouseClick(view.viewport(), Qt.LeftButton, pos=place)
    settle()
    assert workspace.component_id == other
    assert workspace.selected == (unit,)
    assert not window.commands.palette.isVisible()


def test_an_action_that_fails_is_explained_in_the_line_at_the_bottom(qtbot, window) -> None:
    window.workspace.select([unit.unit for unit in window.workspace.current().units])
    press_keys(qtbot, window, "Y", "Ctrl+K")
    write(qtbot, window, "resample the rest")
    press_keys(qtbot, window, "Enter")
    assert "all is decided, nothing is left to sample" in window.status.currentMessage()


def test_the_palette_is_whole_on_every_screen(qtbot, window) -> None:
    palette = window.commands.palette
    for theme, size in product([LIGHT, DARK], [(960, 600), (1280, 800), (1920, 1200)]):
        window.resize(*size)
        if window.theme is not theme:
            window.toggle_theme()
        press_keys(qtbot, window, "Ctrl+K")
        assert window.rect().contains(palette.geometry()), size
        texts = painted_texts(palette.view.viewport())
        assert len(texts) > 12
        assert collisions(texts) == [], (size, theme.name)
        picture = window.grab().toImage()
        corner = palette.geometry().center().x(), palette.geometry().top() + 5
        assert picture.pixelColor(*corner).name() == QtGui.QColor(theme.panel).name()
        press_keys(qtbot, window, "Escape")


# -- snippets -----------------------------------------------------------------------------------


def test_a_colon_opens_a_line_and_enter_does_what_it_says(qtbot, window) -> None:
    units = [unit.unit for unit in window.workspace.current().units]
    press_keys(qtbot, window, ":")
    assert window.commands.snippets.isVisible()
    write(qtbot, window, f"c {units[1]} {units[0]}")
    press_keys(qtbot, window, "Return")
    assert window.workspace.selected == (units[1], units[0])
    assert not window.commands.snippets.isVisible()
    press_keys(qtbot, window, ":")
    write(qtbot, window, "g")
    press_keys(qtbot, window, "Return")
    assert window.workspace.state.history.entries[0]["do"] == "merge"
    press_keys(qtbot, window, ":")
    write(qtbot, window, "l good")
    press_keys(qtbot, window, "Return")
    assert window.workspace.state.history.labels.label(window.workspace.selected[0]) == "good"


def test_what_a_snippet_cannot_do_is_said_in_the_line_which_stays(qtbot, window) -> None:
    press_keys(qtbot, window, ":")
    line = window.commands.snippets
    write(qtbot, window, "c 12345")
    press_keys(qtbot, window, "Return")
    assert line.isVisible()
    assert line.problem.isVisible()
    assert line.problem.text() == "There is no unit 12345"
    write(qtbot, window, "q")  # in place of what was there, which is selected
    assert line.line.text() == "q"
    press_keys(qtbot, window, "Return")
    assert "there is no snippet 'q'" in line.problem.text().lower()
    press_keys(qtbot, window, "Escape")
    assert not line.isVisible()
    press_keys(qtbot, window, ":")
    assert not line.problem.isVisible()


def test_s_sorts_the_table_by_a_column_and_says_which_there_are(qtbot, window) -> None:
    table = window.bench.units.table

    def shown() -> list[str]:
        return [table.model().index(row, 0).data() for row in range(table.model().rowCount())]

    press_keys(qtbot, window, ":")
    write(qtbot, window, "s unit desc")
    press_keys(qtbot, window, "Return")
    assert shown() == sorted(shown(), key=int, reverse=True)
    press_keys(qtbot, window, ":")
    write(qtbot, window, "s unit")
    press_keys(qtbot, window, "Return")
    assert shown() == sorted(shown(), key=int)
    press_keys(qtbot, window, ":")
    write(qtbot, window, "s charm")
    press_keys(qtbot, window, "Return")
    assert (
        "There is no column 'charm'; there are unit, id there, label"
        in window.commands.snippets.problem.text()
    )


def test_arrows_bring_back_lines_before(qtbot, window) -> None:
    for text in ("s unit", "s snr"):
        press_keys(qtbot, window, ":")
        write(qtbot, window, text)
        press_keys(qtbot, window, "Return")
    press_keys(qtbot, window, ":", "Up")
    line = window.commands.snippets.line
    assert line.text() == "s snr"
    press_keys(qtbot, window, "Up", "Up")
    assert line.text() == "s unit"
    press_keys(qtbot, window, "Down", "Down")
    assert line.text() == ""


# -- keys ---------------------------------------------------------------------------------------


def test_the_keymap_of_spikeinterface_gui_is_chosen_on_the_page_of_keys(qtbot, window) -> None:
    units = [unit.unit for unit in window.workspace.current().units]
    press_keys(qtbot, window, "H")
    page = window.commands.page
    assert page.isVisible()
    page.choice.setCurrentText("spikeinterface-gui")
    page.choice.textActivated.emit("spikeinterface-gui")
    assert "Ctrl+M Merge" in " ".join(page.page.toPlainText().split())
    page.close()
    QtWidgets.QApplication.setActiveWindow(window)
    window.workspace.select(units)
    settle()
    press_keys(qtbot, window, "G")
    assert window.workspace.state.history.labels.label(units[0]) == "good"
    assert all(unit in window.workspace.state.clustering for unit in units)
    press_keys(qtbot, window, "Ctrl+M")
    assert len(window.workspace.selected) == 1
    assert window.preferences.get("keymap") == "spikeinterface-gui"


def test_own_keys_are_read_at_the_start_and_told_where_keys_are_told(qtbot, tmp_path, array_project) -> None:
    folder = tmp_path / "preferences"
    folder.mkdir()
    (folder / OWN_KEYS).write_text('[keys]\ninspect = ["B", "Ctrl+B"]\nfrob = "C"\n', encoding="utf-8")
    with shown_window(qtbot, tmp_path) as window:
        assert "there is no action 'frob'" in window.banner.text.text()
        window.workspace.state.open(array_project)
        settle()
        press_keys(qtbot, window, "B")
        assert window.bench.correlograms.isVisible()
        assert "(B · Ctrl+B)" in window.actions_["inspect"].toolTip()
        window.banner.action_button.click()
        text = " ".join(window.commands.page.page.toPlainText().split())
        assert "B · Ctrl+B Layout: inspect" in text
        assert "there is no action 'frob'" in text
        (folder / OWN_KEYS).write_text('[keys]\ninspect = "B"\n', encoding="utf-8")
        window.commands.page.again.click()
        assert "frob" not in window.commands.page.page.toPlainText()
        assert [key.toString() for key in window.actions_["inspect"].shortcuts()] == ["B"]
        window.commands.page.close()


def test_more_keys_for_alternatives_than_digits_go_on_counting(qtbot, tmp_path, array_project) -> None:
    folder = tmp_path / "preferences"
    folder.mkdir()
    (folder / OWN_KEYS).write_text('[keys]\nnumber = ["F5", "F6"]\n', encoding="utf-8")
    with shown_window(qtbot, tmp_path) as window:
        window.workspace.state.open(array_project)
        settle()
        press_keys(qtbot, window, "F6")
        assert window.workspace.preview == 1
        press_keys(qtbot, window, "F5")
        assert window.workspace.preview is None
        press_keys(qtbot, window, "2")  # no key any more
        assert window.workspace.preview is None


def test_own_keys_open_as_a_file_that_lists_every_action(qtbot, window, monkeypatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QtGui.QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    press_keys(qtbot, window, "H")
    window.commands.page.own.click()
    assert opened == [str(window.preferences.folder / OWN_KEYS)]
    assert '# merge = "G"' in Path(opened[0]).read_text(encoding="utf-8")
    window.commands.page.close()


def test_the_page_of_keys_finds_what_is_searched_for(window: MainWindow) -> None:
    window.commands.show_keys()
    page = window.commands.page
    assert page is not None
    page.search.setText("merge NEVER")
    shown = page.page.toPlainText()
    assert "Never merge" in shown
    assert "Undo" not in shown
    assert "Mouse" not in shown, "a heading without rows is left out"
    page.search.setText("bananas")
    assert page.page.toPlainText().strip() == "Nothing has 'bananas' in it."
    page.search.clear()
    assert "Undo" in page.page.toPlainText()
    page.close()


def test_an_action_on_a_part_of_the_window_names_what_the_part_can_do(window: MainWindow) -> None:
    on_parts = [item.run for item in ACTIONS if isinstance(item.run, On)]
    assert len(on_parts) > 15
    for run in on_parts:
        assert callable(attrgetter(run.do)(window.part(run.part))), run


def test_a_panel_that_is_needed_for_an_action_is_put_on_screen(window: MainWindow) -> None:
    window.bench.show_panel("traces", False)
    window.bench.show_panel("units", False)
    assert window.part("traces") is window.bench.traces
    assert not window.bench.traces.isVisible()
    window.actions_["next_spike"].trigger()
    window.actions_["filter"].trigger()
    assert window.bench.traces.isVisible()
    assert window.bench.units.isVisible()
