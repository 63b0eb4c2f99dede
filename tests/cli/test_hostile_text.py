"""Names and notes that hold escape sequences or mark-up are printed, and nothing in them is obeyed."""

from __future__ import annotations

import io
import logging
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ncpgui.cli.main import cli
from ncpgui.cli.terminal import print_table, progress_report
from ncpgui.core.project import RecordingReference
from ncpgui.session import store
from tests.tiny_project import tiny_project

from .conftest import Command

EVIL = "\x1b]0;owned\x07\x1b[2Ja\rb\nc\x9b31m\u202e"
SHOWN = r"\x1b]0;owned\x07\x1b[2Ja\rb\nc\x9b31m\u202e"


def harmless(text: str) -> bool:
    """Whether a terminal would obey nothing in it."""
    return not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c == "\u202e" for c in text)


@pytest.fixture
def evil_session(tmp_path: Path) -> Path:
    """A session all of whose texts hold escape sequences."""
    project = tiny_project({0: [[0, 0, 1, 1], [0, 0, 0, 0]], 1: [[0, 0]]}, masses={0: [0.6, 0.4], 1: [1.0]})
    reference = project.recording
    path = tmp_path / "evil.h5"
    store.save(
        replace(
            project,
            model=f"Ω model{EVIL}",
            recording=RecordingReference(
                f"/data/{EVIL}.raw",
                {"stream": f"stream{EVIL}"},
                reference.fingerprint,
                reference.n_channels,
                reference.sampling_frequency_hz,
                reference.n_samples,
            ),
        ),
        path,
    )
    return path


def test_what_a_session_says_of_itself_is_shown_as_it_is(evil_session: Path, ncpgui: Command) -> None:
    ran = ncpgui("info", evil_session)
    assert ran.code == 0
    assert harmless(ran.out)
    assert f"/data/{SHOWN}.raw" in ran.out
    assert f"model{SHOWN}" in ran.out
    assert f"stream{SHOWN}" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["info", f"{EVIL}.h5"],
        ["sort", f"{EVIL}.raw", "--out", "s.h5"],
        ["review", f"{EVIL}", "--out", "s.h5"],
        ["cluster", f"{EVIL}.npz", "--out", "p.npz"],
        ["evaluate", f"{EVIL}"],
        ["train", f"{EVIL}.toml"],
        ["models", "mix", f"{EVIL}", "b", "--out", f"{EVIL}.safetensors"],
        ["templates", "build", f"{EVIL}", "--out", "t"],
        ["gui", f"{EVIL}"],
        [f"{EVIL}"],
        ["info", f"--{EVIL}"],
        ["export", "s.h5", "--format", EVIL, "--out", "x"],
        ["simulate", "--out", f"no/{EVIL}"],
        ["simulate", "--out", "x", "--probe", EVIL],
    ],
    ids=lambda arguments: arguments[0] if arguments[0] != EVIL else "no command",
)
def test_an_error_is_one_line_without_control_characters(
    arguments: list[str], ncpgui: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = ncpgui(*arguments)
    assert harmless(ran.error)
    assert harmless(ran.err)


def test_a_warning_of_the_engine_is_shown_as_it_is(ncpgui: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(**_: object) -> None:
        logging.getLogger("ncpgui.test").warning("channel %s is dead", EVIL)

    monkeypatch.setattr(cli.commands["info"], "callback", warn)
    ran = ncpgui("info", "s.h5")
    assert ran.err.startswith("warning: channel \\x1b]0;")
    assert harmless(ran.err)


def test_a_traceback_is_shown_as_it_is(ncpgui: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise ZeroDivisionError(EVIL)

    monkeypatch.setattr(cli.commands["info"], "callback", fail)
    ran = ncpgui("info", "s.h5")
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert harmless(ran.err)


def test_a_table_elsewhere_than_a_terminal_keeps_its_cells_apart(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["a", "b"], [["x\ty", "1\n2"]])
    assert capsys.readouterr().out == "a\tb\nx\\ty\t1\\n2\n"


def test_what_other_packages_print_and_warn_of_is_shown_as_it_is(tmp_path: Path) -> None:
    program = (
        "import sys, warnings, logging, ncpgui.cli.main as m\n"
        f"evil = {EVIL!r}\n"
        "def run():\n"
        "    print(evil); warnings.warn(evil); logging.getLogger('neo').warning(evil)\n"
        "    sys.stderr.writelines([evil]); print('\\udcff')\n"
        "    return 0\n"
        "m.run = run\n"
        "from ncpgui.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-W", "default", "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert harmless(done.stdout.decode())
    assert harmless(done.stderr.decode())
    assert done.stderr.count(b"\\x1b]0;owned") == 3
    assert b"\\xff" in done.stdout


def test_a_letter_that_the_terminal_has_not_is_no_fault(evil_session: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ncpgui", "info", str(evil_session)],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert "Ω model" in done.stdout.decode("utf-8")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown_on(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard output and error of this test a terminal, which keeps what it was sent."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "300")
    return terminal


def test_a_table_on_a_terminal_takes_no_mark_up_from_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = shown_on(monkeypatch)
    print_table(["name"], [["[red]x[/red] [/] :smile: \x1b[31m"]])
    assert r"[red]x[/red] [/] :smile: \x1b[31m" in terminal.getvalue()


def test_a_progress_bar_takes_no_mark_up_from_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = shown_on(monkeypatch)
    with progress_report("sort") as report:
        report(1, 2, "[/] \x1b]0;owned\x07")
        sys.stderr.write("\x9b31m\n")
    shown = terminal.getvalue()
    assert r"[/] \x1b]0;owned\x07" in shown
    assert "\x1b]0;owned" not in shown
    assert r"\x9b31m" in shown


@pytest.mark.parametrize(
    ("done", "total", "share"), [(0, 1, "0%"), (1, 1, "100%"), (1, 2, "50%"), (0, 0, "0%")]
)
def test_a_progress_bar_shows_the_share_that_is_done(
    monkeypatch: pytest.MonkeyPatch, done: int, total: int, share: str
) -> None:
    terminal = shown_on(monkeypatch)
    with progress_report("sort") as report:
        report(done, total, "motion")
    assert re.findall(r"\d+%", terminal.getvalue())[-1] == share
