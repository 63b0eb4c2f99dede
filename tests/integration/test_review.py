"""Folders that other programs wrote are reviewed, curated, written back and read by phylib."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.app.model.workspace import Workspace
from ncpgui.cli.main import run
from ncpgui.core.errors import MissingRecordingError
from ncpgui.core.spikes import SpikeEvents
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.ephys.given_folder import open_given
from ncpgui.ephys.phy_folder import read_phy_folder
from ncpgui.ephys.sorted_recording import recording_of_sorting
from ncpgui.export.phy_back import curation_place, write_back
from ncpgui.session import store
from tests.phy_folder import QUICK, bytes_of
from tests.session.conftest import build

pytestmark = pytest.mark.filterwarnings("ignore")
SHARED = Path(os.environ.get("NCPGUI_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


def reviewed(folder: Path, session: Path, *options: object, settings: str = QUICK) -> Path:
    text = session.with_suffix(".toml")
    text.write_text(settings)
    words = ["review", folder, "--out", session, "--settings", text, *options]
    assert run([str(word) for word in words]) == 0
    return session


def merged_and_labelled(session: Path) -> tuple[int, tuple[int, int], int]:
    """Merge the two smallest units and call another noise, as a person would; the numbers."""
    workspace = Workspace()
    workspace.state.open(store.load(session))
    clustering = workspace.state.clustering
    first, second, third = sorted(clustering.unit_ids.tolist(), key=clustering.n_spikes)[:3]
    workspace.merge([first, second])
    workspace.label([third], "noise")
    new = int(clustering.unit_ids.max())
    store.save(workspace.state.snapshot(), session)
    return new, (first, second), third


def check_written(folder: Path, before: np.ndarray, new: int, gone: tuple[int, int], noise: int) -> None:
    """The merge and the label are what phylib and SpikeInterface read; nothing else changed."""
    from phylib.io.model import load_model
    from spikeinterface.extractors import read_phy

    expected = np.where(np.isin(before, gone), new, before)
    model = load_model(folder / "params.py")
    np.testing.assert_array_equal(model.spike_clusters, expected)
    assert model.metadata["group"][noise] == "noise"
    trains = read_phy(folder)
    assert len(trains.to_spike_vector()) == len(expected)
    times = np.load(folder / "spike_times.npy").ravel()
    found = {tuple(trains.get_unit_spike_train(unit).tolist()) for unit in trains.unit_ids}
    assert found == {tuple(times[expected == unit].tolist()) for unit in np.unique(expected)}


def generated() -> tuple[Any, Any]:
    """A recording of 20 s on 8 contacts, and its five units."""
    from spikeinterface.core import generate_ground_truth_recording

    made: tuple[Any, Any] = generate_ground_truth_recording(
        [20.0], 20_000.0, num_channels=8, num_units=5, seed=3, noise_kwargs={"noise_levels": 5.0}
    )
    return made


@pytest.fixture
def by_spikeinterface(tmp_path: Path) -> Path:
    """What `export_to_phy` writes of a generated recording, with its components and metrics."""
    from spikeinterface.core import create_sorting_analyzer
    from spikeinterface.exporters import export_to_phy

    recording, sorting = generated()
    analyzer = create_sorting_analyzer(sorting, recording, sparse=False)
    analyzer.compute(["random_spikes", "waveforms", "templates", "noise_levels", "spike_amplitudes"])
    analyzer.compute(["principal_components"], verbose=False)
    analyzer.compute("quality_metrics", metric_names=["num_spikes", "snr"], verbose=False)
    folder = tmp_path / "phy"
    export_to_phy(analyzer, folder, copy_binary=True, verbose=False)
    return folder


def write_nwb(path: Path, recording: Any, sorting: Any) -> Path:
    """The recording as a series that begins at 2 s, and its units, as pynwb writes them."""
    pynwb = pytest.importorskip("pynwb", reason="pynwb (extra nwb) is not installed")
    file = pynwb.NWBFile("about", "one", datetime(2020, 1, 1, tzinfo=timezone.utc))
    device = file.create_device(name="probe")
    group = file.create_electrode_group(name="shank", description="-", location="unknown", device=device)
    for x, y in recording.get_channel_locations():
        file.add_electrode(rel_x=float(x), rel_y=float(y), location="unknown", group=group)
    region = file.create_electrode_table_region(region=list(range(8)), description="all")
    traces = recording.get_traces().astype("f4")
    file.add_acquisition(
        pynwb.ecephys.ElectricalSeries("raw", traces, region, rate=20_000.0, starting_time=2.0)
    )
    for number, unit in enumerate(sorting.unit_ids):
        file.add_unit(id=10 + number, spike_times=2.0 + sorting.get_unit_spike_train(unit) / 20_000)
    with pynwb.NWBHDF5IO(str(path), "w") as io:
        io.write(file)
    return path


def kept_as(kind: str, folder: Path) -> tuple[Path, list[object], Any]:
    """The generated sorting as other programs keep it, options of the review, and the sorting."""
    from spikeinterface.core import create_sorting_analyzer

    recording, sorting = generated()
    if kind == "nwb":
        return write_nwb(folder / "units.nwb", recording, sorting), [], sorting
    recording = recording.save(folder=folder / "recording", progress_bar=False)
    sorting = sorting.save(folder=folder / "sorting")
    if kind == "sorting":
        return folder / "sorting", ["--recording", folder / "recording"], sorting
    analyzer = create_sorting_analyzer(
        sorting, recording, format="binary_folder", folder=folder / "analyzer", sparse=False
    )
    if kind == "analyzer with components":
        analyzer.compute(["random_spikes", "waveforms", "templates", "principal_components"])
    return folder / "analyzer", [], sorting


@pytest.fixture
def by_ncpgui(tmp_path: Path) -> Path:
    """Our own export of a small simulated recording."""
    simulated = tmp_path / "simulated"
    words = ["--duration", "10", "--probe", "tetrode", "--cells", "4", "--rate", "12", "--seed", "2"]
    assert run(["simulate", "--out", str(simulated), *words]) == 0
    session = tmp_path / "sorted.h5"
    settings = tmp_path / "quick.toml"
    settings.write_text(QUICK)
    assert run(["sort", str(simulated), "--out", str(session), "--settings", str(settings)]) == 0
    assert run(["export", str(session), "--format", "phy", "--out", str(tmp_path / "phy")]) == 0
    return tmp_path / "phy"


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("writer", ["by_spikeinterface", "by_ncpgui"])
def test_a_folder_is_reviewed_curated_written_back_and_read_by_phylib(
    writer: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(writer)
    before = np.load(folder / "spike_clusters.npy").ravel().astype(np.int64)
    files = bytes_of(folder)
    session = reviewed(folder, tmp_path / "review.h5")
    project = store.load(session)
    np.testing.assert_array_equal(project.spikes.sample_index, np.load(folder / "spike_times.npy").ravel())
    np.testing.assert_array_equal(project.unit_of_spike, before)
    assert project.components
    assert bytes_of(folder) == files
    new, gone, noise = merged_and_labelled(session)
    assert run(["write-back", str(session)]) == 0
    check_written(folder, before, new, gone, noise)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["analyzer", "analyzer with components", "sorting", "nwb"])
def test_what_other_programs_keep_is_reviewed_and_its_curation_applied(kind: str, tmp_path: Path) -> None:
    from spikeinterface.core import NumpySorting
    from spikeinterface.curation import apply_curation, load_curation

    place, options, sorting = kept_as(kind, tmp_path)
    before = bytes_of(tmp_path) if place.is_dir() else {"": place.read_bytes()}
    session = reviewed(place, tmp_path / "review.h5", *options)
    project = store.load(session)
    trains = {
        tuple(project.spikes.sample_index[project.unit_of_spike == unit].tolist())
        for unit in np.unique(project.unit_of_spike)
    }
    assert trains == {tuple(sorting.get_unit_spike_train(unit).tolist()) for unit in sorting.unit_ids}
    assert project.components
    _, gone, _ = merged_and_labelled(session)
    assert run(["write-back", str(session)]) == 0
    after = bytes_of(tmp_path) if place.is_dir() else {"": place.read_bytes()}
    assert {name: after[name] for name in before} == before, "what is reviewed stays as it is"

    assert project.given is not None
    names = project.given.names or {int(unit): int(unit) for unit in np.unique(project.unit_of_spike)}
    called = [names[unit] for unit in project.unit_of_spike.tolist()]
    given = NumpySorting.from_samples_and_labels([project.spikes.sample_index], [np.array(called)], 20_000.0)
    curated = apply_curation(given, load_curation(curation_place(place)))
    merged = project.spikes.sample_index[np.isin(project.unit_of_spike, gone)].tolist()
    assert len(curated.unit_ids) == 4
    assert merged in [curated.get_unit_spike_train(unit).tolist() for unit in curated.unit_ids]


def shared(name: str, tmp_path: Path) -> Path:
    if not (SHARED / name).is_dir():
        pytest.skip(f"the folder {name} is not beside the checkout (set NCPGUI_SHARED_DATA)")
    folder = Path(shutil.copytree(SHARED / name, tmp_path / name))
    for place in (folder, *folder.rglob("*")):
        place.chmod(0o755)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.shared_data
def test_the_test_folder_of_phy_is_reviewed_and_written_back(tmp_path: Path) -> None:
    """Its recording is not published: noise of the length stands in for it."""
    folder = shared("phy_template", tmp_path)
    before = np.load(folder / "spike_clusters.npy").ravel().astype(np.int64)
    values = np.random.default_rng(0).integers(-100, 100, (300_000, 34), dtype=np.int16)
    values.tofile(tmp_path / "noise.dat")
    assert run(["review", str(folder), "--out", str(tmp_path / "s.h5")]) == 2
    settings = QUICK.replace("min_cluster_spikes = 10", "min_cluster_spikes = 5")
    session = reviewed(
        folder, tmp_path / "review.h5", "--recording", tmp_path / "noise.dat", settings=settings
    )
    project = store.load(session)
    assert project.probe.n_channels == 32
    assert project.given is not None
    assert project.given.labels == {4: "good"}
    assert len(np.unique(project.unit_of_spike)) == 62
    new, gone, noise = merged_and_labelled(session)
    assert run(["write-back", str(session)]) == 0
    rows = (folder / "cluster_group.tsv").read_text().splitlines()
    assert len(rows) == 1 + 62 - 1
    check_written(folder, before, new, gone, noise)


@pytest.mark.shared_data
def test_output_of_kilosort_without_params_asks_for_its_recording_and_is_written_back(tmp_path: Path) -> None:
    folder = shared("kilosort_toy", tmp_path)
    with pytest.raises(MissingRecordingError, match=r"has no params.py, .*; give it with --rec"):
        recording_of_sorting(folder)
    phy = read_phy_folder(folder)
    assert (len(phy.times), len(np.unique(phy.clusters))) == (94_565, 15)
    recording = ArrayRecording(
        np.zeros((10, 3), np.int16), sampling_frequency_hz=30_000.0, probe=build(n_spikes=0).probe
    )
    recording.n_samples = 134_300_000  # as long as the recording was, which is not published
    opened = open_given(folder, recording)
    assert opened.notes == ()
    sorting = opened.sorting
    n = len(sorting)
    spikes = SpikeEvents(sorting.sample_index, np.zeros(n), np.zeros(n), 30_000.0, recording.n_samples)
    project = replace(
        build(n_spikes=0), spikes=spikes, unit_of_spike=sorting.unit_id, given=opened.given, components=()
    )
    units = np.where(sorting.unit_id == 7, 9, sorting.unit_id)
    decisions = CuratedSorting(units, np.ones(n, np.float32), {9: "good"}, frozenset(), units)
    written = write_back(project, decisions)
    assert (written.files, written.n_moved) == (("spike_clusters.npy", "cluster_group.tsv"), 171)
    clusters = np.load(folder / "spike_clusters.npy")
    assert (clusters.dtype, clusters.shape) == (np.dtype(np.uint32), (94_565, 1))
    np.testing.assert_array_equal(clusters.ravel(), units)
    assert len((folder / "cluster_group.tsv").read_text().splitlines()) == 1 + 14
