"""What is looked at in an HDF5 file before it is read, where the file is damaged."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.core.own_contents import OF_RECORDINGS, READ_WHOLE, Sizes, not_its_own


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


def said_of(path: Path, sizes: Sizes, *n_bytes: int, n_stored: int = 0) -> str:
    """What is said of data sets of so many bytes each, of which so many hundreds are stored."""
    with h5py.File(path, "w") as file:
        for number, n in enumerate(n_bytes):
            data = file.create_dataset(f"values{number}", (n,), np.uint8, chunks=(100,))
            data[: 100 * n_stored] = 1
    with h5py.File(path) as file:
        return not_its_own(file, sizes)


@pytest.mark.parametrize(("sizes", "largest"), [(OF_RECORDINGS, 2**30), (READ_WHOLE, 2**20)])
def test_up_to_a_size_an_array_may_be_announced_without_a_value(
    tmp_path: Path, sizes: Sizes, largest: int
) -> None:
    assert said_of(tmp_path / "a.h5", sizes, largest) == ""
    assert said_of(tmp_path / "b.h5", sizes, largest + 1).startswith(
        f"/values0 announces {largest + 1} bytes, of which 0 are stored"
    )


@pytest.mark.parametrize(("expands", "n_stored"), [(OF_RECORDINGS.expands, 2), (READ_WHOLE.expands, 3)])
def test_a_stored_byte_stands_for_so_many_at_most(tmp_path: Path, expands: int, n_stored: int) -> None:
    most, sizes = 100 * n_stored * expands, Sizes(1000, expands, None)
    assert said_of(tmp_path / "a.h5", sizes, most, n_stored=n_stored) == ""
    assert "are stored" in said_of(tmp_path / "b.h5", sizes, most + 1, n_stored=n_stored)


def test_all_arrays_together_announce_no_more_than_is_read(tmp_path: Path) -> None:
    sizes = Sizes(2**40, 1, 2 * 2**30)
    assert said_of(tmp_path / "a.h5", sizes, 2**30, 2**30) == ""
    assert said_of(tmp_path / "b.h5", sizes, 2**30, 2**30 + 1) == (
        "its arrays announce more than 2 GiB, the most that is read"
    )
    assert (OF_RECORDINGS.expands, READ_WHOLE.expands, READ_WHOLE.in_all) == (10_000, 1032, 16 * 2**30)
