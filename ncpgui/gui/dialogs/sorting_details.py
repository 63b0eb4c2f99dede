"""What few people change of a sorting, folded at first: model, sampler, band, reference, part, stimulus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.work.recordings import default_settings
from ncpgui.core.home import expanded
from ncpgui.core.posterior import NOT_A_POSTERIOR
from ncpgui.gui.dialogs.form import choice, fill, form, line, row
from ncpgui.gui.plain_text import Label, plain

LAST_S = 1e10
"""Clocks that count seconds since 1970 are at 2e9."""
WIDEST_BEAM = 100_000
SAMPLERS = {"draws": "draws of the posterior", "beam": "beam search, not a posterior"}
REFERENCES = {"median": "median of the other channels", "none": "none"}


class SortingDetails(QtWidgets.QWidget):
    """A heading that unfolds a form; what it holds counts whether it is folded or not.

    changed : something was changed
    """

    changed = QtCore.pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._defaults = default_settings()
        self.heading = QtWidgets.QToolButton()
        self.heading.setText("Advanced")
        self.heading.setCheckable(True)
        self.heading.setToolButtonStyle(QtCore.Qt.ToolButtonTextBesideIcon)
        self.heading.toggled.connect(self._unfold)
        self.model = line("model: a name, or a .safetensors file", "as shipped")
        self.sampler = choice("what is sampled of a question", SAMPLERS)
        self.sampler.setToolTip(
            f"A beam holds the {NOT_A_POSTERIOR}: probabilities are shares of these alone"
        )
        self.beam = QtWidgets.QSpinBox()
        self.beam.setRange(1, WIDEST_BEAM)
        self.beam.setValue(self._defaults.beam)
        self.beam.setSuffix(" sortings")
        self.beam.setAccessibleName("width of the beam")
        self.beam.setToolTip("Number of the most probable label vectors, one label a spike, that are kept")
        self.highpass = _number(10.0, 20_000.0, self._defaults.highpass_hz, " Hz", "high-pass")
        self.lowpass = _number(100.0, 50_000.0, self._defaults.lowpass_hz, " Hz", "low-pass")
        for box, side in ((self.highpass, "below"), (self.lowpass, "above")):
            box.setToolTip(plain(f"Frequencies {side} this are filtered out of the traces, Hz"))
        self.reference = choice("reference", REFERENCES)
        self.start = _number(0.0, LAST_S, 0.0, " s", "start of the part to sort")
        self.start.setSpecialValueText("the start")
        self.end = _number(0.0, LAST_S, 0.0, " s", "end of the part to sort")
        self.end.setSpecialValueText("the end")
        for box in (self.start, self.end):
            box.setToolTip("Seconds from the beginning of the recording, of which a part can be sorted")
        self.bad_channels = line("channels to leave out, from 0", "none, e.g. 3,17,20-23")
        self.stimulus = line("stimulus: an .npz file", "the one beside the recording")
        self.body = QtWidgets.QWidget()
        asked = form(self.body)
        asked.setContentsMargins(0, 6, 0, 0)
        asked.addRow("Model", _with_file(self.model, "Model", "Models (*.safetensors)"))
        asked.addRow("Sampler", row(self.sampler, self.beam, spacing=10))
        asked.addRow("Band", _from_to(self.highpass, self.lowpass))
        asked.addRow("Reference", self.reference)
        asked.addRow("Sort from", _from_to(self.start, self.end))
        asked.addRow("Leave out channels", self.bad_channels)
        asked.addRow("Stimulus", _with_file(self.stimulus, "Stimulus", "Stimuli (*.npz)"))
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.heading, 0, QtCore.Qt.AlignLeft)
        layout.addWidget(self.body)
        self._unfold(False)
        for edit in (self.model, self.bad_channels, self.stimulus):
            edit.textChanged.connect(self.changed)
        for box in (self.highpass, self.lowpass, self.start, self.end, self.beam):
            box.valueChanged.connect(self.changed)
        for chosen in (self.reference, self.sampler):
            chosen.currentIndexChanged.connect(self.changed)
        self.sampler.currentIndexChanged.connect(self._follow_sampler)
        self._follow_sampler()

    def settings(self) -> dict[str, Any]:
        """Settings of the sorting that differ from the defaults."""
        by_beam = self.sampler.currentData() == "beam"
        asked = {
            "model": self.model.text().strip() or None,
            "sampler": self.sampler.currentData(),
            "beam": self.beam.value() if by_beam else self._defaults.beam,
            "highpass_hz": self.highpass.value(),
            "lowpass_hz": self.lowpass.value(),
            "reference": self.reference.currentData(),
        }
        return {name: value for name, value in asked.items() if value != getattr(self._defaults, name)}

    def options(self) -> dict[str, Any]:
        """How to open the recording, where a part of it is to be sorted."""
        options: dict[str, Any] = {}
        if self.bad_channels.text().strip():
            options["bad_channels"] = self.bad_channels.text().strip()
        if self.start.value() or self.end.value():
            options["time_range_s"] = (self.start.value() or None, self.end.value() or None)
        return options

    def stimulus_file(self) -> Path | None:
        """File of the stimulus; None for the one beside the recording, if any."""
        text = self.stimulus.text().strip()
        return expanded(text) if text else None

    def _follow_sampler(self) -> None:
        self.beam.setEnabled(self.sampler.currentData() == "beam")

    def _unfold(self, shown: bool) -> None:
        self.heading.setArrowType(QtCore.Qt.DownArrow if shown else QtCore.Qt.RightArrow)
        self.body.setVisible(shown)
        window = self.window()
        if window is not self and window.isVisible():
            for layout in (self.layout(), window.layout()):
                layout.invalidate()
                layout.activate()
            window.resize(window.width(), window.layout().totalSizeHint().height())


def _number(least: float, most: float, value: float, suffix: str, name: str) -> QtWidgets.QDoubleSpinBox:
    box = QtWidgets.QDoubleSpinBox()
    box.setRange(least, most)
    box.setDecimals(1)
    box.setValue(value)
    box.setSuffix(suffix)
    box.setAccessibleName(name)
    return box


def _from_to(first: QtWidgets.QWidget, second: QtWidgets.QWidget) -> QtWidgets.QHBoxLayout:
    both = row(first, Label("to"), spacing=10)
    both.addWidget(second, 1)
    return both


def _with_file(edit: QtWidgets.QLineEdit, title: str, kinds: str) -> QtWidgets.QHBoxLayout:
    def browse() -> None:
        name, _ = QtWidgets.QFileDialog.getOpenFileName(edit, title, edit.text(), f"{kinds};;All files (*)")
        fill(edit.setText, name)

    return row(edit, File=browse)
