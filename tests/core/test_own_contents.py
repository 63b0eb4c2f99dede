"""What is looked at in an HDF5 file before it is read, where the file is damaged."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.core.own_contents import not_its_own


def test_a_damaged_object_raises_what_hdf5_says_of_it(tmp_path: Path) -> None:
    """The layout of the values is of class 1, contiguous; there is no class 9."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["values"] = np.arange(8)
    content = bytearray(path.read_bytes())
    layout = bytes([3, 1]) + np.uint64(h5py.File(path)["values"].id.get_offset()).tobytes()
    content[content.index(layout) + 1] = 9
    path.write_bytes(content)
    with h5py.File(path, locking=False) as file, pytest.raises(KeyError, match="layout class"):
        not_its_own(file)
