"""Runs the command line in this process and looks at what a person would see."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ncpgui.cli.main import run
from tests.unknown_numbers import NO_NUMBER

FEW = "posterior_samples = 12\nspikes_per_group = 24\nmin_cluster_spikes = 5\n"


class Ran(NamedTuple):
    """Exit code and output of one call."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line that tells what was wrong; fails where there is more or less than that."""
        assert self.code == 2, f"exit code {self.code}\n{self.err}"
        assert self.out == ""
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, self.err
        assert self.err.splitlines()[-1] == lines[0]
        return lines[0].removeprefix("error: ")


Command = Callable[..., Ran]


@pytest.fixture
def ncpgui(capsys: pytest.CaptureFixture[str]) -> Command:
    """Call ``ncpgui`` with arguments."""

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert code or not NO_NUMBER.search(out), "a number that is not known is told in words"
        return Ran(code, out, err)

    return call


Limited = Callable[..., Ran]


@pytest.fixture
def limited(ncpgui: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Limited:
    """Call ``ncpgui`` where no file can have more than so many bytes; its errors come without progress.

    The working folder is the temporary one; home and temporary files have the folders `home` and `tmp` there.
    """
    resource = pytest.importorskip("resource", reason="only POSIX systems limit the size of a file")
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))

    def call(n_bytes: int, *arguments: object) -> Ran:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
        try:
            ran = ncpgui(*arguments)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        lines = [line for line in ran.err.splitlines(keepends=True) if "%  " not in line]
        return Ran(ran.code, ran.out, "".join(lines))

    return call


@pytest.fixture(scope="session")
def few_settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Settings of a sorting that takes a second."""
    path = tmp_path_factory.mktemp("settings") / "few.toml"
    path.write_text(FEW, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tetrode_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds of a simulated tetrode with three cells, as ``ncpgui simulate`` writes it."""
    folder = tmp_path_factory.mktemp("simulated") / "tetrode"
    arguments = ["--duration", "4", "--probe", "tetrode", "--cells", "3", "--rate", "12", "--seed", "1"]
    assert run(["simulate", "--out", str(folder), *arguments]) == 0
    return folder


@pytest.fixture(scope="session")
def tetrode_session(
    tetrode_folder: Path, few_settings: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The same, sorted."""
    path = tmp_path_factory.mktemp("sorted") / "tetrode.h5"
    assert run(["sort", str(tetrode_folder), "--out", str(path), "--settings", str(few_settings)]) == 0
    return path


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file under a folder with its contents, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
