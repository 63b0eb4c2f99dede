"""Which recording a sorting was made of, where its folder does not lead to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PyQt5 import QtWidgets

from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.core.home import expanded
from ncpgui.gui.dialogs.form import answers, dtypes, fill, form, line, number, quiet, row


class ReviewRecordingDialog(QtWidgets.QDialog):
    """Asks for a recording, and for what a raw file does not say of itself.

    request() : what was asked for, with the recording
    """

    def __init__(self, parent: QtWidgets.QWidget | None, request: ReviewRequest) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Recording of {request.path.name}")
        self._request = request
        options = request.options
        self.path = line("recording", "The file or folder that was sorted", _text(request.recording))
        rate, channels, probe, stream = (
            _text(options.get(name)) for name in ("sampling_frequency", "n_channels", "probe", "stream")
        )
        self.rate = line("", "as params.py says, or Hz such as 30000", rate)
        many = "as params.py says, or how many the file has, such as 385"
        self.channels = line("", many, channels)
        self.dtype = dtypes("")
        self.probe = line("", "as the folder says, or a name or file as for a recording", probe)
        self.stream = line("", "the only one with spikes, or its name or a part of it", stream)
        asked = form()
        asked.addRow("Recording", row(self.path, File=self._browse_file, Folder=self._browse_folder))
        asked.addRow("Sampling frequency", self.rate)
        asked.addRow("Channels", self.channels)
        asked.addRow("Numbers", self.dtype)
        asked.addRow("Stream", self.stream)
        asked.addRow("Probe", self.probe)
        about = quiet("Leave empty what the folder, or a recording that describes itself, says already.")
        about.setWordWrap(True)
        buttons, self.go = answers(self, "Review")
        layout = QtWidgets.QVBoxLayout(self)
        layout.addStrut(592)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(14)
        layout.addLayout(asked)
        layout.addWidget(about)
        layout.addWidget(buttons)
        self.path.textChanged.connect(self._changed)
        self.rate.textChanged.connect(self._changed)
        self.channels.textChanged.connect(self._changed)
        self._changed()

    def request(self) -> ReviewRequest:
        """The sorting with the recording that was chosen."""
        rate, channels = number(self.rate.text()), number(self.channels.text())
        options: dict[str, Any] = {}
        if rate is not None and channels is not None:
            options = {
                "sampling_frequency": rate,
                "n_channels": int(channels),
                "dtype": self.dtype.currentText(),
            }
        for name, edit in (("probe", self.probe), ("stream", self.stream)):
            if edit.text().strip():
                options[name] = edit.text().strip()
        recording = expanded(self.path.text().strip())
        return replace(self._request, recording=recording, options=options)

    def _changed(self) -> None:
        both = bool(self.rate.text().strip()) == bool(self.channels.text().strip())
        whole = number(self.channels.text())
        fits = whole is None or whole == int(whole)
        self.go.setEnabled(bool(self.path.text().strip()) and both and fits)

    def _browse_file(self) -> None:
        name, _ = QtWidgets.QFileDialog.getOpenFileName(self, self.windowTitle(), str(self._request.path))
        fill(self.path.setText, name)

    def _browse_folder(self) -> None:
        name = QtWidgets.QFileDialog.getExistingDirectory(self, self.windowTitle(), str(self._request.path))
        fill(self.path.setText, name)


def _text(value: object) -> str:
    return "" if value is None else str(value)
