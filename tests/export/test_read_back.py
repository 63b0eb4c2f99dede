"""A curation of SpikeInterface becomes edits here, of the units that SpikeInterface would make of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spikeinterface.curation import curation_model

from ncpgui.core.errors import CurationError, InputError, RecordingError
from ncpgui.core.project import Project
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.history import History
from ncpgui.export.phy_back import curation_place, write_back
from ncpgui.export.propositions import Reviewed
from ncpgui.export.read_back import _accepted, _Curated, decided_elsewhere, read_back
from ncpgui.session.decided import decided
from tests.reviewed_folder import RATE, reviewed

pytestmark = pytest.mark.filterwarnings("ignore")
UNITS = np.array([0, 1, 2] * 6)
TIMES = 100 * (1 + np.arange(len(UNITS)))
NAMES = ("a", "b", "c")


@pytest.fixture(scope="module")
def sorting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from spikeinterface.core import NumpySorting

    folder = tmp_path_factory.mktemp("sortings") / "sorting"
    trains = {name: TIMES[unit == UNITS] for unit, name in enumerate(NAMES)}
    NumpySorting.from_unit_dict([trains], RATE).save(folder=folder)
    return folder


@pytest.fixture
def project(sorting: Path) -> Project:
    return fresh(sorting)


def fresh(folder: Path) -> Project:
    from dataclasses import replace

    return replace(reviewed(folder), history=())


def curation(**more: Any) -> dict[str, Any]:
    definitions = {"quality": {"label_options": ["good", "noise", "MUA"], "exclusive": True}}
    return {"format_version": "2", "unit_ids": list(NAMES), "label_definitions": definitions, **more}


def taken(project: Project, value: Any, place: Path) -> History:
    place.write_text(json.dumps(value))
    history = decided(project).history
    read_back(project, history, decided_elsewhere(project, place))
    return history


def spikes(history: History) -> dict[tuple[int, ...], str]:
    """Times of the spikes of each unit, with its label."""
    units = history.clustering.unit_ids.tolist()
    return {
        tuple(TIMES[history.clustering.spikes_of(unit)].tolist()): history.labels.label(unit)
        for unit in units
    }


def by_spikeinterface(folder: Path, value: Any) -> set[tuple[int, ...]]:
    from spikeinterface.core import load
    from spikeinterface.curation import apply_curation

    after = apply_curation(load(folder), value)
    return {tuple(after.get_unit_spike_train(unit).tolist()) for unit in after.unit_ids}


SPLIT = {"unit_id": "c", "mode": "indices", "indices": [[0, 2]]}
LABELS = {"unit_id": "c", "mode": "labels", "labels": [5, 0, 5, 0, 1, 1]}


@pytest.mark.parametrize(
    "value",
    [
        curation(merges=[{"unit_ids": ["a", "b"]}]),
        curation(splits=[SPLIT], merges=[{"unit_ids": ["b", "a"], "new_unit_id": "ab"}]),
        curation(splits=[LABELS], removed=["a"]),
        curation(splits=[{**SPLIT, "indices": [[0], [1, 3]], "new_unit_ids": ["x", "y", "z"]}]),
        [
            curation(splits=[{**SPLIT, "new_unit_ids": ["x", "y"]}]),
            {**curation(merges=[{"unit_ids": ["x", "a"]}], removed=["y"]), "unit_ids": ["a", "b", "x", "y"]},
        ],
    ],
)
def test_units_are_those_that_spikeinterface_makes(
    sorting: Path, project: Project, tmp_path: Path, value: Any
) -> None:
    if isinstance(value, list) and not hasattr(curation_model, "SequentialCuration"):
        pytest.skip("steps: from SpikeInterface 0.105 on")
    history = taken(project, value, tmp_path / "curation.json")
    assert set(spikes(history)) == by_spikeinterface(sorting, value)
    while history.can_undo:
        history.undo()
    assert np.array_equal(history.clustering.unit_of_spike, UNITS)


def test_labels_and_the_older_format_are_read(project: Project, tmp_path: Path) -> None:
    value = {
        "format_version": "1",
        "unit_ids": list(NAMES),
        "label_definitions": {"quality": {"label_options": ["good", "MUA"], "exclusive": True}},
        "manual_labels": [{"unit_id": "a", "quality": ["MUA"]}, {"unit_id": "c", "quality": ["good"]}],
        "merge_unit_groups": [["a", "b"]],
        "removed_units": [],
    }
    history = taken(project, value, tmp_path / "curation.json")
    both = tuple(sorted([*TIMES[UNITS == 0].tolist(), *TIMES[UNITS == 1].tolist()]))
    assert spikes(history) == {both: "unsorted", tuple(TIMES[UNITS == 2].tolist()): "good"}


def test_what_is_written_back_is_read_back_by_another_session(sorting: Path, tmp_path: Path) -> None:
    """Parts of a unit go to different units, one is removed, one is labelled: two steps."""
    project = fresh(sorting)
    units = UNITS.copy()
    units[[0, 3]] = 1  # of a to b
    units[6] = -1
    decisions = CuratedSorting(units, np.ones(len(units), np.float32), {2: "good"}, frozenset(), units.copy())
    written = write_back(project, decisions)
    other = fresh(sorting)
    history = decided(other).history
    words = read_back(other, history, decided_elsewhere(other, written.folder / written.files[0]))
    expected = {tuple(TIMES[units == unit].tolist()) for unit in (0, 1, 2)}
    assert set(spikes(history)) == expected
    assert spikes(history)[tuple(TIMES[UNITS == 2].tolist())] == "good"
    assert len(words) == 2
    again = decided_elsewhere(other)  # where SpikeInterface's window would keep it
    assert read_back(other, history, again) == ()
    (written.folder / written.files[0]).unlink()
    with pytest.raises(InputError, match="there is no curation of"):
        decided_elsewhere(other)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("text", "is not a curation of SpikeInterface"),
        ([], "is not a curation of SpikeInterface"),
        ({"format_version": "3", "unit_ids": []}, "its format_version is '3', 1 and 2 are known"),
        (curation(merges=[{"unit_ids": ["a", "z"]}]), "there is no unit z"),
        (curation(merges=[{"unit_ids": ["a"]}]), "a merge has fewer than two units"),
        (curation(splits=[{**SPLIT, "indices": [[6]]}]), "unit c has 6 spikes, a split names spike 6"),
        (curation(splits=[{**LABELS, "labels": [0, 1]}]), "unit c has 6 spikes, 2 labels split it"),
        (curation(splits=[{"unit_id": "c"}]), "indices is missing"),
        ([curation(), curation(removed=["q"])], r"\(step 2\).*there is no unit q"),
        ("text", r"\(it is the text 'text'\)"),
        (7, r"\(it is the number 7\)"),
        (curation(merges={"unit_ids": ["a", "b"]}), "merges must be a list, and is names with values"),
        (
            curation(merges=["ab"]),
            "entry 1 of merges must be names with values, in braces, and is the text 'ab'",
        ),
        (
            curation(merges=[{"unit_ids": "ab"}]),
            "unit_ids of entry 1 of merges must be a list, and is the text",
        ),
        (curation(merges=[{"unit_ids": [["a"], "b"]}]), "must be the id of a unit, .* and is a list"),
        (
            curation(merges=[{"unit_ids": ["a", "b"], "new_unit_id": {}}]),
            "new_unit_id of entry 1 of merges must",
        ),
        (curation(merges=[{}]), "unit_ids is missing in entry 1 of merges"),
        (curation(removed="a"), "removed must be a list, and is the text 'a'"),
        (curation(removed=[1.5]), "entry 1 of removed must be the id of a unit, .* and is the number 1.5"),
        (curation(removed=[None]), r"and is empty \(null\)"),
        (curation(manual_labels=[["a", "good"]]), "entry 1 of manual_labels must be names with values"),
        (
            curation(manual_labels=[{"unit_id": "a", "labels": ["good"]}]),
            "labels of entry 1 .* and is a list",
        ),
        (
            curation(manual_labels=[{"unit_id": "a", "labels": {"quality": "good"}}]),
            "quality of .* must be a list",
        ),
        (
            curation(manual_labels=[{"unit_id": "a", "labels": {"quality": [3]}}]),
            "must be a text, and is the number",
        ),
        (curation(manual_labels=[{"labels": {"quality": ["good"]}}]), "unit_id is missing in entry 1"),
        (curation(splits=[{**SPLIT, "indices": [[0.5]]}]), "must be a whole number, and is the number 0.5"),
        (
            curation(splits=[{**SPLIT, "indices": [True]}]),
            "part 1 of the indices of .* must be a list, and is true",
        ),
        (curation(splits=[{**SPLIT, "indices": [[2**70]]}]), "unit c has 6 spikes, a split names spike 1180"),
        (curation(splits=[{**SPLIT, "indices": [[-1]]}]), "unit c has 6 spikes, a split names spike -1"),
        (curation(splits=[{**SPLIT, "mode": ["indices"]}]), "mode of entry 1 of splits must be 'indices' or"),
        (
            curation(splits=[{**SPLIT, "new_unit_ids": "d"}]),
            "new_unit_ids of entry 1 of splits must be a list",
        ),
        (
            curation(splits=[{**LABELS, "labels": ["x"] * 6}]),
            "entry 1 of labels of .* must be a whole number",
        ),
    ],
)
def test_what_is_no_curation_of_these_units_is_refused(
    project: Project, tmp_path: Path, value: Any, reason: str
) -> None:
    with pytest.raises(InputError, match=reason) as raised:
        taken(project, value, tmp_path / "curation.json")
    assert not re.search(
        r"\b(list|dict|str|int|float|bool|NoneType)\b object|not subscriptable|got", str(raised.value)
    )


def test_a_file_that_is_not_there_and_a_sorting_that_changed_are_refused(
    sorting: Path, project: Project, tmp_path: Path
) -> None:
    from dataclasses import replace

    with pytest.raises(InputError, match="cannot be read as a curation"):
        decided_elsewhere(project, tmp_path / "nothing.json")
    assert project.given is not None
    place = tmp_path / "curation.json"
    place.write_text(json.dumps(curation()))
    changed = replace(project, given=replace(project.given, digest="another"))
    with pytest.raises(RecordingError, match="has other spikes or units than were reviewed"):
        decided_elsewhere(changed, place)
    assert not curation_place(sorting).exists()


def merged(*accepted: tuple[tuple[int, ...], int]) -> tuple[list[int], int]:
    """Clusters 0, 1 and 2 of two spikes each with these merges, and how many cannot be done."""
    told = [Reviewed(units, accepted=True, applied=units, result=result) for units, result in accepted]
    units, lost = _accepted(np.array([0, 0, 1, 1, 2, 2]), told)
    return units.tolist(), lost


def test_accepted_merges_are_done_in_the_order_in_which_their_clusters_are_there() -> None:
    assert merged(((0, 1), 5)) == ([5, 5, 5, 5, 2, 2], 0)
    assert merged(((5, 2), 9), ((0, 1), 5)) == ([9] * 6, 0)


def test_the_number_of_a_merge_that_another_cluster_has_gives_way_to_a_new_one() -> None:
    assert merged(((0, 1), 2)) == ([3, 3, 3, 3, 2, 2], 0)


def test_a_merge_of_clusters_that_are_gone_is_lost_unless_its_result_is_there() -> None:
    assert merged(((0, 7), 9)) == ([0, 0, 1, 1, 2, 2], 1)
    assert merged(((7, 8), 2)) == ([0, 0, 1, 1, 2, 2], 0)


def curated(*steps: dict[str, Any], highest: int = -1, units: tuple[int, ...] = (0, 0, 1, 1)) -> _Curated:
    """Units 0 and 1, called a and b, after some steps."""
    state = _Curated({"a": 0, "b": 1}, np.array(units), highest)
    for step in steps:
        state.apply({"format_version": "2", **step})
    return state


JOIN = {"merges": [{"unit_ids": ["a", "b"]}]}


def test_new_units_have_numbers_above_all_that_there_are_or_were() -> None:
    assert curated(JOIN).units.tolist() == [2] * 4
    assert curated(JOIN, highest=9).units.tolist() == [10] * 4
    assert curated(JOIN, units=(0, 0, 1, 20)).units.tolist() == [21, 21, 21, 20]


def test_parts_of_a_split_are_called_as_is_said_and_the_rest_comes_last() -> None:
    split = {"unit_id": "a", "mode": "indices", "indices": [[1], [3]], "new_unit_ids": ["x", "y", "z"]}
    state = curated({"splits": [split]}, units=(0, 0, 0, 0, 1))
    assert state.units.tolist() == [4, 2, 4, 3, 1]
    assert (state.known["x"], state.known["y"], state.known["z"]) == (2, 3, 4)
    labels = {"unit_id": "a", "mode": "labels", "labels": [9, 4, 9, 4], "new_unit_ids": ["x"]}
    state = curated({"splits": [labels]}, units=(0, 0, 0, 0, 1))
    assert state.units.tolist() == [3, 2, 3, 2, 1]
    assert (state.known["x"], "y" in state.known) == (2, False)


def test_a_new_unit_is_not_called_as_another_that_stays() -> None:
    """What a later step said of unit c was done to the merge of a and b."""
    merge = {"unit_ids": ["a", "b"], "new_unit_id": "c"}
    state = _Curated({"a": 0, "b": 1, "c": 2}, np.array([0, 1, 2]), -1)
    with pytest.raises(CurationError, match="a new unit is called c, as another unit is that stays"):
        state.apply({"format_version": "2", "merges": [merge]})
    split = {"unit_id": "a", "indices": [[0]], "new_unit_ids": ["b", "x"]}
    with pytest.raises(CurationError, match="a new unit is called b, as another unit is that stays"):
        curated({"splits": [split]})
    assert curated({"splits": [{**split, "new_unit_ids": ["a", "x"]}]}).known["a"] == 2
    assert curated({"merges": [{**merge, "new_unit_id": "b"}]}).known["b"] == 2


@pytest.mark.parametrize("indices", [[[0, 1], [1]], [[0, 0]], [[1], [0, 2, 1]]])
def test_a_spike_is_in_one_part_of_a_split(indices: list[list[int]]) -> None:
    """The last part got it, and nobody was told."""
    split = {"unit_id": "a", "mode": "indices", "indices": indices}
    with pytest.raises(CurationError, match=r"a split of unit a names spike [01] twice"):
        curated({"splits": [split]}, units=(0, 0, 0, 0, 1))


def quality(unit: str, *labels: str) -> dict[str, Any]:
    return {"unit_id": unit, "labels": {"quality": list(labels)}}


def test_labels_go_to_parts_and_to_merges_of_units_that_have_the_same() -> None:
    both = {"manual_labels": [quality("a", "MUA", "mua"), quality("b", "mua")]}
    assert curated(both).labels == {0: "mua", 1: "mua"}
    assert curated(both, JOIN).labels == {2: "mua"}
    assert curated({"manual_labels": [quality("a", "good")]}, JOIN).labels == {}
    split = {"splits": [{"unit_id": "a", "indices": [[0]]}]}
    assert curated({"manual_labels": [quality("a", "good")]}, split).labels == {2: "good", 3: "good"}


def test_labels_that_are_not_known_here_or_empty_say_nothing() -> None:
    assert curated({"manual_labels": [quality("a", "artefact"), quality("b")]}).labels == {}


@pytest.mark.parametrize(
    "step",
    [
        {"merges": [{"unit_ids": ["a", "b"]}, {"unit_ids": ["b", "c"]}]},
        {"merges": [{"unit_ids": ["a", "b"]}], "removed": ["b"]},
        {"merges": [{"unit_ids": ["a", "b"]}], "splits": [{"unit_id": "b", "indices": [[0]]}]},
        {"splits": [{"unit_id": "b", "indices": [[0]]}, {"unit_id": "b", "indices": [[1]]}]},
        {"removed": ["b"], "splits": [{"unit_id": "b", "indices": [[0]]}]},
    ],
)
def test_a_unit_that_is_in_two_answers_of_a_step_is_refused(step: dict[str, Any]) -> None:
    state = _Curated({"a": 0, "b": 1, "c": 2}, np.array([0, 0, 1, 1, 2]), -1)
    with pytest.raises(CurationError, match="unit b is removed, split or merged more than once"):
        state.apply({"format_version": "2", **step})


def test_the_parts_of_a_split_and_the_units_of_another_step_are_free_again() -> None:
    apart = {"splits": [{"unit_id": "a", "indices": [[0]], "new_unit_ids": ["p", "q"]}]}
    assert curated({**apart, "merges": [{"unit_ids": ["q", "b"]}]}).units.tolist() == [2, 4, 4, 4]
    assert curated({"removed": ["a"]}, {"removed": ["a"]}).units.tolist() == [-1, -1, 1, 1]


def test_a_unit_with_two_labels_is_refused_and_other_words_are_kept_to_be_said() -> None:
    def labelled(*words: str) -> _Curated:
        return curated({"manual_labels": [{"unit_id": "a", "labels": {"quality": list(words)}}]})

    assert labelled("good", "SUA").labels == {0: "good"}
    with pytest.raises(CurationError, match="unit a has the labels good and MUA"):
        labelled("good", "MUA")
    state = labelled("axon", "noise")
    assert (state.labels, state.unknown) == ({0: "noise"}, {"axon"})


def test_of_two_names_of_a_list_the_one_that_has_entries_is_read() -> None:
    assert curated({"removed": [], "removed_units": ["a"]}).units.tolist() == [-1, -1, 1, 1]
    assert curated({"removed": ["b"], "removed_units": ["a"]}).units.tolist() == [0, 0, -1, -1]
    assert curated({"removed": None}).units.tolist() == [0, 0, 1, 1]
