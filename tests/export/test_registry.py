"""Formats are found by name, and an empty sorting is refused with a way out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import ExportError, InputError
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.registry import FORMATS, export, export_format


def test_an_unknown_format_lists_those_that_are_known() -> None:
    with pytest.raises(
        InputError, match="'xyz' is not known; the formats are phy, spikeinterface, nwb, mat, npz, csv"
    ):
        export_format("xyz")
    with pytest.raises(InputError, match="did you mean 'spikeinterface'"):
        export_format("SpikeInterfaces")


@pytest.mark.parametrize("name", FORMATS)
def test_a_sorting_without_units_is_refused(
    make_bundle: Callable[..., ExportBundle], tmp_path: Path, name: str
) -> None:
    bundle = make_bundle()
    empty = replace(bundle.sorting, sample_index=[], unit_id=[], probability=None, entropy=None)
    with pytest.raises(ExportError, match="nothing to export, no spike is in a unit; lower the probability"):
        export(
            replace(bundle, sorting=empty, amplitude=np.zeros(0, np.float32), templates=None),
            name,
            tmp_path / "x",
        )
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_not_installed_is_named_with_the_line_to_type(
    bundle: ExportBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncpgui.export.registry.find_spec", lambda _: None)
    words = r"NWB file \(.nwb\) is written with pynwb, which is not installed; pip install pynwb"
    with pytest.raises(ExportError, match=words):
        export(bundle, "nwb", tmp_path / "a.nwb")
    assert list(tmp_path.iterdir()) == []
    assert FORMATS["phy"].lacks == ""


def test_unassigned_spikes_do_not_belong_in_an_export(bundle: ExportBundle) -> None:
    unit_id = bundle.sorting.unit_id.copy()
    unit_id[5] = -1
    with pytest.raises(InputError, match="leave out those of unit -1"):
        replace(bundle, sorting=replace(bundle.sorting, unit_id=unit_id))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: {"amplitude": b.amplitude[1:]}, "300 spikes but 299 amplitudes"),
        (lambda b: {"noise_sd": b.noise_sd[1:]}, "3 contacts but 2 noise levels"),
        (lambda b: {"templates": b.templates[1:]}, r"templates must be \(3 units, n_times, 3 channels\)"),
        (lambda b: {"sorting": replace(b.sorting, p_exists={2: 1.0})}, "p_exists lacks unit 5"),
        (lambda b: {"sorting": replace(b.sorting, main_channel={2: 1})}, "main_channel lacks unit 5"),
    ],
)
def test_parts_that_do_not_fit_are_named(
    bundle: ExportBundle, change: Callable[[ExportBundle], dict[str, object]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        replace(bundle, **change(bundle))


def test_the_main_channel_falls_back_to_the_largest_template(bundle: ExportBundle) -> None:
    bare = replace(bundle, sorting=replace(bundle.sorting, main_channel={}))
    assert bare.units["channel"].tolist() == [0, 1, 2]
    assert replace(bare, templates=None).units["channel"].tolist() == [0, 0, 0]
