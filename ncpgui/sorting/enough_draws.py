"""How many draws a component gets: as many as its question needs.

A quarter of the draws that were asked for come first, though not under `FEWEST`, and are weighed by the
evidence. They are all, where one sorting has nearly all of their weight: more draws would change no number
that people look at. Else each further round doubles them. More than were asked for do not help: where
evidence leaves few of 200 draws effective, it leaves as few of 600, those that happen to fit it best.

A round is a function of the component and of those before it, so that the number of workers does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ncpgui.core.alternatives import group_alternatives
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.sampled import Sampled
from ncpgui.sorting.config import SortingConfig

FEWEST = 50
"""Fewer draws than this say too little of what is settled."""
SETTLED = 0.985
EFFECTIVE_PART = 0.5


def rounds(config: SortingConfig) -> list[int]:
    """Draws of each round, as far as there are rounds: a beam is searched once."""
    wanted = config.posterior_samples
    if config.sampler == "beam" or wanted < 2 * FEWEST:
        return [wanted]
    sizes = [max(FEWEST, -(-wanted // 4))]
    while sum(sizes) < wanted:
        sizes.append(min(sum(sizes), wanted - sum(sizes)))
    return sizes


def are_enough(weighed: PosteriorSamples) -> bool:
    """Whether the draws of the rounds so far, weighed by the evidence, are enough."""
    are_effective = weighed.n_effective >= EFFECTIVE_PART * weighed.n_samples
    return are_effective and group_alternatives(weighed)[0].mass >= SETTLED


def rounds_left(posterior: PosteriorSamples, config: SortingConfig) -> list[tuple[int, int]]:
    """Number and draws of each round that is missing; none where draws are not those of the first rounds."""
    sizes = rounds(config)
    sums = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    if posterior.sampler != "draws" or posterior.n_samples not in sums:
        return []
    return list(enumerate(sizes))[sums.index(posterior.n_samples) + 1 :]


def together(parts: Sequence[Sampled]) -> Sampled:
    """Draws of several rounds as one; each round has orders of its own."""
    if len(parts) == 1:
        return parts[0]
    drawn = [one.posterior for one in parts]
    orders = [one.order for one in drawn]
    order, first = [], 0
    for one in orders:
        if one is not None:
            order.append(one + first)
            first += int(one.max()) + 1
    known = len(order) == len(parts)
    posterior = PosteriorSamples(
        np.concatenate([one.rows for one in drawn]),
        np.concatenate([one.log_prob for one in drawn]),
        np.concatenate([one.weight * one.n_samples for one in drawn]),
        np.concatenate(order) if known else None,
        sampler=drawn[0].sampler,
    )
    return Sampled(posterior, parts[0].features, parts[0].model, parts[0].knows_times)
