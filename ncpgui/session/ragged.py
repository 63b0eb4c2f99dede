"""Arrays of one kind, each of a shape of its own, as one array in a session file.

To open an element of an HDF5 file takes longer than to read a small array: with hundreds of components of
twenty arrays each, that would be most of the time until a session is open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import h5py
import numpy as np
from numpy.typing import DTypeLike, NDArray

from ncpgui.session.codecs import (
    create_group,
    damaged,
    element,
    read_array,
    read_integers,
    write_array,
    write_integers,
)

ABSENT = -1
Shape = tuple[int | None, ...]


def write_ragged(
    parent: h5py.Group, name: str, arrays: Sequence[NDArray[Any] | None], *, n_axes: int = 1, unit: str = ""
) -> None:
    """Write arrays (None: there is none) one after the other, and their shapes; nothing where there are none.

    Integers are kept in the smallest type that holds them all.
    """
    known = [np.asarray(one) for one in arrays if one is not None]
    if not known:
        return
    group = create_group(parent, name, "ragged")
    shapes = [(ABSENT,) * n_axes if one is None else np.shape(one) for one in arrays]
    write_integers(group, "shape", np.array(shapes, dtype=np.int64).reshape(len(arrays), n_axes))
    values = np.concatenate([one.ravel() for one in known])
    write = write_integers if values.dtype.kind in "iu" else write_array
    write(group, "values", values, unit=unit)


def read_ragged(
    parent: h5py.Group, name: str, dtype: DTypeLike | None, *, shapes: Sequence[Shape], may_lack: bool = False
) -> list[Any]:
    """Read what `write_ragged` wrote: a view of one array for each, None where there is none.

    dtype : as of `read_array` and, of integers, `read_integers`, of all of them
    shapes : of each array, None for an axis of any length; may_lack : whether there may be none

    Raises
    ------
    SessionFormatError
        One is missing, or they do not fit.
    """
    if not shapes or (may_lack and name not in parent):
        return [None] * len(shapes)
    group = element(parent, name, "ragged")
    found = read_integers(group, "shape", np.int64, shape=(len(shapes), len(shapes[0])))
    lacks = (found == ABSENT).all(axis=1)
    wanted = np.array([[ABSENT if n is None else n for n in shape] for shape in shapes], dtype=np.int64)
    fits = (found >= 0) & ((wanted == ABSENT) | (wanted == found))
    wrong = np.flatnonzero(~fits.all(axis=1) & ~(lacks & may_lack))
    if len(wrong):
        first = int(wrong[0])
        words = ", ".join("any" if length is None else str(length) for length in shapes[first])
        raise damaged(
            group, f"array {first} has shape {tuple(found[first].tolist())} where ({words}) is needed"
        )
    sizes = np.where(lacks, 0, found.astype(object).prod(axis=1))  # of any size: the file may be damaged
    read: Callable[..., NDArray[Any]] = (
        read_integers if dtype is None or np.dtype(dtype).kind == "i" else read_array
    )
    values = read(group, "values", dtype, shape=(int(sizes.sum()),))
    ends = np.cumsum(sizes).tolist()
    return [
        None if lack else values[end - size : end].reshape(shape)
        for lack, end, size, shape in zip(lacks, ends, sizes.tolist(), found.tolist(), strict=True)
    ]
