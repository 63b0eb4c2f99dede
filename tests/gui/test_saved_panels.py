"""Panels as pictures: PNG as on the screen, SVG of lines and words; what cannot be written is said."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.core.errors import ExportError
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.saved_panel import save_panel
from tests.gui.windows import settle

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def window(array_window: MainWindow) -> MainWindow:
    return array_window


def choose(monkeypatch, path: Path, kind: str = "PNG (*.png)") -> None:
    monkeypatch.setattr(QtWidgets.QFileDialog, "getSaveFileName", lambda *_: (str(path), kind))


def texts(path: Path) -> str:
    tree = ElementTree.parse(path)
    return " ".join("".join(node.itertext()) for node in tree.iter(f"{SVG}text"))


def menu_entries(menu: QtWidgets.QMenu) -> dict[str, QtWidgets.QAction]:
    return {entry.text(): entry for entry in menu.actions()}


def test_a_right_click_on_its_title_saves_a_panel_as_it_is_on_screen(window, tmp_path, monkeypatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QtWidgets.QMenu, "popup", lambda menu, _: asked.extend(menu_entries(menu)))
    label = window.bench.units.title_label
    place = QtGui.QContextMenuEvent(QtGui.QContextMenuEvent.Mouse, QtCore.QPoint(3, 3))
    QtWidgets.QApplication.sendEvent(label, place)
    assert asked == ["Save as PNG or SVG…", "Give it a window of its own", "Hide"]
    choose(monkeypatch, tmp_path / "units")
    menu_entries(window.bench.panel_menu("units"))["Save as PNG or SVG…"].trigger()
    picture = QtGui.QImage(str(tmp_path / "units.png"))
    assert picture.size() == window.bench.units.size() * window.devicePixelRatioF()
    assert picture == window.bench.units.grab().toImage().convertToFormat(picture.format())
    assert window.status.currentMessage() == "Saved units.png"


def test_the_menu_of_a_panel_hides_it_and_gives_it_a_window(window) -> None:
    menu_entries(window.bench.panel_menu("units"))["Give it a window of its own"].trigger()
    assert window.bench.units.window() is not window
    menu_entries(window.bench.panel_menu("units"))["Put back into the window"].trigger()
    assert window.bench.units.window() is window
    menu_entries(window.bench.panel_menu("units"))["Hide"].trigger()
    assert not window.bench.units.isVisible()


WORDS = {
    "decide": {
        "waveforms": "Waveforms", "embedding": "Embedding", "units": "SNR", "fields": "Receptive fields",
        "cards": "%",
    },
    "inspect": {"correlograms": "Correlograms", "features": "Features", "over time": "Over time"},
}  # fmt: skip


@pytest.mark.parametrize("layout", WORDS)
def test_an_svg_has_the_words_and_shapes_of_a_panel(window, tmp_path, monkeypatch, layout: str) -> None:
    window.bench.show_layout(layout)
    settle()
    for name, words in WORDS[layout].items():
        path = tmp_path / f"{name}.svg"
        choose(monkeypatch, path, "SVG (*.svg)")
        window.pictures_menu.aboutToShow.emit()
        menu_entries(window.pictures_menu)[f"{window.bench.title_of(name)}…"].trigger()
        assert words in texts(path), name
        tree = ElementTree.parse(path)
        panel = window.bench.by_name[name]
        size = ["0", "0", str(panel.width()), str(panel.height())]
        assert tree.getroot().get("viewBox").split() == size, name
        if name == "fields":
            continue  # they are pictures
        pictures = [float(node.get("width")) * float(node.get("height")) for node in tree.iter(f"{SVG}image")]
        assert sum(pictures) < 0.02 * panel.width() * panel.height(), name  # arrows of buttons


def test_points_of_a_plot_are_shapes_in_an_svg_and_as_before_on_screen(window, tmp_path) -> None:
    window.bench.show_layout("inspect")
    settle()
    panel = window.bench.features
    before = panel.grab().toImage()
    save_panel(panel, tmp_path / "features.svg")
    n_shapes = sum(1 for _ in ElementTree.parse(tmp_path / "features.svg").iter(f"{SVG}path"))
    n_points = len(panel.scatter.points)
    assert n_shapes + 20 > 0.9 * n_points > 50
    assert panel.grab().toImage() == before


def test_hidden_panels_are_not_in_the_menu(window) -> None:
    window.pictures_menu.aboutToShow.emit()
    assert "Traces…" not in menu_entries(window.pictures_menu)
    assert "Cards…" in menu_entries(window.pictures_menu)


def test_what_cannot_be_written_is_said_across_the_window(window, tmp_path, monkeypatch) -> None:
    choose(monkeypatch, tmp_path / "no" / "such" / "units.svg")
    menu_entries(window.bench.panel_menu("units"))["Save as PNG or SVG…"].trigger()
    assert "units.svg: No such file or directory; choose a folder" in window.banner.text.text()
    choose(monkeypatch, tmp_path / "units.gif")
    menu_entries(window.bench.panel_menu("units"))["Save as PNG or SVG…"].trigger()
    assert "is a .png or a .svg file, got units.gif" in window.banner.text.text()
    choose(monkeypatch, Path())
    with pytest.raises(ExportError, match="choose such a name"):
        save_panel(window.bench.units, tmp_path / "units.pdf")
    assert [path.name for path in tmp_path.iterdir() if "units" in path.name] == []


def test_panels_go_back_to_where_they_were_at_first(window) -> None:
    bench = window.bench

    def places() -> dict[str, QtCore.QRect]:
        settle()
        return {
            name: QtCore.QRect(panel.mapTo(window, QtCore.QPoint()), panel.size())
            for name, panel in bench.by_name.items()
            if panel.isVisible()
        }

    before = places()
    bench.places.swap("units", "waveforms")
    bench.places.swap("embedding", "units")
    bench.places.swap("traces", "fields")
    bench.toggle_window("queue")
    bench.splitters["all"].setSizes([500, 500])
    window.bench.show_layout("inspect")
    assert places() != before
    window.actions_["reset_layout"].trigger()
    assert places() == before


def test_ctrl_h_shows_the_history_below_the_queue_and_hides_it(window) -> None:
    window.actions_["history"].trigger()
    settle()
    assert window.bench.history.isVisible()
    below = window.bench.history.mapTo(window, QtCore.QPoint()).y()
    assert below > window.bench.queue.mapTo(window, QtCore.QPoint()).y()
    window.actions_["history"].trigger()
    assert not window.bench.history.isVisible()


def test_a_picture_of_the_window_is_swapped_in_whole(window, tmp_path, monkeypatch) -> None:
    """One that could not be written to the end stood in the place of the old one."""
    choose(monkeypatch, tmp_path / "window")
    window.save_picture()
    assert QtGui.QImage(str(tmp_path / "window.png")).size() == window.size() * window.devicePixelRatioF()
    assert window.status.currentMessage() == "Saved window.png"
    before = (tmp_path / "window.png").read_bytes()

    def cut_off(self: QtGui.QPixmap, path: str, _kind: str) -> bool:
        Path(path).write_bytes(b"half")
        return False

    monkeypatch.setattr(QtGui.QPixmap, "save", cut_off)
    window.save_picture()
    assert (tmp_path / "window.png").read_bytes() == before
    assert [item.name for item in tmp_path.glob("*window*")] == ["window.png"]
    assert window.banner.text.text().startswith("The picture cannot be written to")
