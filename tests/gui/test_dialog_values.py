"""What the dialogs for recordings and exports ask at first: values, ranges, choices, buttons."""

from __future__ import annotations

from pathlib import Path

from PyQt5 import QtWidgets

from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.app.work.tasks import Immediate
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.dialogs.review_recording import ReviewRecordingDialog
from ncpgui.gui.dialogs.sorting_details import SortingDetails
from tests.gui.shown_export import shown_export


def told(dialog: QtWidgets.QWidget) -> list[str]:
    """Each control with what it holds, in the order in which they were made; disabled ones say so."""
    lines: list[str] = []
    for one in dialog.findChildren(QtWidgets.QWidget):
        if isinstance(one, (QtWidgets.QDoubleSpinBox, QtWidgets.QSpinBox)):
            words = f"{one.accessibleName()}: {one.text()}, {one.minimum():g} to {one.maximum():g}"
            words += f" by {one.singleStep():g}"
        elif isinstance(one, QtWidgets.QComboBox):
            words = " | ".join([one.currentText(), *(f"{one.itemData(k)}" for k in range(one.count()))])
        elif isinstance(one, (QtWidgets.QCheckBox, QtWidgets.QRadioButton)):
            words = f"{'[x]' if one.isChecked() else '[ ]'} {one.text()}"
        elif isinstance(one, QtWidgets.QLineEdit) and not one.objectName().startswith("qt_"):
            words = f"… {one.placeholderText()}{one.text()}"
        elif isinstance(one, QtWidgets.QPushButton):
            words = f"<{one.text()}>{' by Enter' if one.autoDefault() else ''}"
        else:
            continue
        lines.append(words + ("" if one.isEnabled() else ", disabled"))
    return lines


def test_what_is_asked_of_a_recording(qtbot, theme) -> None:
    dialog = OpenRecordingDialog(None, Immediate(), path="")
    qtbot.addWidget(dialog)
    assert dialog.windowTitle() == "Open recording"
    assert told(dialog) == [
        "… Raw binary, NWB, SpikeInterface folder, Zarr, …",
        "<File…>",
        "<Folder…>",
        "",
        " |  | tetrode | hex49 | linear-16-25 | single",
        "… as stored in the recording",
        "<File…>",
        "… e.g. 20000",
        "… e.g. 49",
        "int16 | int16 | uint16 | float32 | int32",
        "detect spikes beyond: 4.50  × noise sd, 2 to 20 by 0.25",
        "troughs | neg | pos | both",
        "[ ] Blank samples that are NaN or infinite",
        "… as shipped",
        "<File…>",
        "draws of the posterior | draws | beam",
        "width of the beam: 150 sortings, 1 to 100000 by 1, disabled",
        "high-pass: 300.0 Hz, 10 to 20000 by 1",
        "low-pass: 6000.0 Hz, 100 to 50000 by 1",
        "median of the other channels | median | none",
        "start of the part to sort: the start, 0 to 1e+10 by 1",
        "end of the part to sort: the end, 0 to 1e+10 by 1",
        "… none, e.g. 3,17,20-23",
        "… the one beside the recording",
        "<File…>",
        "… ",
        "<Browse…>",
        "<Cancel> by Enter",
        "<Open and sample> by Enter, disabled",
    ]


def test_what_is_asked_of_the_recording_of_a_review(qtbot, theme, tmp_path: Path) -> None:
    dialog = ReviewRecordingDialog(None, ReviewRequest(tmp_path / "phy"))
    qtbot.addWidget(dialog)
    assert dialog.windowTitle() == "Recording of phy"
    assert told(dialog) == [
        "… The file or folder that was sorted",
        "<File…>",
        "<Folder…>",
        "… as params.py says, or Hz such as 30000",
        "… as params.py says, or how many the file has, such as 385",
        "int16 | int16 | uint16 | float32 | int32",
        "… the only one with spikes, or its name or a part of it",
        "… as the folder says, or a name or file as for a recording",
        "<Cancel> by Enter",
        "<Review> by Enter, disabled",
    ]


def test_what_is_asked_of_an_export(qtbot, theme, small_project, tmp_path: Path) -> None:
    dialog = shown_export(qtbot, small_project, tmp_path)
    kinds = [name for name in told(dialog) if name.startswith("[")]
    assert kinds[0].startswith("[x] ")
    assert all(name.startswith("[ ] ") for name in kinds[1:])
    assert kinds[-1].endswith(", disabled"), "there is no recording whose traces could be copied"
    rest = [name for name in told(dialog) if not name.startswith("[")]
    assert rest[0] == "Least probability of a spike: 0.00, 0 to 1 by 0.05"
    assert rest[1] == f"… {tmp_path / 'two_phy'}"
    assert rest[2:] == ["<Browse…> by Enter", "<Cancel> by Enter", "<Export> by Enter"]
    dialog.place.setText("  ")
    assert not dialog.go.isEnabled()


def test_only_what_differs_from_the_defaults_is_a_setting(qtbot) -> None:
    details = SortingDetails()
    qtbot.addWidget(details)
    changes: list[bool] = []
    details.changed.connect(lambda *_: changes.append(True))
    assert (details.settings(), details.options(), details.stimulus_file()) == ({}, {}, None)
    details.beam.setValue(20)
    assert details.settings() == {}, "of a beam only"
    details.sampler.setCurrentIndex(1)
    assert details.beam.isEnabled()
    details.model.setText(" mine ")
    details.highpass.setValue(500)
    details.lowpass.setValue(5000)
    details.reference.setCurrentIndex(1)
    assert details.settings() == {
        "model": "mine", "sampler": "beam", "beam": 20, "highpass_hz": 500, "lowpass_hz": 5000,
        "reference": "none",
    }  # fmt: skip
    details.end.setValue(60)
    assert details.options() == {"time_range_s": (None, 60)}
    details.start.setValue(2.5)
    details.bad_channels.setText(" 3,17 ")
    assert details.options() == {"bad_channels": "3,17", "time_range_s": (2.5, 60)}
    details.stimulus.setText(" /data/s.npz ")
    assert details.stimulus_file() == Path("/data/s.npz")
    assert len(changes) == 10, "one for each change"


def test_details_are_folded_away_until_one_asks_for_them(qtbot) -> None:
    details = SortingDetails()
    qtbot.addWidget(details)
    assert (details.body.isHidden(), details.heading.arrowType()) == (True, 4)
    details.heading.click()
    assert (details.body.isHidden(), details.heading.arrowType()) == (False, 2)
    details.heading.click()
    assert details.body.isHidden()
