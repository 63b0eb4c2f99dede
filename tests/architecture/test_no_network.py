"""No test reaches beyond this machine, nor does a program that a test starts: the guard itself."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.only_this_machine import is_here

ELSEWHERE = "192.0.2.1"  # an address that is kept for documentation (RFC 5737)


@pytest.fixture
def told(network_attempts: Path) -> list[str]:
    """What was written to the file of attempts; emptied, so that this test does not fail of it."""
    lines: list[str] = []
    n_before = network_attempts.stat().st_size

    def read() -> list[str]:
        with network_attempts.open("r+", encoding="utf-8") as file:
            file.seek(n_before)
            lines.extend(file.read().splitlines())
            file.truncate(n_before)
        return lines

    return read  # type: ignore[return-value]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1.2.3", "::1", "localhost", b"localhost", None, "0.0.0.0"]
)
def test_the_machine_itself_may_be_reached(host: object) -> None:
    assert is_here(host)


@pytest.mark.parametrize(
    "host", [ELSEWHERE, "pypi.org", "10.0.0.1", "::ffff:8.8.8.8", "localhost.example.org"]
)
def test_nothing_else_may(host: str) -> None:
    assert not is_here(host)


def test_a_connection_to_another_machine_is_refused_and_written_down(told) -> None:
    with socket.socket() as opened, pytest.raises(OSError, match="nothing beyond this machine"):
        opened.connect((ELSEWHERE, 80))
    with pytest.raises(OSError, match="nothing beyond this machine"):
        socket.getaddrinfo("example.org", 80)
    assert [line.split()[:2] for line in told()] == [
        ["socket.connect", repr(ELSEWHERE)],
        ["socket.getaddrinfo", "'example.org'"],
    ]


def test_a_connection_within_the_machine_is_made() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()[:2]).close()


def test_a_program_that_a_test_starts_is_refused_too(told) -> None:
    """Even where it swallows the refusal."""
    program = (
        "import socket\n"
        "try:\n"
        f"    socket.create_connection(({ELSEWHERE!r}, 80), timeout=1)\n"
        "except OSError:\n"
        "    print('swallowed')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "swallowed\n"
    assert len(told()) == 1


def test_the_shut_network_is_first_on_the_path_of_programs() -> None:
    assert os.environ["PYTHONPATH"].split(os.pathsep)[0].endswith("no_network")
