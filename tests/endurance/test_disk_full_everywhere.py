"""Every command that writes, on a disk that takes so many bytes: one line, exit code 2, and no half file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ncpgui.cli.main import run
from tests.cli.conftest import Limited, files_of
from tests.phy_folder import QUICK

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

COMMANDS = {
    "simulate": ("simulate", "--out", "made", "--duration", "4", "--probe", "tetrode", "--cells", "2"),
    "demo": ("demo", "--headless", "--duration", "5", "--out", "demo"),
    "review": ("review", "PHY", "--out", "made.h5", "--settings", "few.toml"),
    "export to mat": ("export", "SESSION", "--format", "mat", "--out", "made.mat"),
    "templates": ("templates", "build", "PHY", "--out", "made", "--min-spikes", "10"),
    "evaluate": ("evaluate", "gauss2d", "--quick", "--out", "made"),
}


SMALL = ("export to mat", "evaluate")
"""Commands that write no file of more than a few KB here."""


@pytest.mark.parametrize(
    ("name", "n_bytes"),
    [*((name, 300) for name in COMMANDS), *((name, 30_000) for name in COMMANDS if name not in SMALL)],
)
def test_a_command_that_the_disk_cannot_hold_is_one_line_and_leaves_nothing(
    limited: Limited, name: str, n_bytes: int, given_folder: Path, tetrode_session: Path, tmp_path: Path
) -> None:
    (tmp_path / "few.toml").write_text(QUICK)
    places = {"PHY": given_folder, "SESSION": tetrode_session}
    given = files_of(given_folder)
    ran = limited(n_bytes, *(places.get(word, word) for word in COMMANDS[name]))
    assert "cannot write" in ran.error or "could not be written" in ran.error
    assert "File too large" in ran.error
    assert "free the disk" in ran.error or "kept in" in ran.error or "nor could" in ran.error
    left = set(files_of(tmp_path)) - {"few.toml"}
    assert {Path(name).parent.name for name in left} <= {"made.h5.steps"}
    assert ("the same command with --resume goes on" in ran.err) == bool(left)
    assert files_of(given_folder) == given


def test_decisions_that_cannot_be_written_back_leave_the_folder_as_it_was(
    limited: Limited, given_folder: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(given_folder, tmp_path / "phy")
    (tmp_path / "few.toml").write_text(QUICK)
    session = tmp_path / "s.h5"
    assert run(["review", str(folder), "--out", str(session), "--settings", str(tmp_path / "few.toml")]) == 0
    merge_two_units(session)
    before = files_of(folder)
    for n_bytes in (100, 1000, len(before["spike_clusters.npy"]) - 1):
        ran = limited(n_bytes, "write-back", session)
        assert "File too large" in ran.error
        after = files_of(folder)
        assert {name: after[name] for name in before} == before


def merge_two_units(path: Path) -> None:
    """Do what a person would: merge the two halves of a cell."""
    from ncpgui.curation.command_json import to_json
    from ncpgui.curation.commands import Merge
    from ncpgui.session.session_file import open_session
    from tests.phy_folder import HALF, OTHER_HALF

    with open_session(path) as opened:
        opened.append(to_json(Merge((HALF, OTHER_HALF))))
