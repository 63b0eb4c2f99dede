"""Probes in files: JSON of probeinterface and of Kilosort, ``.prb`` of klusta and SpyKING CIRCUS, tables."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ncpgui.core.arguments import shown
from ncpgui.core.counted import some
from ncpgui.core.csv_text import decoded, plain, read_table
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.json_text import parse_json
from ncpgui.core.nothing_runs import nothing_runs
from ncpgui.core.regular_files import regular
from ncpgui.ephys.literals import read_literals
from ncpgui.ephys.reasons import reason
from ncpgui.ephys.wired_probe import WiredProbe, micrometres, wired_probe

log = logging.getLogger(__name__)

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
MOST_CHANNELS = 2**31
_WANTED = (
    "expected JSON of probeinterface or Kilosort, .prb with channel_groups, or CSV with columns x,y in um"
)
_CHANNEL = re.compile(r"(device_)?ch(an(nel)?)?s?(_?(id|idx|index|indices|nr|no|num|number)s?)?|chan_?map")
_APART = re.compile(
    r"(contact_)?(probe|shank|side|group|tetrode)s?(_?(id|idx|index|indices|nr|no|num|number)s?)?"
)
_UNIT = ("unit", "units", "si_unit", "si_units")
_KNOWN = ("x", "y", "z", "x_um", "y_um", "x_mm", "y_mm", "channel", "shank", "side", *_UNIT)


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
    value = parse_json(decoded(path.read_bytes())[0])
    if isinstance(value, dict) and {"xc", "yc"} <= set(value):
        return _of_kilosort(value)
    if not isinstance(value, dict) or "probes" not in value:
        raise InputError(
            "it is JSON of no probe: that of probeinterface has 'probes', that of Kilosort has 'chanMap', "
            "'xc' and 'yc'"
        )
    from probeinterface import Probe

    for probe in value["probes"]:
        _check_wiring(probe)
    return of_probeinterface([Probe.from_dict(probe) for probe in value["probes"]])


def _check_wiring(probe: Any) -> None:
    """Refuse channels that are none, of which probeinterface makes whole numbers."""
    wired = probe.get("device_channel_indices") if isinstance(probe, dict) else None
    for contact, channel in enumerate(wired if isinstance(wired, list) else ()):
        try:
            is_whole = not isinstance(channel, bool) and float(channel).is_integer()
        except (TypeError, ValueError, OverflowError):
            is_whole = False
        if not is_whole or abs(float(channel)) >= MOST_CHANNELS:
            raise InputError(
                f"contact {contact} of a probe is wired to {shown(channel)}; channels are whole numbers, and "
                "-1 stands for none"
            )


def _of_kilosort(value: dict[str, Any]) -> WiredProbe:
    """A probe of Kilosort: ``chanMap`` from 0, places in µm, shanks ``kcoords``, columns ``n_chan``."""
    shanks = value.get("kcoords")
    places = [np.asarray(value[axis], dtype=np.float64).reshape(-1) for axis in ("xc", "yc")]
    if len(places[0]) != len(places[1]):
        raise InputError(f"xc has {len(places[0])} contacts, yc {len(places[1])}")
    if shanks is not None:
        shanks = np.asarray(shanks, dtype=np.float64).reshape(-1)
    channels = value.get("chanMap")
    if value.get("connected") is not None:  # as the channel map of MATLAB has it
        connected = np.asarray(value["connected"], dtype=np.float64).reshape(-1)
        wired = np.arange(len(places[0])) if channels is None else np.asarray(channels).reshape(-1)
        if not len(connected) == len(wired) == len(places[0]):
            raise InputError(f"xc has {len(places[0])} contacts, connected {len(connected)}")
        channels = np.where(connected != 0, wired, -1)
    n_columns = value.get("n_chan")
    return wired_probe(
        np.column_stack(places),
        shanks=shanks,
        channels=channels,
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
    columns = _columns(rows[0])
    if columns is None:
        width = {len(row) for row in rows}
        if width != {2}:
            raise InputError(
                f"its rows have {max(width)} cells and no header says what they are; write one, such as "
                "'x,y', 'x,y,z', 'x,y,shank' or 'channel,x,y'"
            )
        columns, body = _Columns((0, 1), "um"), rows
    else:
        body = rows[1:]
    if columns.unread:
        log.warning("%s: columns that are not read: %s", path, some(columns.unread))
    short = next((i for i, row in enumerate(body) if len(row) <= columns.last), None)
    if short is not None:
        raise InputError(f"row {short + 1} has {len(body[short])} cells, too few for its header")
    places = [[_number(row[column], "place") for column in columns.axes] for row in body]
    channel = columns.channel
    channels = None if channel is None else [_number(row[channel], "channel") for row in body]
    return wired_probe(places, shanks=_shanks(body, columns), channels=channels, unit=_unit(body, columns))


@dataclass(frozen=True)
class _Columns:
    """Columns of a table by what they are.

    axes : of the places; unit : of these, as their names say it, '' where they do not
    channel, unit_column : None where there is none; apart : what tells shanks, sides and probes apart
    unread : names of all others
    """

    axes: tuple[int, ...]
    unit: str
    channel: int | None = None
    unit_column: int | None = None
    apart: tuple[int, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The last column that is read."""
        others = [place for place in (self.channel, self.unit_column) if place is not None]
        return max(*self.axes, *self.apart, *others)


