"""What other programs propose for the units of a sorting: merges, and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NEURON = "neuron"
"""What a unit is called that is no noise, without more being said of it."""
LABELS = ("good", "mua", "noise", NEURON)


@dataclass(frozen=True)
class Proposal:
    """One proposal.

    source : who made it, as people know it, such as "SLAy"
    kind : "merge": the units are one neuron; "label": they are what `label`, one of `LABELS`, says
    units : by number; those of a merge in the order in which they were named
    """

    source: str
    kind: Literal["merge", "label"]
    units: tuple[int, ...]
    label: str = ""
