"""Times of what happened during a recording: stimuli, choices, licks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import NUMBERS, WHOLE_NUMBERS, array
from ncpgui.core.errors import InputError


@dataclass(frozen=True, eq=False)
class Events:
    """Events of one or more kinds.

    time_s : (n,) float64, seconds of the recording's clock, those of each kind increasing
    kind : (n,) int64, index into `names`; all of the first kind when left out
    names : of the kinds, each with an event at least

    Raises
    ------
    InputError
        No events, no numbers, times that do not increase, kinds without a name.
    """

    time_s: NDArray[np.float64]
    kind: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    names: tuple[str, ...] = ("events",)

    def __post_init__(self) -> None:
        time_s = array(self.time_s, "times of events", NUMBERS).astype(np.float64)
        if time_s.ndim != 1:
            raise InputError(f"times of events must be a list of numbers, got shape {time_s.shape}")
        if len(time_s) == 0:
            raise InputError("there is no time of an event; give one at least")
        kind = array(self.kind, "kinds of events", WHOLE_NUMBERS).astype(np.int64)
        kind = np.zeros(len(time_s), np.int64) if len(kind) == 0 else kind
        object.__setattr__(self, "time_s", time_s)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "names", tuple(str(name) for name in self.names))
        if not np.isfinite(time_s).all():
            bad = int(np.flatnonzero(~np.isfinite(time_s))[0])
            raise InputError(f"the time of event {bad + 1} is {time_s[bad]}; give a number of seconds")
        if kind.shape != time_s.shape or not np.array_equal(np.unique(kind), np.arange(len(self.names))):
            raise InputError(
                f"each event needs a kind of the {len(self.names)} named ones, and each kind an event"
            )
        for index, name in enumerate(self.names):
            times = time_s[kind == index]
            steps = np.flatnonzero(np.diff(times) <= 0)
            if len(steps):
                row = int(steps[0])
                raise InputError(
                    f"event {row + 2} of '{name}' at {times[row + 1]:g} s is not after the one before it at "
                    f"{times[row]:g} s; sort the times, and give each once"
                )

    def __len__(self) -> int:
        return len(self.time_s)

    def times_of(self, kind: int | None) -> NDArray[np.float64]:
        """Times of the events of a kind, or (None) of all, increasing: (n,) s."""
        return np.sort(self.time_s if kind is None else self.time_s[self.kind == kind])
