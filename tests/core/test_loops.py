"""Compiled loops give what Python gives, and are kept on the disk."""

from __future__ import annotations

import numpy as np

from ncpgui.core.loops import compiled


def total(values):
    result = 0.0
    for value in values:
        result += value
    return result


def test_what_is_compiled_gives_what_python_gives() -> None:
    values = np.arange(5.0)
    assert compiled()(total)(values) == total(values) == 10


def test_what_is_compiled_is_kept_on_the_disk() -> None:
    assert compiled()(total).stats.cache_path
