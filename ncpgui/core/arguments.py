"""What callers pass to public functions: taken as it was meant, or refused by name and value.

NumPy's scalars are numbers like others. Text is no number, and a number with a fraction is no count.
"""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, silent

T = TypeVar("T")
NUMBERS, WHOLE_NUMBERS, BOOLEANS = "fiu", "iu", "b"
"""Kinds of arrays, as letters of `numpy.dtype.kind`."""
_WORDS = {NUMBERS: "numbers", WHOLE_NUMBERS: "whole numbers", NUMBERS + BOOLEANS: "numbers"}
MOST_SHOWN = 60


def whole_number(value: object, name: str, *, least: int | None = None) -> int:
    """Return a count or an index as int.

    Raises
    ------
    InputError
        It is none, or less than `least`.
    """
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{name} must be a whole number, got {shown(value)}") from None
    if least is not None and number < least:
        raise InputError(f"{name} must be a whole number from {least} on, got {number}")
    return number


def number(value: object, name: str) -> float:
    """Return a number as float; NaN and infinite ones too.

    Raises
    ------
    InputError
        It is none: text, a boolean, None, several numbers.
    """
    kind = getattr(value, "dtype", None)
    is_number = isinstance(value, (int, float)) or (kind is not None and kind.kind in NUMBERS)
    if not is_number or isinstance(value, bool) or np.ndim(value) != 0:  # type: ignore[arg-type]
        raise InputError(f"{name} must be a number, got {shown(value)}")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise InputError(f"{name} is too large a number, got {shown(value)}") from None


def array(values: object, name: str, kinds: str = NUMBERS) -> NDArray[Any]:
    """Return an array of numbers, as they are; without a number in it, of any kind.

    kinds : `NUMBERS`, or `WHOLE_NUMBERS`, which floats without a fraction are too

    Raises
    ------
    InputError
        Something else: text, None, rows of different lengths, fractions where whole numbers are asked for.
    """
    try:
        found = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be an array of {_WORDS[kinds]}: {error}") from None
    if found.size == 0 or found.dtype.kind in kinds:
        return found
    if kinds == WHOLE_NUMBERS and found.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = np.isfinite(found) & (found == np.round(found)) & (np.abs(found) < 2**53)
        if whole.all():
            return found.astype(np.int64)
        raise InputError(f"{name} must be whole numbers, got {found[~whole][0]}")
    raise InputError(f"{name} must be an array of {_WORDS[kinds]}, got {_kind(values, found)}")


def instance(value: object, kind: type[T], name: str, way_out: str) -> T:
    """Return a value that is of a class; InputError with a way out otherwise."""
    if isinstance(value, kind):
        return value
    raise InputError(f"{name} must be a {kind.__name__}, got {shown(value)}; {way_out}")


def path(value: object, name: str) -> Path:
    """Return a name or a place as a path.

    Raises
    ------
    InputError
        It is neither text nor a path.
    """
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if isinstance(text, str):
            return Path(text)
    raise InputError(f"{name} must be given as text or a path, got {shown(value)}")


def reporting(progress: object, name: str = "progress") -> Progress:
    """Return what is told how far a job is: nobody for None.

    Raises
    ------
    InputError
        It cannot be called as ``progress(done, total, message)``.
    """
    if progress is None:
        return silent
    if callable(progress) and _takes_three(progress):
        return progress
    raise InputError(f"{name} must be a function of (done, total, message), or None, got {shown(progress)}")


def shown(value: object) -> str:
    """A value in a message: short ones as they are, else their type."""
    try:
        text = repr(value)
    except Exception:
        text = ""
    kind = type(value).__name__
    if not text or len(text) > MOST_SHOWN or "\n" in text:
        return f"a {kind}"
    return text if value is None or kind in text else f"{text} ({kind})"


def true_or_false(value: object, name: str) -> bool:
    """Return a choice as bool; InputError where it is none."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputError(f"{name} must be True or False, got {shown(value)}")


def pairs(values: object, name: str) -> list[tuple[int, int]]:
    """Return pairs of whole numbers, of whatever holds them; none of None.

    Raises
    ------
    InputError
        Something else than pairs is in it.
    """
    if values is None:
        return []
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be pairs of spikes, such as [(0, 1)], got {shown(values)}")
    found = array(list(values), name, WHOLE_NUMBERS)
    if found.size == 0:
        return []
    if found.ndim != 2 or found.shape[1] != 2:
        raise InputError(f"{name} must be pairs of spikes, such as [(0, 1)], got shape {found.shape}")
    return [(int(one), int(other)) for one, other in found]


def _takes_three(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None, None)
    except TypeError:
        return False
    except ValueError:  # it does not say what it takes
        return True
    return True


def _kind(values: object, found: NDArray[Any]) -> str:
    return shown(values) if found.ndim == 0 else f"an array of {found.dtype}"
