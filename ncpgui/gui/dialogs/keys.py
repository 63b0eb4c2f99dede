"""The key page and the page about the program, both from the list of actions."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PyQt5 import QtCore, QtWidgets

from ncpgui import __version__
from ncpgui.app.action import shown_keys
from ncpgui.app.actions import help_page
from ncpgui.app.keymap import KEYMAPS, OWN_KEYS, Keymap
from ncpgui.app.snippets import SNIPPETS
from ncpgui.app.words import sentence
from ncpgui.gui.dialogs.form import choice, line
from ncpgui.gui.plain_text import Label
from ncpgui.gui.theme import Theme

Row = tuple[str, ...]
MOUSE: tuple[Row, ...] = (
    ("Click a row of the queue", "Put its units on screen"),
    ("Click a contact", "Put the units on screen that have most spikes there; again: the next ones"),
    ("Click a card", "Preview that sorting in all panels"),
    ("Double click a card", "Use that sorting"),
    ("Click a waveform, a row", "Select the unit; Ctrl adds"),
    ("Right click the title of a panel", "Save it as PNG or SVG, give it a window, hide it"),
    ("Drop a file", "Open it"),
)


class KeysDialog(QtWidgets.QDialog):
    """All actions with the keys in force; stays open beside the window.

    `keymap_chosen(name)`, `own_keys_asked`, `read_again_asked`: what a person wants of the keys.
    """

    keymap_chosen = QtCore.pyqtSignal(str)
    own_keys_asked = QtCore.pyqtSignal()
    read_again_asked = QtCore.pyqtSignal()

    def __init__(self, parent: QtWidgets.QWidget, theme: Theme, keymap: Keymap) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.resize(QtCore.QSize(760, 640).boundedTo(parent.size()))
        self._theme, self._keymap = theme, keymap
        self.page = QtWidgets.QTextBrowser()
        self.choice = choice("Keymap", {name: name for name in KEYMAPS})
        self.choice.textActivated.connect(self.keymap_chosen)
        self.own = QtWidgets.QPushButton("Own keys…")
        self.own.setToolTip(f"Opens {OWN_KEYS}, which lists every action")
        self.own.clicked.connect(self.own_keys_asked)
        self.again = QtWidgets.QPushButton("Read again")
        self.again.setToolTip(f"Takes what was changed in {OWN_KEYS}")
        self.again.clicked.connect(self.read_again_asked)
        for button in (self.own, self.again):
            button.setAutoDefault(False)
        row = QtWidgets.QHBoxLayout()
        row.addWidget(Label("Keys of"))
        row.addWidget(self.choice)
        self.search = line("Search", "Search keys and actions")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._show_found)
        row.addSpacing(10)
        row.addWidget(self.search, 1)
        row.addWidget(self.own)
        row.addWidget(self.again)
        row.addSpacing(10)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(22, 16, 12, 14)
        layout.addLayout(row)
        layout.addWidget(self.page)
        self.show_keymap(keymap)

    def show_keymap(self, keymap: Keymap) -> None:
        """Show other keys."""
        self._keymap = keymap
        self.choice.setCurrentText(keymap.name)
        self._show_found()
        for shortcut in self.findChildren(QtWidgets.QShortcut):
            shortcut.setParent(None)
        for key in keymap.keys["help"]:
            QtWidgets.QShortcut(key, self, self.close)

    def _show_found(self, *_: object) -> None:
        """Show what has all words of the search in its keys, name or help."""
        self.page.setHtml(keys_html(self._theme, self._keymap, self.search.text()))


def keys_html(theme: Theme, keymap: Keymap, wanted: str = "") -> str:
    """Key page as HTML: what could not be done, actions by menu, snippets, the mouse.

    wanted : words that a row has to have, all of them in any case and place
    """
    words = wanted.lower().split()

    def found(rows: Iterable[Row]) -> list[Row]:
        return [row for row in rows if all(word in " ".join(row).lower() for word in words)]

    parts = [f"<p style='color:{theme.bad}'>{escape(sentence(words))}</p>" for words in keymap.problems]
    n_before = len(parts)
    for menu, rows in help_page(keymap.keys):
        parts.append(_table(theme, menu, found(rows), (24, 26)))
    colon = shown_keys(keymap.keys["snippet"])
    snippets: list[Row] = [(f"{colon} {s.example}", s.word.capitalize(), s.help) for s in SNIPPETS]
    parts.append(_table(theme, "Snippets", found(snippets), (24, 26)))
    parts.append(_table(theme, "Mouse", found(MOUSE), (50,)))
    if not any(parts[n_before:]):
        parts.append(f"<p style='color:{theme.muted}'>Nothing has {escape(repr(wanted.strip()))} in it.</p>")
    return "".join(parts)


def _table(theme: Theme, title: str, rows: list[Row], widths: tuple[int, ...]) -> str:
    """A heading and a table whose first column is bold and whose last is quiet; '' without rows."""
    if not rows:
        return ""
    cell = f"padding:4px 16px 4px 0; border-bottom:1px solid {theme.border};"
    lines = [f"<h3 style='color:{theme.accent}; margin:14px 0 4px 0'>{escape(title)}</h3>"]
    lines.append("<table width='100%' cellspacing='0'>")
    for first, *between, last in rows:
        cells = [f"<b>{escape(first)}</b>", *map(escape, between)]
        shown = "".join(
            f"<td width='{width}%' style='{cell}'>{text}</td>"
            for width, text in zip(widths, cells, strict=True)
        )
        lines.append(f"<tr>{shown}<td style='{cell} color:{theme.muted}'>{escape(last)}</td></tr>")
    lines.append("</table>")
    return "".join(lines)


def about_text() -> str:
    """What this program is, as HTML."""
    return (
        f"<h2>ncpgui {escape(__version__)}</h2>"
        "<p>Spike sorting that shows the alternatives, each with a probability.</p>"
        "<p>A network trained on simulated spikes samples the sortings of units "
        "that may be the same neuron (Neural Clustering Processes). The probabilities are as good as the "
        "model: <code>ncpgui models</code> shows its scores.</p>"
        "<p>GPL-3.0-or-later</p>"
    )
