"""What other programs propose for reviewed units, and what the posterior says of it, in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncpgui.core.counted import count
from ncpgui.core.percent import percent_of_draws

if TYPE_CHECKING:
    from ncpgui.core.project import Project
    from ncpgui.evidence.proposed import Answered

MOST = 20
DOUBTED = 0.5
"""Labels that are less probable are told one by one."""
MEANING = {"good": "a good unit", "mua": "of several neurons", "noise": "noise", "neuron": "a neuron"}


def proposal_lines(project: Project) -> list[str]:
    """A line a merge, and a line a label that is probably wrong; under a line a program that labels."""
    if project.given is None or not project.given.proposals:
        return []
    from ncpgui.evidence.proposed import answered

    names = project.given.called({unit for one in project.given.proposals for unit in one.units})
    found = answered(project)
    merges = [one for one in found if one.proposal.kind == "merge"]
    lines = [
        f"{one.proposal.source} proposes to merge {' + '.join(str(names[u]) for u in one.proposal.units)}: "
        f"{_how_probable(one)}"
        for one in merges
    ]
    labels = [one for one in found if one.proposal.kind == "label"]
    for source in sorted({one.proposal.source for one in labels}):
        its = [one for one in labels if one.proposal.source == source]
        wrong = [one for one in its if one.probability < DOUBTED]
        verb = "is" if len(wrong) == 1 else "are"
        lines.append(
            f"{source} labels {count(len(its), 'unit')}; {len(wrong)} of these {verb} probably wrong"
        )
        for one in wrong:
            what = f"{names[one.proposal.units[0]]} is {MEANING[one.proposal.label]}"
            lines.append(f"  {what}: {percent_of_draws(one.probability)}")
    rest = len(lines) - MOST
    return lines if rest <= 0 else [*lines[:MOST], f"and {rest} more; 'ncpgui info --json' lists all"]


def _how_probable(one: Answered) -> str:
    if one.probability != one.probability:
        return "they are not asked about together, as they have no contacts in common or too few spikes"
    return f"one neuron at {percent_of_draws(one.probability)}"
