"""Commands: every edit of a sorting as a value that can be written down and done again.

A command that makes units says which ids they got once it is done (`Merge.into`,
`Assign.unit_ids`), so that doing it again from a file gives the same numbers.
"""

from __future__ import annotations

import binascii
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.errors import CurationError, InputError
from ncpgui.core.json_text import pack, unpack
from ncpgui.curation.labels import checked_label, checked_words
from ncpgui.curation.resample import Resample, resample_from_json, resample_to_json

NEW = -1
NONE = -1


@dataclass(frozen=True)
class Merge:
    """Make one unit of two or more; `into` is its id, NEW until the command is done."""

    unit_ids: tuple[int, ...]
    into: int = NEW

    def __post_init__(self) -> None:
        units = tuple(sorted({int(unit) for unit in self.unit_ids}))
        if len(units) < 2:
            raise CurationError(f"merging needs two different units, got {len(units)}; select another one")
        object.__setattr__(self, "unit_ids", units)

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        return f"merge {' + '.join(map(str, self.unit_ids))}"


@dataclass(frozen=True, eq=False)
class Assign:
    """Give spikes to units: split, move, unassign, adopt an alternative.

    Parameters
    ----------
    spike_ids : (n,) int, each spike once; sorted on creation
    cluster : (n,) int, local clusters 0 .. k-1, NONE = leave the spike unassigned
    probability : (n,) float, P(the spike belongs to its cluster); ones when left out
    words : what this does, for menus and the journal
    unit_ids : (k,) id of the unit of each local cluster; NEW = a new unit (all new when left out)
    adopts : (component id, index) of the alternative that this adopts, None when it adopts none
    """

    spike_ids: NDArray[np.int64]
    cluster: NDArray[np.int32]
    probability: NDArray[np.float32]
    words: str
    unit_ids: tuple[int, ...]
    adopts: tuple[int, int] | None

    def __init__(
        self,
        spike_ids: ArrayLike,
        cluster: ArrayLike,
        probability: ArrayLike | None = None,
        words: str = "assign spikes",
        unit_ids: tuple[int, ...] | None = None,
        adopts: tuple[int, int] | None = None,
    ) -> None:
        ids = np.asarray(spike_ids, dtype=np.int64).reshape(-1)
        local = np.asarray(cluster, dtype=np.int32).reshape(-1)
        share = np.ones(len(ids)) if probability is None else probability
        sure = np.asarray(share, dtype=np.float32).reshape(-1)
        if not len(ids) == len(local) == len(sure) or len(ids) == 0:
            raise CurationError(
                f"assigning needs one cluster and probability a spike and at least one spike, got "
                f"{len(ids)} spikes, {len(local)} clusters, {len(sure)} probabilities"
            )
        n_clusters = int(local.max()) + 1
        if unit_ids is None:
            unit_ids = (NEW,) * n_clusters
        if local.min() < NONE or n_clusters > len(unit_ids):
            raise CurationError(
                f"local clusters must be -1 .. {len(unit_ids) - 1}, got {local.min()} .. {n_clusters - 1}"
            )
        order = np.argsort(ids, kind="stable")
        for name, array in (("spike_ids", ids), ("cluster", local), ("probability", sure)):
            ordered = array[order]
            ordered.flags.writeable = False
            object.__setattr__(self, name, ordered)
        if (np.diff(self.spike_ids) == 0).any():
            raise CurationError("assigning names a spike twice; give each spike once")
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "unit_ids", tuple(int(unit) for unit in unit_ids))
        object.__setattr__(self, "adopts", adopts)


@dataclass(frozen=True)
class SetLabel:
    """Call units good, mua, noise or unsorted."""

    unit_ids: tuple[int, ...]
    label: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_ids", _some_units(self.unit_ids))
        checked_label(self.label)

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        return f"label {_names(self.unit_ids)} {self.label}"


@dataclass(frozen=True)
class SetWords:
    """Give units a label of one's own (kind "tag"), or a note on them; '' takes it off."""

    unit_ids: tuple[int, ...]
    kind: str
    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_ids", _some_units(self.unit_ids))
        object.__setattr__(self, "text", checked_words(self.kind, self.text))

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        if not self.text:
            return f"take the {self.kind} off {_names(self.unit_ids)}"
        if self.kind == "note":
            return f"note on {_names(self.unit_ids)}"
        return f"tag {_names(self.unit_ids)} '{self.text}'"


@dataclass(frozen=True)
class SetAccepted:
    """Accept units, or open them again."""

    unit_ids: tuple[int, ...]
    accepted: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_ids", _some_units(self.unit_ids))

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        return f"{'accept' if self.accepted else 'open again'} {_names(self.unit_ids)}"


