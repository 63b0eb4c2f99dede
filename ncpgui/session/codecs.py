"""Elements of the file: arrays, integers, strings and JSON values, each with encoding and version."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import h5py
import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ncpgui.core.errors import InputError, SessionFormatError
from ncpgui.core.json_text import as_json, parse_json
from ncpgui.session.elements import (
    opened_element,
    read_attribute,
    values_of,
    write_attribute,
    write_group,
    write_numbers,
)
from ncpgui.session.pieces import OpenedFile, Piece
from ncpgui.session.schema import ENCODINGS

_COMPRESS_FROM_BYTES = 4096
_TRIED_BYTES = 65536
"""Of the middle of an array, which tell whether it is worth compressing."""
_NUMBERS = (int, float, np.integer, np.floating)
_STORED_INTEGERS = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.int64)


def stamp(node: h5py.Group | h5py.Dataset, encoding: str) -> None:
    """Write down what `node` is."""
    write_attribute(node, "encoding", encoding)
    write_attribute(node, "version", ENCODINGS[encoding])


def create_group(parent: h5py.Group, name: str, encoding: str) -> h5py.Group:
    """Make a group that says what it is."""
    group = write_group(parent, name)
    stamp(group, encoding)
    return group


def place(node: h5py.Group | h5py.Dataset, name: str = "") -> str:
    """Where an element is, for error messages: ``session.h5: /components/0/posterior``."""
    path = f"{(node.name or '').rstrip('/')}/{name}" if name else node.name
    return f"{node.file.filename}: {path}"


def element(parent: h5py.Group, name: str, encoding: str) -> Any:
    """Group or dataset `name` of `parent`, checked to be of `encoding` in a version known here.

    Raises
    ------
    SessionFormatError
        It is missing, of another encoding, or newer than this program.
    """
    try:
        node = opened_element(parent, name)
    except KeyError as error:
        raise SessionFormatError(
            f"{place(parent, name)} is missing, the file is damaged or incomplete; use a backup of it"
        ) from error
    found, version = read_attribute(node, "encoding"), read_attribute(node, "version")
    if found != encoding:
        raise SessionFormatError(
            f"{place(node)} should be encoded as '{encoding}' but is '{found}'; "
            "update ncpgui, or use a backup of the file"
        )
    if not isinstance(version, (int, np.integer)) or not 1 <= version <= ENCODINGS[encoding]:
        raise SessionFormatError(
            f"{place(node)} has version {version} of encoding '{encoding}', this program reads up to "
            f"{ENCODINGS[encoding]}; update ncpgui"
        )
    return node


def damaged(node: h5py.Group | h5py.Dataset, reason: object) -> SessionFormatError:
    """Error that says what is wrong with an element, and where it is."""
    return SessionFormatError(f"{place(node)} cannot be used: {reason} (the file is damaged; use a backup)")


@contextmanager
def usable(parent: h5py.Group, name: str, encoding: str) -> Iterator[h5py.Group]:
    """Yield group `name`, see `element`; where what is made of its values refuses them, it is damaged."""
    group = element(parent, name, encoding)
    try:
        yield group
    except InputError as error:
        raise damaged(group, error) from error


def write_attributes(node: h5py.Group, value: object, kinds: Mapping[str, type]) -> None:
    """Write attributes of a value, each of its kind (text, whole number or float), under their names."""
    for name, kind in kinds.items():
        node.attrs[name] = kind(getattr(value, name))


def read_attributes(node: h5py.Group, kinds: Mapping[str, type]) -> dict[str, Any]:
    """Read what `write_attributes` wrote; errors as of `attribute`."""
    return {name: attribute(node, name, kind) for name, kind in kinds.items()}


def attribute(node: h5py.Group, name: str, kind: type, *, least: int = 0) -> Any:
    """Attribute `name` as a value of `kind`: text, a whole number from `least` on, or a positive float.

    Raises
    ------
    SessionFormatError
        It is missing, of another type, or not such a number.
    """
    try:
        value = read_attribute(node, name)
    except (TypeError, ValueError, OSError, RuntimeError):
        value = None
    is_number = isinstance(value, _NUMBERS) and not isinstance(value, (bool, np.bool_))
    is_right = {
        str: isinstance(value, str),
        int: is_number and isinstance(value, (int, np.integer)) and value >= least,
        float: is_number and 0 < value < np.inf,
    }
    if not is_right[kind]:
        raise SessionFormatError(
            f"{place(node)} has no valid attribute '{name}', the file is damaged; use a backup of it"
        )
    return kind(value)


def write_array(
    parent: h5py.Group, name: str, values: ArrayLike, *, unit: str = "", in_one_piece: bool = False
) -> None:
    """Write a numeric array as it is; `unit` is for people who read the file.

    in_one_piece : neither compressed, which holds up every other thread for the time of one array, nor in
        chunks with a checksum: it can be read when it is asked for (`array_piece`)
    """
    array = np.asarray(values)
    _write(parent, name, array, "array", unit, {} if in_one_piece else _filters(array))


def read_array(
    parent: h5py.Group, name: str, dtype: DTypeLike, *, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """Read an array as `dtype`; `shape` states the length of each axis, None for any."""
    dataset = element(parent, name, "array")
    _check_shape(dataset, np.shape(dataset), shape)
    array = values_of(dataset)
    with np.errstate(over="ignore"):  # a number that is too large for `dtype` becomes infinite
        return np.asarray(array, dtype=dtype)


def array_piece(
    parent: h5py.Group, name: str, file: OpenedFile, *, shape: tuple[int | None, ...]
) -> Piece | NDArray[Any]:
    """Where an array lies that is in one piece in its file; one in chunks is read."""
    dataset = element(parent, name, "array")
    kind, found = dataset.dtype, dataset.shape  # h5py asks HDF5 for them each time
    _check_shape(dataset, () if found is None else found, shape)
    if kind.kind not in "fiu":
        raise damaged(dataset, f"it holds {kind} in the place of numbers")
    begin = dataset.id.get_offset()
    if begin is None:
        return np.asarray(dataset[()])
    return Piece(file, begin, kind, found)


def write_integers(parent: h5py.Group, name: str, values: ArrayLike, *, unit: str = "") -> None:
    """Write integers in the smallest type that holds them, which is one byte for most labels."""
    array = np.asarray(values)
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    for dtype in _STORED_INTEGERS:
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            array = array.astype(dtype)
            break
    _write(parent, name, array, "integers", unit, _filters(array))


def _write(
    parent: h5py.Group, name: str, array: NDArray[Any], encoding: str, unit: str, filters: dict[str, Any]
) -> None:
    if filters:
        dataset = parent.create_dataset(name, data=array, **filters)
    else:
        dataset = write_numbers(parent, name, array)
    stamp(dataset, encoding)
    if unit:
        write_attribute(dataset, "unit", unit)


def read_integers(
    parent: h5py.Group, name: str, dtype: DTypeLike | None, *, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """Read integers as `dtype`, None for as they were stored; whatever else is in their place is refused."""
    dataset = element(parent, name, "integers")
    _check_shape(dataset, np.shape(dataset), shape)
    array = np.asarray(values_of(dataset))
    if array.dtype.kind not in "iu":
        raise damaged(dataset, f"it holds {array.dtype} in the place of whole numbers")
    if dtype is None:
        return array
    most = np.iinfo(dtype)
    if array.size and not most.min <= int(array.min()) <= int(array.max()) <= most.max:
        raise damaged(dataset, f"{array.min()} to {array.max()} do not fit into {np.dtype(dtype).name}")
    return array.astype(dtype)


def write_string(parent: h5py.Group, name: str, text: str) -> None:
    """Write text as UTF-8 (paths may hold bytes that are not text: they survive)."""
    data = text.encode("utf-8", "surrogateescape")
    stamp(parent.create_dataset(name, data=data, dtype=h5py.string_dtype()), "string")


def read_string(parent: h5py.Group, name: str) -> str:
    """Read text."""
    return _text(element(parent, name, "string"))


def write_json(parent: h5py.Group, name: str, value: Any) -> None:
    """Write plain values (dictionaries, lists, numbers, strings) as JSON text."""
    stamp(parent.create_dataset(name, data=to_json_text(value), dtype=h5py.string_dtype()), "json")


def read_json(parent: h5py.Group, name: str, kind: type) -> Any:
    """Read a JSON value, which must be a `kind` (dict or list)."""
    dataset = element(parent, name, "json")
    try:
        value = parse_json(_text(dataset))
    except ValueError as error:
        raise SessionFormatError(
            f"{place(dataset)} is not JSON, the file is damaged; use a backup"
        ) from error
    if not isinstance(value, kind):
        raise SessionFormatError(
            f"{place(dataset)} should hold a {kind.__name__}, the file is damaged; use a backup"
        )
    return value


def to_json_text(value: Any) -> str:
    """JSON on one line; NumPy's numbers and arrays become plain ones."""
    return json.dumps(as_json(value), separators=(",", ":"))


