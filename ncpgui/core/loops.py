"""How loops over samples and spikes are compiled: once, kept on the disk, and other threads run meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from ncpgui.core.home import provide_home

provide_home()  # numba keeps there what it compiles, and compiles nothing where it finds no folder


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorator of a function that is compiled when it is called first.

    options : of `numba.njit`, such as what `fastmath` may change
    """
    decorator: Callable[[Callable[..., Any]], Any] = numba.njit(cache=True, nogil=True, **options)
    return decorator
