"""Values of HDF5 files that are kept in other files: every reader of ours refuses them, and reads none."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import strategies as st

from ncpgui.core.errors import NcpguiError
from ncpgui.ephys.given_folder import open_reviewed
from ncpgui.ephys.readers import open_recording
from ncpgui.session import store
from tests.ephys.recorded_files import mcs
from tests.ephys.test_hdf5_formats import maxone
from tests.ephys.test_nwb_units import TRAINS, nwb
from tests.fuzz.foreign_files import SECRET, outside_of, put_elsewhere
from tests.fuzz.harmless import harmless
from tests.fuzz.many import cases, try_many
from tests.fuzz.test_foreign_files import pytestmark as pytestmark
from tests.fuzz.test_foreign_files import recording
from tests.fuzz.test_sessions import WAYS, whole
from tests.tiny_project import tiny_project


@cases
def test_a_session_whose_elements_are_kept_elsewhere(n: int, tmp_path: Path) -> None:
    store.save(tiny_project(WAYS, masses={0: [0.7, 0.3], 1: [1.0]}), tmp_path / "right.h5")

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        path = case / "s.h5"
        shutil.copy(tmp_path / "right.h5", path)
        is_elsewhere = put_elsewhere(data, path, outside)
        with harmless(case):
            whole(path)
        if is_elsewhere:
            with pytest.raises(NcpguiError, match=r"s.h5 cannot be used: .*(other|another) file|announce"):
                whole(path)

    try_many(n, tmp_path, check)


KINDS: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any], Callable[[Path], Any]]] = {
    "a.raw.h5": (maxone, recording, open_recording),
    "mcs.h5": (mcs, lambda path: recording(path, stream="Stream_0", probe="linear-3"), open_recording),
    "series.nwb": (nwb, recording, open_recording),
    "units.nwb": (lambda path: nwb(path, TRAINS), open_reviewed, open_reviewed),
}
"""How each is made, read whole, and opened."""


@cases
@pytest.mark.parametrize("name", KINDS)
def test_a_recording_or_sorting_in_hdf5_whose_values_are_kept_elsewhere(
    n: int, name: str, tmp_path: Path
) -> None:
    make, read, open_ = KINDS[name]
    make(tmp_path / name)
    read(tmp_path / name)

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        path = case / name
        shutil.copy(tmp_path / name, path)
        is_elsewhere = put_elsewhere(data, path, outside)
        with harmless(case):
            read(path)
        if is_elsewhere:
            with pytest.raises(NcpguiError, match="is refused: "):
                open_(path)

    try_many(n, tmp_path, check)


def test_the_secret_is_what_the_library_would_show(tmp_path: Path) -> None:
    """Otherwise the tests above would pass for another reason."""
    outside = outside_of(tmp_path)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", (len(SECRET),), "u1", external=[(str(outside / "secret"), 0, len(SECRET))])
    with h5py.File(tmp_path / "a.h5") as file:
        assert np.asarray(file["x"]).tobytes().decode() == SECRET