def _columns(header: Sequence[str]) -> _Columns | None:
    """Columns of a header, None where it is none.

    ``x``, ``x_um``, ``x (mm)``: the unit is behind the name, um where there is none.
    """
    names = [plain(cell) for cell in header]
    axes: dict[str, int] = {}
    units: dict[str, str] = {}
    for place, name in enumerate(names):
        found = re.fullmatch(r"([xyz])(?:_?[\[(]?_?([a-z\u00b5\u03bc]+)[\])]?)?", name)
        if found is not None:
            axes.setdefault(found[1], place)
            units[found[1]] = found[2] or ""
    channels = [place for place, name in enumerate(names) if _CHANNEL.fullmatch(name)]
    channels.sort(key=lambda place: "device" not in names[place])
    apart = [place for place, name in enumerate(names) if _APART.fullmatch(name)]
    of_unit = [place for place, name in enumerate(names) if name in _UNIT]
    if not (axes or channels or apart):
        return None
    if not {"x", "y"} <= set(axes):
        raise InputError(f"its header has no columns x and y (it has {', '.join(header)})")
    if len(set(units.values())) > 1:
        said = ", ".join(unit or "um" for unit in units.values())
        raise InputError(f"its columns are in several units ({said}); use one")
    read = {*axes.values(), *channels[:1], *apart, *of_unit[:1]}
    return _Columns(
        tuple(axes[axis] for axis in ("x", "y", "z") if axis in axes),
        units["x"],
        channels[0] if channels else None,
        of_unit[0] if of_unit else None,
        tuple(apart),
        tuple(cell.strip() for place, cell in enumerate(header) if place not in read and cell.strip()),
    )


def _unit(body: Sequence[Sequence[str]], columns: _Columns) -> str:
    """Unit of the places: that of their names, or of a column of units, else um."""
    said = {columns.unit} if columns.unit else set()
    if columns.unit_column is not None:
        said |= {row[columns.unit_column].strip() for row in body}
    if len(said) > 1:
        raise InputError(f"its places are in several units ({', '.join(sorted(said))}); use one")
    return said.pop() if said else "um"


def _shanks(body: Sequence[Sequence[str]], columns: _Columns) -> Any:
    """What tells shanks and sides apart; numbers of shanks are kept where nothing else does."""
    if not columns.apart:
        return None
    cells = [[row[place].strip().lower() for place in columns.apart] for row in body]
    if len(columns.apart) == 1:
        try:
            return np.array([float(cell) for (cell,) in cells])
        except ValueError:
            pass
    return [" ".join(row) for row in cells]


def _number(cell: str, what: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(
            f"'{cell.strip()}' is not a {what}; write numbers, with a point for decimals"
        ) from None
