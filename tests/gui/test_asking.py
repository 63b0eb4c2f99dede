"""What the window asks for files and places: with which title and kinds, and what it does with the answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PyQt5 import QtWidgets

from ncpgui.app.model.workspace import Workspace
from ncpgui.core.errors import ExportError
from ncpgui.gui import asking
from ncpgui.gui.asking import AskingWindow

SESSIONS = "Sessions (*.h5 *.hdf5)"


class Asked:
    """Answers every question for a file with `name`, and keeps what was asked and done."""

    def __init__(self) -> None:
        self.name, self.kind = "", ""
        self.log: list[tuple[Any, ...]] = []

    def file(self, parent: object, title: str, place: str = "", kinds: str = "") -> tuple[str, str]:
        self.log.append((title, place, kinds))
        return self.name, self.kind

    def folder(self, parent: object, title: str) -> str:
        self.log.append((title,))
        return self.name

    def doing(self, what: str) -> Callable[..., None]:
        return lambda *values: self.log.append((what, *values))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked()
    monkeypatch.setattr(QtWidgets.QFileDialog, "getOpenFileName", made.file)
    monkeypatch.setattr(QtWidgets.QFileDialog, "getSaveFileName", made.file)
    monkeypatch.setattr(QtWidgets.QFileDialog, "getExistingDirectory", made.folder)
    return made


@pytest.fixture
def window(qtbot, asked: Asked) -> AskingWindow:
    """A window whose controller keeps what it is told, of a session at /data/a.h5."""
    names = ("open_path", "open_session", "locate_recording", "load_events", "save")
    controller: Any = SimpleNamespace(**{name: asked.doing(name) for name in names})
    controller.saving = SimpleNamespace(path=Path("/data/a.h5"))
    controller.preferences = None
    made = AskingWindow(Workspace(), controller)
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(
    ("ask", "question", "done"),
    [
        ("ask_session", ("Open session", "", SESSIONS), "open_session"),
        ("ask_review", ("Folder of Phy, Kilosort or SpikeInterface to review",), "open_path"),
        (
            "ask_review_file",
            ("Units of an NWB file to review", "", "NWB (*.nwb *.h5 *.hdf5)"),
            "open_path",
        ),
        ("ask_recording_place", ("Where is the recording now?", "", ""), "locate_recording"),
        (
            "ask_events",
            ("Load events", "/data", "Events (*.npz *.csv *.tsv *.txt *.nwb *.h5 *.hdf5)"),
            "load_events",
        ),
    ],
)
def test_a_file_that_is_chosen_is_taken_and_a_question_that_is_left_does_nothing(
    window: AskingWindow, asked: Asked, ask: str, question: tuple[str, ...], done: str
) -> None:
    getattr(window, ask)()
    assert asked.log == [question]
    asked.name = "/data/b.npz"
    getattr(window, ask)()
    assert asked.log[1:] == [question, (done, Path("/data/b.npz"))]


def test_a_session_is_saved_under_a_name_of_a_session(window: AskingWindow, asked: Asked) -> None:
    question = ("Save session as", "/data/a.h5", SESSIONS)
    window.ask_save_as()
    for name, saved in (
        ("/data/b", "/data/b.h5"),
        ("/data/b.h5", "/data/b.h5"),
        ("/data/b.1", "/data/b.1.h5"),
    ):
        asked.name = name
        window.ask_save_as()
        assert asked.log[-2:] == [question, ("save", Path(saved))]
    window.controller.saving.path = None
    asked.name = ""
    window.ask_save_as()
    assert asked.log[-1] == ("Save session as", "", SESSIONS)


@pytest.mark.parametrize(
    ("name", "kind", "saved"),
    [
        ("/data/t.svg", "", "t.svg"),
        ("/data/t", "Drawing (*.svg)", "t.svg"),
        ("/data/t", "Picture (*.png)", "t.png"),
    ],
)
def test_a_picture_of_a_panel_has_the_kind_that_was_chosen(
    window: AskingWindow, asked: Asked, monkeypatch, name: str, kind: str, saved: str
) -> None:
    monkeypatch.setattr(asking, "save_panel", lambda panel, path: asked.log.append((panel, path.name)))
    window.workspace.state.told.connect(lambda words: asked.log.append((words,)))
    panel: Any = object()
    window.ask_panel_picture(panel, "Waveforms")
    assert [entry[:2] for entry in asked.log] == [("Save Waveforms", "Waveforms.png")]
    asked.name, asked.kind = name, kind
    window.ask_panel_picture(panel, "Waveforms")
    assert asked.log[2:] == [(panel, saved), (f"Saved {saved}",)]


def test_a_picture_of_the_window_is_a_png_and_one_that_cannot_be_written_is_said(
    window: AskingWindow, asked: Asked, monkeypatch
) -> None:
    monkeypatch.setattr(asking, "save_panel", lambda shown, path: asked.log.append((shown, path.name)))
    window.save_picture()
    for name, saved in (("/data/w", "w.png"), ("/data/w.PNG", "w.PNG"), ("/data/w.jpg", "w.jpg.png")):
        asked.name = name
        window.save_picture()
        assert asked.log[-2:] == [("Save picture", "ncpgui.png", "Pictures (*.png)"), (window, saved)]

    def fail(*_: object) -> None:
        raise ExportError("the disk is full")

    monkeypatch.setattr(asking, "save_panel", fail)
    window.save_picture()
    assert window.banner.text.text() == "The disk is full"


def test_words_are_asked_for_with_those_that_are_known(window: AskingWindow, monkeypatch) -> None:
    seen: list[tuple[Any, ...]] = []

    def answer(*values: Any) -> tuple[str, bool]:
        seen.append(values[1:])
        return "sua", len(seen) < 3

    monkeypatch.setattr(QtWidgets.QInputDialog, "getItem", answer)
    monkeypatch.setattr(QtWidgets.QInputDialog, "getText", answer)
    assert window.ask_words("Label of unit 7", "mua", ("good", "mua")) == "sua"
    assert window.ask_words("Note about unit 7", "late") == "sua"
    assert window.ask_words("Note about unit 7", "late") is None
    assert seen[0] == ("Label", "Label of unit 7", ["mua", "good"], 0, True)
    assert seen[1] == ("Note", "Note about unit 7", QtWidgets.QLineEdit.Normal, "late")


def test_a_dialog_is_gone_once_it_was_answered(qtbot) -> None:
    deleted: list[bool] = []
    for answer, accepted in ((1, True), (0, False)):
        dialog: Any = SimpleNamespace(
            exec_=lambda answer=answer: answer, deleteLater=lambda: deleted.append(True)
        )
        assert asking._is_accepted(dialog) is accepted
    assert len(deleted) == 2
