"""How far apart merged units are: known distances, known merges."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks.clustering.clustering_sets import Kind, SpikeSet
from benchmarks.clustering.failures import Sorted, pairs_of, rows_of


def test_pairs_are_as_far_apart_as_they_were_made_and_merged_where_most_spikes_meet() -> None:
    """Units along one sample at 0, 5 and 12 noise sd; the first two are found as one, but for some spikes."""
    rng = np.random.default_rng(0)
    truth = np.arange(1500) % 3
    waveforms = rng.standard_normal((1500, 8, 1))
    waveforms[:, 3, 0] += np.array([0.0, 5.0, 12.0])[truth]
    found = np.where(truth == 2, 1, 0)
    found[:60] = 1
    one = SpikeSet(waveforms.astype(np.float32), np.zeros((1, 2)), truth)
    pairs = pairs_of(Sorted(Kind("ours", "single"), one, found, 0.5, 1.0))
    assert [pair.distance for pair in pairs] == pytest.approx([5, 12, 7], rel=0.05)
    assert [pair.merged for pair in pairs] == [True, False, False]
    assert [pair.n_spikes for pair in pairs] == [500] * 3
    rows = {row["distance"]: row for row in rows_of(pairs)}
    assert rows["6-8"]["all: merged %"] == 0
    assert (rows["0-3"]["all: pairs"], rows["0-3"]["all: merged %"]) == (0, "")
    assert sum(row["50 and more: pairs"] for row in rows.values()) == 3
