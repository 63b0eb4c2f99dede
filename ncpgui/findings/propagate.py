"""`ncpgui.propagate(session, analysis)`: what the doubt about the sorting does to a result.

An analysis is any function of a sorting of SpikeInterface. It gives a number or an array, or these by unit,
by pair of units, or by unit and name. It is run on draws of the whole sorting; with a method
`resampled(sorting, rng)`, which gives the same of bootstrapped data, the variance of the data is told from
that of sorting. Analyses of single spike trains (`findings.analyses`) are not run twice on the same train.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import number, reporting, whole_number
from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress
from ncpgui.core.seeds import stream
from ncpgui.findings.draws import Draws, draws
from ncpgui.findings.finding import Collected, Finding, Findings, Key, bootstrapped, finding
from ncpgui.findings.recorded import Recorded, recorded_of, train_of

if TYPE_CHECKING:
    from spikeinterface.core import BaseSorting

Values = Mapping[tuple[Key, str], Any]


@dataclass(frozen=True, eq=False)
class Train:
    """Spikes of a unit in one draw.

    samples : (n,) of the recording, increasing; recorded : what was recorded, and when
    is_divided : it is one of two cells whose waveforms hardly differ, and may hold spikes of the other one
    """

    samples: NDArray[np.int64]
    recorded: Recorded
    is_divided: bool = False

    @property
    def seconds(self) -> NDArray[np.float64]:
        """(n,) s of the recording's clock."""
        return self.recorded.seconds(self.samples)


@runtime_checkable
class TrainAnalysis(Protocol):
    """An analysis of one spike train at a time.

    per_spike : names of results that grow with the number of spikes: they are multiplied for spikes missed
    periods : of results on a circle, by name
    positive : names of results above 0 whose errors grow with them; an analysis may lack it
    """

    @property
    def per_spike(self) -> frozenset[str]:
        """Names, see above."""

    @property
    def periods(self) -> Mapping[str, float]:
        """By name, see above."""

    def of_train(self, train: Train) -> dict[str, Any]:
        """Results by name."""

    def resampled_train(self, train: Train, rng: np.random.Generator) -> dict[str, Any]:
        """The same of bootstrapped data."""


