"""The window: start page or workbench, menus, messages; it shows a workspace and owns nothing else."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.action import Context
from ncpgui.app.controller import Controller
from ncpgui.app.model.state import NOT_KEPT
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import sentence
from ncpgui.app.work.activity import Activity
from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.core.errors import NcpguiError
from ncpgui.gui.asking import AskingWindow
from ncpgui.gui.buttons import add_choice
from ncpgui.gui.commands import Commands
from ncpgui.gui.dialogs.keys import about_text
from ncpgui.gui.items.color_legend import ColorLegend
from ncpgui.gui.plain_text import without_mnemonic
from ncpgui.gui.soon import Soon
from ncpgui.gui.sorting_page import SortingPage
from ncpgui.gui.start_page import StartPage
from ncpgui.gui.status_line import StatusLine
from ncpgui.gui.system_look import system_is_dark
from ncpgui.gui.theme import Theme, app_icon, apply_theme, theme_named
from ncpgui.gui.tour import STEPS, Tour, is_watched
from ncpgui.gui.workbench import LAYOUTS, Workbench

DEFAULT_SIZE = (1280, 800)


class MainWindow(AskingWindow):
    """Shows a workspace and passes what the person does to its actions.

    Parameters
    ----------
    workspace, controller : what is shown, and what does the long work
    """

    def __init__(self, workspace: Workspace, controller: Controller) -> None:
        super().__init__(workspace, controller)
        self.theme: Theme = self._chosen_theme()
        self.tour: Tour | None = None
        self.setWindowIcon(app_icon())
        self.setAcceptDrops(True)
        self.resize(*DEFAULT_SIZE)
        self.setMinimumSize(960, 600)
        self._build()
        self._follow()
        self._apply_theme()
        self._restore_layout()
        self._project_changed()
        self.commands.tell_problems()

    # -- parts ------------------------------------------------------------------------------

    def _build(self) -> None:
        self.commands = Commands(self, Context(self.workspace, self.controller, self))
        self.actions_ = self.commands.actions
        menus = self.actions_.fill_menus(self.menuBar())
        self.recent_menu = QtWidgets.QMenu("Open recent", self)
        menus["File"].insertMenu(self.actions_["open_demo"], self.recent_menu)
        menus["View"].aboutToShow.connect(self.actions_.refresh)
        self.panels_menu = menus["View"].addMenu("Panels")
        self.panels_menu.aboutToShow.connect(self._fill_panels)
        self.pictures_menu = menus["View"].addMenu("Save panel")
        self.pictures_menu.aboutToShow.connect(self._fill_pictures)
        self.toolbar = QtWidgets.QToolBar("Actions")
        self.toolbar.setObjectName("toolbar")
        self.toolbar.setMovable(False)
        self.toolbar.setToolButtonStyle(QtCore.Qt.ToolButtonTextOnly)
        self.toolbar.setContextMenuPolicy(QtCore.Qt.PreventContextMenu)
        self.actions_.fill_toolbar(self.toolbar)
        self.color_legend = ColorLegend()
        gap = QtWidgets.QWidget()
        gap.setSizePolicy(QtWidgets.QSizePolicy.Expanding, QtWidgets.QSizePolicy.Preferred)
        self.toolbar.addWidget(gap)
        self._legend_place = self.toolbar.addWidget(self.color_legend)
        self.addToolBar(self.toolbar)
        self.start = StartPage(
            {
                "Open recording…": self.ask_open,
                "Open session…": self.ask_session,
                "Review a sorting…": self.ask_review,
                "Try the demo": self.actions_["open_demo"].trigger,
            }
        )
        self.start.file_chosen.connect(lambda path: self.open_path(Path(path)))
        self.start.activity.stopped.connect(self.controller.cancel)
        self.sorting = SortingPage()
        self.sorting.activity.stopped.connect(self.controller.cancel)
        self.bench = Workbench(self.workspace, self.controller)
        self.bench.picture_asked.connect(self._save_panel)
        self.bench.context_asked.connect(
            lambda what, place: self.actions_.context_menu(what, self).popup(place)
        )
        self.bench.alternatives.adopt.clicked.connect(self.actions_["adopt"].trigger)
        self.bench.alternatives.better.clicked.connect(self.actions_["adopt_better"].trigger)
        self.pages = QtWidgets.QStackedWidget()
        self.pages.addWidget(self.start)
        self.pages.addWidget(self.sorting)
        self.pages.addWidget(self.bench)
        middle = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.pages, 1)
        column.addWidget(self.commands.snippets)
        self.setCentralWidget(middle)
        self.status = StatusLine(self.workspace, self.controller)
        self.setStatusBar(self.status)

    def _follow(self) -> None:
        workspace, controller = self.workspace, self.controller
        workspace.state.opened.connect(self._project_changed)
        workspace.state.events_changed.connect(self.bench.events_loaded)
        workspace.state.saved_changed.connect(self._title_changed)
        workspace.state.warned.connect(self._warn)
        controller.work.activity_changed.connect(self._activity_changed)
        controller.work.failed.connect(self.show_error)
        controller.work.succeeded.connect(self.banner.settle)
        controller.only_readable.connect(self._offer_read_only)
        controller.recording_wanted.connect(self._want_recording)
        controller.choice_wanted.connect(self.ask_open)
        self._refresh = Soon(self, self.actions_.refresh)
        workspace.coloring.changed.connect(self._colors_changed)
        for signal in (
            workspace.state.opened, workspace.state.components_changed, workspace.current_changed,
            workspace.shown_changed, workspace.selection_changed, workspace.state.units_changed,
        ):  # fmt: skip
            signal.connect(self._refresh.ask)

    def _colors_changed(self) -> None:
        """Say what the colours mean."""
        legend = self.workspace.coloring.legend()
        self._legend_place.setVisible(legend is not None)
        self.color_legend.show_legend(legend, self.theme)

    def _project_changed(self) -> None:
        project = self.workspace.state.project
        self.banner.hide()  # what it says is of another project
        self.pages.setCurrentWidget(self.start if project is None else self.bench)
        self.toolbar.setVisible(project is not None)
        self.start.show_recent(self.preferences.recent)
        self._fill_recent()
        self._title_changed()
        self.status.tell_project()
        if project is None and self.tour is not None:
            self.tour.leave()
        self.bench.project_changed()
        self._colors_changed()
        self.actions_.refresh()
        QtCore.QTimer.singleShot(0, self._tour_if_first)  # once panels have their places
        self.status.count_wrong()

    def _title_changed(self) -> None:
        project, path = self.workspace.state.project, self.controller.saving.path
        if project is None:
            self.setWindowModified(False)
            self.setWindowTitle("ncpgui")
            return
        name = Path(project.place).name or "unnamed"
        if path is not None:
            name = path.name
        elif self.controller.read_only_path is not None:
            name = f"{self.controller.read_only_path.name} (read-only)"
        self.setWindowTitle(f"{name.replace('[*]', '[*][*]')}[*] – ncpgui")
        self.setWindowModified(not self.workspace.state.is_saved)

    def _fill_recent(self) -> None:
        self.recent_menu.clear()
        for path in self.preferences.recent:
            self.recent_menu.addAction(without_mnemonic(path), lambda path=path: self.open_path(Path(path)))
        self.recent_menu.setEnabled(bool(self.preferences.recent))

    def _fill_panels(self) -> None:
        """List the panels, those on screen checked."""
        self.panels_menu.clear()
        for name in self.bench.by_name:
            change = partial(self.bench.toggle_panel, name)
            add_choice(self.panels_menu, self.bench.title_of(name), change, is_on=name in self.bench.shown)

    def _fill_pictures(self) -> None:
        """List the panels on screen, each to be saved as a picture."""
        self.pictures_menu.clear()
        for name in self.bench.shown:
            if self.bench.by_name[name].isVisible():
                self.pictures_menu.addAction(
                    f"{self.bench.title_of(name)}…", lambda name=name: self._save_panel(name)
                )

    def _save_panel(self, name: str) -> None:
        self.ask_panel_picture(self.bench.by_name[name], self.bench.title_of(name))

    # -- messages ---------------------------------------------------------------------------

    def _warn(self, text: str) -> None:
        self.banner.tell(sentence(text), about="saving" if text.startswith(NOT_KEPT) else "")

    def _offer_read_only(self, path: Path, error: Exception) -> None:
        read = partial(self.controller.open_session, path, read_only=True)
        self.banner.tell(sentence(str(error)), action="Open read-only", do=read)

    def _want_recording(self, request: ReviewRequest, problem: str) -> None:
        ask = partial(self.ask_recording_of, request)
        self.banner.tell(sentence(problem), action="Choose the recording…", do=ask)

    def _activity_changed(self, activity: Activity | None) -> None:
        if self.workspace.state.project is not None:
            activity = None  # the line at the bottom tells it
        is_sorting = self.sorting.show_activity(activity)
        self.start.show_activity(activity)
        if self.workspace.state.project is None:
            self.pages.setCurrentWidget(self.sorting if is_sorting else self.start)

    def show_error(self, error: Exception, doing: str = "") -> None:
        """Say what went wrong; the window stays usable."""
        if isinstance(error, NcpguiError):
            self.banner.tell(f"While {doing}: {error}" if doing else sentence(str(error)), about=doing)
            return
        self.banner.tell(
            f"While {doing or 'working'}, something went wrong that should not have: "
            f"{type(error).__name__}: {error}. Your work is safe; details are in "
            f"{self.preferences.folder / 'ncpgui.log'}",
            about=doing,
        )

    # -- look -------------------------------------------------------------------------------

    def _apply_theme(self) -> None:
        application = QtWidgets.QApplication.instance()
        assert isinstance(application, QtWidgets.QApplication)
        apply_theme(application, self.theme)
        self.bench.set_theme(self.theme)
        self.sorting.set_theme(self.theme)
        self._colors_changed()

    def _restore_layout(self) -> None:
        geometry = self.preferences.get("geometry", "")
        if geometry:
            self.restoreGeometry(QtCore.QByteArray.fromHex(geometry.encode("ascii", "ignore")))
        self.bench.restore_layout(self.preferences.get("splitters", {}))
        self.bench.restore_places(self.preferences.get("places", {}))
        self.bench.restore_by_hand(self.preferences.get("panels", {}))
        layout = self.preferences.get("layout", "")
        self.bench.show_layout(layout if layout in LAYOUTS else self.bench.layout_shown)

    def _remember_layout(self) -> None:
        self.preferences.set("geometry", bytes(self.saveGeometry().toHex()).decode("ascii"))
        self.preferences.set("splitters", self.bench.layout_values())
        self.preferences.set("places", self.bench.places.values())
        self.preferences.set("panels", self.bench.by_hand)
        self.preferences.set("layout", self.bench.layout_shown)

    # -- what actions ask of the window -------------------------------------------------------

    def part(self, name: str, *, shown: bool = False) -> Any:
        """A panel by its name, put on screen if it is to be `shown`; or "layout", "commands", "window"."""
        if shown:
            self.bench.show_panel(name, True)
        parts = {"window": self, "layout": self.bench, "commands": self.commands, **self.bench.by_name}
        return parts[name]

    def show_about(self) -> None:
        """Show what this program is."""
        box = QtWidgets.QMessageBox(self)
        box.setWindowTitle("About ncpgui")
        box.setIconPixmap(self.windowIcon().pixmap(64))
        box.setText(about_text())
        box.exec_()
        box.deleteLater()

    def _chosen_theme(self) -> Theme:
        """The theme of the preferences, or that of the system."""
        chosen = self.preferences.theme
        application = QtWidgets.QApplication.instance()
        assert isinstance(application, QtWidgets.QApplication)
        is_dark = system_is_dark(application) if chosen == "system" else chosen == "dark"
        return theme_named("dark" if is_dark else "light")

    def follow_system_theme(self) -> None:
        """Be light or dark as the system is, now and in the next run."""
        self.preferences.set("theme", "system")
        self.theme = self._chosen_theme()
        self._apply_theme()

    def show_tour(self) -> None:
        """Show the tour of three steps."""
        if self.tour is not None:
            self.tour.leave()
        for step in STEPS:
            if step.panel not in self.bench.shown:
                self.bench.show_panel(step.panel, True)
            self.bench.places.dock(step.panel)
        self.tour = Tour(self, {step.panel: self.bench.by_name[step.panel] for step in STEPS})
        self.tour.ended.connect(self._tour_ended)

    def _tour_ended(self) -> None:
        self.tour = None
        self.preferences.set("toured", True)

    def _tour_if_first(self) -> None:
        """Show the tour when somebody has a project before them for the first time."""
        first = not self.preferences.get("toured", False)
        if first and self.tour is None and self.workspace.state.project is not None and is_watched():
            self.show_tour()

    def toggle_theme(self) -> None:
        """Change between light and dark."""
        self.theme = theme_named("light" if self.theme.is_dark else "dark")
        self.preferences.set("theme", self.theme.name)
        self._apply_theme()

    def close_project(self) -> None:
        """Close the project and show the start page."""
        if self.may_leave():
            self.controller.close()

    def quit(self) -> None:
        """Close the window."""
        self.close()

    # -- events of Qt -------------------------------------------------------------------------

    def event(self, event: QtCore.QEvent) -> bool:
        """Leave all keys to a menu or a list that is open."""
        if (
            event.type() == QtCore.QEvent.ShortcutOverride
            and QtWidgets.QApplication.activePopupWidget() is not None
        ):
            event.accept()
            return True
        return bool(super().event(event))

    def dragEnterEvent(self, event: QtGui.QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QtGui.QDropEvent) -> None:
        """Open what was dropped."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            QtCore.QTimer.singleShot(0, lambda: self.open_path(paths[0]))

    def closeEvent(self, event: Any) -> None:
        """Stop work, remember the layout, close the session."""
        if not self.may_leave():
            event.ignore()
            return
        self.leave()
        event.accept()

    def leave(self) -> None:
        """Stop work, remember the layout and close the session, without a question."""
        self._remember_layout()
        self.controller.close()
