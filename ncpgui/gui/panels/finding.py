"""Finding: a number of each unit with its interval over draws of the sorting, and what it depends on."""

from __future__ import annotations

from functools import partial

from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.finding import (
    CHOICES,
    FindingChoice,
    FindingView,
    possible_choices,
    present_finding,
    shares_of,
)
from ncpgui.gui.buttons import MenuButton, PassingMenu, add_choice
from ncpgui.gui.items.glyphs import LEFT, RIGHT, elided, paint_dot, paint_plate, set_ink
from ncpgui.gui.items.scroll_area import ScrollArea
from ncpgui.gui.items.unit_canvas import UnitCanvas
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import Theme, font

ROW, AXIS = 34, 18
NAME, GAP = 44, 8
REMEMBERED = "finding"
ORDER = "First ask what narrows it most"


class FindingWidget(UnitCanvas):
    """Paints a row a unit: its interval on a common axis, and in words what it is and depends on.

    `question_clicked(row)`: on what a finding depends on.
    """

    question_clicked = QtCore.pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__("Finding")
        self.view = FindingView()

    def set_view(self, view: FindingView, theme: Theme) -> None:
        """Show other rows."""
        self.view, self.theme = view, theme
        self.setAccessibleDescription(
            "; ".join(f"unit {row.unit}, {row.value}, {row.verdict}" for row in view.rows)
        )
        self.setMinimumHeight(ROW * len(view.rows) + AXIS)
        self.update()

    def row_rect(self, index: int) -> QtCore.QRectF:
        """Place of a row."""
        return QtCore.QRectF(0, ROW * index, self.width(), ROW)

    def axis_rect(self, index: int) -> QtCore.QRectF:
        """Place of the interval of a row."""
        return self.row_rect(index).adjusted(NAME, 20, -8, -6)

    def unit_at(self, where: QtCore.QPointF) -> int:
        """Row under a point, -1 when there is none."""
        index = int(where.y() // ROW)
        return index if 0 <= index < len(self.view.rows) and where.y() >= 0 else -1

    def verdict_rect(self, index: int) -> QtCore.QRectF:
        """Place of the words that say what a finding depends on."""
        return self._words_rects(index)[1]

    def _words_rects(self, index: int) -> tuple[QtCore.QRectF, QtCore.QRectF]:
        """Places of the value and of what it depends on, which has room for its shortest words."""
        width, row = QtGui.QFontMetrics(font(11)).horizontalAdvance, self.view.rows[index]
        value = self.row_rect(index).adjusted(NAME, 3, -8, 0)
        value.setHeight(15)
        verdict = QtCore.QRectF(value)
        value.setRight(min(value.left() + width(row.value), value.right() - width(row.verdicts[-1]) - GAP))
        verdict.setLeft(value.right() + GAP)
        return value, verdict

    def click(self, event: QtGui.QMouseEvent) -> None:
        """Tell which question, or else which unit, is clicked."""
        index = self.unit_at(event.localPos())
        is_question = index >= 0 and self.view.rows[index].question is not None
        if is_question and self.verdict_rect(index).contains(event.localPos()):
            self.question_clicked.emit(index)
            return
        super().click(event)

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the finding at a point."""
        index = self.unit_at(where)
        if index >= 0:
            return self.view.rows[index].tooltip
        return self.view.axis_help if self.view.rows and where.y() > 0 else ""

    def paint(self, painter: QtGui.QPainter, seen: QtCore.QRect) -> None:
        """Paint the rows in view, and the ends of the axis."""
        for index in range(len(self.view.rows)):
            if self.row_rect(index).intersects(QtCore.QRectF(seen)):
                self._paint_row(painter, index)
        if self.view.rows:
            line = QtCore.QRectF(NAME, ROW * len(self.view.rows), self.width() - NAME - 8, AXIS)
            set_ink(painter, self.theme.color("muted"), 10)
            painter.drawText(line, LEFT, self.view.ends[0])
            painter.drawText(line, RIGHT, self.view.ends[1])

    def _paint_row(self, painter: QtGui.QPainter, index: int) -> None:
        row, theme, rect = self.view.rows[index], self.theme, self.row_rect(index)
        if row.is_selected or index == self._hover:
            fill = theme.color("accent_soft" if row.is_selected else "hover")
            paint_plate(painter, rect.adjusted(0, 1, -2, -1), fill, 6)
        color = theme.unit(row.color)
        paint_dot(painter, QtCore.QPointF(9, rect.center().y()), color)
        set_ink(painter, theme.color("text"), 13, bold=True)
        name = QtCore.QRectF(18, rect.top(), NAME - 18, rect.height())
        painter.drawText(name, LEFT, str(row.unit))
        place, words = self._words_rects(index)
        set_ink(painter, theme.color("muted"), 11)
        value = elided(painter, row.value, place.width())
        painter.drawText(place, LEFT, value)
        painter.setPen(theme.color("faint" if row.is_robust else "accent"))
        width = painter.fontMetrics().horizontalAdvance
        verdict = next((one for one in row.verdicts if width(one) <= words.width()), row.verdicts[-1])
        painter.drawText(words, RIGHT, verdict)
        axis = self.axis_rect(index)
        middle = axis.center().y()
        painter.setPen(QtGui.QPen(theme.color("border"), 1))
        painter.drawLine(QtCore.QPointF(axis.left(), middle), QtCore.QPointF(axis.right(), middle))
        left, right = (axis.left() + axis.width() * one for one in (row.low, row.high))
        band = QtGui.QColor(color)
        band.setAlphaF(0.35)
        paint_plate(painter, QtCore.QRectF(left, middle - 4, max(right - left, 3.0), 8), band, 3)
        paint_dot(painter, QtCore.QPointF(axis.left() + axis.width() * row.mean, middle), color, 3)
        if row.in_use == row.in_use:
            x = axis.left() + axis.width() * row.in_use
            painter.setPen(QtGui.QPen(theme.color("text"), 1.5))
            painter.drawLine(QtCore.QPointF(x, middle - 5), QtCore.QPointF(x, middle + 5))


class FindingPanel(Panel):
    """Intervals of a finding; they are computed only while this is visible."""

    title = "Finding"
    draws = ("findings over draws",)
    follows = ("units_changed", "events_changed")

    def build(self) -> None:
        """Make the rows, the message, the choice of the finding and of the order of questions."""
        remembered = self.controller.preferences.get(REMEMBERED, "")
        self.choice = next((one for one in CHOICES if one.name == remembered), CHOICES[0])
        self.rows = FindingWidget()
        self.rows.clicked.connect(
            lambda row, adds: self.workspace.pick(self.rows.view.rows[row].unit, adds=adds)
        )
        self.rows.question_clicked.connect(self._show_question)
        self.fill(ScrollArea(self.rows, QtCore.Qt.Vertical))
        self.choice_button = MenuButton(
            "Which number of each unit is shown, and the order of the queue", self.choice_menu
        )
        self.header.addWidget(self.choice_button)
        self.note.setToolTip(
            "The number of each unit in fifty draws of the sorting: the dot is the mean, the band holds\n"
            "90\u2009% of sorting and data together, the line is the sorting in use. Robust: no answer to\n"
            "a question is expected to narrow the band by a tenth. A click on a unit selects it, and one\n"
            "on what it depends on shows that question."
        )

    def redraw(self) -> None:
        """Draw the finding, and ask for it."""
        if not self.choice.is_possible(self.workspace.state.project):
            self.choice = CHOICES[0]
        found, problem = self.controller.data.finding(self.choice)
        view = present_finding(self.workspace, self.choice, found, problem=problem)
        self.tell(view.message, view.note)
        self.choice_button.setText(self.choice.name)
        self.rows.set_view(view, self.theme)

    def look_at(self, choice: FindingChoice) -> None:
        """Show another finding, now and the next time."""
        self.choice = choice
        self.controller.preferences.set(REMEMBERED, choice.name)
        self.mark_dirty()

    def choice_menu(self) -> PassingMenu:
        """What can be looked at in this session, and whether the queue has the order of it."""
        menu, view = PassingMenu(self), self.rows.view
        for choice in possible_choices(self.workspace):
            add_choice(menu, choice.name, partial(self.look_at, choice), is_on=choice == self.choice)
        menu.addSeparator()
        is_on, is_possible = view.is_asked_by_it, bool(view.rows)
        add_choice(menu, ORDER, lambda: self.ask_by_it(not is_on), is_on=is_on, is_possible=is_possible)
        return menu

    def ask_by_it(self, on: bool) -> None:
        """Give the queue the order in which answers narrow this finding most, or its own again."""
        found, _ = self.controller.data.finding(self.choice)
        name = self.choice.name if on and found is not None else ""
        self.workspace.questions.ask_by(name, shares_of(found or ()) if name else {})
        self.mark_dirty()

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Select the unit at a place."""
        row = self.rows.row_at(place)
        return row >= 0 and self.point_out_units(self.rows.view.rows[row].unit)

    def _show_question(self, index: int) -> None:
        question = self.rows.view.rows[index].question
        assert question is not None
        self.workspace.show_component(question)
