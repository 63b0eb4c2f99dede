"""The export dialog has what the command line has, and says beforehand what an export will lack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PyQt5 import QtWidgets

from ncpgui.app.work import exports
from ncpgui.core.project import Project
from ncpgui.gui.dialogs.export import ExportDialog
from tests.gui.shown_export import shown_export


def test_without_recording_and_cache_it_says_what_is_left_out(
    qtbot, theme, without_waveforms: Project, tmp_path: Path
) -> None:
    dialog = shown_export(qtbot, without_waveforms, tmp_path)
    assert dialog.lacking.text().splitlines() == [
        "Will be left out:",
        "– the traces (the recording is not at /data/two.raw)",
        "– templates (no recording, and no waveforms in the cache)",
        "– principal components (no recording, and no waveforms of 10 spikes in the cache)",
    ]
    assert dialog.lacking.isVisible()
    assert dialog.lacking.height() >= dialog.lacking.heightForWidth(dialog.lacking.width())  # not clipped
    dialog.choices["npz"].setChecked(True)
    assert dialog.lacking.text().count("–") == 1
    dialog.choices["csv"].setChecked(True)
    assert not dialog.lacking.isVisible()


def test_with_the_cache_only_the_traces_are_left_out(
    qtbot, theme, small_project: Project, tmp_path: Path
) -> None:
    assert shown_export(qtbot, small_project, tmp_path).lacking.text() == (
        "Will be left out:\n– the traces (the recording is not at /data/two.raw)"
    )


def test_nothing_is_said_where_nothing_is_left_out(qtbot, theme, tmp_path: Path) -> None:
    dialog = ExportDialog(None, exports.export_formats(), folder=tmp_path, stem="two")
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.lacking.isVisible()


def test_the_least_probability_has_its_words_beside_it(qtbot, theme, tmp_path: Path) -> None:
    dialog = ExportDialog(None, exports.export_formats(), folder=tmp_path, stem="two")
    qtbot.addWidget(dialog)
    dialog.show()
    labels = dialog.findChildren(QtWidgets.QLabel)
    assert [label.text() for label in labels if label.buddy() is dialog.min_probability] == [
        "Leave out spikes that are of their unit with a probability under"
    ]


def test_a_format_that_needs_a_package_cannot_be_chosen_and_says_what_to_install(
    qtbot, theme, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("ncpgui.export.registry.find_spec", lambda _: None)
    dialog = ExportDialog(None, exports.export_formats(), folder=tmp_path, stem="two")
    qtbot.addWidget(dialog)
    dialog.show()
    assert [name for name, choice in dialog.choices.items() if not choice.isEnabled()] == ["nwb"]
    words = [label.text() for label in dialog.findChildren(QtWidgets.QLabel)]
    assert "Needs pynwb, which is not installed; pip install pynwb." in words


def test_traces_of_a_recording_that_is_no_raw_file_are_copied_unless_one_says_no(
    qtbot, theme, small_project: Project, tmp_path: Path
) -> None:
    (tmp_path / "two.nwb").touch()
    recording = replace(small_project.recording, path=str(tmp_path / "two.nwb"), options={})
    project = replace(small_project, recording=recording)
    dialog = shown_export(qtbot, project, tmp_path)
    assert "at least 160 kB" in dialog.copy_traces.text()  # 40 000 samples of 2 channels
    assert dialog.copies_traces
    assert not dialog.lacking.isVisible()
    dialog.copy_traces.setChecked(False)
    assert not dialog.copies_traces
    assert "is not a raw binary file; they can be copied" in dialog.lacking.text()
    dialog.choices["npz"].setChecked(True)
    assert not dialog.copy_traces.isVisible()


def test_traces_that_are_not_there_cannot_be_copied(
    qtbot, theme, small_project: Project, tmp_path: Path
) -> None:
    dialog = shown_export(qtbot, small_project, tmp_path)
    assert dialog.copy_traces.isVisible()
    assert not dialog.copy_traces.isEnabled()
    assert not dialog.copies_traces
