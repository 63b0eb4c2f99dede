"""A table of clusters gives the cluster of each row by the name of its column, or says why it cannot."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.cluster_tables import ClusterTable, read_cluster_table, whole_number
from ncpgui.ephys.phy_folder import read_phy_folder

CLUSTERS = (0, 2, 5)
RIGHT = {0: "mua", 2: "good", 5: "noise"}


def read(tmp_path: Path, data: str | bytes) -> ClusterTable:
    file = tmp_path / "cluster_group.tsv"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    table = read_cluster_table(file, CLUSTERS)
    assert table is not None
    return table


SPELLINGS = {
    "phy": "cluster_id\tgroup\n0\tmua\n2\tgood\n5\tnoise\n",
    "old phy": "id\tgroup\n0\tmua\n2\tgood\n5\tnoise\n",
    "index of pandas": "\tcluster_id\tgroup\n0\t0\tmua\n1\t2\tgood\n2\t5\tnoise\n",
    "index of pandas, twice": "Unnamed: 0,cluster_id,group\n0,0,mua\n1,2,good\n2,5,noise\n",
    "clusters as the index of pandas": ",group\n0,mua\n2,good\n5,noise\n",
    "the same with more columns": ",amp,group\n0,1.5,mua\n2,2.5,good\n5,3,noise\n",
    "floats of pandas": "cluster_id\tgroup\n0.0\tmua\n2.0\tgood\n5.0\tnoise\n",
    "floats with a decimal comma": "cluster_id;group\n0,0;mua\n2,0;good\n5,0;noise\n",
    "the same in quotes, between commas": 'cluster_id,group\n"0,0",mua\n"2,0",good\n"5,00",noise\n',
    "names of rows of R": '"cluster_id"\t"group"\n"1"\t0\t"mua"\n"2"\t2\t"good"\n"3"\t5\t"noise"\n',
    "a delimiter after each row": "cluster_id\tgroup\n0\tmua\t\n2\tgood\t\n5\tnoise\t\n",
    "a cell too many in a row": "cluster_id\tgroup\n0\tmua\tx\n2\tgood\n5\tnoise\n",
    "semicolons": "cluster_id;amp;group\n0;1,5;mua\n2;2,5;good\n5;3,5;noise\n",
    "the label first": "group\tcluster_id\nmua\t0\ngood\t2\nnoise\t5\n",
    "the label in the middle": "n_spikes,group,depth,cluster_id\n10,mua,1,0\n20,good,2,2\n30,noise,3,5\n",
    "other case and blanks": "Cluster ID, Group\n0, mua\n2, good\n5, noise\n",
    "savetxt of NumPy": "# cluster_id group\n0 mua\n2 good\n5 noise\n",
    "UTF-16 of a spreadsheet": "cluster_id\tgroup\r\n0\tmua\r\n2\tgood\r\n5\tnoise\r\n".encode("utf-16"),
    "a name of the column of clusters of one's own": "clu nr\tgroup\n0\tmua\n2\tgood\n5\tnoise\n",
    "no header": "0\tmua\n2\tgood\n5\tnoise\n",
    "quotes around all": '"cluster_id","group"\r\n"0","mua"\r\n"2","good"\r\n"5","noise"\r\n',
}


@pytest.mark.parametrize("spelling", list(SPELLINGS))
def test_labels_are_those_of_their_clusters_however_the_table_is_spelt(tmp_path: Path, spelling: str) -> None:
    table = read(tmp_path, SPELLINGS[spelling])
    place = table.column("group") if any(table.names) else 1
    assert place is not None
    assert table.cells(place) == RIGHT
    assert table.problem == ""


def test_an_index_that_is_not_of_the_clusters_is_none(tmp_path: Path) -> None:
    table = read(tmp_path, "\tgroup\n0\tmua\n1\tgood\n2\tnoise\n")
    assert (table.id_column, table.cells(1)) == (None, {})
    assert table.problem == "no column is called cluster_id (its columns: group)"


def test_a_column_in_which_a_cluster_is_twice_is_not_the_one_of_clusters(tmp_path: Path) -> None:
    assert read(tmp_path, "n\tgroup\n0\tmua\n2\tgood\n5\tnoise\n5\tgood\n").id_column is None


def test_rows_that_name_no_cluster_are_left_out_and_a_short_row_has_empty_cells(tmp_path: Path) -> None:
    table = read(tmp_path, "cluster_id\tamp\tgroup\n0\t1\tmua\n\t2\tgood\nA1\t2\tgood\n2\n-1\t3\tgood\n")
    assert table.cells(2) == {0: "mua", 2: ""}


def test_a_row_too_short_for_the_column_of_clusters_names_none(tmp_path: Path) -> None:
    assert read(tmp_path, "group\tcluster_id\nmua\t0\ngood\n").cells(0) == {0: "mua"}
    unnamed = read(tmp_path, "group\tmy clu\nmua\t0\ngood\t2\nnoise\t5\n")
    assert (unnamed.id_column, unnamed.cells(0)) == (1, RIGHT)
    short = read(tmp_path, "group\tmy clu\nmua\t0\ngood\t2\nnoise\n")
    assert short.problem == "no column is called cluster_id (its columns: group, my clu)"


def test_a_cell_beyond_the_two_columns_that_have_names_is_no_cluster(tmp_path: Path) -> None:
    table = read(tmp_path, "group\tdepth\nmua\tx\t0\tmore\ngood\ty\t2\nnoise\tz\t5\n")
    assert table.problem == "no column is called cluster_id (its columns: group, depth)"


def test_a_table_may_be_as_large_as_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = SPELLINGS["phy"]
    monkeypatch.setattr("ncpgui.ephys.cluster_tables.MOST_BYTES", len(data))
    assert read(tmp_path, data).problem == ""
    monkeypatch.setattr("ncpgui.ephys.cluster_tables.MOST_BYTES", len(data) - 1)
    with pytest.raises(RecordingError, match=f"it has {len(data)} bytes, more than {len(data) - 1}"):
        read(tmp_path, data)


def test_a_number_of_forty_digits_is_none(tmp_path: Path) -> None:
    assert whole_number("1" * 39) == int("1" * 39)
    assert whole_number("1" * 40) is None


def test_a_changed_table_is_spelt_as_it_was(tmp_path: Path) -> None:
    for name in ("semicolons", "UTF-16 of a spreadsheet", "index of pandas", "savetxt of NumPy", "no header"):
        data = SPELLINGS[name]
        before = data if isinstance(data, bytes) else data.encode()
        table = read(tmp_path, data)
        assert table.as_bytes(table.rows) == before
        assert table.as_bytes(table.rows[:1]) != before


def test_whole_numbers_are_exact_and_nothing_else_is_one() -> None:
    assert whole_number("98765432109876543210") == 98765432109876543210
    assert [whole_number(text) for text in ("7", " 007 ", "7.0", "7.", "1.2e3", '"7"')] == [
        7,
        7,
        7,
        7,
        1200,
        7,
    ]
    others = ("", "A1", "-1", "7.5", "1e-3", "nan", "inf", "1e400", "1_000", "٣", "0x10", "9" * 50)
    assert [text for text in others if whole_number(text) is not None] == []


def test_what_is_no_file_is_no_table_and_what_is_no_table_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").write_bytes(b"")
    assert [read_cluster_table(tmp_path / n, CLUSTERS) for n in ("pipe", "folder", "empty", "none")] == [
        None
    ] * 4
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**28 + 1)
    said = "sparse is not a table of clusters: it has 268435457 bytes, more than 268435456; export"
    with pytest.raises(RecordingError, match=said):
        read_cluster_table(tmp_path / "sparse", CLUSTERS)


# -- labels of a folder ----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four spikes of three clusters."""
    np.save(tmp_path / "spike_times.npy", np.array([5, 9, 12, 20], np.uint64))
    np.save(tmp_path / "spike_clusters.npy", np.array([0, 2, 0, 5], np.int32))
    return tmp_path


