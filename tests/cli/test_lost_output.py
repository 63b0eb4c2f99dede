"""What is told of work is optional: a log on a full disk or a reader that went away stops nothing."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ncpgui.cli.streams import Lasting, drawn_on, lost_output, show_control_characters
from ncpgui.cli.terminal import PlainProgress
from ncpgui.session.store import load
from tests.forked import COMMAND, run_forked

posix = pytest.mark.skipif(os.name != "posix", reason="/dev/full and pipes of a shell are POSIX")
SHELL_COMMAND = shlex.join([sys.executable, "-m", "ncpgui"])


class Failing:
    """A stream that takes some characters and then fails, as a disk that fills does."""

    def __init__(self, room: int, error: Exception) -> None:
        self.room, self.error, self.text = room, error, ""

    def write(self, text: str) -> int:
        if len(self.text) + len(text) > self.room:
            raise self.error
        self.text += text
        return len(text)

    def flush(self) -> None:
        if len(self.text) >= self.room:
            raise self.error


ERRORS = [OSError(28, "No space left on device"), BrokenPipeError(32, "Broken pipe"), OSError(5, "I/O error")]


@pytest.mark.parametrize("error", [*ERRORS, ValueError("I/O operation on closed file")])
def test_a_stream_that_fails_keeps_the_first_failure_and_goes_on(error: Exception) -> None:
    stream = Lasting(Failing(5, error))  # type: ignore[arg-type]
    assert [stream.write(text) for text in ("abc", "defg", "h")] == [3, 4, 1]
    stream.flush()
    assert stream.stream.text == "abch"  # type: ignore[attr-defined]
    assert stream.lost is error


@pytest.mark.parametrize("error", ERRORS)
def test_progress_and_words_on_stderr_are_no_reason_to_stop(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", Failing(0, error))
    report = PlainProgress("sort")
    for step in range(3):
        report._last_time -= 60
        report(step, 2, "clustering")


def test_only_what_was_to_be_printed_on_stdout_counts_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Failing(0, ERRORS[0]))
    monkeypatch.setattr(sys, "stderr", Failing(0, ERRORS[0]))
    show_control_characters()
    print("progress", file=sys.stderr)
    assert lost_output() is None
    print("result")
    assert lost_output() is ERRORS[0]
    assert isinstance(drawn_on(sys.stderr), Lasting)


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, cwd=folder)


@posix
def test_a_sorting_on_a_full_disk_of_logs_is_a_sorting(
    tetrode_folder: Path, tetrode_session: Path, few_settings: Path, tmp_path: Path
) -> None:
    words = ["sort", tetrode_folder, "--out", "s.h5", "--settings", few_settings]
    with Path("/dev/full").open("wb") as full:
        done = run_forked(COMMAND, *words, needs="sorting", cwd=tmp_path, stderr=full)
    assert (done.returncode, done.stdout) == (0, "")
    assert len(load(tmp_path / "s.h5").spikes) == len(load(tetrode_session).spikes)


@posix
@pytest.mark.slow
@pytest.mark.parametrize("where", ["2> /dev/full", "2>&1 | true", "> /dev/full 2>&1"])
def test_a_sorting_whose_log_cannot_be_written_is_a_sorting(
    tetrode_folder: Path, tetrode_session: Path, few_settings: Path, tmp_path: Path, where: str
) -> None:
    words = shlex.join(["sort", str(tetrode_folder), "--out", "s.h5", "--settings", str(few_settings)])
    done = shell(f"LC_ALL=C {SHELL_COMMAND} {words} {where}", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(load(tmp_path / "s.h5").spikes) == len(load(tetrode_session).spikes)


@posix
def test_a_result_that_cannot_be_printed_is_said(tetrode_session: Path, tmp_path: Path) -> None:
    done = shell(f"{SHELL_COMMAND} info {shlex.quote(str(tetrode_session))} > /dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "error: No space left on device; free space or choose another folder\n"


@posix
@pytest.mark.parametrize("command", ["info SESSION", "info SESSION --json", "models", "--help"])
def test_a_reader_that_has_enough_is_no_fault(command: str, tetrode_session: Path, tmp_path: Path) -> None:
    line = command.replace("SESSION", shlex.quote(str(tetrode_session)))
    done = shell(f"{SHELL_COMMAND} {line} | true", tmp_path)
    assert done.stderr == ""
