"""What a folder of Phy says is read as it is, repaired where that is no guess, or refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.phy_folder import (
    LARGEST_CLUSTER,
    array,
    is_phy_folder,
    phy_folder_of,
    read_phy_folder,
    sampling_frequency_of,
)


def write(folder: Path, times: Any = (5, 9, 20, 31), clusters: Any = (0, 2, 0, 1), **files: str) -> Path:
    """A folder of four spikes, and files by name (``cluster_group_tsv`` for ``cluster_group.tsv``)."""
    np.save(folder / "spike_times.npy", np.asarray(times))
    np.save(folder / "spike_clusters.npy", np.asarray(clusters))
    for name, text in files.items():
        (folder / ".".join(name.rsplit("_", 1))).write_text(text)
    return folder


def labels(text: str) -> str:
    return "cluster_id\tgroup\n" + text


def test_a_folder_is_one_by_its_times_and_may_be_named_by_its_parameters(tmp_path: Path) -> None:
    assert not is_phy_folder(tmp_path)
    write(tmp_path)
    assert is_phy_folder(tmp_path)
    assert is_phy_folder(tmp_path / "params.py")
    assert phy_folder_of(tmp_path / "params.py") == phy_folder_of(tmp_path) == tmp_path


def test_spikes_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    phy = read_phy_folder(write(tmp_path))
    assert (phy.times.tolist(), phy.clusters.tolist()) == ([5, 9, 20, 31], [0, 2, 0, 1])
    assert (phy.highest, phy.notes, phy.labels, phy.names, phy.parameters) == (2, (), {}, {}, {})
    assert phy.clusters_file == tmp_path / "spike_clusters.npy"


@pytest.mark.parametrize(
    ("times", "expected", "notes"),
    [
        ((5, 9, 9, 31), [5, 9, 9, 31], []),
        ((5, 9, 8, 31), [5, 9, 8, 31], ["not in order of time in the file: they are taken in order"]),
        ((5.0, 9.0, 20.0, 31.0), [5, 9, 20, 31], []),
        ((5.4, 9.0, 20.0, 31.6), [5, 9, 20, 32], ["have fractions of a sample: they are rounded"]),
        (np.array([-3, 5, 9, 20]).astype(np.uint64), [-3, 5, 9, 20], []),
        (np.array([5, 9, 20, 31], np.uint32), [5, 9, 20, 31], []),
        ((-1e300, 5.0, 9.0, 1e300), [-(2**62), 5, 9, 2**62], []),
    ],
)
def test_times_of_any_kind_are_samples(
    tmp_path: Path, times: Any, expected: list[int], notes: list[str]
) -> None:
    phy = read_phy_folder(write(tmp_path, times))
    assert phy.times.tolist() == expected
    assert len(phy.notes) == len(notes)
    assert all(words in note for words, note in zip(notes, phy.notes, strict=True))


@pytest.mark.parametrize(
    ("times", "clusters", "words"),
    [
        (
            (5, np.nan, 20, np.inf),
            (0, 0, 0, 0),
            r"spike_times\.npy: spike 1 is at nan; times must be samples",
        ),
        ((5, 9, 20), (0, 0, 0, 0), r"spike_times\.npy has 3 spikes, spike_clusters\.npy has 4; the folder"),
        (
            (5, 9),
            (0, 1.5),
            r"spike_clusters\.npy: spike 1 is in cluster 1\.5; clusters must be whole numbers",
        ),
        ((5, 9), (0, -1), r"spike 1 is in cluster -1"),
        ((5, 9), (np.nan, 1), r"spike 0 is in cluster nan"),
        ((5, 9), (0, 2**31), r"spike_clusters\.npy: cluster 2147483648 is larger than Phy knows"),
        (
            (0.01, 0.52, 0.9, 1.2),
            (0, 1, 0, 1),
            r"spike_times\.npy has 4 spikes within 1\.19 samples; times must be samples, not seconds",
        ),
        ((5, 9), ("a", "b"), r"spike_clusters\.npy holds no numbers but <U1; export the sorting again"),
    ],
)
def test_damaged_spikes_are_refused_with_the_file_and_the_place(
    tmp_path: Path, times: Any, clusters: Any, words: str
) -> None:
    with pytest.raises(RecordingError, match=words):
        read_phy_folder(write(tmp_path, times, clusters))


def test_times_in_floats_that_are_too_large_to_be_exact_are_said(tmp_path: Path) -> None:
    """Numbers of 32 bits are whole ones up to 2^24, and every second one up to 2^25."""
    assert read_phy_folder(write(tmp_path, np.array([5, 9, 20, 2**24 - 1], np.float32))).notes == ()
    (note,) = read_phy_folder(write(tmp_path, np.array([5, 9, 20, 2**24 + 2], np.float32))).notes
    assert note == (
        "spike_times.npy has numbers of type float32, which are exact to 2 samples only where they are "
        "largest: spikes lie beside their samples; write them as int64"
    )


@pytest.mark.parametrize(
    "name",
    ["spike_times.npy", "spike_clusters.npy", "params.py", "channel_map.npy", "channel_shanks.npy"],
)
def test_a_file_that_a_link_does_not_lead_to_is_not_taken_to_be_absent(tmp_path: Path, name: str) -> None:
    """Units of the first sorting stood for those that somebody made of them since."""
    write(tmp_path)
    np.save(tmp_path / "spike_templates.npy", np.zeros(4))
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).symlink_to(tmp_path / "unmounted")
    assert is_phy_folder(tmp_path)
    with pytest.raises(
        RecordingError, match=rf"{name} is a link that leads nowhere, and .* put the file back"
    ):
        read_phy_folder(tmp_path)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    with pytest.raises(RecordingError, match=rf"{name} is a folder, and .* put the file back"):
        read_phy_folder(tmp_path)


def test_the_largest_cluster_that_phy_holds_is_read(tmp_path: Path) -> None:
    assert read_phy_folder(write(tmp_path, (5,), (LARGEST_CLUSTER - 1,))).highest == 2**31 - 1


def test_without_clusters_those_of_the_templates_count_and_without_both_it_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "spike_clusters.npy").rename(tmp_path / "spike_templates.npy")
    phy = read_phy_folder(tmp_path)
    assert phy.clusters.tolist() == [0, 2, 0, 1]
    assert phy.notes == ("spike_clusters.npy is not there: the clusters are those of spike_templates.npy",)
    (tmp_path / "spike_templates.npy").unlink()
    with pytest.raises(RecordingError, match=r"has neither spike_clusters\.npy nor spike_templates\.npy"):
        read_phy_folder(tmp_path)


def test_arrays_are_flat_unless_their_shape_says_something(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 3)))
    assert array(tmp_path / "a.npy").shape == (6,)
    assert array(tmp_path / "a.npy", flat=False).shape == (2, 3)
    (tmp_path / "b.npy").write_bytes(b"no array")
    with pytest.raises(
        RecordingError, match=r"b\.npy cannot be read as an array: .*; export the sorting again"
    ):
        array(tmp_path / "b.npy")


@pytest.mark.parametrize("rate", ["20000.0", "30000"])
def test_the_sampling_frequency_is_that_of_the_parameters(tmp_path: Path, rate: str) -> None:
    phy = read_phy_folder(write(tmp_path, params_py=f"sample_rate = {rate}\n"))
    assert sampling_frequency_of(phy) == float(rate)


@pytest.mark.parametrize(
    "line",
    ["", "sample_rate = 0", "sample_rate = -1.0", "sample_rate = True", f"sample_rate = {'1' * 400}"],
)
def test_a_sampling_frequency_that_is_none_is_refused(tmp_path: Path, line: str) -> None:
    phy = read_phy_folder(write(tmp_path, params_py=line))
    with pytest.raises(RecordingError, match="does not give sample_rate as a positive number"):
        sampling_frequency_of(phy)


# -- names and the highest ---------------------------------------------------------------------------


def test_the_highest_cluster_is_that_of_any_file_that_phy_could_hold(tmp_path: Path) -> None:
    write(tmp_path, cluster_group_tsv=labels("0\tgood\n17\tmua\n"))
    assert read_phy_folder(tmp_path).highest == 17
    np.save(tmp_path / "spike_templates.npy", np.array([3.0, 40.0, np.nan, 1.0]))
    assert read_phy_folder(tmp_path).highest == 40
    (tmp_path / "cluster_group.tsv").write_text(labels(f"0\tgood\n{LARGEST_CLUSTER}\tmua\n"))
    assert read_phy_folder(tmp_path).highest == 40
    assert read_phy_folder(write(tmp_path, (), ())).highest == 40


def names(tmp_path: Path, text: str, clusters: Any = (0, 2, 0, 1)) -> dict[int, int | str]:
    write(tmp_path, clusters=clusters, cluster_si_unit_id_tsv="cluster_id\tsi_unit_id\n" + text)
    return read_phy_folder(tmp_path).names


def test_names_are_those_that_spikeinterface_has_where_any_is_another(tmp_path: Path) -> None:
    assert names(tmp_path, "0\t0\n1\t1\n2\t2\n") == {}
    assert names(tmp_path, "0\t10\n1\t1\n2\t12\n") == {0: 10, 1: 1, 2: 12}
    assert names(tmp_path, "0\ta\n1\t1\n2\tc\n") == {0: "a", 1: "1", 2: "c"}
    assert names(tmp_path, "0\t007\n1\t1\n2\t2\n") == {0: "007", 1: "1", 2: "2"}


def test_clusters_that_were_made_since_have_names_above_all_others(tmp_path: Path) -> None:
    assert names(tmp_path, "0\t10\n1\t31\n", (0, 5, 1, 4)) == {0: 10, 1: 31, 4: 32, 5: 33}
    assert names(tmp_path, "0\ta\n1\tb\n", (0, 5, 1, 4)) == {0: "a", 1: "b", 4: "0", 5: "1"}
    assert names(tmp_path, "0\ta\n1\t6\n", (0, 5, 1, 4)) == {0: "a", 1: "6", 4: "7", 5: "8"}


def test_names_of_clusters_without_spikes_are_no_matter(tmp_path: Path) -> None:
    assert names(tmp_path, "0\t0\n1\t1\n2\t2\n9\t90\n") == {}
