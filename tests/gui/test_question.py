"""Questions of the window: buttons say what they do, Return and Escape leave all as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.app.question import Question
from ncpgui.gui.dialogs.question import MOST_PX, QuestionBox
from ncpgui.gui.main_window import MainWindow

MERGE = Question("Unit 0 is accepted. Merge 0 + 1 all the same?", "Merge 0 + 1", "Keep the 2 units")


def answered(qtbot, key: int | None = None, button: str = "") -> list[list[str]]:
    """Answer the next question with a key or the button of these words; the words of all of its buttons."""
    seen: list[list[str]] = []

    def answer() -> None:
        box = QtWidgets.QApplication.activeModalWidget()
        if not isinstance(box, QuestionBox):  # it is not on screen yet
            QtCore.QTimer.singleShot(5, answer)
            return
        seen.append([one.text() for one in box.buttons()])
        if key is not None:
            qtbot.keyClick(box, key)
        else:
            next(one for one in box.buttons() if one.text() == button).click()

    QtCore.QTimer.singleShot(0, answer)
    return seen


@pytest.mark.parametrize(
    ("key", "button", "is_done"),
    [
        (None, "Merge 0 + 1", True),
        (None, "Keep the 2 units", False),
        (QtCore.Qt.Key_Return, "", False),
        (QtCore.Qt.Key_Escape, "", False),
    ],
)
def test_buttons_say_what_they_do_and_keys_leave_all_as_it_is(
    qtbot, opened: MainWindow, key: int | None, button: str, is_done: bool
) -> None:
    seen = answered(qtbot, key, button)
    assert opened.confirm(MERGE) is is_done
    (words,) = seen
    assert sorted(words) == ["Keep the 2 units", "Merge 0 + 1"]


@pytest.mark.parametrize(
    ("button", "may", "saves"),
    [("Save it first…", False, 1), ("Leave without saving", True, 0), ("Stay here", False, 0)],
)
def test_what_is_not_saved_is_asked_about_before_it_is_left(
    qtbot, window: MainWindow, monkeypatch: pytest.MonkeyPatch, button: str, may: bool, saves: int
) -> None:
    saved: list[int] = []
    with monkeypatch.context() as patch:  # the fixture closes the window, which would ask too
        patch.setattr(MainWindow, "ask_save_as", lambda _: saved.append(1))
        patch.setattr(type(window.workspace.state), "is_safe", property(lambda _: False))
        seen = answered(qtbot, None, button)
        assert window.may_leave() is may
    assert len(saved) == saves
    assert len(seen[0]) == 3


def test_a_long_name_is_cut_in_its_middle_and_an_ampersand_is_shown(qtbot, window: MainWindow) -> None:
    name = f"Replace {'a' * 200}&b.csv"
    box = QuestionBox(window, "It exists already.", doing=(name,), leaving="Keep it")
    words = box.buttons()[0].text() if "Replace" in box.buttons()[0].text() else box.buttons()[1].text()
    assert words.startswith("Replace a")
    assert words.endswith("a&&b.csv")
    assert box.fontMetrics().horizontalAdvance(words.replace("&&", "&")) <= MOST_PX
    box.deleteLater()


def test_files_that_would_be_replaced_are_named_or_counted() -> None:
    from ncpgui.app.work.exports import replace_question

    assert replace_question([Path("a/s.npz")]) == Question(
        "s.npz exists already. Replace it?", "Replace s.npz", "Keep it"
    )
    assert replace_question([Path("s_units.csv"), Path("s.csv")]) == Question(
        "s_units.csv and s.csv exist already. Replace them?", "Replace the 2 files", "Keep them"
    )
