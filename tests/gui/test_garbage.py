"""Threads that compute destroy nothing of the window: garbage is collected on the window's thread."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Iterator

import pytest

from ncpgui.app.work.tasks import Task
from ncpgui.gui.garbage import MANY_MODULES, GarbageCollection
from ncpgui.gui.worker import Workers


class Cycle:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture(autouse=True)
def python_collects_as_often_as_it_does() -> Iterator[None]:
    """The test run has larger thresholds of its own."""
    own = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*own)


@pytest.fixture
def workers(qtbot) -> Iterator[Workers]:
    made = Workers()
    yield made
    made.stop(wait_s=10)


@pytest.fixture
def collectors() -> Iterator[list[int]]:
    """Threads on which garbage was collected."""
    found: list[int] = []

    def note(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            found.append(threading.get_ident())

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


def test_a_thread_that_makes_garbage_collects_none_and_the_window_does(workers, collectors, qtbot) -> None:
    here, kept = threading.get_ident(), []

    def work(_progress: object) -> int:
        kept.append(weakref.ref(Cycle()))
        for _ in range(200_000):
            Cycle()
        return threading.get_ident()

    done: list[int] = []
    workers.submit(Task("garbage", work, done.append, failed=lambda error: done.append(-1)))
    qtbot.waitUntil(lambda: bool(done), timeout=60_000)
    assert done[0] not in (here, -1)
    qtbot.waitUntil(lambda: here in collectors, timeout=60_000)
    assert set(collectors) == {here}
    gc.collect()
    assert kept[0]() is None


def test_python_collects_by_itself_again_when_the_threads_are_gone(qtbot) -> None:
    assert gc.isenabled()
    first, second = Workers(), Workers()
    assert not gc.isenabled()
    first.stop(wait_s=10)
    assert not gc.isenabled()
    second.stop(wait_s=10)
    second.stop(wait_s=10)
    assert gc.isenabled()


def test_only_what_is_due_is_collected(collectors) -> None:
    gc.collect()
    before = len(collectors)
    GarbageCollection.collect()
    assert len(collectors) == before


def test_what_was_there_before_the_threads_is_not_looked_through_until_they_end(qtbot) -> None:
    before, kept = Cycle(), []
    kept.append(weakref.ref(before))
    first, second = Workers(), Workers()
    del before
    gc.collect()
    assert kept[0]() is not None
    after = Cycle()
    kept.append(weakref.ref(after))
    del after
    first.stop(wait_s=10)
    gc.collect()
    assert kept[0]() is not None
    assert kept[1]() is None
    second.stop(wait_s=10)
    gc.collect()
    assert kept[0]() is None


@pytest.mark.parametrize(("n_loaded", "n_set_aside"), [(MANY_MODULES - 1, 0), (MANY_MODULES, 1)])
def test_what_is_there_once_many_modules_are_loaded_is_set_aside(
    workers, monkeypatch, n_loaded: int, n_set_aside: int
) -> None:
    frozen: list[int] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    monkeypatch.setattr(GarbageCollection, "_n_modules", len(sys.modules))
    for number in range(n_loaded):
        monkeypatch.setitem(sys.modules, f"loaded_{number}", gc)
    GarbageCollection.collect()
    GarbageCollection.collect()
    assert len(frozen) == n_set_aside
