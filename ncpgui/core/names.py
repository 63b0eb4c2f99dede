"""Names that Windows does not take, or takes for a device; elsewhere all of them are names."""

from __future__ import annotations

import os
from pathlib import PurePath

DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{kind}{n}" for kind in ("COM", "LPT") for n in range(10))}
NEVER = '<>:"|?*'


def refused_name(path: str | PurePath, *, system: str = os.name) -> str:
    """What is wrong with a name in `path` on this system, with a way out; '' when nothing.

    system : "nt" is Windows
    """
    if system != "nt":
        return ""
    pure = path if isinstance(path, PurePath) else PurePath(path)
    for part in pure.parts[1:] if pure.anchor else pure.parts:
        wrong = next((letter for letter in part if letter in NEVER or ord(letter) < 32), "")
        if wrong:
            return f"Windows takes no {wrong!r} in a name ({part}); give another name"
        if part.rstrip(". ") != part and part not in (".", ".."):
            return f"Windows drops the dots and spaces at the end of a name ({part!r}); give another name"
        if part.partition(".")[0].rstrip().upper() in DEVICES:
            return f"Windows takes {part} for a device; give another name"
    return ""
