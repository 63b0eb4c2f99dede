"""Decisions in a Phy folder: all of them or none, and nothing of others is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core import replaced_set
from ncpgui.core.errors import ExportError, RecordingError
from ncpgui.core.replaced_set import LOCK, alone_in
from ncpgui.ephys.phy_folder import read_phy_folder
from ncpgui.export.phy_back import write_back
from ncpgui.export.read_back import decided_elsewhere
from tests.phy_folder import bytes_of, table
from tests.reviewed_folder import cells, clusters_of, decided, reviewed, write_folder

CLUSTERS = [0, 1, 2, 0, 1, 2, 0, 1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Clusters 0 (good), 1 (mua) and 2."""
    folder = write_folder(tmp_path / "phy", CLUSTERS)
    table(folder / "cluster_group.tsv", {"group": {0: "good", 1: "mua", 2: "unsorted"}})
    return folder


def test_unit_0_is_a_unit_like_others_and_spikes_of_none_are_noise(folder: Path) -> None:
    project = reviewed(folder)
    written = write_back(project, decided(project, {-1: (1,)}))
    assert clusters_of(folder) == [0, 3, 2, 0, 3, 2, 0, 3]
    assert cells(folder / "cluster_group.tsv", "group") == {0: "good", 2: "unsorted", 3: "noise"}
    assert "3 spikes of no unit are cluster 3, labelled noise" in written.words
    assert decided_elsewhere(project).units.tolist() == [0, -1, 2, 0, -1, 2, 0, -1]  # of none here too


def test_the_cluster_of_spikes_of_no_unit_keeps_its_number_and_no_other_gets_it(folder: Path) -> None:
    project = reviewed(folder)
    write_back(project, decided(project, {-1: (1,)}))
    written = write_back(project, decided(project, {-1: (1,), 3: (0, 2)}))
    assert clusters_of(folder) == [4, 3, 4, 4, 3, 4, 4, 3]
    assert cells(folder / "cluster_group.tsv", "group") == {3: "noise", 4: "unsorted"}
    assert "clusters have other numbers where theirs were used before: 3 is 4" in written.words
    write_back(project, decided(project, {3: (0, 2)}))
    assert clusters_of(folder) == [4, 1, 4, 4, 1, 4, 4, 1]


def test_a_number_that_any_table_template_or_write_back_had_is_of_no_new_cluster(folder: Path) -> None:
    table(folder / "cluster_group.tsv", {"group": {0: "good", 1: "mua", 2: "unsorted", 7: "noise"}})
    np.save(folder / "spike_templates.npy", np.array([0, 1, 2, 0, 1, 9, 0, 1], np.uint32))
    project = reviewed(folder)
    write_back(project, decided(project, {3: (0, 1)}))
    assert clusters_of(folder) == [10, 10, 2, 10, 10, 2, 10, 10]
    write_back(project, decided(project))
    assert clusters_of(folder) == CLUSTERS
    write_back(project, decided(project, {4: (0, 1)}))
    assert max(clusters_of(folder)) == 11
    assert cells(folder / "cluster_group.tsv", "group") == {2: "unsorted", 7: "noise", 11: "unsorted"}


def test_another_review_of_what_was_written_uses_no_number_again(folder: Path) -> None:
    first = reviewed(folder)
    write_back(first, decided(first, {3: (0, 1)}))
    write_back(first, decided(first))
    second = reviewed(folder)
    write_back(second, decided(second, {3: (0, 2)}))
    assert clusters_of(folder) == [4, 1, 4, 4, 1, 4, 4, 1]


def test_a_merged_cluster_has_a_name_for_spikeinterface_that_none_ever_had(folder: Path) -> None:
    table(folder / "cluster_si_unit_ids.tsv", {"si_unit_id": {0: 10, 1: 11, 2: 12}})
    project = reviewed(folder)
    write_back(project, decided(project, {3: (1, 2)}))
    assert cells(folder / "cluster_si_unit_ids.tsv", "si_unit_id") == {0: "10", 3: "13"}
    write_back(project, decided(project, {4: (0, 1)}))
    assert cells(folder / "cluster_si_unit_ids.tsv", "si_unit_id") == {2: "12", 4: "14"}


