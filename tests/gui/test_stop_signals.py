"""The window ends like a command when it is asked to: work saved, session closed, exit code 130."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from ncpgui.session.session_file import create_session, open_session
from tests.forked import run_forked
from tests.synthetic_project import synthetic_project

# Opens the session, labels a unit, then gets the signal: while it idles, while a dialog waits for an
# answer, or before the session is there.
PROGRAM = """
import os, signal, sys
from PyQt5 import QtCore, QtWidgets
from ncpgui.app.work import jobs
from ncpgui.app.work import measures
from ncpgui.__main__ import main
from ncpgui.gui import application
from ncpgui.gui.main_window import MainWindow

number, moment = int(sys.argv[2]), sys.argv[3]
measures.embed = lambda features, **_: features[:, :2]
qt, timer = application.qt_application(), QtCore.QTimer()

def step():
    windows = [w for w in QtWidgets.QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
    if not windows or (moment != "before it opens" and windows[0].workspace.state.project is None):
        return
    timer.stop()
    window = windows[0]
    if moment != "before it opens":
        window.workspace.label((0,), "good")
    if moment == "no room":
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    if moment in ("unsaved", "no room"):
        state = window.workspace.state
        state.put_recording(state.project.recording)  # no journal keeps this
    if moment == "while a dialog is open":
        QtCore.QTimer.singleShot(0, lambda: os.kill(os.getpid(), number))
        window.actions_["about"].trigger()
        return
    os.kill(os.getpid(), number)

timer.timeout.connect(step)
timer.start(5)
sys.argv = ["ncpgui", sys.argv[1]]
main()
"""


@pytest.fixture(scope="module")
def saved_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "s.h5"
    project = synthetic_project(2, spikes_per_unit=40, n_samples=20, duration_s=10.0, with_stimulus=False)
    create_session(project, path).close()
    return path


@pytest.mark.skipif(os.name != "posix", reason="a process sends itself signals on POSIX systems")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["idle", "unsaved", "while a dialog is open", "before it opens"])
def test_a_signal_closes_the_session_and_ends_the_window(
    saved_session: Path, tmp_path: Path, number: int, moment: str
) -> None:
    shutil.copy(saved_session, tmp_path)
    done = run_forked(PROGRAM, tmp_path / "s.h5", int(number), moment, needs="window")
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines()[-1] == "cancelled"
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "s.h5.lock").exists()
    with open_session(tmp_path / "s.h5") as session:
        done_to_it = [*session.project.history, *session.journal_entries]
        was_saved = bool(session.project.history)
    assert [entry["label"] for entry in done_to_it] == ([] if moment == "before it opens" else ["good"])
    assert was_saved == (moment != "before it opens")


@pytest.mark.skipif(os.name != "posix", reason="a process sends itself signals on POSIX systems")
def test_a_last_save_that_fails_is_said_and_the_journal_keeps_what_it_holds(
    saved_session: Path, tmp_path: Path
) -> None:
    shutil.copy(saved_session, tmp_path)
    done = run_forked(PROGRAM, tmp_path / "s.h5", int(signal.SIGTERM), "no room", needs="window")
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith(
        f"error: cannot write {tmp_path / 's.h5'}: File too large;"
    )
    assert not (tmp_path / "s.h5.lock").exists()
    with open_session(tmp_path / "s.h5") as session:
        assert [entry["label"] for entry in session.journal_entries] == ["good"]
