"""What is replaced keeps its mode, its owner and the link to it; what is new follows the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from ncpgui.app.preferences import Preferences
from ncpgui.core.errors import ExportError, SessionError
from ncpgui.core.files import replaced_file, replaced_folder
from ncpgui.core.permissions import keep_permissions
from ncpgui.session.swap import swapped

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")

FILES = pytest.mark.parametrize("replaced", [replaced_file, swapped])
Replaced = Callable[[Path], AbstractContextManager[Path]]


@pytest.fixture
def umask() -> Iterator[Callable[[int], None]]:
    """Set the umask of this process until the test ends."""
    before = os.umask(0o022)
    yield lambda mask: (os.umask(mask), None)[1]
    os.umask(before)


def mode(path: Path) -> str:
    """Permissions of a file as people write them, such as 644."""
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


def put(replaced: Replaced, path: Path, text: str) -> str:
    """Write a file and return the mode that it had while it was written."""
    with replaced(path) as beside:
        beside.write_text(text)
        return mode(beside)


@FILES
@pytest.mark.parametrize(
    ("mask", "expected"), [(0o022, "644"), (0o077, "600"), (0o002, "664"), (0o027, "640")]
)
def test_a_new_file_follows_the_umask(
    replaced: Replaced, mask: int, expected: str, umask: Callable[[int], None], tmp_path: Path
) -> None:
    umask(mask)
    put(replaced, tmp_path / "new.h5", "new")
    assert mode(tmp_path / "new.h5") == expected


@FILES
@pytest.mark.parametrize("before", [0o600, 0o640, 0o664, 0o444, 0o755])
def test_a_replaced_file_keeps_its_mode(
    replaced: Replaced, before: int, umask: Callable[[int], None], tmp_path: Path
) -> None:
    (tmp_path / "file.h5").write_text("old")
    (tmp_path / "file.h5").chmod(before)
    meanwhile = put(replaced, tmp_path / "file.h5", "new")
    assert meanwhile == "600", "nobody else reads it before it has the mode of the old one"
    assert mode(tmp_path / "file.h5") == f"{before:o}"
    assert (tmp_path / "file.h5").read_text() == "new"


@FILES
def test_a_replaced_file_keeps_its_owner(replaced: Replaced, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    (tmp_path / "file.h5").write_text("old")
    os.chown(tmp_path / "file.h5", 12345, 23456)
    put(replaced, tmp_path / "file.h5", "new")
    now = (tmp_path / "file.h5").stat()
    assert (now.st_uid, now.st_gid) == (12345, 23456)


def test_what_a_user_set_beside_the_mode_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    try:
        os.setxattr(tmp_path / "file", "user.lab", b"retina")
    except (OSError, AttributeError):
        pytest.skip("this file system has no extended attributes")
    put(replaced_file, tmp_path / "file", "new")
    assert os.getxattr(tmp_path / "file", "user.lab") == b"retina"


@FILES
def test_a_link_stays_and_what_it_leads_to_is_replaced(replaced: Replaced, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real.h5").write_text("old")
    (tmp_path / "there" / "real.h5").chmod(0o640)
    (tmp_path / "link.h5").symlink_to(Path("there") / "real.h5")
    put(replaced, tmp_path / "link.h5", "new")
    assert (tmp_path / "link.h5").is_symlink()
    assert (tmp_path / "there" / "real.h5").read_text() == "new"
    assert mode(tmp_path / "there" / "real.h5") == "640"
    assert [p.name for p in (tmp_path / "there").iterdir()] == ["real.h5"]


@FILES
def test_a_failure_leaves_the_old_file_as_it_was(replaced: Replaced, tmp_path: Path) -> None:
    (tmp_path / "file.h5").write_text("old")
    (tmp_path / "file.h5").chmod(0o640)
    with pytest.raises(TypeError), replaced(tmp_path / "file.h5") as beside:
        beside.write_text(None)  # type: ignore[arg-type]
    assert ((tmp_path / "file.h5").read_text(), mode(tmp_path / "file.h5")) == ("old", "640")
    assert [p.name for p in tmp_path.iterdir()] == ["file.h5"]


@FILES
def test_devices_and_named_pipes_are_not_replaced(replaced: Replaced, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h5")
    with pytest.raises((ExportError, SessionError), match=r"pipe\.h5: it is a device or a named pipe"):
        put(replaced, tmp_path / "pipe.h5", "new")
    with pytest.raises((ExportError, SessionError), match=r"tmp.*: it is a folder"):
        put(replaced, tmp_path, "new")
    assert stat.S_ISFIFO((tmp_path / "pipe.h5").lstat().st_mode)


@pytest.mark.parametrize(("mask", "folder", "file"), [(0o022, "755", "644"), (0o077, "700", "600")])
def test_a_new_folder_follows_the_umask(
    mask: int, folder: str, file: str, umask: Callable[[int], None], tmp_path: Path
) -> None:
    umask(mask)
    with replaced_folder(tmp_path / "out") as beside:
        (beside / "spikes.npy").write_text("new")
    assert (mode(tmp_path / "out"), mode(tmp_path / "out" / "spikes.npy")) == (folder, file)


def test_a_replaced_folder_and_its_files_keep_their_modes(
    umask: Callable[[int], None], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    for name, bits in (("spikes.npy", 0o600), ("deep/times.npy", 0o640)):
        (out / name).write_text("old")
        (out / name).chmod(bits)
    (out / "deep").chmod(0o770)
    out.chmod(0o2750)
    with replaced_folder(out) as beside:
        assert mode(beside) == "700"
        (beside / "deep").mkdir()
        for name in ("spikes.npy", "deep/times.npy", "added.npy"):
            (beside / name).write_text("new")
    names = ("", "deep", "spikes.npy", "deep/times.npy", "added.npy")
    assert [mode(out / name) for name in names] == ["2750", "770", "600", "640", "644"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_preferences_that_are_a_link_stay_one(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "mine.json").write_text("{}")
    (tmp_path / "dotfiles" / "mine.json").chmod(0o600)
    (tmp_path / "preferences.json").symlink_to(tmp_path / "dotfiles" / "mine.json")
    Preferences(tmp_path).set("theme", "dark")
    assert (tmp_path / "preferences.json").is_symlink()
    assert "dark" in (tmp_path / "dotfiles" / "mine.json").read_text()
    assert mode(tmp_path / "dotfiles" / "mine.json") == "600"


def test_who_may_not_give_a_file_away_gives_it_to_the_group_at_least(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "new").write_text("new")
    asked: list[tuple[int, int]] = []

    def chown(path: Path, uid: int, gid: int) -> None:
        asked.append((uid, gid))
        if uid != -1:
            raise PermissionError

    monkeypatch.setattr(os, "chown", chown)
    keep_permissions(tmp_path / "new", instead_of=tmp_path / "old")
    before = (tmp_path / "old").stat()
    assert asked == [(before.st_uid, before.st_gid), (-1, before.st_gid)]
