"""A file whose disk fills up reads back all that was written to it, and says that it is not whole."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.guarded_file import GuardedFile


def full_from(monkeypatch: pytest.MonkeyPatch, n_bytes: int) -> None:
    """Let the disk have room for so many more bytes; each write takes three at most."""
    room, write = [n_bytes], os.write

    def limited(handle: int, data: memoryview) -> int:
        taken = min(3, room[0], len(data))
        if not taken:
            raise OSError(errno.ENOSPC, "full")
        room[0] -= taken
        return write(handle, bytes(data[:taken]))

    monkeypatch.setattr(os, "write", limited)


def test_bytes_are_written_and_read_where_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"what was there before")
    file = GuardedFile(tmp_path / "a")
    assert file.write(memoryview(b"0123456789")) == 10
    assert file.tell() == 10
    assert file.seek(2) == 2
    file.write(memoryview(b"ab"))
    assert file.seek(-3, os.SEEK_CUR) == 1
    assert file.read(4) == b"1ab4"
    assert file.tell() == 5
    assert file.seek(-2, os.SEEK_END) == 8
    assert file.read() == b"89"
    assert file.read() == b""
    assert file.read(5) == b""
    file.close()
    assert file.error is None
    assert (tmp_path / "a").read_bytes() == b"01ab456789"


def test_a_file_is_cut_and_made_longer(tmp_path: Path) -> None:
    file = GuardedFile(tmp_path / "a")
    file.write(memoryview(b"0123456789"))
    assert file.truncate(4) == 4
    file.seek(0)
    assert file.read() == b"0123"
    file.truncate(6)
    file.seek(0)
    assert file.read() == b"0123\0\0"
    file.close()
    assert (tmp_path / "a").read_bytes() == b"0123\0\0"


@pytest.mark.parametrize("room", [0, 1, 7, 20, 300])
@pytest.mark.parametrize("seed", range(5))
def test_it_is_as_a_file_in_memory_also_once_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, seed: int
) -> None:
    full_from(monkeypatch, room)
    rng = np.random.default_rng(seed)
    file, right = GuardedFile(tmp_path / "a"), io.BytesIO()
    for _ in range(80):
        kind, place, size = rng.integers(4), int(rng.integers(40)), int(rng.integers(1, 9))
        file.seek(place)
        right.seek(place)
        if kind <= 1:
            data = rng.bytes(size)
            assert file.write(memoryview(data)) == right.write(data)
        elif kind == 2:
            assert file.read(size) == right.read(size)
        else:
            assert file.read() == right.read()
        assert file.tell() == right.tell()
    file.seek(0)
    assert file.read() == right.getvalue()
    file.close()
    assert (file.error is None) == ((tmp_path / "a").read_bytes() == right.getvalue())
    assert file.error is None or file.error.errno == errno.ENOSPC


def test_the_first_failure_is_kept_and_the_file_is_not_written_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_from(monkeypatch, 4)
    file = GuardedFile(tmp_path / "a")
    file.write(memoryview(b"0123456789"))
    first = file.error
    assert first is not None
    monkeypatch.undo()
    file.seek(0)
    file.write(memoryview(b"ab"))
    file.truncate(8)
    assert file.error is first
    file.seek(0)
    assert file.read() == b"ab234567"
    file.close()
    assert (tmp_path / "a").read_bytes() == b"0123"


def test_a_file_that_cannot_be_made_longer_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, size: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    file = GuardedFile(tmp_path / "a")
    monkeypatch.setattr(os, "ftruncate", full)
    assert file.truncate(5) == 5
    assert file.error is not None
    file.seek(0)
    assert file.read() == b"\0" * 5
    file.close()
