"""Build the sdist and the wheel, look at what is in them, and try the wheel with every Python that is here.

    python scripts/make_dist.py [--out dist] [--python python3.10 ...] [--no-trial] [--wheels FOLDER]

A trial is a new environment, in a folder of its own without the checkout: the wheel is installed with the
versions of constraints.txt, and a stranger's first commands are run (`TRIAL`). Pythons are those of `PYTHONS`
that are found on the path or with pyenv, unless they are named.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
MOST_MIB = 20
"""An index takes 100; more than this would be a file that strayed in."""
IN_WHEEL = (r"ncpgui/.*", r"ncpgui-[^/]*\.dist-info/.*")
NEEDED_IN_WHEEL = (
    "ncpgui/py.typed",
    "ncpgui/cli/main.py",
    "ncpgui/resources/template_reservoir.npz",
    "ncpgui/resources/icons/ncpgui.svg",
    "ncpgui/trained_models/spikes.safetensors",
    "ncpgui/trained_models/spikes.json",
)
NEEDED_IN_SDIST = (
    "setup.py", "pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "constraints.txt", "Makefile",
    "tests/conftest.py", "docs/project/architecture.md", "packaging/ncpgui.desktop", "packaging/Dockerfile",
    "resources/template_reservoir.npz", "trained_models/spikes.safetensors",
)  # fmt: skip
STRAY = re.compile(
    r"(^|/)(__pycache__|\.git|\.venv|demo-out|shared|runs/.*\.safetensors)(/|$)|\.resume\.pt$|\.py[co]$"
)
TRIAL = (
    "{bin}/ncpgui --version",
    "{bin}/ncpgui doctor",
    "{bin}/ncpgui simulate --out recording --duration 5 --probe tetrode --cells 3 --rate 12 --seed 1",
    "{bin}/ncpgui sort recording --out session.h5 --settings few.toml",
    "{bin}/ncpgui export session.h5 --format phy --out phy",
    "{bin}/ncpgui demo --headless --duration 5 --out demo",
    "{bin}/python window.py session.h5",
)
LIMIT_S = 3600
"""Of one command; installing torch with CUDA over a slow line is the longest."""
FEW = "posterior_samples = 12\nspikes_per_group = 40\nmin_cluster_spikes = 5\n"
WINDOW = """
import sys
from pathlib import Path
from PyQt5 import QtCore, QtWidgets
from ncpgui.gui import application
from ncpgui.gui.main_window import MainWindow

qt = application.qt_application()
timer, opened = QtCore.QTimer(), []

def look():
    for window in QtWidgets.QApplication.topLevelWidgets():
        if isinstance(window, MainWindow) and window.workspace.state.project is not None:
            opened.append(window.windowTitle())
            timer.stop()
            window.close()

