"""Propositions for phy, and what was decided elsewhere, on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.cli.proposals import proposal_lines
from ncpgui.core.proposals import Proposal
from ncpgui.export.propositions import key_of
from ncpgui.session.decided import read_decided
from ncpgui.session.store import save
from tests.reviewed_folder import reviewed, write_folder
from tests.tiny_project import tiny_project

from .conftest import Command


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Clusters 0 and 4 may be one, at 70 %."""
    folder = write_folder(tmp_path / "phy", [0] * 10 + [4] * 12)
    asked = tiny_project({0: [[0] * 10 + [1] * 12, [0] * 22]}, masses={0: [0.3, 0.7]})
    project = replace(reviewed(folder), components=asked.components, waiting=(), failed={}, waveforms={})
    save(replace(project, p_neuron=None, lost=None, history=()), tmp_path / "review.h5")
    return tmp_path / "review.h5"


def test_a_question_goes_to_phy_and_the_decision_comes_back(ncpgui: Command, session: Path) -> None:
    folder = session.parent / "phy"
    done = ncpgui("propose", session)
    assert done.code == 0
    assert "wrote 1 proposition to" in done.err
    (merge,) = json.loads((folder / "curation.json").read_text())["merges"]
    accepted = {"decision": "accepted", "applied_unit_ids": merge["unit_ids"], "result_unit_id": 5}
    value = {"format_version": "1", "source": {"filename": "curation.json"}, "reviews": {}}
    value["reviews"] = {key_of(merge["unit_ids"]): accepted}
    (folder / "curation_review.json").write_text(json.dumps(value))
    np.save(folder / "spike_clusters.npy", np.full(22, 5, np.int32))
    done = ncpgui("read-back", session)
    assert done.code == 0
    assert "1 edit taken over from phy\n  merge 0 + 4\n" in done.err
    found = read_decided(session)
    assert found.history.clustering.unit_ids.tolist() == [5]
    done = ncpgui("read-back", session)
    assert "0 edits taken over from phy" in done.err
    assert len(read_decided(session).history.commands) == 1


def test_what_cannot_be_read_leaves_the_session_as_it_was(ncpgui: Command, session: Path) -> None:
    before = session.read_bytes()
    place = session.parent / "curation.json"
    place.write_text('{"format_version": "2", "unit_ids": [0, 4], "merges": [{"unit_ids": [0, 9]}]}')
    assert "there is no unit 9; give one of phy" in ncpgui("read-back", session, place).error
    assert "cannot be read as a curation" in ncpgui("read-back", session, session.parent / "none").error
    assert session.read_bytes() == before


def test_a_session_that_reviews_nothing_has_nothing_to_propose(ncpgui: Command, tmp_path: Path) -> None:
    save(tiny_project({0: [[0] * 30]}), tmp_path / "sorted.h5")
    for command in ("propose", "read-back"):
        assert "no units of another program" in ncpgui(command, tmp_path / "sorted.h5").error


def test_proposals_are_told_with_their_probability_and_labels_where_they_are_probably_wrong() -> None:
    from ncpgui.core.given import PHY, GivenSorting

    project = tiny_project({0: [[0] * 30 + [1] * 30, [0] * 60], 1: [[0] * 60]}, masses={0: [0.7, 0.3]})
    proposals = (
        Proposal("SLAy", "merge", (0, 1)),
        Proposal("SLAy", "merge", (1, 2)),
        Proposal("Bombcell", "label", (0, 2), "noise"),
    )
    given = GivenSorting("/data/ks", PHY, np.arange(120), "d", proposals=proposals)
    p_neuron = np.where(project.unit_of_spike == 2, 0.2, 0.98).astype(np.float32)
    assert proposal_lines(replace(project, given=given, p_neuron=p_neuron)) == [
        "SLAy proposes to merge 0 + 1: one neuron at 30\u2009%",
        "SLAy proposes to merge 1 + 2: they are not asked about together, as they have no contacts in common "
        "or too few spikes",
        "Bombcell labels 2 units; 1 of these is probably wrong",
        "  0 is noise: 2\u2009%",
    ]
    assert proposal_lines(project) == []
