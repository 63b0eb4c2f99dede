"""The ways to sort the component on screen, as cards: probability, units, difference in words."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.card import Card
from ncpgui.app.presenters.cards import condition, present_cards
from ncpgui.app.presenters.queue import BEYOND_CARDS, cut_from_words, doubt_words
from ncpgui.app.presenters.trust_badge import TrustBadge, trust_badge
from ncpgui.app.presenters.why_empty import OPEN_FIRST
from ncpgui.app.words import count, sentence, thousands, unit_names
from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import Sampler

NO_RAW_DATA = (
    "This sorting was opened without its raw data, so there are no waveforms and no probabilities. Units can "
    "still be merged, split, labelled and written back."
)
MOST_NAMED = 4
"""Units of other questions that are named beside the headline."""


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


EMPTY = AlternativesView("", "", None, (), 0.0, OPEN_FIRST, False, "Use this sorting", 1.0)


def present_alternatives(workspace: Workspace) -> AlternativesView:
    """Cards of the component on screen."""
    if workspace.state.project is None:
        return EMPTY
    if workspace.component_id is None:
        return _no_question(workspace)
    component_id = workspace.component_id
    contact = f"contact {workspace.state.components.contact(component_id)}"
    component = workspace.component()
    n = thousands(len(workspace.state.components.spike_ids(component_id)))
    if component is None:
        status = workspace.questions.status(component_id)
        message = {
            "failed": f"These spikes could not be sampled: {status.message}",
            "sampling": f"Sampling the posterior of these spikes … {100 * status.fraction:.0f} %",
        }.get(status.state, "These spikes are not checked yet. They move to the front while you look.")
        return AlternativesView(
            sentence(contact), f"{n} spikes", None, (), 0.0, message, False, "Use this sorting", 1.0
        )
    cards = present_cards(workspace, component)
    title, place = _title(workspace, contact)
    other = max(0.0, 1.0 - sum(card.mass for card in cards))
    by_beam = component.posterior.sampler == "beam"
    n_sortings = sum(card.index is not None for card in cards)
    sortings = count(n_sortings, "sorting" if by_beam else "plausible sorting")
    subtitle = f"{place}{n} spikes · {sortings}{' of a beam' if by_beam else ''}"
    apart = cut_from_words(workspace, component_id)
    subtitle += f" · in doubt with {apart} too" if apart else ""
    doubts = doubt_words(workspace.questions.standing(component_id))
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
        badge=trust_badge(workspace, component, cards) if cards else None,
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
        given=condition(workspace, component),
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
    adopt(workspace)


def _accept_text(workspace: Workspace, component_id: int, shown: Card | None, *, settled: bool) -> str:
    if not settled:
        return _consequence("Keep", shown)
    return "Nothing to accept" if workspace.questions.standing(component_id).is_empty else "Accepted"


def _can_adopt(workspace: Workspace) -> bool:
    """Whether using the preview would do anything: not where accepted units keep all as it is."""
    preview = workspace.shown()
    return preview is not None and (preview.n_moved > 0 or not preview.held)


def step_alternative(workspace: Workspace, step: int) -> None:
    """Show the card `step` places to the right of the one on screen, around the ends."""
    component = workspace.component()
    if component is None or not component.alternatives:
        return
    ring = [None if card.is_in_use else card.index for card in present_cards(workspace, component)]
    if len(ring) < 2:
        workspace.state.told.emit("There is no other sorting of these spikes")
        return
    place = ring.index(workspace.preview) if workspace.preview in ring else 0
    workspace.show_alternative(ring[(place + step) % len(ring)])
