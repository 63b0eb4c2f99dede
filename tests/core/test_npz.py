"""Files of arrays from anywhere: what their headers announce is checked before anything is allocated."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core import numpy_files
from ncpgui.core.errors import InputError
from ncpgui.core.numpy_files import read_npz


def header(shape: tuple[int, ...], dtype: str = "<f4") -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spikes.npz"


@pytest.fixture
def refused(path: Path, monkeypatch: pytest.MonkeyPatch):
    """Say why a file is refused, without an array of it being read."""

    def reason() -> str:
        monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("an array was read"))
        with pytest.raises(InputError) as caught:
            read_npz(path)
        assert str(path) in str(caught.value)
        return str(caught.value)

    return reason


def write(path: Path, member: bytes, name: str = "waveforms.npy") -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, member)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_any_shape_come_back(save, path: Path) -> None:
    arrays = {
        "waveforms": np.zeros((300, 32, 7), np.float32),  # a thousandth when compressed
        "clamped": np.zeros(0, np.int64),
        "sampling_frequency": np.array(20_000.0),
        "turned": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "note": np.array("tetrode 3"),
    }
    save(path, **arrays)
    found = read_npz(path)
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


def test_a_header_that_announces_more_than_the_file_holds_is_refused(path: Path, refused) -> None:
    write(path, header((10**12, 32, 7)) + bytes(100))
    assert "'waveforms' announces 896000000000128 bytes, but the file holds 228 at most" in refused()


def test_a_size_that_no_deflated_file_of_its_length_can_have_is_refused(path: Path, refused) -> None:
    """The directory of the archive agrees with the header, and both are wrong."""
    write(path, header((10**7, 10, 7)))
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, entry + 24, 10**7 * 70 * 4 + 128)
    path.write_bytes(data)
    assert "announces 2800000128 bytes, but the file holds" in refused()


def test_more_than_the_stated_limit_is_refused(path: Path, refused, monkeypatch) -> None:
    np.savez(path, waveforms=np.zeros(900), more=np.zeros(900))
    monkeypatch.setattr(numpy_files, "MOST_BYTES", 2**13)
    assert "its arrays need more than 0 GiB, the most that is read" in refused()


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        (header((2,), "|O") + bytes(16), "holds pickled objects ('waveforms')"),
        (header((-2, -8)) + bytes(64), "has the shape (-2, -8)"),
        (header((4,))[:40], "damaged or not an .npz file"),
        (b"hello", "'waveforms' is not an array"),
        (b"\x93NUMPY\x09\x00" + bytes(60), "unknown version (9, 0)"),
    ],
)
def test_members_that_are_no_plain_arrays_are_refused(
    path: Path, refused, member: bytes, reason: str
) -> None:
    write(path, member)
    assert reason in refused()


def test_a_file_that_ends_early_is_refused(path: Path, refused) -> None:
    np.savez(path, waveforms=np.zeros(1000))
    path.write_bytes(path.read_bytes()[:4000])
    assert "damaged or not an .npz file" in refused()
