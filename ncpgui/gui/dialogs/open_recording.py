"""What to open and how: a recording, its probe, and where the session goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.words import count, duration, sentence, without_options
from ncpgui.app.work.recognition import unused_session
from ncpgui.app.work.recordings import (
    RecordingInfo,
    RecordingRequest,
    default_settings,
    describe_recording,
    known_extensions,
)
from ncpgui.app.work.tasks import Runner, Task
from ncpgui.core.home import expanded
from ncpgui.gui.dialogs.form import answers, choice, dtypes, fill, form, line, number, quiet, row
from ncpgui.gui.dialogs.sorting_details import SortingDetails
from ncpgui.gui.plain_text import Label
from ncpgui.gui.soon import Soon

DESCRIBE_AFTER_MS = 350
LINE_MARGINS_PX = 28
PROBES = ("", "tetrode", "hex49", "linear-16-25", "single")
SIGNS = {"neg": "troughs", "pos": "positive peaks", "both": "troughs and peaks"}


class OpenRecordingDialog(QtWidgets.QDialog):
    """Asks for a recording and tells at once whether it can be read as described.

    runner : runs the check; request() : what was asked for
    """

    def __init__(self, parent: QtWidgets.QWidget | None, runner: Runner, *, path: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle("Open recording")
        self._runner = runner
        self._session_is_ours = True
        asked = form()
        self.path = line("recording", "Raw binary, NWB, SpikeInterface folder, Zarr, …", path)
        asked.addRow("Recording", row(self.path, File=self._browse_file, Folder=self._browse_folder))
        self.stream = choice("which set of channels", {})
        self.stream_label = Label("Stream")
        asked.addRow(self.stream_label, self.stream)
        self.probe = choice("probe", {name: name for name in PROBES})
        self.probe.setEditable(True)
        self.probe.lineEdit().setPlaceholderText("as stored in the recording")
        self.probe.setToolTip("A name (tetrode, hex49, linear-16-25, single), or a file (.json, .prb, .csv)")
        asked.addRow("Probe", row(self.probe, File=self._browse_probe))
        asked.addRow("", quiet("A raw binary file does not describe itself. For such a file, fill in:"))
        self.rate = _line("Hz", "e.g. 20000")
        self.channels = _line("number of channels", "e.g. 49")
        self.dtype = dtypes("type of numbers")
        raw = QtWidgets.QHBoxLayout()
        raw.setSpacing(10)
        for label, widget in (("Hz", self.rate), ("channels", self.channels), ("", self.dtype)):
            raw.addWidget(widget, 1)
            if label:
                raw.addWidget(quiet(label))
        asked.addRow("Raw file", raw)
        self.threshold = QtWidgets.QDoubleSpinBox()
        self.threshold.setAccessibleName("detect spikes beyond")
        self.threshold.setRange(2.0, 20.0)
        self.threshold.setSingleStep(0.25)
        self.threshold.setValue(default_settings().threshold_sd)
        self.threshold.setSuffix("  × noise sd")
        self.threshold.setToolTip(
            "Height from which on a peak of the filtered traces is a spike, in standard deviations of the\n"
            "noise of its channel"
        )
        self.sign = choice("sign of spikes", SIGNS)
        asked.addRow("Detect spikes beyond", row(self.threshold, self.sign))
        self.blank_nan = QtWidgets.QCheckBox("Blank samples that are NaN or infinite")
        self.blank_nan.setToolTip("The traces are zero there. Without this, such a recording is refused.")
        asked.addRow("", self.blank_nan)
        self.details = SortingDetails()
        asked.addRow("", self.details)
        self.session = line("keep the work in")
        asked.addRow("Keep the work in", row(self.session, Browse=self._browse_session))
        self.verdict = Label()
        self.verdict.setWordWrap(True)
        self.verdict.setMinimumHeight(44)
        self.verdict.setAlignment(QtCore.Qt.AlignTop | QtCore.Qt.AlignLeft)
        buttons, self.go = answers(self, "Open and sample")
        self.go.setEnabled(False)
        layout = QtWidgets.QVBoxLayout(self)
        layout.addStrut(692)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(14)
        layout.addLayout(asked)
        layout.addWidget(self.verdict)
        layout.addWidget(buttons)
        self._describing = Soon(self, self.describe, after_ms=DESCRIBE_AFTER_MS)
        self.path.textChanged.connect(self._suggest_session)
        self.path.textChanged.connect(lambda: self._offer((), None))
        self.session.textEdited.connect(self._session_edited)
        for signal in (
            self.path.textChanged, self.probe.currentTextChanged, self.rate.textChanged,
            self.channels.textChanged, self.dtype.currentTextChanged, self.details.changed,
            self.stream.activated,
        ):  # fmt: skip
            signal.connect(self._changed)
        self._suggest_session()
        self._offer((), None)
        self._changed()

    def request(self) -> RecordingRequest:
        """What was asked for."""
        options: dict[str, Any] = {}
        if self.probe.currentText().strip():
            options["probe"] = self.probe.currentText().strip()
        rate, channels = number(self.rate.text()), number(self.channels.text())
        if rate is not None or channels is not None:
            options |= {
                "sampling_frequency": rate,
                "n_channels": None if channels is None else int(channels),
                "dtype": self.dtype.currentText(),
            }
        if self.stream.currentData() is not None:
            options["stream"] = self.stream.currentData()
        return RecordingRequest(
            path=expanded(self.path.text().strip()),
            options={**options, **self.details.options()},
            settings={
                **self.details.settings(),
                "threshold_sd": self.threshold.value(),
                "peak_sign": self.sign.currentData(),
                "blank_nan": self.blank_nan.isChecked(),
            },
            session=expanded(self.session.text().strip()) if self.session.text().strip() else None,
            stimulus=self.details.stimulus_file(),
        )

    def describe(self) -> None:
        """Check whether the recording can be read so, away from this thread."""
        request = self.request()
        if not self.path.text().strip():
            self._tell("", ok=False)
            return
        if request.session is not None and request.session.exists():
            text = f"{request.session.name} exists already: open it as a session, or give another name"
            self._tell(text, ok=False, bad=True)
            return

        def failed(error: Exception) -> None:
            self._tell(str(error), ok=False, bad=True)

        self._tell("Looking …", ok=False)
        self._runner.submit(
            Task(
                "Looking at the recording",
                lambda p: describe_recording(request, progress=p),
                self._show,
                failed=failed,
                key="describe",
                lane="view",
                priority=9,
            )
        )

    def done(self, result: int) -> None:
        """Close; a check under way is not wanted any more."""
        self._describing.stop()
        self._runner.cancel_key("describe")
        super().done(result)

    def _show(self, info: RecordingInfo) -> None:
        self._offer(info.streams, info.stream)
        self._tell(info.problem or described(info), ok=not info.problem, bad=bool(info.problem))

    def _offer(self, streams: Sequence[tuple[str, int, float]], chosen: str | None) -> None:
        """List the streams; the row is there when there is a choice."""
        self.stream.clear()
        if streams and chosen is None:
            self.stream.addItem("choose one", None)
        for name, n_channels, rate_hz in streams:
            words = f"{name} – {count(n_channels, 'channel')} at {rate_hz / 1000:g} kHz"
            self.stream.addItem(words, name)
        self.stream.setCurrentIndex(max(0, self.stream.findData(chosen) if chosen is not None else 0))
        for widget in (self.stream, self.stream_label):
            widget.setVisible(bool(streams))

    def _tell(self, words: str, *, ok: bool, bad: bool = False) -> None:
        self.verdict.setText(sentence(without_options(words)))
        self.verdict.setProperty("tone", "bad" if bad else "good" if ok else "")
        self.verdict.style().polish(self.verdict)
        self.go.setEnabled(ok)

    def _changed(self) -> None:
        self.go.setEnabled(False)
        self._describing.ask()

    def _session_edited(self) -> None:
        self._session_is_ours = False
        self._changed()

    def _suggest_session(self) -> None:
        text = self.path.text().strip()
        if text and self._session_is_ours:
            self.session.setText(str(unused_session(expanded(text))))

    def _browse_file(self) -> None:
        names = " ".join(known_extensions())
        name, _ = QtWidgets.QFileDialog.getOpenFileName(
            self, "Open recording", self.path.text(), f"Recordings ({names});;All files (*)"
        )
        fill(self.path.setText, name)

    def _browse_folder(self) -> None:
        fill(self.path.setText, QtWidgets.QFileDialog.getExistingDirectory(self, "Open recording folder"))

    def _browse_probe(self) -> None:
        name, _ = QtWidgets.QFileDialog.getOpenFileName(self, "Probe", "", "Probes (*.json *.prb *.csv)")
        fill(self.probe.setEditText, name)

    def _browse_session(self) -> None:
        name, _ = QtWidgets.QFileDialog.getSaveFileName(self, "Keep the work in", self.session.text(), "*.h5")
        if name:
            self._session_is_ours = False
            self.session.setText(name)


def described(info: RecordingInfo) -> str:
    """``49 channels at 20 kHz, 60 s, 2 segments end to end, with a stimulus``."""
    words = f"{count(info.n_channels, 'channel')} at {info.sampling_frequency_hz / 1000:g} kHz, "
    words += duration(info.duration_s)
    if info.clock:
        words += f" ({info.clock})"
    if info.n_segments > 1:
        words += f", {count(info.n_segments, 'segment')} joined end to end and sorted as one"
    words += ", with a white-noise stimulus" if info.has_stimulus else ""
    return "; ".join((words, *info.notes))


def _line(name: str, example: str) -> QtWidgets.QLineEdit:
    """A line as wide as its example."""
    made = line(name, example)
    made.setMinimumWidth(made.fontMetrics().horizontalAdvance(example) + LINE_MARGINS_PX)
    return made
