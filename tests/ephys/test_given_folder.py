"""A SpikeInterface sorting or analyzer is reviewed with its ids and labels; what is none says so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError
from ncpgui.core.given import SPIKEINTERFACE
from ncpgui.ephys import given_folder
from ncpgui.ephys.given_folder import digest_now, is_sorting_folder, open_reviewed
from ncpgui.ephys.sorting_readers import spikeinterface_sorting

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording, a sorting of text ids and labels, an analyzer without and one with components."""
    from spikeinterface.core import NumpySorting, create_sorting_analyzer, generate_ground_truth_recording

    folder = tmp_path_factory.mktemp("si")
    recording, sorting = generate_ground_truth_recording([4.0], 20_000.0, num_channels=4, num_units=3, seed=0)
    recording = recording.save(folder=folder / "recording", progress_bar=False)
    spikes = sorting.to_spike_vector()
    numbered = NumpySorting(spikes, 20_000.0, np.array([4, 9, 30]))
    numbered.set_property("KSLabel", np.array(["good", "mua", "good"]))
    numbered = numbered.save(folder=folder / "numbered")
    NumpySorting(spikes, 20_000.0, np.array(["a", "b", "c"])).save(folder=folder / "named")
    for name in ("analyzer", "with components", "with components.zarr"):
        analyzer = create_sorting_analyzer(
            numbered,
            recording,
            format="zarr" if name.endswith(".zarr") else "binary_folder",
            folder=folder / name,
            sparse=False,
            progress_bar=False,
        )
        if name != "analyzer":
            analyzer.compute(["random_spikes", "waveforms", "templates", "principal_components"])
    return folder


def trains(opened) -> dict[int, list[int]]:
    sorting = opened.sorting
    return {unit: sorting.spike_train(unit).tolist() for unit in sorting.unit_ids.tolist()}


@pytest.mark.parametrize("name", ["analyzer", "with components", "with components.zarr"])
def test_an_analyzer_gives_units_labels_and_recording(made: Path, name: str) -> None:
    recording, opened = open_reviewed(made / name)
    assert (recording.n_channels, recording.n_samples) == (4, 80_000)
    assert sorted(trains(opened)) == [4, 9, 30]
    assert opened.given.labels == {4: "good", 9: "mua", 30: "good"}
    assert (opened.given.kind, opened.given.names) == (SPIKEINTERFACE, {})
    assert digest_now(opened.given) == opened.given.digest


def test_a_sorting_is_read_once(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(folder: Path, **options: object) -> object:
        read.append(folder)
        return spikeinterface_sorting(folder, **options)

    monkeypatch.setattr(given_folder, "spikeinterface_sorting", counted)
    open_reviewed(made / "analyzer")
    assert len(read) == 1


def test_a_sorting_takes_a_recording_and_keeps_ids_that_are_text(made: Path) -> None:
    with pytest.raises(MissingRecordingError, match=r"does not lead to its recording.*--recording"):
        open_reviewed(made / "named")
    _, opened = open_reviewed(made / "named", recording=made / "recording")
    assert opened.given.names == {0: "a", 1: "b", 2: "c"}
    _, same = open_reviewed(made / "numbered", recording=made / "recording")
    assert list(trains(same).values()) == list(trains(opened).values())


def test_a_recording_of_another_rate_or_length_is_refused(made: Path, tmp_path: Path) -> None:
    from spikeinterface.core import generate_recording

    for name, rate, seconds in (("slow", 10_000.0, 8.0), ("short", 20_000.0, 1.0)):
        generate_recording(4, rate, [seconds]).save(folder=tmp_path / name, progress_bar=False)
    with pytest.raises(RecordingError, match=r"at 20000 Hz, but .*slow is at 10000 Hz"):
        open_reviewed(made / "numbered", recording=tmp_path / "slow")
    with pytest.raises(RecordingError, match=r"lies outside the recording of 20000 samples"):
        open_reviewed(made / "numbered", recording=tmp_path / "short")


def test_an_analyzer_that_this_version_cannot_open_says_so(made: Path, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(made / "analyzer", tmp_path / "newer"))
    info = folder / "spikeinterface_info.json"
    info.write_text(json.dumps({**json.loads(info.read_text()), "object": "SortingAnalyzer2"}))
    with pytest.raises(
        RecordingError, match=r"newer holds nothing that this version of SpikeInterface knows"
    ):
        open_reviewed(folder, recording=made / "recording")


def test_options_of_a_recording_without_one_are_refused(made: Path) -> None:
    with pytest.raises(InputError, match="are of a --recording, which is missing"):
        open_reviewed(made / "analyzer", n_channels=4)


def test_a_folder_is_known_by_its_files(made: Path, tmp_path: Path) -> None:
    assert all(is_sorting_folder(made / name) for name in ("analyzer", "numbered", "with components"))
    assert not is_sorting_folder(made / "recording")
    assert not is_sorting_folder(tmp_path)
    np.save(tmp_path / "spike_times.npy", np.arange(3))
    assert is_sorting_folder(tmp_path)
    assert is_sorting_folder(tmp_path / "params.py")
