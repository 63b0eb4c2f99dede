"""A Dask cluster that cannot be used is refused before work begins."""

from __future__ import annotations

import sys

import pytest

from ncpgui import __version__
from ncpgui.core.errors import InputError, WorkerError
from ncpgui.sorting import dask_workers
from ncpgui.sorting.dask_workers import Dask

SKIP = "dask.distributed is not installed (extra dask)"


def test_without_dask_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"needs dask.distributed .*pip install distributed"):
        Dask("tcp://127.0.0.1:8786")


def test_an_address_where_nobody_answers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason=SKIP)
    monkeypatch.setattr(dask_workers, "CONNECT_S", 0.1)
    with pytest.raises(WorkerError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9 within 0.1 s"):
        Dask("tcp://127.0.0.1:9")


def test_what_is_no_address_is_named() -> None:
    pytest.importorskip("distributed", reason=SKIP)
    with pytest.raises(InputError, match="'nonsense://here' is not the address of a Dask scheduler"):
        Dask("nonsense://here")


class Answers:
    """A client whose workers say which version they have."""

    def __init__(self, *answers: object) -> None:
        self.answers = {f"tcp://worker{i}": answer for i, answer in enumerate(answers)}

    def get_executor(self) -> None:
        """What a client has."""

    def run(self, function: object, *, on_error: str) -> dict[str, object]:
        assert on_error == "return"
        return self.answers


@pytest.mark.parametrize(
    ("answer", "words"),
    [("0.0.1", "has 0.0.1"), (ModuleNotFoundError("No module named 'ncpgui'"), "has none .No module named")],
)
def test_a_worker_without_this_version_is_named(answer: object, words: str) -> None:
    with pytest.raises(WorkerError, match=f"as here, but tcp://worker1 {words}"):
        Dask(Answers(__version__, answer))


def test_workers_of_this_version_are_taken() -> None:
    assert Dask(Answers(__version__, __version__), n_workers=3).n_workers == 3
