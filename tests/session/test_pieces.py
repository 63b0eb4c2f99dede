"""Arrays are read from an open file when somebody asks, whatever becomes of its name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import SessionError
from ncpgui.session.pieces import OpenedFile, Piece


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Eight bytes of something else, and six numbers."""
    path = tmp_path / "a"
    path.write_bytes(b"12345678" + np.arange(6, dtype="<f4").tobytes())
    return path


def piece(path: Path) -> Piece:
    return Piece(OpenedFile(path), 8, np.dtype("<f4"), (2, 3))


def test_an_array_is_read_from_where_it_lies(path: Path) -> None:
    one = piece(path)
    assert one.read().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (one.end, one.file.n_bytes, one.file.path) == (32, 32, path)
    assert one.file.read(2, 3) == b"345"
    assert one.file.read(0, 0) == b""
    assert Piece(one.file, 32, np.dtype("<f4"), (0, 3)).read().shape == (0, 3)


def test_a_file_that_is_deleted_or_replaced_is_read_all_the_same(path: Path) -> None:
    one = piece(path)
    path.unlink()
    path.write_bytes(b"")
    assert one.read()[1, 2] == 5


def test_a_file_that_was_cut_short_is_said_by_the_byte(path: Path) -> None:
    one = piece(path)
    with path.open("r+b") as file:
        file.truncate(31)
    assert one.end > one.file.n_bytes
    with pytest.raises(
        SessionError, match="a was cut short while it was open; delete it and open the session"
    ):
        one.read()
    assert one.file.read(8, 4) == bytes(4)
