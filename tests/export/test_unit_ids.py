"""Every export says what units are called: text, numbers of more than 31 bits, negative ones."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.given import called
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import export
from ncpgui.export.unit_ids import INT64, LARGEST_CLUSTER, unit_ids

pytestmark = pytest.mark.filterwarnings("ignore")

Reader = Callable[[Path], dict[Any, int]]
"""Unit, as a format calls it -> its number of spikes."""
NAMES: dict[str, dict[int, int | str]] = {
    "text": {2: "A1", 5: "shank0_7", 40: "3c"},
    "digits": {2: "007", 5: "5", 40: "40"},
    "20 digits": {2: "98765432109876543210", 5: "5", 40: "40"},
    "negative": {2: -7, 5: -1, 40: 40},
    "32 bits": {2: 2**31, 5: 2**31 + 1, 40: 3_060_231_817},
    "53 bits": {2: 20_260_101_001, 5: 2**53 - 1, 40: 40},
    "numbers": {},
}


def counts(units: Any) -> dict[Any, int]:
    values, n = np.unique(np.asarray(units), return_counts=True)
    return dict(zip(values.tolist(), n.tolist(), strict=True))


def by_name(number_of_spike: Any, numbers: Any, names: Any) -> dict[Any, int]:
    n = counts(number_of_spike)
    if names is None:
        return {int(number): count for number, count in n.items()}
    return {str(name): n[number] for number, name in zip(numbers, names, strict=True)}


def of_phy(path: Path) -> dict[Any, int]:
    clusters = np.load(path / "spike_clusters.npy")
    table = path / "cluster_unit_name.tsv"
    if not table.is_file():
        return counts(clusters)
    rows = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    return by_name(clusters, [int(row[0]) for row in rows], [row[1] for row in rows])


def of_spikeinterface(path: Path) -> dict[Any, int]:
    from spikeinterface import load

    sorting = load(path)
    return {unit: len(sorting.get_unit_spike_train(unit)) for unit in sorting.unit_ids.tolist()}


def of_nwb(path: Path) -> dict[Any, int]:
    from spikeinterface.extractors import read_nwb_sorting

    sorting = read_nwb_sorting(path.with_suffix(".nwb"), sampling_frequency=24_000.0, t_start=0.0)
    return {unit: len(sorting.get_unit_spike_train(unit)) for unit in sorting.unit_ids.tolist()}


def of_mat(path: Path) -> dict[Any, int]:
    from scipy.io import loadmat

    file = loadmat(path.with_suffix(".mat"), squeeze_me=True)
    units = file["units"]
    names = [str(unit["name"]) for unit in units] if "name" in units.dtype.names else None
    return by_name(file["spike_units"], [int(unit["id"]) for unit in units], names)


def of_npz(path: Path) -> dict[Any, int]:
    with np.load(path.with_suffix(".npz")) as file:
        return by_name(file["spike_unit"], file["unit_ids"], file.get("unit_name"))


def of_csv(path: Path) -> dict[Any, int]:
    with path.with_suffix(".csv").open(encoding="utf-8") as file:
        spikes = counts([row["unit"] for row in csv.DictReader(file)])
    with path.with_name(f"{path.name}_units.csv").open(encoding="utf-8") as file:
        assert {row["unit"]: int(row["n_spikes"]) for row in csv.DictReader(file)} == spikes
    return spikes


READERS: dict[str, Reader] = {
    "phy": of_phy,
    "spikeinterface": of_spikeinterface,
    "nwb": of_nwb,
    "mat": of_mat,
    "npz": of_npz,
    "csv": of_csv,
}


@pytest.mark.parametrize("ids", list(NAMES))
@pytest.mark.parametrize("format_", list(READERS))
def test_spikes_are_those_of_the_unit_of_the_name(
    make_bundle: Callable[..., ExportBundle], tmp_path: Path, format_: str, ids: str
) -> None:
    bundle = make_bundle(n_spikes=301)  # 101 spikes of one unit, 100 of the others
    names = NAMES[ids]
    right = {names.get(unit, unit): n for unit, n in counts(bundle.sorting.unit_id).items()}
    export(replace(bundle, names=names), format_, tmp_path / "out")
    found = READERS[format_](tmp_path / "out")
    assert {str(name): n for name, n in found.items()} == {str(name): n for name, n in right.items()}


@pytest.mark.parametrize("ids", list(NAMES))
def test_spikeinterface_opens_the_folder_of_phy_whatever_units_are_called(
    make_bundle: Callable[..., ExportBundle], tmp_path: Path, ids: str
) -> None:
    from spikeinterface.extractors import read_phy

    bundle = make_bundle(n_spikes=301)
    export(replace(bundle, names=NAMES[ids]), "phy", tmp_path / "phy")
    sorting = read_phy(tmp_path / "phy")
    assert sorted(len(sorting.get_unit_spike_train(unit)) for unit in sorting.unit_ids) == [100, 100, 101]
    assert max(sorting.unit_ids) <= 100


@pytest.mark.parametrize("ids", list(NAMES))
def test_the_curation_of_an_export_speaks_of_the_units_by_name(
    bundle: ExportBundle, tmp_path: Path, ids: str
) -> None:
    from spikeinterface import load
    from spikeinterface.curation import apply_curation, load_curation

    names = NAMES[ids]
    joined = np.where(np.isin(bundle.sorting.unit_id, (2, 40)), 41, bundle.sorting.unit_id)
    merged = replace(
        bundle,
        sorting=replace(bundle.sorting, unit_id=joined, p_exists={}, main_channel={}),
        templates=None,
        numbers=None,
        unit_before_merges=bundle.sorting.unit_id,
        names=called([2, 5, 40, 41], names) if names else {},
    )
    export(merged, "spikeinterface", tmp_path / "si")
    before = load(tmp_path / "si" / "before_merges")
    after = apply_curation(before, load_curation(tmp_path / "si" / "curation.json"))
    assert set(after.unit_ids.tolist()) == set(load(tmp_path / "si").unit_ids.tolist())
    given = [names.get(unit, unit) for unit in (2, 5, 40)]
    assert {str(unit) for unit in before.unit_ids} == {str(name) for name in given}
    value = json.loads((tmp_path / "si" / "curation.json").read_text())
    assert value["merges"][0]["unit_ids"] == [given[0], given[2]]


def test_what_spikeinterface_calls_clusters_of_phy_comes_back_in_tables(
    bundle: ExportBundle, tmp_path: Path
) -> None:
    from spikeinterface.extractors import read_phy

    reviewed = replace(bundle, phy_names={2: 10, 5: 11, 40: 12})
    export(reviewed, "phy", tmp_path / "phy")
    assert read_phy(tmp_path / "phy").unit_ids.tolist() == [10, 11, 12]
    assert np.unique(np.load(tmp_path / "phy" / "spike_clusters.npy")).tolist() == [2, 5, 40]
    export(reviewed, "csv", tmp_path / "a")
    with (tmp_path / "a_units.csv").open() as file:
        assert [(row["unit"], row["si_unit_id"]) for row in csv.DictReader(file)] == [
            ("2", "10"),
            ("5", "11"),
            ("40", "12"),
        ]


def test_a_number_that_a_format_cannot_hold_is_another_that_no_unit_has() -> None:
    units = np.array([1, 2, 3])
    ids = unit_ids(units, [LARGEST_CLUSTER + 1, -4, 7], least=0, most=LARGEST_CLUSTER)
    assert ids.number.tolist() == [8, 9, 7]
    assert ids.name == [str(LARGEST_CLUSTER + 1), "-4", "7"]
    full = unit_ids(units, [-1, LARGEST_CLUSTER, 0], least=0, most=LARGEST_CLUSTER)
    assert full.number.tolist() == [1, LARGEST_CLUSTER, 0]
    assert unit_ids(units, [INT64.max, INT64.min, 3]).name is None


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        ([2, 9], [2, 3]),  # above all that are kept, up to the largest that there may be
        ([3, 9], [3, 0]),  # else from 0 on
        ([-5, 9], [-5, 0]),
        ([-6, 3], [0, 3]),
        ([9, -6], [0, 1]),
        ([3, "A1"], [3, 2]),  # a unit with text for a name keeps its number in ncpgui
    ],
)
def test_a_number_that_a_format_lacks_is_the_next_free_one(
    names: list[int | str], numbers: list[int]
) -> None:
    assert unit_ids(np.array([1, 2]), names, least=-5, most=3).number.tolist() == numbers
