"""Units that may be the same neuron as the selected one; a click shows both together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.similar_units import SimilarUnit, present_similar
from ncpgui.app.presenters.unit_columns import CHANNELS, POSTERIOR, SPIKES, column
from ncpgui.app.words import count
from ncpgui.core.percent import percent
from ncpgui.gui.items.glyphs import paint_dot
from ncpgui.gui.items.rows_model import RowsModel
from ncpgui.gui.items.unit_rows import UnitList, alignment, row_at
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import font

DOT_PX = 12
TEMPLATES = "the mean waveforms of both"
ELSEWHERE = "\nIt is of another question: both were not sampled together. Select it to see both"
LEAST_WIDTH = 134
LEAST_ROWS = 2
LEAST_COLUMNS = 2


@dataclass(frozen=True)
class SimilarColumn:
    """A column: its title, what it means, and what it shows of a row."""

    title: str
    tooltip: str
    text: Callable[[SimilarUnit], str]
    is_number: bool = True
    source: str = TEMPLATES

    @property
    def help(self) -> str:
        """What it is, and from what."""
        return f"{self.tooltip}\nFrom {self.source}"

    def help_of(self, row: SimilarUnit, listed: int | None) -> str:
        """A cell in full: of which units, what it is, and from what."""
        return f"Unit {row.unit} beside unit {listed}, {self.title}: {self.text(row)}\n{self.help}"


def _number(value: float, digits: int, *, sign: bool = False) -> str:
    if math.isnan(value):
        return "–"
    rounded = round(value, digits) + 0.0  # never -0.0
    text = f"{rounded:+.{digits}f}" if sign and rounded else f"{rounded:.{digits}f}"
    return text.replace("-", "\u2212")


COLUMNS = (
    SimilarColumn("unit", "Number and colour of the unit", lambda r: str(r.unit), False,
                  "the numbers that units got when they were made: they never change"),
    SimilarColumn("P(same)", "P(both are one neuron), %: share of the samples in which one cluster has\n"
                  "most of both. 0 for units that were never in doubt together",
                  lambda r: "–" if math.isnan(r.p_same) else percent(r.p_same).removesuffix("\u2009%"),
                  source=POSTERIOR),
    SimilarColumn("apart", "Distance of the mean waveforms on common contacts, at the best lag, noise sd",
                  lambda r: _number(r.distance_sd, 1)),
    SimilarColumn("times", "What the firing times say, nats: more than 0 for one neuron, which hardly fires\n"
                  "twice within 2 ms; less for two",
                  lambda r: _number(r.nats, 1, sign=True), source=SPIKES),
    SimilarColumn("cosine", "Cosine of the mean waveforms, as phy's similarity; 1 for one shape",
                  lambda r: _number(r.cosine, 2)),
    SimilarColumn("label", "Good, mua or noise", lambda r: "–" if r.label == "unsorted" else r.label, False,
                  column("label").source),
    SimilarColumn("ch", column("ch").tooltip, lambda r: str(r.channel), source=CHANNELS),
)  # fmt: skip


class SimilarModel(RowsModel):
    """Units like another one, in the order of the presenter."""

    rows: tuple[SimilarUnit, ...]
    n_columns = len(COLUMNS)

    def __init__(self, panel: SimilarUnitsPanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self.listed_about: int | None = None

    def data(self, index: QtCore.QModelIndex, role: int = QtCore.Qt.DisplayRole) -> Any:
        """Text, alignment, dot and colour of a cell."""
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        if role in (QtCore.Qt.DisplayRole, QtCore.Qt.AccessibleTextRole):
            return column.text(row)
        if role == QtCore.Qt.TextAlignmentRole:
            return alignment(column)
        if role == QtCore.Qt.DecorationRole and index.column() == 0:
            return _dot(self._panel.theme.unit(row.color), self._panel.devicePixelRatioF())
        if role == QtCore.Qt.FontRole:
            return font(bold=index.column() == 0)
        if role == QtCore.Qt.ForegroundRole:
            return self._panel.theme.color("muted" if row.is_elsewhere else "text")
        if role == QtCore.Qt.ToolTipRole:
            return plain(column.help_of(row, self.listed_about) + (ELSEWHERE if row.is_elsewhere else ""))
        return None

    def headerData(
        self, section: int, orientation: QtCore.Qt.Orientation, role: int = QtCore.Qt.DisplayRole
    ) -> Any:
        """Titles, and what they mean."""
        column = COLUMNS[section] if orientation == QtCore.Qt.Horizontal else None
        if column is None:
            return None
        if role == QtCore.Qt.TextAlignmentRole:
            return int(QtCore.Qt.AlignRight if column.is_number else QtCore.Qt.AlignLeft)
        return {QtCore.Qt.DisplayRole: column.title, QtCore.Qt.ToolTipRole: plain(column.help)}.get(role)


class SimilarUnitsPanel(Panel):
    """List of units like the one that was selected first."""

    title = "Similar units"
    draws = ("firing times of pairs",)
    follows = ("units_changed",)

    def build(self) -> None:
        """Make the list and the message."""
        self.model = SimilarModel(self)
        self.table = UnitList(self.model, "Similar units", least_width=LEAST_WIDTH, least_rows=LEAST_ROWS)
        self.table.setIconSize(QtCore.QSize(DOT_PX, DOT_PX))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QtWidgets.QHeaderView.ResizeToContents)
        header.setFocusPolicy(QtCore.Qt.NoFocus)
        header.setHighlightSections(False)
        header.setFont(font(11))
        self.table.chosen.connect(
            lambda rows: self.workspace.take_similar(self.model.rows[row].unit for row in rows)
        )
        self.note.setToolTip(
            "Number of units of the same question, and of those within 100 µm of the selected unit's main\n"
            "channel, the most probable first. A click shows both together."
        )
        self.fill(self.table)
        self.body.setContentsMargins(12, 8, 6, 8)

    def redraw(self) -> None:
        """Show the list of the unit that was selected first."""
        self.controller.data.ask_shapes()
        view = present_similar(self.workspace, self.controller.data.pairs)
        if (view.rows, view.unit) != (self.model.rows, self.model.listed_about):
            self.model.listed_about = view.unit
            self.model.set_rows(view.rows)
            self._fit_columns()
        self.table.select_rows([number for number, row in enumerate(view.rows) if row.is_taken])
        near = f"{count(len(view.rows), 'unit')} near unit {view.unit}" if view.rows else ""
        self.tell(view.message, near)

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """See which columns fit now."""
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Leave out columns that do not fit, the last ones first."""
        room = self.table.width() - self.table.verticalScrollBar().sizeHint().width()
        for number in range(len(COLUMNS)):
            self.table.setColumnHidden(number, False)  # a hidden one tells no size
            title = self.table.horizontalHeader().sectionSizeHint(number)
            room -= max(title, self.table.sizeHintForColumn(number))
            self.table.setColumnHidden(number, number >= LEAST_COLUMNS and room < 0)

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Show the unit of the row at a place beside the unit of the list."""
        row = row_at(self.table, place)
        if row >= 0 and not self.model.rows[row].is_taken:
            self.workspace.take_similar([self.model.rows[row].unit])
        return row >= 0


def _dot(color: QtGui.QColor, ratio: float) -> QtGui.QIcon:
    """Dot in the colour of a unit, the same in a row that is selected."""
    pixmap = QtGui.QPixmap(round(DOT_PX * ratio), round(DOT_PX * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QtCore.Qt.transparent)
    painter = QtGui.QPainter(pixmap)
    painter.setRenderHint(QtGui.QPainter.Antialiasing)
    paint_dot(painter, QtCore.QPointF(DOT_PX / 2, DOT_PX / 2), color, DOT_PX / 2 - 1.5)
    painter.end()
    icon = QtGui.QIcon(pixmap)
    icon.addPixmap(pixmap, QtGui.QIcon.Selected)
    return icon
