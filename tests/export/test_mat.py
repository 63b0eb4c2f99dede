"""The MAT file holds what MATLAB users look for, under names of MATLAB, and is read back by SciPy."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import ExportError
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.mat import MOST_BYTES
from ncpgui.export.registry import export


def read(path: Path) -> dict[str, Any]:
    from scipy.io import loadmat

    return loadmat(path, squeeze_me=True, struct_as_record=False)


@pytest.fixture
def file(bundle: ExportBundle, tmp_path: Path) -> dict[str, Any]:
    return read(export(bundle, "mat", tmp_path / "Mäuse.mat"))


def test_spikes_are_columns_with_seconds_and_samples_counted_from_one(
    bundle: ExportBundle, tmp_path: Path, file: dict[str, Any]
) -> None:
    from scipy.io import loadmat

    np.testing.assert_allclose(file["spike_times_s"], bundle.sorting.sample_index / 24_000)
    np.testing.assert_array_equal(file["spike_samples"], bundle.sorting.sample_index + 1)
    np.testing.assert_array_equal(file["spike_units"], bundle.sorting.unit_id)
    np.testing.assert_array_equal(file["spike_probability"], bundle.sorting.probability)
    np.testing.assert_array_equal(file["spike_entropy"], bundle.sorting.entropy)
    np.testing.assert_array_equal(file["spike_amplitude_sd"], bundle.amplitude)
    assert loadmat(tmp_path / "Mäuse.mat")["spike_times_s"].shape == (300, 1)


def test_units_are_an_array_of_structs(bundle: ExportBundle, file: dict[str, Any]) -> None:
    units = file["units"]
    assert [unit.id for unit in units] == [2, 5, 40]
    assert [unit.label for unit in units] == ["good", "unsorted", "mua"]
    assert [unit.p_neuron for unit in units] == [0.99, 0.74, 0.49]
    assert [unit.p_exists for unit in units] == [1.0, 0.875, 0.75]
    assert [unit.channel for unit in units] == [1, 2, 3]  # MATLAB counts from one
    assert [unit.n_spikes for unit in units] == [100, 100, 100]
    for unit, template in zip(units, bundle.templates, strict=True):
        np.testing.assert_allclose(unit.spike_times_s, bundle.sorting.spike_train(unit.id) / 24_000)
        np.testing.assert_array_equal(unit.template_noise_sd, template)
        own = bundle.sorting.unit_id == unit.id
        np.testing.assert_array_equal(unit.spike_samples, bundle.sorting.sample_index[own] + 1)
        np.testing.assert_array_equal(unit.spike_probability, bundle.sorting.probability[own])


def test_probe_and_recording_are_there(bundle: ExportBundle, file: dict[str, Any]) -> None:
    np.testing.assert_array_equal(file["channel_positions_um"], bundle.probe.positions_um)
    assert file["channel_shanks"].tolist() == [0, 0, 1]
    np.testing.assert_array_equal(file["noise_sd"], bundle.noise_sd)
    assert (file["sampling_frequency_hz"], file["n_samples"]) == (24_000, 24_000)
    assert json.loads(str(file["ncp_json"]))["model"] == "small"


def test_one_unit_is_still_an_array_of_structs(
    make_bundle: Callable[..., ExportBundle], tmp_path: Path
) -> None:
    from scipy.io import loadmat

    path = export(make_bundle(units=(7,)), "mat", tmp_path / "one")
    assert path.name == "one.mat"
    assert loadmat(path)["units"].shape == (1, 1)
    assert loadmat(path)["units"][0, 0]["id"].item() == 7


def test_what_is_not_known_is_nan_or_absent(bundle: ExportBundle, tmp_path: Path) -> None:
    bare = replace(
        bundle,
        sorting=replace(bundle.sorting, probability=None, entropy=None, p_exists={}),
        numbers=None,
        templates=None,
    )
    file = read(export(bare, "mat", tmp_path / "bare.mat"))
    assert "spike_probability" not in file
    assert "p_neuron" not in file["units"][0]._fieldnames
    assert "template_noise_sd" not in file["units"][0]._fieldnames


def test_names_fit_into_matlab(file: dict[str, Any]) -> None:
    """A name of MATLAB has at most 63 characters and is no keyword; SciPy writes 31 unless told."""
    names = [name for name in file if not name.startswith("__")] + file["units"][0]._fieldnames
    assert all(name.isidentifier() and len(name) <= 31 and name != "end" for name in names)


def test_a_sorting_beyond_what_the_format_holds_is_refused_with_a_way_out(
    bundle: ExportBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_BYTES == 2_147_483_647
    monkeypatch.setattr("ncpgui.export.mat.MOST_BYTES", 1000)
    with pytest.raises(
        ExportError, match=r"more than .* that a variable of a MAT file.*export it as nwb or npz"
    ) as refused:
        export(bundle, "mat", tmp_path / "a.mat")
    assert list(tmp_path.iterdir()) == []
    n_bytes = int(str(refused.value).split()[3])
    monkeypatch.setattr("ncpgui.export.mat.MOST_BYTES", n_bytes)
    assert export(bundle, "mat", tmp_path / "a.mat").is_file()
