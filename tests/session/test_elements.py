"""What is read and written sooner than by h5py is what h5py reads and writes."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.session.elements import opened_element, values_of, write_group, write_numbers

ARRAYS = {
    "bytes": np.array([0, 255], np.uint8),
    "big-endian": np.array([[1, -2], [3, 4]], ">i2"),
    "half floats": np.array([1.5, np.inf], np.float16),
    "floats": np.array([[[0.1], [np.nan]]], np.float64),
    "booleans": np.array([True, False]),
    "one number": np.array(7, np.int64),
    "no numbers": np.zeros((0, 3), np.float32),
    "a transposed view": np.arange(6).reshape(2, 3).T,
    "every other one": np.arange(8)[::2],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_that_is_written_is_read_by_h5py_and_the_other_way_round(tmp_path: Path, name: str) -> None:
    values = ARRAYS[name]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        group = write_group(file, "group")
        write_numbers(group, "ours", values)
        group.create_dataset("theirs", data=values)
    with h5py.File(tmp_path / "a.h5", "r") as file:
        group = opened_element(file, "group")
        for read in (group["ours"][()], values_of(opened_element(group, "theirs"))):
            assert np.asarray(read).dtype == values.dtype
            np.testing.assert_array_equal(read, values)
        ours, theirs = group["ours"], group["theirs"]
        assert ours.id.get_create_plist().equal(theirs.id.get_create_plist())
        assert ours.id.get_type() == theirs.id.get_type()
        assert (ours.chunks, ours.maxshape) == (theirs.chunks, theirs.maxshape)


def test_what_holds_no_numbers_is_read_as_h5py_does(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["text"] = "ä"
        file["nothing"] = h5py.Empty("f4")
        file["pairs"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])
    with h5py.File(tmp_path / "a.h5", "r") as file:
        assert values_of(opened_element(file, "text")) == "ä".encode()
        assert values_of(opened_element(file, "nothing")) == h5py.Empty("f4")
        assert values_of(opened_element(file, "pairs")).tolist() == [(1, 2.0)]
        with pytest.raises(KeyError):
            opened_element(file, "missing")
