"""Files and folders are swapped in whole, under names that a file system takes; what went wrong is said."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ncpgui.core.errors import ExportError
from ncpgui.core.files import (
    finish_files,
    free_name,
    make_folder,
    replaceable,
    replaced_file,
    replaced_files,
    replaced_folder,
    too_long,
)


def nothing() -> None:
    """What happens to a place while the new file is written."""


def fill(
    path: Path,
    text: str = "new",
    *,
    folder: bool = False,
    replace: bool = True,
    check: Callable[[Path], None] | None = None,
    meanwhile: Callable[[], object] = nothing,
) -> None:
    """Put a file at a place, or a folder with one."""
    if folder:
        with replaced_folder(path, check=check) as new:
            (new / "a").write_text(text)
            meanwhile()
    else:
        with replaced_file(path, replace=replace) as new:
            new.write_text(text)
            meanwhile()


def stop() -> None:
    raise RuntimeError


def test_names_of_255_bytes_are_taken_and_longer_ones_not() -> None:
    assert too_long(f"/data/{'a' * 255}/b") == too_long("/".join(["µ" * 127] * 3)) == too_long("") == ""
    said = "the name has 256 bytes, and the file system takes 255; give a shorter name"
    assert too_long(f"/data/{'a' * 256}/b") == too_long("µ" * 128) == said


def test_a_name_that_is_too_long_only_with_what_is_written_beside_it_is_told_so() -> None:
    beside = (Path("/data/a.lock"), Path("/data") / ("b" * 260))
    assert too_long("/data/" + "a" * 250, *beside) == (
        "with what ncpgui writes beside it, the name has up to 260 bytes, and the file system takes 255; "
        "give a shorter name"
    )
    assert too_long("/data/a", Path("/data") / ("b" * 255)) == ""


def test_a_free_name_has_the_first_number_that_is_free(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    assert free_name(path) == path
    path.touch()
    assert free_name(path) == tmp_path / "a-1.csv"
    (tmp_path / "a-1.csv").symlink_to(tmp_path / "gone")  # a link that leads nowhere is there too
    assert free_name(path) == tmp_path / "a-2.csv"


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="it is a folder") as refused:
        replaceable(tmp_path)
    assert refused.value.errno == errno.EISDIR
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    assert replaceable(link) == tmp_path / "real"


def test_a_file_takes_its_place_and_what_was_hidden_goes(tmp_path: Path) -> None:
    fill(tmp_path / "a.csv", "old")
    fill(tmp_path / "a.csv")
    assert [(item.name, item.read_text()) for item in tmp_path.iterdir()] == [("a.csv", "new")]


def test_while_it_is_written_a_file_has_a_short_hidden_name_of_the_same_kind(tmp_path: Path) -> None:
    with replaced_file(tmp_path / f"{'long' * 20}.csv") as new:
        assert new.parent == tmp_path
        assert new.name.startswith(f".{('long' * 20)[:30]}-")
        assert len(new.name) == 1 + 30 + 1 + 8 + 4
        assert new.suffix == ".csv"
        new.write_text("")


def test_what_appeared_meanwhile_stays_and_the_new_file_goes_beside_it(tmp_path: Path) -> None:
    fill(tmp_path / "a.csv", "old")
    with pytest.raises(ExportError, match=r"a\.csv appeared meanwhile .* what was written is in .*a-1\.csv$"):
        fill(tmp_path / "a.csv", replace=False)
    assert [(tmp_path / name).read_text() for name in ("a.csv", "a-1.csv")] == ["old", "new"]
    fill(tmp_path / "b.csv", replace=False)
    assert (tmp_path / "b.csv").read_text() == "new"


@pytest.mark.parametrize("folder", [False, True])
def test_nothing_is_left_of_what_is_not_written_to_the_end(tmp_path: Path, folder: bool) -> None:
    with pytest.raises(RuntimeError):
        fill(tmp_path / "a", folder=folder, meanwhile=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "way_out"),
    [
        (errno.ENOSPC, "free the disk, or choose another folder"),
        (errno.EFBIG, "free the disk, or choose another folder"),
        (errno.EDQUOT, "free the disk, or choose another folder"),
        (errno.EISDIR, "give the name of a file"),
        (errno.ENXIO, "give the name of a file"),
        (errno.EACCES, "choose a folder that exists and is writable"),
    ],
)
def test_each_error_of_the_system_has_its_way_out(tmp_path: Path, number: int, way_out: str) -> None:
    with pytest.raises(ExportError) as told, replaced_file(tmp_path / "a"):
        raise OSError(number, os.strerror(number))
    assert str(told.value) == f"cannot write {tmp_path / 'a'}: {os.strerror(number)}; {way_out}"


def test_an_error_without_a_number_is_told_in_its_words(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"cannot write .*/a: odd; choose"), replaced_file(tmp_path / "a"):
        raise OSError("odd")


def test_a_folder_is_made_unless_it_is_there(tmp_path: Path) -> None:
    make_folder(tmp_path / "a")
    make_folder(tmp_path / "a")
    assert (tmp_path / "a").is_dir()
    with pytest.raises(ExportError, match=r"cannot write .*/b/c: No such file or directory; choose a folder"):
        make_folder(tmp_path / "b" / "c")


def test_a_folder_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    place = tmp_path / "out"
    fill(place, "old", folder=True)
    (place / "more").write_text("old")
    fill(place, folder=True)
    assert [item.name for item in tmp_path.iterdir()] == ["out"]
    assert [(item.name, item.read_text()) for item in place.iterdir()] == [("a", "new")]


def test_an_empty_folder_is_replaced_though_it_appeared_meanwhile_and_a_full_one_is_not(
    tmp_path: Path,
) -> None:
    place, other = tmp_path / "out", tmp_path / "other"
    fill(place, folder=True, meanwhile=place.mkdir)
    assert (place / "a").read_text() == "new"
    with pytest.raises(ExportError, match="other appeared meanwhile and is not replaced"):
        fill(other, folder=True, meanwhile=lambda: shutil.copytree(place, other))
    assert (tmp_path / "other-1" / "a").read_text() == "new"


@pytest.mark.parametrize("change", [lambda file: file.unlink(), lambda file: file.write_text("longer")])
def test_a_folder_in_which_something_was_changed_meanwhile_is_not_replaced(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    place = tmp_path / "out"
    fill(place, "old", folder=True)
    (place / "b").write_text("b")
    with pytest.raises(
        ExportError, match=r"out was changed meanwhile \(b\) and is not replaced; what was written is in "
    ):
        fill(place, folder=True, meanwhile=lambda: change(place / "b"))
    assert (place / "a").read_text() == "old"
    assert (tmp_path / "out-1" / "a").read_text() == "new"


def test_whoever_asks_decides_whether_a_folder_is_replaced_before_and_after_it_is_moved(
    tmp_path: Path,
) -> None:
    place = tmp_path / "out"
    fill(place, "old", folder=True)
    asked: list[str] = []

    def refuse(now: Path) -> None:
        asked.append(now.name)
        if len(asked) == 2:
            raise ExportError("it is somebody's")

    with pytest.raises(ExportError, match=r"^it is somebody's; what was written is in .*/out-1$"):
        fill(place, folder=True, check=refuse)
    assert asked == ["out", "out.ncpgui-old"]
    assert (place / "a").read_text() == "old"


def test_an_old_folder_that_a_kill_left_is_put_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    old = tmp_path / "out.ncpgui-old"
    old.mkdir()
    (old / "a").write_text("old")
    with pytest.raises(RuntimeError):
        fill(tmp_path / "out", folder=True, meanwhile=stop)
    assert (tmp_path / "out" / "a").read_text() == "old"
    assert "was left by a program that was killed while it replaced it" in caplog.text
    assert not old.exists()


def test_files_that_belong_together_wait_under_names_that_fit(tmp_path: Path) -> None:
    """The hidden name of one of 243 bytes has 255; that of a longer one is shortened."""
    short, long = tmp_path / ("a" * 243), tmp_path / ("a" * 244)
    waiting = tmp_path / f".{short.name}.ncpgui-new"
    assert len(waiting.name) == 255
    waiting.write_text("new")
    finish_files([short])
    assert short.read_text() == "new"
    with replaced_files([long, tmp_path / ("a" * 255)]) as new:
        for path in new:
            path.write_text(path.name)
    assert sorted(len(item.name) for item in tmp_path.iterdir()) == [243, 244, 255]


def test_what_was_not_decided_goes_away_and_the_rest_stays(tmp_path: Path) -> None:
    first, last = tmp_path / "a", tmp_path / "b"
    (tmp_path / ".a.ncpgui-new").write_text("new")
    finish_files([first, last])
    assert list(tmp_path.iterdir()) == []
    (tmp_path / ".b.ncpgui-new").write_text("new")
    finish_files([first, last])
    assert [item.name for item in tmp_path.iterdir()] == ["b"]
