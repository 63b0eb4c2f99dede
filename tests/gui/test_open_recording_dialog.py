"""Asking for a recording: what can be read is said at once, and nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ephys import recorded_files as recorded
from PyQt5 import QtCore

from ncpgui.app.work.recognition import unused_session
from ncpgui.app.work.recordings import RecordingInfo
from ncpgui.app.work.tasks import Immediate
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog, described
from tests.gui.windows import drop_file, shown_window


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


def test_what_the_probe_and_the_threshold_may_be_is_explained(dialog: OpenRecordingDialog) -> None:
    assert "hex49" in dialog.probe.toolTip()
    assert "standard deviations" in dialog.threshold.toolTip()


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


def spikeglx(folder: Path) -> Path:
    recorded.spikeglx(folder)
    return recorded.spikeglx(folder, probe=1)


def test_streams_are_offered_with_channels_and_rates_and_one_has_to_be_chosen(
    qtbot, dialog: OpenRecordingDialog, tmp_path: Path
) -> None:
    assert dialog.stream.isHidden()
    dialog.path.setText(str(spikeglx(tmp_path / "run")))
    dialog.describe()
    assert not dialog.stream.isHidden()
    words = [dialog.stream.itemText(row) for row in range(dialog.stream.count())]
    assert words[0] == "choose one"
    assert sorted(words[1:]) == ["imec0.ap – 4 channels at 30 kHz", "imec1.ap – 4 channels at 30 kHz"]
    assert "has several streams; choose one" in dialog.verdict.text()
    assert not dialog.go.isEnabled()
    dialog.stream.setCurrentIndex(dialog.stream.findData("imec1.ap"))
    dialog.describe()
    assert dialog.verdict.text().startswith("4 channels at 30 kHz")
    assert dialog.go.isEnabled()
    assert dialog.request().options == {"stream": "imec1.ap"}
    dialog.path.setText(str(tmp_path / "rec.raw"))
    assert dialog.stream.isHidden()
    assert dialog.request().options == {}


def test_a_dropped_recording_with_several_streams_asks_which(
    qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = spikeglx(tmp_path / "run")
    asked: list[OpenRecordingDialog] = []
    monkeypatch.setattr(OpenRecordingDialog, "exec_", lambda dialog: asked.append(dialog) or 0)
    with shown_window(qtbot, tmp_path) as window:
        drop_file(window, run)
        qtbot.waitUntil(lambda: bool(asked))
        (dialog,) = asked
        assert dialog.path.text() == str(run)
        dialog.describe()
        assert sorted(dialog.stream.itemText(row) for row in range(dialog.stream.count())) == [
            "choose one", "imec0.ap – 4 channels at 30 kHz", "imec1.ap – 4 channels at 30 kHz",
        ]  # fmt: skip
        assert not window.banner.isVisible()


def test_a_stream_that_vanished_while_the_dialog_was_open_is_named(
    dialog: OpenRecordingDialog, tmp_path: Path
) -> None:
    run = spikeglx(tmp_path / "run")
    dialog.path.setText(str(run))
    dialog.describe()
    dialog.stream.setCurrentIndex(dialog.stream.findData("imec1.ap"))
    for path in run.glob("*imec1*"):
        path.unlink()
    dialog.describe()
    assert "has no stream 'imec1.ap'; it has 'imec0.ap' (4 channels" in dialog.verdict.text()
    assert not dialog.go.isEnabled()


def test_what_few_people_change_is_folded_and_counts_all_the_same(
    qtbot, dialog: OpenRecordingDialog, tmp_path: Path
) -> None:
    dialog.show()
    details = dialog.details
    assert not details.body.isVisible()
    before = dialog.height()
    qtbot.mouseClick(details.heading, QtCore.Qt.LeftButton)
    assert details.body.isVisible()
    assert dialog.height() > before
    details.highpass.setValue(250)
    details.reference.setCurrentIndex(details.reference.findData("none"))
    details.start.setValue(0.5)
    details.bad_channels.setText("2")
    details.stimulus.setText(str(tmp_path / "stimulus.npz"))
    details.model.setText("spikes")
    qtbot.mouseClick(details.heading, QtCore.Qt.LeftButton)
    assert not details.body.isVisible()
    assert dialog.height() == pytest.approx(before, abs=4)  # the verdict may be in other words
    request = dialog.request()
    assert request.options == {"bad_channels": "2", "time_range_s": (0.5, None)}
    changed = {"highpass_hz": 250.0, "reference": "none", "model": "spikes"}
    assert changed.items() <= request.settings.items()
    assert "lowpass_hz" not in request.settings
    assert request.stimulus == tmp_path / "stimulus.npz"


def test_what_is_wrong_with_the_details_is_said_before_anything_starts(dialog: OpenRecordingDialog) -> None:
    dialog.probe.setEditText("tetrode")
    dialog.rate.setText("15000")
    dialog.channels.setText("4")
    details = dialog.details
    details.start.setValue(1.0)
    dialog.describe()
    assert dialog.verdict.text() == "4 channels at 15 kHz, 1 s"
    for spoil, words in (
        (lambda: details.end.setValue(0.3), "time range 1 to 0.3 s does not lie"),
        (lambda: details.bad_channels.setText("9"), "There is no channel 9 to leave out"),
        (lambda: details.stimulus.setText("/nowhere/s.npz"), "does not exist; give an .npz"),
        (lambda: details.model.setText("nonesuch"), "nonesuch"),
    ):
        details.end.setValue(0)
        details.bad_channels.clear()
        details.stimulus.clear()
        spoil()
        dialog.describe()
        assert words in dialog.verdict.text()
        assert not dialog.go.isEnabled()


def test_joined_segments_are_said() -> None:
    info = RecordingInfo(4, 20_000.0, 2.0, has_stimulus=False, n_segments=2)
    assert described(info) == "4 channels at 20 kHz, 2 s, 2 segments joined end to end and sorted as one"


def test_a_recording_is_described_in_words() -> None:
    info = RecordingInfo(49, 20_000.0, 60.0, has_stimulus=True)
    assert described(info) == "49 channels at 20 kHz, 1 min, with a white-noise stimulus"
