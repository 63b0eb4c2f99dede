"""A sorting whose recording is not at hand: rate, length and contacts are what its own files say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import MissingRecordingError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.ephys.without_traces import RATE_IS_TAKEN, without_traces
from tests.reviewed_folder import write_folder

GONE = "opened without raw data: it is gone"


@pytest.fixture
def phy(tmp_path: Path) -> Path:
    """Spikes up to sample 300 at 20 kHz, on three contacts."""
    folder = write_folder(tmp_path / "phy", [0, 1, 0])
    np.save(folder / "channel_positions.npy", np.array([[0.0, 0], [0, 20], [0, 40]]))
    return folder


def test_a_folder_of_phy_says_rate_length_and_contacts(phy: Path) -> None:
    found = without_traces(phy, "it is gone")
    assert (found.sampling_frequency_hz, found.n_samples, found.n_channels) == (20_000.0, 301, 3)
    assert found.probe.positions_um[:, 1].tolist() == [0, 20, 40]
    assert found.notes == (GONE,)
    assert found.reference.path == ""
    for look in (lambda: found.traces(0, 10), found.extractor):
        with pytest.raises(MissingRecordingError, match="opened without its raw data; to see traces"):
            look()


def test_a_rate_that_is_given_goes_before_the_one_of_the_folder(phy: Path) -> None:
    found = without_traces(phy, "it is gone", sampling_frequency=25_000.0)
    assert (found.sampling_frequency_hz, found.notes) == (25_000.0, (GONE,))


def test_where_nothing_says_a_rate_the_usual_one_is_taken_and_that_is_said(phy: Path) -> None:
    (phy / "params.py").unlink()
    found = without_traces(phy, "it is gone")
    assert (found.sampling_frequency_hz, found.notes) == (30_000.0, (GONE, RATE_IS_TAKEN))
    assert without_traces(phy, "it is gone", sampling_frequency=10_000.0).notes == (GONE,)


def test_a_rate_that_the_folder_says_in_words_of_a_program_is_not_guessed(phy: Path) -> None:
    (phy / "params.py").write_text("sample_rate = 2 * 10000.0\n")
    with pytest.raises(RecordingError, match=r"line 1, 'sample_rate = 2 \* 10000\.0', is not a plain value"):
        without_traces(phy, "it is gone")
    given = without_traces(phy, "it is gone", sampling_frequency=10_000.0)
    assert given.sampling_frequency_hz == 10_000


def test_a_single_number_for_the_places_of_contacts_is_refused(phy: Path) -> None:
    np.save(phy / "channel_positions.npy", np.array(1.0))
    with pytest.raises(RecordingError, match=r"channel_positions\.npy must have places .* --probe"):
        without_traces(phy, "it is gone")


def test_contacts_are_those_that_were_sorted_or_those_that_are_given(phy: Path) -> None:
    two = Probe(np.array([[0.0, 0.0], [0.0, 9.0]]))
    assert without_traces(phy, "it is gone", probe=two).n_channels == 2
    (phy / "channel_positions.npy").unlink()
    with pytest.raises(RecordingError, match=r"has no channel_positions\.npy, .*; add --probe"):
        without_traces(phy, "it is gone")
    assert without_traces(phy, "it is gone", probe=two).probe.positions_um[1].tolist() == [0, 9]


@pytest.mark.filterwarnings("ignore:The extractor is not serializable")
def test_a_sorting_of_spikeinterface_has_a_rate_and_no_contacts(tmp_path: Path) -> None:
    """Its last spike is at sample 1800 of 20 kHz: at 10 kHz that is half a sample past 900."""
    from spikeinterface.core import NumpySorting

    folder = tmp_path / "sorting"
    NumpySorting.from_unit_dict([{"a": np.array([5, 1800])}], 20_000.0).save(folder=folder)
    found = without_traces(folder, "it is gone")
    assert (found.sampling_frequency_hz, found.n_samples, found.n_channels) == (20_000.0, 1801, 1)
    nowhere = "nothing says where the contacts are; all units are shown at one (--probe)"
    assert found.notes == (GONE, nowhere)
    slower = without_traces(folder, "it is gone", sampling_frequency=10_000.0)
    assert (slower.sampling_frequency_hz, slower.n_samples) == (10_000.0, 901)
    placed = without_traces(folder, "it is gone", probe=Probe(np.array([[0.0, 0.0], [0.0, 9.0]])))
    assert (placed.n_channels, placed.notes) == (2, (GONE,))
