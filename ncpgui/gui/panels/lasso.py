"""Panels in which a lasso is drawn around spikes: Ctrl+click sets a corner, a right click clears."""

from __future__ import annotations

import numpy as np
from PyQt5 import QtGui

from ncpgui.app.model.lasso import Lasso
from ncpgui.app.presenters.amplitudes import AmplitudesView
from ncpgui.app.presenters.embedding import EmbeddingView
from ncpgui.app.presenters.features import FeaturesView
from ncpgui.app.presenters.lasso import present_lasso
from ncpgui.gui.items.spike_scatter import SpikeScatter
from ncpgui.gui.panels.base import Panel

LASSO_HELP = "Ctrl+click draws a lasso, a right click or Esc clears it, K shows what it splits."


class LassoPanel(Panel):
    """A panel with a plane of spikes; a subclass says which (`plane`), calls `watch`, then `show_points`."""

    plane = ""
    note_text = ""
    scatter: SpikeScatter
    _frame: tuple[object, ...] = ()

    def contextMenuEvent(self, _: QtGui.QContextMenuEvent) -> None:
        """No menu: a right click clears the lasso."""

    def axes(self) -> tuple[str, str]:
        """Names of the two coordinates."""
        raise NotImplementedError

    def watch(self, plot: SpikeScatter) -> None:
        """Take clicks and corners from a plot, and draw the lasso in it."""
        self.scatter = plot
        plot.clicked.connect(lambda row, adds: self.workspace.pick(self.scatter.points.units[row], adds=adds))
        plot.corner_set.connect(self._set_corner)
        plot.spike_clicked.connect(self.workspace.spike_chosen.emit)
        plot.cleared.connect(lambda: self.workspace.draw_lasso(None))
        self.workspace.lasso_changed.connect(self.show_lasso)
        self.workspace.selection_changed.connect(self.show_lasso)
        self.workspace.lasso_changed.connect(self._ended)

    def show_points(self, view: AmplitudesView | EmbeddingView | FeaturesView) -> None:
        """Show the spikes of a view and its words, or its message in place of them."""
        self.tell(view.message)
        self.note_text = view.note
        self.scatter.set_points(view.points, self.theme)
        self.leave_plane()
        self.show_lasso()

    def is_other_frame(self, *frame: object) -> bool:
        """Whether other coordinates are on screen now; another sorting of the same spikes leaves the zoom."""
        is_other, self._frame = frame != self._frame, frame
        return is_other

    def own_lasso(self) -> Lasso | None:
        """The lasso, if it is drawn in the plane that is on screen here."""
        lasso = self.workspace.lasso
        is_own = lasso is not None and lasso.is_in(self._component_id(), self.plane, self.axes())
        return lasso if is_own else None

    def _component_id(self) -> int | None:
        """Of the spikes that a lasso is drawn around."""
        now = self.workspace.in_use()
        return None if now is None else now.component.id

    def _set_corner(self, x: float, y: float) -> None:
        component_id = self._component_id()
        if component_id is None:
            return
        lasso = self.own_lasso() or Lasso(component_id, self.plane, self.axes(), np.zeros((0, 2)))
        self.workspace.draw_lasso(lasso.with_corner(x, y))

    def leave_plane(self) -> None:
        """Other coordinates are on screen: a lasso drawn in those before is cleared."""
        lasso = self.workspace.lasso
        if lasso is not None and lasso.plane == self.plane and self.own_lasso() is None:
            self.workspace.draw_lasso(None)

    def _ended(self) -> None:
        """What waited for the lasso to be cleared is drawn."""
        if self.workspace.lasso is None:
            self.mark_dirty()

    def show_lasso(self) -> None:
        """Draw the lasso, and say beside the title what it holds."""
        lasso = self.own_lasso()
        self.scatter.set_lasso(np.zeros((0, 2)) if lasso is None else lasso.corners)
        words = "" if lasso is None else present_lasso(self.workspace, self.controller.data.embedding())
        self.note.setText(words or self.note_text)
