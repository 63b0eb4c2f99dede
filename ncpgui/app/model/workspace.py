"""Workspace: the open project, what of it is on screen and selected, and the edits that a person makes there.

A workspace lives on one thread, the window's: its signals run their callbacks there. Long work
gets values from it and hands values back (`ncpgui.app.controller`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ncpgui.app.model.coloring import Coloring
from ncpgui.app.model.lasso import Lasso, Proposal
from ncpgui.app.model.questions import Questions
from ncpgui.app.model.shown_sorting import ShownSorting, ShownUnit
from ncpgui.app.model.state import State
from ncpgui.app.model.together import TOGETHER, of_no_posterior, units_together
from ncpgui.app.words import count, sentence
from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.errors import CurationError
from ncpgui.core.project import Project
from ncpgui.core.signals import Signal
from ncpgui.curation.clustering import Change
from ncpgui.curation.commands import Assign, Link, Merge, SetAccepted, SetLabel, SetWords


class Workspace:
    """What all panels show of the open project (`state`) and its `questions`, and how a person edits it.

    Signals, beside those of the state: `current_changed` another component on screen; `shown_changed` another
    sorting of it; `selection_changed` selected units; `lasso_changed` what a person draws around spikes;
    `spike_chosen(spike)` somebody wants to see a spike, an index of those of the project, among the traces.
    """

    current_changed: ClassVar[Signal] = Signal()
    shown_changed: ClassVar[Signal] = Signal()
    selection_changed: ClassVar[Signal] = Signal()
    lasso_changed: ClassVar[Signal] = Signal()
    spike_chosen: ClassVar[Signal] = Signal(int)

    def __init__(self, project: Project | None = None) -> None:
        self.component_id: int | None = None
        self.preview: int | None = None
        self.selected: tuple[int, ...] = ()
        self.similar: tuple[int, ...] = ()
        self.lasso: Lasso | None = None
        self.proposal: Proposal | None = None
        self._n_proposals = 0
        self.state = State()
        self.questions = Questions(self.state)
        self.coloring = Coloring(self.state)
        self.state.opened.connect(self._start)  # before anybody else hears of it
        self.state.moved.connect(self._moved)
        self.state.looks_changed.connect(self._show_again)
        if project is not None:
            self.state.open(project)

    # -- what is on screen ------------------------------------------------------------------

    def component(self, component_id: int | None = None) -> Component | None:
        """Component of an id (of the one on screen), None while it is not sampled."""
        return self.state.components.get(self.component_id if component_id is None else component_id)

    def waveforms(self, component_id: int | None = None) -> ComponentWaveforms | None:
        """Waveforms of the sampled spikes of a component, or of units drawn together, if they are at hand."""
        wanted = self.component_id if component_id is None else component_id
        if wanted == TOGETHER:
            return self._on_screen()[1]
        project = self.state.project
        found = None if project is None or wanted is None else project.waveforms.get(wanted)
        return found if found is not None and found.is_at_hand else None

    def show_contact(self, contact: int) -> None:
        """Put the component on screen that has most spikes on a contact; if one of them is, the next one.

        Where there is none, the units that are largest there are selected.
        """
        ring = self.state.components.at_contact(contact)
        if not ring:
            self.select(self.state.units_at(contact))
            return
        place = ring.index(self.component_id) + 1 if self.component_id in ring else 0
        self.show_component(ring[place % len(ring)])

    def show_component(self, component_id: int) -> None:
        """Put another component on screen, no unit selected."""
        if self.state.project is None or component_id not in self.state.components.ids:
            return
        if component_id != self.component_id or self.drawn_together:
            self._go_to(component_id, (), ())

    def _go_to(self, component_id: int | None, selected: tuple[int, ...], similar: tuple[int, ...]) -> None:
        """Ask about a component, or about none; select units. Only what changes is told."""
        is_other, moves = component_id != self.component_id, selected != self.selected
        before = self.on_screen
        if not is_other and (selected, similar) == (self.selected, self.similar):
            return
        if is_other:
            self.component_id = component_id
            self.preview = self.proposal = None
        self.selected, self.similar = selected, similar
        self._tell_apart()
        if self.on_screen != before:
            self.draw_lasso(None)
        if is_other:
            self.current_changed.emit()
        elif moves:
            self.withdraw()
        self.selection_changed.emit()

    def show_alternative(self, index: int | None) -> None:
        """Preview an alternative of the current component; None shows the current sorting."""
        component = self.component()
        if component is None:
            return
        n = len(component.alternatives)
        if index is not None and not 0 <= index < n:
            raise CurationError(
                f"there {'is' if n == 1 else 'are'} {count(n, 'sorting')} of these spikes, none has the "
                f"number {index + 1}"
            )
        if index == self.present_alternative():
            index = None
        if index != self.preview or self.proposal is not None:
            self.preview, self.proposal = index, None
            self.shown_changed.emit()

    def present_alternative(self, component_id: int | None = None) -> int | None:
        """Index of the alternative that the current sorting of a component is, None when none."""
        component = self.component(component_id)
        return None if component is None else self.state.sortings.present(component)

    def current(self) -> ShownSorting | None:
        """Current sorting of the component on screen."""
        return None if self.component_id is None else self.current_of(self.component_id)

    def current_of(self, component_id: int) -> ShownSorting | None:
        """Current sorting of a component, None while it is not sampled."""
        component = self.component(component_id)
        return None if component is None else self.state.sortings.current(component)

    def asked(self) -> ShownSorting | None:
        """Sorting of the component on screen: what an edit would make, the preview, or the current one."""
        if self.proposal is not None:
            return self.proposal.sorting
        return self.current() if self.preview is None else self.sorting_of(self.preview)

    def shown(self) -> ShownSorting | None:
        """Sorting that the panels draw: of the component on screen, or of the selected units together.

        Units are drawn together where one of them has spikes outside that component; what adopting a preview
        would make stays beside them. While a component is not sampled, its units are drawn as they are.
        """
        return self._on_screen()[0]

    def in_use(self) -> ShownSorting | None:
        """What panels draw without a preview or a proposed edit: units in use, which edits are made of."""
        if self.proposal is not None:
            return self.proposal.before
        return self.shown() if self.drawn_together and self.preview is None else self.current()

    @property
    def on_screen(self) -> tuple[int | None, tuple[int, ...]]:
        """The same as long as the same spikes are on screen."""
        return self.component_id, self.drawn_together

    @property
    def components_on_screen(self) -> tuple[int, ...]:
        """Components that have spikes of what the panels draw, and the one that the cards ask about."""
        asked = () if self.component_id is None else (self.component_id,)
        drawn = [one for unit in self.drawn_together for one in self.state.places.components_of(unit)]
        return tuple(dict.fromkeys((*asked, *drawn)))

    def _on_screen(self) -> tuple[ShownSorting | None, ComponentWaveforms | None]:
        asked, units = self.asked(), self.drawn_together
        if self._proposes_together:
            assert self.proposal is not None
            return self.proposal.sorting, self.proposal.waveforms
        if not units:
            return asked, self.waveforms()
        like = asked if asked is not None and asked.is_preview else None
        ids = {one for unit in units for one in self.state.places.components_of(unit)}
        if like is not None:
            ids.add(like.component.id)
        waveforms = {one: found for one in sorted(ids) if (found := self.waveforms(one)) is not None}
        which = None if like is None else (like.component.id, *like.key)
        self.state.remembered.tell(
            TOGETHER, (units, which, *((one, id(waveforms[one])) for one in waveforms))
        )
        return self.state.remembered.get(
            ("together", TOGETHER), lambda: units_together(self.state, units, waveforms, like=like)
        )

    @property
    def drawn_together(self) -> tuple[int, ...]:
        """Units that are drawn together; () where the component on screen is all there is to draw."""
        if self.state.project is None:
            return ()
        if self._proposes_together:
            return self.selected
        here = self.current()
        own = set() if here is None else {*here.unit_ids}
        here_only = (self.component_id,)
        outside = [
            one
            for one in self.selected
            if one not in own or self.state.places.components_of(one) != here_only
        ]
        if here is not None and (self.preview is not None or self.proposal is not None):
            return tuple(one for one in outside if one not in own)  # what is in use gives way to the preview
        if here is not None:
            return self.selected if outside else ()
        return self.selected or self._units_as_they_are()

    @property
    def _proposes_together(self) -> bool:
        """Whether an edit is proposed of units that are drawn together."""
        return self.proposal is not None and self.proposal.before.component.id == TOGETHER

    def _units_as_they_are(self) -> tuple[int, ...]:
        """Units of a component on screen that is not sampled, those with most spikes in it first."""
        if self.component_id is None:
            return ()
        return self.state.places.units_in(self.state.components.spike_ids(self.component_id))

    def sorting_of(self, index: int) -> ShownSorting | None:
        """What adopting an alternative of the component on screen would give."""
        component = self.component()
        return None if component is None else self.state.sortings.preview(component, index)

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

        The component on screen becomes one that has the first of them, which is what the cards ask about.

        similar : those of them that were taken from the list of units like the others
        """
        chosen = tuple(dict.fromkeys(int(u) for u in units if int(u) in self.state.clustering))
        taken = tuple(int(u) for u in similar if int(u) in chosen)
        taken = () if len(taken) == len(chosen) else taken
        first = next((unit for unit in chosen if unit not in taken), None)
        homes = () if first is None else self.state.places.components_of(first)
        asked = self.component_id
        if first is not None and asked not in homes:
            asked = next(iter(homes), None)
        self._go_to(asked, chosen, taken)

    def _tell_apart(self) -> None:
        """Give units of several components that are drawn together colours of their own."""
        units = self.drawn_together
        here = self.current() if units else None
        asked = () if here is None else here.unit_ids
        own = [unit for unit in units if unit in asked]
        self.coloring.set_apart(
            [*own, *(unit for unit in units if unit not in own)], beside=set(asked) - set(own)
        )

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
        return unit.unit in self.selected

    # -- an edit that waits to be confirmed ---------------------------------------------------

    def draw_lasso(self, lasso: Lasso | None) -> None:
        """Show a lasso, or none; a split proposed from another one is withdrawn."""
        if lasso is not self.lasso:
            self.lasso = lasso
            self.withdraw()
            self.lasso_changed.emit()

    def propose(self, command: Assign, note: str = "") -> None:
        """Show what an edit of what is on screen would make, until it is confirmed or withdrawn."""
        now = self.in_use()
        assert now is not None
        self._n_proposals += 1
        sorting = self.state.sortings.after(now, command, proposal=self._n_proposals)
        waveforms = None
        if now.component.id == TOGETHER:
            sorting, waveforms = of_no_posterior(sorting), self.waveforms(TOGETHER)
        self.proposal = Proposal(command, sorting, now, note, waveforms)
        self.shown_changed.emit()

    def withdraw(self) -> None:
        """Show again what was on screen before an edit was proposed."""
        if self.proposal is not None:
            self.proposal = None
            self.shown_changed.emit()

    def confirm(self) -> None:
        """Do the edit that is proposed, and select what it made."""
        assert self.proposal is not None
        self.select(self.state.do(self.proposal.command).added)

    # -- edits ------------------------------------------------------------------------------

    def merge(self, units: tuple[int, ...]) -> None:
        """Make one unit of several and select it."""
        self.select(self.state.do(Merge(units)).added)

    def label(self, units: tuple[int, ...], label: str) -> None:
        """Call units good, mua, noise or unsorted."""
        self.state.do(SetLabel(units, label))

    def write(self, units: tuple[int, ...], kind: str, text: str) -> None:
        """Give units a label of one's own (kind "tag") or a note; '' takes it off."""
        self.state.do(SetWords(units, kind, text))

    def link(self, units: tuple[int, ...], *, same: bool) -> None:
        """Say that units are one neuron, or that no two of them are; no spike changes its unit."""
        where = [set(self.state.places.components_of(unit)) for unit in units]
        if where and not set.intersection(*where):
            raise CurationError(
                "these units belong to different questions and were never sampled together, so this would "
                "change nothing; merge them (G) if they are one neuron"
            )
        self.state.do(Link(units, same))

    def set_accepted(self, units: tuple[int, ...], accepted: bool) -> None:
        """Accept units, or open them again."""
        self.state.do(SetAccepted(units, accepted))

    def undo(self) -> None:
        """Take back the last edit and show where it was."""
        self._stepped(self.state.undo(), is_done_again=False)

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._stepped(self.state.redo(), is_done_again=True)

    def _stepped(self, change: Change | None, *, is_done_again: bool) -> None:
        if change is None:
            return
        self.state.told.emit(sentence(change.description))
        units = [*change.added, *change.modified, *change.relabelled]
        homes = [
            *change.components,
            *(home for unit in units for home in self.state.places.components_of(unit)[:1]),
        ]
        if homes and self.component_id not in homes and self.component(homes[0]) is not None:
            self.show_component(homes[0])
        stays = not units or bool(set(self.selected) & {*units})
        chosen = change.added or (self.selected if stays else units)
        here = [unit for unit in chosen if self.component_id in self.state.places.components_of(unit)]
        self.select([*here, *chosen])  # the component on screen stays, if it has one of them
        if is_done_again:
            self.state.decided.emit(tuple(dict.fromkeys(homes)))

    # -- when the project changes ---------------------------------------------------------------

    def _start(self) -> None:
        """Another project is there, or none."""
        best = self.questions.queue_order() or self.state.components.ids
        self.component_id = best[0] if best else None
        self.preview = None
        project = self.state.project
        has_questions = project is None or project.recording.has_traces
        units = () if has_questions else self.state.clustering.unit_ids.tolist()[:1]
        self.selected, self.similar = tuple(units), ()
        self.lasso = self.proposal = None
        self.coloring.set_apart(())

    def _moved(self, component_ids: tuple[int, ...]) -> None:
        if self.component_id in component_ids:
            self.preview = self.proposal = None
            self.draw_lasso(None)
        self.select(self.selected, similar=self.similar)

    def _show_again(self, component_ids: tuple[int, ...]) -> None:
        if not component_ids or self.component_id in component_ids:
            self.shown_changed.emit()
