"""An HDF5 file on a disk that fills: one error, and a program that goes on and ends well."""

from __future__ import annotations

import os
from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.session.hdf5_file import written_hdf5
from tests.forked import run_forked

PROGRAM = """
import gc, resource, sys
from pathlib import Path
import numpy as np
from ncpgui.session.hdf5_file import written_hdf5

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
values = np.random.default_rng(0).normal(size=(100, 1000))
try:
    with written_hdf5(Path(sys.argv[1])) as file:
        for number, row in enumerate(values):
            group = file.create_group(str(number))
            group.attrs["number"] = number
            group.create_dataset("row", data=row, compression="gzip")
        for number, row in enumerate(values):  # what was not written can be read back all the same
            assert file[str(number)].attrs["number"] == number
            assert np.array_equal(file[str(number)]["row"], row)
except OSError as error:
    print(error.strerror)
gc.collect()
"""


def test_what_is_written_is_an_hdf5_file_like_any_other(tmp_path: Path) -> None:
    path, values = tmp_path / "a.h5", np.arange(50_000).reshape(100, 500)
    path.write_bytes(bytes(10**6))  # what was there goes
    with written_hdf5(path) as file:
        file.attrs["name"] = "é"
        for number, row in enumerate(values):
            file.create_dataset(f"rows/{number}", data=row, compression="gzip")
        del file["rows/3"]
    assert path.stat().st_size < 10**6
    with h5py.File(path, "r") as file:
        assert file.attrs["name"] == "é"
        assert len(file["rows"]) == 99
        for number in (0, 2, 4, 99):
            np.testing.assert_array_equal(file[f"rows/{number}"], values[number])


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems limit the size of a file")
@pytest.mark.parametrize("limit", [1, 512, 5_000, 100_000, 700_000])
def test_a_disk_that_fills_is_one_error_and_the_program_ends_well(tmp_path: Path, limit: int) -> None:
    done = run_forked(PROGRAM, tmp_path / "a.h5", limit, needs="session")
    assert (done.returncode, done.stdout, done.stderr) == (0, "File too large\n", "")


def test_an_error_of_the_writer_closes_the_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), written_hdf5(tmp_path / "a.h5") as file:
        raise ZeroDivisionError
    assert not file
