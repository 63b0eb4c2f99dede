"""Nothing in a test run reaches beyond this machine: Python is asked before each look-up and connection.

Attempts are refused, and written to the file that `ATTEMPTS` names, since a library may swallow the
refusal. Sockets of the machine itself (Dask's clusters, torchrun, X) are let through, and so is `connect` of
a datagram socket, which sends nothing: it is how Dask asks for the address of the machine. Programs that a
test starts with a PYTHONPATH of its own are not asked.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

ATTEMPTS = "NCPGUI_TEST_NETWORK_ATTEMPTS"
_HERE = {"", "localhost", "ip6-localhost", "localhost.localdomain"}


class NetworkUsed(OSError):
    """Something reached for the network."""


def forbid_the_network() -> None:
    """Refuse connections to other machines in this process from now on."""
    here = _HERE | {socket.gethostname().lower()}
    # Addresses of this machine under its own name; asked once, before looking names up is refused.
    with suppress(OSError):
        here |= {str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)}

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.getaddrinfo", "socket.gethostbyname"):
            _check(arguments[0], event, here)
        elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            opened, address = arguments
            is_asking = event == "socket.connect" and opened.type == socket.SOCK_DGRAM
            if isinstance(address, tuple) and not is_asking:
                _check(address[0], event, here)

    sys.addaudithook(hook)


def is_here(host: object, here: set[str] = _HERE) -> bool:
    """Whether a name or an address is of this machine, as far as can be told without asking anybody."""
    name = host.decode(errors="replace") if isinstance(host, (bytes, bytearray)) else str(host or "")
    if name.lower() in here:
        return True
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _check(host: object, event: str, here: set[str]) -> None:
    if is_here(host, here):
        return
    if path := os.environ.get(ATTEMPTS):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{event} {host!r} by {Path(sys.argv[0]).name if sys.argv else '?'}\n")
    raise NetworkUsed(f"{event} {host!r}: tests reach for nothing beyond this machine")
