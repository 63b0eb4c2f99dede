"""What people get with pip: the wheel holds the data folders and finds them."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IGNORED = (".git", ".venv", "build", "demo-out", "runs", "*.egg-info", "__pycache__", ".*_cache")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the checkout."""
    import shutil

    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "source", ignore=shutil.ignore_patterns(*IGNORED))
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "-w",
            str(folder),
            str(folder / "source"),
        ],
        check=True,
    )
    return next(folder.glob("*.whl"))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_wheel_holds_models_and_resources(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for folder, suffix in (
        ("resources", ".npz"),
        ("trained_models", ".safetensors"),
        ("trained_models", ".json"),
    ):
        shipped = {path.name for path in (ROOT / folder).glob(f"*{suffix}")}
        inside = {Path(name).name for name in names if name.startswith(f"ncpgui/{folder}/")}
        assert shipped
        assert shipped <= inside
    assert "ncpgui/cli/main.py" in names
    assert not [name for name in names if name.startswith("tests/") or name.endswith(".resume.pt")]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_installed_wheel_finds_its_models_and_resources(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(place), str(wheel)],
        check=True,
    )
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from ncpgui.core.resources import data_folder; "
        "print(data_folder('resources')); print(data_folder('trained_models'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(place)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(place / "ncpgui" / name) for name in ("resources", "trained_models")]
