"""Other sorters' results open; a hostile params.py is never run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.clock import Clock
from ncpgui.core.errors import RecordingError
from ncpgui.core.project import RecordingReference
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.readers import open_sorting
from ncpgui.ephys.sorting_readers import (
    _joined,
    _other_words,
    _phy_main_channels,
    _property_labels,
    _segment_starts,
)


@pytest.fixture
def phy(tmp_path):
    folder = tmp_path / "phy"
    folder.mkdir()
    np.save(folder / "spike_times.npy", np.array([[30], [10], [20], [40]], dtype=np.uint64))
    np.save(folder / "spike_clusters.npy", np.array([7, 2, 7, 2], dtype=np.int32))
    (folder / "params.py").write_text(
        "sample_rate = 20000.\nn_channels_dat = 2\ndtype = 'int16'\ndat_path = 'a.dat'\n"
    )
    (folder / "cluster_group.tsv").write_text("cluster_id\tgroup\n2\tgood\n7\tmua\n")
    return folder


def test_phy_folder_gives_sorted_spikes_and_labels(phy):
    sorting = open_sorting(phy)
    assert sorting.sample_index.tolist() == [10, 20, 30, 40]
    assert sorting.unit_id.tolist() == [2, 7, 7, 2]
    assert sorting.labels == {2: "good", 7: "mua"}
    assert sorting.sampling_frequency_hz == 20_000
    assert sorting.n_samples == 41


def test_length_comes_from_the_data_file_when_it_is_there(phy):
    (phy / "a.dat").write_bytes(bytes(2 * 2 * 500))
    assert open_sorting(phy).n_samples == 500


def test_the_main_channel_of_integer_templates_at_the_rails_is_the_largest(phy):
    templates = np.zeros((8, 4, 2), dtype=np.int16)
    for unit in (2, 7):
        templates[unit, 1] = [-9_000, -30_000]  # 60 000 counts from trough to peak on channel 1
        templates[unit, 2] = [9_000, 30_000]
    np.save(phy / "templates.npy", templates)
    np.save(phy / "spike_templates.npy", np.array([7, 2, 7, 2]))
    assert open_sorting(phy).main_channel == {2: 1, 7: 1}


def test_an_archive_in_the_place_of_the_templates_tells_no_main_channel(phy):
    np.savez(phy / "a.npz", a=np.arange(3))
    (phy / "a.npz").replace(phy / "templates.npy")
    np.save(phy / "spike_templates.npy", np.array([7, 2, 7, 2]))
    assert open_sorting(phy).main_channel == {}


def test_hostile_params_is_not_run(phy, tmp_path):
    marker = tmp_path / "was run"
    (phy / "params.py").write_text(
        f"import os\nos.mkdir({str(marker)!r})\nsample_rate = float(__import__('os').system('id') or 1)\n"
    )
    with pytest.raises(RecordingError, match="does not give sample_rate as a positive number"):
        open_sorting(phy)
    (phy / "params.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nsample_rate = 20000\n")
    assert len(open_sorting(phy)) == 4
    assert not marker.exists()


def test_damaged_phy_folders_say_what_is_wrong(phy):
    np.save(phy / "spike_clusters.npy", np.array([1, 2]))
    with pytest.raises(RecordingError, match=r"spike_times.npy has 4 spikes, spike_clusters.npy has 2"):
        open_sorting(phy)
    np.save(phy / "spike_clusters.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(RecordingError, match="cannot be read as an array"):
        open_sorting(phy)
    (phy / "params.py").write_text("sample_rate = = 3")
    with pytest.raises(RecordingError, match="not a list of 'name = value' lines"):
        open_sorting(phy)


@pytest.mark.filterwarnings("ignore:The extractor is not serializable:UserWarning")
def test_spikeinterface_sorting_opens(tmp_path):
    from spikeinterface.core import NumpySorting

    sorting = NumpySorting.from_samples_and_labels([np.array([5, 10, 15])], [np.array([3, 4, 3])], 20_000.0)
    sorting.save(folder=tmp_path / "si")
    opened = open_sorting(tmp_path / "si", n_samples=100)
    assert opened.sample_index.tolist() == [5, 10, 15]
    assert opened.unit_id.tolist() == [3, 4, 3]
    assert opened.n_samples == 100


def test_folder_that_is_no_sorting_says_what_is_needed(tmp_path):
    with pytest.raises(RecordingError, match=r"not a sorting that can be opened.*spike_times.npy"):
        open_sorting(tmp_path)
    with pytest.raises(RecordingError, match="does not exist"):
        open_sorting(tmp_path / "nowhere")
    with pytest.raises(RecordingError, match="File name too long"):
        open_sorting(tmp_path / ("x" * 300))


def starts(
    n_segments: int, lengths: list[int], *, n_samples: int | None = 150, own: list[int] | None = None
) -> list[int]:
    """Where segments begin, of a recording of so many samples (none given: None), in `own` segments."""
    clock = None if own is None else Clock(1000.0, [0, 149], [0.0, 0.149], own)
    recording = RecordingReference("/data/a.raw", {}, "0" * 64, 4, 1000.0, n_samples or 1, own_clock=clock)
    return _segment_starts(
        Path("/data/s"), n_segments, lengths, None if n_samples is None else recording
    ).tolist()


def test_segments_begin_where_the_recording_says_or_one_after_the_other() -> None:
    assert starts(1, [], n_samples=None) == [0]
    assert starts(2, [], own=[0, 90]) == [0, 90]
    assert starts(2, [100, 50], own=[0, 90]) == [0, 90]
    assert starts(2, [100, 50], n_samples=None) == [0, 100]
    assert starts(2, [100, 50]) == [0, 100]


def test_segments_of_another_number_or_length_are_refused() -> None:
    with pytest.raises(RecordingError, match="has 2 segments and does not say how long they are; open an"):
        starts(2, [], n_samples=None)
    for lengths in ([], [100, 51], [150]):
        with pytest.raises(RecordingError, match=r"has 2 segments, but its recording /data/a\.raw has 1;"):
            starts(2, lengths)


def test_spikes_of_segments_are_samples_of_the_whole_and_strays_stay_outside() -> None:
    times, segment = np.array([0, 99, 100, 5, 50, -1, 0]), np.array([0, 0, 0, 1, 1, 1, 1])
    joined = _joined(times, segment, np.array([0, 100]), 150)
    assert joined.tolist() == [0, 99, 250, 105, 150, -1, 100]
    assert _joined(times, segment, np.zeros(1, np.int64), 150) is times


def saved(tmp_path: Path, **info: object) -> Path:
    """A folder of SpikeInterface with units 1, 2 and 3, which have two spikes each."""
    from spikeinterface.core import NumpySorting

    times, units = np.arange(6) * 100, np.array([1, 2, 3, 1, 2, 3])
    NumpySorting.from_samples_and_labels([times], [units], 20_000.0).save(folder=tmp_path / "s")
    file = tmp_path / "s" / "numpysorting_info.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **info}))
    return tmp_path / "s"


@pytest.mark.filterwarnings("ignore:The extractor is not serializable")
@pytest.mark.parametrize(
    ("info", "words"),
    [
        ({"unit_ids": [1, 1, 3]}, "1 of its unit ids are there twice: 1"),
        ({"unit_ids": [1, 2]}, "spike 2 has the unit_index 2, of 2 that there are"),
        ({"sampling_frequency": float("nan")}, "its sampling frequency is nan Hz"),
        ({"sampling_frequency": 0}, "its sampling frequency is 0.0 Hz"),
        (
            {"num_segments": 10**9},
            r"numpysorting_info\.json announces num_segments = 1000000000, more than 1000000",
        ),
        ({"num_segments": int("1" * 400)}, "announces num_segments = 1{20}, more"),
    ],
)
def test_a_sorting_that_says_what_its_spikes_do_not_is_refused(
    tmp_path: Path, info: dict[str, object], words: str
) -> None:
    with pytest.raises(RecordingError, match=words):
        open_sorting(saved(tmp_path, **info))


@pytest.mark.filterwarnings("ignore:The extractor is not serializable")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda spikes: spikes.reshape(-1, 1), "its spikes have no samples, units or segments"),
        (lambda spikes: spikes["sample_index"].copy(), "its spikes have no samples, units or segments"),
        (lambda spikes: spikes[["sample_index", "unit_index"]].copy(), "its spikes have no samples"),
        (
            lambda spikes: with_value(spikes, "unit_index", 99),
            "spike 1 has the unit_index 99, of 3 that there",
        ),
        (
            lambda spikes: with_value(spikes, "unit_index", -1),
            "spike 1 has the unit_index -1, of 3 that there",
        ),
        (lambda spikes: with_value(spikes, "segment_index", 5), "spike 1 has the segment_index 5, of 1 that"),
        (lambda spikes: in_floats(spikes, np.nan), "spike 1 is at sample nan; samples are whole numbers"),
        (lambda spikes: in_floats(spikes, 0.25), r"spike 1 is at sample 0\.25; samples are whole numbers"),
    ],
)
def test_spikes_of_units_and_segments_that_are_not_there_are_refused(
    tmp_path: Path, change: Callable[[Any], Any], words: str
) -> None:
    folder = saved(tmp_path)
    np.save(folder / "spikes.npy", change(np.load(folder / "spikes.npy")))
    with pytest.raises(RecordingError, match=words):
        open_sorting(folder)


def in_floats(spikes: Any, value: float) -> Any:
    """The same with samples as floats, as of a program that keeps seconds."""
    fields = [("sample_index", "f8"), ("unit_index", "i8"), ("segment_index", "i8")]
    return with_value(spikes.astype(fields), "sample_index", value)


def with_value(spikes: Any, name: str, value: float) -> Any:
    changed = spikes.copy()
    changed[name][1] = value
    return changed


def labels(**properties: list[str]) -> dict[int, str]:
    sorting = SimpleNamespace(get_property=properties.get)
    return _property_labels(sorting, np.array([4, 7]))


def test_labels_are_those_of_the_first_property_that_says_something() -> None:
    assert labels(group=["Good ", "mua"], quality=["unsorted", "unsorted"]) == {4: "good", 7: "mua"}
    assert labels(quality=["noise", "?"], group=["good", "good"]) == {4: "noise"}
    assert labels(label=["unsorted", "x"]) == {}
    assert labels(quality=[b"good", b"mua"]) == {4: "good", 7: "mua"}
    assert labels(quality=np.array([0.5, np.nan]), KSLabel=["mua", "good"]) == {4: "mua", 7: "good"}
    assert labels() == {}


def test_words_of_ones_own_are_counted_and_said() -> None:
    def said(**properties: Any) -> list[str]:
        return _other_words(SimpleNamespace(get_property=properties.get), np.array([4, 7]))

    words = "labels of quality that are not good, mua or noise are not shown: "
    assert said(quality=["sua", "good"]) == [words + "sua 1"]
    assert said(quality=[b"SUA?", "SUA?"]) == [words + "SUA? 2"]
    assert said(quality=["", "nan"], group=[3, 3]) == []
    assert said(quality=["good", "Noise"], label=["sua", "sua"]) == []


def test_the_main_channel_is_that_of_the_template_that_most_spikes_have(tmp_path: Path) -> None:
    """Template 0 is largest on its second column, template 1 on its first; columns are channels by a file."""
    templates = np.zeros((2, 4, 2), np.float32)
    templates[0, 1, 1], templates[0, 2, 0] = -5, 4
    templates[1, 1, 0], templates[1, 2, 0], templates[1, 1, 1] = -3, 3, -5
    np.save(tmp_path / "templates.npy", templates)
    units = np.array([8, 8, 8, 9])
    assert _phy_main_channels(tmp_path, units) == {}
    np.save(tmp_path / "spike_templates.npy", np.array([0, 1, 0, 1]))
    assert _phy_main_channels(tmp_path, units) == {8: 1, 9: 0}
    np.save(tmp_path / "template_ind.npy", np.array([[5, 6], [7, 3]]))
    assert _phy_main_channels(tmp_path, units) == {8: 6, 9: 7}
    np.save(tmp_path / "template_ind.npy", np.array([[5, -1], [7, 3]]))  # no contact
    assert _phy_main_channels(tmp_path, units) == {}
    for none in (2, -1):
        np.save(tmp_path / "spike_templates.npy", np.array([0, none, none, 1]))
        assert _phy_main_channels(tmp_path, units) == {}


@pytest.mark.parametrize("shape", [(2, 4), (2, 4, 2, 1), (2, 0, 2), (0, 4, 2)])
def test_arrays_that_are_no_templates_tell_no_main_channel(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "templates.npy", np.zeros(shape))
    np.save(tmp_path / "spike_templates.npy", np.array([0, 1]))
    assert _phy_main_channels(tmp_path, np.array([0, 1])) == {}


def test_the_sorting_of_a_simulated_recording_is_its_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / simulated_folder.TRUTH).touch()
    truth: Any = object()
    monkeypatch.setattr(simulated_folder, "read_truth", lambda folder: (truth, "what else is told of it"))
    assert open_sorting(tmp_path) is truth
