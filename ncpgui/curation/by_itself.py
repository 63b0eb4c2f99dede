"""Decisions that the posterior makes by itself: sortings that are probable enough are used."""

from __future__ import annotations

from dataclasses import replace

from ncpgui.core.arguments import number
from ncpgui.core.errors import InputError
from ncpgui.core.project import Project
from ncpgui.curation.adopt import adopt_command
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.history import History
from ncpgui.evidence.tempered import has_few_draws


def with_probable_sortings(project: Project, least: float) -> tuple[Project, tuple[str, ...]]:
    """Return the project in which each component is sorted in a way that is probable enough, if it has one.

    Each decision is an edit in the history, which can be undone like any other. Components of which few draws
    count, and beams, whose weights are no probabilities, are left to people.

    Parameters
    ----------
    project : a new one, of which nothing was decided
    least : probability from which on a sorting is used, above 0.5 and at most 1

    Returns
    -------
    The project, and what was decided, in words, in order of the components.

    Raises
    ------
    InputError
        `least` is no such probability.
    """
    least = number(least, "the probability from which on decisions are made")
    if not 0.5 < least <= 1:
        raise InputError(
            f"decisions are made by themselves from a probability above 0.5 to 1, got {least:g}: at 0.5 "
            "two sortings of the same spikes could be probable enough"
        )
    base = Clustering(project.unit_of_spike, project.probability, highest=project.highest_unit)
    history = History(base, project.components, project.given_labels)
    decided = []
    for component in project.components:
        best = max(component.alternatives, key=lambda one: one.mass, default=None)
        posterior = component.posterior
        if best is None or best.mass < least or posterior.sampler == "beam" or has_few_draws(posterior):
            continue
        command = adopt_command(history.clustering, component, best)
        if command is None:
            continue
        share = ">99" if best.mass > 0.99 else str(int(100 * best.mass))
        words = f"{command.words}, by itself at {share} %"
        command = adopt_command(history.clustering, component, best, words=words)
        assert command is not None
        history.do(command)
        decided.append(words)
    return replace(project, history=(*project.history, *history.entries)), tuple(decided)
