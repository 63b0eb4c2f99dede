"""The window: start page or workbench, menus, messages; it shows a workspace and owns nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.actions import Context
from ncpgui.app.controller import Activity, Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.queue import present_wrong_left
from ncpgui.app.words import count, duration, sentence, thousands
from ncpgui.app.work import jobs
from ncpgui.app.work.recognition import is_raw, without_options
from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.core.errors import NcpguiError
from ncpgui.gui.activity import ActivityWidget
from ncpgui.gui.banner import Banner
from ncpgui.gui.dialogs.export import ExportDialog
from ncpgui.gui.dialogs.keys import KeysDialog, about_text
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.dialogs.review_recording import ReviewRecordingDialog
from ncpgui.gui.items.elided_label import ElidedLabel
from ncpgui.gui.menus import ActionSet
from ncpgui.gui.start_page import StartPage
from ncpgui.gui.theme import Theme, app_icon, apply_theme, theme_named
from ncpgui.gui.workbench import LAYOUTS, Workbench

DEFAULT_SIZE = (1280, 800)
SESSIONS = "Sessions (*.h5 *.hdf5)"


class MainWindow(QtWidgets.QMainWindow):
    """Shows a workspace and passes what the person does to its actions.

    Parameters
    ----------
    workspace, controller : what is shown, and what does the long work
    """

    def __init__(self, workspace: Workspace, controller: Controller) -> None:
        super().__init__()
        self.workspace = workspace
        self.controller = controller
        self.preferences = controller.preferences
        self.theme: Theme = theme_named("dark" if self.preferences.dark else "light")
        self.setWindowIcon(app_icon())
        self.setAcceptDrops(True)
        self.resize(*DEFAULT_SIZE)
        self.setMinimumSize(960, 600)
        self._keys: KeysDialog | None = None
        self._build()
        self._follow()
        self._apply_theme()
        self._restore_layout()
        self._project_changed()

    # -- parts ------------------------------------------------------------------------------

    def _build(self) -> None:
        self.actions_ = ActionSet(self, Context(self.workspace, self.controller, self))
        menus = self.actions_.fill_menus(self.menuBar())
        self.recent_menu = QtWidgets.QMenu("Open recent", self)
        menus["File"].insertMenu(self.actions_["open_demo"], self.recent_menu)
        self.panels_menu = menus["View"].addMenu("Panels")
        self.panels_menu.aboutToShow.connect(self._fill_panels)
        self.toolbar = QtWidgets.QToolBar("Actions")
        self.toolbar.setObjectName("toolbar")
        self.toolbar.setMovable(False)
        self.toolbar.setToolButtonStyle(QtCore.Qt.ToolButtonTextOnly)
        self.toolbar.setContextMenuPolicy(QtCore.Qt.PreventContextMenu)
        self.actions_.fill_toolbar(self.toolbar)
        self.addToolBar(self.toolbar)
        self.banner = Banner()
        self.start = StartPage(
            {
                "Open recording…": self.ask_open,
                "Open session…": self.ask_session,
                "Review a sorting…": self.ask_review,
                "Try the demo": lambda: self.controller.open_demo(self.demo_folder()),
            }
        )
        self.start.file_chosen.connect(lambda path: self.open_path(Path(path)))
        self.start.activity.stopped.connect(self.controller.cancel)
        self.bench = Workbench(self.workspace, self.controller)
        self.pages = QtWidgets.QStackedWidget()
        self.pages.addWidget(self.start)
        self.pages.addWidget(self.bench)
        middle = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.pages, 1)
        self.setCentralWidget(middle)
        self.activity = ActivityWidget(bar_width=120)
        self.activity.stopped.connect(self.controller.cancel)
        self.about_project = ElidedLabel()
        self.about_project.setContentsMargins(12, 0, 12, 0)
        self.statusBar().setSizeGripEnabled(False)
        self.wrong_left = QtWidgets.QLabel()
        self.wrong_left.setToolTip(
            "Spikes that are expected to be in a wrong unit where there is still a question: stop when it is "
            "small enough"
        )
        self.statusBar().addPermanentWidget(self.activity)
        self.statusBar().addPermanentWidget(self.wrong_left)
        self.statusBar().addPermanentWidget(self.about_project)

    def _follow(self) -> None:
        workspace, controller = self.workspace, self.controller
        workspace.opened.connect(self._project_changed)
        workspace.saved_changed.connect(self._title_changed)
        workspace.told.connect(self._tell)
        workspace.warned.connect(self._warn)
        controller.activity_changed.connect(self._activity_changed)
        controller.failed.connect(self.show_error)
        controller.only_readable.connect(self._offer_read_only)
        controller.recording_wanted.connect(self._want_recording)
        self._refresh = QtCore.QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(0)
        self._refresh.timeout.connect(self.actions_.refresh)
        self._refresh.timeout.connect(self._count_wrong)
        for signal in (
            workspace.opened, workspace.components_changed, workspace.current_changed,
            workspace.shown_changed, workspace.selection_changed, workspace.units_changed,
            controller.activity_changed,
        ):  # fmt: skip
            signal.connect(self._refresh_actions)

    def _count_wrong(self) -> None:
        self.wrong_left.setText(sentence(present_wrong_left(self.workspace)))

    def _refresh_actions(self, *_: object) -> None:
        self._refresh.start()

    def _project_changed(self) -> None:
        project = self.workspace.project
        self.pages.setCurrentWidget(self.start if project is None else self.bench)
        self.toolbar.setVisible(project is not None)
        self.start.show_recent(self.preferences.recent)
        self._fill_recent()
        self._title_changed()
        if project is None:
            self.about_project.clear()
        else:
            recording = project.recording
            seconds = recording.n_samples / recording.sampling_frequency_hz
            self.about_project.setText(
                f"{count(project.probe.n_channels, 'channel')} · {duration(seconds)} · "
                f"{thousands(len(project.spikes))} spikes · model {project.model}"
            )
        self.bench.project_changed()
        self.actions_.refresh()
        self._count_wrong()

    def _title_changed(self) -> None:
        project, path = self.workspace.project, self.controller.session_path
        if project is None:
            self.setWindowModified(False)
            self.setWindowTitle("ncpgui")
            return
        name = Path(project.recording.path).name or "unnamed"
        if path is not None:
            name = path.name
        elif self.controller.read_only_path is not None:
            name = f"{self.controller.read_only_path.name} (read-only)"
        self.setWindowTitle(f"{name}[*] – ncpgui")
        self.setWindowModified(not self.workspace.is_saved)

    def _fill_recent(self) -> None:
        self.recent_menu.clear()
        for path in self.preferences.recent:
            self.recent_menu.addAction(path, lambda path=path: self.open_path(Path(path)))
        self.recent_menu.setEnabled(bool(self.preferences.recent))

    def _fill_panels(self) -> None:
        """List the panels, those on screen checked."""
        self.panels_menu.clear()
        for name, panel in self.bench.by_name.items():
            entry = self.panels_menu.addAction(panel.title or sentence(name))
            entry.setCheckable(True)
            entry.setChecked(name in self.bench.shown)
            entry.triggered.connect(lambda on, name=name: self.bench.show_panel(name, on))

    # -- messages ---------------------------------------------------------------------------

    def _tell(self, text: str) -> None:
        self.statusBar().showMessage(text, 12_000)

    def _warn(self, text: str) -> None:
        self.banner.tell(sentence(text))

    def _offer_read_only(self, path: Path, error: Exception) -> None:
        self.banner.tell(
            sentence(str(error)),
            action="Open read-only",
            do=lambda: self.controller.open_session(path, read_only=True),
        )

    def _want_recording(self, request: ReviewRequest, error: Exception) -> None:
        self.banner.tell(
            sentence(without_options(str(error))),
            action="Choose the recording…",
            do=lambda: self.ask_recording_of(request),
        )

    def _activity_changed(self, activity: Activity | None) -> None:
        self.activity.show_activity(activity)
        self.start.show_activity(activity if self.workspace.project is None else None)
        is_busy = activity is not None and self.workspace.project is not None
        self.activity.setVisible(is_busy)
        for widget in (self.about_project, self.wrong_left):
            widget.setVisible(not is_busy)  # messages need their room

    def show_error(self, error: Exception, doing: str = "") -> None:
        """Say what went wrong; the window stays usable."""
        if isinstance(error, NcpguiError):
            self.banner.tell(f"While {doing}: {error}" if doing else sentence(str(error)))
            return
        self.banner.tell(
            f"While {doing or 'working'}, something went wrong that should not have: "
            f"{type(error).__name__}: {error}. Your work is safe; details are in "
            f"{self.preferences.folder / 'ncpgui.log'}"
        )

    # -- look -------------------------------------------------------------------------------

    def _apply_theme(self) -> None:
        application = QtWidgets.QApplication.instance()
        assert isinstance(application, QtWidgets.QApplication)
        apply_theme(application, self.theme)
        self.bench.set_theme(self.theme)

    def _restore_layout(self) -> None:
        geometry = self.preferences.get("geometry", "")
        if geometry:
            self.restoreGeometry(QtCore.QByteArray.fromHex(geometry.encode("ascii", "ignore")))
        self.bench.restore_layout(self.preferences.get("splitters", {}))
        self.bench.restore_places(self.preferences.get("places", {}))
        self.bench.show_panels(self.preferences.get("panels", list(self.bench.shown)))

    def _remember_layout(self) -> None:
        self.preferences.set("geometry", bytes(self.saveGeometry().toHex()).decode("ascii"))
        self.preferences.set("splitters", self.bench.layout_values())
        self.preferences.set("places", self.bench.places.values())
        self.preferences.set("panels", list(self.bench.shown))

    # -- what actions ask of the window -------------------------------------------------------

    def open_path(self, path: Path) -> None:
        """Open a session or a recording; what a raw binary file does not say is asked."""
        if is_raw(path):
            self.ask_open(path)
        else:
            self.controller.open_path(path)

    def ask_open(self, path: Path | None = None) -> None:
        """Ask for a recording and open it."""
        dialog = OpenRecordingDialog(self, self.controller.runner, path="" if path is None else str(path))
        if dialog.exec_() == QtWidgets.QDialog.Accepted:
            self.controller.open_recording(dialog.request())

    def ask_session(self) -> None:
        """Ask for a session and open it."""
        name, _ = QtWidgets.QFileDialog.getOpenFileName(self, "Open session", "", SESSIONS)
        if name:
            self.controller.open_session(Path(name))

    def ask_review(self) -> None:
        """Ask for the folder of another program's sorting and open it."""
        name = QtWidgets.QFileDialog.getExistingDirectory(
            self, "Folder of Phy, Kilosort or SpikeInterface to review"
        )
        if name:
            self.controller.open_path(Path(name))

    def ask_recording_of(self, request: ReviewRequest) -> None:
        """Ask for the recording of a sorting that does not lead to it, and open both."""
        dialog = ReviewRecordingDialog(self, request)
        if dialog.exec_() == QtWidgets.QDialog.Accepted:
            self.controller.open_review(dialog.request())

    def ask_save_as(self) -> None:
        """Ask where to save, and save."""
        known = self.controller.session_path
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Save session as", "" if known is None else str(known), SESSIONS
        )
        if name:
            path = Path(name)
            self.controller.save(path if jobs.is_session(path) else path.with_name(f"{path.name}.h5"))

    def ask_export(self) -> None:
        """Ask for format and place, and export."""
        project = self.workspace.project
        assert project is not None
        home = self.controller.session_path or Path(project.recording.path)
        dialog = ExportDialog(
            self,
            jobs.export_formats(),
            folder=home.parent,
            stem=home.name.split(".")[0],
            left_out=jobs.left_out_of_exports(project),
        )
        if dialog.exec_() == QtWidgets.QDialog.Accepted:
            self.controller.export(
                dialog.format_name, dialog.path, min_probability=dialog.min_probability.value()
            )

    def ask_recording_place(self) -> None:
        """Ask where the recording of the session is now."""
        name, _ = QtWidgets.QFileDialog.getOpenFileName(self, "Where is the recording now?")
        if name:
            self.controller.locate_recording(Path(name))

    def confirm(self, question: str) -> bool:
        """Ask a question that is answered with yes or no."""
        box, yes = QtWidgets.QMessageBox, QtWidgets.QMessageBox.Yes
        return bool(box.question(self, "Are you sure?", question, yes | box.No, box.No) == yes)

    def lists_all_units(self) -> bool:
        """Whether the unit table lists the units of the whole recording."""
        return self.bench.units.all_units

    def demo_folder(self) -> Path:
        """Folder of the demo."""
        return self.preferences.folder / "demo"

    def show_help(self) -> None:
        """Show the key page."""
        if self._keys is not None:
            self._keys.close()
        self._keys = KeysDialog(self, self.theme)
        self._keys.show()

    def show_about(self) -> None:
        """Show what this program is."""
        box = QtWidgets.QMessageBox(self)
        box.setWindowTitle("About ncpgui")
        box.setIconPixmap(self.windowIcon().pixmap(64))
        box.setText(about_text())
        box.exec_()

    def toggle_theme(self) -> None:
        """Change between light and dark."""
        self.theme = theme_named("light" if self.theme.is_dark else "dark")
        self.preferences.set("theme", self.theme.name)
        self._apply_theme()

    def toggle_arrangement(self) -> None:
        """Change between waveforms in columns and at probe geometry."""
        self.bench.toggle_arrangement()

    def toggle_all_units(self) -> None:
        """Change between the units on screen and all units."""
        self.bench.toggle_all_units()

    def show_layout(self, name: str) -> None:
        """Put the panels of a ready layout on screen."""
        self.bench.show_panels(LAYOUTS[name])

    def step_spike(self, step: int) -> None:
        """Show the traces around the next spike, or (-1) the one before."""
        self.bench.show_panel("traces", True)
        self.bench.traces.step(step)

    def step_ambiguous(self) -> None:
        """Show the traces around the next spike by how uncertain its unit is."""
        self.bench.show_panel("traces", True)
        self.bench.traces.step_ambiguous()

    def toggle_intervals(self) -> None:
        """Change between autocorrelograms and intervals."""
        self.bench.correlograms.toggle_intervals()

    def toggle_height(self) -> None:
        """Change between amplitude and depth over time."""
        self.bench.amplitudes.toggle_height()

    def save_picture(self) -> None:
        """Ask for a file and save a picture of the window."""
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Save picture", "ncpgui.png", "Pictures (*.png)"
        )
        if not name:
            return
        path = name if name.lower().endswith(".png") else f"{name}.png"
        if self.grab().save(path, "PNG"):
            self._tell(f"Saved {Path(path).name}")
        else:
            self.banner.tell(f"The picture cannot be written to {path}; choose a folder that can be written")

    def close_project(self) -> None:
        """Close the project and show the start page."""
        if self._may_leave():
            self.controller.close()

    def quit(self) -> None:
        """Close the window."""
        self.close()

    def _may_leave(self) -> bool:
        """Whether nothing is lost, or the person said that it may be."""
        if self.workspace.is_safe or self.controller.session_path is not None:
            return True  # in the session and its journal, or saved there on closing
        answer = QtWidgets.QMessageBox.question(
            self,
            "Leave without saving?",
            "What was done to this project is not saved. Save it first?",
            QtWidgets.QMessageBox.Save | QtWidgets.QMessageBox.Discard | QtWidgets.QMessageBox.Cancel,
        )
        if answer == QtWidgets.QMessageBox.Save:
            self.ask_save_as()
            return False
        return bool(answer == QtWidgets.QMessageBox.Discard)

    # -- events of Qt -------------------------------------------------------------------------

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
        if not self._may_leave():
            event.ignore()
            return
        self.leave()
        event.accept()

    def leave(self) -> None:
        """Stop work, remember the layout and close the session, without a question."""
        self._remember_layout()
        self.controller.close()
