"""What dialogs are made of: forms, lines, lists of choices, rows with buttons, and the buttons at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PyQt5 import QtWidgets

from ncpgui.gui.items.glyphs import RIGHT
from ncpgui.gui.plain_text import Label

DTYPES = ("int16", "uint16", "float32", "int32")


def form(parent: QtWidgets.QWidget | None = None) -> QtWidgets.QFormLayout:
    """An empty form, its labels beside what is asked."""
    made = QtWidgets.QFormLayout(parent)
    made.setLabelAlignment(RIGHT)
    made.setHorizontalSpacing(16)
    made.setVerticalSpacing(9)
    return made


def line(name: str, example: str = "", text: str = "") -> QtWidgets.QLineEdit:
    """A line to write in; name : for screen readers; example : shown while it is empty."""
    made = QtWidgets.QLineEdit(text)
    made.setAccessibleName(name)
    made.setPlaceholderText(example)
    return made


def choice(name: str, values: Mapping[str, str]) -> QtWidgets.QComboBox:
    """A list of which one is chosen; values : what each entry stands for -> its words."""
    made = QtWidgets.QComboBox()
    made.setAccessibleName(name)
    for value, words in values.items():
        made.addItem(words, value)
    return made


def dtypes(name: str) -> QtWidgets.QComboBox:
    """The types of numbers that a raw file may have."""
    made = choice(name, {dtype: dtype for dtype in DTYPES})
    made.setToolTip("Type of the numbers in the file: by how many bits a sample of a channel is")
    return made


def quiet(text: str) -> QtWidgets.QLabel:
    """Words that explain."""
    label = Label(text)
    label.setObjectName("subtitle")
    return label


def row(
    *widgets: QtWidgets.QWidget, spacing: int = 8, **buttons: Callable[[], None]
) -> QtWidgets.QHBoxLayout:
    """Widgets beside each other, the first as wide as it may be, and buttons that are called `buttons`."""
    made = QtWidgets.QHBoxLayout()
    made.setSpacing(spacing)
    for number, widget in enumerate(widgets):
        made.addWidget(widget, int(number == 0))
    for words, run in buttons.items():
        button = QtWidgets.QPushButton(f"{words}…")
        button.setAutoDefault(False)
        button.clicked.connect(lambda _=False, run=run: run())
        made.addWidget(button)
    return made


def number(text: str) -> float | None:
    """The number that is written, None where there is none."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def fill(put: Callable[[str], object], name: str) -> None:
    """Take the name of a file, unless the question for it was left."""
    if name:
        put(name)


def answers(dialog: QtWidgets.QDialog, go: str) -> tuple[QtWidgets.QDialogButtonBox, QtWidgets.QPushButton]:
    """The buttons at the end of a dialog: Cancel, and the one that does it, which stands out."""
    buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.Cancel)
    button = buttons.addButton(go, QtWidgets.QDialogButtonBox.AcceptRole)
    button.setProperty("primary", True)
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons, button
