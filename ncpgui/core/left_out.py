"""Units that matching had and a sorting is without: how many, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ncpgui.core.counted import count
from ncpgui.core.errors import InputError

MIN_RATE_HZ = 0.1
"""Units that fire less often are not kept: too few spikes to tell a neuron from what is left of others."""


@dataclass(frozen=True)
class LeftOut:
    """Units that were left out, and the spikes that some of them had.

    faint : whose templates do not stand out of the noise of their own filter: proposals, and what became of
        them; `matching` looked for no spikes of theirs, or no longer
    like_noise, like_noise_spikes : whose mean waveforms look like crossings of the threshold by noise
    rare, rare_spikes : that fire less than `MIN_RATE_HZ`
    """

    faint: int = 0
    like_noise: int = 0
    like_noise_spikes: int = 0
    rare: int = 0
    rare_spikes: int = 0

    def told(self) -> dict[str, int]:
        """All of it as plain values, which `restored` takes."""
        return asdict(self)

    @classmethod
    def restored(cls, told: Mapping[str, Any]) -> LeftOut:
        """What `told` was taken from.

        Raises
        ------
        InputError
            A name or a number that cannot be.
        """
        names = {one.name for one in fields(cls)}
        for name, value in told.items():
            if name not in names:
                raise InputError(f"units that are left out have no {name!r}, only {', '.join(sorted(names))}")
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InputError(f"{name} of what is left out is {value!r}, and should be a number from 0 on")
        return cls(**told)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What people are told, the units that are noise first; nothing where nothing was left out."""
        return tuple(
            sentence
            for n, sentence in (
                (
                    self.like_noise,
                    f"{count(self.like_noise, 'unit')} left out as noise, with "
                    f"{count(self.like_noise_spikes, 'spike')}: "
                    "what noise looks like where it crosses the threshold, and no higher",
                ),
                (
                    self.faint,
                    f"{count(self.faint, 'unit')} left out as noise: the template does not stand out of "
                    "the noise of its own filter",
                ),
                (
                    self.rare,
                    f"{count(self.rare, 'unit')} left out, with {count(self.rare_spikes, 'spike')}: less "
                    f"than {MIN_RATE_HZ:g} spikes a second are too few to tell a neuron from what others "
                    "leave",
                ),
            )
            if n
        )