KILOSORT = "cluster_id\tKSLabel\n0\tgood\n2\tmua\n5\tgood\n"
OF_KILOSORT = {0: "good", 2: "mua", 5: "good"}
SAYS_NOTHING = {
    "a header only": "cluster_id\tgroup\n",
    "empty cells": "cluster_id\tgroup\n0\t\n2\t\n5\t\n",
    "cells of blanks": "cluster_id\tgroup\n0\t  \n2\t \n5\t\n",
    "rows without a cell": "cluster_id\tgroup\n0\n2\n5\n",
    "all unsorted": "cluster_id\tgroup\n0\tunsorted\n2\tUnsorted\n5\tunsorted\n",
    "missing values of pandas": "cluster_id\tgroup\n0\tnan\n2\tNaN\n5\tNone\n",
    "missing values of R": "cluster_id\tgroup\n0\tNA\n2\tNA\n5\tNA\n",
    "clusters without a spike": "cluster_id\tgroup\n7\tgood\n8\tgood\n",
    "no clusters": "group\tamp\tn\ngood\t1\t2\n",
}


@pytest.mark.parametrize("name", list(SAYS_NOTHING))
def test_groups_that_say_nothing_do_not_hide_the_labels_of_kilosort(folder: Path, name: str) -> None:
    (folder / "cluster_group.tsv").write_text(SAYS_NOTHING[name])
    (folder / "cluster_info.tsv").write_text("cluster_id\tgroup\tKSLabel\n0\t\tgood\n2\t\tgood\n5\t\tgood\n")
    (folder / "cluster_KSLabel.tsv").write_text(KILOSORT)
    phy = read_phy_folder(folder)
    assert phy.labels == OF_KILOSORT
    assert any(note.startswith("cluster_group.tsv labels nothing: ") for note in phy.notes)
    assert phy.notes[-1] == "labels are those of cluster_KSLabel.tsv (good 2, mua 1)"


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("a header only", "it has no rows"),
        ("all unsorted", "its clusters are unsorted, or their cells empty"),
        ("clusters without a spike", r"none of its clusters \(7, 8\) has a spike"),
        ("no clusters", r"no column is called cluster_id \(its columns: group, amp, n\)"),
    ],
)
def test_a_file_of_labels_that_gave_none_is_named_with_the_reason(folder: Path, table: str, why: str) -> None:
    (folder / "cluster_group.tsv").write_text(SAYS_NOTHING[table])
    phy = read_phy_folder(folder)
    assert phy.labels == {}
    assert len(phy.notes) == 1
    assert re.fullmatch(f"cluster_group.tsv labels nothing: {why}", phy.notes[0])


