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
from ncpgui.gui.theme import Theme

GAP_PX = 8


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
        self.splitters = {
            "left": _splitter(QtCore.Qt.Vertical, (self.probe_map, 220), (self.queue, 460)),
            "maps": _splitter(QtCore.Qt.Horizontal, (self.embedding, 254), (self.fields, 276)),
        }
        self.splitters["right"] = _splitter(
            QtCore.Qt.Vertical, (self.splitters["maps"], 306), (self.units, 156)
        )
        self.splitters["views"] = _splitter(
            QtCore.Qt.Horizontal, (self.waveforms, 470), (self.splitters["right"], 540)
        )
        self.splitters["main"] = _splitter(
            QtCore.Qt.Vertical, (self.alternatives, 236), (self.splitters["views"], 470)
        )
        self.splitters["all"] = _splitter(
            QtCore.Qt.Horizontal, (self.splitters["left"], 236), (self.splitters["main"], 1020)
        )
        self.alternatives.setMinimumHeight(224)
        self.splitters["left"].setMinimumWidth(200)
        self.splitters["all"].setStretchFactor(0, 0)
        self.splitters["all"].setStretchFactor(1, 1)
        self.splitters["main"].setStretchFactor(0, 0)
        self.splitters["main"].setStretchFactor(1, 1)
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
        """Change between the units of the group and all units."""
        self.units.set_all_units(not self.units.all_units)

    def layout_values(self) -> dict[str, list[int]]:
        """Sizes of all splitters, to be remembered."""
        return {name: splitter.sizes() for name, splitter in self.splitters.items()}

    def restore_layout(self, values: dict[str, Any]) -> None:
        """Take sizes that were remembered; what does not fit is ignored."""
        for name, splitter in self.splitters.items():
            sizes = values.get(name)
            if isinstance(sizes, list) and len(sizes) == splitter.count() and any(sizes):
                splitter.setSizes([int(size) for size in sizes])


def _splitter(direction: QtCore.Qt.Orientation, *parts: tuple[QtWidgets.QWidget, int]) -> QtWidgets.QSplitter:
    splitter = QtWidgets.QSplitter(direction)
    splitter.setHandleWidth(GAP_PX)
    splitter.setChildrenCollapsible(False)
    for widget, _ in parts:
        splitter.addWidget(widget)
    splitter.setSizes([size for _, size in parts])
    for number, (_, size) in enumerate(parts):
        splitter.setStretchFactor(number, size)
    return splitter
