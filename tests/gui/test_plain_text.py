"""Text of files is never taken for HTML by a widget: a tag that is a picture would be read on hover."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

import ncpgui
from ncpgui.app.question import Question
from ncpgui.gui.dialogs.export import ExportDialog
from ncpgui.gui.items.elided_label import ElidedLabel
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.plain_text import Label, plain, without_mnemonic
from tests.gui.windows import settle

PICTURE = "<img src='/dev/zero'>"
GUI = sorted((Path(ncpgui.__file__).parent / "gui").rglob("*.py"))
SINKS = ("setToolTip", "showText", "question", "information", "warning", "critical", "getText", "getItem")
"""What Qt takes for HTML if it looks so, and has no format to say otherwise."""
OURS = "_tooltip(item, keys[item.id])"
"""HTML whose parts are escaped."""


@pytest.mark.parametrize(
    "text",
    [
        PICTURE,
        f"note {PICTURE}",
        f"{PICTURE}\nx",
        "a<br>",
        "<b>x</b>",
        "&amp; <table>",
        "<1 % and >2",
        "a & b",
        "",
    ],
)
def test_words_are_shown_as_they_are_written(text: str) -> None:
    shown = QtGui.QTextDocument()
    words = plain(text)
    (shown.setHtml if QtCore.Qt.mightBeRichText(words) else shown.setPlainText)(words)
    assert shown.toPlainText().rstrip("\n") == text


def test_ordinary_words_are_not_touched() -> None:
    assert plain("a < b & c\nd") == "a < b & c\nd"


def test_a_label_has_no_mark_up(qtbot) -> None:
    label, elided = Label(PICTURE), ElidedLabel(PICTURE)
    for widget in (label, elided):
        qtbot.addWidget(widget)
        assert widget.textFormat() == QtCore.Qt.PlainText
        assert widget.text() == PICTURE


def test_an_ampersand_in_a_menu_is_an_ampersand(qtbot) -> None:
    menu = QtWidgets.QMenu()
    qtbot.addWidget(menu)
    entry = menu.addAction(without_mnemonic("/data/A&B.h5"))
    assert QtGui.QKeySequence.mnemonic(entry.text()).isEmpty()


def tool_tips(root: QtWidgets.QWidget) -> list[tuple[str, str]]:
    """Tool tips of all widgets and of all cells and headers of views under a window, with what has them."""
    found = [("action", action.toolTip()) for action in root.findChildren(QtWidgets.QAction)]
    for widget in root.findChildren(QtWidgets.QWidget):
        found.append((type(widget).__name__, widget.toolTip()))
        if isinstance(widget, QtWidgets.QAbstractItemView) and widget.model() is not None:
            model = widget.model()
            is_list = isinstance(model, QtCore.QAbstractListModel)
            for row in range(model.rowCount()):
                for column in range(1 if is_list else model.columnCount()):
                    words = model.index(row, column).data(QtCore.Qt.ToolTipRole)
                    found.append((f"{type(widget).__name__} {row}, {column}", words or ""))
    return found


def read_as_html(words: str) -> bool:
    """Whether Qt would read the picture out of these words."""
    if not QtCore.Qt.mightBeRichText(words):
        return False
    document = QtGui.QTextDocument()
    document.setHtml(words)
    return "\ufffc" in document.toPlainText()


def test_a_session_full_of_pictures_shows_none(opened: MainWindow) -> None:
    workspace = opened.workspace
    units = [row["id"] for row in opened.bench.units.model.rows][:3]
    for kind in ("tag", "note"):
        workspace.write(tuple(units), kind, f"{PICTURE} {kind}")
    workspace.select(units[:2])
    for name in opened.bench.by_name:
        opened.bench.show_panel(name, True)
    settle()
    cells = [words for where, words in tool_tips(opened) if "img" in words]
    assert cells, "the tags and notes have tool tips"
    assert [(where, words) for where, words in tool_tips(opened) if read_as_html(words)] == []
    for label in opened.findChildren(QtWidgets.QLabel):
        assert label.textFormat() == QtCore.Qt.PlainText or not read_as_html(label.text()), label.text()


def test_a_question_about_such_a_name_is_asked_in_its_words(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(QtWidgets.QMessageBox, "exec_", lambda box: asked.append(box.text()))
    monkeypatch.setattr(
        QtWidgets.QInputDialog,
        "getText",
        lambda _parent, _title, words, *_: (asked.append(words), ("", False))[1],
    )
    opened.confirm(Question(f"Replace {PICTURE}?", "Replace it", "Keep it"))
    opened.ask_words(f"Note of {PICTURE}", "")
    assert [read_as_html(words) for words in asked] == [False, False]


def test_a_recent_file_is_a_file_and_no_picture(window: MainWindow, tmp_path: Path) -> None:
    folder = tmp_path / "<img src='"
    folder.mkdir()
    (folder / "x'>&y.h5").write_text("")
    window.start.show_recent([str(folder / "x'>&y.h5")])
    tips = [words for _, words in tool_tips(window.start) if "img" in words]
    assert len(tips) == 1
    assert not read_as_html(tips[0])
    document = QtGui.QTextDocument()
    document.setHtml(tips[0])
    assert document.toPlainText() == str(folder / "x'>&y.h5")


def test_what_a_dialog_says_of_a_format_is_text(qtbot) -> None:
    dialog = ExportDialog(
        None, [("csv", "CSV", False, ".csv", PICTURE)], folder=Path("/"), stem=PICTURE, left_out={}
    )
    qtbot.addWidget(dialog)
    assert {label.textFormat() for label in dialog.findChildren(QtWidgets.QLabel)} == {QtCore.Qt.PlainText}


@pytest.mark.parametrize("path", GUI, ids=lambda path: path.name)
def test_labels_and_tool_tips_are_made_in_one_place(path: Path) -> None:
    """Labels are `Label`; what is no constant goes through `plain` on its way to a tool tip or a question."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, (ast.Call, ast.ClassDef)):
            continue
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            if "QtWidgets.QLabel" in bases and path.name != "plain_text.py":
                found.append(f"{node.lineno}: {node.name}")
            continue
        name = ast.unparse(node.func)
        if name == "QtWidgets.QLabel":
            found.append(f"{node.lineno}: {name}")
        if name.rpartition(".")[2] in SINKS and not name.startswith("logger."):
            found += [f"{node.lineno}: {ast.unparse(node)}" for words in node.args if not is_plain(words)]
    assert found == []


def is_plain(argument: ast.expr) -> bool:
    """Whether what is given to a tool tip is a constant, goes through `plain`, or is no text."""
    if isinstance(argument, ast.JoinedStr):
        names = [ast.unparse(part.value) for part in argument.values if isinstance(part, ast.FormattedValue)]
        return all(name.isupper() for name in names)
    if isinstance(argument, ast.IfExp):
        return is_plain(argument.body) and is_plain(argument.orelse)
    text = ast.unparse(argument)
    if isinstance(argument, ast.Call):
        return text.startswith("plain(") or text == "event.globalPos()" or text == OURS
    is_no_text = text in ("self", "title", "offered", "present", "meaning") or text[:2] in ("Qt", "ye", "bo")
    return isinstance(argument, ast.Constant) or is_no_text
