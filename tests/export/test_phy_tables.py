"""Tables of clusters after an edit: rows that stay, rows of new clusters, and what is put into them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ncpgui.ephys.cluster_tables import ClusterTable, read_cluster_table
from ncpgui.export.phy_tables import ClusterChange, Words, column_of_words, new_table, rows_after


def table(tmp_path: Path, text: str, name: str = "cluster_group.tsv") -> ClusterTable:
    (tmp_path / name).write_text(text)
    found = read_cluster_table(tmp_path / name, set(range(100)))
    assert found is not None
    return found


def change(
    ids: tuple[int, ...],
    *,
    gone: tuple[int, ...] = (),
    parent: dict[int, int] | None = None,
    first: dict[int, int] | None = None,
    names: dict[int, int | str] | None = None,
    numbers: dict[int, dict[str, str]] | None = None,
    **words: Words,
) -> ClusterChange:
    return ClusterChange(ids, frozenset(gone), parent or {}, first or {}, names or {}, numbers or {}, words)


def after(
    before: ClusterTable, what: ClusterChange, original: ClusterTable | None = None, **options: Any
) -> list[str]:
    return ["|".join(row) for row in rows_after(before, original, what, **{"complete": False, **options})]


def group(
    text: dict[int, str],
    decided: tuple[int, ...] = (),
    written: dict[int, str] | None = None,
    changed: tuple[int, ...] = (),
) -> Words:
    return Words(text, frozenset(decided), written or {}, frozenset(changed))


GROUPS = "cluster_id\tgroup\n0\tgood\n1\tmua\n5\tnoise\n"


# -- rows --------------------------------------------------------------------------------------------


def test_rows_of_clusters_that_are_gone_go_and_a_new_one_gets_that_of_its_parent(tmp_path: Path) -> None:
    one = table(tmp_path, GROUPS)
    assert after(one, change((1, 5, 7), gone=(0,), parent={7: 1})) == ["1|mua", "5|noise", "7|mua"]


def test_a_new_cluster_in_the_middle_has_its_place_where_rows_are_in_order(tmp_path: Path) -> None:
    one = table(tmp_path, GROUPS)
    assert after(one, change((0, 1, 3, 5), parent={3: 0})) == ["0|good", "1|mua", "3|good", "5|noise"]
    mixed = table(tmp_path, "cluster_id\tgroup\n5\tnoise\n0\tgood\n1\tmua\n")
    assert after(mixed, change((0, 1, 3, 5), parent={3: 0}))[-1] == "3|good"


def test_a_row_that_names_no_cluster_stays_and_keeps_the_order_of_all(tmp_path: Path) -> None:
    odd = table(tmp_path, "cluster_id\tgroup\n0\tgood\nx\ty\n5\tnoise\n")
    assert after(odd, change((0, 1, 5), parent={1: 0})) == ["0|good", "x|y", "5|noise", "1|good"]


def test_several_rows_of_a_parent_are_those_of_the_new_cluster(tmp_path: Path) -> None:
    twice = table(tmp_path, "cluster_id\tgroup\n0\tgood\n0\tmua\n")
    assert after(twice, change((7,), gone=(0,), parent={7: 0})) == ["7|good", "7|mua"]


def test_a_cluster_that_comes_back_gets_the_rows_that_it_had(tmp_path: Path) -> None:
    original = table(tmp_path, GROUPS, "cluster_group.csv")
    now = table(tmp_path, "cluster_id\tgroup\n1\tmua\n7\tmua\n")
    back = change((0, 1), gone=(7,), parent={0: 1})
    assert after(now, back, original) == ["0|good", "1|mua"]
    assert after(now, back) == ["0|mua", "1|mua"]  # without the original
    other = table(tmp_path, "cluster_id\tlabel\n0\tgood\n", "cluster_groups.tsv")
    assert after(now, back, other) == ["0|mua", "1|mua"]  # or with one of other columns


def test_a_cluster_whose_parent_is_gone_gets_the_row_of_the_one_that_was_reviewed(tmp_path: Path) -> None:
    original = table(tmp_path, GROUPS, "cluster_group.csv")
    now = table(tmp_path, "cluster_id\tgroup\n1\tmua\n")
    assert after(now, change((1, 9), parent={9: 8}, first={9: 5}), original) == ["1|mua", "9|noise"]
    assert after(now, change((1, 9), parent={9: 8}, first={9: 5})) == ["1|mua"]


def test_a_cluster_of_which_nothing_is_known_has_a_row_in_the_table_of_groups_only(tmp_path: Path) -> None:
    words = {"group": group({9: "good"})}
    one = table(tmp_path, GROUPS)
    assert after(one, change((0, 1, 5, 9), **words), complete=True)[-1] == "9|good"
    assert after(one, change((0, 1, 5, 9), **words))[-1] == "5|noise"
    other = table(tmp_path, "cluster_id\tKSLabel\n0\tgood\n", "cluster_KSLabel.tsv")
    assert after(other, change((0, 9), **words), complete=True) == ["0|good"]


def test_an_index_goes_on_and_a_name_is_above_all_others(tmp_path: Path) -> None:
    pandas = table(tmp_path, "\tcluster_id\tgroup\n0\t0\tgood\n4\t1\tmua\n")
    assert after(pandas, change((0, 1, 7, 8), parent={7: 0, 8: 1})) == [
        "0|0|good", "4|1|mua", "5|7|good", "6|8|mua",
    ]  # fmt: skip
    named = table(tmp_path, "cluster_id\tsi_unit_id\n0\t30\n1\t31\n", "cluster_si_unit_id.tsv")
    assert after(named, change((1, 7), gone=(0,), parent={7: 0}, names={7: 40})) == ["1|31", "7|40"]
    assert after(named, change((1, 7), gone=(0,), parent={7: 0}, names={7: 31})) == ["1|31", "7|32"]
    assert after(named, change((1, 7), gone=(0,), parent={7: 0}, names={7: "a"})) == ["1|31", "7|a"]
    assert after(named, change((1, 7), gone=(0,), parent={7: 0})) == ["1|31", "7|30"]


def test_a_name_is_above_those_of_clusters_that_are_gone_too(tmp_path: Path) -> None:
    named = table(tmp_path, "cluster_id\tsi_unit_id\n0\t30\n1\t5\n", "cluster_si_unit_id.tsv")
    assert after(named, change((1, 7), gone=(0,), parent={7: 1}, names={7: 30})) == ["1|5", "7|31"]


def test_a_short_row_of_a_parent_is_filled_up(tmp_path: Path) -> None:
    short = table(tmp_path, "cluster_id\tgroup\tnote\n0\tgood\n")
    assert after(short, change((0, 7), parent={7: 0})) == ["0|good", "7|good|"]


# -- words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "words", "complete", "expected"),
    [
        ("mua", group({0: "good"}, decided=(0,)), False, "good"),  # decided here
        ("mua", group({0: "good"}), False, "mua"),  # only known
        ("mua", group({0: "good"}), True, "mua"),  # what stands there stays
        ("", group({0: "good"}), True, "good"),  # it says nothing
        ("unsorted", group({0: "good"}), True, "good"),
        ("", group({0: "good"}), False, ""),
        ("", group({0: "good"}, changed=(0,)), True, ""),  # somebody took it away
        ("mua", group({0: "good"}, written={0: "mua"}), False, "good"),  # ours, and decided no more
        ("MUA", group({0: "good"}, written={0: "mua"}), False, "good"),
        ("noise", group({0: "good"}, written={0: "mua"}), False, "noise"),  # somebody changed it since
        ("good", group({0: "good"}, written={0: "good"}), False, "good"),
        ("Good", group({0: "good"}, decided=(0,)), False, "Good"),  # the same word stays as it is spelt
        ("", group({0: "unsorted"}, decided=(0,)), False, ""),  # both say nothing
        ("mua", group({0: "unsorted"}, decided=(0,)), False, "unsorted"),
        ("mua", group({3: "good"}, decided=(3,)), True, "mua"),  # of another cluster
    ],
)
def test_a_word_is_written_where_it_was_decided_or_nothing_stands_there(
    tmp_path: Path, now: str, words: Words, complete: bool, expected: str
) -> None:
    one = table(tmp_path, f"cluster_id\tgroup\n0\t{now}\n")
    assert after(one, change((0,), group=words), complete=complete) == [f"0|{expected}"]


def test_what_was_written_here_and_is_decided_no_more_is_again_what_it_was(tmp_path: Path) -> None:
    words = group({0: "good"}, written={0: "noise"})
    now = table(tmp_path, "cluster_id\tgroup\n0\tnoise\n")
    original = table(tmp_path, "cluster_id\tgroup\n0\tMUA\n", "cluster_group.csv")
    assert after(now, change((0,), group=words), original) == ["0|MUA"]
    unsorted = table(tmp_path, "cluster_id\tgroup\n0\tunsorted\n", "cluster_group.csv")
    assert after(now, change((0,), group=words), unsorted) == ["0|good"]


def test_a_new_cluster_has_its_own_word_where_it_has_one(tmp_path: Path) -> None:
    one = table(tmp_path, GROUPS)
    new = {"parent": {7: 0}, "gone": (0,)}
    assert after(one, change((1, 5, 7), group=group({7: "noise"}), **new))[-1] == "7|noise"  # type: ignore[arg-type]
    assert after(one, change((1, 5, 7), group=group({7: ""}), **new))[-1] == "7|good"  # type: ignore[arg-type]


def test_the_table_of_all_numbers_says_nothing_of_unsorted_clusters(tmp_path: Path) -> None:
    info = table(tmp_path, "cluster_id\tgroup\tfr\n0\tgood\t1\n", "cluster_info.tsv")
    words = group({0: "unsorted"}, decided=(0,))
    assert after(info, change((0,), group=words)) == ["0||1"]


def test_a_row_too_short_for_a_word_is_filled_up(tmp_path: Path) -> None:
    short = table(tmp_path, "cluster_id\ta\tnote\n0\tx\n")
    assert after(short, change((0,), note=group({0: "hm"}, decided=(0,)))) == ["0|x|hm"]


def test_words_of_a_column_that_a_table_lacks_are_left_out(tmp_path: Path) -> None:
    assert after(table(tmp_path, GROUPS), change((0, 1, 5), note=group({0: "hm"}, decided=(0,)))) == [
        "0|good", "1|mua", "5|noise",
    ]  # fmt: skip


def test_the_column_of_labels_has_other_names_in_tables_of_groups_only(tmp_path: Path) -> None:
    assert column_of_words(table(tmp_path, "cluster_id\tKSLabel\n0\tgood\n"), "group") == 1
    assert (
        column_of_words(table(tmp_path, "cluster_id\tKSLabel\n0\tgood\n", "cluster_info.tsv"), "group")
        is None
    )
    assert column_of_words(table(tmp_path, "cluster_id\tgroup\tnote\n0\ta\tb\n"), "note") == 2


# -- numbers -----------------------------------------------------------------------------------------


def test_numbers_are_put_into_the_table_of_all_numbers_and_no_other(tmp_path: Path) -> None:
    text = "cluster_id\tfr\tn_spikes\n0\t1\t10\n1\t2\n"
    numbers = {0: {"fr": "9", "n_spikes": "90", "depth": "5"}, 1: {"n_spikes": "7"}, -1: {"fr": "8"}}
    info = table(tmp_path, text + "x\t3\t30\n", "cluster_info.tsv")
    assert after(info, change((0, 1), numbers=numbers)) == ["0|9|90", "1|2", "x|8|30"]
    other = table(tmp_path, text, "cluster_other.tsv")
    assert after(other, change((0, 1), numbers=numbers)) == ["0|1|10", "1|2"]


def test_a_new_table_has_every_cluster() -> None:
    what = change((0, 3, 12), note=group({3: "an axon", 99: "gone"}))
    assert new_table("note", what).decode().splitlines() == ["cluster_id\tnote", "0\t", "3\tan axon", "12\t"]
