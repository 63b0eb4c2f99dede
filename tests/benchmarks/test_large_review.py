"""Sortings with the errors of sorters: every true spike is there, cut, merged, or beside noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.speed.large_review import NOISE_HZ, Errors, with_errors, write_folder
from ncpgui.ephys.phy_folder import read_phy_folder

N_UNITS, N_SPIKES, SECONDS = 40, 4000, 10


@pytest.fixture(scope="module")
def found() -> Errors:
    """Forty units of a hundred spikes; the templates of units 2k and 2k + 1 are nearly the same."""
    rng = np.random.default_rng(0)
    times = np.sort(rng.choice(SECONDS * 30_000, N_SPIKES, replace=False)).astype(np.int64)
    pairs = rng.standard_normal((N_UNITS // 2, 20, 4)) * 10
    templates = np.repeat(pairs, 2, axis=0) + 0.01 * rng.standard_normal((N_UNITS, 20, 4))
    unit = rng.permutation(np.arange(N_SPIKES) % N_UNITS).astype(np.int64)
    return with_errors(
        times, unit, templates, n_samples=SECONDS * 30_000, sampling_frequency_hz=30_000.0, seed=1
    )


def test_a_tenth_is_cut_some_are_merged_and_noise_comes_to_them(found: Errors) -> None:
    n_noise = round(NOISE_HZ * SECONDS) * found.n_noise
    assert (found.n_cut, found.n_noise) == (4, 2)
    assert 2 <= found.n_merged <= 4
    assert len(found.unit) == N_SPIKES + n_noise
    assert (np.diff(found.sample_index) >= 0).all()
    sizes = np.bincount(found.unit)
    assert (sizes == 0).sum() == found.n_merged  # one of two has no spike left
    assert (sizes == 200).sum() == found.n_merged
    halves = sizes[N_UNITS : N_UNITS + found.n_cut]
    assert ((halves > 25) & (halves < 75)).all()
    assert sizes[-found.n_noise :].tolist() == [round(NOISE_HZ * SECONDS)] * found.n_noise


def test_the_folder_is_one_that_is_reviewed(found: Errors, tmp_path: Path) -> None:
    write_folder(found, tmp_path / "kilosort", 30_000.0)
    folder = read_phy_folder(tmp_path / "kilosort")
    np.testing.assert_array_equal(folder.times, found.sample_index)
    np.testing.assert_array_equal(folder.clusters, found.unit)
    assert folder.parameters["sample_rate"] == 30_000
