"""Panels, and the window, as pictures: PNG as on the screen, or SVG, whose lines and words stay these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.core.errors import ExportError
from ncpgui.core.files import replaced_file

FILTER = "PNG (*.png);;SVG (*.svg)"


def save_panel(panel: QtWidgets.QWidget, path: Path) -> None:
    """Write a picture of a panel or window, swapped in whole; the name says which, ``.png`` or ``.svg``.

    Raises
    ------
    ExportError
        The name is another, or the file cannot be written.
    """
    kind = path.suffix.lower()
    if kind not in (".png", ".svg"):
        raise ExportError(f"a picture is a .png or a .svg file, got {path.name}; choose such a name")
    with replaced_file(path) as beside:
        if not (panel.grab().save(str(beside), "PNG") if kind == ".png" else _write_svg(panel, beside)):
            raise ExportError(f"the picture cannot be written to {path}; choose a folder that can be written")


def _write_svg(panel: QtWidgets.QWidget, path: Path) -> bool:
    try:
        from PyQt5 import QtSvg
    except ImportError as error:
        raise ExportError(f"SVG needs QtSvg of PyQt5, which is not there ({error}); save a .png") from error
    generator = QtSvg.QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(panel.size())
    generator.setViewBox(panel.rect())
    generator.setResolution(panel.logicalDpiX())
    generator.setTitle(panel.accessibleName())
    painter = QtGui.QPainter()
    if not painter.begin(generator):
        return False
    with _drawn_as_shapes(panel):
        panel.render(painter, QtCore.QPoint(0, 0))
    painter.end()
    return path.is_file()


@contextmanager
def _drawn_as_shapes(panel: QtWidgets.QWidget) -> Iterator[None]:
    """Let pyqtgraph draw points one by one, and nothing from pictures that it keeps."""
    views = panel.findChildren(QtWidgets.QGraphicsView)
    kept = [view.cacheMode() for view in views]
    items = [item for view in views for item in view.items() if hasattr(item, "setExportMode")]
    for view in views:
        view.setCacheMode(QtWidgets.QGraphicsView.CacheNone)
    for item in items:
        item.setExportMode(True, {"antialias": True, "resolutionScale": 1.0})
    try:
        yield
    finally:
        for item in items:
            item.setExportMode(False)
        for view, mode in zip(views, kept, strict=True):
            view.setCacheMode(mode)
