"""Numbers of units that take work, each computed once: quality metrics, and firing times of pairs.

Both are about the spikes of a unit, and are known by their version: of a unit that has other spikes they are
computed again if they are on screen. They wait behind everything else that the screen waits for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.work import jobs
from ncpgui.app.work.tasks import Runner, Task
from ncpgui.core.signals import Signal

if TYPE_CHECKING:
    from ncpgui.analysis.unit_metrics import UnitMetrics

UNITS_AT_ONCE = 16
"""Of which metrics are computed before anything else of the screen has its turn."""
METRICS, PAIRS = "unit metrics", "pairs"
Versioned = tuple[int, int]
"""A unit and the version of its spikes."""


class UnitEvidence:
    """Asks for what is missing, and remembers what came.

    Signal: `changed` something of it arrived.
    """

    changed: ClassVar[Signal] = Signal()

    def __init__(self, workspace: Workspace, runner: Runner) -> None:
        self._workspace = workspace
        self._runner = runner
        self._wants_metrics = False
        self._begin()
        workspace.opened.connect(self._opened)
        workspace.units_changed.connect(lambda _: self._ask_metrics())

    def _begin(self) -> None:
        self._metrics: dict[Versioned, UnitMetrics] = {}
        self._nats: dict[tuple[Versioned, Versioned], float] = {}
        self._asked: set[Versioned] = set()
        self._asked_pairs: set[tuple[Versioned, Versioned]] = set()

    @property
    def metrics(self) -> dict[int, UnitMetrics]:
        """By unit, those that are known of its spikes."""
        return {one[0]: found for one, found in self._metrics.items() if one == self._now(one[0])}

    @property
    def nats(self) -> dict[tuple[int, int], float]:
        """Of pairs of units (the smaller first), log likelihood of one neuron against two."""
        return {
            (one[0], other[0]): nats
            for (one, other), nats in self._nats.items()
            if one == self._now(one[0]) and other == self._now(other[0])
        }

    def _now(self, unit: int) -> Versioned:
        return unit, self._workspace.clustering.version(unit)

    def want_metrics(self, wanted: bool) -> None:
        """Compute metrics of all units, or stop."""
        if wanted == self._wants_metrics:
            return
        self._wants_metrics = wanted
        if wanted:
            self._ask_metrics()
        else:
            self._runner.cancel_key(METRICS)

    def _opened(self) -> None:
        self._runner.cancel_key(METRICS)
        self._runner.cancel_key(PAIRS)
        self._begin()
        self._ask_metrics()

    def _ask_metrics(self) -> None:
        project = self._workspace.project
        if not self._wants_metrics or project is None or self._asked:
            return
        known = self.metrics
        missing = [unit for unit in self._workspace.clustering.unit_ids.tolist() if unit not in known]
        units = missing[:UNITS_AT_ONCE]
        if not units:
            return
        spikes = project.spikes
        ids = {unit: self._workspace.clustering.spikes_of(unit) for unit in units}
        trains = {unit: spikes.sample_index[ids[unit]] for unit in units}
        fired = {unit: project.fired[ids[unit]] for unit in units}
        amplitudes = {unit: spikes.amplitude[ids[unit]] for unit in units}
        asked = self._asked = {self._now(unit) for unit in units}

        def done(found: dict[int, UnitMetrics]) -> None:
            self._metrics.update({one: found[one[0]] for one in asked})
            self._asked = set()
            self.changed.emit()
            self._ask_metrics()

        def failed(error: Exception) -> None:
            self._wants_metrics = False
            self._asked = set()
            self._workspace.told.emit(f"No quality metrics: {error}")

        self._runner.submit(
            Task(
                "Quality metrics",
                lambda p: jobs.unit_metrics(
                    trains, fired, amplitudes, spikes.sampling_frequency_hz, spikes.n_samples, progress=p
                ),
                done,
                failed=failed,
                cancelled=self._asked.clear,
                key=METRICS,
                lane="view",
                priority=-1,
            )
        )

    def ask_pairs(self, unit: int, others: Iterable[int]) -> None:
        """Ask what firing times say of a unit and each of the others."""
        project = self._workspace.project
        pairs = [(min(unit, other), max(unit, other)) for other in others]
        asked = {(one, other): (self._now(one), self._now(other)) for one, other in pairs}
        pairs = [one for one in pairs if asked[one] not in self._nats and asked[one] not in self._asked_pairs]
        waits = {asked[one] for one in pairs}
        if project is None or not pairs:
            return
        trains: dict[int, NDArray[np.int64]] = {
            one: project.fired[self._workspace.clustering.spikes_of(one)]
            for one in {one for pair in pairs for one in pair}
        }
        self._asked_pairs.update(waits)
        rate_hz = project.spikes.sampling_frequency_hz

        def done(found: dict[tuple[int, int], float]) -> None:
            self._nats.update({asked[pair]: nats for pair, nats in found.items()})
            self._asked_pairs -= waits
            self.changed.emit()

        self._runner.submit(
            Task(
                "Firing times of pairs",
                lambda p: jobs.pair_times(trains, pairs, rate_hz, progress=p),
                done,
                failed=lambda error: self._workspace.told.emit(f"No firing times of pairs: {error}"),
                cancelled=lambda: self._asked_pairs.difference_update(waits),
                key=PAIRS,
                lane="view",
                priority=1,
            )
        )
