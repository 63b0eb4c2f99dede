"""Groups, arrays of numbers and attributes of a session, as h5py opens, reads and writes them, but sooner.

A session of a few components has more than a hundred elements with two attributes each. h5py finds out anew
of each what it is and what can be done with it: that would be most of the time of saving and opening it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

_STRING = h5py.string_dtype()
_TEXT, _TEXT_HERE = h5py.h5t.py_create(_STRING, logical=True), h5py.h5t.py_create(_STRING)
_INTEGER = h5py.h5t.py_create(np.dtype(np.int64))
_ONE = h5py.h5s.create(h5py.h5s.SCALAR)
_ALL = h5py.h5s.ALL
_PLAIN_ARRAY = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
_PLAIN_GROUP = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
for _plain in (_PLAIN_ARRAY, _PLAIN_GROUP):
    _plain.set_obj_track_times(False)
_type_of = cache(h5py.h5t.py_create)
"""Type of numbers in the file, of their dtype."""


def write_group(parent: h5py.Group, name: str) -> h5py.Group:
    """Make a group."""
    return h5py.Group(h5py.h5g.create(parent.id, name.encode("ascii"), None, _PLAIN_GROUP))


def write_numbers(parent: h5py.Group, name: str, values: NDArray[Any]) -> h5py.Dataset:
    """Write an array of numbers in one piece, not compressed."""
    kind, space = _type_of(values.dtype, logical=True), h5py.h5s.create_simple(values.shape)
    made = h5py.h5d.create(parent.id, name.encode("ascii"), kind, space, _PLAIN_ARRAY)
    made.write(_ALL, _ALL, np.ascontiguousarray(values).reshape(values.shape), _type_of(values.dtype))
    return h5py.Dataset(made)


def opened_element(parent: h5py.Group, name: str) -> h5py.Group | h5py.Dataset:
    """Group or dataset in a file that is only read; a KeyError where there is none."""
    found = h5py.h5o.open(parent.id, name.encode())
    if isinstance(found, h5py.h5d.DatasetID):
        return h5py.Dataset(found, readonly=True)
    return h5py.Group(found) if isinstance(found, h5py.h5g.GroupID) else parent[name]


def values_of(dataset: h5py.Dataset) -> Any:
    """All values of a dataset: an array where they are numbers."""
    kind, shape = dataset.id.get_type(), dataset.shape
    if not shape or not isinstance(kind, (h5py.h5t.TypeIntegerID, h5py.h5t.TypeFloatID)):
        return dataset[()]
    values = np.empty(shape, kind.dtype)
    dataset.id.read(_ALL, _ALL, values, _type_of(values.dtype))
    return values


@cache
def _text(value: str) -> NDArray[Any]:
    return np.array(value, dtype=_STRING)


def write_attribute(node: h5py.Group | h5py.Dataset, name: str, value: str | int) -> None:
    """Write an attribute that is not there yet."""
    if isinstance(value, str):
        kind, kind_here, array = _TEXT, _TEXT_HERE, _text(value)
    else:
        kind, kind_here, array = _INTEGER, _INTEGER, np.array(value, dtype=np.int64)
    h5py.h5a.create(node.id, name.encode(), kind, _ONE).write(array, mtype=kind_here)


def read_attribute(node: h5py.Group | h5py.Dataset, name: str) -> Any:
    """Value of an attribute as h5py reads it; None where there is none."""
    try:
        found = h5py.h5a.open(node.id, name.encode())
    except KeyError:
        return None
    if found.shape == ():
        kind = found.get_type()
        if kind == _INTEGER:
            number = np.empty((), np.int64)
            found.read(number, mtype=_INTEGER)
            return number[()]
        if kind == _TEXT:
            text = np.empty((), object)
            found.read(text, mtype=_TEXT_HERE)
            return str(text.item(), "utf-8", "surrogateescape")
    return node.attrs[name]
