"""Pictures of the real window without a display: `ncpgui demo --headless`, documentation, tests."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PyQt5 import QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.work.tasks import Immediate
from ncpgui.core.errors import ExportError
from ncpgui.core.files import replaced_file
from ncpgui.gui.application import qt_application
from ncpgui.gui.main_window import MainWindow


def save_screenshot(
    session: Path, path: Path, *, size: tuple[int, int] = (1280, 800), dark: bool = False
) -> None:
    """Write a PNG of the window with a session open, at its most ambiguous component.

    Raises
    ------
    SessionError
        The session cannot be opened.
    ExportError
        The picture cannot be written.
    """
    application = qt_application()
    with tempfile.TemporaryDirectory() as folder:
        preferences = Preferences(Path(folder))
        preferences.set("theme", "dark" if dark else "light")
        workspace = Workspace()
        controller = Controller(workspace, Immediate(), preferences)
        errors: list[Exception] = []
        controller.work.failed.connect(lambda error, _doing: errors.append(error))
        window = MainWindow(workspace, controller)
        window.resize(*size)
        window.show()
        controller.open_session(session)
        settle(application)
        picture = window.grab()
        window.close()
        window.deleteLater()
    if errors:
        raise errors[0]
    with replaced_file(path) as beside:
        if not picture.save(str(beside), "PNG"):
            raise ExportError(f"the picture cannot be written to {path}; choose a folder that can be written")


def settle(application: QtWidgets.QApplication, *, rounds: int = 8) -> None:
    """Let the window lay itself out and paint."""
    for _ in range(rounds):
        application.sendPostedEvents()
        application.processEvents()
