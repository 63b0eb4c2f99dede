"""Other sorters' results open; a hostile params.py is never run."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.readers import open_sorting


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
