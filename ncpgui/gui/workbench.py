"""The panels of an open project and how they share the window."""

from __future__ import annotations

from typing import Any

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.workspace import Workspace
from ncpgui.gui.panels.alternatives import AlternativesPanel
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.panels.embedding import EmbeddingPanel
from ncpgui.gui.panels.probe_map import ProbeMapPanel
from ncpgui.gui.panels.queue import QueuePanel
from ncpgui.gui.panels.receptive_fields import ReceptiveFieldsPanel
from ncpgui.gui.panels.unit_table import UnitTablePanel
from ncpgui.gui.panels.waveforms import WaveformsPanel
from ncpgui.gui.share_splitter import GAP_PX, ShareSplitter
from ncpgui.gui.theme import Theme

LEFT_WIDTH = 212
Qt = QtCore.Qt


class Workbench(QtWidgets.QWidget):
    """Where decisions are made: probe and queue on the left, alternatives above what they show.

    ::

        probe map | alternatives
        queue     | waveforms        | t-SNE | receptive fields
                  |                  | units
    """

    def __init__(self, workspace: Workspace, controller: Controller) -> None:
        super().__init__()
        self.setObjectName("workbench")
        self.workspace = workspace
        self.probe_map = ProbeMapPanel(workspace, controller)
        self.queue = QueuePanel(workspace, controller)
        self.alternatives = AlternativesPanel(workspace, controller)
        self.waveforms = WaveformsPanel(workspace, controller)
        self.embedding = EmbeddingPanel(workspace, controller)
        self.fields = ReceptiveFieldsPanel(workspace, controller)
        self.units = UnitTablePanel(workspace, controller)
        left = ShareSplitter(Qt.Vertical, (self.probe_map, 32), (self.queue, 68))
        maps = ShareSplitter(Qt.Horizontal, (self.embedding, 48), (self.fields, 52))
        right = ShareSplitter(Qt.Vertical, (maps, 66), (self.units, 34))
        views = ShareSplitter(Qt.Horizontal, (self.waveforms, 45), (right, 55))
        main = ShareSplitter(Qt.Vertical, (self.alternatives, 33), (views, 67))
        whole = ShareSplitter(Qt.Horizontal, (left, 19), (main, 81))
        left.setMinimumWidth(LEFT_WIDTH)
        self.splitters = {
            "left": left, "maps": maps, "right": right, "views": views, "main": main, "all": whole,
        }  # fmt: skip
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(GAP_PX + 2, 2, GAP_PX + 2, 4)
        layout.addWidget(self.splitters["all"])

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels."""
        left, above = (self.probe_map, self.queue), self.alternatives
        return (*left, above, self.waveforms, self.embedding, self.fields, self.units)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        for panel in self.panels:
            panel.set_theme(theme)

    def project_changed(self) -> None:
        """Give the place of receptive fields to the map when there was no stimulus."""
        project = self.workspace.project
        self.fields.setVisible(project is not None and project.stimulus is not None)

    def toggle_arrangement(self) -> None:
        """Change between waveforms in columns and at probe geometry."""
        self.waveforms.set_arrangement("probe" if self.waveforms.arrangement == "columns" else "columns")

    def toggle_all_units(self) -> None:
        """Change between the units on screen and all units."""
        self.units.set_all_units(not self.units.all_units)

    def layout_values(self) -> dict[str, list[int]]:
        """Shares of all splitters, to be remembered."""
        return {name: splitter.permille() for name, splitter in self.splitters.items()}

    def restore_layout(self, values: dict[str, Any]) -> None:
        """Take shares or sizes that were remembered; what does not fit is ignored."""
        for name, splitter in self.splitters.items():
            sizes = values.get(name)
            if isinstance(sizes, list) and len(sizes) == splitter.count() and any(sizes):
                splitter.setSizes([int(size) for size in sizes])
