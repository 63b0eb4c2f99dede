"""What the panels of the component on screen wait for: waveforms, a t-SNE, receptive fields, correlograms."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.correlograms import Scale, Trains, trains_of_grid
from ncpgui.app.presenters.receptive_fields import Field, sortings_with_fields, spikes_key
from ncpgui.app.presenters.traces import HALF_MS, TraceWindow
from ncpgui.app.work import jobs
from ncpgui.app.work.tasks import PAINTED_AFTER_S, Runner, Task
from ncpgui.app.work.trace_reader import TraceReader
from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.project import Project
from ncpgui.core.signals import Signal


class PanelData:
    """Asks for what is missing, once each, and remembers what came.

    Signal: `changed` something of it arrived.

    Attributes
    ----------
    fields : receptive fields by `spikes_key`
    fields_problem : why there are none, '' when there is no reason
    correlograms : by the key of `trains_of_grid`; scale : their window and bins
    wanted : what is on screen, of ``"embedding"``, ``"fields"``, ``"other fields"`` (of what other cards
        would make), ``"correlograms"``, ``"traces"``; the rest is not asked for
    traces : those around the last spike that was asked for
    traces_problem : why there are none, '' when there is no reason
    """

    changed: ClassVar[Signal] = Signal()

    def __init__(self, workspace: Workspace, runner: Runner) -> None:
        self.fields: dict[bytes, Field] = {}
        self.fields_problem = ""
        self.correlograms: dict[tuple[bytes, ...], Trains] = {}
        self.scale = Scale()
        self.wanted: set[str] = set()
        self.traces: TraceWindow | None = None
        self.traces_problem = ""
        self._reader: TraceReader | None = None
        self._traces_key: tuple[str, bytes, int] | None = None
        self._workspace = workspace
        self._runner = runner
        self._embeddings: dict[int, tuple[ComponentWaveforms, NDArray[np.float32]]] = {}
        self._asked: set[Any] = set()

    def forget(self) -> None:
        """Forget everything: another project is there."""
        self._embeddings.clear()
        self.fields.clear()
        self.correlograms.clear()
        self._forget_traces()
        self.fields_problem = ""
        self._asked.clear()

    def ask_again(self) -> None:
        """Ask again for what did not come: the recording was found."""
        self._asked.clear()
        self._forget_traces()
        self.refresh()
        self.changed.emit()

    def embedding(self) -> NDArray[np.float32] | None:
        """t-SNE of what is on screen, None while it is computed."""
        shown = self._workspace.shown()
        if shown is None:
            return None
        known = self._embeddings.get(shown.component.id)
        is_of_these = known is not None and known[0] is self._workspace.waveforms(shown.component.id)
        return known[1] if known is not None and is_of_these else None

    def refresh(self) -> None:
        """Ask for what the panels still lack of what is on screen."""
        workspace, project = self._workspace, self._workspace.project
        if project is None:
            return
        if not project.recording.has_traces and workspace.shapes is None:
            self._ask_shapes(project)
        for component_id in workspace.components_on_screen:
            component = workspace.component(component_id)
            if component is not None and workspace.waveforms(component_id) is None:
                self._ask_waveforms(project, component)
        shown = workspace.shown()
        if shown is None:
            return
        waveforms = workspace.waveforms(shown.component.id)
        has_features = waveforms is not None and waveforms.features.shape[1] > 0
        if waveforms is not None and has_features and "embedding" in self.wanted and self.embedding() is None:
            self._ask_embedding(shown.component.id, waveforms)
        if "fields" in self.wanted:
            self._ask_fields(project)
        if "correlograms" in self.wanted:
            self._ask_correlograms(project)

    def set_scale(self, scale: Scale) -> None:
        """Take another window and other bins of correlograms."""
        if scale != self.scale:
            self.scale = scale
            self._asked.difference_update(self.correlograms)
            self.correlograms.clear()
            self.refresh()
            self.changed.emit()

    def put_coordinates(
        self, component: Component, before: ComponentWaveforms, now: ComponentWaveforms
    ) -> None:
        """Take coordinates of all spikes in, unless the component changed; the t-SNE stays."""
        if self._workspace.waveforms(component.id) is not before:
            return
        known = self._embeddings.get(component.id)
        if known is not None and known[0] is before:
            self._embeddings[component.id] = (now, known[1])
        self._workspace.put_waveforms(component.id, now)

    def read_traces(self, position: int) -> None:
        """Ask for the traces around a spike on screen, a position among the `spike_ids` of what is shown."""
        project, shown = self._workspace.project, self._workspace.shown()
        if project is None or shown is None or "traces" not in self.wanted or self.traces_problem:
            return
        component = shown.component
        sample = int(project.spikes.sample_index[component.spike_ids[position]])
        key = ("traces", component.contacts.tobytes(), sample)
        if key == self._traces_key or key in self._asked:
            return
        if self._reader is None:
            self._reader = TraceReader(project)
        reader = self._reader
        self._asked.add(key)

        def done(window: TraceWindow) -> None:
            self._asked.discard(key)
            if self._reader is reader:
                self.traces, self._traces_key = window, key
                self.changed.emit()

        def failed(error: Exception) -> None:
            self._asked.discard(key)
            if self._reader is reader:
                self.traces_problem = str(error)
                self.changed.emit()

        self._runner.submit(
            Task(
                "Reading traces",
                lambda p: reader.read(sample, component.contacts, HALF_MS, progress=p),
                done,
                failed=failed,
                cancelled=lambda: self._asked.discard(key),
                key="traces",
                lane="view",
                priority=3,
            )
        )

    def _forget_traces(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader, self.traces, self._traces_key, self.traces_problem = None, None, None, ""

    def ask_rarer(self) -> None:
        """Ask for the sortings of the component on screen that no card shows."""
        workspace, project, component_id = (
            self._workspace,
            self._workspace.project,
            self._workspace.component_id,
        )
        component = None if component_id is None else workspace.sampled_component(component_id)
        if component is None or project is None:
            return
        if workspace.n_rarer(component.id):
            workspace.put_rarer(component, ())
            return
        waveforms = workspace.waveforms(component.id)

        def done(alternatives: tuple[Alternative, ...]) -> None:
            if workspace.sampled_component(component.id) is not component:
                return
            if not alternatives:
                workspace.told.emit("What is left over are draws that differ by single spikes only")
            workspace.put_rarer(component, alternatives)

        self._runner.submit(
            Task(
                f"Rarer sortings of {workspace.name(component.id)}",
                lambda p: jobs.rarer_sortings(project, component, waveforms, progress=p),
                done,
                failed=lambda error: workspace.told.emit(f"No rarer sortings: {error}"),
                key=("rarer", component.id),
                lane="view",
                priority=2,
            )
        )

    def _ask_shapes(self, project: Project) -> None:
        if "shapes" in self._asked:
            return
        self._asked.add("shapes")

        def put(shapes: GivenShapes | None, problem: str = "") -> None:
            if self._workspace.project is not None and self._workspace.project.spikes is project.spikes:
                self._workspace.put_shapes(shapes, problem)

        self._runner.submit(
            Task(
                "Reading templates",
                lambda p: jobs.given_shapes(project, progress=p),
                put,
                failed=lambda error: put(None, str(error)),
                cancelled=lambda: self._asked.discard("shapes"),
                key="shapes",
                lane="view",
                priority=2,
            )
        )

    def _ask_waveforms(self, project: Project, component: Component) -> None:
        key = ("waveforms", component.id)
        if key in self._asked:
            return
        self._asked.add(key)
        as_sampled = self._workspace.sampled_component(component.id)

        def done(waveforms: ComponentWaveforms) -> None:
            if self._workspace.sampled_component(component.id) is as_sampled:
                self._workspace.put_waveforms(component.id, waveforms)

        self._runner.submit(
            Task(
                f"Reading waveforms of {self._workspace.name(component.id)}",
                lambda p: jobs.read_waveforms(project, component, progress=p),
                done,
                failed=lambda error: self._workspace.told.emit(str(error)),
                cancelled=lambda: self._asked.discard(key),
                key=key,
                lane="view",
                priority=2,
            )
        )

    def _ask_embedding(self, component_id: int, waveforms: ComponentWaveforms) -> None:
        key = ("t-SNE", component_id, id(waveforms))
        if key in self._asked:
            return
        self._asked.add(key)

        def done(points: NDArray[np.float32]) -> None:
            self._asked.discard(key)
            if self._workspace.waveforms(component_id) is waveforms:
                self._embeddings[component_id] = (waveforms, points)
                self.changed.emit()

        self._runner.submit(
            Task(
                f"t-SNE of {self._workspace.what_is_drawn()}",
                lambda p: jobs.embed(waveforms.features, progress=p),
                done,
                failed=lambda error: self._workspace.told.emit(f"No t-SNE: {error}"),
                cancelled=lambda: self._asked.discard(key),
                key="t-SNE",
                lane="view",
                after_s=PAINTED_AFTER_S,
            )
        )

    def _ask_fields(self, project: Project) -> None:
        stimulus = project.stimulus
        if stimulus is None:
            return
        wanted = {}
        for group in sortings_with_fields(self._workspace, others="other fields" in self.wanted):
            component = group.sorting.component
            for unit in (group.sorting.units[row] for row in group.rows):
                key = spikes_key(component.spike_ids[unit.positions])
                if key not in self.fields and key not in self._asked:
                    wanted[key] = project.spikes.sample_index[component.spike_ids[unit.positions]]
        if not wanted:
            return
        self._asked.update(wanted)

        def done(fields: dict[bytes, Field]) -> None:
            if self._workspace.project is not None and self._workspace.project.stimulus is stimulus:
                self.fields.update(fields)
                self.changed.emit()

        def failed(error: Exception) -> None:
            if self._workspace.project is not None and self._workspace.project.stimulus is stimulus:
                self.fields_problem = str(error)
                self.changed.emit()

        self._runner.submit(
            Task(
                "Receptive fields",
                lambda p: jobs.receptive_fields(stimulus, wanted, progress=p),
                done,
                failed=failed,
                cancelled=lambda: self._asked.difference_update(wanted),
                key=("fields", tuple(wanted)),
                lane="view",
                priority=1,
            )
        )

    def _ask_correlograms(self, project: Project) -> None:
        key, trains = trains_of_grid(self._workspace)
        if not trains or key in self.correlograms or key in self._asked:
            return
        self._asked.add(key)
        spikes, scale = project.spikes, self.scale

        def done(found: Trains) -> None:
            now = self._workspace.project
            if now is not None and now.spikes is spikes and self.scale == scale:
                self.correlograms[key] = found
                self.changed.emit()

        self._runner.submit(
            Task(
                "Correlograms",
                lambda p: jobs.correlograms(
                    trains,
                    spikes.sampling_frequency_hz,
                    half_ms=scale.half_ms,
                    bin_ms=scale.bin_ms,
                    progress=p,
                ),
                done,
                failed=lambda error: self._workspace.told.emit(f"No correlograms: {error}"),
                cancelled=lambda: self._asked.discard(key),
                key="correlograms",
                lane="view",
                priority=1,
            )
        )
