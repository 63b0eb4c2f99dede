"""Controls of dialogs have names that a screen reader can say, and those of the keys do what they are for."""

from __future__ import annotations

from pathlib import Path

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.actions import ACTIONS
from ncpgui.app.keymap import keymap_from
from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.app.work.tasks import Immediate
from ncpgui.core.project import Project
from ncpgui.gui.dialogs.keys import KeysDialog
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.dialogs.review_recording import ReviewRecordingDialog
from ncpgui.gui.theme import LIGHT
from tests.gui.shown_export import shown_export

PARTS = (QtWidgets.QComboBox, QtWidgets.QAbstractSpinBox)
"""What has a line to write into inside."""


def said(widget: QtWidgets.QWidget) -> str:
    """Its name for a screen reader: its own, the words on it, or its label in a form."""
    own = widget.accessibleName()
    if isinstance(widget, QtWidgets.QAbstractButton):
        return own or widget.text()
    for form in widget.window().findChildren(QtWidgets.QFormLayout):
        label = form.labelForField(widget)
        own = own or (label.text() if isinstance(label, QtWidgets.QLabel) else "")
    return own


def controls(dialog: QtWidgets.QWidget) -> list[QtWidgets.QWidget]:
    """What the Tab key comes to."""
    return [
        widget
        for widget in dialog.findChildren(QtWidgets.QWidget)
        if widget.focusPolicy() & QtCore.Qt.TabFocus
        and widget.focusProxy() is None
        and not isinstance(widget.parent(), PARTS)
        and not isinstance(widget, QtWidgets.QAbstractScrollArea)
    ]


def test_every_control_of_the_dialog_for_recordings_has_a_name(qtbot, tmp_path: Path) -> None:
    dialog = OpenRecordingDialog(None, Immediate(), path=str(tmp_path / "a.raw"))
    qtbot.addWidget(dialog)
    raw = [
        "recording",
        "File…",
        "Folder…",
        "which set of channels",
        "probe",
        "File…",
        "Hz",
        "number of channels",
    ]
    spikes = [
        "type of numbers",
        "detect spikes beyond",
        "sign of spikes",
        "Blank samples that are NaN or infinite",
    ]
    assert [said(one) for one in controls(dialog)][: len(raw + spikes)] == raw + spikes
    assert all(said(one) for one in controls(dialog))
    assert dialog.threshold.text() == "4.50  × noise sd"


def test_every_control_of_the_dialog_for_reviews_has_a_name(qtbot, tmp_path: Path) -> None:
    dialog = ReviewRecordingDialog(None, ReviewRequest(tmp_path, session=tmp_path / "a.ncp.h5"))
    qtbot.addWidget(dialog)
    read = ["recording", "File…", "Folder…", "Sampling frequency", "Channels", "Numbers", "Stream", "Probe"]
    assert sorted(said(one) for one in controls(dialog)) == sorted([*read, "Cancel", "Review"])


def test_every_control_of_the_dialog_for_exports_has_a_name(
    qtbot, without_waveforms: Project, tmp_path: Path
) -> None:
    dialog = shown_export(qtbot, without_waveforms, tmp_path)
    assert len(controls(dialog)) > 3
    assert all(said(one) for one in controls(dialog))


def test_the_page_of_keys_tells_what_is_asked_of_it(qtbot) -> None:
    parent = QtWidgets.QWidget()
    parent.resize(700, 500)
    qtbot.addWidget(parent)
    keys = KeysDialog(parent, LIGHT, keymap_from(ACTIONS, "phy", {}))
    told: list[str] = []
    keys.keymap_chosen.connect(told.append)
    keys.own_keys_asked.connect(lambda: told.append("own"))
    keys.read_again_asked.connect(lambda: told.append("again"))
    assert [said(one) for one in controls(keys)] == ["Keymap", "Search", "Own keys…", "Read again"]
    keys.show()
    qtbot.keyClicks(keys.choice, "s")
    qtbot.mouseClick(keys.own, QtCore.Qt.LeftButton)
    qtbot.mouseClick(keys.again, QtCore.Qt.LeftButton)
    assert told == ["spikeinterface-gui", "own", "again"]


def test_dialogs_are_as_wide_as_their_words_in_any_font(
    qtbot, tmp_path: Path, small_project: Project
) -> None:
    for dialog in (
        OpenRecordingDialog(None, Immediate()),
        ReviewRecordingDialog(None, ReviewRequest(tmp_path / "phy")),
        shown_export(qtbot, small_project, tmp_path),
    ):
        qtbot.addWidget(dialog)
        dialog.setStyleSheet("* { font-size: 22px }")
        dialog.show()
        QtWidgets.QApplication.processEvents()
        for kind in (QtWidgets.QCheckBox, QtWidgets.QRadioButton, QtWidgets.QPushButton, QtWidgets.QLabel):
            for widget in dialog.findChildren(kind):
                wraps = isinstance(widget, QtWidgets.QLabel) and widget.wordWrap()
                if widget.isVisible() and not wraps:
                    assert widget.width() >= widget.minimumSizeHint().width(), widget.text()
