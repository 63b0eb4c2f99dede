"""Shared libraries of a package, loaded before its Python code.

An import holds Python's lock while the system links what it loads: half a second for torch, in which a window
stands still. A function that is called through `ctypes` gives the lock away.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path


def load_libraries_of(package: str) -> bool:
    """Load the library that holds a package's code for Python, with all it needs; an import is quick then.

    Returns whether there is one: `package/lib/libPACKAGE_python.so`, on a system that loads so. A failure is
    none, the import will tell.
    """
    if not sys.platform.startswith("linux") or package in sys.modules:
        return False
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        return False
    path = Path(found.origin).parent / "lib" / f"lib{package}_python.so"
    if not path.is_file():
        return False
    load = ctypes.CDLL(None).dlopen
    load.argtypes, load.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_void_p
    return load(os.fsencode(path), os.RTLD_NOW | os.RTLD_LOCAL) is not None
