"""kill -9 while somebody edits: at most the edit under way is lost, and no file is damaged."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ncpgui.app.model.workspace import Workspace
from ncpgui.core.project import Project
from ncpgui.session import store
from ncpgui.session.session_file import open_session
from tests.conftest import ROOT

from .random_edits import digest_of, edited

PROGRAM = Path(__file__).with_name("random_edits.py")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")


def killed_after(session: Path, seed: int, n_edits: int, n_told: int, wait: int) -> int:
    """Edits that the program told of before it was killed, `wait` turns after it told of `n_told`."""
    words = [sys.executable, str(PROGRAM), str(session), str(seed), str(n_edits)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(n_told)]
        for _ in range(wait):
            pass
        process.send_signal(signal.SIGKILL)
        rest, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors.decode()
    assert all(line.endswith(b"\n") for line in lines), errors.decode()
    return n_told + rest.count(b"\n")


def opened_again(session: Path) -> str:
    """Digest of the state that a session opens with; it is saved, and nothing else is left beside it."""
    workspace = Workspace()
    warned: list[str] = []
    workspace.state.warned.connect(warned.append)
    with open_session(session) as file:
        workspace.state.open(file.project, entries=file.journal_entries)
        assert all("last action" in note for note in file.notes), file.notes
        file.save(workspace.state.snapshot())
    assert warned == []
    left = {path.name for path in session.parent.iterdir()} - {"preferences"}
    assert left == {session.name, f"{session.name}.waveforms"}
    return digest_of(workspace)


def kill_some(saved: Path, project: Project, tmp_path: Path, n_edits: int, n_kills: int) -> None:
    rng = np.random.default_rng(n_edits)
    for seed in range(n_kills):
        reference = Workspace(project)
        states = [digest_of(reference), *edited(reference, seed, n_edits)]
        folder = tmp_path / str(seed)
        folder.mkdir()
        for path in saved.parent.glob("array*"):
            shutil.copy(path, folder)
        session = folder / saved.name
        n_told, wait = int(rng.integers(1, n_edits + 1)), int(rng.integers(200_000))
        told = killed_after(session, seed, n_edits, n_told, wait)
        state = opened_again(session)
        assert state in states[told : told + 2], f"seed {seed}: {told} edits were told of"
        assert opened_again(session) == state
        assert len(store.load(session).waveforms) == len(project.components)


def test_an_edit_that_was_told_of_is_there_after_a_kill(
    saved_array: Path, small_array: Project, tmp_path: Path
) -> None:
    kill_some(saved_array, small_array, tmp_path, 30, 2)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_edits_twenty_kills_and_no_edit_is_lost(
    saved_array: Path, small_array: Project, tmp_path: Path
) -> None:
    kill_some(saved_array, small_array, tmp_path, 200, 20)
