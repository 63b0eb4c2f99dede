"""Commands killed at any moment: inputs are untouched, outputs are whole or absent, the next try works."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ncpgui.export.destination import MANIFEST
from ncpgui.session import store
from ncpgui.session.decided import read_decided
from ncpgui.session.session_file import create_session, open_session
from tests.cli.conftest import files_of
from tests.endurance.random_kills import KILLED, KILLS, command, killed_after, lasting, moments
from tests.phy_folder import QUICK
from tests.tiny_project import tiny_project

ROOT = Path(__file__).resolve().parents[2]
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


FOLDING = """
import sys
from pathlib import Path
from ncpgui.session.decided import fold_journal, read_decided
from ncpgui.session.session_file import open_session

path = Path(sys.argv[1])
n = len(read_decided(path).history.entries)
for n in range(n, n + 100):
    with open_session(path, waveforms=False) as session:
        session.append({"do": "label", "unit_ids": [0], "label": ("good", "mua", "noise")[n % 3]})
        print(n, flush=True)
    assert fold_journal(path)
"""
EXPORTING = """
import sys
from pathlib import Path
from ncpgui.export.registry import export
from tests.export.conftest import build

name, path = sys.argv[1], Path(sys.argv[2])
for n in range(10, 10 + int(sys.argv[3])):
    export(build(n_spikes=3 * n), name, path)
    print(3 * n, flush=True)
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


def test_a_program_that_is_killed_while_it_folds_a_journal_in_loses_no_action_that_it_told_of(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.h5"
    create_session(tiny_project({0: [[0, 0, 1, 1]]}), path).close()
    words = [sys.executable, "-c", FOLDING, str(path)]
    seconds = lasting(words, tmp_path)
    for moment in moments(seconds, KILLS, seed=5):
        _, out = killed_after(words, tmp_path, moment)
        n_told = max((int(line) + 1 for line in out.split()), default=0)
        labels = [entry["label"] for entry in read_decided(path).history.entries]
        assert len(labels) >= n_told
        assert labels == [("good", "mua", "noise")[n % 3] for n in range(len(labels))]
        assert [one["label"] for one in store.load(path).history] == labels  # none is in the journal alone
        open_session(path).close()
        assert {item.name for item in tmp_path.iterdir()} == {"s.h5", "s.h5.waveforms"}


def n_spikes_of(path: Path) -> int:
    """Spikes of an export that is whole; its tables are of the same spikes."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        return len(arrays["spike_unit"])
    listed = json.loads((path / MANIFEST).read_text())["files"]
    assert {str(item.relative_to(path)) for item in path.rglob("*") if item.is_file()} == {*listed, MANIFEST}
    n_spikes = len(np.load(path / "spike_times.npy"))
    assert len(np.load(path / "spike_clusters.npy")) == n_spikes
    return n_spikes


@pytest.mark.parametrize(("format_", "name"), [("phy", "x"), ("npz", "x.npz")])
def test_an_export_that_is_killed_while_it_replaces_an_older_one_leaves_one_of_them(
    tmp_path: Path, format_: str, name: str
) -> None:
    out, old = tmp_path / name, tmp_path / f"{name}.ncpgui-old"
    words = [sys.executable, "-c", EXPORTING, format_, str(out)]
    seconds = lasting([*words, "60"], ROOT)
    n_killed = 0
    for moment in moments(seconds, KILLS, seed=6):
        how, told = killed_after([*words, "60"], ROOT, moment)
        n_killed += how == KILLED
        last = max((int(line) for line in told.split()), default=0)
        assert n_spikes_of(out if out.exists() else old) >= last
        killed_after([*words, "1"], ROOT, 600)  # the next one finds its way
        assert n_spikes_of(out) == 30
    assert n_killed > 0
