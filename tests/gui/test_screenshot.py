"""A picture of the window without a display: of the size and look that were asked for, or an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt5 import QtGui

from ncpgui.core.errors import SessionError
from ncpgui.gui.screenshot import save_screenshot
from ncpgui.session.store import save
from tests.tiny_project import tiny_project


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_the_size_and_look_that_were_asked_for(qtbot, tmp_path: Path, dark: bool) -> None:
    save(tiny_project({0: [[0] * 4 + [1] * 4, [0] * 8]}, masses={0: [0.6, 0.4]}), tmp_path / "s.h5")
    save_screenshot(tmp_path / "s.h5", tmp_path / "s.png", size=(1100, 720), dark=dark)
    picture = QtGui.QImage(str(tmp_path / "s.png"))
    assert (picture.width(), picture.height()) == (1100, 720)
    assert (picture.pixelColor(3, 3).lightness() < 128) == dark


def test_a_session_that_cannot_be_opened_is_said_and_there_is_no_picture(qtbot, tmp_path: Path) -> None:
    (tmp_path / "s.h5").write_bytes(b"no session")
    with pytest.raises(SessionError):
        save_screenshot(tmp_path / "s.h5", tmp_path / "s.png")
    assert not (tmp_path / "s.png").exists()
