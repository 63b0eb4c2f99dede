"""The sorters that ours is compared with, and where their environments lie."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from report import ROOT

OURS = ("ncpgui", "channels")
PEERS = ("mountainsort5", "spykingcircus2", "tridesclous2", "lupin", "kilosort4")


def peers_folder() -> Path:
    """Folder of the other sorters' environments: `NCPGUI_PEERS`, or .peers in the checkout."""
    return Path(os.environ.get("NCPGUI_PEERS", ROOT / ".peers"))


def without_environment(sorters: Iterable[str] = PEERS) -> list[str]:
    """Those of `sorters` that have no environment."""
    return [name for name in sorters if name not in OURS and not (peers_folder() / name / ".ready").is_file()]


def how_to_set_up(missing: Iterable[str]) -> str:
    """What to say of sorters that have no environment."""
    names = list(missing)
    have = "has" if len(names) == 1 else "have"
    return (
        f"{', '.join(names)} {have} no environment in {peers_folder()}: run "
        f"'bash scripts/set_up_peers.sh {' '.join(names)}'"
    )


def python_of(sorter: str) -> Path:
    """Python of the environment of a sorter; ours has the one that runs."""
    return Path(sys.executable) if sorter in OURS else peers_folder() / sorter / "bin" / "python"