def test_one_label_of_a_person_is_enough_for_the_table_to_count(folder: Path) -> None:
    (folder / "cluster_group.tsv").write_text("cluster_id\tgroup\n0\tunsorted\n2\tgood\n5\t\n")
    (folder / "cluster_KSLabel.tsv").write_text(KILOSORT)
    phy = read_phy_folder(folder)
    assert phy.labels == {0: "unsorted", 2: "good"}


def test_kilosort_4_writes_its_labels_into_the_table_of_groups(folder: Path) -> None:
    (folder / "cluster_group.tsv").write_text(KILOSORT)
    assert read_phy_folder(folder).labels == OF_KILOSORT


def test_the_one_column_beside_the_clusters_holds_the_labels_whatever_it_is_called(folder: Path) -> None:
    (folder / "cluster_group.csv").write_text("cluster_id,my verdict\n0,good\n2,MUA\n5,Noise\n")
    assert read_phy_folder(folder).labels == {0: "good", 2: "mua", 5: "noise"}


def test_a_group_of_channels_is_no_label(folder: Path) -> None:
    (folder / "cluster_info.tsv").write_text("cluster_id\tchannel_group\tsh\n0\t1\t0\n2\t1\t0\n5\t2\t0\n")
    assert read_phy_folder(folder).labels == {}


def test_labels_of_ones_own_are_kept_as_they_are_spelt(folder: Path) -> None:
    (folder / "cluster_group.tsv").write_bytes(
        "cluster_id\tgroup\n0\tSUA\n2\tgood\n5\tschön\n".encode("cp1252")
    )
    phy = read_phy_folder(folder)
    assert phy.labels == {2: "good"}
    assert phy.own_labels == {0: "SUA", 5: "schön"}
    assert phy.notes == ("labels are those of cluster_group.tsv (SUA 1, good 1, schön 1)",)


def test_the_last_of_several_rows_counts_and_it_is_said_that_they_differ(folder: Path) -> None:
    (folder / "cluster_group.tsv").write_text(
        "cluster_id\tgroup\n0\tgood\n2\tmua\n5\tmua\n0\tnoise\n2\tmua\n"
    )
    phy = read_phy_folder(folder)
    assert phy.labels == {0: "noise", 2: "mua", 5: "mua"}
    assert phy.notes[-1] == "cluster_group.tsv has different rows of clusters 0: the last one counts"


# -- names and numbers of clusters ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["10", "11", "12"], {0: 10, 2: 11, 5: 12}),
        (["0", "2", "5"], {}),
        (["u7", "u5", "6"], {0: "u7", 2: "u5", 5: "6"}),
        (["007", "1", "2"], {0: "007", 2: "1", 5: "2"}),
        (["10", "", "12"], {0: 10, 2: 13, 5: 12}),
        (["", "", ""], {}),
    ],
)
def test_what_spikeinterface_calls_clusters_is_read(
    folder: Path, cells: list[str], names: dict[int, object]
) -> None:
    rows = [f"{cluster}\t{cell}" for cluster, cell in zip(CLUSTERS, cells, strict=True)]
    (folder / "cluster_si_unit_ids.tsv").write_text("\n".join(["cluster_id\tsi_unit_id", *rows]))
    assert read_phy_folder(folder).names == names


def test_the_largest_cluster_is_that_of_spikes_templates_and_tables(folder: Path) -> None:
    assert read_phy_folder(folder).highest == 5
    np.save(folder / "spike_templates.npy", np.array([0, 8, 0, 5], np.uint32)[:, None])
    assert read_phy_folder(folder).highest == 8
    (folder / "cluster_info.tsv").write_text(f"cluster_id\tamp\n11\t3\n\t4\n{2**31}\t5\n")
    (folder / "cluster_times.csv").write_text("spike;time\n99;2\n")
    assert read_phy_folder(folder).highest == 11
