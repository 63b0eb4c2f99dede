"""Spikes of a Phy folder that the recording does not have stay in the folder, with their cluster."""

from __future__ import annotations

import numpy as np

from ncpgui.ephys.strays import with_strays


def test_a_stray_goes_where_most_of_its_cluster_went() -> None:
    reviewed = np.array([3, 3, 3, 5, 5, 9, 3, 8])  # the last two, and the first, are strays
    rows = np.array([1, 2, 3, 4, 5])
    units = np.array([10, 10, 10, 5, 9])  # 3 and one of 5 were merged, the other of 5 stayed
    assert with_strays(reviewed, rows, units).tolist() == [10, 10, 10, 10, 5, 9, 10, 8]


def test_without_strays_every_spike_has_its_unit_at_its_place() -> None:
    clusters = with_strays(np.array([1, 1, 2]), np.array([2, 0, 1]), np.array([7, 8, 9]))
    assert clusters.tolist() == [8, 9, 7]
