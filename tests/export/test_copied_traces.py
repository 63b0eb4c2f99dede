"""Traces copied into a Phy folder: phylib reads them, their numbers are stated, the disk is asked first."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from ncpgui.core.errors import ExportError, RecordingError
from ncpgui.core.progress import CancelFlag, Cancelled, silent
from ncpgui.core.project import Project
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.history import History
from ncpgui.ephys.literals import read_literals
from ncpgui.ephys.readers import open_recording, recording_of
from ncpgui.export.copied_traces import copy_traces
from ncpgui.export.whole_project import Exported, export_project, left_out
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
from tests.sorting.planted import SQUARE, Cell, leader_clustering, planted_recording

N_SAMPLES = 60_000


@pytest.fixture(scope="module")
def sorted_once(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Two cells on contacts 0 and 3 of a recording in a folder of SpikeInterface, which phy cannot read."""
    from spikeinterface.core import NumpyRecording

    times = 400 + 1100 * np.arange(50)
    cells = [Cell([20.0, 4.0, 0.0, 0.0], times), Cell([0.0, 0.0, 0.0, 20.0], times + 550)]
    traces = planted_recording(cells, N_SAMPLES).traces(0, N_SAMPLES)
    recording = NumpyRecording([np.round(traces * 50).astype(np.int16)], 20_000.0)
    recording.set_channel_gains(0.2)
    recording.set_channel_offsets(0.0)
    folder = tmp_path_factory.mktemp("saved") / "two"
    recording.save(folder=folder, format="zarr", n_jobs=1, progress_bar=False, verbose=False)
    opened = open_recording(folder.with_suffix(".zarr"), probe=SQUARE)
    config = SortingConfig(reference="none", spikes_per_group=30, posterior_samples=8, min_cluster_spikes=5)
    return sort_recording(opened, config, cluster=leader_clustering)


def exported(project: Project, path: Path, **options: object) -> Exported:
    history = History(Clustering(project.unit_of_spike, project.probability))
    decisions = CuratedSorting.of(history, project.unit_of_spike)
    return export_project(project, decisions, "phy", path, copy_traces=True, **options)


def test_phylib_sees_the_traces_of_a_recording_that_is_no_flat_file(
    sorted_once: Project, tmp_path: Path
) -> None:
    from phylib.io.model import load_model

    assert left_out(sorted_once, "phy") == (
        "the traces (the recording is not a raw binary file; they can be copied)",
    )
    done = exported(sorted_once, tmp_path / "phy")
    assert done.left_out == ()
    model = load_model(done.path / "params.py")
    original = open_recording(sorted_once.recording.path, probe=SQUARE).traces(0, N_SAMPLES)
    np.testing.assert_array_equal(model.traces[:], original)
    assert model.traces.dtype == np.int16
    assert read_literals(done.path / "params.py")["dat_path"] == ["recording.dat"]
    assert "recording.dat: the numbers of the recording; 1 is 0.2 uV" in (done.path / "params.py").read_text()
    waveforms = model.get_waveforms(np.arange(4), [0, 3])
    assert waveforms.shape[0] == 4
    assert model.features is not None
    assert model.similar_templates.shape == (2, 2)
    model.close()


def test_a_folder_with_its_traces_can_be_moved_alone(sorted_once: Project, tmp_path: Path) -> None:
    from phylib.io.model import load_model

    done = exported(sorted_once, tmp_path / "phy")
    shutil.move(done.path, tmp_path / "elsewhere")
    model = load_model(tmp_path / "elsewhere" / "params.py")
    assert model.traces.shape == (N_SAMPLES, 4)
    model.close()


def test_an_older_copy_is_replaced(sorted_once: Project, tmp_path: Path) -> None:
    exported(sorted_once, tmp_path / "phy")
    assert exported(sorted_once, tmp_path / "phy").left_out == ()


class Copied(NamedTuple):
    dtype: str
    values: list[int] | list[float]
    words: str


@pytest.mark.parametrize(
    ("dtype", "values", "copied"),
    [
        ("int16", [-5, 7], Copied("int16", [-5, 7], "the numbers of the recording")),
        ("uint8", [0, 255], Copied("int16", [0, 255], "the numbers of the recording")),
        (
            "uint16",
            [0, 65_535],
            Copied("int16", [-32_768, 32_767], "the numbers of the recording minus 32768"),
        ),
        ("int32", [-70_000, 3], Copied("float32", [-70_000, 3], "the numbers of the recording")),
        ("float64", [-0.5, 1.5], Copied("float32", [-0.5, 1.5], "the numbers of the recording")),
    ],
)
def test_numbers_are_kept_as_int16_where_they_fit_and_as_float32_else(
    tmp_path: Path, dtype: str, values: list[float], copied: Copied
) -> None:
    from spikeinterface.core import NumpyRecording

    recording = recording_of(NumpyRecording([np.array([values] * 3, dtype)], 20_000.0), probe="linear-2")
    raw = copy_traces(recording, tmp_path, progress=silent)
    assert (raw.path.name, raw.dtype, raw.n_channels) == ("recording.dat", copied.dtype, 2)
    written = np.fromfile(raw.path, copied.dtype).reshape(-1, 2)
    np.testing.assert_array_equal(written, [copied.values] * 3)
    assert raw.about == copied.words


def test_where_the_disk_is_too_small_nothing_is_begun(
    sorted_once: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage._replace(free=479_999))
    with pytest.raises(ExportError, match=r"copied traces take 0.48 MB, .* has 0.48 MB free; free"):
        exported(sorted_once, tmp_path / "phy")  # 60 000 samples of 4 channels of 2 bytes
    assert list(tmp_path.iterdir()) == []


def test_a_copy_that_is_stopped_leaves_nothing(sorted_once: Project, tmp_path: Path) -> None:
    flag, seen = CancelFlag(), []

    def stop_at_the_copy(done: int, total: int, message: str = "") -> None:
        if message == "copying traces":
            seen.append(done / total)
            flag.cancel()

    with pytest.raises(Cancelled):
        exported(sorted_once, tmp_path / "phy", progress=flag.guard(stop_at_the_copy))
    assert len(seen) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_is_gone_cannot_be_copied(sorted_once: Project, tmp_path: Path) -> None:
    gone = replace(sorted_once, recording=replace(sorted_once.recording, path="/gone/two.zarr"))
    with pytest.raises(RecordingError, match=r"/gone/two.zarr is not there any more"):
        exported(gone, tmp_path / "phy")
    assert list(tmp_path.iterdir()) == []