def test_a_folder_whose_clusters_somebody_changed_after_our_write_back_is_left_alone(folder: Path) -> None:
    project = reviewed(folder)
    write_back(project, decided(project, {3: (0, 1)}))
    np.save(folder / "spike_clusters.npy", np.array([5, 5, 2, 5, 5, 2, 5, 5], np.int32))
    before = bytes_of(folder)
    with pytest.raises(ExportError, match=r"changed since it was reviewed \(its spikes or clusters differ\)"):
        write_back(project, decided(project, {3: (0, 1)}, {3: "good"}))
    assert bytes_of(folder) == before


def test_a_folder_that_another_review_wrote_is_left_alone(folder: Path) -> None:
    first = reviewed(folder)
    write_back(first, decided(first, {3: (0, 1)}))
    second = reviewed(folder)
    write_back(second, decided(second, {4: (2, 3)}))
    before = bytes_of(folder)
    with pytest.raises(ExportError, match="changed since it was reviewed"):
        write_back(first, decided(first, labels={0: "noise"}))
    assert bytes_of(folder) == before


@pytest.mark.parametrize("written_before", [False, True])
def test_labels_that_somebody_changed_meanwhile_stay_unless_they_were_decided_here(
    folder: Path, written_before: bool
) -> None:
    project = reviewed(folder)
    if written_before:
        write_back(project, decided(project, labels={2: "good"}))
    table(folder / "cluster_group.tsv", {"group": {0: "noise", 1: "good", 2: "mua"}})
    written = write_back(project, decided(project, labels={1: "noise", 2: "good"}))
    assert cells(folder / "cluster_group.tsv", "group") == {0: "noise", 1: "noise", 2: "good"}
    assert "as decided here, of clusters 1 (good, now noise), 2 (mua, now good)" in written.words
    assert written.backup is not None
    assert cells(written.backup / "cluster_group.tsv", "group") == {0: "noise", 1: "good", 2: "mua"}


def test_a_label_that_is_decided_no_more_is_again_what_it_was(folder: Path) -> None:
    before = bytes_of(folder)
    project = reviewed(folder)
    write_back(project, decided(project, labels={0: "noise"}))
    assert cells(folder / "cluster_group.tsv", "group")[0] == "noise"
    write_back(project, decided(project))
    assert bytes_of(folder)["cluster_group.tsv"] == before["cluster_group.tsv"]


def test_a_label_that_somebody_took_away_is_not_put_back(folder: Path) -> None:
    project = reviewed(folder)
    table(folder / "cluster_group.tsv", {"group": {0: "unsorted", 1: "mua", 2: "unsorted"}})
    write_back(project, decided(project, labels={2: "good"}))
    assert cells(folder / "cluster_group.tsv", "group") == {0: "unsorted", 1: "mua", 2: "good"}


def test_notes_that_somebody_wrote_between_two_write_backs_stay(folder: Path) -> None:
    table(folder / "cluster_note.tsv", {"note": {0: "a", 1: "b", 2: "c"}})
    project = reviewed(folder)
    write_back(project, decided(project, {3: (0, 1)}))
    assert cells(folder / "cluster_note.tsv", "note") == {2: "c", 3: "a"}
    table(folder / "cluster_note.tsv", {"note": {2: "look at this", 3: "two of them"}})
    write_back(project, decided(project, {3: (0, 1)}, {2: "good"}))
    assert cells(folder / "cluster_note.tsv", "note") == {2: "look at this", 3: "two of them"}
    write_back(project, decided(project))
    assert cells(folder / "cluster_note.tsv", "note") == {0: "a", 1: "b", 2: "look at this"}


def test_tags_and_notes_that_were_given_here_are_written_and_taken_away_again(folder: Path) -> None:
    table(folder / "cluster_note.tsv", {"note": {0: "a", 1: "b", 2: "c"}})
    project = reviewed(folder)
    write_back(project, decided(project, tags={1: "axon"}, notes={0: "drifts"}))
    assert cells(folder / "cluster_note.tsv", "note") == {0: "drifts", 1: "b", 2: "c"}
    assert cells(folder / "cluster_tag.tsv", "tag") == {0: "", 1: "axon", 2: ""}
    write_back(project, decided(project))
    assert cells(folder / "cluster_note.tsv", "note") == {0: "a", 1: "b", 2: "c"}
    assert cells(folder / "cluster_tag.tsv", "tag") == {0: "", 1: "", 2: ""}


