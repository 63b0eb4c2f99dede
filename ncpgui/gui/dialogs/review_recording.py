"""Which recording a sorting was made of, where its folder does not lead to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.core.home import expanded
from ncpgui.gui.plain_text import Label

DTYPES = ("int16", "uint16", "float32", "int32")


class ReviewRecordingDialog(QtWidgets.QDialog):
    """Asks for a recording, and for what a raw file does not say of itself.

    request() : what was asked for, with the recording
    """

    def __init__(self, parent: QtWidgets.QWidget | None, request: ReviewRequest) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Recording of {request.path.name}")
        self._request = request
        options = request.options
        self.path = QtWidgets.QLineEdit("" if request.recording is None else str(request.recording))
        self.path.setAccessibleName("recording")
        self.path.setPlaceholderText("The file or folder that was sorted")
        row = QtWidgets.QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.path, 1)
        for words, run in (("File…", self._browse_file), ("Folder…", self._browse_folder)):
            button = QtWidgets.QPushButton(words)
            button.setAutoDefault(False)
            button.clicked.connect(run)
            row.addWidget(button)
        self.rate = QtWidgets.QLineEdit(_text(options.get("sampling_frequency")))
        self.rate.setPlaceholderText("as params.py says, or Hz such as 30000")
        self.channels = QtWidgets.QLineEdit(_text(options.get("n_channels")))
        self.channels.setPlaceholderText("as params.py says, or how many the file has, such as 385")
        self.dtype = QtWidgets.QComboBox()
        self.dtype.addItems(DTYPES)
        self.dtype.setToolTip("Type of the numbers in the file: by how many bits a sample of a channel is")
        self.probe = QtWidgets.QLineEdit(_text(options.get("probe")))
        self.probe.setPlaceholderText("as the folder says, or a name or file as for a recording")
        self.stream = QtWidgets.QLineEdit(_text(options.get("stream")))
        self.stream.setPlaceholderText("the only one with spikes, or its name or a part of it")
        form = QtWidgets.QFormLayout()
        form.setLabelAlignment(QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(9)
        form.addRow("Recording", row)
        form.addRow("Sampling frequency", self.rate)
        form.addRow("Channels", self.channels)
        form.addRow("Numbers", self.dtype)
        form.addRow("Stream", self.stream)
        form.addRow("Probe", self.probe)
        about = Label("Leave empty what the folder, or a recording that describes itself, says already.")
        about.setWordWrap(True)
        about.setObjectName("subtitle")
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.Cancel)
        self.go = buttons.addButton("Review", QtWidgets.QDialogButtonBox.AcceptRole)
        self.go.setProperty("primary", True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QtWidgets.QVBoxLayout(self)
        layout.addStrut(592)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(14)
        layout.addLayout(form)
        layout.addWidget(about)
        layout.addWidget(buttons)
        self.path.textChanged.connect(self._changed)
        self.rate.textChanged.connect(self._changed)
        self.channels.textChanged.connect(self._changed)
        self._changed()

    def request(self) -> ReviewRequest:
        """The sorting with the recording that was chosen."""
        rate, channels = _number(self.rate.text()), _number(self.channels.text())
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
        whole = _number(self.channels.text())
        fits = whole is None or whole == int(whole)
        self.go.setEnabled(bool(self.path.text().strip()) and both and fits)

    def _browse_file(self) -> None:
        name, _ = QtWidgets.QFileDialog.getOpenFileName(self, self.windowTitle(), str(self._request.path))
        if name:
            self.path.setText(name)

    def _browse_folder(self) -> None:
        name = QtWidgets.QFileDialog.getExistingDirectory(self, self.windowTitle(), str(self._request.path))
        if name:
            self.path.setText(name)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
