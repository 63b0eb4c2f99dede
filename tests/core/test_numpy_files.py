"""Headers of arrays from anywhere: NumPy reads them as Python, and raises whatever Python raises."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.numpy_files import read_npy

LEFT_OPEN = "{'descr': '<i8', 'fortran_order': False, 'shape': (4,"


def written(path: Path, header: str, n_bytes: int = 32) -> Path:
    """An .npy file with any text as its header."""
    text = header.encode("latin1").ljust(117) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(n_bytes))
    return path


def header(shape: str, descr: str = "'<i8'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


def test_an_array_comes_back(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(read_npy(tmp_path / "a.npy"), [[0, 1, 2], [3, 4, 5]])


def test_an_array_may_be_mapped_and_cannot_be_written_then(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(6))
    values = read_npy(tmp_path / "a.npy", mapped=True)
    assert isinstance(values, np.memmap)
    assert not values.flags.writeable
    assert values.tolist() == list(range(6))


@pytest.mark.parametrize("mapped", [False, True])
def test_an_archive_is_no_array(tmp_path: Path, mapped: bool) -> None:
    """NumPy opens it as an archive of arrays, which has none of their methods."""
    np.savez(tmp_path / "a.npz", a=np.arange(3))
    with pytest.raises(ValueError, match="it does not begin like an array of NumPy"):
        read_npy((tmp_path / "a.npz").rename(tmp_path / "a.npy"), mapped=mapped)


def test_an_array_that_python_2_wrote_comes_back_without_a_warning(tmp_path: Path) -> None:
    assert read_npy(written(tmp_path / "a.npy", header("(4L,)"))).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LEFT_OPEN, "header cannot be used"),  # tokenize.TokenError of Python
        (header("(4,)", "',i8'"), "header cannot be used"),  # SyntaxError
        ("{[]: 1}", "header cannot be used"),  # TypeError
        (header(f"({10**30},)"), "header announces"),  # OverflowError when it was allocated
        (header(f"({10**15},)"), "announces 8000000000000128 bytes, the file holds 160"),  # MemoryError
        (header("(-4,)"), r"the shape \(-4,\)"),
        (header("(True,)"), r"the shape \(True,\)"),
        (header("(4,)", "'|O'"), "pickled objects"),
        ("(" * 100, "header cannot be used"),
    ],
)
def test_a_header_that_is_none_is_a_value_error(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_npy(written(tmp_path / "a.npy", text))
