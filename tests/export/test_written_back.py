"""What is said of decisions that were written back."""

from __future__ import annotations

from pathlib import Path

from ncpgui.core.errors import RecordingError
from ncpgui.export.written_back import WrittenBack, changed, unreadable

FOLDER = Path("phy")


def test_the_files_the_spikes_that_moved_and_the_backup_are_named() -> None:
    done = WrittenBack(FOLDER, ("spike_clusters.npy", "cluster_group.tsv"), 12, FOLDER / "before-ncpgui-1")
    assert done.words == (
        "wrote spike_clusters.npy, cluster_group.tsv in phy: 12 spikes are in another unit; "
        "what was there is kept in phy/before-ncpgui-1"
    )


def test_what_a_person_may_not_expect_comes_last() -> None:
    done = WrittenBack(FOLDER, ("curation.json",), 0, None, "unit 7 is 9")
    assert done.words == "wrote curation.json in phy: 0 spikes are in another unit; unit 7 is 9"


def test_where_nothing_was_decided_nothing_is_said_to_be_written() -> None:
    done = WrittenBack(FOLDER, (), 0, None, "a note")
    assert done.words == "nothing was decided that phy does not have; its files are as they were"


def test_a_folder_that_changed_says_what_differs_and_three_ways_on() -> None:
    words = str(changed(FOLDER, "spikes or clusters"))
    assert words.startswith(
        "phy changed since it was reviewed (its spikes or clusters differ); put the files"
    )
    assert words.endswith("review it again, or use 'ncpgui export'")


def test_a_folder_that_cannot_be_read_says_why_and_the_other_way() -> None:
    words = str(unreadable(RecordingError("phy/spike_times.npy is cut short")))
    assert "phy/spike_times.npy is cut short" in words
    assert "'ncpgui export'" in words
