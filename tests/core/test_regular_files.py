"""Pipes, sockets, devices and files too large are told from files that can be read."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from ncpgui.core.errors import ExportError, NcpguiError
from ncpgui.core.files import replaced_file
from ncpgui.core.lock import WriterLock
from ncpgui.core.regular_files import is_hollow, not_special, regular, special
from ncpgui.ephys.probe_files import probe_of_file
from ncpgui.session.journal import read_journal

pytestmark = pytest.mark.timeout(60)


def test_what_is_no_file_is_told_also_behind_links(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "link of link").symlink_to("link")
    server = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(tmp_path)  # names of sockets are short
    server.bind("socket")
    os.chdir(here)
    server.close()
    for name, kind in (
        ("pipe", "a named pipe"),
        ("link", "a named pipe"),
        ("link of link", "a named pipe"),
        ("socket", "a socket"),
    ):
        assert special(tmp_path / name) == kind
        with pytest.raises(OSError, match=f"it is {kind}, not a file"):
            not_special(tmp_path / name)
    assert special("/dev/zero") == "a device"


def test_files_folders_and_what_is_not_there_are_not_special(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "round").symlink_to("round")
    for name in ("file", "", "nowhere", "broken", "round", "a" * 300, "\0"):
        assert special(os.path.join(tmp_path, name)) == ""  # noqa: PTH118
    assert regular(tmp_path / "file", most_bytes=1).read_text() == "x"


def test_a_file_with_a_byte_too_many_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(11))
    with pytest.raises(OSError, match="it has 11 bytes, and no more than 10 are read"):
        regular(tmp_path / "file", most_bytes=10)
    assert regular(tmp_path / "file", most_bytes=11) == tmp_path / "file"
    with pytest.raises(FileNotFoundError):
        regular(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("read", "most"),
    [
        (lambda path: WriterLock(path, path.with_suffix(".h5")), 64 * 2**10),
        (probe_of_file, 256 * 2**20),
        (read_journal, 2**30),
    ],
)
def test_locks_texts_and_journals_of_a_size_that_none_has_are_not_read(
    tmp_path: Path, read: Callable[[Path], object], most: int
) -> None:
    """The file is a hole: it takes no room on the disk."""
    path = tmp_path / "a.csv"
    path.touch()
    os.truncate(path, most + 1)
    with pytest.raises(NcpguiError, match=f"it has {most + 1} bytes, and no more than {most} are read"):
        read(path)


def test_a_file_of_holes_is_told_from_one_that_was_written(tmp_path: Path) -> None:
    with (tmp_path / "holes").open("wb") as file:
        file.truncate(2**34)
        file.write(b"x")
    (tmp_path / "small").write_bytes(b"")
    assert is_hollow(tmp_path / "holes")
    assert not is_hollow(tmp_path / "small")


def test_a_pipe_or_device_is_not_replaced_by_what_is_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out.csv")
    with (
        pytest.raises(
            ExportError, match=r"cannot write .*out.csv: it is a device or a named pipe, not a file"
        ),
        replaced_file(tmp_path / "out.csv"),
    ):
        pass
    assert special(tmp_path / "out.csv") == "a named pipe"
