"""Settings of every test: no display, no network, few threads, files in the temporary folder only."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_FONT_DPI", "96")  # the offscreen screen says 100, a scale of 104 %
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import gc
import importlib
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.only_this_machine import ATTEMPTS, forbid_the_network

forbid_the_network()
gc.set_threshold(200_000, 20, 20)  # a tenth of all time was spent on looking for garbage among what stays

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job; children would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]
LOCUST = ("shared/data/locust", "../shared/data/locust")


@pytest.fixture(autouse=True, scope="session")
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Settings, caches and logs of the application go to a folder of this test run."""
    home = tmp_path_factory.mktemp("home")
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    patch.setenv("XDG_STATE_HOME", str(home / "state"))
    patch.setenv("XDG_DATA_HOME", str(home / "data"))


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk() -> None:
    """Files of a test need not survive that the power goes; a session is flushed a dozen times, 3 ms each."""
    pytest.MonkeyPatch().setattr(os, "fsync", lambda _: None)


@pytest.fixture(autouse=True, scope="session")
def network_attempts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File to which each attempt to reach beyond this machine is written, also by programs of the tests."""
    path = tmp_path_factory.mktemp("network") / "attempts.txt"
    path.touch()
    patch = pytest.MonkeyPatch()
    patch.setenv(ATTEMPTS, str(path))
    patch.setenv("PYTHONPATH", str(ROOT / "tests" / "no_network"), prepend=os.pathsep)
    return path


@pytest.fixture(autouse=True)
def _nothing_reaches_for_the_network(network_attempts: Path) -> Iterator[None]:
    n_before = network_attempts.stat().st_size
    yield
    with network_attempts.open(encoding="utf-8") as file:
        file.seek(n_before)
        told = file.read()
    assert not told, f"the network was reached for: {told}"


@pytest.fixture(scope="session")
def locust_recording() -> Path:
    """The real tetrode recording; tests that need it are marked shared_data and skip without it."""
    named = os.environ.get("NCPGUI_SHARED_DATA")
    folders = [Path(named) / "locust"] if named else [ROOT / place for place in LOCUST]
    for folder in folders:
        if (folder / "locust_trial_01.raw").is_file():
            return folder / "locust_trial_01.raw"
    pytest.skip("the real tetrode recording is not beside the checkout (set NCPGUI_SHARED_DATA)")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Mount a file system of so many KiB; the test is skipped where that cannot be done."""
    mounted: list[Path] = []

    def mount(kib: int) -> Path:
        place = tmp_path / f"disk{len(mounted)}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(place)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            pytest.skip("a small file system cannot be mounted here: there is no mount command")
        if done.returncode != 0:
            pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
        mounted.append(place)
        return place

    yield mount
    for place in mounted:
        subprocess.run(["umount", "-l", str(place)], check=True)


_MEASURED = pytest.StashKey[list[str]]()


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Report a figure at the end of the test run; figures are looked at, never asserted."""
    return request.config.stash.setdefault(_MEASURED, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what `measured` was told."""
    if lines := config.stash.get(_MEASURED, []):
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.line(line)


def pytest_sessionstart(session: pytest.Session) -> None:
    """The second of several processes imports the test files that are asked for from the last to the first.

    Each process imports all of them. On a fresh checkout, where none is compiled, two that begin at the same
    end compile each file twice.
    """
    if os.environ.get("PYTEST_XDIST_WORKER") != "gw1":
        return
    asked = [Path(name.partition("::")[0]).resolve() for name in session.config.args]
    files = {file for path in asked for file in (path.rglob("test_*.py") if path.is_dir() else [path])}
    for file in sorted(files, reverse=True):
        with suppress(Exception, pytest.skip.Exception):  # it is told when the file is collected
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: garbage is not looked for in it."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip `gpu` tests where torch finds none."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    import torch

    if not torch.cuda.is_available():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="needs a CUDA GPU"))
