"""Spikes of a Phy folder that the recording does not have stay in the folder, with their cluster."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.ephys.strays import with_strays
from ncpgui.export.into_phy import write_into_phy
from tests.reviewed_folder import N_SAMPLES, cells, clusters_of, decided, reviewed, write_folder


def test_a_stray_goes_where_most_of_its_cluster_went() -> None:
    reviewed = np.array([3, 3, 3, 5, 5, 9, 3, 8])  # the last two, and the first, are strays
    rows = np.array([1, 2, 3, 4, 5])
    units = np.array([10, 10, 10, 5, 9])  # 3 and one of 5 were merged, the other of 5 stayed
    assert with_strays(reviewed, rows, units).tolist() == [10, 10, 10, 10, 5, 9, 10, 8]


def test_without_strays_every_spike_has_its_unit_at_its_place() -> None:
    clusters = with_strays(np.array([1, 1, 2]), np.array([2, 0, 1]), np.array([7, 8, 9]))
    assert clusters.tolist() == [8, 9, 7]


@pytest.mark.parametrize("table", ["cluster_group.tsv", "cluster_KSLabel.tsv"])
@pytest.mark.parametrize("label", ["good", "noise", "sua"])
def test_a_cluster_of_strays_alone_keeps_its_label_in_every_write_back(
    tmp_path: Path, table: str, label: str
) -> None:
    """Nobody reviewed it, so nobody decided anything of it: the second write-back made it unsorted."""
    times = [*(100 * (1 + np.arange(9))).tolist(), N_SAMPLES + 50]
    folder = write_folder(tmp_path / "f", [0, 1, 2, 0, 1, 2, 0, 1, 2, 7], times=times)
    column = "group" if "group" in table else "KSLabel"
    (folder / table).write_text(f"cluster_id\t{column}\n0\tmua\n7\t{label}\n")
    project = reviewed(folder)
    assert project.given is not None
    assert 7 not in project.unit_of_spike
    for decision in ({1: "good"}, {1: "noise"}, {}, {2: "good"}):
        write_into_phy(project, project.given, decided(project, labels=decision))
        assert clusters_of(folder)[-1] == 7
        assert cells(folder / "cluster_group.tsv", "group")[7] == label
        assert cells(folder / table, column)[7] == label
