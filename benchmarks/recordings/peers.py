"""The sorters that ours is compared with, where their environments lie, the options that choose them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.common.kept import add_cache
from benchmarks.common.report import ROOT

OURS = ("ncpgui", "matched")
PEERS = ("mountainsort5", "spykingcircus2", "tridesclous2", "lupin")
"""Those that run unless others are asked for. Kilosort4 wants a GPU."""
WINDOWS = ("phy", "spikeinterface-gui")
"""The windows that ours is compared with."""


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


def set_up_at(sorter: str) -> float:
    """When the environment of a sorter was set up, as the file system tells times; 0 where there is none."""
    ready = peers_folder() / sorter / ".ready"
    return ready.stat().st_mtime if ready.is_file() else 0.0


def asked_of(sorter: str) -> tuple[str, dict[str, Any]]:
    """Return the name of a sorter and its settings: "ncpgui:threshold_sd=4,reference=none" has two."""
    name, _, rest = sorter.partition(":")
    settings = {}
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        try:
            settings[key] = json.loads(value)
        except json.JSONDecodeError:
            settings[key] = value
    return name, settings


def add_sorters(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which sorters run, on which recordings, and what keeps both."""
    parser.add_argument(
        "--sorters", nargs="+", default=None, help="ours and names of SpikeInterface's  [ours and all peers]"
    )
    parser.add_argument("--development", action="store_true", help="recordings that settings are chosen on")
    add_cache(parser, "sorters", "recordings and sortings")


def parsed(parser: argparse.ArgumentParser, ours: Iterable[str] = ("ncpgui",)) -> argparse.Namespace:
    """Return the options, the sorters filled in; stops where one of them has no environment."""
    arguments = parser.parse_args()
    if arguments.sorters is None:
        arguments.sorters = ["ncpgui"] if arguments.quick else [*ours, *PEERS]
    missing = without_environment(asked_of(sorter)[0] for sorter in arguments.sorters)
    if missing:
        parser.error(f"{how_to_set_up(missing)}, or leave out with --sorters")
    return arguments
