"""Questions are propositions as phy 2.2 reads them, and what it says was decided is read back."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import CurationError, ExportError, InputError, RecordingError
from ncpgui.core.given import SPIKEINTERFACE
from ncpgui.core.project import Project
from ncpgui.curation.commands import Link, Merge
from ncpgui.curation.history import History
from ncpgui.export.propositions import key_of, propositions, write_propositions
from ncpgui.export.read_back import decided_elsewhere, read_back
from ncpgui.session.decided import decided
from tests.reviewed_folder import reviewed, write_folder
from tests.tiny_project import tiny_project

CLUSTERS = [0] * 10 + [4] * 12 + [7] * 8 + [9] * 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "phy", CLUSTERS)


@pytest.fixture
def project(folder: Path) -> Project:
    """Clusters 0 and 4 may be one, at 70 %; so may 7 and 9, at 20 %."""
    asked = tiny_project(
        {0: [[0] * 10 + [1] * 12, [0] * 22], 1: [[0] * 8 + [1] * 4, [0] * 12]},
        masses={0: [0.3, 0.7], 1: [0.8, 0.2]},
    )
    return replace(reviewed(folder), components=asked.components, p_neuron=None, lost=None, history=())


def review(folder: Path, reviews: dict[str, Any], *, sha256: str | None = None) -> None:
    source = {"filename": "curation.json"} | ({} if sha256 is None else {"sha256": sha256})
    value = {"format_version": "1", "source": source, "reviews": reviews}
    (folder / "curation_review.json").write_text(json.dumps(value))


def taken(project: Project) -> tuple[History, tuple[str, ...], tuple[str, ...]]:
    history = decided(project).history
    elsewhere = decided_elsewhere(project)
    return history, read_back(project, history, elsewhere), elsewhere.notes


def test_the_key_is_of_the_clusters_in_their_order() -> None:
    assert key_of([41, 56]) == "merge:" + hashlib.sha256(b"41,56").hexdigest()[:16]
    assert key_of([56, 41]) != key_of([41, 56])


def test_questions_are_merges_with_the_largest_unit_as_reference(folder: Path, project: Project) -> None:
    place, n = write_propositions(project)
    value = json.loads(place.read_text())
    assert (place.name, n, value["format_version"]) == ("curation.json", 2, "2")
    assert value["unit_ids"] == [0, 4, 7, 9]
    assert value["merges"] == [
        {"unit_ids": [4, 0], "probability": 0.7},
        {"unit_ids": [7, 9], "probability": 0.2},
    ]
    from spikeinterface.curation.curation_model import Curation

    assert [one.unit_ids for one in Curation(**value).merges or []] == [[4, 0], [7, 9]]


@pytest.mark.parametrize(("least", "merges"), [(0.2, [[0, 7]]), (0.2001, [])])
def test_two_of_three_units_are_proposed_where_they_are_probably_enough_one(
    project: Project, least: float, merges: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clusters 0 and 7 may be one; most of the others of each is cluster 4."""
    monkeypatch.setattr("ncpgui.export.propositions.LEAST", least)
    apart, joined = [0] * 10 + [1] * 12 + [2] * 8, [0] * 10 + [1] * 12 + [0] * 8
    asked = tiny_project({0: [apart, joined], 1: [[0] * 4]}, masses={0: [0.8, 0.2], 1: [1.0]})
    found = propositions(replace(project, components=asked.components))["merges"]
    assert [one["unit_ids"] for one in found] == merges
    assert [one["probability"] for one in found] == [0.2] * len(merges)


def test_a_curation_of_another_program_is_not_replaced_and_an_own_one_is(
    folder: Path, project: Project, tmp_path: Path
) -> None:
    write_propositions(project)
    write_propositions(project)
    others = '{"format_version": "2", "unit_ids": [0, 4], "merges": [{"unit_ids": [0, 4]}]}'
    (folder / "curation.json").write_text(others)
    with pytest.raises(ExportError, match="another program's propositions would be lost; move it away"):
        write_propositions(project)
    assert (folder / "curation.json").read_text() == others
    assert write_propositions(project, tmp_path / "other.json")[0].exists()
    with pytest.raises(ExportError, match="is not a folder; put it back"):
        write_propositions(project, tmp_path / "gone" / "other.json")


def test_an_analyzer_has_a_view_and_no_propositions(project: Project) -> None:
    assert project.given is not None
    other = replace(project, given=replace(project.given, kind=SPIKEINTERFACE))
    with pytest.raises(InputError, match="is not a folder of Phy or Kilosort"):
        propositions(other)


def test_what_was_accepted_is_a_merge_and_what_was_rejected_is_never_one(
    folder: Path, project: Project
) -> None:
    """Phy saved the merged cluster 10 before it wrote that the proposition was accepted."""
    place, _ = write_propositions(project)
    np.save(folder / "spike_clusters.npy", np.array([10] * 22 + CLUSTERS[22:], np.int32))
    (folder / "cluster_group.tsv").write_text("cluster_id\tgroup\n10\tgood\n9\tnoise\n")
    accepted = {"decision": "accepted", "applied_unit_ids": [4, 0], "result_unit_id": 10}
    review(
        folder,
        {key_of([4, 0]): accepted, key_of([7, 9]): {"decision": "rejected"}},
        sha256=hashlib.sha256(place.read_bytes()).hexdigest(),
    )
    history, words, notes = taken(project)
    assert notes == ()
    assert Merge((0, 4), 10) in history.commands
    assert Link((7, 9), same=False) in history.commands
    assert history.labels.label(10) == "good"
    assert history.labels.label(9) == "noise"
    assert len(words) == 4
    assert read_back(project, history, decided_elsewhere(project)) == ()  # once is enough
    history.undo()


