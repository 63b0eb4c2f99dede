"""Probes by name ("tetrode", "hex49", "linear-16-25") or from files (JSON, .prb, CSV)."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import shown
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.home import expanded
from ncpgui.core.nearest import nearest
from ncpgui.core.probe import Probe
from ncpgui.ephys.probe_files import of_probeinterface, probe_of_file
from ncpgui.ephys.wired_probe import WiredProbe

TETRODE_PITCH_UM = 50.0
HEXAGON_PITCH_UM = 40.0
LINEAR_PITCH_UM = 25.0
KINDS = ("tetrode", "hex", "linear", "single")
NAMES = "tetrode[-PITCH], hexN[-PITCH], linear-N[-PITCH], single"

_NUMBER = r"(\d+(?:\.\d+)?)"


def load_probe(probe: str | Path | Probe | dict[str, Any], *, n_channels: int | None = None) -> Probe:
    """Return a probe from what a user or a session gives; see `load_wired_probe`.

    n_channels : of the recording, checked when given
    """
    wired = load_wired_probe(probe)
    if n_channels is not None and wired.probe.n_channels != n_channels:
        WiredProbe(wired.probe).columns_of(n_channels)
    return wired.probe


def load_wired_probe(probe: str | Path | Probe | dict[str, Any]) -> WiredProbe:
    """Return a probe from what a user or a session gives, and the channels that its contacts are.

    Parameters
    ----------
    probe : a Probe, one of probeinterface, a built-in name (`NAMES`), a path to a file (`probe_files`), or
        the dictionary of `describe_probe`

    Raises
    ------
    InputError
        An unknown name.
    RecordingError
        A file that cannot be read as a probe.
    """
    if isinstance(probe, Probe):
        return WiredProbe(probe)
    if isinstance(probe, dict):
        if "positions_um" not in probe:
            raise InputError("a dictionary that describes a probe needs positions_um, (n_channels, 2) in µm")
        return WiredProbe(Probe(probe["positions_um"], probe.get("shank")))
    if hasattr(probe, "contact_positions"):  # of probeinterface
        return of_probeinterface([probe])
    if hasattr(probe, "probes"):  # a ProbeGroup
        return of_probeinterface(list(probe.probes))
    if not isinstance(probe, (str, Path)):
        raise InputError(
            f"a probe is a Probe, a Probe or ProbeGroup of probeinterface, a file, or one of {NAMES}, got "
            f"{shown(probe)}"
        )
    named = named_probe(str(probe))
    return _of_file(Path(probe)) if named is None else WiredProbe(named)


def describe_probe(probe: str | Path | Probe | dict[str, Any]) -> str | dict[str, Any]:
    """Return `probe` as a plain value that `load_probe` reads back; paths are made absolute."""
    if isinstance(probe, dict):
        return probe
    if isinstance(probe, Probe):
        assert probe.shank is not None
        return {"positions_um": probe.positions_um.tolist(), "shank": probe.shank.tolist()}
    if not isinstance(probe, (str, Path)):
        return describe_probe(load_probe(probe))
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
    n = int(text) if len(text) < 20 else 0
    if not 1 <= n <= 100_000:
        raise InputError(f"a probe has between 1 and 100000 contacts, got {text[:40]}")
    return n


def _of_file(path: Path) -> WiredProbe:
    try:
        path = expanded(path)
        there = path.is_file()
    except (OSError, RuntimeError):
        there = False
    if not there:
        raise RecordingError(
            f"no probe called '{path}': neither a file nor one of {NAMES}{_meant(str(path))}"
        )
    return probe_of_file(path)


def _meant(name: str) -> str:
    """The built-in probe that may be meant by a name, with its numbers, as `did_you_mean` says it."""
    kind, between, numbers = re.fullmatch(r"([^\W\d]*)([-_ ]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    near = nearest(kind, KINDS)
    for whole in (f"{near}{'-' if between else ''}{numbers}", f"{near}-{numbers}", near):
        try:
            if near and named_probe(whole) is not None:
                return f"; did you mean '{whole}'?"
        except InputError:
            continue
    return ""
