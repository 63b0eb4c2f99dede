"""The ways to sort the component on screen, as cards: probability, units, difference in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.unit_numbers import unit_numbers
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.card_change import CardChange, change_of
from ncpgui.app.presenters.points import colors_of
from ncpgui.app.presenters.queue import BEYOND_CARDS, cut_from_words, doubt_words
from ncpgui.app.words import count, sentence, thousands, unit_names
from ncpgui.core.component import (
    ECHOES,
    STIMULUS,
    TIMES,
    WAVEFORMS,
    Component,
    ComponentWaveforms,
    masses_by_evidence,
)
from ncpgui.core.difference import difference
from ncpgui.core.errors import CurationError
from ncpgui.core.order_agreement import Trust, trust
from ncpgui.core.partition import canonical
from ncpgui.core.percent import percent, percent_of_draws
from ncpgui.core.posterior import NOT_A_POSTERIOR, Sampler
from ncpgui.evidence.draws_by_alternative import draws_of_sorting
from ncpgui.evidence.tempered import has_few_draws
from ncpgui.evidence.units import MORE_PROBABLY

NO_RAW_DATA = (
    "This sorting was opened without its raw data, so there are no waveforms and no probabilities. Units can "
    "still be merged, split, labelled and written back."
)
MOST_NAMED = 4
"""Units of other questions that are named beside the headline."""


@dataclass(frozen=True, eq=False)
class CardUnit:
    """A unit of a card: its share of the spikes and its mean waveform.

    share : of the largest unit of any card; mean : (32, C) noise sd on the contacts of the question, None
    when not at hand
    """

    name: str
    color: Color
    n_spikes: int
    share: float
    is_changed: bool
    mean: NDArray[np.float32] | None

    @property
    def waveform(self) -> NDArray[np.float32] | None:
        """(32,) its mean where it is largest."""
        return (
            None if self.mean is None else self.mean[:, np.nan_to_num(np.abs(self.mean)).max(axis=0).argmax()]
        )


@dataclass(frozen=True, eq=False)
class Card:
    """One way to sort the component.

    index : of the alternative, None for a sorting made by hand; mass, mass_se : its probability;
    evidence : the same before any decision, by each kind of evidence (`core.component.masses_by_evidence`);
    words : its difference from the sorting in use, every spike accounted for; units, n_unassigned : what
    using it gives, spikes of this component without a unit; is_shown : drawn by the other panels now;
    is_in_use : it is the current sorting; as_given : it is that of the folder that is reviewed;
    given : the condition of its probability, '' without one; before : its probability before any decision,
    None where nothing was decided; sampler : "beam" where its probability is that among the vectors of a
    beam, which are no posterior;
    is_edited : the current sorting is this one but for single spikes; n_wrong : spikes expected in a wrong
    unit of the sorting in use, where a unit of it is more probably not pure, or not complete; else 0;
    change : what it would join or part, or, of the sorting in use, what the most probable other card would
    """

    index: int | None
    mass: float
    mass_se: float
    words: str
    units: tuple[CardUnit, ...]
    n_unassigned: int
    is_shown: bool
    is_in_use: bool
    given: str = ""
    evidence: Mapping[str, float] = field(default_factory=dict)
    as_given: bool = False
    sampler: Sampler = "draws"
    before: float | None = None
    is_edited: bool = False
    n_wrong: float = 0.0
    change: CardChange | None = None

    @property
    def key(self) -> str:
        """Digit that shows it."""
        return "" if self.index is None else str(self.index + 1)

    @property
    def percent(self) -> str:
        """Its probability, as people read it."""
        return percent_of_draws(self.mass)

    @property
    def error(self) -> str:
        """Monte Carlo standard error, in percent; of a beam, which has none, that it is one."""
        if self.sampler == "beam":
            return "of the beam"
        return f"± {100 * self.mass_se:.0f}" if self.mass_se >= 0.01 else "± <1"

    @property
    def was(self) -> str:
        """Its probability before any decision, in words; '' where it is the same."""
        told = "" if self.before is None else percent_of_draws(self.before)
        return "" if told in ("", self.percent) else f"was {told}"

    @property
    def beside(self) -> tuple[str, ...]:
        """What is written beside its probability, the longest words first, for where there is little room."""
        return (f"{self.error} · {self.was}", self.was) if self.was else (self.error,)

    @property
    def of_what(self) -> str:
        """Its probability with what it is a share of, and how exact it is."""
        if self.sampler == "beam":
            return f"{self.percent} of the beam: {NOT_A_POSTERIOR}"
        was = f", {self.was} before any decision" if self.was else ""
        return f"{self.percent} of the posterior ({self.error} % Monte Carlo error){was}"

    @property
    def why(self) -> tuple[str, ...]:
        """What beside the waveforms says most for it or against it: a sentence, and the same shorter.

        () where waveforms say the same as all evidence together.
        """
        steps = [*self.evidence.items()]
        if len({percent_of_draws(mass) for _, mass in steps}) < 2:
            return ()
        changes = [(_logit(after) - _logit(before), name) for (_, before), (name, after) in pairwise(steps)]
        change, name = max(changes, key=lambda one: abs(one[0]))
        long, short = {
            TIMES: ("firing times speak", "times speak"),
            STIMULUS: ("the stimulus speaks", "stimulus"),
            ECHOES: ("echoes speak", "echoes"),
        }[name]
        side = "for it" if change > 0 else "against it"
        return f"{long} {side}", f"{short} {side}"

    @property
    def evidence_help(self) -> str:
        """What each kind of evidence makes of it, one after the other; '' where all kinds say the same."""
        if not self.why:
            return ""
        words = {
            WAVEFORMS: "network alone",
            TIMES: "with all spikes and their times",
            STIMULUS: "with the stimulus",
            ECHOES: "with echoes of other units",
        }
        return ", ".join(f"{words[name]} {percent_of_draws(mass)}" for name, mass in self.evidence.items())

    @property
    def title(self) -> str:
        """Number of units in words."""
        return count(len(self.units), "unit") + (", as given" if self.as_given else "")

    @property
    def conditions(self) -> tuple[str, ...]:
        """That its probability is conditional, the longest words first, for where there is little room."""
        return (self.given, "given decisions", "given") if self.given else ()

    @property
    def line(self) -> str:
        """What is written under the title."""
        if not self.is_in_use:
            return self.words
        wrong = f"about {count(max(round(self.n_wrong), 1), 'spike')} in a wrong unit" if self.n_wrong else ""
        edited = "edited by hand" if self.is_edited else ""
        rest = self.unassigned if self.n_unassigned else ""
        return ", ".join(part for part in ("as the units are now", edited, wrong, rest) if part)

    @property
    def unassigned(self) -> str:
        """Spikes without a unit, in words."""
        return f"{thousands(self.n_unassigned)} unassigned"

    @property
    def counts(self) -> str:
        """Spikes of each unit, and those of none."""
        parts = [f"{unit.name}: {thousands(unit.n_spikes)}" for unit in self.units]
        return " · ".join([*parts, self.unassigned])


def _logit(p: float) -> float:
    """Log odds of a probability, which no few draws make 0 or 1."""
    known = min(max(p, 0.001), 0.999)
    return float(np.log(known / (1 - known)))


@dataclass(frozen=True)
class TrustBadge:
    """How far the probabilities of a component can be trusted, in a word and in a sentence.

    trust : "beam" where they are no posterior, "few draws" where the evidence leaves few
    """

    trust: Trust | Literal["beam", "few draws"]
    text: str
    help: str


@dataclass(frozen=True, eq=False)
class AlternativesView:
    """All cards of a component, what they leave over, and what the buttons may do.

    better : the most probable card, where what is on screen is less probable: it has a button of its own;
    is_open : whether sortings too rare for a card of their own have one all the same; given : the condition
    of all probabilities, '' without one;
    badge : None where nothing can be said; sampler : of all probabilities;
    message : what to show instead of cards, '' when there are some; positions_um : (C, 2) of the contacts.
    """

    title: str
    subtitle: str
    badge: TrustBadge | None
    cards: tuple[Card, ...]
    other_mass: float
    message: str
    can_adopt: bool
    adopt_text: str
    largest_amplitude: float
    better: Card | None = None
    is_open: bool = False
    given: str = ""
    sampler: Sampler = "draws"
    positions_um: NDArray[np.float64] | None = None


EMPTY = AlternativesView(
    "", "", None, (), 0.0, "Open a recording or a session to begin.", False, "Use this sorting", 1.0
)


def present_alternatives(workspace: Workspace) -> AlternativesView:
    """Cards of the component on screen."""
    if workspace.state.project is None:
        return EMPTY
    if workspace.component_id is None:
        return _no_question(workspace)
    component_id = workspace.component_id
    contact = f"contact {workspace.state.components.contact(component_id)}"
    component = workspace.component()
    n = thousands(workspace.state.components.n_spikes(component_id))
    if component is None:
        status = workspace.questions.status(component_id)
        message = {
            "failed": f"These spikes could not be sampled: {status.message}",
            "sampling": f"Sampling the posterior of these spikes … {100 * status.fraction:.0f} %",
        }.get(status.state, "These spikes are not sampled yet. They move to the front while you look.")
        return AlternativesView(
            sentence(contact), f"{n} spikes", None, (), 0.0, message, False, "Use this sorting", 1.0
        )
    cards = _cards(workspace, component)
    title, place = _title(workspace, contact)
    other = max(0.0, 1.0 - sum(card.mass for card in cards))
    by_beam = component.posterior.sampler == "beam"
    n_sortings = sum(card.index is not None for card in cards)
    sortings = count(n_sortings, "sorting" if by_beam else "plausible sorting")
    subtitle = f"{place}{n} spikes · {sortings}{' of a beam' if by_beam else ''}"
    apart = cut_from_words(workspace, component_id)
    subtitle += f" · in doubt with {apart} too" if apart else ""
    doubts = doubt_words(workspace, component_id)
    subtitle += "".join(f" · {words}" for words in doubts)
    subtitle += f" · {BEYOND_CARDS}" if workspace.questions.is_beyond_cards(component_id) else ""
    settled = workspace.questions.status(component_id).state == "curated"
    previewed = workspace.preview is not None or workspace.proposal is not None
    shown = next((card for card in cards if card.is_shown), None)
    best = max(cards, key=lambda card: card.mass, default=None)
    is_less = shown is not None and best is not None and best.index is not None and shown.mass < best.mass
    open_question = workspace.proposal is None and not settled
    means = [unit.waveform for card in cards for unit in card.units if unit.waveform is not None]
    return AlternativesView(
        title=title,
        subtitle=subtitle + (" · settled" if settled else ""),
        badge=_badge(workspace, component, cards) if cards else None,
        cards=cards,
        other_mass=other,
        message="" if cards else "No unit was found among these spikes.",
        can_adopt=_can_adopt(workspace) if previewed else bool(cards) and not settled,
        adopt_text="Split"
        if workspace.proposal is not None
        else _consequence("Use", shown)
        if previewed
        else _accept_text(workspace, component_id, shown, settled=settled),
        better=best if is_less and open_question else None,
        largest_amplitude=max((float(np.abs(mean).max()) for mean in means), default=1.0) or 1.0,
        is_open=workspace.state.n_rarer(component_id) > 0,
        given=_given(workspace, component),
        sampler=component.posterior.sampler,
        positions_um=workspace.state.project.probe.positions_um[component.contacts],
    )


def _no_question(workspace: Workspace) -> AlternativesView:
    """What stands in place of cards where what is on screen is no question."""
    chosen = [str(unit) for unit in workspace.selected]
    title = sentence(unit_names(chosen)) if chosen else "No question"
    assert workspace.state.project is not None
    if not workspace.state.project.recording.has_traces:
        return replace(EMPTY, title=title, message=NO_RAW_DATA)
    message = (
        "These spikes have no probabilities: they were not sampled with those of other units."
        if workspace.selected
        else "Select a unit, or a row of the queue."
    )
    return replace(EMPTY, title=title, message=message)


def other_questions(workspace: Workspace) -> str:
    """What is selected and drawn that these cards do not ask about; '' where they ask about all of it."""
    asked = workspace.component_id
    if asked is None:
        return ""
    others = [unit for unit in workspace.selected if asked not in workspace.state.places.components_of(unit)]
    if not others:
        return ""
    if len(others) > MOST_NAMED:
        return f"{len(others)} selected units belong to other questions"
    names = unit_names([str(unit) for unit in others])
    return f"{names} {'belongs to another question' if len(others) == 1 else 'belong to other questions'}"


def _title(workspace: Workspace, contact: str) -> tuple[str, str]:
    """Headline of a sampled component, its units or else its contact; what comes first under it."""
    assert workspace.component_id is not None
    units = workspace.state.units_of(workspace.component_id)
    return (sentence(units), f"{contact} · ") if units else (sentence(contact), "")


def _consequence(verb: str, card: Card | None) -> str:
    """What a button does: ``Use 1 unit, 89 %``."""
    if card is None:
        return f"{verb} this sorting"
    return f"{verb} {count(len(card.units), 'unit') if card.units else 'no unit'}, {card.percent}"


def better_text(card: Card) -> str:
    """What the button of the most probable sorting says."""
    return _consequence("Keep" if card.is_in_use else "Use", card)


def adopt_better(workspace: Workspace) -> None:
    """Use the most probable sorting, where what is on screen is less probable."""
    better = present_alternatives(workspace).better
    if better is None or better.index is None:
        raise CurationError("what is on screen is the most probable sorting; Enter uses it")
    workspace.show_alternative(better.index if better.index != workspace.present_alternative() else None)
    workspace.adopt()


def _accept_text(workspace: Workspace, component_id: int, shown: Card | None, *, settled: bool) -> str:
    if not settled:
        return _consequence("Keep", shown)
    return "Nothing to accept" if workspace.questions.is_empty(component_id) else "Accepted"


def _can_adopt(workspace: Workspace) -> bool:
    """Whether using the preview would do anything: not where accepted units keep all as it is."""
    preview = workspace.shown()
    return preview is not None and (preview.n_moved > 0 or not preview.held)


def _badge(workspace: Workspace, component: Component, cards: Sequence[Card]) -> TrustBadge | None:
    """How far to trust the cards, with the largest of the errors that they tell."""
    if component.posterior.sampler == "beam":
        return TrustBadge("beam", f"beam of {component.posterior.n_samples}, not a posterior", _ABOUT_BEAM)
    sampled = workspace.state.components.sampled(component.id) or component  # decisions have no order
    if has_few_draws(sampled.posterior):
        return TrustBadge("few draws", "few draws", _ABOUT_FEW_DRAWS)
    spread = sampled.order_spread
    if spread is None or component.posterior.order is None:
        return None
    worst = max(cards, key=lambda card: card.mass_se)
    kind, n_orders = trust(spread), len(np.unique(component.posterior.order))
    if kind == "steady" and worst.mass_se >= LARGE_ERROR:
        kind, advice = "unsteady", _ADVICE_LARGE_ERROR
    else:
        advice = _ADVICE[kind]
    measured = (
        f"{sentence(kind)}. The largest error of a probability on these cards is {worst.error} %: the\n"
        "number of draws is limited, and the order in which the network sees the spikes matters, though it\n"
        "should not. Another order changes the probability that two of these spikes share a unit by\n"
        f"{percent(spread)}; all numbers here are averages over {n_orders} orders. {advice}"
    )
    return TrustBadge(kind, f"{kind} {worst.error}\u2009%", measured)


LARGE_ERROR = 0.095
"""Error of a probability from which on it is rough, whatever the order does: what is shown as 10 %."""
_ADVICE_LARGE_ERROR = "The error is large: take the probabilities as rough."
_ADVICE: dict[Trust, str] = {
    "steady": "This is usual for spikes like those that the network was trained on.",
    "unsteady": "The order matters less for most spikes like those of its training: take the\n"
    "probabilities as rough.",
    "shaky": "The order matters far less for spikes like those of its training: do not rely on the\n"
    "probabilities, look at the waveforms, and consider a model of your own (see the guide).",
}


_ABOUT_FEW_DRAWS = (
    "Spike times and shapes agree with few draws of the network. This happens with cells that burst or\n"
    "move in ways that it has not seen. These few draws shall not decide alone, so the others count as\n"
    "well: probabilities lie between what all evidence says and what the network alone says.\n"
    "Look at the waveforms and the correlogram."
)

_ABOUT_BEAM = (
    f"These sortings were searched by beam: {NOT_A_POSTERIOR}.\n"
    "Each number is a share of the sortings of the beam, which mostly differ by single spikes. The\n"
    "sortings that it leaves out may be far more probable together. R draws from the posterior again."
)


def _cards(workspace: Workspace, component: Component) -> tuple[Card, ...]:
    current = workspace.current()
    assert current is not None
    in_use = workspace.alternative_in_use()
    waveforms = workspace.waveforms()
    sortings: list[tuple[int | None, ShownSorting]] = []
    if in_use is None and current.units:
        sortings.append((None, current))
    for index in range(len(component.alternatives)):
        is_current = index == in_use and index != workspace.preview
        sorting = current if is_current else workspace.sorting_of(index)
        assert sorting is not None
        others = [current, *(one for _, one in sortings)]
        if is_current or index == workspace.preview or not _is_among(sorting, others):
            sortings.append((index, sorting))
    largest = max((unit.n_spikes for _, s in sortings for unit in s.units), default=1)
    cards = [
        _card(workspace, component, index, sorting, current, waveforms, largest)
        for index, sorting in sortings
    ]
    changing = sorted((card for card in cards if card.change is not None), key=lambda card: -card.mass)
    against = changing[0].change if changing else None
    return tuple(replace(card, change=against) if card.is_in_use else card for card in cards)


def _is_among(sorting: ShownSorting, others: Sequence[ShownSorting]) -> bool:
    """Whether using a sorting gives what one of the others is, as where accepted units keep all as it is."""
    labels = canonical(sorting.labels)
    return any(np.array_equal(labels, canonical(one.labels)) for one in others)


def _is_given(workspace: Workspace, component: Component, index: int) -> bool:
    """Whether an alternative is how the folder that is reviewed has these spikes."""
    project = workspace.state.project
    if project is None or project.given is None:
        return False
    given = project.unit_of_spike[component.spike_ids]
    return workspace.state.remembered.get(
        ("as given", component.id, index),
        lambda: np.array_equal(canonical(component.alternatives[index].labels), canonical(given)),
    )


def _card(
    workspace: Workspace,
    component: Component,
    index: int | None,
    sorting: ShownSorting,
    current: ShownSorting,
    waveforms: ComponentWaveforms | None,
    largest: int,
) -> Card:
    in_use = sorting is current
    is_edited = in_use and index is not None and workspace.present_alternative() is None
    if index is None:
        mass, error, before, evidence = _agreement(workspace, component, current)
        words = "edited by hand"
    else:
        alternative = component.alternatives[index]
        mass, error = alternative.mass, alternative.mass_se
        as_sampled = workspace.state.whole_as_sampled(component.id).alternatives[index]
        before, evidence = as_sampled.mass, as_sampled.by_evidence  # decisions are no evidence of these
        own = workspace.sorting_of(index) if is_edited else sorting
        assert own is not None
        words = "in use" if in_use and not is_edited else _words(current, own)
    means = workspace.state.remembered.get(
        ("means", component.id, index, waveforms is None), lambda: _means(sorting, waveforms)
    )
    units = tuple(
        CardUnit(unit.name, color, unit.n_spikes, unit.n_spikes / largest, unit.is_changed, mean)
        for unit, color, mean in zip(sorting.units, colors_of(workspace, sorting), means, strict=True)
    )
    return Card(
        index=index,
        mass=mass,
        mass_se=error,
        words=words,
        units=units,
        n_unassigned=sorting.n_unassigned,
        is_shown=workspace.proposal is None
        and (index == workspace.preview or (workspace.preview is None and in_use)),
        is_in_use=in_use,
        as_given=index is not None and _is_given(workspace, component, index),
        given=_given(workspace, component),
        evidence=evidence,
        sampler=component.posterior.sampler,
        before=before if workspace.state.is_decided(component.id) else None,
        is_edited=is_edited,
        n_wrong=workspace.questions.misplaced(component.id)
        if in_use and _is_doubtful(workspace, current)
        else 0.0,
        change=None
        if in_use
        else workspace.state.remembered.get(
            ("change", component.id, index), lambda: change_of(current, sorting)
        ),
    )


def _is_doubtful(workspace: Workspace, current: ShownSorting) -> bool:
    """Whether a unit in use is more probably not pure, or not complete."""
    numbers = [unit_numbers(workspace.state, unit.unit) for unit in current.units if unit.unit is not None]
    return any(min(one.p_pure, one.p_complete) < MORE_PROBABLY for one in numbers)


def _given(workspace: Workspace, component: Component) -> str:
    given = workspace.state.components.given_of(component.id)
    return "" if given is None else given.text


def _words(current: ShownSorting, preview: ShownSorting) -> str:
    """What adopting a preview would do, all of it: see `core.difference`."""
    words = difference(current.labels, preview.labels).words([unit.name for unit in current.units])
    if preview.n_taken_along:
        words += f", takes {count(preview.n_taken_along, 'spike')} of other questions along"
    if preview.held:
        words += f"; {' and '.join(map(str, preview.held))} stay{'s' * (len(preview.held) == 1)} as accepted"
    return words


def _agreement(
    workspace: Workspace, component: Component, current: ShownSorting
) -> tuple[float, float, float, dict[str, float]]:
    """Share of the posterior that is the current sorting and no card; its error; both before any decision.

    The last is the share by kinds of evidence.
    """
    same = workspace.state.remembered.get(
        ("agreement", component.id),
        lambda: draws_of_sorting(
            component.posterior,
            current.sampled_labels,
            [alternative.labels[component.sampled] for alternative in component.alternatives],
            min_spikes=current.min_spikes,
        ),
    )
    posterior = component.posterior
    drawn = workspace.state.whole_as_sampled(component.id).posterior
    waveforms = None if drawn.drawn_weight is None else float(drawn.drawn_weight @ same)
    seen = drawn.stimulus_nats is not None
    without_stimulus = float(drawn.weight_without_stimulus @ same) if seen else None
    alone = drawn.weight_without_echoes
    without_echoes = None if alone is None else float(alone @ same)
    before = float(drawn.weight @ same)
    evidence = masses_by_evidence(before, waveforms, without_stimulus, without_echoes)
    return float(posterior.weight @ same), posterior.standard_error(same), before, evidence


def _means(sorting: ShownSorting, waveforms: ComponentWaveforms | None) -> list[NDArray[np.float32] | None]:
    if waveforms is None:
        return [None] * len(sorting.units)
    means: list[NDArray[np.float32] | None] = []
    for row in range(len(sorting.units)):
        own = sorting.sampled_labels == row
        means.append(waveforms.waveforms[own].mean(axis=0) if own.any() else None)
    return means


def step_alternative(workspace: Workspace, step: int) -> None:
    """Show the card `step` places to the right of the one on screen, around the ends."""
    component = workspace.component()
    if component is None or not component.alternatives:
        return
    ring = [None if card.is_in_use else card.index for card in _cards(workspace, component)]
    if len(ring) < 2:
        workspace.state.told.emit("There is no other sorting of these spikes")
        return
    place = ring.index(workspace.preview) if workspace.preview in ring else 0
    workspace.show_alternative(ring[(place + step) % len(ring)])
