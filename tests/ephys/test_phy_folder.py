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


# -- labels --------------------------------------------------------------------------------------


def test_labels_are_those_of_the_clusters_that_have_any_and_counted(tmp_path: Path) -> None:
    phy = read_phy_folder(write(tmp_path, cluster_group_tsv=labels("0\tGOOD\n1\tmua\n2\tgood\n")))
    assert phy.labels == {0: "good", 1: "mua", 2: "good"}
    assert phy.own_labels == {}
    assert phy.notes == ("labels are those of cluster_group.tsv (good 2, mua 1)",)


def test_words_of_ones_own_are_kept_as_they_are_and_unsorted_is_known(tmp_path: Path) -> None:
    phy = read_phy_folder(write(tmp_path, cluster_group_tsv=labels("0\tAxon\n1\tunsorted\n2\tnoise\n")))
    assert phy.labels == {1: "unsorted", 2: "noise"}
    assert phy.own_labels == {0: "Axon"}
    assert phy.notes == ("labels are those of cluster_group.tsv (Axon 1, noise 1)",)


def test_clusters_that_a_table_lacks_are_said_six_of_them_by_number(tmp_path: Path) -> None:
    phy = read_phy_folder(write(tmp_path, cluster_group_tsv=labels("0\tgood\n")))
    assert phy.notes[1:] == ("cluster_group.tsv lacks clusters 1, 2: they are unsorted",)
    n = 9
    phy = read_phy_folder(write(tmp_path, range(n), range(n), cluster_group_tsv=labels("0\tgood\n")))
    assert phy.notes[1:] == (
        "cluster_group.tsv lacks clusters 1, 2, 3, 4, 5, 6 and 2 more: they are unsorted",
    )
    n = 7
    phy = read_phy_folder(write(tmp_path, range(n), range(n), cluster_group_tsv=labels("0\tgood\n")))
    assert phy.notes[1:] == ("cluster_group.tsv lacks clusters 1, 2, 3, 4, 5, 6: they are unsorted",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("cluster_id\tgroup\n", "it has no rows"),
        (labels("7\tgood\n8\tmua\n"), r"none of its clusters \(7, 8\) has a spike"),
        (labels("0\t\n1\tunsorted\n2\tnan\n"), "its clusters are unsorted, or their cells empty"),
        (labels("x\tgood\n"), "none of its rows names a cluster"),
        ("cluster_id\ta\tb\n0\t1\t2\n", r"no column is called group \(its columns: cluster_id, a, b\)"),
    ],
)
def test_a_table_that_labels_nothing_is_named_with_the_reason_and_the_next_one_counts(
    tmp_path: Path, text: str, why: str
) -> None:
    write(
        tmp_path, cluster_group_tsv=text, cluster_KSLabel_tsv="cluster_id\tKSLabel\n0\tmua\n1\tmua\n2\tmua\n"
    )
    phy = read_phy_folder(tmp_path)
    assert phy.labels == {0: "mua", 1: "mua", 2: "mua"}
    first, second = phy.notes
    assert first.startswith("cluster_group.tsv labels nothing: ")
    assert np.all([word in first for word in why.replace("\\", "").split()])
    assert second == "labels are those of cluster_KSLabel.tsv (mua 3)"
    (tmp_path / "cluster_KSLabel.tsv").unlink()
    assert read_phy_folder(tmp_path).notes == (first,)


def test_labels_of_a_person_come_before_those_of_the_program(tmp_path: Path) -> None:
    info = "cluster_id\tKSLabel\tgroup\n0\tgood\tnoise\n1\tgood\tnoise\n2\tgood\tnoise\n"
    write(tmp_path, cluster_info_tsv=info, cluster_KSLabel_tsv="cluster_id\tKSLabel\n0\tmua\n")
    assert read_phy_folder(tmp_path).labels == {0: "noise", 1: "noise", 2: "noise"}
    (tmp_path / "cluster_quality.tsv").write_text("cluster_id\tquality\n0\tmua\n1\tmua\n2\tmua\n")
    assert read_phy_folder(tmp_path).labels[0] == "noise"
    (tmp_path / "cluster_info.tsv").write_text(info.replace("noise", ""))
    assert read_phy_folder(tmp_path).labels[0] == "mua"
    (tmp_path / "cluster_quality.tsv").unlink()
    (tmp_path / "cluster_KSLabel.tsv").unlink()
    assert read_phy_folder(tmp_path).labels[0] == "good"


def test_labels_of_what_is_no_cluster_are_named(tmp_path: Path) -> None:
    text = "cluster_id;group\n0,0;good\n1,000;mua\nA2;noise\n;mua\n;\n"
    phy = read_phy_folder(write(tmp_path, cluster_group_csv=text))
    assert phy.labels == {0: "good"}
    assert phy.notes[-1] == (
        "cluster_group.csv has labels of '1,000', 'A2', '', which are no clusters: these labels are left "
        "out; write clusters as whole numbers"
    )
    phy = read_phy_folder(write(tmp_path, cluster_group_csv="cluster_id;group\n1,000;mua\n2,5;good\n"))
    assert phy.labels == {}
    assert phy.notes == (
        "cluster_group.csv labels nothing: none of its rows names a cluster but '1,000', '2,5'",
    )


@pytest.mark.parametrize(
    "name",
    [
        "cluster_group.txt",
        "cluster_Group.tsv",
        "CLUSTER_GROUP.TSV",
        "cluster_group.CSV",
        "cluster_groups.tsv.txt",
        "cluster_quality.xlsx",
        "cluster_label.csv",
        "cluster_group",
    ],
)
def test_files_called_like_labels_that_are_not_read_are_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, cluster_KSLabel_tsv="cluster_id\tKSLabel\n0\tmua\n1\tmua\n2\tmua\n")
    (tmp_path / name).write_text(labels("0\tgood\n1\tgood\n2\tgood\n"))
    first, second = read_phy_folder(tmp_path).notes
    assert first == f"{name} is not read: call it cluster_group.tsv if its labels are to count"
    assert second == "labels are those of cluster_KSLabel.tsv (mua 3)"


def test_labels_that_a_link_does_not_lead_to_are_named(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "cluster_group.tsv").symlink_to(tmp_path / "gone.tsv")
    assert read_phy_folder(tmp_path).notes == (
        "cluster_group.tsv labels nothing: it is a link that leads nowhere",
    )
    (tmp_path / "cluster_quality.tsv").mkdir()
    assert "cluster_quality.tsv labels nothing: it is a folder" in read_phy_folder(tmp_path).notes


def test_rows_of_one_cluster_that_differ_are_said_and_those_that_agree_are_not(tmp_path: Path) -> None:
    text = labels("0\tgood\n0\tmua\n1\tgood\n1\tGood \n2\tgood\n")
    phy = read_phy_folder(write(tmp_path, cluster_group_tsv=text))
    assert phy.labels[0] == "mua"
    assert phy.notes[-1] == "cluster_group.tsv has different rows of clusters 0: the last one counts"


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
