"""How the program starts and ends where its surroundings are unusual: streams, interrupts, displays."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ncpgui.session.store import load
from tests.forked import run_forked

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX shells close streams, and signals are POSIX")
COMMAND = shlex.join([sys.executable, "-m", "ncpgui"])

# Sends the process a signal when a module is about to be imported.
INTERRUPTED = """
import os, sys

module, number = sys.argv[1], int(sys.argv[2])
sys.argv[:] = ["ncpgui", *sys.argv[3:]]

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, Interrupt())
from ncpgui.__main__ import main
main()
"""


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", line], capture_output=True, text=True, check=False, env=os.environ | environment
    )


@posix
@pytest.mark.parametrize("options", ["", " --json"])
def test_a_command_that_prints_says_that_its_output_is_closed(tetrode_session: Path, options: str) -> None:
    done = shell(f"{COMMAND} info {shlex.quote(str(tetrode_session))}{options} >&-")
    assert done.returncode == 2
    assert done.stderr == "error: the output of the command is closed; leave out '>&-', or give it a file\n"


@pytest.mark.parametrize(("options", "is_shown"), [("", False), ("--debug", True)])
def test_warnings_of_libraries_are_for_those_who_look_for_faults(options: str, is_shown: bool) -> None:
    program = "import warnings; warnings.warn('divide by zero'); from ncpgui.cli import main as cli; "
    program += (
        "cli.run = lambda: warnings.warn('in a command') or 0; from ncpgui.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "divide by zero" in done.stderr
    assert ("in a command" in done.stderr) == is_shown


@posix
def test_a_command_that_prints_nothing_needs_no_streams(tetrode_session: Path, tmp_path: Path) -> None:
    arguments = shlex.join(
        ["export", str(tetrode_session), "--format", "npz", "--out", str(tmp_path / "x.npz")]
    )
    done = shell(f"{COMMAND} {arguments} <&- >&- 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with np.load(tmp_path / "x.npz") as written:
        assert len(written["spike_sample"]) == len(load(tetrode_session).spikes)


@posix
@pytest.mark.parametrize(
    ("module", "command", "number"),
    [
        ("click", "models", signal.SIGINT),
        ("click", "models", signal.SIGTERM),
        ("ncpgui.cli.cluster", "models", signal.SIGINT),
        ("torch", "train --help", signal.SIGTERM),
        ("torch.nn", "train --help", signal.SIGINT),
        ("h5py", "info nowhere.h5", signal.SIGTERM),
        ("PyQt5.QtWidgets", "gui", signal.SIGTERM),
        ("pyqtgraph", "gui", signal.SIGINT),
    ],
)
def test_an_interrupt_while_modules_are_imported_is_130_without_a_traceback(
    module: str, command: str, number: int, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module, str(int(number)), *command.split()],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr.strip()) == (130, "cancelled")


@posix
@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"QT_QPA_PLATFORM": "nonsense"}, 'Could not find the Qt platform plugin "nonsense"'),
        ({"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":7777"}, '"xcb"'),
    ],
)
def test_a_display_that_qt_cannot_use_is_one_line(
    environment: dict[str, str], words: str, tmp_path: Path
) -> None:
    done = shell(f"{COMMAND} gui", XDG_CONFIG_HOME=str(tmp_path), **environment)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: the window cannot start: ")
    assert words in line
    assert line.endswith("'ncpgui doctor' says what is missing")


@posix
@pytest.mark.parametrize("home", ["", "HOME=/proc/nothing"])
def test_a_user_without_name_and_home_can_work(home: str, tetrode_session: Path, tmp_path: Path) -> None:
    """As in a container that runs as a user id which /etc/passwd does not have."""
    if shell("unshare -U --map-user=54321 true").returncode:
        pytest.skip("this system does not let a user be without a name")
    clean = f"unshare -U --map-user=54321 env -i PATH={shlex.quote(os.environ['PATH'])} {home}"
    clean += f" TMPDIR={shlex.quote(str(tmp_path))} PYTHONPATH={shlex.quote(str(Path(__file__).parents[2]))}"
    out = shlex.quote(str(tmp_path / "out"))
    done = shell(f"{clean} {COMMAND} export {shlex.quote(str(tetrode_session))} --format csv --out {out}")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.csv").is_file()
    assert "Traceback" not in done.stderr
    assert (tmp_path / "ncpgui-home-54321").is_dir()


@posix
def test_a_working_folder_that_was_removed_is_one_line(tetrode_session: Path, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    gone = shlex.quote(str(tmp_path / "gone"))
    done = shell(f"cd {gone} && rmdir {gone} && {COMMAND} models")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: the working folder cannot be read any more")
    assert "Traceback" not in done.stderr


# Ends while a thread is at work that nobody waits for, as one of the window's that does not stop in time.
STILL_AT_WORK = """
import atexit, sys, threading
from pathlib import Path
from ncpgui.cli import main as cli
from ncpgui.__main__ import main

class Left:
    def __del__(self):
        Path("torn down").touch()

def work():
    left = Left()
    while True:
        sum(range(1000))

def run():
    atexit.register(Path("tidied").touch)
    if sys.argv[1] == "at work":
        threading.Thread(target=work, daemon=True).start()
    global left
    left = Left()
    sys.stdout.write("all is said")
    return 3

cli.run = run
main()
"""


@pytest.mark.parametrize(("threads", "is_torn_down"), [("at work", False), ("none", True)])
def test_threads_at_work_do_not_see_the_interpreter_torn_down(
    tmp_path: Path, threads: str, is_torn_down: bool
) -> None:
    """What is torn down under a thread aborts the process now and then, with another exit code."""
    done = run_forked(STILL_AT_WORK, threads, needs="session", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "all is said", "")
    assert (tmp_path / "tidied").exists()
    assert (tmp_path / "torn down").exists() == is_torn_down


# Ends with an object of Qt that nobody deleted.
LEFT_BY_QT = """
import atexit, sys
from pathlib import Path
from PyQt5 import QtCore
from ncpgui.cli import main as cli
from ncpgui.__main__ import main

def run():
    global application, left
    atexit.register(Path("tidied").touch)
    application, left = QtCore.QCoreApplication([]), QtCore.QObject()
    left.destroyed.connect(lambda: sys.stderr.write("deleted\\n"))
    sys.stdout.write("all is said")
    return 3

cli.run = run
main()
"""


def test_what_is_left_of_a_window_is_not_deleted_one_by_one_at_the_end(tmp_path: Path) -> None:
    """PyQt does it in no order, and what another object deleted before is a segmentation fault."""
    done = run_forked(LEFT_BY_QT, needs="session", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "all is said", "")
    assert (tmp_path / "tidied").exists()


# Runs several commands in one process in which PyTorch cannot be imported.
WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from ncpgui.cli.main import run
sys.exit(max(run(line.split("|")) for line in sys.argv[1:]))
"""


def test_commands_that_draw_nothing_do_not_load_pytorch(tetrode_session: Path, tmp_path: Path) -> None:
    lines = [
        "models",
        "models|--json",
        "doctor|--formats",
        f"info|{tetrode_session}",
        f"export|{tetrode_session}|--format|npz|--out|{tmp_path / 'all.npz'}",
        "sort|--help",
    ]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *lines], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "all.npz").exists()