TABLES = {
    "labels of one's own": b"cluster_id\tgroup\n0\tsua\n1\tmua\n2\tGood\n",
    "cp1252": "cluster_id\tgroup\tNotiz\n0\tgut\tr\xfcckl\xe4ufig\x85\n1\tmua\t\xb5V\n2\t\t\n".encode(
        "latin-1"
    ),
    "other order": b"group\tdepth\tcluster_id\nsua\t5\t0\nmua\t6\t1\ngood\t7\t2\n",
    "an index of pandas": b"\tcluster_id\tgroup\n0\t0\tsua\n1\t1\tmua\n2\t2\tgood\n",
    "semicolons and ends of Windows": b"cluster_id;group\r\n0;sua\r\n1;mua\r\n2;good\r\n",
    "UTF-16": "cluster_id\tgroup\n0\tsua\n1\tmua\n2\tgood\n".encode("utf-16"),
    "another order of rows": b"cluster_id\tgroup\n2\tgood\n0\tsua\n1\tmua\n",
}


@pytest.mark.parametrize("kind", TABLES)
def test_rows_of_which_nothing_was_decided_come_back_byte_by_byte(kind: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "phy", CLUSTERS)
    (folder / "cluster_group.tsv").write_bytes(TABLES[kind])
    project = reviewed(folder)
    assert write_back(project, decided(project)).files == ()
    write_back(project, decided(project, {-1: (1,)}))
    data = TABLES[kind]
    encoding = "utf-16" if kind == "UTF-16" else "latin-1"
    end = "\r\n" if "Windows" in kind else "\n"
    lines = data.decode(encoding).split(end)
    kept = [line for line in lines if "mua" not in line]
    after = (folder / "cluster_group.tsv").read_bytes().decode(encoding).split(end)
    assert [line for line in after if "noise" not in line] == kept
    (new,) = (line for line in after if "noise" in line)
    assert "3" in new
    read = read_phy_folder(folder)
    assert read.labels[3] == "noise"


@pytest.mark.parametrize("kind", TABLES)
def test_a_decided_label_changes_its_cell_and_nothing_else(kind: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "phy", CLUSTERS)
    (folder / "cluster_group.tsv").write_bytes(TABLES[kind])
    project = reviewed(folder)
    assert write_back(project, decided(project, labels={1: "noise"})).files == ("cluster_group.tsv",)
    encoding = "utf-16" if kind == "UTF-16" else "latin-1"
    expected = TABLES[kind].decode(encoding).replace("mua", "noise")
    assert (folder / "cluster_group.tsv").read_bytes().decode(encoding).replace("unsorted", "") == expected
    assert read_phy_folder(folder).labels[1] == "noise"


def test_a_table_of_pandas_has_no_index_twice(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "phy", CLUSTERS)
    (folder / "cluster_group.tsv").write_bytes(TABLES["an index of pandas"])
    project = reviewed(folder)
    write_back(project, decided(project, {3: (0, 1)}, {3: "good"}))
    assert (folder / "cluster_group.tsv").read_text() == "\tcluster_id\tgroup\n2\t2\tgood\n3\t3\tgood\n"


def test_units_that_were_joined_keep_the_label_of_their_own_that_both_have(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "phy", CLUSTERS)
    table(folder / "cluster_group.tsv", {"group": {0: "sua", 1: "sua", 2: "axon"}})
    project = reviewed(folder)
    write_back(project, decided(project, {3: (0, 1)}))
    assert cells(folder / "cluster_group.tsv", "group") == {2: "axon", 3: "sua"}
    project = reviewed(folder)
    write_back(project, decided(project, {4: (2, 3)}))
    assert cells(folder / "cluster_group.tsv", "group") == {4: "unsorted"}


