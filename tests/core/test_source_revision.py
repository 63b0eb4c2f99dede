"""Results and cards say which source they are of."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ncpgui.core.source_revision import Revision, same_source, source_revision

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *named, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A module of a small checkout, committed."""
    (tmp_path / "package").mkdir()
    (tmp_path / "docs").mkdir()
    module = tmp_path / "package" / "module.py"
    module.write_text("a = 1\n")
    (tmp_path / "docs" / "page.md").write_text("one\n")
    (tmp_path / ".gitignore").write_text(".venv\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return module


def test_a_checkout_is_known_by_its_commit(source: Path) -> None:
    assert source_revision(source) == Revision(git(source.parent, "rev-parse", "HEAD"), False)


def test_source_that_differs_from_its_commit_says_so(source: Path) -> None:
    source.write_text("a = 2\n")
    assert source_revision(source).changed is True


def test_a_new_file_that_is_not_committed_counts_as_a_change(source: Path) -> None:
    (source.parent / "other.py").write_text("b = 1\n")
    assert source_revision(source).changed is True


def test_asking_writes_nothing_into_the_repository(source: Path) -> None:
    """On a disk that fills, git would leave its lock behind, and nothing could be committed any more."""
    commit, index = git(source.parent, "rev-parse", "HEAD"), source.parents[1] / ".git" / "index"
    os.utime(source, (0, 0))  # what git takes down in its index, unless told not to
    before = index.read_bytes()
    assert same_source(commit, source)
    assert index.read_bytes() == before


def test_results_that_a_run_has_written_are_no_change_of_its_source(source: Path) -> None:
    (source.parents[1] / "docs" / "page.md").write_text("two\n")
    (source.parents[1] / "docs" / "figure.png").write_bytes(b"png")
    assert source_revision(source).changed is False


def test_a_copy_inside_the_checkout_of_another_project_is_not_of_its_commit(source: Path) -> None:
    installed = source.parents[1] / ".venv" / "module.py"
    installed.parent.mkdir()
    installed.write_text("a = 1\n")
    assert source_revision(installed) == Revision(None, None)


def test_source_outside_any_checkout_has_no_revision(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("a = 1\n")
    assert source_revision(module) == Revision(None, None)


def test_a_commit_of_pages_alone_leaves_the_source_as_it_was(source: Path) -> None:
    first = git(source.parent, "rev-parse", "HEAD")
    (source.parents[1] / "docs" / "page.md").write_text("two\n")
    git(source.parents[1], "commit", "--quiet", "-a", "-m", "results")
    assert same_source(first, source)
    source.write_text("a = 2\n")
    assert not same_source(first, source)
    git(source.parents[1], "commit", "--quiet", "-a", "-m", "source")
    assert not same_source(first, source)


def test_no_source_is_that_of_a_commit_that_is_not_there(source: Path) -> None:
    assert not same_source("0" * 40, source)
    assert not same_source("None", source)
