"""Files replaced as one: all of them or none, whenever the program is killed or the disk fails."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from ncpgui.core import replaced_set
from ncpgui.core.errors import ExportError
from ncpgui.core.replaced_set import (
    LOCK,
    MEANWHILE,
    NEW,
    PLAN,
    STAGED,
    alone_in,
    finish,
    interrupted,
    replace_together,
)

OLD = {"clusters.npy": b"0 1 2 3", "group.tsv": b"old"}
FILES = {"clusters.npy": b"4 4 2 3", "group.tsv": b"new words", "note.tsv": b"made"}
CHANGES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree")
KILLED = 9

KINDS = ["files", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("links", "hard links"))]

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")


def made(folder: Path, kind: str = "files") -> Path:
    """The folder to write into: of files, of links to files elsewhere, or of files with a second name."""
    folder.mkdir()
    (folder / ".cache").mkdir()
    (folder / ".cache" / "one").write_bytes(b"of the old files")
    elsewhere = folder if kind == "files" else folder.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    for name, contents in OLD.items():
        (elsewhere / name).write_bytes(contents)
        if kind == "links":
            (folder / name).symlink_to(elsewhere / name)
        if kind == "hard links":
            os.link(elsewhere / name, folder / name)
    return folder


def write(folder: Path, **options: object) -> Path:
    with alone_in(folder, "wait"):
        finish(folder)
        about = {"why.json": b"{}"}
        return replace_together(folder, FILES, "before", about=about, aside=[".cache"], **options)  # type: ignore[arg-type]


def finish_alone(folder: Path) -> bool:
    lock = folder / LOCK
    if lock.exists() and not lock.read_bytes():  # killed while it was made: that is told by its age
        os.utime(lock, (0, 0))
    with alone_in(folder, "wait"):
        return finish(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def check_all_or_none(folder: Path, elsewhere: Path | None = None) -> bool:
    """Whether the new files are there; all of them, with the backup, or none."""
    files = contents(folder)
    assert files in (OLD, FILES), files
    new = files == FILES
    names = {item.name for item in folder.iterdir() if item.is_dir()}
    assert names == ({"before"} if new else {".cache"})
    if new:
        assert contents(folder / "before") == {**OLD, "why.json": b"{}"}
        assert {item.name for item in (folder / "before").iterdir() if item.is_dir()} == {".cache"}
    if elsewhere is not None:
        assert contents(elsewhere) == {name: files[name] for name in OLD}
    return new


def killed_at(step: int, action: Callable[[], object]) -> bool:
    """Do something in a process that is killed before its step-th change of the disk; whether it was."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
    steps = count()

    def watch(event: str, _: object = ()) -> None:
        if event in CHANGES and next(steps) == step:
            os._exit(KILLED)

    try:
        sys.addaudithook(watch)
        os.fsync = lambda _: watch("open")
        action()
        os._exit(0)
    except BaseException:  # nothing of the child may reach pytest
        os._exit(1)


def test_files_are_replaced_and_the_old_ones_are_kept(tmp_path: Path) -> None:
    folder = made(tmp_path / "phy")
    (folder / "group.tsv").chmod(0o640)
    assert write(folder) == folder / "before"
    assert check_all_or_none(folder)
    assert (folder / "group.tsv").stat().st_mode & 0o777 == 0o640
    assert not (folder / LOCK).exists()


@posix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_any_step_all_files_are_new_or_none_once_it_is_finished(kind: str, tmp_path: Path) -> None:
    ended = []
    for step in count():
        place = tmp_path / str(step)
        place.mkdir()
        folder = made(place / "phy", kind)
        killed = killed_at(step, lambda folder=folder: write(folder))
        finish_alone(folder)
        ended.append(check_all_or_none(folder, None if kind == "files" else place / "elsewhere"))
        if kind == "links":
            assert all((folder / name).is_symlink() for name in OLD)
        if kind == "hard links":
            assert all((folder / name).stat().st_nlink == 2 for name in OLD)
        if not killed:
            break
    assert len(ended) > 30
    assert ended == sorted(ended), "from one step on it is decided"
    assert ended[-10:] == [True] * 10


@posix
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("kind", ["files", "links", "hard links"])
def test_what_finishes_it_may_be_killed_too(kind: str, tmp_path: Path) -> None:
    for step in count(22, 4):
        for second in count(step % 3, 3):
            place = tmp_path / f"{step}-{second}"
            place.mkdir()
            folder = made(place / "phy", kind)
            killed = killed_at(step, lambda folder=folder: write(folder))
            killed_again = killed_at(second, lambda folder=folder: finish_alone(folder))
            finish_alone(folder)
            check_all_or_none(folder, None if kind == "files" else place / "elsewhere")
            if not killed_again:
                break
        if not killed:
            break


def fail_at(step: int, patch: pytest.MonkeyPatch) -> Iterator[int]:
    """Let the step-th change of the disk fail; returns the counter."""
    steps = count()

    def failing(function: Callable[..., object]) -> Callable[..., object]:
        def called(*words: object, **more: object) -> object:
            if next(steps) == step:
                raise OSError(28, "No space left on device")
            return function(*words, **more)

        return called

    for module, name in ((Path, "replace"), (Path, "write_bytes"), (Path, "mkdir"), (os, "fsync")):
        patch.setattr(module, name, failing(getattr(module, name)))
    return steps


