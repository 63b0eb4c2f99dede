"""A curation beside a sorting of SpikeInterface is one that SpikeInterface reads, wherever it allows that."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spikeinterface.curation import curation_model

from ncpgui.core.errors import ExportError
from ncpgui.core.project import Project
from ncpgui.export.phy_back import curation_place, write_back
from tests.reviewed_folder import RATE, decided, reviewed

pytestmark = pytest.mark.filterwarnings("ignore")
UNITS = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2])
TIMES = 100 * (1 + np.arange(len(UNITS)))


def saved(folder: Path, names: tuple[int | str, ...] = (0, 1, 2), times: np.ndarray = TIMES) -> Path:
    """A sorting of three units, as SpikeInterface keeps it; the second is MUA."""
    from spikeinterface.core import NumpySorting

    trains = {name: times[unit == UNITS] for unit, name in enumerate(names)}
    sorting = NumpySorting.from_unit_dict([trains], RATE)
    sorting.set_property("quality", np.array(["", "MUA", ""]))
    sorting.save(folder=folder)
    return folder


@pytest.fixture
def sorting(tmp_path: Path) -> Path:
    return saved(tmp_path / "sorting")


def merged(project: Project, **more: Any) -> Any:
    """Decisions to join units 0 and 1."""
    return decided(project, {3: (0, 1)}, **more)


def split(project: Project, unit: int = 0, into: tuple[int, int] = (3, 4), **more: Any) -> Any:
    """Decisions to split a unit in two, spike by spike."""
    decisions = decided(project, **more)
    rows = np.flatnonzero(project.unit_of_spike == unit)
    decisions.unit_of_spike[rows[::2]], decisions.unit_of_spike[rows[1::2]] = into
    return decisions


def applied(folder: Path, *, file: Path | None = None) -> dict[Any, tuple[list[int], str]]:
    """Unit -> its spikes and its label, as SpikeInterface makes them of the sorting and what was written."""
    from spikeinterface.core import load
    from spikeinterface.curation import apply_curation, load_curation

    file = curation_place(folder) if file is None else file
    value = json.loads(file.read_text())
    after = apply_curation(load(folder), value if isinstance(value, list) else load_curation(file))
    quality = dict(zip(after.unit_ids.tolist(), after.get_property("quality").tolist(), strict=True))
    return {unit: (after.get_unit_spike_train(unit).tolist(), quality[unit]) for unit in quality}


def test_a_unit_that_is_split_and_another_that_is_labelled_are_one_curation(sorting: Path) -> None:
    project = reviewed(sorting)
    written = write_back(project, split(project, labels={2: "good"}))
    assert written.files == ("sorting_curation.json",)
    assert applied(sorting) == {
        1: (TIMES[UNITS == 1].tolist(), "MUA"),
        2: (TIMES[UNITS == 2].tolist(), "good"),
        3: (TIMES[UNITS == 0][::2].tolist(), ""),
        4: (TIMES[UNITS == 0][1::2].tolist(), ""),
    }


def test_a_split_a_merge_and_a_removal_of_different_units_are_one_curation(tmp_path: Path) -> None:
    folder = saved(tmp_path / "sorting")
    project = reviewed(folder)
    decisions = split(project, labels={3: "good", 4: "good"})
    decisions.unit_of_spike[project.unit_of_spike == 2] = -1
    assert write_back(project, decisions).files == ("sorting_curation.json",)
    assert applied(folder) == {
        1: (TIMES[UNITS == 1].tolist(), "MUA"),
        3: (TIMES[UNITS == 0][::2].tolist(), "good"),
        4: (TIMES[UNITS == 0][1::2].tolist(), "good"),
    }


TWO_STEPS = {
    "parts with different labels": {3: "good", 4: "noise"},
    "a part that is joined to another unit": {},
    "a part that is removed": {},
}


@pytest.mark.skipif(not hasattr(curation_model, "SequentialCuration"), reason="steps: from 0.105 on")
@pytest.mark.parametrize("kind", TWO_STEPS)
def test_what_one_curation_cannot_hold_is_two_steps_in_a_file_of_another_name(
    kind: str, sorting: Path
) -> None:
    project = reviewed(sorting)
    into = {"a part that is joined to another unit": (3, 2), "a part that is removed": (3, -1)}.get(
        kind, (3, 4)
    )
    decisions = split(project, into=into, labels=TWO_STEPS[kind])
    write_back(project, decided(project, labels={0: "noise"}))
    written = write_back(project, decisions)
    assert written.files == ("sorting_curation_steps.json",)
    assert "a list of two steps, which apply_curation takes" in written.words
    assert not curation_place(sorting).exists(), "a curation of other decisions would be taken for these"
    assert written.backup is not None
    assert [item.name for item in written.backup.iterdir()] == ["sorting_curation.json"]
    found = applied(sorting, file=sorting.with_name("sorting_curation_steps.json"))
    after = decisions.unit_of_spike
    expected = sorted(TIMES[after == unit].tolist() for unit in np.unique(after[after >= 0]))
    assert sorted(train for train, _ in found.values()) == expected
    write_back(project, decided(project))
    assert sorted(item.name for item in sorting.parent.glob("*.json")) == ["sorting_curation.json"]


def test_an_analyzer_has_it_where_its_window_looks_for_it(tmp_path: Path) -> None:
    (tmp_path / "analyzer" / "sorting").mkdir(parents=True)
    place = curation_place(tmp_path / "analyzer")
    assert place == tmp_path / "analyzer" / "spikeinterface_gui" / "curation_data.json"


def test_spikes_outside_the_recording_are_counted_as_spikeinterface_counts_them(tmp_path: Path) -> None:
    times = TIMES.copy()
    times[9] = 4321  # of unit 0, past the end
    folder = saved(tmp_path / "sorting", times=times)
    project = reviewed(folder)
    assert len(project.spikes) == len(UNITS) - 1
    write_back(project, split(project))
    trains = {unit: train for unit, (train, _) in applied(folder).items()}
    assert trains == {
        1: TIMES[UNITS == 1].tolist(),
        2: TIMES[UNITS == 2].tolist(),
        3: [100, 700, 4321],
        4: [400],
    }


@pytest.mark.parametrize("names", [("a", "3", "c"), ("0", "1", "007"), (20260101001, 5, 2**40)])
def test_new_units_are_called_by_names_that_no_other_has(
    names: tuple[int | str, ...], tmp_path: Path
) -> None:
    folder = saved(tmp_path / "sorting", names)
    project = reviewed(folder)
    name_of = project.given.called(np.unique(project.unit_of_spike).tolist())  # type: ignore[union-attr]
    first, second, _ = sorted(name_of, key=lambda unit: names.index(name_of[unit]))
    new = project.highest_unit + 1
    write_back(project, decided(project, {new: (first, second)}, {new: "good"}))
    found = applied(folder)
    assert found.pop(names[2]) == (TIMES[UNITS == 2].tolist(), "")
    ((name, (train, quality)),) = found.items()
    assert name not in names
    assert train == TIMES[UNITS != 2].tolist()
    assert quality == "good"


def test_labels_that_were_given_in_the_window_of_spikeinterface_stay(sorting: Path) -> None:
    theirs = {
        "format_version": "2",
        "unit_ids": [0, 1, 2],
        "label_definitions": {
            "quality": {"label_options": ["good", "noise", "MUA", "artifact"], "exclusive": True},
            "shape": {"label_options": ["wide", "narrow"], "exclusive": False},
        },
        "manual_labels": [
            {"unit_id": 0, "labels": {"quality": ["artifact"], "shape": ["wide"]}},
            {"unit_id": 2, "labels": {"quality": ["artifact"]}},
        ],
        "merges": [],
        "splits": [],
        "removed": [],
    }
    place = curation_place(sorting)
    place.write_text(json.dumps(theirs))
    project = reviewed(sorting)
    assert write_back(project, decided(project)).files == ()
    assert json.loads(place.read_text()) == theirs
    written = write_back(project, decided(project, labels={2: "good"}))
    told = {one["unit_id"]: one["labels"] for one in json.loads(place.read_text())["manual_labels"]}
    assert told == {
        0: {"quality": ["artifact"], "shape": ["wide"]},
        1: {"quality": ["MUA"]},
        2: {"quality": ["good"]},
    }
    assert written.backup is not None
    assert json.loads((written.backup / place.name).read_text()) == theirs
    assert {unit: label for unit, (_, label) in applied(sorting).items()} == {
        0: "artifact",
        1: "MUA",
        2: "good",
    }


def test_each_curation_that_is_replaced_is_kept(sorting: Path) -> None:
    project = reviewed(sorting)
    assert write_back(project, merged(project)).backup is None
    first = curation_place(sorting).read_bytes()
    second = write_back(project, decided(project, labels={2: "good"})).backup
    third = write_back(project, decided(project, labels={2: "noise"})).backup
    assert second == sorting.with_name("sorting_curation.before-ncpgui")
    assert third == sorting.with_name("sorting_curation.before-ncpgui-2")
    assert (second / "sorting_curation.json").read_bytes() == first
    assert write_back(project, decided(project, labels={2: "noise"})).files == ()


def test_a_sorting_that_somebody_changed_gets_no_curation(sorting: Path) -> None:
    project = reviewed(sorting)
    shutil.rmtree(sorting)
    saved(sorting, times=TIMES + 1)
    with pytest.raises(ExportError, match=r"changed since it was reviewed \(its spikes or units differ\)"):
        write_back(project, merged(project))
    shutil.rmtree(sorting)
    with pytest.raises(ExportError, match=r"decisions cannot be written back: .* does not exist"):
        write_back(project, merged(project))
    assert not curation_place(sorting).exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_the_place_of_a_curation_is_not_waited_for(sorting: Path) -> None:
    project = reviewed(sorting)
    os.mkfifo(curation_place(sorting))
    with pytest.raises(ExportError, match="it is a device or a named pipe, not a file"):
        write_back(project, merged(project))
