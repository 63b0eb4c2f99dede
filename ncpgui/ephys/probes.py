"""Probes by name ("tetrode", "hex49", "linear-16-25") or from files (JSON, .prb, CSV)."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.csv_text import parse_csv
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.home import expanded
from ncpgui.core.json_text import parse_json
from ncpgui.core.probe import Probe
from ncpgui.ephys.literals import read_literals

TETRODE_PITCH_UM = 50.0
HEXAGON_PITCH_UM = 40.0
LINEAR_PITCH_UM = 25.0
NAMES = "tetrode[-PITCH], hexN[-PITCH], linear-N[-PITCH], single"

UNREADABLE = (
    OSError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)
"""What reading a damaged file raises; probeinterface asserts what it needs."""
_NUMBER = r"(\d+(?:\.\d+)?)"


def load_probe(probe: str | Path | Probe | dict[str, Any], *, n_channels: int | None = None) -> Probe:
    """Return a probe from what a user or a session gives.

    Parameters
    ----------
    probe : a Probe, a built-in name (`NAMES`), a path to a probeinterface JSON, a ``.prb`` or a CSV
        with columns x and y in µm, or the dictionary of `describe_probe`
    n_channels : of the recording, checked when given

    Raises
    ------
    InputError
        An unknown name, or a probe of another size than the recording.
    RecordingError
        A file that cannot be read as a probe.
    """
    if isinstance(probe, Probe):
        loaded = probe
    elif isinstance(probe, dict):
        shank = probe.get("shank")
        loaded = Probe(np.array(probe["positions_um"]), None if shank is None else np.array(shank))
    else:
        loaded = named_probe(str(probe)) or _from_file(Path(probe))
    if n_channels is not None and loaded.n_channels != n_channels:
        raise InputError(
            f"probe has {loaded.n_channels} contacts but the recording has {n_channels} channels; "
            f"pass a probe of {n_channels} contacts, or the right number of channels"
        )
    return loaded


def describe_probe(probe: str | Path | Probe | dict[str, Any]) -> str | dict[str, Any]:
    """Return `probe` as a plain value that `load_probe` reads back; paths are made absolute."""
    if isinstance(probe, dict):
        return probe
    if isinstance(probe, Probe):
        assert probe.shank is not None
        return {"positions_um": probe.positions_um.tolist(), "shank": probe.shank.tolist()}
    return str(probe) if named_probe(str(probe)) else str(expanded(probe).resolve())


def named_probe(name: str) -> Probe | None:
    """Return the built-in probe called `name`, or None when the name is not one."""
    if name == "single":
        return Probe(np.zeros((1, 2)))
    if match := re.fullmatch(rf"tetrode(?:-{_NUMBER})?", name):
        pitch = float(match[1] or TETRODE_PITCH_UM)
        return Probe(np.array([[0, 0], [pitch, 0], [0, pitch], [pitch, pitch]]))
    if match := re.fullmatch(rf"hex-?(\d+)(?:-{_NUMBER})?", name):
        return Probe(hexagonal_positions(_count(match[1]), float(match[2] or HEXAGON_PITCH_UM)))
    if match := re.fullmatch(rf"linear-?(\d+)(?:-{_NUMBER})?", name):
        n, pitch = _count(match[1]), float(match[2] or LINEAR_PITCH_UM)
        return Probe(np.column_stack([np.zeros(n), np.arange(n) * pitch]))
    return None


def hexagonal_positions(n_contacts: int, pitch_um: float) -> NDArray[np.float64]:
    """Rows of contacts at `pitch_um`, every other row shifted by half of it: (n_contacts, 2) µm.

    As square as the number allows: 49 contacts make 7 rows of 7.
    """
    per_row = max(1, round(math.sqrt(n_contacts)))
    index = np.arange(n_contacts)
    row, column = index // per_row, index % per_row
    x = (column + 0.5 * (row % 2)) * pitch_um
    return np.column_stack([x, row * pitch_um * math.sqrt(3) / 2])


def _count(text: str) -> int:
    n = int(text)
    if not 1 <= n <= 100_000:
        raise InputError(f"a probe has between 1 and 100000 contacts, got {n}")
    return n


def _from_file(path: Path) -> Probe:
    try:
        path = expanded(path)
        there = path.is_file()
    except (OSError, RuntimeError):
        there = False
    if not there:
        raise RecordingError(f"no probe called '{path}': neither a file nor one of {NAMES}")
    readers = {".json": _from_json, ".prb": _from_prb, ".csv": _from_csv, ".txt": _from_csv}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise RecordingError(
            f"probe file {path} has the unknown ending '{path.suffix}'; "
            "use .json (probeinterface), .prb or .csv"
        )
    try:
        return reader(path)
    except RecordingError:
        raise
    except InputError as error:
        raise RecordingError(f"probe file {path}: {error}") from error
    except UNREADABLE as error:
        raise RecordingError(
            f"probe file {path} cannot be read as a probe ({type(error).__name__}: {error}); "
            "expected probeinterface JSON, .prb with channel_groups, or CSV with columns x,y in µm"
        ) from error


def _from_json(path: Path) -> Probe:
    from probeinterface import read_probeinterface

    parse_json(path.read_text(encoding="utf-8"))
    return from_probeinterface(read_probeinterface(path).probes)


def from_probeinterface(probes: list[Any]) -> Probe:
    """Probe of the connected contacts of probeinterface probes, in the order of their channels."""
    positions, shanks, channels = [], [], []
    for number, probe in enumerate(probes):
        place = np.asarray(probe.contact_positions, dtype=np.float64)[:, :2]
        ids = [
            str(shank) for shank in (probe.shank_ids if probe.shank_ids is not None else [""] * len(place))
        ]
        wired = probe.device_channel_indices
        positions.append(place)
        shanks += [(number, shank) for shank in ids]
        channels.append(np.arange(len(place)) if wired is None else np.asarray(wired))
    names = {shank: i for i, shank in enumerate(sorted(set(shanks)))}
    place, channel = np.concatenate(positions), np.concatenate(channels)
    if len(probes) > 1 and len(np.unique(channel)) < len(channel):
        channel = np.arange(len(channel))
    keep = np.flatnonzero(channel >= 0)
    order = keep[np.argsort(channel[keep], kind="stable")]
    return Probe(place[order], np.array([names[shank] for shank in shanks])[order])


def _from_prb(path: Path) -> Probe:
    groups = read_literals(path).get("channel_groups")
    if not isinstance(groups, dict) or not groups:
        raise RecordingError(
            f"{path} does not assign 'channel_groups' as plain values; "
            "write it as a literal dictionary, or give the probe as JSON or CSV"
        )
    found: dict[int, tuple[float, float, int]] = {}
    for shank, group in enumerate(groups.values()):
        geometry = group["geometry"]
        for position, channel in enumerate(group["channels"]):
            x, y = geometry[channel] if isinstance(geometry, dict) else geometry[position]
            found[int(channel)] = (float(x), float(y), shank)
    rows = [found[channel] for channel in sorted(found)]
    return Probe(np.array([row[:2] for row in rows]), np.array([row[2] for row in rows]))


def _from_csv(path: Path) -> Probe:
    text = path.read_text(encoding="utf-8-sig").strip()
    rows = [[cell.strip() for cell in row] for row in parse_csv(text) if not row[0].startswith("#")]
    if not rows:
        raise RecordingError(f"probe file {path} is empty; write one line 'x,y' in µm a channel")
    header = [cell.lower().removesuffix("_um") for cell in rows[0]]
    columns = (header.index("x"), header.index("y")) if {"x", "y"} <= set(header) else (0, 1)
    body = rows[1:] if {"x", "y"} <= set(header) else rows
    shank = [int(float(row[header.index("shank")])) for row in body] if "shank" in header else None
    positions = np.array([[float(row[c]) for c in columns] for row in body])
    return Probe(positions, None if shank is None else np.array(shank))
