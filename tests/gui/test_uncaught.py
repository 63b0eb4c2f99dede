"""What nobody caught reaches the window's thread, whichever thread it was on."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from PyQt5 import QtCore

from ncpgui.gui.uncaught import Uncaught


class Shown:
    """The errors that were shown, and the threads that showed them."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.threads: set[threading.Thread] = set()

    def __call__(self, error: Exception) -> None:
        self.words.append(str(error))
        self.threads.add(threading.current_thread())


@pytest.fixture
def shown(qapp) -> Iterator[Shown]:
    """Hooks that tell `Shown`, installed."""
    result = Shown()
    uncaught = Uncaught(result)
    uncaught.install()
    yield result
    uncaught.restore()


def on_a_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def raising() -> None:
    raise ValueError("on a thread")


def freed_with_an_error() -> None:
    class Freed:
        def __del__(self) -> None:
            raise ValueError("freed")

    Freed()


def handed_to_the_hook() -> None:
    """What compiled modules do with an error while they free an object."""
    try:
        raising()
    except ValueError as error:
        sys.excepthook(ValueError, error, error.__traceback__)


def test_an_error_of_a_thread_is_shown_on_the_window_s_thread(qtbot, shown: Shown) -> None:
    on_a_thread(raising)
    assert shown.words == []  # not before Qt comes to it
    qtbot.waitUntil(lambda: shown.words == ["on a thread"])
    assert shown.threads == {threading.main_thread()}


def test_an_error_in_a_slot_is_shown(qtbot, shown: Shown) -> None:
    QtCore.QTimer.singleShot(0, raising)
    qtbot.waitUntil(lambda: shown.words == ["on a thread"])


@pytest.mark.parametrize("work", [freed_with_an_error, handed_to_the_hook])
def test_what_goes_wrong_while_something_is_freed_is_logged_and_not_shown(
    qtbot, shown: Shown, caplog: pytest.LogCaptureFixture, work: Callable[[], None]
) -> None:
    with caplog.at_level(logging.ERROR):
        on_a_thread(work)
        assert caplog.records == []
        qtbot.waitUntil(lambda: len(caplog.records) == 1)
    assert "ValueError: " in caplog.text
    assert "Traceback" in caplog.text
    assert shown.words == []


def test_a_thread_may_end_itself(qtbot, shown: Shown, caplog: pytest.LogCaptureFixture) -> None:
    on_a_thread(sys.exit)
    on_a_thread(raising)
    qtbot.waitUntil(lambda: shown.words == ["on a thread"])
    assert len(caplog.records) == 1


def test_the_hooks_are_given_back(qapp) -> None:
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    uncaught = Uncaught(lambda _error: None)
    uncaught.install()
    assert not set(hooks) & {sys.excepthook, threading.excepthook, sys.unraisablehook}
    uncaught.restore()
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == hooks
