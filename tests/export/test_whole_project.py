"""What the cache lacks is read from the recording; without either, an export says what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_project import tiny_project

from ncpgui.core.project import Project
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.history import History
from ncpgui.ephys.readers import open_recording
from ncpgui.export.whole_project import Exported, export_project, left_out
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
from tests.sorting.planted import SQUARE, Cell, leader_clustering, planted_recording, shape

N_SAMPLES = 60_000
DEEP = 20.0


@pytest.fixture(scope="module")
def sorted_once(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Two cells 20 sd deep on contacts 0 and 3 of a raw file; 30 of 50 spikes of each are sampled.

    None of their spikes is near another, so that cleaned waveforms are those in the traces.
    """
    times = 400 + 1100 * np.arange(50)
    cells = [
        Cell([DEEP, 4.0, 0.0, 0.0], times),
        Cell([0.0, 0.0, 0.0, DEEP], times + 550),
    ]
    traces = planted_recording(cells, N_SAMPLES).traces(0, N_SAMPLES)
    path = tmp_path_factory.mktemp("raw") / "two.raw"
    np.round(traces * 50).astype(np.int16).tofile(path)
    opened = open_recording(path, probe=SQUARE, sampling_frequency=20_000.0, n_channels=4, dtype="int16")
    config = SortingConfig(reference="none", spikes_per_group=60, posterior_samples=8, min_cluster_spikes=5)
    return sort_recording(opened, config, cluster=leader_clustering)


@pytest.mark.parametrize(
    ("uncached", "which"),
    [
        ([3], " around contact 3"),
        ([1, 4], " around the contacts 1, 4"),
        ([0, 1, 2, 4], " around the contacts 0, 1, 2, 4"),
        ([0, 1, 2, 3, 4], " around the contacts 0, 1, 2, 3 …"),
        ([0, 1, 2, 3, 4, 5], ""),
    ],
)
def test_an_export_names_up_to_four_contacts_around_which_it_lacks_templates(
    uncached: list[int], which: str
) -> None:
    project = tiny_project({contact: [[0, 0]] for contact in range(6)})
    kept = {c: waveforms for c, waveforms in project.waveforms.items() if c not in uncached}
    said = left_out(replace(project, waveforms=kept), "phy", has_recording=False)
    assert f"templates{which} (no recording, and no waveforms in the cache)" in said


@pytest.fixture
def project(sorted_once: Project) -> Project:
    return sorted_once


def exported(project: Project, name: str, path: Path) -> Exported:
    history = History(Clustering(project.unit_of_spike, project.probability))
    return export_project(project, CuratedSorting.of(history, project.unit_of_spike), name, path)


def moved(project: Project) -> Project:
    return replace(project, recording=replace(project.recording, path="/gone/two.raw"))


def test_features_of_spikes_that_were_not_sampled_are_read_from_the_recording(
    project: Project, tmp_path: Path
) -> None:
    from phylib.io.model import load_model

    assert [len(component.sampled) for component in project.components if len(component.spike_ids) >= 50] == [
        30,
        30,
    ]
    done = exported(project, "phy", tmp_path / "phy")
    assert done.left_out == ()
    model = load_model(done.path / "params.py")
    noise_sd = np.sqrt((6000 - 300) / 10_000)  # of white noise after the band-pass
    norm = DEEP * np.linalg.norm(shape()) / noise_sd  # all of it is in the first component
    for template in (0, 1):
        spikes = model.get_template_spikes(template)
        best = model.get_template(template).best_channel
        first = model.get_features(spikes, [best])[:, 0, 0]
        assert len(first) >= 49
        np.testing.assert_allclose(first.mean(), norm, rtol=0.05)
        assert (np.abs(first - norm) < 8).all()  # noise of one sd, filtered; none is at zero
    model.close()


def test_waveforms_read_again_give_the_templates_and_features_of_the_cache(
    project: Project, tmp_path: Path
) -> None:
    cached = exported(project, "phy", tmp_path / "cached").path
    read = exported(replace(project, waveforms={}), "phy", tmp_path / "read").path
    for name in ("templates.npy", "pc_features.npy", "pc_feature_ind.npy"):
        np.testing.assert_allclose(np.load(read / name), np.load(cached / name), atol=1e-3, err_msg=name)


def test_how_far_an_export_is_goes_up_to_the_writing(project: Project, tmp_path: Path) -> None:
    """A tenth is for opening the recording, four fifths for what is read of it, and the rest for writing."""
    history = History(Clustering(project.unit_of_spike, project.probability))
    told: list[tuple[float, str]] = []
    export_project(
        project,
        CuratedSorting.of(history, project.unit_of_spike),
        "phy",
        tmp_path / "phy",
        progress=lambda done, total, message="": told.append((done / total, message)),
    )
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert (shares[0], told[-1]) == (0.0, (0.9, "writing phy"))
    assert 0.1 in shares
    assert shares.count(0.9) > 1, "what is read ends where writing begins"


def test_without_the_recording_features_go_and_templates_stay(project: Project, tmp_path: Path) -> None:
    done = exported(moved(project), "phy", tmp_path / "phy")
    assert (done.path / "templates.npy").exists()
    assert not (done.path / "pc_features.npy").exists()
    n = sum(len(component.spike_ids) - len(component.sampled) for component in project.components)
    assert done.left_out == (
        "the traces (the recording is not at /gone/two.raw)",
        f"principal components (no recording, and no waveforms of {n} spikes in the cache)",
        "the recording /gone/two.raw is not there any more; put it back, mount its disk, "
        "or choose its new place with File > Locate recording",
    )
    assert left_out(moved(project), "phy") == done.left_out[:2]


def test_without_recording_and_cache_templates_go_too(project: Project, tmp_path: Path) -> None:
    bare = replace(moved(project), waveforms={})
    done = exported(bare, "phy", tmp_path / "phy")
    assert not (done.path / "templates.npy").exists()
    assert [part.partition(" (")[0] for part in done.left_out[:3]] == [
        "the traces",
        "templates",
        "principal components",
    ]
    channel = project.components[0].channel
    some = replace(bare, waveforms={c: kept for c, kept in project.waveforms.items() if c != channel})
    assert left_out(some, "npz") == (
        f"templates around contact {channel} (no recording, and no waveforms in the cache)",
    )
    assert (left_out(bare, "csv"), left_out(bare, "spikeinterface")) == ((), ())


def test_a_recording_that_is_another_one_by_now_is_not_read(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "two.raw"
    other.write_bytes(bytes(N_SAMPLES * 8))
    changed = replace(project, recording=replace(project.recording, path=str(other)))
    done = exported(changed, "phy", tmp_path / "phy")
    assert not (done.path / "pc_features.npy").exists()
    assert "changed since it was sorted" in done.left_out[-1]


def test_formats_that_need_no_waveforms_do_not_open_the_recording(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*_: object, **__: object) -> None:
        raise AssertionError("the recording was opened")

    monkeypatch.setattr("ncpgui.sorting.reopened.reopened_traces", opened)
    for name in ("csv", "spikeinterface", "npz"):
        assert exported(project, name, tmp_path / name).n_spikes > 90


def test_why_there_are_no_traces_is_said(project: Project, tmp_path: Path) -> None:
    in_memory = replace(project, recording=replace(project.recording, path=""))
    assert left_out(in_memory, "phy")[0] == "the traces (no file holds the recording)"
    (tmp_path / "a.nwb").touch()
    other = replace(project.recording, path=str(tmp_path / "a.nwb"), options={})
    assert left_out(replace(project, recording=other), "phy") == (
        "the traces (the recording is not a raw binary file; they can be copied)",
    )
