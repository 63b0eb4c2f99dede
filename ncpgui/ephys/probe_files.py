"""Probes in files: JSON of probeinterface and of Kilosort, ``.prb`` of klusta and SpyKING CIRCUS, tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ncpgui.core.csv_text import plain, read_table
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.json_text import parse_json
from ncpgui.core.nothing_runs import nothing_runs
from ncpgui.core.regular_files import regular
from ncpgui.ephys.literals import read_literals
from ncpgui.ephys.reasons import reason
from ncpgui.ephys.wired_probe import WiredProbe, micrometres, wired_probe

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
_WANTED = (
    "expected JSON of probeinterface or Kilosort, .prb with channel_groups, or CSV with columns x,y in um"
)
_CHANNEL = ("channel", "channels", "channel_index", "device_channel_index", "device_channel_indices")
_SHANK, _SIDE = ("shank", "shanks", "shank_id", "shank_ids"), ("side", "contact_side", "contact_sides")
_KNOWN = ("x", "y", "z", "x_um", "y_um", "x_mm", "y_mm", *_CHANNEL, *_SHANK, *_SIDE)


def probe_of_file(path: Path) -> WiredProbe:
    """Read a probe from a file, by its ending.

    Raises
    ------
    RecordingError
        It is none, or says too little.
    """
    readers = {".json": _of_json, ".prb": _of_prb, ".csv": _of_table, ".txt": _of_table, ".tsv": _of_table}
    reader: Callable[[Path], WiredProbe] | None = readers.get(path.suffix.lower())
    if reader is None:
        matlab = "; of Kilosort's channel map, give the JSON" if path.suffix.lower() == ".mat" else ""
        raise RecordingError(
            f"probe file {path} has the unknown ending '{path.suffix}'; "
            f"use .json (probeinterface, Kilosort), .prb or .csv{matlab}"
        )
    try:
        with nothing_runs(path, way_out="give the probe as probeinterface JSON, or as CSV"):
            return reader(regular(path))
    except RecordingError:
        raise
    except InputError as error:
        raise RecordingError(f"probe file {path}: {error}") from error
    except UNREADABLE as error:
        raise RecordingError(
            f"probe file {path} cannot be read as a probe ({reason(error)}); {_WANTED}"
        ) from error


def of_probeinterface(probes: Sequence[Any]) -> WiredProbe:
    """Probe of probes of probeinterface: of several, with sides and shanks apart.

    Raises
    ------
    InputError
        Their places or wirings do not fit.
    """
    if not probes:
        raise InputError("there is no probe in it")
    dimensions = {np.asarray(probe.contact_positions).shape[1] for probe in probes}
    places: list[Any] = []
    shanks: list[Any] = []
    channels: list[Any] = []
    for number, probe in enumerate(probes):
        found = np.asarray(probe.contact_positions, dtype=np.float64)
        if len(dimensions) > 1:  # flat probes beside others
            found = np.column_stack([found, np.zeros((len(found), 3 - found.shape[1]))])
        places.append(found * micrometres(str(probe.si_units)))
        n = len(found)
        ids = [""] * n if probe.shank_ids is None else probe.shank_ids
        sides = [""] * n if probe.contact_sides is None else probe.contact_sides
        shanks += [f"{number} {shank} {side}" for shank, side in zip(ids, sides, strict=True)]
        wired = probe.device_channel_indices
        channels.append(None if wired is None else np.asarray(wired))
    without = [number for number, wired in enumerate(channels) if wired is None]
    if without and len(without) < len(channels):
        raise InputError(
            f"probe {without[0]} of {len(channels)} has no device_channel_indices; give those of all"
        )
    return wired_probe(
        np.concatenate(places), shanks=shanks, channels=None if without else np.concatenate(channels)
    )


def _of_json(path: Path) -> WiredProbe:
    value = parse_json(path.read_text(encoding="utf-8-sig"))
    if isinstance(value, dict) and {"xc", "yc"} <= set(value):
        return _of_kilosort(value)
    if not isinstance(value, dict) or "probes" not in value:
        raise InputError(
            "it is JSON of no probe: that of probeinterface has 'probes', that of Kilosort has 'chanMap', "
            "'xc' and 'yc'"
        )
    from probeinterface import Probe

    return of_probeinterface([Probe.from_dict(probe) for probe in value["probes"]])


def _of_kilosort(value: dict[str, Any]) -> WiredProbe:
    """A probe of Kilosort: ``chanMap`` from 0, places in µm, shanks ``kcoords``, columns ``n_chan``."""
    shanks = value.get("kcoords")
    places = [np.asarray(value[axis], dtype=np.float64).reshape(-1) for axis in ("xc", "yc")]
    if len(places[0]) != len(places[1]):
        raise InputError(f"xc has {len(places[0])} contacts, yc {len(places[1])}")
    if shanks is not None:
        shanks = [int(shank) for shank in np.asarray(shanks, dtype=np.float64).reshape(-1)]
    n_columns = value.get("n_chan")
    return wired_probe(
        np.column_stack(places),
        shanks=shanks,
        channels=value.get("chanMap"),
        n_columns=n_columns if isinstance(n_columns, int) and n_columns > 0 else None,
    )


def _of_prb(path: Path) -> WiredProbe:
    values = read_literals(path, whole="channel_groups")
    groups = values.get("channel_groups")
    if not isinstance(groups, dict) or not groups:
        raise InputError(
            "it does not assign 'channel_groups' as plain values; write it as a literal dictionary, or give "
            "the probe as JSON or CSV"
        )
    places: list[list[float]] = []
    channels: list[int] = []
    shanks: list[int] = []
    for shank, (name, group) in enumerate(groups.items()):
        if not isinstance(group, dict) or not {"channels", "geometry"} <= set(group):
            raise InputError(f"group {name!r} of channel_groups has no 'channels' or no 'geometry'")
        geometry = group["geometry"]
        for position, channel in enumerate(group["channels"]):
            key = channel if isinstance(geometry, dict) else position
            if (isinstance(geometry, dict) and key not in geometry) or (
                not isinstance(geometry, dict) and key >= len(geometry)
            ):
                raise InputError(f"channel {channel} of group {name!r} has no place in 'geometry'")
            places.append([float(value) for value in geometry[key]])
            channels.append(channel)
            shanks.append(shank)
    if len({len(place) for place in places}) > 1:
        raise InputError("some contacts have places in two dimensions, others in three")
    below = [channel for channel in channels if channel < 0]
    if below:
        raise InputError(f"channel {below[0]} does not exist; channels count from 0")
    n_columns = values.get("total_nb_channels")
    return wired_probe(
        places,
        shanks=shanks,
        channels=channels,
        n_columns=n_columns if isinstance(n_columns, int) and n_columns > 0 else None,
    )


def _of_table(path: Path) -> WiredProbe:
    rows = read_table(path.read_bytes(), known=_KNOWN).rows
    if not rows:
        raise InputError("it is empty; write a header 'x,y' and a line a contact, in um")
    columns, unit = _columns(rows[0])
    if not columns:
        width = {len(row) for row in rows}
        if width != {2}:
            raise InputError(
                f"its rows have {max(width)} cells and no header says what they are; write one, such as "
                "'x,y', 'x,y,z', 'x,y,shank' or 'channel,x,y'"
            )
        columns, body = {"x": 0, "y": 1}, rows
    else:
        body = rows[1:]
    short = next((i for i, row in enumerate(body) if len(row) <= max(columns.values())), None)
    if short is not None:
        raise InputError(f"row {short + 1} has {len(body[short])} cells, too few for its header")
    axes = [columns[axis] for axis in ("x", "y", "z") if axis in columns]
    places = [[_number(row[column], "place") for column in axes] for row in body]
    channels = [_number(row[columns["channel"]], "channel") for row in body] if "channel" in columns else None
    return wired_probe(places, shanks=_shanks(body, columns), channels=channels, unit=unit)


def _columns(header: Sequence[str]) -> tuple[dict[str, int], str]:
    """Columns of a header by what they are, empty where it is none, and the unit of the places.

    ``x``, ``x_um``, ``x (mm)``: the unit is behind the name, um where there is none.
    """
    columns: dict[str, int] = {}
    units: dict[str, str] = {}
    for place, cell in enumerate(header):
        name = plain(cell)
        for kind, names in (("channel", _CHANNEL), ("shank", _SHANK), ("side", _SIDE)):
            if name in names:
                columns.setdefault(kind, place)
        found = re.fullmatch(r"([xyz])(?:_?[\[(]?_?([a-z\u00b5\u03bc]+)[\])]?)?", name)
        if found is not None:
            columns.setdefault(found[1], place)
            units[found[1]] = found[2] or "um"
    if not columns:
        return {}, "um"
    if not {"x", "y"} <= set(columns):
        raise InputError(f"its header has no columns x and y (it has {', '.join(header)})")
    if len(set(units.values())) > 1:
        raise InputError(f"its columns are in several units ({', '.join(units.values())}); use one")
    return columns, next(iter(units.values()))


def _shanks(body: Sequence[Sequence[str]], columns: dict[str, int]) -> list[Any] | None:
    """What tells shanks and sides apart; numbers of shanks are kept where there are no sides."""
    if "shank" not in columns and "side" not in columns:
        return None
    shanks = [row[columns["shank"]].strip() if "shank" in columns else "" for row in body]
    if "side" in columns:
        return [
            f"{shank} {row[columns['side']].strip().lower()}" for shank, row in zip(shanks, body, strict=True)
        ]
    try:
        numbers = [float(shank) for shank in shanks]
    except ValueError:
        return shanks
    bad = next((number for number in numbers if not abs(number) < 1e9), None)
    if bad is not None:
        raise InputError(f"shank {bad} is not a number of a shank")
    return [int(number) for number in numbers]


def _number(cell: str, what: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(
            f"'{cell.strip()}' is not a {what}; write numbers, with a point for decimals"
        ) from None
