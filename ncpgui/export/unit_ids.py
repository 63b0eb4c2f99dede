"""Numbers of units for formats that have no text for them, or whose numbers are not as large as ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

INT64 = np.iinfo(np.int64)
LARGEST_CLUSTER = 10**8
"""phy and SpikeInterface make tables that are as long as the largest cluster: those of larger ones fill the
memory.
"""


@dataclass(frozen=True)
class UnitIds:
    """What units are called in a format of numbers.

    number : (k,) int64; name : what they are really called, None where the numbers are that
    """

    number: NDArray[np.int64]
    name: list[str] | None


def unit_ids(
    units: NDArray[np.int64], names: Sequence[int | str], *, least: int = INT64.min, most: int = INT64.max
) -> UnitIds:
    """Number units from `least` to `most`: by their name, else by their number in ncpgui, else anew.

    units : (k,) int64, each once; names : what they are called
    """
    wanted = [name if isinstance(name, int) else int(unit) for unit, name in zip(units, names, strict=True)]
    kept = {number for number in wanted if least <= number <= most}
    above = max(kept, default=-1) + 1
    fresh = (n for n in chain(range(max(above, 0), most + 1), count(0)) if n not in kept)
    numbers = [number if number in kept else next(fresh) for number in wanted]
    same = all(number == name for number, name in zip(numbers, names, strict=True))
    return UnitIds(np.array(numbers, dtype=np.int64), None if same else [str(name) for name in names])
