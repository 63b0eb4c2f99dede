"""What is proposed has the probability that the draws give it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.proposals import Proposal
from ncpgui.evidence.proposed import answered
from tests.tiny_project import tiny_project


def test_merges_and_labels_get_their_probability_the_least_likely_first() -> None:
    """Units 0 and 1 are one in three draws of ten; unit 2 is a neuron at 20 %, and surely pure."""
    project = tiny_project({0: [[0] * 30 + [1] * 30, [0] * 60], 1: [[0] * 60]}, masses={0: [0.7, 0.3]})
    proposals = (
        Proposal("SLAy", "merge", (0, 1)),
        Proposal("SLAy", "merge", (1, 2)),
        Proposal("Bombcell", "label", (2,), "noise"),
        Proposal("UnitRefine", "label", (2,), "good"),
        Proposal("UnitRefine", "label", (2,), "neuron"),
        Proposal("UnitRefine", "label", (2,), "mua"),
    )
    rows = np.arange(120)
    given = GivenSorting("/data/ks", PHY, rows, "d", proposals=proposals)
    p_neuron = np.where(project.unit_of_spike == 2, 0.2, 0.9).astype(np.float32)
    found = answered(replace(project, given=given, p_neuron=p_neuron))
    shares = {(one.proposal.source, one.proposal.units, one.proposal.label): one.probability for one in found}
    assert shares["SLAy", (0, 1), ""] == pytest.approx(0.3)
    assert np.isnan(shares["SLAy", (1, 2), ""])  # not asked about together
    assert shares["Bombcell", (2,), "noise"] == pytest.approx(0.8)
    assert shares["UnitRefine", (2,), "good"] == pytest.approx(0.2)
    assert shares["UnitRefine", (2,), "neuron"] == pytest.approx(0.2)
    assert shares["UnitRefine", (2,), "mua"] == pytest.approx(0)
    assert found[0].proposal.label == "mua"
    assert np.isnan(found[-1].probability)


def test_without_proposals_nothing_is_answered() -> None:
    project = tiny_project({0: [[0] * 30]})
    assert answered(project) == ()
    assert answered(replace(project, given=GivenSorting("/data/ks", PHY, np.arange(30), "d"))) == ()
