"""Asking for a recording: what can be read is said at once, and nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.app.work.jobs import RecordingInfo
from ncpgui.app.work.recognition import unused_session
from ncpgui.app.work.tasks import Immediate
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog, described


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / "rec.raw"
    np.zeros((30_000, 4), dtype=np.int16).tofile(path)
    return path


@pytest.fixture
def dialog(qtbot, raw: Path) -> OpenRecordingDialog:
    made = OpenRecordingDialog(None, Immediate(), path=str(raw))
    qtbot.addWidget(made)
    return made


def test_a_raw_file_that_says_nothing_of_itself_asks_for_what_lacks(dialog: OpenRecordingDialog) -> None:
    dialog.describe()
    assert "sampling frequency" in dialog.verdict.text()
    assert "--" not in dialog.verdict.text()
    assert not dialog.go.isEnabled()


def test_what_will_be_read_is_described_before_anything_starts(dialog: OpenRecordingDialog) -> None:
    dialog.probe.setEditText("tetrode")
    dialog.rate.setText("15000")
    dialog.channels.setText("4")
    dialog.describe()
    assert dialog.verdict.text() == "4 channels at 15 kHz, 2 s"
    assert dialog.go.isEnabled()


def test_a_probe_of_another_size_is_refused_with_both_numbers(dialog: OpenRecordingDialog) -> None:
    dialog.probe.setEditText("hex49")
    dialog.rate.setText("15000")
    dialog.channels.setText("4")
    dialog.describe()
    assert "49" in dialog.verdict.text()
    assert "4 channels" in dialog.verdict.text()
    assert not dialog.go.isEnabled()


def test_the_session_lies_beside_the_recording_under_a_name_that_is_free(raw: Path) -> None:
    assert unused_session(raw) == raw.parent / "rec.ncp.h5"
    (raw.parent / "rec.ncp.h5").touch()
    assert unused_session(raw) == raw.parent / "rec-2.ncp.h5"


def test_a_session_that_exists_is_never_replaced(dialog: OpenRecordingDialog, raw: Path) -> None:
    (raw.parent / "mine.h5").touch()
    dialog.session.setText(str(raw.parent / "mine.h5"))
    dialog.describe()
    assert dialog.verdict.text().startswith("mine.h5 exists already")
    assert not dialog.go.isEnabled()


def test_the_request_has_what_was_typed(dialog: OpenRecordingDialog, raw: Path) -> None:
    dialog.probe.setEditText("tetrode-50")
    dialog.rate.setText("15000")
    dialog.channels.setText("4")
    dialog.threshold.setValue(4.5)
    request = dialog.request()
    assert request.path == raw
    assert request.options == {
        "probe": "tetrode-50", "sampling_frequency": 15000.0, "n_channels": 4, "dtype": "int16",
    }  # fmt: skip
    assert request.settings == {"threshold_sd": 4.5, "peak_sign": "neg", "blank_nan": False}


def test_the_sign_of_spikes_and_what_becomes_of_nan_can_be_chosen(
    qtbot, dialog: OpenRecordingDialog, raw: Path
) -> None:
    qtbot.keyClicks(dialog.sign, "troughs and")
    qtbot.keyClick(dialog.blank_nan, QtCore.Qt.Key_Space)
    settings = dialog.request().settings
    assert (settings["peak_sign"], settings["blank_nan"]) == ("both", True)


def test_a_recording_is_described_in_words() -> None:
    info = RecordingInfo(49, 20_000.0, 60.0, has_stimulus=True)
    assert described(info) == "49 channels at 20 kHz, 1 min, with a white-noise stimulus"