@dataclass(frozen=True)
class Link:
    """Say that units are one neuron, or that no two of them are; no spike changes its unit."""

    unit_ids: tuple[int, ...]
    same: bool

    def __post_init__(self) -> None:
        units = tuple(sorted({int(unit) for unit in self.unit_ids}))
        if len(units) < 2:
            raise CurationError(f"a link needs two different units, got {len(units)}; select another one")
        object.__setattr__(self, "unit_ids", units)

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        names = " and ".join(map(str, self.unit_ids))
        return f"{names} are one neuron" if self.same else f"never merge {names}"


Command = Merge | Assign | SetLabel | SetWords | SetAccepted | Resample | Link


def split(spike_ids: ArrayLike, cluster: ArrayLike, words: str = "") -> Assign:
    """Assign that makes a new unit of each local cluster, e.g. inside and outside of a lasso."""
    n = len(np.unique(np.asarray(cluster)))
    return Assign(spike_ids, cluster, words=words or f"split in {n}")


def to_json(command: Command) -> dict[str, Any]:
    """Return the command as JSON values: `do` names it, `words` say it, arrays are packed."""
    if isinstance(command, Merge):
        return {"do": "merge", "words": command.words, "units": list(command.unit_ids), "into": command.into}
    if isinstance(command, SetLabel):
        units = list(command.unit_ids)
        return {"do": "label", "words": command.words, "units": units, "label": command.label}
    if isinstance(command, SetWords):
        units = list(command.unit_ids)
        written = {"kind": command.kind, "text": command.text}
        return {"do": "write", "words": command.words, "units": units, **written}
    if isinstance(command, SetAccepted):
        units = list(command.unit_ids)
        return {"do": "accept", "words": command.words, "units": units, "accepted": command.accepted}
    if isinstance(command, Link):
        units = list(command.unit_ids)
        return {"do": "link", "words": command.words, "units": units, "same": command.same}
    if isinstance(command, Resample):
        return resample_to_json(command)
    value = {
        "do": "assign",
        "words": command.words,
        "n_spikes": len(command.spike_ids),
        "units": list(command.unit_ids),
        "spikes": pack(np.diff(command.spike_ids, prepend=0), "<i4"),
        "cluster": pack(command.cluster, "<i4"),
        "probability": pack(command.probability, "<f4"),
    }
    return value if command.adopts is None else {**value, "adopts": list(command.adopts)}


def from_json(value: Any) -> Command:
    """Command of JSON values that `to_json` made.

    Raises
    ------
    CurationError
        Not such values, or of a kind that this version does not know.
    """
    kind = value.get("do") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _DECODERS:
        raise CurationError(
            f"curation command '{kind}' is not known; known: {', '.join(_DECODERS)}. "
            "Open the session with the version of ncpgui that wrote it"
        )
    try:
        return _DECODERS[kind](value)
    except CurationError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, InputError, binascii.Error, zlib.error) as error:
        raise CurationError(f"curation command '{kind}' is damaged, it cannot be used: {error!r}") from error


def _assign_from(value: dict[str, Any]) -> Assign:
    adopts = value.get("adopts")
    return Assign(
        np.cumsum(unpack(value["spikes"], "<i4"), dtype=np.int64),
        unpack(value["cluster"], "<i4"),
        unpack(value["probability"], "<f4"),
        str(value["words"]),
        tuple(value["units"]),
        None if adopts is None else (int(adopts[0]), int(adopts[1])),
    )


_DECODERS: dict[str, Callable[[dict[str, Any]], Command]] = {
    "merge": lambda value: Merge(tuple(value["units"]), int(value.get("into", NEW))),
    "assign": _assign_from,
    "label": lambda value: SetLabel(tuple(value["units"]), str(value["label"])),
    "accept": lambda value: SetAccepted(tuple(value["units"]), bool(value["accepted"])),
    "link": lambda value: Link(tuple(value["units"]), bool(value["same"])),
    "resample": resample_from_json,
    "write": lambda value: SetWords(tuple(value["units"]), str(value["kind"]), str(value["text"])),
}


def _some_units(units: tuple[int, ...]) -> tuple[int, ...]:
    if len(units) == 0:
        raise CurationError("no unit is selected; select one first")
    return tuple(sorted({int(unit) for unit in units}))


def _names(units: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, units[:4]))
    return f"{'unit' if len(units) == 1 else 'units'} {shown}" + (" …" if len(units) > 4 else "")
