"""What panels of the open project paint and what takes work: each asks for it while it paints.

=====================  ============================================  ============================
kind                   a key carries                                 made of
=====================  ============================================  ============================
waveforms              component, its sampled spikes and contacts    the recording
templates              nothing: there is one set                     the folder of the sorting
t-SNE                  sampled spikes and contacts                   their features
receptive fields       spikes of a unit                              the stimulus
responses to events    events, their kind, window, spikes of a unit  when they were
findings over draws    its data, edits, sampled components          the posterior as it stands
correlograms           scale, spikes of each unit of the grid        when they were
correlograms of cards  scale, spikes of two units                    when they were
traces                 contacts, sample and how far around it        the recording
quality metrics        unit and version of its spikes                when and how large they were
firing times of pairs  two units and versions of their spikes        when they were
=====================  ============================================  ============================

All of it is of one project: another one, or a recording that was found again, has another `PanelData`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.analysis.unit_metrics import UnitMetrics, unit_metrics
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.correlograms import Scale, Trains, spikes_of_grid
from ncpgui.app.presenters.events import EventWindow, Response
from ncpgui.app.presenters.finding import FindingChoice, FindingOfUnit
from ncpgui.app.presenters.receptive_fields import spikes_key, trains_of_tiles
from ncpgui.app.presenters.traces import Look, TraceWindow
from ncpgui.app.work import jobs, measures
from ncpgui.app.work.computed import Computed
from ncpgui.app.work.finding import findings_of_units
from ncpgui.app.work.tasks import ONCE_SETTLED_S, Runner
from ncpgui.app.work.trace_reader import TraceReader
from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.progress import Progress
from ncpgui.core.project import Project

if TYPE_CHECKING:
    from ncpgui.analysis.receptive_field import ReceptiveField

UNITS_AT_ONCE = 16
"""Of which metrics are computed before anything else of the screen has its turn."""
MOST_TRACES = 12
CARD_SCALE = Scale()
Spikes = NDArray[np.int64]
Unit = tuple[int, int]
"""A unit and the version of its spikes."""


class PanelData:
    """What is computed of a project: each method gives what is there, and begins what is missing.

    Parameters
    ----------
    arrived : told the kind of what arrived, or of what will not come
    """

    def __init__(self, workspace: Workspace, runner: Runner, arrived: Callable[[str], None]) -> None:
        self._workspace = workspace
        self._project = workspace.state.project
        self._runner = runner
        self._told = arrived
        self._reader: TraceReader | None = None
        self._waveforms = Computed(
            "waveforms", _read_waveforms, runner, arrived=self._put_waveforms,
            failed=workspace.state.told.emit, at_once=1, most=1, priority=2,
        )  # fmt: skip
        self._templates = Computed(
            "templates", _read_templates, runner, arrived=lambda found: self._put_shapes(found[""]),
            failed=lambda problem: self._put_shapes(None, problem), priority=2,
        )  # fmt: skip
        self._embeddings = self._kind("t-SNE", _embed, priority=0, after_s=ONCE_SETTLED_S)
        self._fields = self._kind("receptive fields", self._find_fields, tells_itself=True)
        self._responses = self._kind("responses to events", self._respond, tells_itself=True)
        self._findings = self._kind(
            "findings over draws", _find, tells_itself=True, most=8, priority=-2, after_s=ONCE_SETTLED_S
        )
        self._correlograms = self._kind("correlograms", self._correlate)
        self._of_cards = self._kind("correlograms of cards", self._correlate, priority=-1)
        self._traces = self._kind(
            "traces", self._read_traces, tells_itself=True, most=MOST_TRACES, priority=3
        )
        self._metrics = self._kind("quality metrics", self._measure, at_once=UNITS_AT_ONCE, priority=-1)
        self._pairs = self._kind("firing times of pairs", self._compare)

    def _kind(self, kind: str, make: Any, *, tells_itself: bool = False, **options: Any) -> Any:
        """Make a kind; `tells_itself`: whether the panel says why there is nothing, else the status bar."""

        def failed(problem: str) -> None:
            if tells_itself:
                self._told(kind)
            else:
                self._workspace.state.told.emit(f"No {kind}: {problem}")

        return Computed(
            kind, make, self._runner, arrived=lambda _: self._told(kind), failed=failed, **options
        )

    @property
    def kinds(self) -> tuple[Computed[Any, Any, Any], ...]:
        """All that is computed."""
        return tuple(one for one in vars(self).values() if isinstance(one, Computed))

    def close(self) -> None:
        """Let go of the recording; what is still on its way is of no use any more."""
        for one in self.kinds:
            self._runner.cancel_key(one.kind)
        if self._reader is not None:
            self._reader.close()

    # -- shapes of spikes --------------------------------------------------------------------

    def ask_shapes(self) -> None:
        """Ask for waveforms of what is on screen, or for templates where there is no recording.

        They come into the project (`Workspace.waveforms`, `Workspace.shapes`), as those of sampling do.
        """
        workspace, project = self._workspace, self._workspace.state.project
        if project is None:
            return
        if not project.recording.has_traces and workspace.state.shapes is None:
            self._templates.get("", project)
        lacking = {}
        for component_id in workspace.components_on_screen:
            component, sampled = (
                workspace.component(component_id),
                workspace.state.components.sampled(component_id),
            )
            is_missing = workspace.waveforms(component_id) is None
            if component is not None and sampled is not None and is_missing:
                lacking[component_id, _sampled_key(component)] = (project, component, sampled)
        self._put_waveforms(self._waveforms.get_all(lacking))

    def _put_waveforms(self, found: Mapping[Any, tuple[Component, ComponentWaveforms]]) -> None:
        for sampled, waveforms in found.values():
            is_missing = self._workspace.waveforms(sampled.id) is None
            if is_missing and self._workspace.state.components.sampled(sampled.id) is sampled:
                self._workspace.state.put_waveforms(sampled.id, waveforms)

    def _put_shapes(self, shapes: GivenShapes | None, problem: str = "") -> None:
        now, then = self._workspace.state.project, self._project
        if now is not None and then is not None and now.spikes is then.spikes:
            self._workspace.state.put_shapes(shapes, problem)

    def embedding(self, *, ask: bool = False) -> NDArray[np.float32] | None:
        """t-SNE of what is on screen, None while it is not there; `ask` : begin it then."""
        shown = self._workspace.shown()
        waveforms = None if shown is None else self._workspace.waveforms(shown.component.id)
        if shown is None or waveforms is None:
            return None
        key = _sampled_key(shown.component)
        found: NDArray[np.float32] | None = self._embeddings.known(key)
        if found is None and ask and waveforms.features.shape[1] > 0:
            found = self._embeddings.get(key, waveforms.features)
        return found

    # -- when units fire, and what to --------------------------------------------------------

    def fields(self, *, others: bool) -> tuple[dict[bytes, ReceptiveField], str]:
        """Receptive fields of what is on screen by `spikes_key`, and why there are none, or ''.

        others : of what other cards would make, too
        """
        project = self._workspace.state.project
        if project is None or project.stimulus is None:
            return {}, ""
        trains = trains_of_tiles(self._workspace, others=others)
        return self._fields.get_all(trains), self._fields.problem

    def _find_fields(self, samples: Mapping[bytes, Spikes], progress: Progress) -> Mapping[bytes, Any]:
        assert self._project is not None
        assert self._project.stimulus is not None
        return measures.receptive_fields(self._project.stimulus, dict(samples), progress=progress)

    def responses(self, window: EventWindow, kind: int | None) -> tuple[dict[bytes, Response], str]:
        """Responses to events of a kind (None: all) by `spikes_key`, and why there are none, or ''."""
        project = self._workspace.state.project
        if project is None or project.events is None:
            return {}, ""
        trains = trains_of_tiles(self._workspace, others=True)
        events_s = project.events.times_of(kind)
        found = self._responses.get_all(
            {(project.events, kind, window, key): (train, events_s) for key, train in trains.items()}
        )
        return {key[-1]: response for key, response in found.items()}, self._responses.problem

    def _respond(self, asked: Mapping[Any, tuple[Spikes, Any]], progress: Progress) -> dict[Any, Any]:
        assert self._project is not None
        (_, _, window, _), (_, events_s) = next(iter(asked.items()))
        trains = {key: train for key, (train, _) in asked.items()}
        return measures.event_responses(trains, events_s, self._project.recording, window, progress=progress)

    def finding(self, choice: FindingChoice) -> tuple[tuple[FindingOfUnit, ...] | None, str]:
        """A finding of each unit, None while it is computed, and why there is none, or ''."""
        project = self._workspace.state.project
        if project is None or not choice.is_possible(project):
            return None, ""
        edits, sampled = len(self._workspace.state.history.entries), len(project.components)
        key = (choice.needs, project.events, edits, sampled)
        found = self._findings.get(key, self._workspace.state.snapshot())
        return None if found is None else found[choice.result], self._findings.problem

    def correlograms(self, scale: Scale) -> Trains | None:
        """Correlograms of the grid on screen."""
        key, spikes = spikes_of_grid(self._workspace)
        if not spikes or self._project is None:
            return None
        found: Trains | None = self._correlograms.get((scale, *key), spikes)
        return found

    def correlograms_of_pairs(
        self, pairs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]
    ) -> list[Trains | None]:
        """Correlograms of pairs of sets of spikes (ids), None of those that are computed."""
        keys = [(CARD_SCALE, *map(spikes_key, pair)) for pair in pairs]
        found = self._of_cards.get_all(dict(zip(keys, pairs, strict=True)))
        return [found.get(key) for key in keys]

    def _correlate(self, asked: Mapping[Any, Sequence[Spikes]], progress: Progress) -> dict[Any, Any]:
        """Correlograms of sets of spikes (ids), by keys that begin with their scale."""
        assert self._project is not None
        fired, rate_hz = self._project.fired, self._project.spikes.sampling_frequency_hz
        return {
            key: measures.correlograms(
                [np.sort(fired[ids]) for ids in spikes],
                rate_hz,
                half_ms=key[0].half_ms,
                bin_ms=key[0].bin_ms,
                progress=progress,
            )
            for key, spikes in asked.items()
        }

    # -- traces ------------------------------------------------------------------------------

    def traces(self, look: Look) -> TraceWindow | None:
        """Traces that one looks at; a recording that could not be read is not tried again."""
        if self._project is None or self._traces.problem:
            return None
        if self._reader is None:
            self._reader = TraceReader(self._project)
        key = (look.contacts.tobytes(), look.center, look.half_ms)
        found: TraceWindow | None = self._traces.get(key, look)
        return found

    @property
    def traces_problem(self) -> str:
        """Why there are no traces, '' if nothing is wrong."""
        return self._traces.problem

    def _read_traces(self, asked: Mapping[Any, Look], progress: Progress) -> dict[Any, TraceWindow]:
        reader = self._reader
        assert reader is not None
        return {
            key: reader.read(look.center, look.contacts, look.half_ms, progress=progress)
            for key, look in asked.items()
        }

    # -- numbers of units --------------------------------------------------------------------

    def metrics(self, units: Iterable[int], *, ask: bool) -> dict[int, UnitMetrics]:
        """Quality metrics of units, those that are there; `ask` : begin the others."""
        if not ask and not len(self._metrics):
            return {}
        clustering = self._workspace.state.clustering
        key_of = {unit: (unit, clustering.version(unit)) for unit in units}
        if ask:
            self._metrics.get_all({key: clustering.spikes_of(unit) for unit, key in key_of.items()})
        known = {unit: self._metrics.known(key) for unit, key in key_of.items()}
        return {unit: found for unit, found in known.items() if found is not None}

    def _measure(self, asked: Mapping[Unit, Spikes], progress: Progress) -> dict[Unit, UnitMetrics]:
        project = self._project
        assert project is not None
        spikes = project.spikes
        found = unit_metrics(
            {unit: spikes.sample_index[ids] for (unit, _), ids in asked.items()},
            {unit: spikes.amplitude[ids] for (unit, _), ids in asked.items()},
            fired={unit: project.fired[ids] for (unit, _), ids in asked.items()},
            sampling_frequency_hz=spikes.sampling_frequency_hz,
            n_samples=spikes.n_samples,
            progress=progress,
        )
        return {key: found[key[0]] for key in asked}

    def pairs(self, unit: int, others: Iterable[int]) -> dict[int, float]:
        """What firing times say of a unit and each of the others: nats for one neuron against two."""
        clustering = self._workspace.state.clustering
        key_of = {
            other: tuple((one, clustering.version(one)) for one in sorted((unit, other))) for other in others
        }
        found = self._pairs.get_all(
            {key: [clustering.spikes_of(one) for one, _ in key] for key in key_of.values()}
        )
        return {other: found[key] for other, key in key_of.items() if key in found}

    def _compare(self, asked: Mapping[Any, Any], progress: Progress) -> dict[Any, float]:
        assert self._project is not None
        fired, rate_hz = self._project.fired, self._project.spikes.sampling_frequency_hz
        trains = {key: [fired[ids] for ids in both] for key, both in asked.items()}
        return measures.pair_times(trains, rate_hz, progress=progress)


def _sampled_key(component: Component) -> tuple[bytes, bytes]:
    """Tells which waveforms a component has: of which spikes, on which contacts."""
    return spikes_key(component.spike_ids[component.sampled]), component.contacts.tobytes()


def _read_waveforms(
    asked: Mapping[Any, tuple[Project, Component, Component]], progress: Progress
) -> dict[Any, tuple[Component, ComponentWaveforms]]:
    return {
        key: (sampled, jobs.read_waveforms(project, component, progress=progress))
        for key, (project, component, sampled) in asked.items()
    }


def _read_templates(asked: Mapping[str, Project], progress: Progress) -> dict[str, GivenShapes]:
    return {key: jobs.given_shapes(project, progress=progress) for key, project in asked.items()}


def _find(asked: Mapping[Any, Project], progress: Progress) -> dict[Any, Any]:
    return {key: findings_of_units(project, key[0], progress=progress) for key, project in asked.items()}


def _embed(features: Mapping[Any, NDArray[np.float32]], progress: Progress) -> dict[Any, Any]:
    return {key: measures.embed(one, progress=progress) for key, one in features.items()}
