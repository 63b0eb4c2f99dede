"""Findings: numbers with their interval, and how much of it comes from sorting and from the data.

The total variance is that of the law of total variance: the variance over draws of what each draw gives,
which is due to sorting, and the mean over draws of the variance inside one, which is due to the data and
estimated by bootstrap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
AT = np.array([NormalDist().inv_cdf((k + 0.5) / 101) for k in range(101)])
"""A normal law as so many values, each as probable."""
Key = Any
"""Whom a finding is of: a unit, a pair of units, or None: the whole sorting."""


@dataclass(frozen=True, eq=False)
class Finding:
    """One result with its interval; each value has the shape of the result, nan where nothing is known.

    mean : over the draws that have it; in_use : with the sorting in use
    low, high : interval
    sd : of sorting and data together
    from_sorting : share of the variance that is due to sorting, the rest is due to the data
    p_there : share of the draws that have it: those in which its units are there
    draws, values : which draws have it, (m,), and what it is in them, (m, ...)
    """

    mean: Floats
    in_use: Floats
    low: Floats
    high: Floats
    sd: Floats
    from_sorting: Floats
    p_there: float = 1.0
    draws: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    values: Floats = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, eq=False)
class Findings(Mapping["tuple[Key, str]", Finding]):
    """Findings by whom they are of and by name, such as ``findings[12, "rate_hz"]``.

    n : draws; level : of the intervals
    n_new, n_not_there : mean number of units in a draw that are not in use, and the other way round
    """

    found: Mapping[tuple[Key, str], Finding]
    n: int
    level: float
    n_new: float = math.nan
    n_not_there: float = math.nan

    def __getitem__(self, key: tuple[Key, str]) -> Finding:
        return self.found[key]

    def __iter__(self) -> Iterator[tuple[Key, str]]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def rows(self) -> list[dict[str, Any]]:
        """A table of those that are numbers, one row each: `pandas.DataFrame` takes it."""
        return [
            {
                "of": of,
                "name": name,
                **{
                    column: float(getattr(one, column))
                    for column in ("in_use", "mean", "low", "high", "sd", "from_sorting", "p_there")
                },
            }
            for (of, name), one in self.found.items()
            if one.mean.ndim == 0
        ]


@dataclass(eq=False)
class Collected:
    """What draws gave of one result.

    values : (...,) of each draw; inside : variance of bootstrapped values in a draw, and how much it counts
    draws : numbers of the draws; from 0 on when left out
    """

    values: list[Floats] = field(default_factory=list)
    inside: list[tuple[Floats, float]] = field(default_factory=list)
    draws: list[int] = field(default_factory=list)

    def variance_inside(self) -> Floats:
        """Mean variance inside a draw, nan where nothing was bootstrapped: (...,)."""
        shape = np.shape(self.values[0]) if self.values else ()
        total, weight = np.zeros(shape), np.zeros(shape)
        for variance, counts in self.inside:
            known = np.isfinite(variance)
            total += counts * np.where(known, variance, 0.0)
            weight += counts * known
        return np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), np.nan)


def bootstrapped(values: ArrayLike, period: float | None = None) -> Floats:
    """Variance of bootstrapped values (B, ...), without those that are nan: (...,), nan of fewer than two."""
    found = np.asarray(values, dtype=np.float64)
    if period is not None and len(found):
        found = _unwrapped(found - _circular_mean(found, period), period)
    known = np.isfinite(found)
    n = known.sum(axis=0)
    mean = np.where(known, found, 0.0).sum(axis=0) / np.maximum(n, 1)
    square = (np.where(known, found - mean, 0.0) ** 2).sum(axis=0)
    return np.asarray(np.where(n > 1, square / np.maximum(n - 1, 1), np.nan))


def finding(
    collected: Collected,
    in_use: ArrayLike,
    *,
    n: int,
    level: float,
    period: float | None = None,
    is_positive: bool = False,
) -> Finding:
    """Mean, interval and variance of one result.

    Parameters
    ----------
    n : draws, also those that do not have it
    period : of a result on a circle; its interval is not wrapped, so that low < mean < high
    is_positive : whether it is more than 0, and its errors grow with it

    The interval has the quantiles of a mixture: around the value of each draw a normal law with the variance
    inside draws; of a positive result a log-normal law with this variance, relative to the mean.
    """
    values = np.array(collected.values, dtype=np.float64)
    of_use = np.asarray(in_use, dtype=np.float64)
    if not len(values):
        nothing = np.full(of_use.shape, np.nan)
        return Finding(nothing, of_use, nothing, nothing, nothing, nothing, 0.0)
    shape = values.shape[1:]
    centre = np.zeros(shape) if period is None else _circular_mean(values, period)
    values = _unwrapped(values - centre, period)
    by_sorting, by_data = _over_draws(np.var, values), collected.variance_inside()
    total = by_sorting + np.nan_to_num(by_data)
    off = AT.reshape(-1, *[1] * len(shape)) * np.sqrt(np.nan_to_num(by_data))
    if is_positive:
        mean = _over_draws(np.mean, values)
        around = values[:, None] * np.exp(off / np.where(mean > 0, mean, np.inf))
    else:
        around = values[:, None] + off
    pool = around.reshape(-1, *shape)
    tail = (1 - level) / 2
    low, high = (_over_draws(partial(_quantile, share=share), pool) for share in (tail, 1 - tail))
    return Finding(
        mean=centre + _over_draws(np.mean, values),
        in_use=of_use,
        low=centre + low,
        high=centre + high,
        sd=np.sqrt(total),
        from_sorting=np.where(
            np.isnan(by_data) | (total <= 0), np.nan, by_sorting / np.where(total > 0, total, 1)
        ),
        p_there=len(values) / n,
        draws=np.array(collected.draws or range(len(values)), dtype=np.int64),
        values=centre + values,
    )


def _quantile(values: Floats, axis: int, share: float) -> Floats:
    return np.asarray(np.quantile(values, share, axis=axis, method="hazen"))


def _over_draws(statistic: Any, values: Floats) -> Floats:
    """A statistic over the first axis, without what is nan there; nan where nothing is left."""
    flat = values.reshape(len(values), -1)
    known = np.isfinite(flat)
    if known.all():
        return np.asarray(statistic(values, axis=0), dtype=np.float64)
    found = [
        float(statistic(column[one], axis=0)) if one.any() else math.nan
        for column, one in zip(flat.T, known.T, strict=True)
    ]
    return np.array(found).reshape(values.shape[1:])


def _circular_mean(values: Floats, period: float) -> Floats:
    turn = 2 * np.pi / period
    mean = _over_draws(np.mean, np.cos(turn * values)) + 1j * _over_draws(np.mean, np.sin(turn * values))
    return np.asarray(np.angle(mean) / turn % period)


def _unwrapped(apart: Floats, period: float | None) -> Floats:
    return apart if period is None else (apart + period / 2) % period - period / 2
