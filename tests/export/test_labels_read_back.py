"""Every export has the label of each unit that the rule gives it, as the tool reads it that it is for."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tiny_project import curated

from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import SpikeEvents
from ncpgui.evidence.units import project_numbers
from ncpgui.export.bundle import ExportBundle
from ncpgui.export.from_project import bundle_of, project_table
from ncpgui.export.registry import export

P_NEURON = {3: 0.95, 8: 0.95, 9: 0.6, 12: 0.1, 20: 0.1, 31: np.nan}
BY_HAND = {20: "good"}
RULE = {3: "good", 8: "mua", 9: "mua", 12: "noise", 20: "good", 31: "unsorted"}
"""Unit 8 is likely a neuron, and in three draws of four parts of two."""
EACH = 20


@pytest.fixture(scope="module")
def project() -> Project:
    units = np.repeat(list(P_NEURON), EACH)
    n = len(units)
    whole = np.repeat(np.arange(len(P_NEURON)), EACH)
    parted = np.where((units == 8) & (np.arange(n) % 2 == 0), len(P_NEURON), whole)
    component = Component(
        id=0,
        contacts=np.array([0]),
        spike_ids=np.arange(n),
        sampled=np.arange(n),
        posterior=PosteriorSamples(np.stack([whole, parted]), np.zeros(2), np.array([0.25, 0.75])),
        alternatives=(Alternative(whole.astype(np.int32), np.ones(n), 0.25, 0.1, np.ones(len(P_NEURON))),),
    )
    return Project(
        recording=RecordingReference("", {}, "f", 2, 20_000.0, 100 * n),
        probe=Probe(np.array([[0.0, 0.0], [0.0, 30.0]])),
        spikes=SpikeEvents(100 * np.arange(n), np.zeros(n, np.int32), -np.full(n, 9.0), 20_000.0, 100 * n),
        noise_sd=np.ones(2, np.float32),
        components=(component,),
        unit_of_spike=units,
        probability=np.ones(n, np.float32),
        p_neuron=np.repeat(list(P_NEURON.values()), EACH).astype(np.float32),
        settings={},
        model="small",
    )


@pytest.fixture(scope="module")
def bundle(project: Project) -> ExportBundle:
    return bundle_of(project, curated(project, labels=BY_HAND))


def of_spikeinterface(sorting: object, name: str) -> dict[int, str]:
    return dict(zip(map(int, sorting.unit_ids), map(str, sorting.get_property(name)), strict=True))


def of_phy(path: Path) -> dict[int, str]:
    from spikeinterface.extractors import read_phy

    return of_spikeinterface(read_phy(path), "quality")


def of_sorting_folder(path: Path) -> dict[int, str]:
    from spikeinterface import load

    return of_spikeinterface(load(path), "quality")


def of_curation(path: Path) -> dict[int, str]:
    value = json.loads((path / "curation.json").read_text())
    found = {one["unit_id"]: one["labels"]["quality"] for one in value["manual_labels"]}
    return {unit: found.get(unit, ["unsorted"])[0] for unit in value["unit_ids"]}


def of_nwb(path: Path) -> dict[int, str]:
    pytest.importorskip("pynwb")
    from spikeinterface.extractors import read_nwb_sorting

    return of_spikeinterface(
        read_nwb_sorting(str(path), sampling_frequency=20_000.0, electrical_series_path=None, t_start=0.0),
        "label",
    )


def of_mat(path: Path) -> dict[int, str]:
    from scipy.io import loadmat

    units = loadmat(path, squeeze_me=True)["units"]
    return {int(unit["id"]): str(unit["label"]) for unit in units}


def of_npz(path: Path) -> dict[int, str]:
    with np.load(path) as file:
        return dict(zip(file["unit_ids"].tolist(), file["unit_label"].tolist(), strict=True))


def of_csv(path: Path) -> dict[int, str]:
    with path.with_name("out_units.csv").open(newline="") as file:
        return {int(row["unit"]): row["label"] for row in csv.DictReader(file)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("format_name", "read"),
    [
        ("phy", of_phy),
        ("spikeinterface", of_sorting_folder),
        ("spikeinterface", of_curation),
        ("nwb", of_nwb),
        ("mat", of_mat),
        ("npz", of_npz),
        ("csv", of_csv),
    ],
)
def test_labels_are_read_back_as_the_rule_gives_them(
    bundle: ExportBundle, tmp_path: Path, format_name: str, read: Callable[[Path], dict[int, str]]
) -> None:
    if format_name == "nwb":
        pytest.importorskip("pynwb")
    found = read(export(bundle, format_name, tmp_path / "out"))
    assert {unit: label.replace("MUA", "mua") for unit, label in found.items()} == RULE


def test_a_sort_in_spikeinterface_has_the_same_labels_but_for_those_of_a_person(project: Project) -> None:
    numbers = project_numbers(project, project.unit_of_spike, project.probability)
    labels = project_table(project, project.unit_of_spike, numbers)["label"].tolist()
    assert dict(zip(P_NEURON, labels, strict=True)) == {**RULE, 20: "noise"}
