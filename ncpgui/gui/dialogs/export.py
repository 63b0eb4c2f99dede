"""Where to export the sorting, and for which tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PyQt5 import QtCore, QtWidgets

from ncpgui.core.home import expanded
from ncpgui.gui.dialogs.form import answers, fill, line, quiet, row
from ncpgui.gui.plain_text import Label

ABOUT = {
    "phy": "Opens in phy and in spikeinterface.read_phy; with features and probability of every spike.",
    "spikeinterface": "A sorting folder with unit properties, and curation.json with your labels and merges.",
    "nwb": "Units with spike times, probabilities and mean waveforms, and electrodes; for DANDI and pynwb.",
    "mat": "Spikes and an array of units, for MATLAB and Octave.",
    "npz": "Spike trains, probabilities and all posterior samples, for your own analysis.",
    "csv": "Two tables, of spikes and of units, for anything else.",
}


class ExportDialog(QtWidgets.QDialog):
    """Format as radio buttons, each with what it is good for, and the place.

    formats : (name, title, is a folder, suffix, what has to be installed first) of each format;
    folder, stem : where by default;
    left_out : (format, whether traces are copied) -> what it could hold and will lack; formats that show
    traces are there with and without a copy
    trace_bytes : of the traces at least, 0 where they cannot be copied; copy_first : whether that is
    suggested
    """

    def __init__(
        self,
        parent: QtWidgets.QWidget | None,
        formats: list[tuple[str, str, bool, str, str]],
        *,
        folder: Path,
        stem: str,
        left_out: Mapping[tuple[str, bool], Sequence[str]] | None = None,
        trace_bytes: int = 0,
        copy_first: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self._formats = {name: (is_folder, suffix) for name, _, is_folder, suffix, _ in formats}
        self._folder, self._stem = folder, stem
        self._left_out = left_out or {}
        layout = QtWidgets.QVBoxLayout(self)
        layout.addStrut(512)
        layout.setContentsMargins(24, 18, 24, 18)
        layout.setSpacing(6)
        self.choices: dict[str, QtWidgets.QRadioButton] = {}
        for name, title, _, _, lacks in formats:
            choice = QtWidgets.QRadioButton(title)
            choice.toggled.connect(self._suggest)
            choice.setEnabled(not lacks)
            about = quiet(f"Needs {lacks}." if lacks else ABOUT.get(name, ""))
            about.setIndent(24)
            about.setWordWrap(True)
            layout.addWidget(choice)
            layout.addWidget(about)
            layout.addSpacing(4)
            self.choices[name] = choice
        self.place = line("Where to export")
        browse = QtWidgets.QPushButton("Browse…")
        browse.clicked.connect(self._browse)
        sure = QtWidgets.QHBoxLayout()
        self.min_probability = QtWidgets.QDoubleSpinBox()
        self.min_probability.setRange(0.0, 1.0)
        self.min_probability.setSingleStep(0.05)
        self.min_probability.setAccessibleName("Least probability of a spike")
        self.min_probability.setToolTip(
            "P(spike), 0 to 1: the probability that a spike is of its unit, from the draws; 0 keeps all"
        )
        words = Label("Leave out spikes that are of their unit with a probability under")
        words.setBuddy(self.min_probability)
        sure.addWidget(words)
        sure.addWidget(self.min_probability)
        sure.addStretch(1)
        self.copy_traces = QtWidgets.QCheckBox(
            f"Copy the traces too, at least {_size(trace_bytes)}: phy shows them anywhere"
        )
        self.copy_traces.setToolTip(
            "Size of the recording's traces: two bytes or more a sample of each channel"
        )
        self.copy_traces.setChecked(copy_first and trace_bytes > 0)
        self.copy_traces.setEnabled(trace_bytes > 0)
        self.copy_traces.toggled.connect(self._tell)
        self.lacking = Label()
        self.lacking.setWordWrap(True)
        layout.addSpacing(6)
        layout.addLayout(sure)
        layout.addWidget(self.copy_traces)
        layout.addLayout(row(self.place, browse, spacing=6))
        layout.addWidget(self.lacking)
        buttons, self.go = answers(self, "Export")
        layout.addSpacing(8)
        layout.addWidget(buttons)
        self.place.textChanged.connect(lambda text: self.go.setEnabled(bool(text.strip())))
        next(iter(self.choices.values())).setChecked(True)

    @property
    def format_name(self) -> str:
        """Name of the chosen format."""
        return next(name for name, choice in self.choices.items() if choice.isChecked())

    @property
    def path(self) -> Path:
        """Chosen place."""
        return expanded(self.place.text().strip())

    @property
    def copies_traces(self) -> bool:
        """Whether the traces shall be copied into what is written."""
        return self._shows_traces and self.copy_traces.isEnabled() and self.copy_traces.isChecked()

    @property
    def _shows_traces(self) -> bool:
        return (self.format_name, True) in self._left_out

    def _suggest(self, chosen: bool) -> None:
        if not chosen:
            return
        is_folder, suffix = self._formats[self.format_name]
        end = f"_{self.format_name}" if is_folder else suffix
        self.place.setText(str(self._folder / f"{self._stem}{end}"))
        self.copy_traces.setVisible(self._shows_traces)
        self._tell()

    def _tell(self) -> None:
        parts = self._left_out.get((self.format_name, self.copies_traces), ())
        self.lacking.setText(
            "".join(f"{'' if k else 'Will be left out:'}\n– {part}" for k, part in enumerate(parts))
        )
        self.lacking.setVisible(bool(parts))
        self.layout().activate()
        self.resize(self.width(), self.layout().heightForWidth(self.width()))

    def _browse(self) -> None:
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Export to", self.place.text(), options=QtWidgets.QFileDialog.DontConfirmOverwrite
        )
        fill(self.place.setText, QtCore.QDir.toNativeSeparators(name))


def _size(n_bytes: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes / 1e3:.0f} kB"
