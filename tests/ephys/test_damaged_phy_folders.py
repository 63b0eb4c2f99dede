"""Files of a Phy folder that no sorter wrote: each is named in one sentence."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import RecordingError
from ncpgui.ephys.phy_folder import read_phy_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three spikes of two clusters."""
    np.save(tmp_path / "spike_times.npy", np.array([5, 9, 12], np.uint64))
    np.save(tmp_path / "spike_clusters.npy", np.array([0, 1, 0], np.int32))
    return tmp_path


def test_spike_times_that_announce_more_than_there_is_memory_are_refused(folder: Path) -> None:
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({10**15},), }}".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(24)
    (folder / "spike_times.npy").write_bytes(data)
    with pytest.raises(
        RecordingError, match=r"spike_times.npy cannot be read as an array: its header announces"
    ):
        read_phy_folder(folder)


def test_a_table_with_a_cell_longer_than_any_is_refused(folder: Path) -> None:
    (folder / "cluster_group.tsv").write_text("cluster_id\tgroup\n0\t" + "x" * 200_000)
    with pytest.raises(RecordingError, match=r"cluster_group.tsv is not a table of clusters: field larger"):
        read_phy_folder(folder)
