"""Draw the animated picture of the README: one question of a review is looked at, answered and settled.

python scripts/draw_doubt.py REVIEW.h5 [--question 2] [--out docs/pictures/one_doubt.gif]

REVIEW.h5 is the session of the tutorial on reviews, before any decision. The windows in the picture are real
ones; the line below each says what was pressed. The session is copied, and stays as it is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

if not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from PIL import Image  # noqa: E402
from PyQt5 import QtCore, QtGui  # noqa: E402

from ncpgui.app.controller import Controller  # noqa: E402
from ncpgui.app.model.workspace import Workspace  # noqa: E402
from ncpgui.app.preferences import Preferences  # noqa: E402
from ncpgui.app.work.tasks import Immediate  # noqa: E402
from ncpgui.gui.application import qt_application  # noqa: E402
from ncpgui.gui.main_window import MainWindow  # noqa: E402
from ncpgui.gui.screenshot import settle  # noqa: E402

SIZE = (1180, 700)
LINE_HEIGHT = 44
COLOURS = 128
STEPS = (
    (
        (),
        3.5,
        "Another sorter found units {units}. Are they two neurons? ncpgui gives each answer its probability.",
    ),
    (
        ("next_alternative",),
        3.5,
        "Key ]  shows the most probable answer in every panel. Nothing has changed yet.",
    ),
    (("adopt",), 3.5, "Key Enter  sorts the spikes as this card says. Ctrl+Z would take it back."),
    (
        ("adopt",),
        4.0,
        "Key Enter  once more accepts it: the question is settled. The truth of this simulation: one neuron.",
    ),
)
"""Actions, seconds that the picture stays, and the words below it."""


def frames(session: Path, question: int) -> Iterator[tuple[QtGui.QImage, float]]:
    """Pictures of the window, each with the line below it, and how many seconds it is shown."""
    application = qt_application()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / session.name
        for path in session.parent.glob(f"{session.name}*"):
            if path.is_file():
                shutil.copy(path, copy.with_name(path.name))
        preferences = Preferences(Path(folder) / "preferences")
        preferences.set("theme", "light")
        workspace = Workspace()
        window = MainWindow(workspace, controller := Controller(workspace, Immediate(), preferences))
        window.resize(*SIZE)
        window.show()
        controller.open_session(copy)
        settle(application)
        for _ in range(question - 1):
            window.actions_["next_in_queue"].trigger()
        settle(application)
        shown = workspace.in_use()
        assert shown is not None
        units = " and ".join(unit.name for unit in shown.units)
        for actions, seconds, words in STEPS:
            for name in actions:
                window.actions_[name].trigger()
            settle(application)
            yield with_line(window.grab().toImage(), words.format(units=units)), seconds
        window.close()
        window.deleteLater()


def with_line(picture: QtGui.QImage, words: str) -> QtGui.QImage:
    """The picture with a line of words below it."""
    result = QtGui.QImage(picture.width(), picture.height() + LINE_HEIGHT, QtGui.QImage.Format_RGB888)
    result.fill(QtGui.QColor("#1f3a5f"))
    painter = QtGui.QPainter(result)
    painter.drawImage(0, 0, picture)
    font = painter.font()
    font.setPixelSize(19)
    painter.setFont(font)
    painter.setPen(QtGui.QColor("white"))
    below = QtCore.QRect(16, picture.height(), picture.width() - 32, LINE_HEIGHT)
    painter.drawText(below, QtCore.Qt.AlignVCenter | QtCore.Qt.AlignLeft, words)
    painter.end()
    return result


def as_pillow(picture: QtGui.QImage) -> Image.Image:
    """The same picture for Pillow."""
    picture = picture.convertToFormat(QtGui.QImage.Format_RGBA8888)
    pixels = picture.constBits().asstring(picture.byteCount())
    return Image.frombytes("RGBA", (picture.width(), picture.height()), pixels).convert("RGB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("session", type=Path, metavar="REVIEW.h5")
    parser.add_argument("--question", type=int, default=2, metavar="N", help="row of the queue, from 1")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures" / "one_doubt.gif")
    arguments = parser.parse_args()
    drawn = list(frames(arguments.session, arguments.question))
    images = [as_pillow(picture).quantize(COLOURS, dither=Image.Dither.NONE) for picture, _ in drawn]
    images[0].save(
        arguments.out,
        save_all=True,
        append_images=images[1:],
        duration=[round(1000 * seconds) for _, seconds in drawn],
        loop=0,
        optimize=True,
    )
    print(arguments.out)
