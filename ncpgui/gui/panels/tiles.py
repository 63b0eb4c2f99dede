"""A panel of tiles: one for each unit of the sorting on screen, below them those of other cards."""

from __future__ import annotations

from PyQt5 import QtCore

from ncpgui.gui.items.tile_grid import TileArea, TileGrid
from ncpgui.gui.panels.base import Panel


class TilesPanel(Panel):
    """Selects the unit of a tile that is clicked, or shows the card that would make it."""

    grid: TileGrid

    def fill_with(self, grid: TileGrid) -> None:
        """Show a grid of tiles."""
        grid.clicked.connect(self._clicked)
        self.scroll = TileArea(grid)
        self.fill(self.scroll)

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Select the unit at a place."""
        row = self.grid.row_at(place)
        return row >= 0 and self.point_out_units(self.grid.view.tiles[row].unit)

    def _clicked(self, row: int, adds: bool) -> None:
        group = self.grid.view.group_of(row)
        if group.title:
            self.workspace.show_alternative(group.alternative)
        else:
            self.workspace.pick(self.grid.view.tiles[row].unit, adds=adds)
