"""Draw the pictures of the window that the documentation shows, from the session of a demo.

python scripts/draw_window.py demo-out/session.h5 [--small SESSION.h5] [--out docs/pictures]

--small also draws the amplitudes over time of the smallest unit of another session, as `threshold.png`. Each
picture is drawn without a display, with preferences of its own; the session is only read.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

import numpy as np  # noqa: E402

from ncpgui.app.controller import Controller  # noqa: E402
from ncpgui.app.model.workspace import Workspace  # noqa: E402
from ncpgui.app.preferences import Preferences  # noqa: E402
from ncpgui.app.work.tasks import Immediate  # noqa: E402
from ncpgui.gui.application import qt_application  # noqa: E402
from ncpgui.gui.main_window import MainWindow  # noqa: E402
from ncpgui.gui.screenshot import settle  # noqa: E402

SIZE = (1360, 850)
PICTURES: dict[str, tuple[str, tuple[str, ...]]] = {
    "window_light": ("light", ()),
    "window_dark": ("dark", ()),
    "inspect_light": ("light", ("inspect",)),
    "inspect_dark": ("dark", ("inspect",)),
    "other_card_light": ("light", ("next_alternative",)),
    "other_card_dark": ("dark", ("next_alternative",)),
}
"""Theme and actions, one after the other, by the name of the picture."""


@contextmanager
def opened(session: Path, theme: str) -> Iterator[MainWindow]:
    """The window with a session open."""
    application = qt_application()
    with tempfile.TemporaryDirectory() as folder:
        preferences = Preferences(Path(folder))
        preferences.set("theme", theme)
        workspace = Workspace()
        window = MainWindow(workspace, Controller(workspace, Immediate(), preferences))
        window.resize(*SIZE)
        window.show()
        window.controller.open_session(session, read_only=True)
        settle(application)
        yield window
        window.close()
        window.deleteLater()


def draw(session: Path, path: Path, theme: str, actions: tuple[str, ...]) -> None:
    """Write one picture of the window with a session open."""
    with opened(session, theme) as window:
        for name in actions:
            window.actions_[name].trigger()
            settle(qt_application())
        window.grab().save(str(path), "PNG")


def draw_amplitudes(session: Path, path: Path) -> None:
    """Write a picture of the panel *Over time* with the unit of the smallest spikes."""
    with opened(session, "light") as window:
        window.actions_["inspect"].trigger()
        project = window.workspace.state.project
        amplitude, units = project.spikes.amplitude, project.unit_of_spike
        size = {unit: float(np.median(np.abs(amplitude[units == unit]))) for unit in set(units[units >= 0])}
        window.workspace.select([int(min(size, key=size.__getitem__))])
        settle(qt_application())
        window.bench.by_name["over time"].grab().save(str(path), "PNG")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("session", type=Path, metavar="SESSION.h5")
    parser.add_argument("--small", type=Path, metavar="SESSION.h5", help="draw amplitudes of a small unit")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    application = qt_application()  # one for all pictures: it goes when nobody has it
    for name, (theme, actions) in PICTURES.items():
        draw(arguments.session, arguments.out / f"{name}.png", theme, actions)
        print(arguments.out / f"{name}.png")
    if arguments.small is not None:
        draw_amplitudes(arguments.small, arguments.out / "threshold.png")
        print(arguments.out / "threshold.png")
