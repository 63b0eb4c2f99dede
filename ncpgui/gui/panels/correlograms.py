"""Correlograms: auto on the diagonal, cross above it, pairs within 2 ms in words below it."""

from __future__ import annotations

from functools import partial

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.presenters.correlograms import BINS_MS, HALVES_MS, Scale, present_correlograms
from ncpgui.gui.buttons import Button, MenuButton, PassingMenu, add_choice
from ncpgui.gui.items.correlogram_grid import CorrelogramGrid
from ncpgui.gui.panels.base import Panel

REMEMBERED = "correlograms"


class CorrelogramsPanel(Panel):
    """When the units on screen fire, each beside itself and beside the others."""

    title = "Correlograms"
    draws = ("correlograms",)

    def build(self) -> None:
        """Make grid, message and the switch."""
        self.grid = CorrelogramGrid()
        self.grid.clicked.connect(lambda row, adds: self.workspace.pick(self.grid.view.units[row], adds=adds))
        self.fill(self.grid)
        self.intervals = Button(
            "Intervals", "Intervals between spikes that follow each other, on the diagonal  (I)"
        )
        self.intervals.setCheckable(True)
        self.intervals.toggled.connect(self.grid.show_intervals)
        self.scale_shown = Scale.of(self.controller.preferences.get(REMEMBERED, None))
        self.scale = MenuButton(
            "How far from a spike correlograms reach, and how wide their bins are, ms", self.scale_menu
        )
        self.header.addWidget(self.scale)
        self.header.addWidget(self.intervals)
        self.note.setToolTip(
            "On the diagonal: spikes of a unit around its own. Above it: spikes of one unit around those of\n"
            "another. The band is the 2 ms in which a neuron does not fire again. Within 2 ms are pairs of\n"
            "spikes 0.7 to 2 ms apart; expected is how many two neurons that do not know of each other have."
        )

    def scale_menu(self) -> QtWidgets.QMenu:
        """Menu of windows and bins, those in force checked."""
        menu, now = PassingMenu(self), self.scale_shown
        for half_ms in HALVES_MS:
            other = partial(self.set_scale, now.with_half(half_ms))
            add_choice(menu, f"±{half_ms:g} ms", other, is_on=half_ms == now.half_ms)
        menu.addSeparator()
        for bin_ms in BINS_MS:
            other = partial(self.set_scale, now.with_bin(bin_ms))
            add_choice(menu, f"bins of {bin_ms:g} ms", other, is_on=bin_ms == now.bin_ms)
        return menu

    def set_scale(self, scale: Scale) -> None:
        """Take another window and other bins, now and in the next run."""
        self.scale_shown = scale
        self.controller.preferences.set(REMEMBERED, [scale.half_ms, scale.bin_ms])
        self.mark_dirty()

    def redraw(self) -> None:
        """Show the units on screen, or the selected ones."""
        view = present_correlograms(self.workspace, self.controller.data.correlograms(self.scale_shown))
        self.grid.set_view(view, self.theme)
        self.tell(view.message, view.note)
        self.scale.setText(self.scale_shown.words)

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Select the unit, or both, of the cell at a place."""
        here = self.grid.mapFromGlobal(place)
        cell = self.grid.cell_at(QtCore.QPointF(here)) if self.grid.rect().contains(here) else None
        return cell is not None and self.point_out_units(*(self.grid.view.units[one] for one in cell))
