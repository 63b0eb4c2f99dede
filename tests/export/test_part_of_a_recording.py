"""Where a part of a recording was sorted, exports have the times of the whole recording."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.project import Project
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.history import History
from ncpgui.ephys.readers import open_recording
from ncpgui.export.whole_project import export_project
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
from tests.sorting.planted import SQUARE, Cell, leader_clustering, planted_recording

TIMES = 20_400 + 1100 * np.arange(50)
"""Samples of the spikes of one cell, 20 noise sd deep on contact 0; all lie in the part from 1 to 4 s."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    cells = [Cell([20.0, 4.0, 0.0, 0.0], TIMES)]
    traces = planted_recording(cells, 100_000).traces(0, 100_000)
    path = tmp_path_factory.mktemp("raw") / "one.raw"
    np.round(traces * 50).astype(np.int16).tofile(path)
    opened = open_recording(
        path,
        probe=SQUARE,
        sampling_frequency=20_000.0,
        n_channels=4,
        dtype="int16",
        time_range_s=(1.0, 4.0),
    )
    config = SortingConfig(reference="none", spikes_per_group=30, posterior_samples=8, min_cluster_spikes=5)
    return sort_recording(opened, config, cluster=leader_clustering)


def exported(project: Project, name: str, path: Path, **options: bool) -> Path:
    history = History(Clustering(project.unit_of_spike, project.probability))
    decisions = CuratedSorting.of(history, project.unit_of_spike)
    return export_project(project, decisions, name, path, **options).path


def test_times_count_from_the_start_of_the_recording(project: Project, tmp_path: Path) -> None:
    with np.load(exported(project, "npz", tmp_path / "a")) as file:
        found = file["spike_sample"]
        deep = found[file["spike_amplitude"] < -12]
        assert len(deep) >= 49
        assert (np.abs(deep[:, None] - TIMES).min(axis=1) <= 1).all()
        assert (file["first_sample"], file["n_samples"]) == (20_000, 80_000)
        sampled = file[f"posterior_{project.components[0].id}_sample"]
        assert sampled.min() >= 20_000
    with exported(project, "csv", tmp_path / "a").with_name("a_units.csv").open() as file:
        for row in csv.DictReader(file):  # spikes a second of the 3 s that were sorted
            assert float(row["rate_hz"]) == pytest.approx(int(row["n_spikes"]) / 3, abs=1e-3)


def test_phylib_finds_the_spikes_in_the_traces_of_the_whole_recording(
    project: Project, tmp_path: Path
) -> None:
    from phylib.io.model import load_model

    for name, copied in (("raw", False), ("copied", True)):
        model = load_model(exported(project, "phy", tmp_path / name, copy_traces=copied) / "params.py")
        assert model.traces.shape == (100_000, 4)
        deep = model.spike_samples[model.amplitudes > 12]
        at = np.concatenate([model.traces[int(s) - 2 : int(s) + 3][:, 0].min(keepdims=True) for s in deep])
        assert (at < -500).all()  # 20 sd of 50, less noise
        model.close()
