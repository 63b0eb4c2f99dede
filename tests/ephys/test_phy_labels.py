"""Labels of a Phy folder are those of the first table that has any, and a table that gave none is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.ephys.phy_folder import read_phy_folder

from .test_phy_folder import labels, write


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
        "cluster_group.csv has labels of '1,000', 'A2', '', which name no cluster: these labels are left "
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


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\x0c", "' "])
def test_signs_around_a_cluster_that_nobody_sees_are_no_part_of_it(tmp_path: Path, space: str) -> None:
    phy = read_phy_folder(
        write(tmp_path, cluster_group_tsv=labels(f"{space}0{space}\tgood\n1{space}\tmua\n"))
    )
    assert phy.labels == {0: "good", 1: "mua"}


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"\n\n"])
def test_an_empty_table_is_named(tmp_path: Path, data: bytes) -> None:
    write(tmp_path)
    (tmp_path / "cluster_group.tsv").write_bytes(data)
    (tmp_path / "cluster_info.tsv").write_bytes(data)
    assert read_phy_folder(tmp_path).notes == (
        "cluster_group.tsv labels nothing: it is empty",
        "cluster_info.tsv labels nothing: it is empty",
    )


@pytest.mark.parametrize("column", ["label", "quality", "KSLabel"])
def test_of_a_table_with_several_columns_of_labels_the_first_that_has_any_counts(
    tmp_path: Path, column: str
) -> None:
    text = f"cluster_id\tgroup\t{column}\n0\t\tmua\n1\tunsorted\tgood\n2\t\tnoise\n"
    assert read_phy_folder(write(tmp_path, cluster_group_tsv=text)).labels == {
        0: "mua",
        1: "good",
        2: "noise",
    }


def test_a_file_that_is_no_text_is_named_in_few_words(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "cluster_group.tsv").write_bytes(b"PK\x03\x04" + b"abc " * 1000)
    (note,) = read_phy_folder(tmp_path).notes
    assert len(note) < 150
