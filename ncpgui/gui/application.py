"""Starts the application: one Qt application, one workspace, one window."""

from __future__ import annotations

import logging
import logging.handlers
import sys
import types
from collections.abc import Callable
from pathlib import Path

from PyQt5 import QtCore, QtWidgets

from ncpgui import __version__
from ncpgui.app.controller import Controller
from ncpgui.app.preferences import Preferences
from ncpgui.app.workspace import Workspace
from ncpgui.gui.main_window import MainWindow
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
    application = QtWidgets.QApplication(["ncpgui"])
    application.setApplicationName("ncpgui")
    application.setApplicationVersion(__version__)
    return application


def run(path: Path | None = None) -> int:
    """Open the window, with a recording or a session if `path` is given; returns when it closes."""
    application = qt_application()
    preferences = Preferences()
    log_to_file(preferences.folder / "ncpgui.log")
    workers = Workers()
    workspace = Workspace()
    window = MainWindow(workspace, Controller(workspace, workers, preferences))
    sys.excepthook = _reporter(window)
    fit_to_screen(window, window.screen().availableSize())
    window.show()
    if path is not None:
        QtCore.QTimer.singleShot(0, lambda: window.open_path(path))
    try:
        return int(application.exec_())
    finally:
        workers.stop()


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
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("ncpgui")
    root.addHandler(handler)
    root.setLevel(logging.INFO)


def _reporter(window: MainWindow) -> Callable[..., None]:
    """Show what no one caught in the window instead of ending the program."""

    def report(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QtWidgets.QApplication.quit()
            return
        logger.error("not caught", exc_info=(kind, error, trace))
        if isinstance(error, Exception):
            window.show_error(error)

    return report
