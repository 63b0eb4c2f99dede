"""Links, pipes, archives, pickles, values of other files, foreign encodings: readers are harmless.

Each is tried on some files by `make test`, and on a thousand by the slow tests.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncpgui.core.errors import NcpguiError
from ncpgui.ephys.phy_folder import read_phy_folder
from ncpgui.ephys.readers import open_recording, open_sorting
from ncpgui.session import store
from tests.ephys import hostile
from tests.ephys.recorded_files import intan_signals, open_ephys_binary, spikeglx
from tests.ephys.test_hdf5_formats import maxone
from tests.ephys.ways_in import BINARY_FOLDER, recording_folder
from tests.fuzz.foreign_files import SECRET, change_a_file, change_a_path, outside_of, put_elsewhere
from tests.fuzz.harmless import harmless
from tests.fuzz.mutations import CASES, fixed
from tests.fuzz.test_sessions import WAYS, whole
from tests.fuzz.test_small_files import phy_folder
from tests.tiny_project import tiny_project

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.filterwarnings("ignore"),  # of libraries, about files that are no such files
]
cases = pytest.mark.parametrize(
    "n", [pytest.param(CASES, id="some"), pytest.param(max(1000, CASES), id="many", marks=pytest.mark.slow)]
)
Check = Callable[[st.DataObject, Path, Path], None]


def try_many(n: int, folder: Path, check: Check) -> None:
    """Call `check(data, case, outside)` with two fresh folders, `n` times; no pickle may be loaded."""

    @settings(fixed, max_examples=n)
    @given(st.data())
    def each(data: st.DataObject) -> None:
        for name in ("case", "outside"):
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / name).mkdir()
        check(data, folder / "case", outside_of(folder / "outside"))
        assert not (folder / "outside" / "was run").exists(), "a pickle was loaded"

    each()


def recording(path: Path) -> None:
    """Open a recording and read its first samples."""
    opened = open_recording(path)
    opened.traces(0, min(10, opened.n_samples))


MADE: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "saved by SpikeInterface": (recording_folder, lambda path: open_recording(path, probe="linear-2")),
    "analyzer": (
        lambda path: shutil.move(hostile.analyzer_folder(path, hostile.noise()), path / "a"),
        open_sorting,
    ),
    "analyzer in Zarr": (lambda path: hostile.zarr_array(path, hostile.noise()), open_sorting),
    "Phy": (lambda path: (path.mkdir(), phy_folder(path)), read_phy_folder),
    "SpikeGLX": (spikeglx, recording),
    "Open Ephys": (open_ephys_binary, recording),
    "Intan": (intan_signals, recording),
}


@pytest.fixture(scope="module")
def whole_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is right."""
    path = tmp_path_factory.mktemp("right") / "r"
    make, _ = MADE[request.param]
    make(path)
    inner = {"analyzer": path / "a", "analyzer in Zarr": path / "analyzer.zarr"}
    return inner.get(request.param, path)


@cases
@pytest.mark.parametrize(
    ("whole_folder", "read"), [(k, m[1]) for k, m in MADE.items()], indirect=["whole_folder"], ids=MADE
)
def test_a_folder_with_something_else_in_the_place_of_a_file(
    n: int, whole_folder: Path, read: Callable[[Path], Any], tmp_path: Path
) -> None:
    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        copy = case / whole_folder.name
        shutil.copytree(whole_folder, copy)
        for _ in range(data.draw(st.integers(1, 2))):
            change_a_file(data, copy, outside)
        with harmless(case):
            read(copy)

    try_many(n, tmp_path, check)