def _text(dataset: h5py.Dataset) -> str:
    value = dataset[()]
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _filters(array: NDArray[Any]) -> dict[str, Any]:
    """Compress what is worth it; the checksum (Fletcher) finds damage when the file is read."""
    if array.nbytes < _COMPRESS_FROM_BYTES:
        return {}
    if not _shrinks(array):
        return {"fletcher32": True}
    return {"compression": "gzip", "compression_opts": 1, "shuffle": True, "fletcher32": True}


def _shrinks(array: NDArray[Any]) -> bool:
    """Whether an array becomes less than half as large: others take most of the time of reading a session."""
    n_tried = _TRIED_BYTES // array.itemsize
    begin = max(0, array.size - n_tried) // 2
    tried = np.ascontiguousarray(array.reshape(-1)[begin : begin + n_tried])
    shuffled = tried.view(np.uint8).reshape(len(tried), -1).T.tobytes()
    return 2 * len(zlib.compress(shuffled, 1)) < len(shuffled)


def _check_shape(dataset: h5py.Dataset, found: tuple[int, ...], wanted: tuple[int | None, ...]) -> None:
    fits = len(found) == len(wanted) and all(w is None or w == f for f, w in zip(found, wanted, strict=True))
    if not fits:
        words = ", ".join("any" if length is None else str(length) for length in wanted)
        raise SessionFormatError(
            f"{place(dataset)} has shape {found} where ({words}) is needed, the file is damaged; use a backup"
        )
