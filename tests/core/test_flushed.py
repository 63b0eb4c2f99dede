"""What is to survive a power cut is on the disk before it takes the place of what was there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from ncpgui.core.files import replaced_files
from ncpgui.core.flushed import flush_folder, flush_to_disk
from ncpgui.core.replaced_set import STAGED, alone_in, replace_together
from ncpgui.session.swap import swapped


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of what is flushed, and of what takes another's place, in order."""
    done: list[str] = []
    fsync: Callable[[int], None] = os.fsync
    replace = Path.replace

    def flushing(handle: int) -> None:
        done.append(f"flush {Path(f'/proc/self/fd/{handle}').resolve().name}")
        fsync(handle)

    def replacing(path: Path, target: Path) -> Path:
        done.append(f"replace {target.name}")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", flushing)
    monkeypatch.setattr(Path, "replace", replacing)
    return done


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc to ask")


@needs_proc
def test_a_file_and_a_folder_are_flushed(tmp_path: Path, order: list[str]) -> None:
    (tmp_path / "a").write_text("a")
    flush_to_disk(tmp_path / "a")
    flush_folder(tmp_path)
    assert order == ["flush a", f"flush {tmp_path.name}"]


@needs_proc
def test_a_file_that_may_only_be_read_is_flushed(
    tmp_path: Path, order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a user who is not root, when the file that it replaces was read-only."""
    (tmp_path / "a").write_text("a")
    opened: Callable[..., IO[bytes]] = Path.open

    def only_read(path: Path, mode: str = "r") -> IO[bytes]:
        if "+" in mode or "w" in mode:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, mode)

    monkeypatch.setattr(Path, "open", only_read)
    flush_to_disk(tmp_path / "a")
    assert order == ["flush a"]


@needs_proc
def test_a_new_session_is_on_the_disk_before_it_replaces_the_old_one(
    tmp_path: Path, order: list[str]
) -> None:
    (tmp_path / "s.h5").write_text("old")
    with swapped(tmp_path / "s.h5") as beside:
        beside.write_text("new")
    assert order == [f"flush {beside.name}", "replace s.h5", f"flush {tmp_path.name}"]
    assert (tmp_path / "s.h5").read_text() == "new"


@needs_proc
def test_files_that_belong_together_are_all_on_the_disk_before_the_first_is_renamed(
    tmp_path: Path, order: list[str]
) -> None:
    paths = [tmp_path / "units.csv", tmp_path / "spikes.csv"]
    with replaced_files(paths) as beside:
        for path in beside:
            path.write_text("new")
    first = next(place for place, what in enumerate(order) if what.startswith("replace"))
    assert {f"flush {path.name}" for path in beside} <= {*order[:first]}
    assert [path.read_text() for path in paths] == ["new", "new"]


@needs_proc
def test_a_set_of_files_and_copies_of_the_old_ones_are_on_the_disk_before_the_first_is_replaced(
    tmp_path: Path, order: list[str]
) -> None:
    (tmp_path / "a.npy").write_bytes(b"old")
    with alone_in(tmp_path, "wait"):
        order.clear()
        place = replace_together(
            tmp_path, {"a.npy": b"new", "b.tsv": b"made"}, "before", about={"why": b"{}"}
        )
    assert place is not None
    decided = order.index(f"replace {place.name}")
    new_and_old = ["flush a.npy", "flush a.npy", "flush b.tsv", "flush why", "flush .plan.json"]
    assert order[:decided] == [*new_and_old, "flush new", f"flush {STAGED}"]
    flushed = f"flush {tmp_path.name}"
    moved = [f"replace {place.name}", flushed, "replace a.npy", "replace b.tsv", flushed]
    assert order[decided:] == [*moved, f"replace {STAGED}"], "what is taken away goes last"
