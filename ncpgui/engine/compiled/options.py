"""How functions of networks are compiled for a CPU: sums may change their order, nan and infinity stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.core.options import DefaultOptions
from numpy.typing import NDArray

from ncpgui.core import loops

Array = NDArray[np.float32]
_Function = TypeVar("_Function", bound=Callable[..., Any])
_FASTMATH = {"contract", "reassoc", "nsz", "arcp"}
_UNCOUNTED: dict[str, Any] = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


def compiled(function: _Function) -> _Function:
    """Compile a function, and keep it on disk."""
    result: _Function = loops.compiled(fastmath=_FASTMATH)(function)
    return result


def compiled_on_views(function: _Function) -> _Function:
    """Compile a function that makes no array, only views of those it is given, which its caller holds.

    Counting who holds each view takes longer than a few dozen operations on it, so nobody counts here.
    """
    result: _Function = loops.compiled(fastmath=_FASTMATH, **_UNCOUNTED)(function)
    return result


@compiled_on_views
def copy_row(source: Array, target: Array) -> None:
    """Copy a row into another one, as ``target[:] = source`` does.

    That would have numba compile how the shapes of two arrays are told where they differ: three seconds more
    when ncpgui is used for the first time.
    """
    for j in range(len(target)):
        target[j] = source[j]
