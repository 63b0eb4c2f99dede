"""The natural logarithm in single precision, in a form in which loops take some numbers at a time.

A call of the C library for each number takes longer than a product with a row of weights. The polynomial is
that of `logf` of the Cephes library (S. L. Moshier), exact to one or two units of the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic as _typed_intrinsic

from ncpgui.engine.compiled.options import Array, compiled_on_views

intrinsic: Callable[[Any], Any] = _typed_intrinsic  # whose own type forgets that it passes the context
_ROOT_OF_HALF = np.int32(0x3F3504F3)  # as bits: mantissas are taken from it to its double
_MANTISSA = np.int32(0x7FFFFF)
_ENDLESS = np.float32(np.inf)


def _same_bits(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))


@intrinsic
def _bits(_context: Any, _number: Any) -> Any:
    return types.int32(types.float32), _same_bits


@intrinsic
def _number(_context: Any, _bits: Any) -> Any:
    return types.float32(types.int32), _same_bits


@compiled_on_views
def log(x: np.float32) -> np.float32:
    """Logarithm of a normal number above 0; infinity and nan stay what they are."""
    bits = _bits(x) - _ROOT_OF_HALF
    power = np.float32(bits >> np.int32(23))
    m = _number((bits & _MANTISSA) + _ROOT_OF_HALF) - np.float32(1)
    series = np.float32(7.0376836292e-2)
    series = series * m - np.float32(1.1514610310e-1)
    series = series * m + np.float32(1.1676998740e-1)
    series = series * m - np.float32(1.2420140846e-1)
    series = series * m + np.float32(1.4249322787e-1)
    series = series * m - np.float32(1.6668057665e-1)
    series = series * m + np.float32(2.0000714765e-1)
    series = series * m - np.float32(2.4999993993e-1)
    series = series * m + np.float32(3.3333331174e-1)
    squared = m * m
    rest = series * m * squared + power * np.float32(-2.12194440e-4) - np.float32(0.5) * squared
    result = m + rest + power * np.float32(0.693359375)
    return result if x < _ENDLESS else x


@compiled_on_views
def log_of_one_more(values: Array) -> None:
    """Replace values, 0 and more, by log(1 + value)."""
    for j in range(len(values)):
        values[j] = log(np.float32(1) + values[j])
