"""Wherever an export has probabilities that are those of a beam, it says so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.posterior import NOT_A_POSTERIOR, PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.history import History
from ncpgui.export.whole_project import export_project
from ncpgui.spikeinterface_sorting import as_spikeinterface
from tests.export.conftest import csv_rows
from tests.tiny_project import tiny_project

BEAM = f"beam: {NOT_A_POSTERIOR}"


@pytest.fixture
def drawn() -> Project:
    """Two components of two units each; units 0 and 1 are of the first."""
    return tiny_project({0: [[0, 0, 0, 1, 1], [0] * 5], 1: [[0, 0, 1, 1, 1]]}, masses={0: [0.8, 0.2]})


@pytest.fixture
def project(drawn: Project) -> Project:
    """The first of them searched by beam."""
    first, second = drawn.components
    old = first.posterior
    beam = PosteriorSamples(old.rows, old.log_prob, old.weight, sampler="beam")
    ways = tuple(replace(way, mass_se=float("nan")) for way in first.alternatives)
    return replace(drawn, components=(replace(first, posterior=beam, alternatives=ways), second))


def exported(project: Project, name: str, path: Path) -> Path:
    history = History(Clustering(project.unit_of_spike, project.probability))
    export_project(project, CuratedSorting.of(history, project.unit_of_spike), name, path)
    return path


def check_block(block: dict[str, Any]) -> None:
    """JSON, which has no nan, about both components."""
    first, second = block["components"]
    assert (first["sampler"], second["sampler"]) == (BEAM, "draws")
    assert [way["se"] for way in first["alternatives"]] == [None, None]
    assert second["alternatives"][0]["se"] == 0.0


def test_the_table_of_units_names_the_sampler(project: Project, drawn: Project, tmp_path: Path) -> None:
    exported(project, "csv", tmp_path / "s.csv")
    assert [row["sampler"] for row in csv_rows(tmp_path / "s_units.csv")] == [BEAM, BEAM, "draws", "draws"]
    exported(drawn, "csv", tmp_path / "d.csv")
    assert "sampler" not in csv_rows(tmp_path / "d_units.csv")[0]


def test_phy_has_a_column(project: Project, drawn: Project, tmp_path: Path) -> None:
    folder = exported(project, "phy", tmp_path / "phy")
    rows = csv_rows(folder / "cluster_sampler.tsv", "\t")
    assert [row["sampler"] for row in rows] == [BEAM, BEAM, "draws", "draws"]
    assert "sampler" in csv_rows(folder / "cluster_info.tsv", "\t")[0]
    assert not (exported(drawn, "phy", tmp_path / "d") / "cluster_sampler.tsv").exists()


def test_numpy_arrays_say_it_of_units_and_posteriors(project: Project, tmp_path: Path) -> None:
    with np.load(exported(project, "npz", tmp_path / "s.npz")) as arrays:
        assert arrays["unit_sampler"].tolist() == [BEAM, BEAM, "draws", "draws"]
        assert arrays["posterior_0_sampler"].item() == BEAM
        assert arrays["posterior_1_sampler"].item() == "draws"
        check_block(json.loads(arrays["ncp"].item(), parse_constant=pytest.fail))


def test_matlab_structs_have_a_field(project: Project, tmp_path: Path) -> None:
    from scipy.io import loadmat

    units = loadmat(exported(project, "mat", tmp_path / "s.mat"), simplify_cells=True)["units"]
    assert [unit["sampler"] for unit in units] == [BEAM, BEAM, "draws", "draws"]


def test_an_nwb_file_has_a_column_and_says_so_of_its_table(project: Project, tmp_path: Path) -> None:
    import pynwb

    with pynwb.NWBHDF5IO(exported(project, "nwb", tmp_path / "s.nwb"), "r") as io:
        units = io.read().units
        assert list(units["sampler"][:]) == [BEAM, BEAM, "draws", "draws"]
        assert "or of a beam where the column sampler says so" in units.description


def test_a_sorting_of_spikeinterface_has_a_property(project: Project, tmp_path: Path) -> None:
    import spikeinterface

    folder = exported(project, "spikeinterface", tmp_path / "si")
    found = spikeinterface.load(folder)
    assert found.get_property("sampler").tolist() == [BEAM, BEAM, "draws", "draws"]
    check_block(json.loads((folder / "curation.json").read_text(), parse_constant=pytest.fail)["ncp"])


def test_what_ncpgui_sort_returns_is_annotated(project: Project, drawn: Project) -> None:
    from spikeinterface.core import NumpyRecording

    traces = np.zeros((drawn.spikes.n_samples, 2), np.float32)
    recording = NumpyRecording([traces], drawn.spikes.sampling_frequency_hz)
    assert as_spikeinterface(project, recording).get_annotation("ncpgui_probabilities") == BEAM
    assert as_spikeinterface(drawn, recording).get_annotation("ncpgui_probabilities") is None