timer.timeout.connect(look)
timer.start(50)
code = application.run(Path(sys.argv[1]))
print("opened", opened)
sys.exit(code or (0 if opened else 1))
"""


def problems_of_wheel(names: Sequence[str]) -> list[str]:
    """What is wrong with the names in a wheel: one line each, none where all is right."""
    strange = [name for name in names if not any(re.fullmatch(pattern, name) for pattern in IN_WHEEL)]
    strange += [name for name in names if STRAY.search(name) and name not in strange]
    missing = [name for name in NEEDED_IN_WHEEL if name not in names]
    return [f"does not belong into a wheel: {name}" for name in strange] + [
        f"is missing: {n}" for n in missing
    ]


def problems_of_sdist(names: Sequence[str]) -> list[str]:
    """What is wrong with the names in an sdist, which begin with its folder."""
    inside = [name.partition("/")[2] for name in names]
    strange = [name for name in inside if STRAY.search(name)]
    missing = [name for name in NEEDED_IN_SDIST if name not in inside]
    return [f"does not belong into an sdist: {n}" for n in strange] + [f"is missing: {n}" for n in missing]


def built(out: Path) -> tuple[Path, Path]:
    """Build both into `out`, in place of older ones; return sdist and wheel."""
    for old in (*out.glob("ncpgui-*.whl"), *out.glob("ncpgui-*.tar.gz")):
        old.unlink()
    run([sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)], quiet=True)
    (sdist,), (wheel,) = out.glob("ncpgui-*.tar.gz"), out.glob("ncpgui-*.whl")
    return sdist, wheel


def check(sdist: Path, wheel: Path) -> None:
    """End with the reasons where an index would refuse them, or what is in them is not right."""
    run([sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel)])
    with tarfile.open(sdist) as archive:
        in_sdist = archive.getnames()
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = archive.namelist()
    problems = [f"{wheel.name}: {line}" for line in problems_of_wheel(in_wheel)]
    problems += [f"{sdist.name}: {line}" for line in problems_of_sdist(in_sdist)]
    for path, names in ((sdist, in_sdist), (wheel, in_wheel)):
        mib = path.stat().st_size / 2**20
        print(f"{path.name}: {mib:.1f} MiB, {len(names)} entries")
        if mib > MOST_MIB:
            problems.append(f"{path.name}: {mib:.1f} MiB, more than {MOST_MIB}")
    if problems:
        raise SystemExit("\n".join(problems))


def found_pythons() -> list[str]:
    """Interpreters of `PYTHONS` that start: on the path, else of pyenv."""
    found = []
    for version in PYTHONS:
        kept = sorted(
            Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob(f"{version}.*")
        )
        candidates = [f"python{version}", *(str(place / "bin" / "python") for place in kept)]
        program = "import sys; sys.exit('%d.%d' % sys.version_info[:2] != " + repr(version) + ")"
        for name in candidates:
            there = shutil.which(name)
            if (
                there
                and subprocess.run([there, "-c", program], capture_output=True, check=False).returncode == 0
            ):
                found.append(there)
                break
        else:
            print(f"python{version} is not here: the wheel is not tried with it")
    return found


def tried(wheel: Path, python: str, wheels: Path | None, timings: dict[str, float]) -> None:
    """Install the wheel into a new environment of `python`, and run `TRIAL` in an empty folder."""
    with tempfile.TemporaryDirectory(prefix="ncpgui-trial-") as name:
        folder = Path(name)
        run([python, "-m", "venv", str(folder / "venv")])
        place = folder / "venv" / "bin"
        install = [str(place / "python"), "-m", "pip", "install", "--quiet", "--no-compile"]
        install += ["--disable-pip-version-check", "-c", str(ROOT / "constraints.txt")]
        install += ["--find-links", str(wheels.resolve())] if wheels else []
        started = time.perf_counter()
        run([*install, str(wheel.resolve())], quiet=True)
        timings["install"] = time.perf_counter() - started
        (folder / "empty").mkdir()
        (folder / "empty" / "few.toml").write_text(FEW, encoding="utf-8")
        (folder / "empty" / "window.py").write_text(WINDOW, encoding="utf-8")
        kept = ("PATH", "HOME", "LANG", "TMPDIR", "OMP_NUM_THREADS", "NUMBA_CACHE_DIR")
        own = {key: value for key, value in os.environ.items() if key in kept}
        own |= {
            f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "CACHE", "STATE", "DATA")
        }
        for line in TRIAL:
            started = time.perf_counter()
            words = line.format(bin=place).split()
            run(words, cwd=folder / "empty", env={**own, "QT_QPA_PLATFORM": "offscreen"}, quiet=True)
            timings[" ".join(words[:2]).rpartition("/")[2]] = time.perf_counter() - started


def run(
    command: Sequence[str], *, cwd: Path | None = None, env: dict[str, str] | None = None, quiet: bool = False
) -> None:
    """Run a command; end with what it printed where it fails."""
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, check=False, capture_output=quiet, text=True, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        raise SystemExit(f"did not end within {LIMIT_S} s: {' '.join(command)}") from None
    if done.returncode:
        said = f"{done.stdout}{done.stderr}" if quiet else ""
        raise SystemExit(f"{said}failed with {done.returncode}: {' '.join(command)}")


def main() -> None:
    """Build, check, try."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="[dist]")
    parser.add_argument("--python", nargs="+", help="to try the wheel with  [all that are here]")
    parser.add_argument("--no-trial", action="store_true", help="build and check only")
    parser.add_argument("--wheels", type=Path, help="folder with wheels of torch and others, for pip")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    sdist, wheel = built(arguments.out)
    check(sdist, wheel)
    for python in () if arguments.no_trial else arguments.python or found_pythons():
        timings: dict[str, float] = {}
        tried(wheel, python, arguments.wheels, timings)
        told = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in timings.items())
        print(f"{python}: works ({told})", flush=True)


if __name__ == "__main__":
    main()
