"""Any time of the recording can be looked at, with phy's keys."""

from __future__ import annotations

import pytest

from ncpgui.app.words import sentence
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("12.5", ""),
        ("12,5 s", ""),
        ("soon", "'soon' is not a time; write seconds of the recording, such as 12.5"),
        ("1000", "1000 s is not in the recording, which lasts from 0 to 60 s"),
        ("nan", "nan s is not in the recording"),
    ],
)
def test_any_time_of_the_recording_can_be_looked_at(opened: MainWindow, monkeypatch, words, said) -> None:
    monkeypatch.setattr(opened, "ask_words", lambda *_: words)
    opened.actions_["go_to_time"].trigger()
    settle()
    shown = (
        sentence(opened.banner.text.text()) if opened.banner.isVisible() else opened.status.currentMessage()
    )
    if said:
        assert sentence(said) in shown
    else:
        assert opened.bench.traces.isVisible()
        assert opened.bench.traces.second == 12.5


def test_keys_of_the_traces_are_those_of_phy(opened: MainWindow) -> None:
    names = ("go_to_time", "traces_forth", "traces_back", "traces_narrow", "traces_widen", "traces_larger")
    keys = [opened.actions_[name].shortcuts()[0].toString() for name in names]
    assert keys == ["Alt+T", "Alt+Right", "Alt+Left", "Alt++", "Alt+-", "Ctrl+Alt+Up"]
