"""Test ncpgui with several versions of SpikeInterface: those that are named, or all of `VERSIONS`.

A version is put into a folder of its own, in front of all that the environment has, which stays as it is.
The tests are those of what SpikeInterface may move: the adapter, the matcher, metrics, curations, analyzers,
and a whole sorting.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("0.103.2", "0.104.9", "0.105.3")
TESTS = (
    "tests/ephys/test_clocks.py",
    "tests/ephys/test_detection.py",
    "tests/ephys/test_given_folder.py",
    "tests/ephys/test_motion.py",
    "tests/ephys/test_preprocessing.py",
    "tests/ephys/test_readers.py",
    "tests/ephys/test_saved_objects.py",
    "tests/ephys/test_segments.py",
    "tests/ephys/test_slices.py",
    "tests/ephys/test_sorting_readers.py",
    "tests/analysis/test_unit_metrics.py",
    "tests/export/test_into_spikeinterface.py",
    "tests/export/test_read_back.py",
    "tests/export/test_reviewed_analyzer.py",
    "tests/export/test_spikeinterface.py",
    "tests/sorting/test_wobble.py",
    "tests/test_sort.py",
    "tests/test_spikeinterface_sorter.py",
)

IGNORED = (
    "-Wignore::DeprecationWarning",
    "-Wignore:Setting times with Recording.set_times:UserWarning",  # up to 0.104
    "-Wignore:Versions are not the same:UserWarning",  # of descriptions that tests write
)


def tried(version: str, folder: Path) -> int:
    """Install a version into a folder, and run the tests with it; the exit status."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    subprocess.run([*install, f"spikeinterface=={version}"], check=True, cwd=folder)
    paths = os.pathsep.join([str(folder), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"}
    check = f"import spikeinterface as si; assert si.__version__ == {version!r}, si.__version__"
    subprocess.run([sys.executable, "-c", check], check=True, cwd=folder, env=environment)
    tests = [name for name in TESTS if (ROOT / name).is_file()]
    run = [sys.executable, "-m", "pytest", "-q", *IGNORED, *tests]
    return subprocess.run(run, check=False, cwd=ROOT, env=environment).returncode


def main(versions: list[str]) -> int:
    """Test each version and say which failed."""
    failed = []
    for version in versions or VERSIONS:
        sys.stdout.write(f"SpikeInterface {version}\n")
        sys.stdout.flush()
        with tempfile.TemporaryDirectory() as place:
            if tried(version, Path(place)):
                failed.append(version)
    sys.stdout.write(f"failed: {', '.join(failed)}\n" if failed else "all passed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
