"""Programs of tests in processes of their own, forked from one that has imported already what they need.

A new interpreter that sorts spends four seconds on imports. `run_forked` starts one interpreter for all tests
of a run; it imports what programs ask for and forks for each of them. What such a process does, prints,
leaves on the disk and ends with is that of a fresh one. Tests of how the program starts, of what it imports
and of options of the interpreter itself need a fresh one.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "from ncpgui.__main__ import main\nmain()\n"
"""The program that `python -m ncpgui` is."""
KILLED_AT_RENAME = """
import os, signal, sys
from pathlib import Path

rename, n_until = Path.replace, [int(sys.argv.pop())]

def die(self, target):
    n_until[0] -= 1
    if n_until[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(self, target)

Path.replace = die
"""
"""Beginning of a program that is killed at a rename; its last argument says how many come before."""

IMPORTS = {
    "engine": ("ncpgui.engine.waveform_clustering", "ncpgui.engine.networks.checkpoint"),
    "sorting": (
        "scipy.signal", "scipy.interpolate", "scipy.ndimage", "h5py",
        "ncpgui.sorting.pipeline", "ncpgui.ephys.readers", "ncpgui.engine.waveform_clustering",
        "ncpgui.engine.networks.checkpoint", "spikeinterface.preprocessing", "spikeinterface.generation",
        "spikeinterface.sortingcomponents.peak_detection",
    ),
    "training": ("ncpgui.engine.training.loop", "ncpgui.engine.training.presets", "torch._dynamo"),
    "export": (
        "ncpgui.export.whole_project", "ncpgui.session.decided", "scipy.signal",
        "spikeinterface.preprocessing",
    ),
    "session": ("ncpgui.session.session_file",),
    "window": (
        "ncpgui.cli.main", "ncpgui.gui.application", "ncpgui.gui.main_window", "ncpgui.session.session_file",
        "ncpgui.analysis.correlograms", "ncpgui.core.heaps",
    ),
}  # fmt: skip
"""Modules that programs of a kind are given; what else they need, they import themselves."""
SERVER = """
from tests.forked import next_program
exec(next_program())
"""
_MESSAGE_BYTES = 200_000


def run_forked(
    program: str,
    *arguments: object,
    needs: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    stdout: IO[bytes] | None = None,
    stderr: IO[bytes] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program as ``python -c PROGRAM ARGUMENTS`` does; return its end, and what it printed.

    needs : which of `IMPORTS` it has from the start; cwd, env : its folder and its environment, that of the
    test when left out; stdout, stderr : files to print to, in place of what is returned (POSIX). Standard
    input is empty. When the test is stopped meanwhile, so is the program. Where a process cannot fork
    (Windows), it is a fresh one.
    """
    if not hasattr(os, "fork"):
        command = [sys.executable, "-c", program, *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    request = {
        "program": program,
        "arguments": ["-c", *map(str, arguments)],
        "imports": IMPORTS[needs],
        "cwd": str(cwd),
        "env": dict(os.environ if env is None else env),
    }
    server = _server()
    ends = [_End(file) for file in (stdout, stderr)]
    socket.send_fds(server, [json.dumps(request).encode()], [end.file_descriptor for end in ends])
    for end in ends:
        end.begin()
    pid = int(server.recv(_MESSAGE_BYTES))
    try:
        code = int(server.recv(_MESSAGE_BYTES))
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        server.recv(_MESSAGE_BYTES)
        raise
    return subprocess.CompletedProcess([program], code, *(end.text() for end in ends))


class _End:
    """Where a process prints to: a file that is given, or a pipe that is read meanwhile."""

    def __init__(self, file: IO[bytes] | None) -> None:
        self._said = b""
        self._reader: Thread | None = None
        self._read_end = -1
        if file is not None:
            self.file_descriptor = file.fileno()
        else:
            self._read_end, self.file_descriptor = os.pipe()

    def begin(self) -> None:
        """Read what is printed, in the background."""
        if self._read_end < 0:
            return
        os.close(self.file_descriptor)
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        with os.fdopen(self._read_end, "rb") as pipe:
            self._said = pipe.read()

    def text(self) -> str:
        """All that was printed, of a process that ended."""
        if self._reader is not None:
            self._reader.join()
        return self._said.decode()


@cache
def _server() -> socket.socket:
    """A connection to the process that forks, which ends with this one."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(its.fileno())],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        pass_fds=[its.fileno()],
        stdin=subprocess.DEVNULL,
    )
    its.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def next_program() -> str:
    """Fork for each request, and return its program in the new process; end when nobody asks any more."""
    asked = socket.socket(fileno=int(sys.argv[1]))
    while True:
        message, files, *_ = socket.recv_fds(asked, _MESSAGE_BYTES, 2)
        if not message:
            os._exit(0)
        request = json.loads(message)
        for name in request["imports"]:
            import_module(name)
        pid = os.fork()
        if pid == 0:
            asked.close()
            for number, file in enumerate(files, start=1):
                os.dup2(file, number)
                os.close(file)
            sys.stdout = os.fdopen(1, "w", closefd=False)
            sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
            os.chdir(request["cwd"])
            os.environ.clear()
            os.environ.update(request["env"])
            sys.argv[:] = request["arguments"]
            return str(request["program"])
        for file in files:
            os.close(file)
        asked.send(str(pid).encode())
        asked.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())
