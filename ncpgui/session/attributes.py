"""Text and whole numbers that stand with an element of the file, as h5py's own attributes are, but sooner.

Every element has two of them, and h5py finds out anew of each what kind of value it is: that would be half
of the time of saving or opening a session of a few components.
"""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np

_STRING = h5py.string_dtype()
_TEXT, _TEXT_HERE = h5py.h5t.py_create(_STRING, logical=True), h5py.h5t.py_create(_STRING)
_INTEGER = h5py.h5t.py_create(np.dtype(np.int64))
_ONE = h5py.h5s.create(h5py.h5s.SCALAR)


def write_attribute(node: h5py.Group | h5py.Dataset, name: str, value: str | int) -> None:
    """Write an attribute that is not there yet."""
    if isinstance(value, str):
        kind, kind_here, array = _TEXT, _TEXT_HERE, np.array(value, dtype=_STRING)
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
