"""How far the probabilities of a component can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.card import Card
from ncpgui.app.words import sentence
from ncpgui.core.component import (
    Component,
)
from ncpgui.core.order_agreement import Trust, trust
from ncpgui.core.percent import percent
from ncpgui.core.posterior import NOT_A_POSTERIOR
from ncpgui.evidence.tempered import has_few_draws


@dataclass(frozen=True)
class TrustBadge:
    """How far the probabilities of a component can be trusted, in a word and in a sentence.

    trust : "beam" where they are no posterior, "few draws" where the evidence leaves few
    """

    trust: Trust | Literal["beam", "few draws"]
    text: str
    help: str


def trust_badge(workspace: Workspace, component: Component, cards: Sequence[Card]) -> TrustBadge | None:
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
        f"{percent(spread)}; all numbers here are averages over {n_orders} orders.\n{advice}"
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
