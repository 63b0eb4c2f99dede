"""The workflow tests what setup.py says that the program runs on, with commands that are there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.stated import check_make

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")


def test_every_python_that_setup_py_states_is_tested_on_three_systems() -> None:
    stated = re.findall(
        r"Programming Language :: Python :: (3\.\d+)", (ROOT / "setup.py").read_text(encoding="utf-8")
    )
    (tested,) = re.findall(r"python: \[([^\]]*)\]", TEXT)
    assert re.findall(r"3\.\d+", tested) == stated
    assert "system: [ubuntu-latest, macos-latest, windows-latest]" in TEXT


def test_files_and_targets_that_the_workflow_names_are_there() -> None:
    named = set(re.findall(r"(?<![\w/])((?:scripts|\.ci)/[\w./]+)", TEXT)) | {"constraints.txt"}
    assert named >= {".ci/run", "scripts/system_packages.sh"}
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []
    check_make(["demo", "test"])
