"""A SpikeInterface sorting or analyzer is reviewed with its ids and labels; what is none says so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.given import SPIKEINTERFACE
from ncpgui.ephys import given_folder
from ncpgui.ephys.given_folder import is_sorting_folder, open_reviewed
from ncpgui.ephys.sorting_readers import open_sorting, spikeinterface_sorting
from tests.reviewed_folder import digest_now

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
    without, alone = open_reviewed(made / "named")
    assert re.search(
        "opened without raw data: .*does not lead to its recording.*--recording", without.notes[0]
    )
    assert not without.reference.has_traces
    _, opened = open_reviewed(made / "named", recording=made / "recording")
    assert opened.given.names == {0: "a", 1: "b", 2: "c"}
    _, same = open_reviewed(made / "numbered", recording=made / "recording")
    assert list(trains(same).values()) == list(trains(opened).values()) == list(trains(alone).values())


@pytest.mark.parametrize(
    ("ids", "numbers", "names"),
    [
        (["12", "007", "x"], [12, 7, 13], {12: "12", 7: "007", 13: "x"}),
        ([-1, 5, 6], [7, 5, 6], {7: -1}),
        ([20_260_101_001, 3, 2**31], [20_260_101_001, 3, 2**31], {}),
        (["98765432109876543210", "2", "3"], [4, 2, 3], {4: "98765432109876543210", 2: "2", 3: "3"}),
    ],
)
def test_labels_and_names_belong_to_the_spikes_that_they_had(
    made: Path, tmp_path: Path, ids: list[int] | list[str], numbers: list[int], names: dict[int, object]
) -> None:
    from spikeinterface.core import NumpySorting

    trains_there = [[100, 200], [300, 400, 500], [600]]
    units = dict(zip(ids, map(np.array, trains_there), strict=True))
    sorting = NumpySorting.from_unit_dict([units], 20_000.0)
    sorting.set_property("quality", np.array(["unsorted"] * 3))
    sorting.set_property("KSLabel", np.array(["good", "mua", "noise"]))
    sorting.save(folder=tmp_path / "sorting")
    _, opened = open_reviewed(tmp_path / "sorting", recording=made / "recording")
    assert trains(opened) == dict(zip(numbers, trains_there, strict=True))
    assert opened.given.labels == dict(zip(numbers, ("good", "mua", "noise"), strict=True))
    assert opened.given.names == names
    assert opened.given.highest == max(numbers)


def test_a_unit_without_a_spike_is_known(made: Path, tmp_path: Path) -> None:
    from spikeinterface.core import NumpySorting

    units = {4: np.array([100]), 9: np.array([], int), 2: np.array([300])}
    NumpySorting.from_unit_dict([units], 20_000.0).save(folder=tmp_path / "sorting")
    _, opened = open_reviewed(tmp_path / "sorting", recording=made / "recording")
    assert (opened.given.silent, opened.given.highest) == ((9,), 9)


def test_a_recording_of_another_rate_or_length_is_refused(made: Path, tmp_path: Path) -> None:
    from spikeinterface.core import NumpyRecording

    for name, rate, n_samples in (("slow", 10_000.0, 80_000), ("short", 20_000.0, 20_000)):
        silent = NumpyRecording([np.zeros((n_samples, 4), np.float32)], rate)
        silent.set_dummy_probe_from_locations(np.column_stack([np.zeros(4), 20.0 * np.arange(4)]))
        silent.save(folder=tmp_path / name, progress_bar=False)
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


@pytest.fixture(scope="module")
def segments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of 8000 and 12 000 samples, with a sorting and an analyzer of both segments."""
    from probeinterface import generate_linear_probe
    from spikeinterface.core import NumpyRecording, NumpySorting, create_sorting_analyzer

    folder = tmp_path_factory.mktemp("segments")
    probe = generate_linear_probe(4)
    probe.set_device_channel_indices(np.arange(4))
    rng = np.random.default_rng(0)
    recording = NumpyRecording([rng.normal(0, 9, (n, 4)).astype("i2") for n in (8000, 12_000)], 20_000.0)
    recording = recording.set_probe(probe, in_place=False).save(
        folder=folder / "recording", progress_bar=False
    )
    first = {4: np.array([100, 7990]), 9: np.array([3000])}
    second = {4: np.array([5, 9000]), 9: np.array([11_000])}
    sorting = NumpySorting.from_unit_dict([first, second], 20_000.0).save(folder=folder / "sorting")
    create_sorting_analyzer(
        sorting,
        recording,
        format="binary_folder",
        folder=folder / "analyzer",
        sparse=False,
        progress_bar=False,
    )
    return folder


@pytest.mark.parametrize("given", [("analyzer", None), ("sorting", "recording"), ("analyzer", "recording")])
def test_segments_are_reviewed_joined_end_to_end(segments: Path, given: tuple[str, str | None]) -> None:
    sorting, beside = given
    recording, opened = open_reviewed(segments / sorting, recording=segments / beside if beside else None)
    assert recording.n_samples == opened.sorting.n_samples == 20_000
    assert recording.reference.clock.segment_start.tolist() == [0, 8000]
    assert trains(opened) == {4: [100, 7990, 8005, 17_000], 9: [3000, 19_000]}
    assert digest_now(opened.given) == opened.given.digest


def test_segments_of_unknown_length_or_number_are_refused(segments: Path, made: Path) -> None:

    with pytest.raises(
        RecordingError, match=r"has 2 segments and does not say how long they are; open an anal"
    ):
        open_sorting(segments / "sorting")
    assert open_sorting(segments / "analyzer").n_samples == 20_000
    with pytest.raises(
        RecordingError, match=r"has 2 segments, but its recording .* has 1; give the recording"
    ):
        open_reviewed(segments / "sorting", recording=made / "recording")


def test_a_spike_past_the_end_of_its_segment_is_not_one_of_the_next(segments: Path, tmp_path: Path) -> None:
    from spikeinterface.core import NumpySorting

    many = np.arange(100, 7000, 100)
    late = [{4: np.append(many, [8000])}, {4: np.array([5])}]
    NumpySorting.from_unit_dict(late, 20_000.0).save(folder=tmp_path / "late")
    _, opened = open_reviewed(tmp_path / "late", recording=segments / "recording")
    assert trains(opened) == {4: [*many.tolist(), 8005]}
    assert opened.given.rows.tolist() == [*range(69), 70]
    assert opened.notes[0].startswith("1 of 71 spikes lie outside the recording of 20000 samples")
