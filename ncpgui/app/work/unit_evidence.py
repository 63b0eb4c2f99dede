"""Numbers of units that take work, each computed once: quality metrics, and firing times of pairs.

Both are about the spikes of a unit; when these change they are forgotten, and computed again if they are on
screen. They wait behind everything else that the screen waits for.
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
from ncpgui.curation.clustering import Change

if TYPE_CHECKING:
    from ncpgui.analysis.unit_metrics import UnitMetrics

UNITS_AT_ONCE = 16
"""Of which metrics are computed before anything else of the screen has its turn."""
METRICS, PAIRS = "unit metrics", "pairs"


class UnitEvidence:
    """Asks for what is missing, and remembers what came.

    Signal: `changed` something of it arrived.

    Attributes
    ----------
    metrics : by unit, those that are known
    nats : of pairs of units (the smaller first), log likelihood of one neuron against two
    """

    changed: ClassVar[Signal] = Signal()

    def __init__(self, workspace: Workspace, runner: Runner) -> None:
        self.metrics: dict[int, UnitMetrics] = {}
        self.nats: dict[tuple[int, int], float] = {}
        self._workspace = workspace
        self._runner = runner
        self._asked: set[int] = set()
        self._asked_pairs: set[tuple[int, int]] = set()
        self._wants_metrics = False
        workspace.opened.connect(self._forget_all)
        workspace.units_changed.connect(self._units_changed)

    def want_metrics(self, wanted: bool) -> None:
        """Compute metrics of all units, or stop."""
        if wanted == self._wants_metrics:
            return
        self._wants_metrics = wanted
        if wanted:
            self._ask_metrics()
        else:
            self._runner.cancel_key(METRICS)

    def _forget_all(self) -> None:
        self._runner.cancel_key(METRICS)
        self._runner.cancel_key(PAIRS)
        self.metrics.clear()
        self.nats.clear()
        self._asked.clear()
        self._asked_pairs.clear()
        self._ask_metrics()

    def _units_changed(self, change: Change) -> None:
        units = {*change.added, *change.removed, *change.modified}
        for unit in units:
            self.metrics.pop(unit, None)
        self._asked -= units
        for pair in [pair for pair in self.nats if units & {*pair}]:
            del self.nats[pair]
        self._asked_pairs = {pair for pair in self._asked_pairs if not units & {*pair}}
        self._ask_metrics()

    def _ask_metrics(self) -> None:
        project = self._workspace.project
        if not self._wants_metrics or project is None or self._asked:
            return
        missing = [unit for unit in self._workspace.clustering.unit_ids.tolist() if unit not in self.metrics]
        units = missing[:UNITS_AT_ONCE]
        if not units:
            return
        spikes = project.spikes
        ids = {unit: self._workspace.clustering.spikes_of(unit) for unit in units}
        trains = {unit: spikes.sample_index[ids[unit]] for unit in units}
        fired = {unit: project.fired[ids[unit]] for unit in units}
        amplitudes = {unit: spikes.amplitude[ids[unit]] for unit in units}
        self._asked = set(units)

        def done(found: dict[int, UnitMetrics]) -> None:
            self.metrics.update({unit: found[unit] for unit in units if unit in self._asked})
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
        pairs = [pair for pair in pairs if pair not in self.nats and pair not in self._asked_pairs]
        if project is None or not pairs:
            return
        trains: dict[int, NDArray[np.int64]] = {
            one: project.fired[self._workspace.clustering.spikes_of(one)]
            for one in {one for pair in pairs for one in pair}
        }
        self._asked_pairs.update(pairs)
        rate_hz = project.spikes.sampling_frequency_hz

        def done(found: dict[tuple[int, int], float]) -> None:
            self.nats.update({pair: nats for pair, nats in found.items() if pair in self._asked_pairs})
            self._asked_pairs.difference_update(pairs)
            self.changed.emit()

        self._runner.submit(
            Task(
                "Firing times of pairs",
                lambda p: jobs.pair_times(trains, pairs, rate_hz, progress=p),
                done,
                failed=lambda error: self._workspace.told.emit(f"No firing times of pairs: {error}"),
                cancelled=lambda: self._asked_pairs.difference_update(pairs),
                key=PAIRS,
                lane="view",
                priority=1,
            )
        )
