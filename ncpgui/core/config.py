"""Settings dataclasses from and to plain dictionaries and TOML; unknown keys are errors."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from ncpgui.core.csv_text import decoded
from ncpgui.core.errors import InputError
from ncpgui.core.json_text import as_json
from ncpgui.core.nearest import did_you_mean
from ncpgui.core.regular_files import regular

Settings = TypeVar("Settings")


def to_dict(settings: Any) -> dict[str, Any]:
    """Return a settings dataclass as plain values, tuples as lists."""
    values: dict[str, Any] = as_json(settings)
    return values


def from_dict(kind: type[Settings], values: dict[str, Any], *, place: str = "settings") -> Settings:
    """Build the dataclass `kind` from plain values.

    Raises
    ------
    InputError
        An unknown key (the nearest known one is suggested) or a value of another type.
    """
    if not isinstance(values, dict):
        raise InputError(f"{place} must be a table of names and values, got {values!r}")
    hints = get_type_hints(kind)
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    arguments = {}
    for key, value in values.items():
        if key not in known:
            hint = did_you_mean(key, known) or f"; known keys: {', '.join(sorted(known))}"
            raise InputError(f"unknown key '{key}' in {place}{hint}")
        arguments[key] = _coerce(hints[key], value, f"{place}.{key}")
    return kind(**arguments)


def _coerce(hint: Any, value: Any, place: str) -> Any:
    if is_dataclass(hint) and isinstance(value, dict):
        return from_dict(hint, value, place=place)  # type: ignore[arg-type]
    if get_origin(hint) is UnionType:
        wanted = [one for one in get_args(hint) if one is not NoneType]
        return value if value is None or len(wanted) > 1 else _coerce(wanted[0], value, place)
    if get_origin(hint) is tuple:
        return _coerce_tuple(get_args(hint), value, place)
    hint = get_origin(hint) or hint
    if isinstance(value, np.generic):
        value = value.item()
    if hint is str and isinstance(value, os.PathLike):
        value = os.fspath(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise InputError(f"{place} is too large a number: it has {value.bit_length()} bits") from error
    if isinstance(hint, type) and (not isinstance(value, hint) or (hint is int and isinstance(value, bool))):
        raise InputError(f"{place} must be of type {hint.__name__}, got {value!r}")
    return value


def _coerce_tuple(hints: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{place} must be a list, got {value!r}")
    if hints[-1] is Ellipsis:
        hints = (hints[0],) * len(value)
    if len(value) != len(hints):
        raise InputError(f"{place} must be a list of {len(hints)} values, got {value!r}")
    return tuple(
        _coerce(hint, item, f"{place}[{i}]") for i, (hint, item) in enumerate(zip(hints, value, strict=True))
    )


def check_types(settings: Any) -> None:
    """Have the fields of a frozen dataclass of settings be of their types: NumPy's numbers become Python's.

    Raises
    ------
    InputError
        A value of another type.
    """
    for name, hint in get_type_hints(type(settings)).items():
        object.__setattr__(settings, name, _coerce(hint, getattr(settings, name), name))


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file, in any encoding of text, as a dictionary.

    Raises
    ------
    InputError
        The file is missing or is not TOML.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist or is not a file; give a TOML file")
    try:
        return tomllib.loads(decoded(regular(path).read_bytes())[0])
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{path} cannot be read as TOML: it is nested too deeply") from error


def check_numbers(settings: Any, *, positive: Iterable[str] = ()) -> None:
    """Check every number of a dataclass of settings by its name and shape.

    Pairs are ranges (lowest, highest); ``p_...`` and ``..._part`` lie between 0 and 1; nothing is
    negative or infinite, and those that must be `positive` are not 0.

    Raises
    ------
    InputError
        One is not so; names the setting and the value.
    """
    for item in fields(settings):
        value = getattr(settings, item.name)
        numbers = value if isinstance(value, tuple) else (value,)
        if not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in numbers) or not numbers:
            continue
        largest = 1.0 if item.name.startswith("p_") or item.name.endswith("_part") else math.inf
        if not all(math.isfinite(x) and 0 <= x <= largest for x in numbers):
            rule = "between 0 and 1" if largest == 1.0 else "a finite number that is not negative"
            raise InputError(f"setting '{item.name}' must be {rule}, got {value}")
        if isinstance(value, tuple) and (len(value) != 2 or value[0] > value[1]):
            raise InputError(f"setting '{item.name}' must be (lowest, highest), got {value}")
    for name in positive:
        if getattr(settings, name) <= 0:
            raise InputError(f"setting '{name}' must be positive, got {getattr(settings, name)}")