@cases
@pytest.mark.parametrize(
    "made",
    [
        hostile.entry(BINARY_FOLDER, folder_path="x"),
        hostile.NESTED["list"](hostile.entry(BINARY_FOLDER, folder_path="x")),
        hostile.entry(
            "spikeinterface.core.binaryrecordingextractor.BinaryRecordingExtractor",
            file_paths=["x.raw"], sampling_frequency=1e4, dtype="int16", num_channels=2,
        ),
        hostile.entry("spikeinterface.core.zarrextractors.ZarrRecordingExtractor", folder_path="x.zarr"),
        hostile.entry("spikeinterface.extractors.nwbextractors.NwbRecordingExtractor", file_path="x.nwb"),
        hostile.entry("spikeinterface.core.npzsortingextractor.NpzSortingExtractor", file_path="x.npz"),
    ],
    ids=["folder", "list", "raw", "Zarr", "NWB", "NPZ"],
)  # fmt: skip
def test_a_description_that_names_something_else(
    n: int, made: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        path = hostile.json_file(case, made)
        for _ in range(data.draw(st.integers(1, 3))):
            change_a_path(data, path, outside)
        with harmless(case):
            open_recording(path, probe="linear-2")

    try_many(n, tmp_path, check)


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


@cases
@pytest.mark.parametrize("name", ["s.h5", "s.h5.journal", "s.h5.lock", "s.h5.waveforms"])
def test_a_file_of_a_session_that_is_something_else(n: int, name: str, tmp_path: Path) -> None:
    (tmp_path / "right").mkdir()
    right = tmp_path / "right" / "s.h5"
    store.save(tiny_project(WAYS, masses={0: [0.7, 0.3], 1: [1.0]}), right)

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        (case / "only").mkdir()
        (case / "only" / name).write_bytes(right.read_bytes() if name == right.name else b"{}")
        change_a_file(data, case / "only", outside)
        for file in right.parent.iterdir():
            if file.name != name:
                shutil.copy(file, case / file.name)
        for file in (case / "only").iterdir():
            file.rename(case / file.name)
        with harmless(case):
            whole(case / "s.h5")

    try_many(n, tmp_path, check)


@cases
def test_a_recording_in_hdf5_whose_values_are_kept_elsewhere(n: int, tmp_path: Path) -> None:
    maxone(tmp_path / "right.raw.h5")

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        path = case / "a.raw.h5"
        shutil.copy(tmp_path / "right.raw.h5", path)
        is_elsewhere = put_elsewhere(data, path, outside)
        with harmless(case):
            recording(path)
        if is_elsewhere:
            with pytest.raises(NcpguiError, match="is refused: "):
                open_recording(path)

    try_many(n, tmp_path, check)


def test_the_secret_is_what_the_library_would_show(tmp_path: Path) -> None:
    """Otherwise the tests above would pass for another reason."""
    outside = outside_of(tmp_path)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", (len(SECRET),), "u1", external=[(str(outside / "secret"), 0, len(SECRET))])
    with h5py.File(tmp_path / "a.h5") as file:
        assert np.asarray(file["x"]).tobytes().decode() == SECRET


TABLES = (
    ("cluster_id\tgroup\n", "{id}\t{label}\n"),
    ("cluster_id\tn_spikes\tgroup\tdepth\n", "{id}\t9\t{label}\t1.5\n"),
    ("group\tcluster_id\n", "{label}\t{id}\n"),
    ("\tcluster_id\tgroup\n", "{row}\t{id}\t{label}\n"),
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1")


@cases
def test_tables_of_clusters_of_any_encoding_delimiter_and_order_of_columns(n: int, tmp_path: Path) -> None:
    """Labels are those of the table, or none at all: never those of another cluster."""

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        phy_folder(case)
        header, row = data.draw(st.sampled_from(TABLES))
        delimiter, end = data.draw(st.sampled_from("\t,;")), data.draw(st.sampled_from(("\n", "\r\n")))
        labels = {unit: data.draw(st.sampled_from(("good", "mua", "noise", "sua é"))) for unit in range(4)}
        order = data.draw(st.permutations(sorted(labels)))
        rows = (row.format(row=i, id=unit, label=labels[unit]) for i, unit in enumerate(order))
        text = (header + "".join(rows)).replace("\t", delimiter).replace("\n", end)
        for old in case.glob("cluster_group*"):
            old.unlink()
        ending = "tsv" if delimiter == "\t" else data.draw(st.sampled_from(("tsv", "csv")))
        (case / f"cluster_group.{ending}").write_bytes(text.encode(data.draw(st.sampled_from(ENCODINGS))))
        with harmless(case):
            found = read_phy_folder(case).labels
            assert found.items() <= labels.items()

    try_many(n, tmp_path, check)
