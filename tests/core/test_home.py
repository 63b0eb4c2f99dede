"""Where there is no home, or none that can be written, another folder of the user stands in for it."""

from __future__ import annotations

import os
import pwd
import stat
import tempfile
from pathlib import Path

import pytest

from ncpgui.core.home import _fallback, can_be_written, expanded, home, is_fallback, provide_home

VARIABLES = (
    "HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "NUMBA_CACHE_DIR",
)


def _unknown(*_: object) -> None:
    raise KeyError("uid not found")


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A user without variables or an entry in /etc/passwd, whose temporary folder is that of the test."""
    for name in (*VARIABLES, "USER", "LOGNAME", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", _unknown)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return monkeypatch


def test_without_a_home_there_is_one_among_the_temporary_folders(user, tmp_path: Path) -> None:
    assert home() is None
    provide_home()
    found = Path(os.environ["HOME"])
    assert found == home() == tmp_path / f"ncpgui-home-{os.getuid()}"
    assert is_fallback(found)
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    assert os.environ["USER"] == f"user-{os.getuid()}"
    assert "XDG_CACHE_HOME" not in os.environ, "caches are in that home"
    provide_home()
    assert Path(os.environ["HOME"]) == found, "the same in the next start: what was compiled is there"


@pytest.mark.parametrize("value", ["/proc/nothing", "/etc/passwd", "relative", "", "~"])
def test_a_home_that_is_no_folder_is_none(value: str, user, tmp_path: Path) -> None:
    user.setenv("HOME", value)
    user.setenv("XDG_CONFIG_HOME", "/proc/nothing/config")
    provide_home()
    assert is_fallback(Path(os.environ["HOME"])) or value == ""
    assert can_be_written(Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")))
    assert "XDG_CONFIG_HOME" not in os.environ or value == ""


def test_a_home_that_cannot_be_written_stays_and_caches_go_elsewhere(user, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / ".cache").write_text("a file where the folder should be")
    user.setenv("HOME", str(tmp_path / "mine"))
    provide_home()
    assert os.environ["HOME"] == str(tmp_path / "mine")
    assert Path(os.environ["XDG_CACHE_HOME"]) == tmp_path / f"ncpgui-home-{os.getuid()}" / ".cache"
    assert can_be_written(Path(os.environ["XDG_CACHE_HOME"]))


@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "NUMBA_CACHE_DIR"])
def test_a_folder_of_caches_that_cannot_be_written_is_forgotten(name: str, user, tmp_path: Path) -> None:
    user.setenv("HOME", str(tmp_path))
    user.setenv(name, "/proc/nothing")
    provide_home()
    assert name not in os.environ
    assert can_be_written(tmp_path / ".cache")


def test_what_serves_is_left_as_it_is(user, tmp_path: Path) -> None:
    user.setenv("HOME", str(tmp_path))
    user.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    user.setenv("NUMBA_CACHE_DIR", str(tmp_path / "compiled"))
    user.setenv("LOGNAME", "somebody")
    before = {name: os.environ.get(name) for name in (*VARIABLES, "USER", "LOGNAME")}
    provide_home()
    assert {name: os.environ.get(name) for name in before} == before
    assert not is_fallback(tmp_path)


@pytest.mark.parametrize("is_link", [False, True])
def test_a_folder_that_somebody_else_could_write_is_not_trusted(is_link: bool, user, tmp_path: Path) -> None:
    place = tmp_path / f"ncpgui-home-{os.getuid()}"
    if is_link:
        (tmp_path / "theirs").mkdir(mode=0o700)
        place.symlink_to(tmp_path / "theirs")
    else:
        place.mkdir()
        place.chmod(0o777)
    provide_home()
    found = Path(os.environ["HOME"])
    assert found != place
    assert found.parent == tmp_path
    assert is_fallback(found)
    assert stat.S_IMODE(found.stat().st_mode) == 0o700


def test_without_a_temporary_folder_either_nothing_is_changed(user) -> None:
    def none() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    user.setattr(tempfile, "gettempdir", none)
    provide_home()
    assert "HOME" not in os.environ


def test_a_tilde_is_the_home_or_a_letter_of_a_name(user, tmp_path: Path) -> None:
    assert expanded("~/x.raw") == Path("~/x.raw"), "there is no home yet"
    user.setenv("HOME", str(tmp_path))
    assert expanded("~/x.raw") == tmp_path / "x.raw"
    assert expanded("~old.raw") == Path("~old.raw"), "nobody is called old.raw"
    assert expanded(tmp_path / "~") == tmp_path / "~"


@pytest.mark.parametrize(("mode", "is_taken"), [(0o700, True), (0o740, False), (0o701, False), (0o500, True)])
def test_a_folder_that_stands_in_for_a_home_is_taken_again_where_nobody_else_can_enter_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, is_taken: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first = _fallback()
    assert first.parent == tmp_path
    first.chmod(mode)
    again = _fallback()
    assert (again == first) is is_taken
    assert again.parent == tmp_path
