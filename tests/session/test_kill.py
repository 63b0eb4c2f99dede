"""kill -9 at any moment loses at most one action, and the session opens."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ncpgui.core.project import Project
from ncpgui.session import store
from ncpgui.session.session_file import open_session
from tests.forked import run_forked

# Appends three actions, saves them, appends two more; kills itself where told.
PROGRAM = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
import h5py
from ncpgui.session import cache, journal, project_codec, session_file, store, swap

path, moment = Path(sys.argv[1]), sys.argv[2]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

session = session_file.open_session(path)
history = session.project.history
for n in range(3):
    if moment == "before action 2" and n == 2:
        die()
    if moment == "half of action 2 written" and n == 2:
        journal._write_all = lambda handle, data: (os.write(handle, data[:5]), die())
    if moment == "action 2 written, not flushed" and n == 2:
        os.fsync = die
    session.append({"n": n})
if moment == "before save":
    die()
if moment == "half of the session written":
    store.write_project = lambda root, project: (project_codec._write_probe(root, project.probe), die())
if moment == "session written, not swapped":
    store._verify = die
if moment == "session swapped, cache not written":
    cache.update = die
if moment == "session swapped, journal not":
    journal.Journal.rebase = die
if moment == "journal written, not swapped":
    journal.Journal.rebase = lambda self, base, n_folded: (
        setattr(journal.Journal, "_close", die), self._start(base, ()))
session.save(replace(session.project, history=history + tuple({"n": n} for n in range(3))))
if moment == "after save":
    die()
session.append({"n": 3})
session.append({"n": 4})
if moment == "two actions after save":
    die()
raise SystemExit("was not killed")
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize(
    ("moment", "n_saved", "n_survive"),
    [
        ("before action 2", 0, 2),
        ("half of action 2 written", 0, 2),
        ("action 2 written, not flushed", 0, 3),
        ("before save", 0, 3),
        ("half of the session written", 0, 3),
        ("session written, not swapped", 0, 3),
        ("session swapped, cache not written", 3, 3),
        ("session swapped, journal not", 3, 3),
        ("journal written, not swapped", 3, 3),
        ("after save", 3, 3),
        ("two actions after save", 3, 5),
    ],
)
def test_kill_9_loses_at_most_the_action_under_way(
    project: Project, path: Path, moment: str, n_saved: int, n_survive: int
) -> None:
    store.save(replace(project, history=()), path)
    done = run_forked(PROGRAM, path, moment, needs="session")
    assert done.returncode == -9, done.stderr
    for _ in range(2):  # opening again finds the same
        with open_session(path) as session:
            assert [entry["n"] for entry in session.project.history] == list(range(n_saved))
            assert [entry["n"] for entry in session.journal_entries] == list(range(n_saved, n_survive))
            survived = session.project.history + session.journal_entries
    with open_session(path) as session:
        session.append({"n": 9})
        session.save(replace(session.project, history=(*survived, {"n": 9})))
    assert [item.name for item in path.parent.glob(".*")] == []
    assert store.load(path).history == (*survived, {"n": 9})