def propagate(
    source: object,
    analysis: TrainAnalysis | Callable[[BaseSorting], Any],
    n: int = 100,
    *,
    seed: int = 0,
    level: float = 0.9,
    bootstraps: int = 100,
    units: Iterable[int] | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Run an analysis over draws of the sorting: mean, interval, and how much of it comes from sorting.

    Parameters
    ----------
    source : a session (its file, or as read), a sorting of `ncpgui.sort`, draws (`ncpgui.draws`), or sortings
        of SpikeInterface: of a single one only the data are bootstrapped
    analysis : one of `ncpgui.findings.analyses`, or a function of a sorting. Its result is a number or an
        array, or a dictionary of these by unit (or pair of units), or of such dictionaries by name
    n : draws
    bootstraps : of each result, at least 2, where the analysis has them: spread over the draws
    level : of the intervals
    units : to look at, in analyses of single trains; all that are in use when left out

    Returns
    -------
    findings by whom they are of and name: ``findings[12, "rate_hz"]``. The name is "value" where the analysis
    has none, and it is of None where it is of the whole sorting.

    Raises
    ------
    InputError
        A number that makes no sense, or a result that is none.
    """
    n, bootstraps = whole_number(n, "n", least=1), whole_number(bootstraps, "bootstraps", least=2)
    level, seed = number(level, "level"), whole_number(seed, "seed")
    if not 0 < level < 1:
        raise InputError(f"level is the probability of an interval, between 0 and 1, got {level}")
    if not isinstance(analysis, TrainAnalysis) and not callable(analysis):
        raise InputError(
            f"an analysis is a function of a sorting, or one of ncpgui.findings.analyses, got {analysis!r}"
        )
    made = _sortings(source, n, seed)
    if units is None and isinstance(made, Draws):
        units = made.posterior.units.tolist()
    run = _Trains(analysis, units, seed, bootstraps) if isinstance(analysis, TrainAnalysis) else None
    whole = None if run is not None else _Whole(analysis, len(made), seed, bootstraps)
    doing = run or whole
    assert doing is not None
    in_use = doing.values(made.in_use) if isinstance(made, Draws) else doing.values(made[0])
    new, gone = [], []
    tell = reporting(progress)
    for index, sorting in enumerate(made):
        tell(index, len(made), "draws")
        doing.add(index, sorting)
        if isinstance(made, Draws):
            gone.append(len(sorting.get_annotation("ncpgui_not_there")))
            new.append(0 if len(sorting.unit_ids) == 0 else int(sorting.get_property("is_new").sum()))
    tell(len(made), len(made), "draws")
    periods = getattr(analysis, "periods", {})
    positive: frozenset[str] = getattr(analysis, "positive", frozenset())
    collected = dict.fromkeys(in_use, Collected()) | doing.finished()
    found: dict[tuple[Key, str], Finding] = {}
    for key in sorted(collected, key=lambda key: (str(type(key[0])), key[0] or 0)):
        unknown = np.full(np.shape(collected[key].values[0]) if collected[key].values else (), np.nan)
        found[key] = finding(
            collected[key],
            in_use.get(key, unknown),
            n=len(made),
            level=level,
            period=periods.get(key[1]),
            is_positive=key[1] in positive,
        )
    means = (float(np.mean(counts)) if counts else float("nan") for counts in (new, gone))
    return Findings(found, len(made), level, *means)


def _sortings(source: object, n: int, seed: int) -> Draws | Sequence[BaseSorting]:
    if isinstance(source, Draws):
        return source
    if isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        if not source or not all(hasattr(one, "get_unit_spike_train") for one in source):
            raise InputError("a list of sortings must have sortings of SpikeInterface, at least one")
        return source
    if hasattr(source, "get_unit_spike_train") and not hasattr(source, "ncpgui_project"):
        return [source]  # type: ignore[list-item]
    return draws(source, n, seed)


@dataclass(eq=False)
class _Whole:
    """An analysis of whole sortings."""

    analysis: Any
    n: int
    seed: int
    bootstraps: int
    collected: dict[tuple[Key, str], Collected] = field(default_factory=dict)

    def values(self, sorting: BaseSorting) -> Values:
        return _named(self.analysis(sorting))

    def add(self, index: int, sorting: BaseSorting) -> None:
        values = self.values(sorting)
        resampled = getattr(self.analysis, "resampled", None)
        each = max(2, -(-self.bootstraps // self.n))
        left = self.bootstraps - index * each
        rng = stream(self.seed, "bootstrap", index)
        again = []
        if resampled is not None and left > 0:
            again = [_named(resampled(sorting, rng)) for _ in range(max(2, min(each, left)))]
        periods = getattr(self.analysis, "periods", {})
        for key, value in values.items():
            collected = self.collected.setdefault(key, Collected())
            collected.values.append(value)
            collected.draws.append(index)
            drawn = [one[key] for one in again if key in one]
            if len(drawn) > 1:
                collected.inside.append((bootstrapped(drawn, periods.get(key[1])), float(len(drawn))))

    def finished(self) -> dict[tuple[Key, str], Collected]:
        return self.collected


@dataclass(eq=False)
class _Trains:
    """An analysis of single trains: each different train is looked at once."""

    analysis: TrainAnalysis
    units: Iterable[int] | None
    seed: int
    bootstraps: int
    trains: dict[tuple[int, bytes, bool], Train] = field(default_factory=dict)
    seen: dict[tuple[int, bytes, bool], list[float]] = field(default_factory=dict)
    where: dict[tuple[int, bytes, bool], list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.units = None if self.units is None else frozenset(self.units)

    def _of(self, sorting: BaseSorting) -> list[tuple[int, Train, float]]:
        """Unit, train, and by how much the spikes that were missed multiply it."""
        recorded = recorded_of(sorting)
        missed, divided = (sorting.get_property(name) for name in ("missed_per_found", "is_divided"))
        found = []
        for row, unit in enumerate(sorting.unit_ids.tolist()):
            if self.units is None or unit in self.units:
                train = Train(
                    train_of(sorting, unit), recorded, False if divided is None else bool(divided[row])
                )
                found.append((unit, train, 1.0 if missed is None else 1.0 + float(missed[row])))
        return found

    def values(self, sorting: BaseSorting) -> Values:
        return {
            (unit, name): self._scaled(name, value, times)
            for unit, train, times in self._of(sorting)
            for name, value in self.analysis.of_train(train).items()
        }

    def add(self, index: int, sorting: BaseSorting) -> None:
        for unit, train, times in self._of(sorting):
            key = unit, train.samples.tobytes(), train.is_divided
            self.trains[key] = train
            self.seen.setdefault(key, []).append(times)
            self.where.setdefault(key, []).append(index)

    def finished(self) -> dict[tuple[Key, str], Collected]:
        collected: dict[tuple[Key, str], Collected] = {}
        draws_of: dict[int, int] = {}
        for (unit, *_), times in self.seen.items():
            draws_of[unit] = draws_of.get(unit, 0) + len(times)
        left = dict.fromkeys(draws_of, self.bootstraps)
        for key, train in self.trains.items():
            unit, times = key[0], self.seen[key]
            wanted = max(2, round(self.bootstraps * len(times) / draws_of[unit]))
            rng = stream(self.seed, "bootstrap", unit, left[unit])
            n_again = wanted if left[unit] > 0 else 0
            left[unit] -= n_again
            again = [self.analysis.resampled_train(train, rng) for _ in range(n_again)]
            for name, value in self.analysis.of_train(train).items():
                into = collected.setdefault((unit, name), Collected())
                into.values += [np.asarray(self._scaled(name, value, factor)) for factor in times]
                into.draws += self.where[key]
                if again:
                    square = float(np.mean(np.square([self._scaled(name, 1.0, one) for one in times])))
                    inside = bootstrapped([one[name] for one in again], self.analysis.periods.get(name))
                    into.inside.append((inside * square, float(len(times))))
        return collected

    def _scaled(self, name: str, value: Any, times: float) -> Any:
        return np.asarray(value) * times if name in self.analysis.per_spike else value


def _named(result: Any) -> Values:
    """The results of an analysis by whom they are of and name."""
    if not isinstance(result, Mapping):
        return {(None, "value"): _checked(result)}
    found: dict[tuple[Key, str], Any] = {}
    for of, value in result.items():
        if isinstance(value, Mapping):
            found |= {(of, str(name)): _checked(one) for name, one in value.items()}
        else:
            found[of, "value"] = _checked(value)
    return found


def _checked(value: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "an analysis gives a number or an array, or a dictionary of these by unit, got "
            f"{type(value).__name__}"
        ) from None
