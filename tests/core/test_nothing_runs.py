"""While a file is opened nothing runs, on the threads that open it; nothing else is touched."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import ctypes.util
import dataclasses
import importlib
import multiprocessing
import os
import pickle
import runpy
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.nothing_runs import nothing_runs

pytestmark = pytest.mark.timeout(60)

PICKLED = pickle.dumps(os.getcwd)
RUNS: dict[str, Callable[[], object]] = {
    "subprocess": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
    "shell": lambda: os.system("true"),
    "os.popen": lambda: os.popen("true").close(),
    "posix_spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "spawnv": lambda: os.spawnv(os.P_WAIT, "/bin/true", ["true"]),
    "exec": lambda: os.execv("/nowhere", ["x"]),
    "fork": os.fork,
    "pool": lambda: multiprocessing.get_context("fork").Pool(1),
    "pickle": lambda: pickle.loads(PICKLED),
    "old pickle": lambda: pickle._loads(PICKLED),
    "socket": lambda: socket.create_connection(("127.0.0.1", 1)),
    "name of a machine": lambda: socket.getaddrinfo("localhost", 1),
    "address": lambda: urllib.request.urlopen("http://127.0.0.1:1/"),
    "text": lambda: exec("x = 1"),
    "value": lambda: eval("1 + 1"),
}


@pytest.mark.parametrize("run", RUNS)
def test_it_is_refused_even_if_somebody_catches_the_error(run: str) -> None:
    with (
        pytest.raises(RecordingError, match=r"^opening a.nwb would [a-z ,]+ .*and is refused; ask them$"),
        nothing_runs("a.nwb", way_out="ask them"),
        contextlib.suppress(Exception),
    ):
        RUNS[run]()


@pytest.mark.parametrize("run", RUNS)
def test_it_is_refused_to_threads_that_are_started_meanwhile(run: str) -> None:
    def quietly() -> None:
        with contextlib.suppress(Exception):
            RUNS[run]()

    with pytest.raises(RecordingError, match="would"), nothing_runs("a.nwb"):  # noqa: SIM117
        with ThreadPoolExecutor(1) as pool:
            pool.submit(quietly).result()


def test_the_error_of_a_reader_gives_way_to_what_was_refused() -> None:
    def read() -> None:
        try:
            os.system("true")
        except RecordingError:
            raise ValueError("no such format") from None

    with pytest.raises(RecordingError, match=r"start a program \('true'\)") as caught, nothing_runs("a"):
        read()
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(ValueError, match="no such format"), nothing_runs("a"):
        raise ValueError("no such format")


def test_other_threads_and_what_comes_after_do_as_they_like(tmp_path: Path) -> None:
    opened, done = threading.Event(), threading.Event()
    problems: list[BaseException] = []

    def work() -> None:
        opened.wait(10)
        try:
            assert os.system("true") == 0
            assert pickle.loads(PICKLED) is os.getcwd
        except BaseException as error:
            problems.append(error)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    with nothing_runs("a"):
        opened.set()
        assert done.wait(10)
    thread.join()
    assert problems == []
    assert os.system("true") == 0
    exec("x = 1")
    later = threading.Thread(target=lambda: Path.mkdir(tmp_path / "later"))
    later.start()
    later.join()
    assert (tmp_path / "later").exists()


def test_an_opening_inside_another_leaves_the_outer_one_on_guard() -> None:
    def inner() -> None:
        with nothing_runs("inner"):
            os.system("true")

    def outer() -> None:
        with pytest.raises(RecordingError, match="opening inner would"):
            inner()
        os.system("true")

    with pytest.raises(InputError, match="opening outer would"), nothing_runs("outer", error=InputError):
        outer()


def test_what_is_installed_may_be_imported_and_makes_its_classes() -> None:
    """Named tuples and data classes are made of text; modules are code that runs."""
    with nothing_runs("a"):
        assert collections.namedtuple("Place", "x y")(1, 2).y == 2
        assert dataclasses.make_dataclass("Size", ["n"])(3).n == 3
        for name in ("this_is_not_there", "wave"):
            sys.modules.pop(name, None)
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    assert "wave" in sys.modules


def test_an_installed_module_may_start_a_program_while_it_is_imported_and_one_of_python_may_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no environment is in use, packages lie in a folder below the library of Python."""
    monkeypatch.setattr("ncpgui.core.nothing_runs._OF_PYTHON", (str(tmp_path),))
    text = "import os\nos.system('true')\n"
    for folder, name in (("site-packages", "installed_of_mine"), ("lib", "library_of_mine")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(str(tmp_path / folder))
    with nothing_runs("a"):
        importlib.import_module("installed_of_mine")
    with pytest.raises(RecordingError, match="start a program"), nothing_runs("a"):
        importlib.import_module("library_of_mine")


def test_a_module_of_the_working_folder_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``python -m`` puts that folder where modules are looked for."""
    (tmp_path / "pyedflib_of_mine.py").write_text(f"import os\nos.mkdir({str(tmp_path / 'was run')!r})\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(RecordingError, match="run text as a program"), nothing_runs("a"):
        importlib.import_module("pyedflib_of_mine")
    with pytest.raises(RecordingError, match=r"run text as a program \('runpy'\)"), nothing_runs("a"):
        runpy.run_path(str(tmp_path / "pyedflib_of_mine.py"))
    assert not (tmp_path / "was run").exists()


def test_a_library_beside_a_file_is_not_loaded(tmp_path: Path) -> None:
    found = next((Path(sys.prefix) / "lib").rglob("*.so"), None) or Path(ctypes.__file__)
    shutil.copy(found, tmp_path / "evil.so")
    with (
        pytest.raises(RecordingError, match=r"load a library of programs \('.*evil.so'\)"),
        nothing_runs("a"),
    ):
        ctypes.CDLL(str(tmp_path / "evil.so"))
    with nothing_runs("a"):
        ctypes.CDLL(None)


def test_the_message_is_one_line_of_plain_text() -> None:
    with pytest.raises(RecordingError) as caught, nothing_runs("a"):
        os.system("true\n\x1b[31m" + "x" * 1000)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400