@pytest.mark.parametrize("kind", ["files", "links", "hard links"])
def test_a_disk_that_fails_at_any_step_leaves_all_as_it_was(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in count():
        place = tmp_path / str(step)
        place.mkdir()
        folder = made(place / "phy", kind)
        with monkeypatch.context() as patch:
            steps = fail_at(step, patch)
            try:
                write(folder)
            except ExportError as error:
                said = str(error)
            else:
                said = ""
        if next(steps) <= step:
            break
        finish_alone(folder)
        new = check_all_or_none(folder, None if kind == "files" else place / "elsewhere")
        assert new == (said == ""), step
        if said:
            assert re.search("No space left on device; it is as it was: free the disk, and try again", said)
    assert step > 15


def test_what_somebody_saves_in_a_half_written_folder_is_kept(tmp_path: Path) -> None:
    folder = made(tmp_path / "phy")
    interrupt(folder)
    (folder / "group.tsv").write_bytes(b"saved meanwhile")
    assert finish_alone(folder)
    assert contents(folder) == FILES
    assert (folder / "before" / MEANWHILE / "group.tsv").read_bytes() == b"saved meanwhile"
    assert (folder / "before" / "group.tsv").read_bytes() == OLD["group.tsv"]


def interrupt(folder: Path) -> None:
    """Leave a folder as a program that was killed just after it was decided."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replaced_set, "_put", stop)
        with pytest.raises(KeyboardInterrupt):
            write(folder)
    assert interrupted(folder) == [folder / "before"]
    assert contents(folder) == OLD


def test_a_backup_has_a_number_above_all_that_are_taken(tmp_path: Path) -> None:
    folder = made(tmp_path / "phy")
    (folder / "before").mkdir()
    (folder / "before-7").write_text("somebody's")
    (folder / "before-007").symlink_to("nowhere")
    (folder / "before-x").mkdir()
    assert write(folder) == folder / "before-8"
    assert write(folder) == folder / "before-9"
    assert (folder / "before-7").read_text() == "somebody's"


def test_two_do_not_write_at_once(tmp_path: Path) -> None:
    folder = made(tmp_path / "phy")
    with (
        alone_in(folder, "wait"),
        pytest.raises(ExportError, match=rf"^{folder} is already open for writing .*, or wait$"),
    ):
        write(folder)
    assert contents(folder) == OLD


def test_files_that_changed_since_they_were_read_are_not_replaced(tmp_path: Path) -> None:
    def changed() -> None:
        raise ExportError("somebody saved it")

    folder = made(tmp_path / "phy")
    with pytest.raises(ExportError, match="somebody saved it"):
        write(folder, check=changed)
    assert not check_all_or_none(folder)


def test_a_link_to_another_file_system_stays_one(tmp_path: Path) -> None:
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev or not os.access(other, os.W_OK):
        pytest.skip("there is no second file system here")
    target = other / f"ncpgui-test-{os.getpid()}.tsv"
    folder = made(tmp_path / "phy")
    target.write_bytes(OLD["group.tsv"])
    (folder / "group.tsv").unlink()
    (folder / "group.tsv").symlink_to(target)
    try:
        write(folder)
        assert check_all_or_none(folder)
        assert (folder / "group.tsv").is_symlink()
        assert target.read_bytes() == FILES["group.tsv"]
    finally:
        target.unlink()


@pytest.mark.parametrize(
    ("put", "words"),
    [
        (lambda place: place.symlink_to("gone"), "note.tsv: it is a link to .*gone, which is not there"),
        (lambda place: place.mkdir(), "note.tsv: it is a folder"),
        (lambda place: os.mkfifo(place), "note.tsv: it is a device or a named pipe, not a file"),
    ],
)
def test_what_is_no_file_is_not_replaced(put: Callable[[Path], None], words: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "phy")
    put(folder / "note.tsv")
    with pytest.raises(
        ExportError, match=f"cannot write into {folder}: {words}; it is as it was: see to it that"
    ):
        write(folder)
    assert {name: contents(folder)[name] for name in OLD} == OLD


@pytest.mark.parametrize("kind", ["links", "hard links"])
def test_who_only_opens_a_folder_finishes_nothing_through_links(kind: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "phy", kind)
    interrupt(folder)
    with pytest.raises(ExportError, match=r"clusters.npy is a link: write back again, which finishes it"):
        finish(folder, through_links=False)
    assert contents(tmp_path / "elsewhere") == OLD


@pytest.mark.parametrize(
    "plan",
    [
        {"files": ["../out"], "made": [], "aside": []},
        {"files": 3},
        [],
        {"files": [], "made": [], "aside": [".."]},
    ],
)
def test_a_plan_that_leads_out_of_the_folder_is_refused(plan: object, tmp_path: Path) -> None:
    folder = made(tmp_path / "phy")
    place = folder / "before" / NEW
    place.mkdir(parents=True)
    (place / PLAN).write_text(json.dumps(plan))
    with pytest.raises(
        ExportError,
        match=r"\.plan\.json says which files .* stopped, and cannot be used \(.*\); copy .* of .*before, "
        r"which has them as they were.* move .*before away, and try again$",
    ):
        finish_alone(folder)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "put",
    [
        lambda place: place.write_text("mine"),
        lambda place: place.symlink_to("gone"),
        lambda p: p.symlink_to("."),
    ],
)
def test_what_lies_where_new_files_are_kept_is_named_and_nothing_is_changed(
    put: Callable[[Path], None], tmp_path: Path
) -> None:
    folder = made(tmp_path / "phy")
    put(folder / STAGED)
    with pytest.raises(
        ExportError,
        match=rf"{STAGED} is where new files lie before .* was changed: move it away, and try again$",
    ):
        write(folder)
    assert {name: contents(folder)[name] for name in OLD} == OLD
    assert os.path.lexists(folder / STAGED)
