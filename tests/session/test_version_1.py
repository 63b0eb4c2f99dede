"""A session that version 0.1.0 wrote (format 1, channel groups) opens as what it was.

``tests/data/sessions/v1.h5`` has six contacts: four channel groups, a contact that waits and one that
failed; a history with a label, an accepted unit, an alternative used, a merge taken back and a group sampled
again; a journal with another group sampled again, an alternative used, units accepted, undo and redo; the
waveforms of one group in the cache. ``v1.json`` is what that program showed of it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.session.session_file import create_session, open_session
from ncpgui.session.store import load

ARCHIVE = Path(__file__).parents[1] / "data" / "sessions"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of the session with its journal and cache."""
    for item in ARCHIVE.glob("v1.*"):
        shutil.copy(item, tmp_path)
    return tmp_path / "v1.h5"


@pytest.fixture
def told() -> dict[str, Any]:
    """What the program that wrote the session showed of it."""
    return json.loads((ARCHIVE / "v1.json").read_text())


def opened(path: Path) -> Workspace:
    with open_session(path) as session:
        workspace = Workspace()
        warnings: list[str] = []
        workspace.warned.connect(warnings.append)
        workspace.open(session.project, entries=session.journal_entries)
        assert (warnings, session.notes) == ([], ())
    return workspace


def check_same(workspace: Workspace, told: dict[str, Any]) -> None:
    """Units, labels, posterior and what waits are as the program that wrote the session showed them.

    Its P(exists) and P(spikes) are not: they were counted in another way. And it did not weigh draws by
    decisions: the posterior that it showed is the one before them.
    """
    assert workspace.clustering.unit_of_spike.tolist() == told["unit_of_spike"]
    units, labels = workspace.clustering.unit_ids.tolist(), workspace.history.labels
    assert {str(u): labels.label(u) for u in units if labels.label(u) != "unsorted"} == told["labels"]
    assert sorted(labels.locked & set(units)) == told["accepted"]
    assert {str(unit): workspace.main_channel(unit) for unit in units} == told["main_channel"]
    assert workspace.component_ids == [int(channel) for channel in told["channels"]]
    for channel, group in told["channels"].items():
        workspace.show_component(int(channel))
        component, current = workspace.component(), workspace.current()
        assert workspace.contact(int(channel)) == int(channel)
        assert workspace.n_spikes(int(channel)) == group["n_spikes"]
        state = workspace.status(int(channel)).state
        assert {"sure": "sampled"}.get(state, state) == group["state"]
        if component is None or current is None:
            assert group["units"] is None
            continue
        assert [unit.unit for unit in current.units] == group["units"]
        assert (workspace.present_alternative(), list(component.given)) == (group["in_use"], group["given"])
        cards = present_alternatives(workspace).cards
        sampled = workspace.sampled_component(int(channel))
        assert sampled is not None
        mass = [card.mass if card.index is None else sampled.alternatives[card.index].mass for card in cards]
        assert [[card.words, card.counts, round(p, 6)] for card, p in zip(cards, mass, strict=True)] == group[
            "cards"
        ]


def test_it_shows_what_the_program_showed_that_wrote_it(path: Path, told: dict[str, Any]) -> None:
    workspace = opened(path)
    check_same(workspace, told)
    assert workspace.history.undo_words == told["undo_words"]
    assert len(workspace.history.entries) == told["n_history"]


def test_what_waits_or_failed_waits_still(path: Path) -> None:
    project = load(path)
    assert [(one.id, one.channel) for one in project.waiting] == [(4, 4), (5, 5)]
    assert project.failed == {5: "too few spikes"}
    assert (project.spikes.channel[project.waiting[0].spike_ids] == 4).all()


def test_a_spike_that_two_groups_saw_is_in_the_posterior_of_one(path: Path, told: dict[str, Any]) -> None:
    seen_elsewhere = np.array(told["second_sightings"])
    assert len(seen_elsewhere) == 42
    for component in load(path).components:
        gone = np.isin(component.spike_ids, seen_elsewhere)
        assert all((way.labels[gone] == -1).all() for way in component.alternatives)
        assert not gone[component.sampled].any()
        assert component.posterior.n_points == len(component.sampled)


def test_saved_again_it_is_of_this_version_and_shows_the_same(
    path: Path, told: dict[str, Any], tmp_path: Path
) -> None:
    create_session(opened(path).snapshot(), tmp_path / "new.h5").close()
    with h5py.File(tmp_path / "new.h5") as file:
        assert (file.attrs["version"], "groups" in file, len(file["components"])) == (2, False, 4)
    check_same(opened(tmp_path / "new.h5"), told)


def test_its_journal_is_read_once_and_goes_on_in_this_version(path: Path, told: dict[str, Any]) -> None:
    opened(path)  # opening for writing writes the journal anew
    header, *entries = map(json.loads, (path.parent / "v1.h5.journal").read_text().splitlines())
    assert header["journal"] == 2
    assert [entry["do"] for entry in entries] == ["resample", "assign", "lock", "undo", "redo"]
    assert "channel" not in entries[0]
    check_same(opened(path), told)


def test_the_waveforms_of_its_cache_are_taken(path: Path) -> None:
    project = load(path)
    assert list(project.waveforms) == [0]
    component = project.components[0]
    assert project.waveforms[0].waveforms.shape == (len(component.sampled), 32, len(component.contacts))
    assert np.isfinite(project.waveforms[0].features).all()


def test_a_long_history_is_done_again_and_undone_to_its_start(path: Path, told: dict[str, Any]) -> None:
    """Three hundred rounds of labelling, merging and taking back, as that program wrote them down."""
    rounds = 300
    round_ = [
        {"do": "label", "words": "label unit 1 mua", "units": [1], "label": "mua"},
        {"do": "label", "words": "label unit 1 good", "units": [1], "label": "good"},
        {"do": "undo", "words": "undo label unit 1 good"},
    ]
    with (path.parent / "v1.h5.journal").open("a") as journal:
        for entry in round_ * rounds:
            journal.write(json.dumps(entry, separators=(",", ":")) + "\n")
    workspace = opened(path)
    assert workspace.clustering.unit_of_spike.tolist() == told["unit_of_spike"]
    assert workspace.history.labels.label(1) == "mua"
    assert len(workspace.history.entries) == told["n_history"] + 3 * rounds
    create_session(workspace.snapshot(), path.parent / "new.h5").close()
    again = opened(path.parent / "new.h5")
    assert again.clustering.unit_of_spike.tolist() == told["unit_of_spike"]
    n_undone = 0
    while again.history.can_undo:
        again.undo()
        n_undone += 1
    assert n_undone > rounds
    assert again.clustering.unit_of_spike.tolist() == load(path).unit_of_spike.tolist()
