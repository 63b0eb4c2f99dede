"""One writer a session; the lock of a process that is gone does not stay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ncpgui.core import lock
from ncpgui.core.errors import SessionError, SessionLockedError
from ncpgui.core.lock import WriterLock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.lock"


def take(path: Path) -> WriterLock:
    return WriterLock(path, path.with_suffix(".h5"))


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_a_second_writer_in_this_program_is_refused(path: Path) -> None:
    with take(path), pytest.raises(SessionLockedError, match="already open for writing in this program"):
        take(path)


def test_a_lock_is_gone_once_released(path: Path) -> None:
    with take(path):
        assert path.exists()
    assert not path.exists()
    take(path).release()


def test_a_writer_in_a_living_process_is_named(path: Path) -> None:
    held = take(path)
    change(path, pid=os.getppid(), started=lock.process_start(os.getppid()))
    with pytest.raises(
        SessionLockedError,
        match=f"process {os.getppid()} on this machine.*close it there, or open the session read-only",
    ):
        take(path)
    held.release()
    assert path.exists()  # not ours any more


def test_a_writer_on_another_host_is_named_with_the_lock_to_delete(path: Path) -> None:
    take(path)
    change(path, host="rig2/pid:[1]", pid=2**22 + 5)
    with pytest.raises(
        SessionLockedError, match=r"on rig2; .* If that program no longer runs, delete .*x\.lock"
    ):
        take(path)


def test_the_lock_of_a_dead_process_is_taken_over(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    take(path)
    change(path, pid=int(done.stdout), started="")
    take(path)
    assert json.loads(path.read_text())["pid"] == os.getpid()
    assert [item.name for item in path.parent.iterdir()] == ["x.lock"]


@pytest.mark.skipif(
    not lock.process_start(os.getpid()), reason="this system does not tell when a process started"
)
def test_a_pid_used_again_by_a_later_process_does_not_keep_the_lock(path: Path) -> None:
    take(path)
    change(path, started="before the restart/1")
    take(path).release()


def test_a_lock_that_is_being_written_is_respected_but_an_old_empty_one_is_not(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(SessionLockedError, match="is being opened by another program; try again"):
        take(path)
    os.utime(path, (1, 1))
    take(path).release()


def test_a_lock_in_a_folder_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"cannot open .*x\.h5 for writing: No such file"):
        take(tmp_path / "no" / "x.lock")


def test_processes_are_told_apart() -> None:
    assert lock.is_running(os.getpid())
    assert not lock.is_running(2**22 + 5)


def test_who_comes_second_is_told_what_to_do_instead(path: Path) -> None:
    folder = path.with_name("phy")
    with (
        WriterLock(path, folder),
        pytest.raises(
            SessionLockedError, match=rf"^{folder} is already .*; close it first, or wait a moment$"
        ),
    ):
        WriterLock(path, folder, "wait a moment")


@pytest.mark.parametrize(
    "text", ["deno 2.1", '{"version": 3, "packages": {}}', '{"pid": 0}', "\0", "[]", "{"]
)
@pytest.mark.parametrize("date", [1, 4_000_000_000])
def test_a_file_that_is_no_lock_of_ours_is_left_alone_whatever_its_date(
    path: Path, text: str, date: int
) -> None:
    path.write_text(text)
    os.utime(path, (date, date))
    with pytest.raises(SessionLockedError, match=r"x\.lock is in the place of its lock .* read-only"):
        take(path)
    assert path.read_text() == text


@pytest.mark.skipif(os.name == "nt", reason="links of Windows need rights")
@pytest.mark.parametrize(
    ("to", "words"), [("nowhere", "a link that leads nowhere"), (".", "a directory"), ("x.lock", "levels of")]
)
def test_a_link_in_the_place_of_a_lock_is_named_and_left_alone(path: Path, to: str, words: str) -> None:
    path.symlink_to(to)
    with pytest.raises(
        SessionLockedError, match=rf"(?i)x\.lock: .*{words}.* move it away, or open .* read-only"
    ):
        take(path)
    assert path.is_symlink()


@pytest.mark.parametrize("left", ["whole", "empty"])
def test_a_lock_with_a_date_in_the_future_ends_with_its_owner(path: Path, left: str) -> None:
    take(path)
    change(path, pid=2**22 + 5)
    if left == "empty":
        path.write_bytes(b"")
    os.utime(path, (4_000_000_000, 4_000_000_000))
    take(path).release()
    assert not path.exists()


def test_a_lock_dated_in_the_future_is_respected_while_its_owner_lives(path: Path) -> None:
    held = take(path)
    os.utime(path, (4_000_000_000, 4_000_000_000))
    with pytest.raises(SessionLockedError, match="already open for writing"):
        take(path)
    held.release()


def test_a_fresh_lock_in_the_place_of_a_stale_one_is_not_taken_away(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two programs find the same stale lock; the slower one meets the lock of the faster."""
    take(path)
    change(path, pid=2**22 + 5)
    remove, faster = lock._remove_stale, []

    def be_slow(*arguments: object) -> None:
        if not faster:
            faster.append(None)
            faster[0] = take(path)
        remove(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(lock, "_remove_stale", be_slow)
    with pytest.raises(SessionLockedError, match="already open for writing in this program"):
        take(path)
    faster[0].release()


def test_a_lock_that_the_disk_cannot_hold_is_not_left_half_written(
    path: Path, small_disk: Callable[[int], Path]
) -> None:
    disk = small_disk(16)
    (disk / "rest").write_bytes(bytes(16 * 1024))
    with pytest.raises(SessionError, match="No space left on device"):
        take(disk / "x.lock")
    assert not (disk / "x.lock").exists()


def test_a_stale_lock_is_taken_away_by_one_program_of_the_machine_at_a_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    take(path)
    change(path, pid=2**22 + 5)
    seen, unlink = [], Path.unlink

    def look(place: Path, *arguments: object, **options: object) -> None:
        """What another program is told that wants to take it away at this moment."""
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            seen.append("free")
        except BlockingIOError:
            seen.append("wait")
        os.close(folder)
        unlink(place, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "unlink", look)
    take(path).release()
    assert seen[0] == "wait", "while the stale one is taken away"
    assert seen[-1] == "free", "and no longer"


def test_only_the_lock_that_was_found_stale_is_removed(path: Path) -> None:
    place = path.with_name("x.lock")
    place.write_bytes(b"fresh")
    lock._remove_stale(place, b"stale")
    assert place.read_bytes() == b"fresh"
    lock._remove_stale(place, b"fresh")
    assert not place.exists()
    lock._remove_stale(place, b"fresh")  # somebody else removed it
    assert list(path.parent.glob("x.lock*")) == []


def test_a_lock_of_the_first_process_is_a_lock_and_one_of_none_is_not(path: Path) -> None:
    holder = {"pid": 1, "host": "h", "started": "s", "token": "t"}
    assert lock._parse(json.dumps(holder).encode()) == lock.LockHolder(1, "h", "s", "t")
    assert lock._parse(json.dumps(holder | {"pid": 0}).encode()) is None
