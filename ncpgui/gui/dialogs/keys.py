"""The key page and the page about the program, both from the list of actions."""

from __future__ import annotations

from html import escape

from PyQt5 import QtCore, QtWidgets

from ncpgui import __version__
from ncpgui.app.actions import help_page
from ncpgui.gui.theme import Theme

MOUSE = (
    ("Click a row of the queue", "Put its units on screen"),
    ("Click a contact", "Put the units on screen that have most spikes there; again: the next ones"),
    ("Click a card", "Preview that sorting in all panels"),
    ("Double click a card", "Use that sorting"),
    ("Click a waveform, a row", "Select the unit; Ctrl adds"),
    ("Drop a file", "Open it"),
)


class KeysDialog(QtWidgets.QDialog):
    """All actions with their keys; stays open beside the window."""

    def __init__(self, parent: QtWidgets.QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.resize(QtCore.QSize(760, 640).boundedTo(parent.size()))
        self.page = QtWidgets.QTextBrowser()
        self.page.setHtml(keys_html(theme))
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(22, 16, 12, 14)
        layout.addWidget(self.page)
        QtWidgets.QShortcut(QtCore.Qt.Key_H, self, self.close)


def keys_html(theme: Theme) -> str:
    """Key page as HTML."""
    cell = f"padding:4px 16px 4px 0; border-bottom:1px solid {theme.border};"
    parts = []
    groups = [*help_page(), ("Mouse", [("", *row) for row in MOUSE])]
    for menu, rows in groups:
        parts.append(f"<h3 style='color:{theme.accent}; margin:14px 0 4px 0'>{escape(menu)}</h3>")
        parts.append("<table width='100%' cellspacing='0'>")
        for keys, name, words in rows:
            parts.append(
                f"<tr><td width='24%' style='{cell}'><b>{escape(keys)}</b></td>"
                f"<td width='26%' style='{cell}'>{escape(name)}</td>"
                f"<td style='{cell} color:{theme.muted}'>{escape(words)}</td></tr>"
                if menu != "Mouse"
                else f"<tr><td width='50%' style='{cell}'><b>{escape(name)}</b></td>"
                f"<td style='{cell} color:{theme.muted}'>{escape(words)}</td></tr>"
            )
        parts.append("</table>")
    return "".join(parts)


def about_text() -> str:
    """What this program is, as HTML."""
    return (
        f"<h2>ncpgui {escape(__version__)}</h2>"
        "<p>Spike sorting that shows the alternatives, each with a probability.</p>"
        "<p>A network trained on simulated spikes samples the posterior over the sortings of neurons "
        "that could be one another (Neural Clustering Processes). What it shows is as good as its model: see "
        "the card of the model with <code>ncpgui models</code>.</p>"
        "<p>GPL-3.0-or-later</p>"
    )