def test_that_three_clusters_are_not_one_does_not_say_which_are_apart(folder: Path, project: Project) -> None:
    several = {"format_version": "2", "unit_ids": [0, 4, 7, 9], "merges": [{"unit_ids": [4, 0, 7]}]}
    (folder / "curation.json").write_text(json.dumps(several))
    review(folder, {key_of([4, 0, 7]): {"decision": "rejected"}})
    history, words, notes = taken(project)
    assert words == ()
    assert history.commands == ()
    assert notes == ("1 propositions of more than two clusters were rejected: which are apart is not said",)


def test_an_accepted_merge_that_is_not_in_the_clusters_yet_is_taken_and_may_have_other_units(
    folder: Path, project: Project
) -> None:
    """The second was edited before it was accepted: it has what the first became."""
    write_propositions(project)
    second = {"decision": "accepted", "applied_unit_ids": [7, 10], "result_unit_id": 11}
    first = {"decision": "accepted", "applied_unit_ids": [4, 0], "result_unit_id": 10}
    review(folder, {key_of([7, 9]): second, key_of([4, 0]): first})
    history, words, _ = taken(project)
    assert words == ("merge 0 + 4 + 7",)
    assert sorted(len(history.clustering.spikes_of(unit)) for unit in history.clustering.unit_ids) == [4, 30]


def test_propositions_that_nobody_knows_any_more_are_told(folder: Path, project: Project) -> None:
    review(
        folder,
        {
            "merge:0123456789abcdef": {"decision": "rejected"},
            key_of([1, 2]): {"decision": "accepted", "applied_unit_ids": [1, 2], "result_unit_id": 3},
        },
        sha256="of another file",
    )
    _, words, notes = taken(project)
    assert words == ()
    assert [note.split(" ")[0] for note in notes] == ["curation.json", "1", "1"]


def reviews(entry: str) -> str:
    return f'{{"format_version": "1", "reviews": {{"merge:0": {entry}}}}}'


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no JSON", "as phy 2.2 writes it"),
        ("[1]", "the whole must be names with values, in braces, and is a list"),
        ('{"format_version": "7", "reviews": {}}', "format_version is '7', 1 is known"),
        ('{"format_version": "1"}', "reviews is missing"),
        (
            '{"format_version": "1", "reviews": [1, 2]}',
            "reviews must be names with values, in braces, and is a list",
        ),
        (reviews('"accepted"'), "it must be names with values, in braces, and is the text 'accepted'"),
        (reviews("{}"), "decision is missing"),
        (reviews('{"decision": "perhaps"}'), "must be 'accepted' or 'rejected', and is the text 'perhaps'"),
        (reviews('{"decision": "accepted", "applied_unit_ids": [1]}'), "fewer than two clusters"),
        (reviews('{"decision": "accepted", "applied_unit_ids": 1}'), "must be a list, and is the number 1"),
        (
            reviews('{"decision": "accepted", "applied_unit_ids": ["a", "b"], "result_unit_id": 3}'),
            "entry 1 of applied_unit_ids must be a whole number, and is the text 'a'",
        ),
        (
            reviews('{"decision": "accepted", "applied_unit_ids": [1, 2], "result_unit_id": null}'),
            r"result_unit_id must be a whole number, and is empty \(null\)",
        ),
        (
            reviews(
                '{"decision": "accepted", "applied_unit_ids": [1, 2], "result_unit_id": 99999999999999999999}'
            ),
            "result_unit_id must be from 0 to 9007199254740991",
        ),
    ],
)
def test_a_review_that_phy_did_not_write_is_refused(
    folder: Path, project: Project, value: str, reason: str
) -> None:
    (folder / "curation_review.json").write_text(value)
    with pytest.raises(InputError, match=reason) as raised:
        decided_elsewhere(project)
    assert re.search(r"curation_review\.json.*save it in phy again", str(raised.value))


def test_splits_of_phy_are_taken_over_and_its_other_spikes_are_refused(
    folder: Path, project: Project
) -> None:
    clusters = np.array(CLUSTERS, np.int32)
    clusters[10:16], clusters[16:22] = 10, 11
    np.save(folder / "spike_clusters.npy", clusters)
    history, words, _ = taken(project)
    assert words == ("sort 4 as in phy",)
    sizes = [len(history.clustering.spikes_of(unit)) for unit in history.clustering.unit_ids.tolist()]
    assert sorted(sizes) == [4, 6, 6, 8, 10]
    times = np.load(folder / "spike_times.npy")
    np.save(folder / "spike_times.npy", times + 1)
    with pytest.raises(RecordingError, match="has other spikes than were reviewed"):
        decided_elsewhere(project)


def test_units_that_were_changed_on_both_sides_are_refused_unless_alike(
    folder: Path, project: Project
) -> None:
    history = decided(project).history
    history.do(Merge((4, 7)))
    np.save(folder / "spike_clusters.npy", np.array([10] * 22 + CLUSTERS[22:], np.int32))
    with pytest.raises(CurationError, match="unit 4 was changed here, and in phy in another way; undo it"):
        read_back(project, history, decided_elsewhere(project))
    assert len(history.commands) == 1
    history.undo()
    history.do(Merge((0, 4)))
    assert read_back(project, history, decided_elsewhere(project)) == ()
