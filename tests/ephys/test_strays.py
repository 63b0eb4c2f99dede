"""Spikes that no sample of the recording holds are set aside, counted and said; many of them are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.given_folder import open_reviewed
from ncpgui.ephys.readers import open_sorting
from ncpgui.ephys.strays import set_aside
from tests.reviewed_folder import digest_now

N_SAMPLES = 20_000
PLACE = Path("folder")


def phy(folder: Path, times: np.ndarray, clusters: np.ndarray | None = None) -> Path:
    """A Phy folder of one channel and a second."""
    folder.mkdir(parents=True, exist_ok=True)
    np.arange(N_SAMPLES, dtype="<i2").tofile(folder / "r.dat")
    (folder / "params.py").write_text(
        "dat_path = 'r.dat'\nn_channels_dat = 1\ndtype = 'int16'\noffset = 0\nsample_rate = 20000.\n"
    )
    np.save(folder / "spike_times.npy", times)
    np.save(folder / "spike_clusters.npy", np.arange(len(times)) % 3 if clusters is None else clusters)
    np.save(folder / "channel_map.npy", np.array([0]))
    np.save(folder / "channel_positions.npy", np.zeros((1, 2)))
    return folder


def test_times_before_0_and_past_the_end_are_set_aside_and_their_places_kept(tmp_path: Path) -> None:
    times = np.array([-10, 30, -1, 10, 20_000, 19_999, 0, 500, 600, 700, 800, 900])
    _, opened = open_reviewed(phy(tmp_path / "ks", times))
    assert opened.sorting.sample_index.tolist() == [0, 10, 30, 500, 600, 700, 800, 900, 19_999]
    assert opened.given.rows.tolist() == [6, 3, 1, 7, 8, 9, 10, 11, 5]
    assert opened.sorting.unit_id.tolist() == [0, 0, 1, 1, 2, 0, 1, 2, 2]
    assert opened.notes[-1] == (
        "3 of 12 spikes lie outside the recording of 20000 samples (2 before its first sample, 1 past its "
        "last sample; one is at sample -10): they are set aside, and a write-back keeps them"
    )
    assert digest_now(opened.given) == opened.given.digest


@pytest.mark.parametrize("kind", ["<u8", ">u8"])
def test_times_that_were_wrapped_by_an_unsigned_type_are_strays(tmp_path: Path, kind: str) -> None:
    times = np.array([-10, 5, 9, 12, 40]).astype(np.int64).view(np.uint64).astype(kind)
    assert open_sorting(phy(tmp_path / "ks", times)).sample_index.tolist() == [5, 9, 12, 40]


@pytest.mark.parametrize("far", [1e300, float(2**62), 2.0**63])
def test_times_past_any_end_are_strays(tmp_path: Path, far: float) -> None:
    folder = phy(tmp_path / "ks", np.array([5.0, 9, 12, 40, far]))
    assert open_sorting(folder).sample_index.tolist() == [5, 9, 12, 40]


@pytest.mark.parametrize(
    ("n_out", "n_in", "few"),
    [(1, 3, True), (1, 2, False), (10, 30, True), (11, 500, False), (11, 1089, True), (0, 0, True)],
)
def test_few_are_up_to_ten_or_one_percent_and_never_more_than_a_quarter(
    n_out: int, n_in: int, few: bool
) -> None:
    times = np.r_[np.arange(n_in), np.full(n_out, 99_999)].astype(np.int64)
    if few:
        rows, note = set_aside(times, 5000, PLACE)
        assert rows.tolist() == list(range(n_in))
        assert bool(note) == bool(n_out)
        return
    with pytest.raises(RecordingError, match=rf"folder: {n_out} of {n_out + n_in} spikes are outside.*dtype"):
        set_aside(times, 5000, PLACE)


def test_open_sorting_tells_of_strays_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = phy(tmp_path / "ks", np.array([-2, 9, 12, 40]))
    assert len(open_sorting(folder, n_samples=N_SAMPLES)) == 3
    assert "1 of 4 spikes lie outside" in caplog.text


@pytest.mark.filterwarnings("ignore")
def test_strays_of_a_spikeinterface_sorting_are_set_aside_and_do_not_make_it_another(tmp_path: Path) -> None:
    from spikeinterface.core import NumpySorting

    times = np.array([5, 10, 15, 900, N_SAMPLES + 7])
    NumpySorting.from_samples_and_labels([times], [np.array([3, 4, 3, 4, 3])], 20_000.0).save(
        folder=tmp_path / "si"
    )
    raw = phy(tmp_path / "ks", times[:4]) / "r.dat"
    options = {"sampling_frequency": 20_000.0, "n_channels": 1}
    _, opened = open_reviewed(tmp_path / "si", recording=raw, **options)
    assert opened.sorting.sample_index.tolist() == [5, 10, 15, 900]
    assert opened.given.rows.tolist() == [0, 1, 2, 3]
    assert "1 past its last sample" in opened.notes[0]
    assert digest_now(opened.given) == opened.given.digest
