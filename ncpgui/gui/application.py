"""Starts the application: one Qt application, one workspace, one window."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

from PyQt5 import QtCore, QtWidgets

from ncpgui import __version__
from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.core.progress import Cancelled
from ncpgui.core.visible import visible_lines
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.qt_start import qt_starting
from ncpgui.gui.stop_signals import StopSignals
from ncpgui.gui.uncaught import Uncaught
from ncpgui.gui.worker import Workers

logger = logging.getLogger(__name__)

LOG_BYTES = 1_000_000


def qt_application() -> QtWidgets.QApplication:
    """The Qt application of this process, made on the first call."""
    running = QtWidgets.QApplication.instance()
    if isinstance(running, QtWidgets.QApplication):
        return running
    QtWidgets.QApplication.setAttribute(QtCore.Qt.AA_EnableHighDpiScaling)
    QtWidgets.QApplication.setAttribute(QtCore.Qt.AA_UseHighDpiPixmaps)
    QtWidgets.QApplication.setHighDpiScaleFactorRoundingPolicy(
        QtCore.Qt.HighDpiScaleFactorRoundingPolicy.PassThrough  # Qt 5 would round 125 % down, 150 % up
    )
    with qt_starting():
        application = QtWidgets.QApplication(["ncpgui"])
    application.setApplicationName("ncpgui")
    application.setApplicationVersion(__version__)
    return application


def run(path: Path | None = None) -> int:
    """Open the window, with a recording or a session if `path` is given; returns when it closes.

    Raises
    ------
    Cancelled
        SIGINT or SIGTERM came: the session is closed, what only memory held is saved in it.
    SessionError
        The last save failed; what is in the session and its journal stays.
    """
    application = qt_application()
    preferences = Preferences()
    log_to_file(preferences.folder / "ncpgui.log")
    workers = Workers()
    workspace = Workspace()
    window = MainWindow(workspace, Controller(workspace, workers, preferences))
    uncaught, signals = Uncaught(window.show_error), StopSignals()
    stopped: list[bool] = []
    too_late: list[Exception] = []

    def stop() -> None:
        if not stopped:
            stopped.append(True)
            window.leave()
        application.quit()  # dialogs too, which nobody is there to answer

    signals.came.connect(stop)
    signals.install()
    uncaught.install()
    fit_to_screen(window, window.screen().availableSize())
    window.show()
    if path is not None:
        QtCore.QTimer.singleShot(0, lambda: window.open_path(path))
    try:
        code = int(application.exec_())
        window.controller.work.failed.connect(lambda error, _doing: too_late.append(error))
    finally:
        workers.stop()
        uncaught.restore()
        signals.restore()
    if too_late:
        raise too_late[0]
    if stopped:
        raise Cancelled
    return code


def fit_to_screen(window: QtWidgets.QWidget, room: QtCore.QSize) -> None:
    """Make a window no larger than the screen: at 125 %, a laptop has 1093 x 614 pixels of its 1366 x 768."""
    window.setMinimumSize(window.minimumSize().boundedTo(room))
    window.resize(window.size().boundedTo(room))


def log_to_file(path: Path) -> None:
    """Keep what goes wrong in a file; without a place for it, do without."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8"
        )
    except OSError as error:
        logger.warning("no log file: %s", error)
        return
    handler.setFormatter(LogFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("ncpgui")
    root.addHandler(handler)
    root.setLevel(logging.INFO)


class LogFormatter(logging.Formatter):
    """Lines that a terminal shows as they are, and of which none can pretend to be another entry."""

    def format(self, record: logging.LogRecord) -> str:
        """Format an entry; its further lines are indented."""
        return visible_lines(super().format(record)).replace("\n", "\n    ")
