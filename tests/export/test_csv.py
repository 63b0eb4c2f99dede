"""Tables of text: each cell as it is written, and names with a number where something is in the way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import ExportError
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.csv import csv_files, export_csv
from ncpgui.export.registry import export


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_each_cell_has_the_decimals_that_mean_anything(bundle: ExportBundle, tmp_path: Path) -> None:
    """The second of 300 spikes, all numbers by hand: sample 50 of 24 kHz."""
    numbers = np.zeros(300, np.float32)
    numbers[1] = 0.1234567
    sorting = replace(bundle.sorting, probability=numbers, entropy=2 * numbers)
    path = export_csv(replace(bundle, sorting=sorting, amplitude=-100 * numbers), tmp_path / "a.csv")
    head, _, second, *rest = lines(path)
    assert head == "sample,time_s,unit,probability,entropy,amplitude_sd"
    assert second == "50,0.002083,5,0.1235,0.2469,-12.346"
    assert len(rest) == 298


def test_units_have_a_row_each_with_what_is_known(bundle: ExportBundle, tmp_path: Path) -> None:
    named = replace(bundle, names={2: "=1+1"}, tags={5: "@tag"})
    path = export(named, "csv", tmp_path / "a")
    assert path == tmp_path / "a.csv"
    head, first, second, _ = lines(tmp_path / "a_units.csv")
    assert head == (
        "unit,label,n_spikes,rate_hz,amplitude_sd,channel,x_um,y_um,depth_um,shank,p_exists,probability,"
        "p_neuron,p_pure,p_complete,false_positives,misses,tag"
    )
    cells = first.split(",")
    assert cells[:4] == ["'=1+1", "good", "100", "100.0000"]
    assert cells[5:10] == ["0", "0.000", "0.000", "0.000", "0"]
    assert cells[10] == "1.0000"
    assert second.split(",")[6:9] == ["0.000", "20.000", "20.000"]
    assert second.endswith("'@tag")


def test_both_tables_get_the_first_number_that_is_free_for_both(bundle: ExportBundle, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    assert csv_files(path) == (path, tmp_path / "a_units.csv")
    (tmp_path / "a_units.csv").write_text("somebody's")
    (tmp_path / "a-1.csv").write_text("somebody's")
    with pytest.raises(
        ExportError,
        match=r"a_units\.csv appeared meanwhile and is not replaced; what was written is in .*a-2\.csv$",
    ):
        export_csv(bundle, path, replace=False)
    assert sorted(item.name for item in tmp_path.iterdir()) == [
        "a-1.csv", "a-2.csv", "a-2_units.csv", "a_units.csv",
    ]  # fmt: skip
    assert export_csv(bundle, tmp_path / "b.csv", replace=False) == tmp_path / "b.csv"
    with pytest.raises(ExportError, match=r"b\.csv appeared meanwhile .* is in .*b-1\.csv$"):
        export_csv(bundle, tmp_path / "b.csv", replace=False)
    assert export_csv(bundle, path) == path
    assert lines(tmp_path / "a_units.csv")[0].startswith("unit,label")
