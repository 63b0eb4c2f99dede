"""Scripts that a tutorial offers for many recordings run as they stand, with small recordings."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ncpgui.cli.main import run
from tests.docs.printed import ROOT
from tests.docs.small_runs import FEW, simulate

SCRIPTS = ROOT / "docs" / "tutorials" / "scripts"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two small recordings, and a command `ncpgui` with quick settings."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "few.toml").write_text(FEW, encoding="utf-8")
    (tmp_path / "recordings").mkdir()
    for name in ("monday", "tuesday"):
        simulate(f"recordings/{name}", "--probe", "tetrode", "--cells", "3")
    command = tmp_path / "bin" / "ncpgui"
    command.parent.mkdir()
    quick = f'if [ "$command" = sort ]; then set -- "$@" --settings {tmp_path}/few.toml; fi'
    lines = ("#!/bin/sh", 'command="$1"', "shift", quick, f'exec {sys.executable} -m ncpgui "$command" "$@"')
    command.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def ran(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script in the folder as somebody types it."""
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        **variables,
    }
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_all_recordings_of_a_folder_are_sorted_once_and_a_broken_one_stops_no_other(folder: Path) -> None:
    (folder / "recordings" / "a_broken_one").mkdir()
    words = ("bash", str(SCRIPTS / "sort_all.sh"), "recordings", "sorted", "--jobs", "1")
    first = ran(folder, *words)
    assert first.returncode == 1
    assert first.stderr == "failed: recordings/a_broken_one; see sorted/a_broken_one.log\n"
    assert "error: " in (folder / "sorted" / "a_broken_one.log").read_text(encoding="utf-8")
    for name in ("monday", "tuesday"):
        assert (folder / "sorted" / f"{name}.h5").is_file()
        assert (folder / "sorted" / f"{name}-phy" / "params.py").is_file()
    shutil.rmtree(folder / "recordings" / "a_broken_one")
    again = ran(folder, *words)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_a_job_of_slurm_sorts_the_recording_of_its_line(folder: Path) -> None:
    (folder / "recordings.txt").write_text("recordings/monday\nrecordings/tuesday\n", encoding="utf-8")
    script = ("bash", str(SCRIPTS / "sort_array.slurm"))
    done = ran(folder, *script, SLURM_ARRAY_TASK_ID="2", SLURM_CPUS_PER_TASK="1")
    assert done.returncode == 0, done.stderr
    sessions = sorted(path.name for path in (folder / "sorted").glob("*.h5"))
    assert sessions == ["tuesday.h5"]
    assert (folder / "sorted" / "tuesday-phy" / "params.py").is_file()


def test_recordings_are_sorted_by_workers_of_dask(folder: Path) -> None:
    pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    done = ran(folder, sys.executable, str(SCRIPTS / "sort_on_dask.py"), "1", "recordings/monday")
    assert done.returncode == 0, done.stderr
    assert run(["info", str(folder / "sorted" / "monday.h5")]) == 0
