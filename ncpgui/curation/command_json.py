"""Commands to and from JSON: the fields of each by their names, arrays packed into text.

One codec for all of them: what is written of a class are the arguments that it is made of, and their
annotations say how they are read. `do` names the command, `words` say what it does.
"""

from __future__ import annotations

import binascii
import math
import zlib
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from ncpgui.core.errors import CurationError, InputError
from ncpgui.core.json_text import pack_array, unpack_array
from ncpgui.curation.commands import KINDS
from ncpgui.curation.state import Command

COMMANDS: dict[str, type[Any]] = {one.name: one for one in KINDS}
"""Every kind of command by its name."""

_WRONG = (KeyError, IndexError, TypeError, ValueError, OverflowError, InputError, binascii.Error, zlib.error)


def to_json(command: Command) -> dict[str, Any]:
    """Return the command as JSON values."""
    return {"do": command.name, "words": command.words, **_written(command)}


def from_json(value: Any) -> Command:
    """Command of JSON values that `to_json` made.

    Raises
    ------
    CurationError
        Not such values, or of a kind that this version does not know.
    """
    name = value.get("do") if isinstance(value, dict) else None
    if not isinstance(name, str) or name not in COMMANDS:
        raise CurationError(
            f"curation command '{name}' is not known; known: {', '.join(COMMANDS)}. "
            "Open the session with the version of ncpgui that wrote it"
        )
    try:
        made: Command = _read(COMMANDS[name], value)
    except CurationError:
        raise
    except _WRONG as error:
        raise CurationError(f"curation command '{name}' is damaged, it cannot be used: {error!r}") from error
    return made


@cache
def _arguments(kind: Any) -> dict[str, Any]:
    """What a class is made of: the annotation of each argument, which has the name of an attribute."""
    return {name: hint for name, hint in get_type_hints(kind.__init__).items() if name != "return"}


def _written(value: Any) -> Any:
    """A value as JSON takes it; fields that are None are left out, and nan is null."""
    if is_dataclass(value):
        kind: Any = type(value)
        found = {name: getattr(value, name) for name in _arguments(kind)}
        return {name: _written(item) for name, item in found.items() if item is not None}
    if isinstance(value, np.ndarray):
        return pack_array(value)
    if isinstance(value, tuple):
        return [_written(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _read(hint: Any, value: Any) -> Any:
    """A value of what an annotation says; of alternatives, the first is what is written."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return _read(parts[0], value)
    if isinstance(hint, type) and is_dataclass(hint):
        arguments = _arguments(hint).items()
        return hint(**{name: _read(one, value[name]) for name, one in arguments if name in value})
    if kind is np.ndarray:
        return unpack_array(value, get_args(parts[1])[0])
    if kind is tuple and isinstance(value, list):
        each = parts[:1] * len(value) if parts[-1] is Ellipsis else parts
        return tuple(_read(one, item) for one, item in zip(each, value, strict=True))
    if hint is float:
        return math.nan if value is None else float(value)
    if type(value) is hint:
        return value
    raise TypeError(f"{value!r:.40} is not {hint}")
