"""Write-backs killed at any moment, also on a disk that is nearly full: all files are new, or none is."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ncpgui.cli.main import run
from ncpgui.core.errors import ExportError
from ncpgui.core.project import Project
from ncpgui.ephys.phy_folder import read_phy_folder
from ncpgui.export.phy_back import write_back
from tests.cli.conftest import files_of
from tests.endurance.random_kills import KILLED, KILLS, command, killed_after, lasting, moments
from tests.endurance.test_disk_full_everywhere import merge_two_units
from tests.phy_folder import QUICK, table
from tests.reviewed_folder import N_SAMPLES, decided, reviewed, write_folder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]

N_CLUSTERS = 60
NEW = N_CLUSTERS
WRITING = """
import pickle, sys
from pathlib import Path
from ncpgui.export.phy_back import write_back
from tests.endurance.test_killed_write_backs import decisions_of

project = pickle.loads(Path(sys.argv[1]).read_bytes())
for n in range(int(sys.argv[2])):
    try:
        write_back(project, decisions_of(project, n))
    except Exception as error:
        print("failed", error, file=sys.stderr)
        raise
    print(n, flush=True)
"""


def decisions_of(project: Project, n: int) -> object:
    """The n-th decisions: in turn clusters 0 and 1 are one, or clusters 2 and 3; another label each time."""
    parts = {NEW: (0, 1)} if n % 2 == 0 else {NEW + 1: (2, 3)}
    return decided(project, parts, {5: ("good", "noise", "mua")[n % 3]})


def folder_of_many(place: Path, n_spikes: int = 3000) -> tuple[Path, Path]:
    """A folder with a few files, and the project that reviews it, in a file."""
    rng = np.random.default_rng(0)
    times = np.sort(rng.integers(0, N_SAMPLES, n_spikes))
    folder = write_folder(place / "phy", (np.arange(n_spikes) % N_CLUSTERS).tolist(), times=times.tolist())
    for column in ("group", "KSLabel", "note"):
        table(folder / f"cluster_{column}.tsv", {column: dict.fromkeys(range(N_CLUSTERS), "mua")})
    kept = place / "project.pickle"
    kept.write_bytes(pickle.dumps(reviewed(folder)))
    return folder, kept


def state_of(folder: Path) -> str:
    """Which decisions all files of the folder agree on; the test fails where they do not."""
    phy = read_phy_folder(folder)
    clusters = set(np.unique(phy.clusters).tolist())
    assert set(phy.labels) == clusters
    for column in ("KSLabel", "note"):
        rows = (folder / f"cluster_{column}.tsv").read_text().splitlines()[1:]
        assert {int(row.split("\t")[0]) for row in rows} == clusters
    new = clusters - set(range(N_CLUSTERS))
    assert len(new) <= 1
    return f"{sorted(new)} {phy.labels[5]}"


def expected(n: int) -> str:
    """The state after the n-th decisions."""
    return "[] mua" if n < 0 else f"[{NEW + n % 2}] {('good', 'noise', 'mua')[n % 3]}"


def check_backups(folder: Path) -> None:
    """Backups are whole: numbered from 1 on, each with the clusters as they were before it."""
    names = {item.name for item in folder.iterdir() if item.name.startswith("before-ncpgui")}
    assert names == {"before-ncpgui", *(f"before-ncpgui-{n}" for n in range(2, len(names) + 1))} or not names
    n_spikes = len(np.load(folder / "spike_times.npy"))
    for name in names:
        if (folder / name / "spike_clusters.npy").exists():  # not where labels alone were decided
            assert len(np.load(folder / name / "spike_clusters.npy")) == n_spikes
        assert (folder / name / "written_back.json").is_file()
        assert not (folder / name / "new").exists()


def test_write_backs_that_are_killed_leave_all_files_new_or_none(tmp_path: Path) -> None:
    folder, project = folder_of_many(tmp_path)
    words = [sys.executable, "-c", WRITING, str(project), "40"]
    fresh = shutil.copytree(folder, tmp_path / "fresh")
    seconds = lasting(words, Path.cwd())
    n_killed = 0
    for moment in moments(seconds, KILLS, seed=5):
        shutil.rmtree(folder)
        shutil.copytree(fresh, folder)
        how, out = killed_after(words, Path.cwd(), moment)
        n_killed += how == KILLED
        told = len(out.split()) - 1
        assert state_of(folder) in (expected(told), expected(told + 1))
        check_backups(folder)
        with project.open("rb") as file:
            again = pickle.load(file)
        write_back(again, decisions_of(again, told + 2))  # type: ignore[arg-type]
        assert state_of(folder) == expected(told + 2)
        check_backups(folder)
        assert {item.name for item in folder.glob(".ncpgui*")} == set()
    assert n_killed > 0


def test_write_backs_that_are_killed_on_a_disk_that_is_nearly_full_lose_nothing(
    tmp_path: Path, small_disk: Callable[[int], Path]
) -> None:
    disk = small_disk(400)
    folder, project = folder_of_many(tmp_path)
    fresh = folder.rename(tmp_path / "fresh")
    folder.symlink_to(disk / "phy")
    with project.open("rb") as file:
        again = pickle.load(file)
    words = [sys.executable, "-c", WRITING, str(project), "40"]
    shutil.copytree(fresh, disk / "phy")
    started = lasting([sys.executable, "-c", WRITING, str(project), "1"], Path.cwd())
    rng = np.random.default_rng(6)
    for moment in moments(started, KILLS, seed=6):
        (disk / "filler").unlink(missing_ok=True)
        shutil.rmtree(disk / "phy")
        shutil.copytree(fresh, disk / "phy")
        fill(disk, int(rng.integers(0, 100)))
        told = killed_or_full(words, moment + started / 3)
        assert state_of(folder) in (expected(told), expected(told + 1))
        check_backups(folder)
        (disk / "filler").unlink()
        write_back(again, decisions_of(again, told + 2))  # type: ignore[arg-type]
        assert state_of(folder) == expected(told + 2)


def killed_or_full(words: list[str], seconds: float) -> int:
    """Run a program until it is killed, or fails for want of room; the last number that it told."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, error = process.communicate(timeout=seconds)
            assert "No space left on device" in error
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
    return len(out.split()) - 1


