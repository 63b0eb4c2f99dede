"""Waveforms and features of the sampled spikes, coordinates of all, beside the session; may be deleted.

Each component is kept under a key made of the recording's fingerprint, the times of its sampled
spikes and its contacts. What does not match the session is ignored: no waveform of another
sorting is ever shown. Arrays are read when somebody looks at them: the others stay on the disk.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.errors import SessionError
from ncpgui.core.own_contents import READ_WHOLE, not_its_own
from ncpgui.core.project import Project
from ncpgui.core.regular_files import not_special, special
from ncpgui.session.codecs import array_piece, create_group, element, write_array
from ncpgui.session.elements import read_attribute
from ncpgui.session.hdf5_file import reason, written_hdf5
from ncpgui.session.pieces import OpenedFile, Piece
from ncpgui.session.schema import CACHE_VERSION, WAVEFORM_CACHE
from ncpgui.session.swap import set_aside, swapped

logger = logging.getLogger(__name__)

_BEGIN_BYTES = 65536
"""The attributes of the file, which say what it is, are among its first bytes."""
_LARGEST = float(np.finfo(np.float16).max)
_AT_HAND = 12
"""Arrays that are kept as they were asked for: those of some four components."""


Stored = Piece | NDArray[np.floating]
"""An array of the cache: where it lies, or itself."""


class KeptWaveforms(ComponentWaveforms):
    """Waveforms that stay in their file until somebody asks for them.

    They are float32 as any others; the file has float16. Asking raises SessionError once the file was cut
    short (`is_at_hand`).

    are_its_own : whether the coordinates are of the spikes of the component; asked once, when somebody wants
    them: it takes all the times of its spikes
    """

    stored: tuple[Stored, Stored, Stored | None]
    are_its_own: Callable[[], bool]
    _reach: dict[OpenedFile, int]
    """How far each file has to reach: one question a file, which is asked in each drawing of each panel."""

    def __init__(
        self,
        waveforms: Stored,
        features: Stored,
        coordinates: Stored | None = None,
        are_its_own: Callable[[], bool] = lambda: True,
    ) -> None:
        object.__setattr__(self, "stored", (waveforms, features, coordinates))
        object.__setattr__(self, "are_its_own", are_its_own)
        reach: dict[OpenedFile, int] = {}
        for one in self.stored:
            if isinstance(one, Piece):
                reach[one.file] = max(reach.get(one.file, 0), one.end)
        object.__setattr__(self, "_reach", reach)

    __hash__ = object.__hash__
    __eq__ = object.__eq__

    @property
    def is_at_hand(self) -> bool:
        """See `ComponentWaveforms`."""
        return all(end <= file.n_bytes for file, end in self._reach.items())

    @property
    def waveforms(self) -> NDArray[np.float32]:  # type: ignore[override]
        """See `ComponentWaveforms`."""
        return _single(self.stored[0])

    def some(self, rows: NDArray[np.integer]) -> NDArray[np.float32]:
        """See `ComponentWaveforms`."""
        stored = self.stored[0]
        return np.array((stored.read() if isinstance(stored, Piece) else stored)[rows], dtype=np.float32)

    @property
    def features(self) -> NDArray[np.float32]:  # type: ignore[override]
        """See `ComponentWaveforms`."""
        return _single(self.stored[1])

    @property
    def coordinates(self) -> NDArray[np.float32] | None:  # type: ignore[override]
        """See `ComponentWaveforms`."""
        kept = self.stored[2]
        return None if kept is None or not self._are_its_own else _single(kept)

    @cached_property
    def _are_its_own(self) -> bool:
        return self.are_its_own()

    def __reduce__(self) -> tuple[Any, ...]:
        return ComponentWaveforms, (self.waveforms, self.features, self.coordinates)


def _single(stored: Stored) -> NDArray[np.float32]:
    return _read(stored) if isinstance(stored, Piece) else np.array(stored, dtype=np.float32)


@lru_cache(_AT_HAND)
def _read(piece: Piece) -> NDArray[np.float32]:
    return np.array(piece.read(), dtype=np.float32)


def cache_key(project: Project, component: Component) -> str:
    """Tell which waveforms these are: the same recording, spikes and contacts give the same key."""
    digest = hashlib.blake2b(project.recording.fingerprint.encode(), digest_size=16)
    _add(digest, component.contacts, project.spikes.sample_index[component.spike_ids[component.sampled]])
    return digest.hexdigest()


def _coordinates_key(project: Project, component: Component, key: str) -> str:
    """Tell of which spikes coordinates are: of all those of the component; key : its `cache_key`."""
    digest = hashlib.blake2b(key.encode(), digest_size=16)
    _add(digest, project.spikes.sample_index[component.spike_ids])
    return digest.hexdigest()


def _add(digest: hashlib.blake2b, *values: NDArray[np.int64]) -> None:
    for array in values:
        digest.update(np.ascontiguousarray(array, dtype="<i8").data)
        digest.update(b"|")


def update(path: Path, project: Project) -> None:
    """Bring the cache up to date with `project.waveforms`; components cached before and still valid stay.

    Nothing is written when nothing changed. Values are kept as float16 (noise sd to 3 digits). What is there
    and is no cache stays: an HDF5 file of somebody's where it is, a file of no known kind under another name.
    """
    keys = {one.id: cache_key(project, one) for one in project.components}
    by_id = {one.id: one for one in project.components}
    known = _cached_keys(path)
    fresh = {one: value for one, value in project.waveforms.items() if one in keys and value.is_at_hand}
    if all(known.get(one) == keys[one] for one in fresh):
        return
    if not _make_way(path):
        return
    kept = [one for one, key in known.items() if keys.get(one) == key and one not in fresh]
    with swapped(path, of=path.with_suffix("")) as beside, written_hdf5(beside) as file:
        file.attrs["encoding"] = WAVEFORM_CACHE
        file.attrs["version"] = CACHE_VERSION
        if kept:
            with _opened(path) as old:
                for one in kept:
                    old.copy(str(one), file)
        for one, value in fresh.items():
            group = create_group(file, str(one), "component-waveforms")
            group.attrs["key"] = keys[one]
            write_array(group, "waveforms", _half(value.waveforms), unit="noise sd", in_one_piece=True)
            write_array(group, "features", _half(value.features), in_one_piece=True)
            if value.coordinates is not None:
                group.attrs["coordinates_key"] = _coordinates_key(project, by_id[one], keys[one])
                write_array(group, "coordinates", _half(value.coordinates), in_one_piece=True)


def n_kept(path: Path, project: Project) -> int:
    """Of how many components the cache has waveforms once it is brought up to date with `project`."""
    keys, known = {one.id: cache_key(project, one) for one in project.components}, _cached_keys(path)
    return sum(one in project.waveforms or known.get(one) == key for one, key in keys.items())


def load(path: Path, project: Project) -> dict[int, ComponentWaveforms]:
    """Waveforms of the components that are cached and belong to `project`; {} without a cache."""
    result: dict[int, ComponentWaveforms] = {}
    try:
        with _opened(path) as file:
            if not _is_known(file):
                return {}
            opened = OpenedFile(path)
            for component in project.components:
                if str(component.id) not in file:
                    continue
                node = element(file, str(component.id), "component-waveforms")
                key = cache_key(project, component)
                if read_attribute(node, "key") != key:
                    continue
                n = len(component.sampled)
                result[component.id] = KeptWaveforms(
                    array_piece(node, "waveforms", opened, shape=(n, None, len(component.contacts))),
                    array_piece(node, "features", opened, shape=(n, None)),
                    _coordinates(node, opened, len(component.spike_ids)),
                    partial(_are_its_own, project, component, key, read_attribute(node, "coordinates_key")),
                )
    except FileNotFoundError:
        return {}
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, ArithmeticError) as error:
        logger.warning("the waveform cache %s is damaged and is ignored: %s", path, reason(error))
    return result


def _coordinates(node: h5py.Group, opened: OpenedFile, n_spikes: int) -> Stored | None:
    """Coordinates of as many spikes as a component has, None where there are none."""
    if "coordinates" not in node:
        return None
    found = array_piece(node, "coordinates", opened, shape=(None, None))
    return found if found.shape[0] == n_spikes else None


def _are_its_own(project: Project, component: Component, key: str, found: object) -> bool:
    """Whether coordinates that were kept under a key are of the spikes of a component; key : its own."""
    return bool(found == _coordinates_key(project, component, key))


def _cached_keys(path: Path) -> dict[int, str]:
    try:
        with _opened(path) as file:
            if not _is_known(file):
                return {}
            return {int(name): str(node.attrs["key"]) for name, node in file.items()}
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, ArithmeticError):
        return {}


def _make_way(path: Path) -> bool:
    """Whether a cache may be written to `path`; what is no cache is kept aside or, where it is HDF5, left."""
    if special(path):
        logger.warning("%s is %s and is left as it is; waveforms are not kept", path, special(path))
        return False
    if not path.is_file() or path.stat().st_size == 0:
        return True
    with path.open("rb") as file:
        if WAVEFORM_CACHE.encode() in file.read(_BEGIN_BYTES):  # of a damaged one too
            return True
    with suppress(OSError, RuntimeError), h5py.File(path, "r", locking=False):
        logger.warning("%s is not a waveform cache and is left as it is; waveforms are not kept", path)
        return False
    logger.warning("%s is not a waveform cache; it was kept as %s", path, set_aside(path).name)
    return True


@contextmanager
def _opened(path: Path) -> Iterator[h5py.File]:
    """Open a cache for reading; what is in it must be its own, as in a session."""
    with h5py.File(not_special(path), "r", locking=False) as file:
        problem = not_its_own(file, READ_WHOLE)
        if problem:
            raise SessionError(problem)
        yield file


def _is_known(file: h5py.File) -> bool:
    """Whether a file is a waveform cache of the version that is written here."""
    return (file.attrs.get("encoding"), file.attrs.get("version")) == (WAVEFORM_CACHE, CACHE_VERSION)


def _half(values: NDArray[np.floating]) -> NDArray[np.float16]:
    clipped: NDArray[np.floating] = np.clip(values, -_LARGEST, _LARGEST)
    return clipped.astype(np.float16)
