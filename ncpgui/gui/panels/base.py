"""Panel: a titled card that follows the workspace while it is visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.core.signals import SignalInstance
from ncpgui.gui.items.elided_label import ElidedLabel
from ncpgui.gui.items.message import Message
from ncpgui.gui.panels.title import PanelTitle, carried_title
from ncpgui.gui.redraws import REDRAWS
from ncpgui.gui.theme import LIGHT, Theme


class Panel(QtWidgets.QFrame):
    """Redraws once per turn of the event loop at most, and only while it is visible.

    What is in it is made when it is shown for the first time, or when one of its parts is asked for before. A
    subclass makes it in `build`, says in `follow` which signals make it stale, and draws in `redraw`.
    `window_asked`: a person wants it in a window of its own, or back;
    `menu_asked(place)`: what can be done with it; `dropped(title)`: another panel was dragged onto it.
    `context_asked(place)`: what can be done with what a right click is on, which `context` names.
    `draws` : kinds of `PanelData` that it draws, and asks for in `redraw`
    `follows` : signals of the state on which it is drawn too, by their names
    """

    title = ""
    draws: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    context: Literal["units", "question", "card"] = "units"
    context_asked = QtCore.pyqtSignal(QtCore.QPoint)
    window_asked = QtCore.pyqtSignal()
    menu_asked = QtCore.pyqtSignal(QtCore.QPoint)
    dropped = QtCore.pyqtSignal(str)

    def __init__(self, workspace: Workspace, controller: Controller) -> None:
        super().__init__()
        self.workspace = workspace
        self.controller = controller
        self.theme: Theme = LIGHT
        self._is_dirty = True
        self._is_made = False
        self.setObjectName("panel")
        self.setAccessibleName(self.title)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 10)
        layout.setSpacing(6)
        self.header = QtWidgets.QHBoxLayout()
        self.header.setSpacing(6)
        if self.title:
            self.title_label = PanelTitle(self.title)
            self.title_label.double_clicked.connect(self.window_asked)
            self.title_label.menu_asked.connect(self.menu_asked)
            self.setAcceptDrops(True)
            self.header.addWidget(self.title_label)
            self.note = ElidedLabel("")
            self.note.setObjectName("panelNote")
            self.header.addWidget(self.note, 1)
            layout.addLayout(self.header)
        self.body = layout
        self.failure = Message()
        self.failure.setParent(self)
        self.failure.setObjectName("failure")
        self.failure.hide()

    def make(self) -> None:
        """Make what is in the panel, unless it is there."""
        if not self._is_made:
            self._is_made = True
            self.build()
            self.restyle()
            self.follow()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Make a panel of which a part is asked for."""
            if self._is_made:
                raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
            self.make()
            return getattr(self, name)

    def setVisible(self, visible: bool) -> None:
        """Make a panel before it is given its room."""
        if visible:
            self.make()
        super().setVisible(visible)

    def build(self) -> None:
        """Make the widgets."""

    def redraw(self) -> None:
        """Draw the present state."""

    def follow(self) -> None:
        """Redraw when another sorting, selection or colouring is on screen, and on signals of `follows`.

        So it does when something that it `draws` arrived. Panels of something else follow that instead.
        """
        shown = self.workspace
        self.redraw_on(
            shown.state.opened, shown.current_changed, shown.shown_changed, shown.selection_changed,
            shown.coloring.changed, *(getattr(shown.state, name) for name in self.follows),
        )  # fmt: skip
        self.controller.arrived.connect(self._arrived)

    def redraw_on(self, *signals: SignalInstance) -> None:
        """Redraw when one of these signals is emitted."""
        for signal in signals:
            signal.connect(self.mark_dirty)

    def _arrived(self, kind: str) -> None:
        if kind in self.draws:
            self.mark_dirty()

    def fill(self, content: QtWidgets.QWidget) -> None:
        """Put what is drawn in the panel, and a message that takes its place: see `tell`."""
        self._content = content
        self.message = Message()
        self.message.hide()
        self.body.addWidget(self.message, 1)
        self.body.addWidget(content, 1)

    def tell(self, message: str, note: str | None = None) -> None:
        """Show `message` in place of the content, '' shows the content; and a note beside the title."""
        if note is not None:
            self.note.setText(note)
        self.message.setText(message)
        self.message.setVisible(bool(message))
        self._content.setVisible(not message)

    def mark_dirty(self, *_: object) -> None:
        """Redraw soon, or when the panel is shown."""
        self._is_dirty = True
        if self.isVisible():
            REDRAWS.add(self)

    def redraw_if_stale(self) -> None:
        """Redraw what is on screen and stale."""
        if self._is_dirty and self.isVisible():
            self.redraw_now()

    def redraw_now(self) -> None:
        """Redraw at once, visible or not; a panel that fails says so in its place, until it can be drawn."""
        self.make()
        self._is_dirty = False
        try:
            self.redraw()
        except Exception as error:
            self.failure.setText(
                f"{self.title or 'This panel'} cannot be drawn: {type(error).__name__}: {error}\n"
                "Nothing is lost, and the other panels go on; details are in the log."
            )
            self._place_failure()
            self.failure.show()
            self.failure.raise_()
            raise
        self.failure.hide()

    def _place_failure(self) -> None:
        """Cover all but the title."""
        top = self.header.geometry().bottom() + 1 if self.title else 0
        self.failure.setGeometry(self.rect().adjusted(1, top, -1, -1))

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Keep what covers a panel that failed as large as it is."""
        super().resizeEvent(event)
        self._place_failure()

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        if self._is_made:
            self.restyle()
        self.mark_dirty()

    def restyle(self) -> None:
        """Give widgets that the style sheet does not reach the colours of `self.theme`."""

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Select what is at a place of the screen, unless it is selected; False where nothing is."""
        return False

    def point_out_units(self, *units: int | None) -> bool:
        """The same of units, None of those that only adopting a preview would make."""
        known = [unit for unit in units if unit is not None]
        if not {*known} <= {*self.workspace.selected}:
            self.workspace.select(known)
        return bool(known)

    def contextMenuEvent(self, event: QtGui.QContextMenuEvent) -> None:
        """Ask for a menu of what is clicked, or else of the panel."""
        asked = self.context_asked if self.point_out(event.globalPos()) else self.menu_asked
        asked.emit(event.globalPos())

    def dragEnterEvent(self, event: QtGui.QDragEnterEvent) -> None:
        """Take another panel, and show that it would be dropped here; files are for the window."""
        if carried_title(event.mimeData()):
            event.acceptProposedAction()
            self._light_up(carried_title(event.mimeData()) != self.title)
        else:
            event.ignore()

    def dragLeaveEvent(self, _: QtGui.QDragLeaveEvent) -> None:
        """It would be dropped elsewhere."""
        self._light_up(False)

    def _light_up(self, is_on: bool) -> None:
        self.setProperty("dropTarget", is_on)
        self.style().unpolish(self)
        self.style().polish(self)

    def dropEvent(self, event: QtGui.QDropEvent) -> None:
        """Tell which panel was dropped."""
        event.acceptProposedAction()
        self._light_up(False)
        self.dropped.emit(carried_title(event.mimeData()))

    def showEvent(self, event: object) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)  # type: ignore[arg-type]
        if self._is_dirty:
            self.mark_dirty()
