"""Commands killed at any moment: inputs are untouched, outputs are whole or absent, the next try works."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ncpgui.session import store
from ncpgui.session.session_file import create_session, open_session
from tests.cli.conftest import files_of
from tests.endurance.random_kills import KILLED, KILLS, command, killed_after, lasting, moments
from tests.phy_folder import QUICK
from tests.tiny_project import tiny_project

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]

SAVING = """
import sys
from dataclasses import replace
from ncpgui.session.session_file import open_session

with open_session(sys.argv[1]) as session:
    history = session.project.history + session.journal_entries
    for n in range(len(history), len(history) + 300):
        session.append({"n": n})
        print(n, flush=True)
        history += ({"n": n},)
        if n % 7 == 0:
            session.save(replace(session.project, history=history))
"""


def kill_often(
    words: list[str], folder: Path, inputs: list[Path], check: Callable[[], None], *, seed: int
) -> None:
    """Kill a command at moments over its whole length; look at inputs and outputs after each time."""
    outputs = set(folder.iterdir())
    seconds = lasting(words, folder)
    before = [files_of(path) if path.is_dir() else path.read_bytes() for path in inputs]
    n_killed = 0
    for moment in moments(seconds, KILLS, seed=seed):
        for made in set(folder.iterdir()) - outputs:
            shutil.rmtree(made) if made.is_dir() else made.unlink()
        how, _ = killed_after(words, folder, moment)
        n_killed += how == KILLED
        assert [files_of(path) if path.is_dir() else path.read_bytes() for path in inputs] == before
        check()
    assert n_killed > 0
    for made in set(folder.iterdir()) - outputs:
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    lasting(words, folder)
    check()


def test_a_sorting_that_is_killed_leaves_a_whole_session_or_none(
    tetrode_folder: Path, few_settings: Path, tmp_path: Path
) -> None:
    def check() -> None:
        if (tmp_path / "s.h5").exists():
            assert len(store.load(tmp_path / "s.h5").spikes) > 0

    words = command("sort", tetrode_folder, "--out", "s.h5", "--settings", few_settings)
    kill_often(words, tmp_path, [tetrode_folder, few_settings], check, seed=1)


def test_a_review_that_is_killed_leaves_the_folder_as_it_was(given_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "few.toml").write_text(QUICK)

    def check() -> None:
        if (tmp_path / "s.h5").exists():
            assert store.load(tmp_path / "s.h5").given is not None

    words = command("review", given_folder, "--out", "s.h5", "--settings", "few.toml")
    kill_often(words, tmp_path, [given_folder], check, seed=2)


@pytest.mark.parametrize("format_", ["phy", "npz"])
def test_an_export_that_is_killed_leaves_a_whole_export_or_none(
    tetrode_session: Path, tmp_path: Path, format_: str
) -> None:
    out = tmp_path / ("x" if format_ == "phy" else "x.npz")

    def check() -> None:
        if out.is_dir():
            n_spikes = len(np.load(out / "spike_times.npy"))
            assert len(np.load(out / "spike_clusters.npy")) == n_spikes
            assert (out / "params.py").is_file()
        elif out.exists():
            with np.load(out) as file:
                assert all(file[name] is not None for name in file.files)

    words = command("export", tetrode_session, "--format", format_, "--out", out.name)
    kill_often(words, tmp_path, [tetrode_session], check, seed=3)


def test_a_program_that_is_killed_while_it_saves_loses_no_action_that_it_told_of(tmp_path: Path) -> None:
    path = tmp_path / "s.h5"
    create_session(tiny_project({0: [[0, 0, 1, 1]]}), path).close()
    words = [sys.executable, "-c", SAVING, str(path)]
    seconds = lasting(words, tmp_path)
    for moment in moments(seconds, KILLS, seed=4):
        _, out = killed_after(words, tmp_path, moment)
        told = [int(line) for line in out.split()]
        with open_session(path) as session:
            found = session.project.history + session.journal_entries
        assert [entry["n"] for entry in found] == list(range(len(found)))
        assert not told or told[-1] < len(found), json.dumps(found[-3:])
        assert [item.name for item in tmp_path.glob(".*.lock")] == []
    with open_session(path) as session:
        session.save(session.project)
    assert store.load(path).probe.n_channels == 1