def test_labels_of_kilosort_are_written_as_groups_with_the_first_decision(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "phy", CLUSTERS)
    table(folder / "cluster_KSLabel.tsv", {"KSLabel": {0: "good", 1: "mua", 2: "good"}})
    project = reviewed(folder)
    assert write_back(project, decided(project)).files == ()
    assert write_back(project, decided(project, labels={2: "noise"})).files == ("cluster_group.tsv",)
    assert cells(folder / "cluster_group.tsv", "group") == {0: "good", 1: "mua", 2: "noise"}
    assert cells(folder / "cluster_KSLabel.tsv", "KSLabel") == {0: "good", 1: "mua", 2: "good"}


def test_counts_change_only_of_clusters_that_change(folder: Path) -> None:
    columns = {"fr": {0: "15", 1: "15.0", 2: "9.9"}, "n_spikes": {0: 3, 1: 3, 2: 2}}
    table(folder / "cluster_info.tsv", columns)
    project = reviewed(folder)
    write_back(project, decided(project, {3: (0, 1)}))
    assert cells(folder / "cluster_info.tsv", "n_spikes") == {2: "2", 3: "6"}
    assert cells(folder / "cluster_info.tsv", "fr") == {2: "9.9", 3: "30.0000"}


def test_strays_go_with_their_cluster_and_stay_where_they_have_one_of_their_own(tmp_path: Path) -> None:
    times = [-4, *range(100, 1600, 100), -2, 4100]
    folder = write_folder(tmp_path / "phy", [0, *([0, 1, 2] * 5), 8, 1], times=times)
    table(folder / "cluster_group.tsv", {"group": {0: "good", 1: "mua", 2: "unsorted", 8: "axon"}})
    project = reviewed(folder)
    assert len(project.spikes) == 15
    write_back(project, decided(project, {9: (0, 1)}))
    assert clusters_of(folder) == [9, *([9, 9, 2] * 5), 8, 9]
    assert cells(folder / "cluster_group.tsv", "group") == {2: "unsorted", 8: "axon", 9: "unsorted"}
    assert np.load(folder / "spike_times.npy").tolist() == times


def test_files_that_change_are_named_with_clusters_first_then_groups_then_other_tables(folder: Path) -> None:
    table(folder / "cluster_Amplitude.tsv", {"Amplitude": {0: "10", 1: "11", 2: "12"}})
    table(folder / "cluster_note.tsv", {"note": {0: "a", 1: "b", 2: "c"}})
    project = reviewed(folder)
    written = write_back(project, decided(project, {3: (0, 1)}))
    tables = ("cluster_group.tsv", "cluster_Amplitude.tsv", "cluster_note.tsv")
    assert written.files == ("spike_clusters.npy", *tables)


