"""The open project, what is selected and shown of it, and every change made to it.

A workspace lives on one thread, the window's: its signals run their callbacks there. Long work
gets values from it and hands values back (`ncpgui.app.controller`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np

from ncpgui.app.model.coloring import COLOR_BY, Coloring
from ncpgui.app.model.lasso import Lasso, Proposal
from ncpgui.app.model.open_project import OpenProject
from ncpgui.app.model.shown_sorting import ShownSorting, ShownUnit
from ncpgui.app.words import sentence
from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.errors import CurationError
from ncpgui.core.project import Project
from ncpgui.core.signals import Signal
from ncpgui.curation.adopt import adopt_command
from ncpgui.curation.clustering import Change
from ncpgui.curation.commands import NONE, Assign, Command, Link, Merge, SetLabel, SetLocked, SetWords


class Workspace(OpenProject):
    """The state that all panels show; see the signals for what can change.

    Signals: `opened` another project, or none; `components_changed(ids)` their posterior or
    status; `current_changed` another component on screen; `shown_changed` another sorting of
    it; `selection_changed` selected units; `lasso_changed` what a person draws around spikes;
    `colors_changed` what the colours of units say (`coloring`);
    `units_changed(change)` the sorting or its labels; `decided(ids)` somebody decided something about
    these components;
    `saved_changed`; `told(text)` something for the status bar; `warned(text)` something that stays on
    screen until it was read.
    """

    current_changed: ClassVar[Signal] = Signal()
    shown_changed: ClassVar[Signal] = Signal()
    selection_changed: ClassVar[Signal] = Signal()
    lasso_changed: ClassVar[Signal] = Signal()
    colors_changed: ClassVar[Signal] = Signal()
    decided: ClassVar[Signal] = Signal(tuple)

    def __init__(self, project: Project | None = None) -> None:
        self.component_id: int | None = None
        self.preview: int | None = None
        self.selected: tuple[int, ...] = ()
        self.similar: tuple[int, ...] = ()
        self.lasso: Lasso | None = None
        self.proposal: Proposal | None = None
        self._n_proposals = 0
        self.coloring = Coloring(self)
        super().__init__()
        if project is not None:
            self.open(project)

    # -- what is on screen ------------------------------------------------------------------

    def component(self, component_id: int | None = None) -> Component | None:
        """Component of an id (of the one on screen), None while it is not sampled."""
        return self._components.get(self.component_id if component_id is None else component_id)

    def waveforms(self, component_id: int | None = None) -> ComponentWaveforms | None:
        """Waveforms of the sampled spikes of a component, if they are at hand."""
        wanted = self.component_id if component_id is None else component_id
        found = None if self.project is None or wanted is None else self.project.waveforms.get(wanted)
        return found if found is not None and found.is_at_hand else None

    def show_contact(self, contact: int) -> None:
        """Put the component on screen that has most spikes on a contact; if one of them is, the next one."""
        ring = self.at_contact(contact)
        if ring:
            place = ring.index(self.component_id) + 1 if self.component_id in ring else 0
            self.show_component(ring[place % len(ring)])

    def show_component(self, component_id: int) -> None:
        """Put another component on screen."""
        if (
            self.project is None
            or component_id == self.component_id
            or component_id not in self.component_ids
        ):
            return
        self.component_id = component_id
        self.preview = None
        self.selected = self.similar = ()
        self.proposal = None
        self.draw_lasso(None)
        self.current_changed.emit()
        self.selection_changed.emit()

    def show_alternative(self, index: int | None) -> None:
        """Preview an alternative of the current component; None shows the current sorting."""
        component = self.component()
        if component is None:
            return
        if index is not None:
            if not 0 <= index < len(component.alternatives):
                raise CurationError(
                    f"there are {len(component.alternatives)} alternatives, none has the number {index + 1}"
                )
            if index == self.present_alternative():
                index = None
        if index != self.preview or self.proposal is not None:
            self.preview, self.proposal = index, None
            self.shown_changed.emit()

    @property
    def shown_alternative(self) -> int | None:
        """Index of the alternative on screen, previewed or in use; None for a hand-made sorting."""
        return self.present_alternative() if self.preview is None else self.preview

    def present_alternative(self, component_id: int | None = None) -> int | None:
        """Index of the alternative that the current sorting of a component is, None when none."""
        component = self.component(component_id)
        return None if component is None else self._sortings.present(component)

    def alternative_in_use(self, component_id: int | None = None) -> int | None:
        """Index of the alternative that the current sorting is, but for single spikes; None when none."""
        component = self.component(component_id)
        return None if component is None else self._sortings.in_use(component)

    def current(self) -> ShownSorting | None:
        """Current sorting of the component on screen."""
        return None if self.component_id is None else self.current_of(self.component_id)

    def current_of(self, component_id: int) -> ShownSorting | None:
        """Current sorting of a component, None while it is not sampled."""
        component = self.component(component_id)
        return None if component is None else self._sortings.current(component)

    def shown(self) -> ShownSorting | None:
        """Sorting that the panels draw: what an edit would make, the preview, or the current one."""
        if self.proposal is not None:
            return self.proposal.sorting
        return self.current() if self.preview is None else self.sorting_of(self.preview)

    def sorting_of(self, index: int) -> ShownSorting | None:
        """What adopting an alternative of the component on screen would give."""
        component = self.component()
        return None if component is None else self._sortings.preview(component, index)

    def pick(self, unit: int | None, *, adds: bool) -> None:
        """Select a unit that a person clicked; `adds` adds it to the selection, or takes it out.

        unit : None for a cluster that only adopting the preview would make: nothing happens.
        """
        if unit is None:
            return
        chosen = self.selected
        if not adds:
            self.select([unit])
        elif unit in chosen:
            self.select([other for other in chosen if other != unit])
        else:
            self.select([*chosen, unit])

    def select(self, units: Iterable[int], *, similar: Iterable[int] = ()) -> None:
        """Select units of the current sorting, in the order given; others are dropped.

        similar : those of them that were taken from the list of units like the others
        """
        chosen = tuple(dict.fromkeys(int(u) for u in units if int(u) in self.clustering))
        taken = tuple(int(u) for u in similar if int(u) in chosen)
        taken = () if len(taken) == len(chosen) else taken
        if (chosen, taken) != (self.selected, self.similar):
            if chosen != self.selected:
                self.withdraw()
            self.selected, self.similar = chosen, taken
            self.selection_changed.emit()

    @property
    def chosen(self) -> tuple[int, ...]:
        """Selected units without those taken from the list of similar ones."""
        return tuple(unit for unit in self.selected if unit not in self.similar)

    def take_similar(self, units: Iterable[int]) -> None:
        """Select units like the chosen one beside it, in place of those taken before."""
        taken = tuple(units)
        self.select((*self.chosen, *taken), similar=taken)

    def is_chosen(self, unit: ShownUnit) -> bool:
        """Whether a unit on screen is selected, or a part that a proposed edit would make."""
        if self.proposal is not None:
            return unit.is_changed
        return unit.unit is not None and unit.unit in self.selected

    def color_by(self, what: str) -> None:
        """Let colours of units say something else, one of `coloring.COLOR_BY`; others are ignored."""
        if what in COLOR_BY and what != self.coloring.by:
            self.coloring.by = what
            self.colors_changed.emit()

    # -- an edit that waits to be confirmed ---------------------------------------------------

    def draw_lasso(self, lasso: Lasso | None) -> None:
        """Show a lasso, or none; a split proposed from another one is withdrawn."""
        if lasso is not self.lasso:
            self.lasso = lasso
            self.withdraw()
            self.lasso_changed.emit()

    def propose(self, command: Assign, note: str = "") -> None:
        """Show what an edit of the component on screen would make, until it is confirmed or withdrawn."""
        component = self.component()
        assert component is not None
        self._n_proposals += 1
        sorting = self._sortings.after(component, command, proposal=self._n_proposals)
        self.proposal = Proposal(component.id, command, sorting, note)
        self.shown_changed.emit()

    def withdraw(self) -> None:
        """Show again what was on screen before an edit was proposed."""
        if self.proposal is not None:
            self.proposal = None
            self.shown_changed.emit()

    def confirm(self) -> None:
        """Do the edit that is proposed, and select what it made."""
        assert self.proposal is not None
        change = self.do(self.proposal.command)
        self.select(change.added)

    # -- edits ------------------------------------------------------------------------------

    def do(self, command: Command) -> Change:
        """Do a command; a failing one raises and leaves no trace."""
        change = self.history.do(command)
        self.told.emit(sentence(change.description))
        units = (*change.added, *change.modified, *change.relabelled)
        self.decided.emit(tuple({one: None for unit in units for one in self.components_of(unit)}))
        return change

    def merge(self, units: tuple[int, ...]) -> None:
        """Make one unit of several and select it."""
        change = self.do(Merge(units))
        self.select(change.added)

    def label(self, units: tuple[int, ...], label: str) -> None:
        """Call units good, mua, noise or unsorted."""
        self.do(SetLabel(units, label))

    def write(self, units: tuple[int, ...], kind: str, text: str) -> None:
        """Give units a label of one's own (kind "tag") or a note; '' takes it off."""
        self.do(SetWords(units, kind, text))

    def link(self, units: tuple[int, ...], *, same: bool) -> None:
        """Say that units are one neuron, or that no two of them are; no spike changes its unit."""
        where = [set(self.components_of(unit)) for unit in units]
        if where and not set.intersection(*where):
            raise CurationError(
                "these units are in different components: no posterior tells of both, and nothing follows "
                "from a link between them; merge them (G) if they are one neuron"
            )
        self.do(Link(units, same))

    def lock(self, units: tuple[int, ...], locked: bool) -> None:
        """Accept units, or open them again."""
        self.do(SetLocked(units, locked))

    def adopt(self) -> None:
        """Use what is on screen for its component; the sorting already in use is accepted as it is."""
        component = self.component()
        if component is None:
            raise CurationError("this component is not sampled yet; wait for it, or choose another")
        if self.proposal is not None:
            self.confirm()
            return
        if self.preview is None:
            self._accept_current()
            return
        as_sampled = self.sampled_component(component.id)
        command = adopt_command(
            self.clustering,
            component if as_sampled is None else as_sampled,
            component.alternatives[self.preview],
            locked=self.history.labels.locked,
        )
        if command is not None:
            self.do(command)
            return
        preview = self.sorting_of(self.preview)
        if preview is not None and preview.held:
            names = ", ".join(map(str, preview.held))
            raise CurationError(
                f"this sorting differs from the one in use only in what is accepted (unit {names}); "
                "unlock it (Y) first"
            )
        self.preview = None
        self.shown_changed.emit()
        self._accept_current()

    def _accept_current(self) -> None:
        current = self.current()
        assert current is not None
        units = tuple(unit.unit for unit in current.units if unit.unit is not None)
        if not self.history.labels.locked.issuperset(units):
            self.lock(units, True)
        elif self._is_settled(current.component.id) or self._is_sure(current.component.id):
            shown = current.component.id
            self.told.emit(
                f"There is no unit around contact {self.contact(shown)}"
                if self.is_empty(shown)
                else sentence(f"{self.name(shown)}: accepted already")
            )
        else:  # no units, although another alternative has some
            ids = current.component.spike_ids
            words = f"accept contact {current.component.channel} without units"
            self.do(Assign(ids, np.full(len(ids), NONE), words=words))

    def undo(self) -> None:
        """Take back the last edit and show where it was."""
        self._stepped(self.history.undo())

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._stepped(self.history.redo())

    def _stepped(self, change: Change | None) -> None:
        if change is None:
            return
        self.told.emit(sentence(change.description))
        units = [*change.added, *change.modified, *change.relabelled]
        homes = [*change.components, *(home for unit in units for home in self.components_of(unit)[:1])]
        if homes and self.component_id not in homes and self.component(homes[0]) is not None:
            self.show_component(homes[0])
        self.select(change.added)

    # -- when the project changes ---------------------------------------------------------------

    def _start_screen(self) -> None:
        best = self.queue_order() or self.component_ids
        self.component_id = best[0] if best else None
        self.preview = None
        self.selected = self.similar = ()
        self.lasso = self.proposal = None

    def _forget_shown(self, component_ids: set[int]) -> None:
        if self.component_id in component_ids:
            self.preview = self.proposal = None
            self.draw_lasso(None)
        self.select(self.selected, similar=self.similar)

    def _renumber(self, new: Callable[[Iterable[int]], tuple[int, ...]]) -> None:
        self.select(new(self.selected), similar=new(self.similar))

    def _show_again(self, component_ids: set[int]) -> None:
        if self.component_id in component_ids:
            self.shown_changed.emit()
