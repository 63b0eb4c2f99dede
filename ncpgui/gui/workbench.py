"""The panels of an open project and how they share the window."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import sentence
from ncpgui.gui.buttons import PassingMenu
from ncpgui.gui.panels.alternatives import AlternativesPanel
from ncpgui.gui.panels.amplitudes import AmplitudesPanel
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.panels.correlograms import CorrelogramsPanel
from ncpgui.gui.panels.embedding import EmbeddingPanel
from ncpgui.gui.panels.events import EventsPanel
from ncpgui.gui.panels.features import FeaturesPanel
from ncpgui.gui.panels.finding import FindingPanel
from ncpgui.gui.panels.history import HistoryPanel
from ncpgui.gui.panels.probe_map import ProbeMapPanel
from ncpgui.gui.panels.queue import QueuePanel
from ncpgui.gui.panels.receptive_fields import ReceptiveFieldsPanel
from ncpgui.gui.panels.similar_units import SimilarUnitsPanel
from ncpgui.gui.panels.similarity import SimilarityPanel
from ncpgui.gui.panels.traces import TracesPanel
from ncpgui.gui.panels.unit_table import UnitTablePanel
from ncpgui.gui.panels.waveforms import WaveformsPanel
from ncpgui.gui.places import PanelWindow, Places
from ncpgui.gui.share_splitter import GAP_PX, ShareSplitter
from ncpgui.gui.theme import Theme

LEFT_WIDTH = 212
Qt = QtCore.Qt


LAYOUTS: dict[str, tuple[str, ...]] = {
    "decide": ("probe", "queue", "cards", "waveforms", "embedding", "fields", "units"),
    "inspect": ("probe", "queue", "cards", "correlograms", "features", "over time", "traces"),
}
"""Ready layouts: the panels on screen."""
IF_WIDE: dict[str, dict[int, tuple[str, ...]]] = {
    "decide": {1200: ("correlograms", "events"), 1700: ("features",)},
    "inspect": {1200: ("waveforms", "units"), 1700: ("events",)},
}
"""Panels that a layout has too, in a window at least so many pixels wide."""
OF_LAYOUT = {
    "below": {"decide": [740, 260], "inspect": [400, 600]},
    "views": {"decide": [450, 550], "inspect": [600, 400]},
}
"""Shares that each layout has for itself, at first: of waveforms and table, and the evidence beside them; of
waveforms, and the table beside or below them."""


class Workbench(QtWidgets.QWidget):
    """Where decisions are made: probe and queue on the left, alternatives above what they show.

    ::

        probe map | alternatives
        queue     | waveforms | t-SNE | receptive fields | correlograms | over time
                  |           | units | similar units    | features     | traces
                  |           |       | similarity       | events       |
                  |           |                          | finding      |

    The history of edits is below the queue. Which of them are on screen is a layout; what is hidden gives
    its room to its neighbours.
    `picture_asked(name)`: a picture of a panel is to be saved; `context_asked(of what, place)`: a menu is.
    """

    picture_asked = QtCore.pyqtSignal(str)
    context_asked = QtCore.pyqtSignal(str, QtCore.QPoint)

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
        self.events = EventsPanel(workspace, controller)
        self.finding = FindingPanel(workspace, controller)
        self.units = UnitTablePanel(workspace, controller)
        self.similar = SimilarUnitsPanel(workspace, controller)
        self.similarity = SimilarityPanel(workspace, controller)
        self.similarity.ordered = self.units.all_in_order  # type: ignore[method-assign]
        self.units.model.modelReset.connect(self.similarity.mark_dirty)
        self.units.filter.textChanged.connect(self.similarity.mark_dirty)
        self.correlograms = CorrelogramsPanel(workspace, controller)
        self.amplitudes = AmplitudesPanel(workspace, controller)
        self.features = FeaturesPanel(workspace, controller)
        self.traces = TracesPanel(workspace, controller)
        self.history = HistoryPanel(workspace, controller)
        self.by_name: dict[str, Panel] = {
            "probe": self.probe_map,
            "queue": self.queue,
            "cards": self.alternatives,
            "waveforms": self.waveforms,
            "embedding": self.embedding,
            "fields": self.fields,
            "events": self.events,
            "finding": self.finding,
            "units": self.units,
            "similar": self.similar,
            "similarity": self.similarity,
            "correlograms": self.correlograms,
            "features": self.features,
            "over time": self.amplitudes,
            "traces": self.traces,
            "history": self.history,
        }
        self.layout_shown = "decide"
        self._says_how_to_load = False
        self.by_hand: dict[str, dict[str, bool]] = {}
        self._width_class: tuple[int, ...] = ()
        self._of_layout = deepcopy(OF_LAYOUT)
        left = ShareSplitter(Qt.Vertical, (self.probe_map, 32), (self.queue, 68), (self.history, 34))
        maps = ShareSplitter(Qt.Horizontal, (self.embedding, 48), (self.fields, 52))
        tables = ShareSplitter(Qt.Horizontal, (self.units, 62), (self.similar, 38), (self.similarity, 38))
        right = ShareSplitter(Qt.Vertical, (maps, 66), (tables, 34))
        views = ShareSplitter(Qt.Horizontal, (self.waveforms, 45), (right, 55))
        alike = ShareSplitter(
            Qt.Vertical, (self.correlograms, 42), (self.features, 30), (self.events, 40), (self.finding, 40)
        )
        over_time = ShareSplitter(Qt.Vertical, (self.amplitudes, 50), (self.traces, 50))
        evidence = ShareSplitter(Qt.Horizontal, (alike, 45), (over_time, 55))
        below = ShareSplitter(Qt.Horizontal, (views, 74), (evidence, 26))
        main = ShareSplitter(Qt.Vertical, (self.alternatives, 33), (below, 67))
        whole = ShareSplitter(Qt.Horizontal, (left, 19), (main, 81))
        left.setMinimumWidth(LEFT_WIDTH)
        self.splitters = {
            "left": left, "maps": maps, "tables": tables, "right": right, "views": views, "alike": alike,
            "over time": over_time, "evidence": evidence, "below": below, "main": main, "all": whole,
        }  # fmt: skip
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(GAP_PX + 2, 2, GAP_PX + 2, 4)
        layout.addWidget(self.splitters["all"])
        self.places = Places(dict(self.by_name), self)
        for name, panel in self.by_name.items():
            panel.window_asked.connect(lambda name=name: self.toggle_window(name))
            panel.menu_asked.connect(lambda place, name=name: self.panel_menu(name).popup(place))
            panel.context_asked.connect(
                lambda place, panel=panel: self.context_asked.emit(panel.context, place)
            )
            panel.dropped.connect(lambda title, name=name: self._dropped(title, name))

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of the panels on screen: those of the layout, or those that were chosen one by one."""
        ready, own = {*LAYOUTS[self.layout_shown]}, self.by_hand.get(self.layout_shown, {})
        for least, names in IF_WIDE[self.layout_shown].items():
            if self.width() >= least:
                ready.update(names)
        project = self.workspace.state.project
        if project is None or project.events is None:
            ready.discard("events")
        return tuple(name for name in self.by_name if own.get(name, name in ready))

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels."""
        return tuple(self.by_name.values())

    def show_layout(self, name: str) -> None:
        """Put the panels of a layout on screen: as it is at first, but for what was changed by hand."""
        self._keep_shares()
        self.layout_shown = name
        for splitter, known in self._of_layout.items():
            self.splitters[splitter].setSizes(known[name])
        upright = name == "inspect"  # waveforms above the table, in a column
        self.splitters["views"].setOrientation(Qt.Vertical if upright else Qt.Horizontal)
        self._arrange()

    def _keep_shares(self) -> None:
        """Remember the shares that belong to the layout on screen."""
        for splitter, known in self._of_layout.items():
            known[self.layout_shown] = self.splitters[splitter].permille()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Use the room of a wide window."""
        super().resizeEvent(event)
        now = tuple(least for wide in IF_WIDE.values() for least in wide if self.width() >= least)
        if now != self._width_class:
            self._width_class = now
            self._arrange()

    def _arrange(self) -> None:
        """Show the panels that are on screen, and hide the others."""
        wanted = {*self.shown}
        project = self.workspace.state.project
        has_fields = project is not None and project.stimulus is not None
        has_events = project is not None and (project.events is not None or self._says_how_to_load)
        lacking = {self.fields: not has_fields, self.events: not has_events}
        for name, panel in self.by_name.items():
            is_shown = name in wanted and not lacking.get(panel, False)
            panel.setVisible(is_shown)
            if name in self.places.windows:
                self.places.windows[name].setVisible(is_shown and project is not None)
        self.units.set_beside(
            n_lists=len(wanted & {"similar", "similarity"}),
            two_columns=not wanted.isdisjoint(("over time", "traces")),
        )
        for splitter in self.splitters.values():  # those inside others come first
            parts = [splitter.widget(row) for row in range(splitter.count())]
            splitter.setVisible(not all(part.isHidden() for part in parts))

    def show_panel(self, name: str, on: bool) -> None:
        """Put one panel on screen, or hide it; that of events says how to load some where there are none."""
        if name == "events":
            self._says_how_to_load = on
        self.by_hand.setdefault(self.layout_shown, {})[name] = on
        self._arrange()

    def toggle_panel(self, name: str) -> None:
        """Put a panel on screen, or hide it if it is there."""
        self.show_panel(name, name not in self.shown)

    def toggle_window(self, name: str) -> None:
        """Give a panel a window of its own, or put it back into its place."""
        if name in self.places.windows:
            self.places.dock(name)
        else:
            self._watch(name, self.places.float(name))
        self._arrange()

    def title_of(self, name: str) -> str:
        """What a panel is called in menus."""
        return self.by_name[name].title or sentence(name)

    def panel_menu(self, name: str) -> QtWidgets.QMenu:
        """What can be done with a panel."""
        menu = PassingMenu(self)
        menu.addAction("Save as PNG or SVG…", lambda: self.picture_asked.emit(name))
        words = "Put back into the window" if name in self.places.windows else "Give it a window of its own"
        menu.addAction(words, lambda: self.toggle_window(name))
        menu.addAction("Hide", lambda: self.show_panel(name, False))
        return menu

    def _watch(self, name: str, window: PanelWindow) -> None:
        window.closed.connect(lambda: self.toggle_window(name))

    def _dropped(self, title: str, onto: str) -> None:
        """Let the panel of a title and another one change their places."""
        named = [name for name, panel in self.by_name.items() if panel.title == title]
        if named:
            self.places.swap(named[0], onto)
            self._arrange()

    def reset(self) -> None:
        """Put all panels back to where and as large as they are at first, and show *decide*."""
        for name in [*self.places.windows]:
            self.places.dock(name)
        for name in self.by_name:
            at = next(other for other, place in self.places.place_of.items() if place == name)
            self.places.swap(name, at)
        for splitter in self.splitters.values():
            splitter.reset()
        self.by_hand.clear()
        self.show_layout("decide")
        self._of_layout = deepcopy(OF_LAYOUT)
        for name in self._of_layout:
            self.splitters[name].reset()

    def restore_by_hand(self, values: Any) -> None:
        """Take what was opened or hidden by hand in each layout; what is not known is ignored."""
        for layout, own in values.items() if isinstance(values, dict) else ():
            if layout in LAYOUTS and isinstance(own, dict):
                self.by_hand[layout] = {name: bool(on) for name, on in own.items() if name in self.by_name}

    def restore_places(self, values: dict[str, Any]) -> None:
        """Move panels to where they were when `places.values` told."""
        self.places.restore(values)
        for name, window in self.places.windows.items():
            self._watch(name, window)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        for panel in self.panels:
            panel.set_theme(theme)

    def project_changed(self) -> None:
        """Hide panels of a stimulus or of events where there are none, and windows without a project."""
        self._says_how_to_load = False
        self._arrange()

    def events_loaded(self) -> None:
        """Show events that were just loaded, whatever the layout is."""
        self._arrange()
        if "events" not in self.shown:
            self.show_panel("events", True)

    def layout_values(self) -> dict[str, list[int]]:
        """Shares of all splitters, to be remembered."""
        self._keep_shares()
        of_layouts = {
            f"{name} in {layout}": [int(share) for share in shares]
            for name, known in self._of_layout.items()
            for layout, shares in known.items()
        }
        return {name: splitter.permille() for name, splitter in self.splitters.items()} | of_layouts

    def restore_layout(self, values: dict[str, Any]) -> None:
        """Take shares or sizes that were remembered; what does not fit is ignored."""
        for name, splitter in self.splitters.items():
            sizes = values.get(name)
            if isinstance(sizes, list) and len(sizes) == splitter.count() and any(sizes):
                splitter.setSizes([int(size) for size in sizes])
        for name, known in self._of_layout.items():
            for layout in known:
                sizes = values.get(f"{name} in {layout}")
                if isinstance(sizes, list) and len(sizes) == len(known[layout]) and any(sizes):
                    known[layout] = [int(size) for size in sizes]
            self.splitters[name].setSizes(known[self.layout_shown])