def fill(disk: Path, kib: int) -> None:
    """Leave so much room on a disk."""
    free = shutil.disk_usage(disk).free - kib * 1024
    (disk / "filler").write_bytes(bytes(max(0, free)))


@pytest.mark.parametrize("kind", ["files", "links"])
def test_on_a_disk_of_any_room_a_write_back_is_done_or_leaves_all_as_it_was(
    kind: str, tmp_path: Path, small_disk: Callable[[int], Path]
) -> None:
    folder, kept = folder_of_many(tmp_path)
    with kept.open("rb") as file:
        project = pickle.load(file)
    fresh = folder.rename(tmp_path / "fresh")
    disk = small_disk(400)
    folder.symlink_to(disk / "phy")
    outcomes = []
    for kib in range(0, 100, 4):
        (disk / "filler").unlink(missing_ok=True)
        shutil.rmtree(disk / "phy", ignore_errors=True)
        shutil.copytree(fresh, disk / "phy")
        if kind == "links":  # what they lead to is on another disk
            for name in ("spike_clusters.npy", "cluster_note.tsv"):
                shutil.copy(fresh / name, tmp_path / name)
                (disk / "phy" / name).unlink()
                (disk / "phy" / name).symlink_to(tmp_path / name)
        fill(disk, kib)
        before = files_of(folder)
        try:
            write_back(project, decisions_of(project, 0))  # type: ignore[arg-type]
        except ExportError as error:
            assert "No space left on device" in str(error)  # noqa: PT017
            assert files_of(folder) == before
            outcomes.append(False)
            (disk / "filler").unlink()
            write_back(project, decisions_of(project, 0))  # type: ignore[arg-type]
        else:
            outcomes.append(True)
        assert state_of(folder) == expected(0)
        if kind == "links":
            assert (folder / "spike_clusters.npy").is_symlink()
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}


def test_the_command_that_writes_back_may_be_killed(given_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(given_folder, tmp_path / "phy"))
    (tmp_path / "few.toml").write_text(QUICK)
    session = tmp_path / "s.h5"
    assert run(["review", str(folder), "--out", str(session), "--settings", str(tmp_path / "few.toml")]) == 0
    merge_two_units(session)
    fresh = Path(shutil.copytree(folder, tmp_path / "fresh"))
    words = command("write-back", session)
    seconds = lasting(words, tmp_path)
    after = files_of(folder)
    seen = set()
    for moment in moments(seconds, KILLS, seed=7):
        shutil.rmtree(folder)
        shutil.copytree(fresh, folder)
        killed_after(words, tmp_path, moment)
        read_phy_folder(folder)
        now = {name: data for name, data in files_of(folder).items() if not name.startswith(".ncpgui")}
        seen.add(now == after)
        assert now in (after, files_of(fresh))
        lasting(words, tmp_path)
        assert files_of(folder) == after
    assert False in seen
