"""Probabilities as people read them, the same in the window and in a terminal."""

from __future__ import annotations

ALMOST_ALL = 100 - 1e-4
"""Percent from which on the rest is rounding of floating-point numbers."""


def percent(share: float) -> str:
    """``55 %``; never 0 or 100 for what is possible but not certain; ``unknown`` for nan."""
    value = 100 * share
    if value != value:
        return "unknown"
    if 0 < value < 1:
        return "<1\u2009%"
    if 99 <= value < ALMOST_ALL:
        return ">99\u2009%"
    return f"{value:.0f}\u2009%"


def percent_of_draws(share: float) -> str:
    """The same for a share of finitely many draws: what none of them is may be possible."""
    return percent(share) if share > 0 else "<1\u2009%"
