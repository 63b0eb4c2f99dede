"""The window when the disk is full: it says so, lives on, and loses nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ncpgui.session.session_file import create_session
from tests.forked import run_forked
from tests.synthetic_project import synthetic_project

DISK_KIB = 8192
LEFT_BYTES = 16_384

# Opens the session, fills the disk, edits and saves under the running window, then frees the disk and
# saves again.
PROGRAM = f"""
import faulthandler, json, sys, threading
from pathlib import Path
from PyQt5 import QtCore, QtWidgets
from ncpgui.app.work import jobs
from ncpgui.app.work import measures
from ncpgui.gui import application
from ncpgui.gui.main_window import MainWindow

faulthandler.enable()
path, full_by = Path(sys.argv[1]), sys.argv[2]
ballast = path.with_name("ballast")
found = {{"not_on_the_window_s_thread": []}}
tell = MainWindow.show_error

def show_error(window, error, doing=""):
    if threading.current_thread() is not threading.main_thread():
        found["not_on_the_window_s_thread"].append(str(error))
    tell(window, error, doing)

MainWindow.show_error = show_error
measures.embed = lambda features, **_: features[:, :2]  # t-SNE takes seconds

def fill():
    if full_by == "quota":
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        return
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            file.truncate(file.tell() - {LEFT_BYTES})

def free():
    if full_by == "quota":
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    else:
        ballast.unlink()

def steps():
    (window,) = [w for w in QtWidgets.QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
    while window.workspace.state.project is None:
        yield
    fill()
    for _ in range(3):
        window.workspace.label((0,), "good")
        window.actions_["save"].trigger()
        while window.controller.runner.is_busy("io"):
            yield
    for _ in range(20):  # what came by queued signals
        yield
    found["banner"] = window.banner.text.text() if window.banner.isVisible() else ""
    free()
    window.workspace.label((0,), "mua")
    window.actions_["save"].trigger()
    while window.controller.runner.is_busy("io"):
        yield
    found["saved"] = window.workspace.state.is_saved
    window.close()

def step():
    if next(running, "end") == "end":
        timer.stop()

running, timer = steps(), QtCore.QTimer()
qt = application.qt_application()
timer.timeout.connect(step)
timer.start(5)
found["code"] = application.run(path)
print(json.dumps(found))
"""


@pytest.mark.parametrize(("full_by", "attempt"), [("disk", 1), ("disk", 2), ("disk", 3), ("quota", 1)])
def test_a_save_to_a_full_disk_leaves_the_window_alive_with_a_banner_and_the_work_whole(
    full_by: str, attempt: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue("small_disk")(DISK_KIB) if full_by == "disk" else tmp_path
    session = folder / "s.h5"
    project = synthetic_project(2, spikes_per_unit=40, n_samples=20, duration_s=10.0, with_stimulus=False)
    create_session(project, session).close()
    own = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}
    done = run_forked(PROGRAM, session, full_by, needs="window", env=os.environ | own)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert "s.h5: " in found["banner"]
    assert ("No space left on device" if full_by == "disk" else "File too large") in found["banner"]
    assert found["not_on_the_window_s_thread"] == []
    assert found["saved"]
    assert found["code"] == 0
