"""The command component: default command, exit codes and error lines."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import numpy as np
import pytest

from ncpgui import __version__
from ncpgui.cli import gui as gui_module
from ncpgui.cli import main as main_module
from ncpgui.core.errors import InputError
from ncpgui.core.progress import Cancelled

from .conftest import Command, files_of

ROOT = Path(__file__).resolve().parents[2]

COMMANDS = [
    "gui",
    "demo",
    "sort",
    "review",
    "write-back",
    "cluster",
    "export",
    "train",
    "evaluate",
    "simulate",
    "models",
    "info",
    "doctor",
]


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch):
    """Make ``ncpgui info X`` raise something."""

    def arrange(error: BaseException) -> None:
        def callback(**_: object) -> None:
            raise error

        monkeypatch.setattr(main_module.cli.commands["info"], "callback", callback)

    return arrange


def test_help_names_every_command_in_the_order_of_use(ncpgui: Command) -> None:
    ran = ncpgui("--help")
    listed = [
        line.split()[0] for line in ran.out.partition("Commands:")[2].splitlines() if line.startswith("  ")
    ]
    assert ran.code == 0
    assert [word for word in listed if word in COMMANDS] == COMMANDS
    assert "..." not in ran.out.partition("Commands:")[2]  # nothing is cut off


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(ncpgui: Command, command: str) -> None:
    ran = ncpgui(command, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: ncpgui {command}")


def test_version(ncpgui: Command) -> None:
    assert ncpgui("--version").out == f"ncpgui {__version__}\n"


def test_without_a_command_the_application_opens(ncpgui: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(main_module.gui, "callback", lambda path=None: opened.append(path))
    assert ncpgui().code == 0
    assert opened == [None]


def test_a_path_instead_of_a_command_opens_it(
    ncpgui: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(main_module.gui, "callback", lambda path=None: opened.append(path))
    (tmp_path / "sorting").mkdir()
    assert ncpgui(tmp_path / "sorting").code == 0
    assert opened == [tmp_path / "sorting"]


def test_a_path_that_is_not_there_is_said_to_be_missing(ncpgui: Command) -> None:
    assert ncpgui("nowhere/session.h5").error.startswith("nowhere/session.h5 does not exist;")


@pytest.mark.parametrize(
    ("name", "contents", "words"),
    [
        ("notes.txt", b"hello", "the format of"),
        ("noend", b"hello", "the format of"),
        ("picture.png", b"\x89PNG", "the format of"),
        ("none.dat", b"", "is empty"),
        ("none", b"", "is empty"),
        ("bad.h5", b"garbage", "is damaged or not an ncpgui session"),
        ("folder", None, "no recording is known"),
    ],
)
@pytest.mark.parametrize("command", [["gui"], []])
def test_a_file_that_is_nothing_is_an_error_and_no_window(
    command: list[str],
    name: str,
    contents: bytes | None,
    words: str,
    ncpgui: Command,
    tmp_path: Path,
    monkeypatch,
) -> None:
    def opens(*_: object) -> None:
        raise AssertionError("a window was opened")

    monkeypatch.setattr(gui_module, "open_window", opens)
    if contents is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_bytes(contents)
    error = ncpgui(*command, tmp_path / name).error
    assert words in error
    assert "File >" not in error


def test_a_raw_file_that_has_to_be_described_opens_the_window_that_asks(
    ncpgui: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    monkeypatch.setattr(gui_module, "open_window", opened.append)
    (tmp_path / "x.raw").write_bytes(bytes(4000))
    assert ncpgui(tmp_path / "x.raw").code == 0
    assert opened == [tmp_path / "x.raw"]


@pytest.mark.parametrize("arguments", [["-h"], ["sort", "-h"], ["models", "mix", "-h"], ["write-back", "-h"]])
def test_h_is_help(arguments: list[str], ncpgui: Command) -> None:
    ran = ncpgui(*arguments)
    assert ran.code == 0
    assert ran.out == ncpgui(*arguments[:-1], "--help").out
    assert ran.out.startswith("Usage: ncpgui")


def test_h_is_help_of_a_command_that_somebody_looked_at_by_itself(ncpgui: Command) -> None:
    """As the pages of the documentation do; click keeps the option that it makes first."""
    write_back = main_module.cli.commands["write-back"]
    write_back._help_option = None
    assert "-h" in write_back.get_help(click.Context(write_back))
    assert ncpgui("write-back", "-h").code == 0


def test_a_mistyped_command_suggests_the_nearest(ncpgui: Command) -> None:
    assert "did you mean 'ncpgui sort'?" in ncpgui("srot").error


def test_wrong_usage_is_one_line_that_says_where_help_is(ncpgui: Command) -> None:
    assert ncpgui("cluster", "x").error == "Missing option '--out'; see 'ncpgui cluster --help'"


def test_an_error_of_ours_is_one_line_and_exit_code_2(ncpgui: Command, raising) -> None:
    raising(InputError("the rule,\n   the value"))
    assert ncpgui("info", "x").error == "the rule, the value"


def test_debug_shows_where_it_came_from_wherever_it_stands(ncpgui: Command, raising) -> None:
    raising(InputError("oh"))
    for arguments in (["--debug", "info", "x"], ["info", "x", "--debug"]):
        ran = ncpgui(*arguments)
        assert ran.code == 2
        assert "Traceback" in ran.err
        assert ran.err.endswith("error: oh\n")


@pytest.mark.parametrize("stop", [Cancelled(), KeyboardInterrupt(), click.Abort()])
def test_being_cancelled_is_130(ncpgui: Command, raising, stop: BaseException) -> None:
    raising(stop)
    ran = ncpgui("info", "x")
    assert (ran.code, ran.err.strip()) == (130, "cancelled")


def test_a_full_disk_is_the_users_business_not_a_fault(ncpgui: Command, raising) -> None:
    raising(OSError(28, "No space left on device", "big.h5"))
    assert ncpgui("info", "x").error.startswith("No space left on device (big.h5);")


def test_a_lack_of_memory_is_one_line(ncpgui: Command, raising) -> None:
    raising(MemoryError("Unable to allocate 6.82 PiB"))
    assert ncpgui("info", "x").error == (
        "there is not enough memory (Unable to allocate 6.82 PiB); ask for less at once"
    )
    raising(MemoryError())
    assert "(no more can be had)" in ncpgui("info", "x").error


def test_a_fault_of_the_program_shows_its_traceback_and_is_1(ncpgui: Command, raising) -> None:
    raising(ZeroDivisionError("x"))
    ran = ncpgui("info", "x")
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert "please report it" in ran.err.splitlines()[-1]


def test_a_reader_of_the_output_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        f"'{sys.executable}' -m ncpgui --help | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


# The place where each command is stopped: its first line of progress with these words.
STOPPED = {
    "simulate": (["simulate", "--duration", "600", "--out", "sim"], "%"),
    "sort": (["sort", "tetrode", "--out", "s.h5", "--settings", "many.toml"], "clustering"),
    "cluster": (["cluster", "w.npz", "--out", "p.npz", "--samples", "5000"], "%"),
}


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", STOPPED)
def test_a_command_that_is_stopped_leaves_nothing_and_exits_130(
    tetrode_folder: Path, tmp_path: Path, name: str, signum: int
) -> None:
    shutil.copytree(tetrode_folder, tmp_path / "tetrode")
    (tmp_path / "many.toml").write_text("posterior_samples = 20000\n", encoding="utf-8")
    np.savez(tmp_path / "w.npz", waveforms=np.random.default_rng(0).normal(size=(1000, 32, 7)))
    before = files_of(tmp_path)
    command, words = STOPPED[name]
    with subprocess.Popen(
        [sys.executable, "-m", "ncpgui", *command],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if words in line:
                break
        process.send_signal(signum)
        started = time.monotonic()
        rest = process.stderr.read()
        assert process.wait(timeout=30) == 130
    assert time.monotonic() - started < 10
    assert rest.endswith("cancelled\n")
    assert "Traceback" not in rest
    assert files_of(tmp_path) == before


def every_command() -> dict[str, click.Command]:
    """All commands by their words, such as 'models mix'."""
    found: dict[str, click.Command] = {}
    for name, command in main_module.cli.commands.items():
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": one for inner, one in command.commands.items()}
    return found


@pytest.mark.parametrize("name", every_command())
def test_help_shows_every_option_once_and_its_default_in_one_way(
    name: str, ncpgui: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    out = ncpgui(*name.split(), "--help").out
    command = every_command()[name]
    for option in command.params:
        if isinstance(option, click.Option):
            lines = [line for line in out.splitlines() if line.startswith(f"  {option.opts[0]} ")]
            assert len(lines) == 1, option.opts
    told = [" ".join(words.split()) for words in re.findall(r"  \[([^\]]*)\]$", out, flags=re.MULTILINE)]
    assert all(re.match("default: [^(]|required|x>|[0-9]", words) for words in told), told
    assert all(line.count("[default") <= 1 for line in out.splitlines())


@pytest.mark.parametrize("name", [name for name in every_command() if name not in ("models", "templates")])
def test_help_ends_with_examples_that_the_program_takes(name: str, ncpgui: Command) -> None:
    out = ncpgui(*name.split(), "--help").out
    lines = [line.strip() for line in out.partition("Examples:")[2].splitlines() if line.strip()]
    assert any(line.startswith(f"ncpgui {name}") for line in lines)
    for line in lines:
        words = line.split()[1:]
        n = 2 if " ".join(words[:2]) in every_command() else 1
        command = every_command()[" ".join(words[:n])]
        command.make_context(line, words[n:], parent=click.Context(main_module.cli))


def test_many_options_stand_in_groups_in_the_order_of_use(ncpgui: Command) -> None:
    lines = ncpgui("sort", "--help").out.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        *("Recording:", "Spikes and units:", "Posterior:", "Speed:", "Result:", "Options:"),
    ]
    assert "Options:" in ncpgui("export", "--help").out
    assert "Result:" not in ncpgui("export", "--help").out
