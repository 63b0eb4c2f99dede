"""Names that Windows refuses are refused there before work begins, and nowhere else."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from ncpgui.cli import options
from ncpgui.core import names
from ncpgui.core.errors import ExportError
from ncpgui.core.names import refused_name


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("con.h5", "Windows takes con.h5 for a device; give another name"),
        ("Lpt1.tar.gz", "Windows takes Lpt1.tar.gz for a device; give another name"),
        ("day 1: left.h5", "Windows takes no ':' in a name (day 1: left.h5); give another name"),
        ("what?.h5", "Windows takes no '?' in a name (what?.h5); give another name"),
        ("a\tb.h5", "Windows takes no '\\t' in a name (a\tb.h5); give another name"),
        ("out.", "Windows drops the dots and spaces at the end of a name ('out.'); give another name"),
        ("nul/day.h5", "Windows takes nul for a device; give another name"),
    ],
)
def test_a_name_that_windows_does_not_take_is_refused_there_with_the_reason(path: str, said: str) -> None:
    assert refused_name(path, system="nt") == said
    assert refused_name(path, system="posix") == ""


@pytest.mark.parametrize(
    "path", ["console.h5", "com10.h5", "../day.h5", "./day 1.h5", "Übung → 2.h5", ".hidden"]
)
def test_all_other_names_are_taken(path: str) -> None:
    assert refused_name(path, system="nt") == ""


def test_the_colon_of_a_drive_is_no_part_of_a_name() -> None:
    assert refused_name(PureWindowsPath(r"C:\data\day.h5"), system="nt") == ""
    assert refused_name(PurePosixPath("/data/day.h5"), system="nt") == ""


def test_a_command_refuses_such_an_output_before_work_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names.refused_name, "__kwdefaults__", {"system": "nt"})
    with pytest.raises(ExportError, match=r"^cannot write aux.h5: Windows takes aux.h5 for a device"):
        options.check_name(Path("aux.h5"))
