"""Probabilities that are not known reach every format as that, and its own reader takes them."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import export


@pytest.fixture
def unknown(make_bundle: Callable[..., ExportBundle]) -> ExportBundle:
    """Nothing is known of unit 5."""
    bundle = make_bundle()
    sorting = bundle.sorting
    own = sorting.unit_id == 5
    assert sorting.probability is not None
    assert sorting.entropy is not None
    nan = np.float32(np.nan)
    return replace(
        bundle,
        sorting=replace(
            sorting,
            probability=np.where(own, nan, sorting.probability),
            entropy=np.where(own, nan, sorting.entropy),
            p_exists={**sorting.p_exists, 5: math.nan},
        ),
    )


def test_csv_leaves_the_cells_empty(unknown: ExportBundle, tmp_path: Path) -> None:
    path = export(unknown, "csv", tmp_path / "out.csv")
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["probability"] == "" for row in rows if row["unit"] == "5"} == {True}
    assert {row["entropy"] == "" for row in rows if row["unit"] != "5"} == {False}
    with (tmp_path / "out_units.csv").open(encoding="utf-8") as file:
        units = list(csv.DictReader(file))
    assert [(u["p_exists"], u["probability"] == "") for u in units] == [
        ("1.0000", False), ("", True), ("0.7500", False)
    ]  # fmt: skip


def test_npz_has_nan(unknown: ExportBundle, tmp_path: Path) -> None:
    with np.load(export(unknown, "npz", tmp_path / "out.npz")) as file:
        assert np.isnan(file["unit_p_exists"]).tolist() == [False, True, False]
        assert np.isnan(file["unit_probability"]).tolist() == [False, True, False]
        np.testing.assert_array_equal(np.isnan(file["spike_probability"]), file["spike_unit"] == 5)


def test_phylib_and_read_phy_take_nan_and_lose_no_spike(unknown: ExportBundle, tmp_path: Path) -> None:
    from phylib.io.model import load_model
    from spikeinterface.extractors import read_phy

    folder = export(unknown, "phy", tmp_path / "phy")
    model = load_model(folder / "params.py")
    assert math.isnan(model.metadata["p_exists"][5])
    assert model.metadata["p_exists"][40] == 0.75
    in_file = np.load(folder / "spike_probability.npy")
    np.testing.assert_array_equal(np.isnan(in_file), model.spike_clusters == 5)
    shown = model.spike_attributes["probability"]  # phylib shows 0 where a file has nan
    np.testing.assert_array_equal(shown, np.nan_to_num(in_file))
    model.close()
    sorting = read_phy(folder)
    assert sorting.count_total_num_spikes() == 300
    assert np.isnan(sorting.get_property("p_exists")).tolist() == [False, True, False]


def test_spikeinterface_has_nan_and_its_curation_is_json(unknown: ExportBundle, tmp_path: Path) -> None:
    import spikeinterface as si

    folder = export(unknown, "spikeinterface", tmp_path / "si")
    assert np.isnan(si.load(folder).get_property("p_exists")).tolist() == [False, True, False]
    assert np.isnan(si.load(folder).get_property("probability")).tolist() == [False, True, False]

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    block = json.loads((folder / "curation.json").read_text(), parse_constant=refuse)["ncp"]
    assert block["p_exists"] == {"2": 1.0, "5": None, "40": 0.75}