def test_links_stay_links(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("spike_clusters.npy", "cluster_group.tsv"):
        (folder / name).rename(elsewhere / name)
        (folder / name).symlink_to(elsewhere / name)
    project = reviewed(folder)
    write_back(project, decided(project, {3: (0, 1)}))
    assert (folder / "spike_clusters.npy").is_symlink()
    assert (folder / "cluster_group.tsv").is_symlink()
    assert np.load(elsewhere / "spike_clusters.npy").tolist() == [3, 3, 2, 3, 3, 2, 3, 3]
    assert (folder / "before-ncpgui" / "spike_clusters.npy").is_file()


def test_a_link_to_what_is_no_table_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    (folder / "cluster_group.tsv").unlink()
    mine = tmp_path / "mine.sh"
    mine.write_text("echo hello\n")
    (folder / "cluster_group.tsv").symlink_to(mine)
    project = reviewed(folder)
    with pytest.raises(
        ExportError, match=r"cluster_group.tsv is a link to .*mine.sh, which is not a table of cl"
    ):
        write_back(project, decided(project, labels={0: "noise"}))
    assert mine.read_text() == "echo hello\n"


def test_backups_are_numbered_upward_and_never_overwritten(folder: Path) -> None:
    project = reviewed(folder)
    for n, label in enumerate(("noise", "mua", "good")):
        write_back(project, decided(project, labels={2: label}))
        if n == 1:
            (folder / "before-ncpgui").rename(folder / "before-ncpgui-5")
    assert sorted(item.name for item in folder.glob("before*")) == [f"before-ncpgui-{n}" for n in (2, 5, 6)]
    told = [cells(folder / f"before-ncpgui-{n}" / "cluster_group.tsv", "group")[2] for n in (5, 2, 6)]
    assert told == ["unsorted", "noise", "mua"]


def test_the_cache_of_phy_goes_into_the_backup_of_the_files_that_it_was_made_of(folder: Path) -> None:
    (folder / ".phy").mkdir()
    (folder / ".phy" / "memcache").write_text("of the old clusters")
    project = reviewed(folder)
    write_back(project, decided(project, {3: (0, 1)}))
    assert not (folder / ".phy").exists()
    assert (folder / "before-ncpgui" / ".phy" / "memcache").read_text() == "of the old clusters"


def interrupted_write_back(folder: Path) -> None:
    """A write-back that is stopped after the clusters were replaced, before the tables were."""
    move = replaced_set._move

    def stopping(source: Path, place: Path) -> None:
        if place.name == "cluster_group.tsv":
            raise KeyboardInterrupt
        move(source, place)

    project = reviewed(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replaced_set, "_move", stopping)
        with pytest.raises(KeyboardInterrupt):
            write_back(project, decided(project, {3: (0, 1)}, {3: "good"}))
    assert clusters_of(folder) != CLUSTERS
    assert cells(folder / "cluster_group.tsv", "group") == {0: "good", 1: "mua", 2: "unsorted"}


def test_a_write_back_that_was_stopped_is_finished_by_the_next_one(folder: Path) -> None:
    project = reviewed(folder)
    interrupted_write_back(folder)
    assert write_back(project, decided(project, {3: (0, 1)}, {3: "good"})).files == ()
    assert clusters_of(folder) == [3, 3, 2, 3, 3, 2, 3, 3]
    assert cells(folder / "cluster_group.tsv", "group") == {2: "unsorted", 3: "good"}
    assert sorted(item.name for item in (folder / "before-ncpgui").iterdir()) == [
        "cluster_group.tsv",
        "spike_clusters.npy",
        "written_back.json",
    ]


def test_a_write_back_that_was_stopped_is_finished_when_the_folder_is_read(folder: Path) -> None:
    interrupted_write_back(folder)
    phy = read_phy_folder(folder)
    assert phy.clusters.tolist() == [3, 3, 2, 3, 3, 2, 3, 3]
    assert phy.labels == {2: "unsorted", 3: "good"}
    assert "files of the folder were being replaced when ncpgui was stopped: that was finished" in phy.notes
    assert read_phy_folder(folder).notes == phy.notes[1:]


def test_a_folder_that_is_being_written_is_neither_read_in_the_middle_nor_written(folder: Path) -> None:
    project = reviewed(folder)
    interrupted_write_back(folder)
    with alone_in(folder, "wait"):
        with pytest.raises(RecordingError, match=r"holds files of two sortings.*wait until it is done"):
            read_phy_folder(folder)
        with pytest.raises(ExportError, match=r"already open for writing .*, or export the sorting with"):
            write_back(project, decided(project, {3: (0, 1)}))
    assert not (folder / LOCK).exists()


def test_what_another_program_saves_while_it_is_written_is_not_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ncpgui.export import into_phy

    def saved(path: Path) -> None:
        table(path / "cluster_group.tsv", {"group": {0: "mua", 1: "mua", 2: "mua"}})

    read = into_phy._read

    def reading(*words: object) -> object:
        result = read(*words)  # type: ignore[arg-type]
        saved(folder)
        return result

    project = reviewed(folder)
    monkeypatch.setattr(into_phy, "_read", reading)
    with pytest.raises(ExportError, match="was changed by another program just now, and nothing was written"):
        write_back(project, decided(project, {3: (0, 1)}))
    assert cells(folder / "cluster_group.tsv", "group") == {0: "mua", 1: "mua", 2: "mua"}
    assert clusters_of(folder) == CLUSTERS
