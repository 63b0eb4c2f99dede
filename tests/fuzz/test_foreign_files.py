"""Links, pipes, archives, pickles, tables of other columns, foreign encodings: readers are harmless.

Each kind of folder and file has one of its files replaced by something else, or two.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from ncpgui.app.preferences import Preferences
from ncpgui.cli.cluster import read_waveforms
from ncpgui.cli.options import read_settings
from ncpgui.core.probe import Probe
from ncpgui.core.resources import data_folder
from ncpgui.core.spikes import Sorting
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.training.config import TrainConfig
from ncpgui.ephys import paths, simulated_folder
from ncpgui.ephys.given_folder import is_sorting_folder, open_reviewed
from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.readers import load_stimulus, open_recording, open_sorting
from ncpgui.ephys.simulated_folder import read_truth
from ncpgui.session import store
from ncpgui.sorting.config import SortingConfig
from tests.ephys import hostile
from tests.ephys.recorded_files import (
    N_SAMPLES,
    blackrock,
    intan,
    intan_signals,
    mcs,
    neuroscope,
    open_ephys_binary,
    open_ephys_legacy,
    ramp,
    spikeglx,
)
from tests.ephys.test_hdf5_formats import maxone
from tests.ephys.ways_in import BINARY_FOLDER, recording_folder
from tests.fuzz import test_small_files as small
from tests.fuzz.foreign_files import change_a_file, change_a_path
from tests.fuzz.harmless import harmless
from tests.fuzz.many import cases, try_many
from tests.fuzz.test_sessions import WAYS, whole
from tests.tiny_project import tiny_project

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.filterwarnings("ignore"),  # of libraries, about files that are no such files
]


def recording(path: Path, **options: Any) -> None:
    """Open a recording and read its first and last samples."""
    opened = open_recording(path, **options)
    opened.traces(0, min(10, opened.n_samples))
    opened.traces(max(0, opened.n_samples - 10), opened.n_samples)


def sorting(path: Path) -> None:
    """Open a sorting, with its recording as a review does."""
    is_sorting_folder(path)
    open_sorting(path)
    opened, _ = open_reviewed(path)
    opened.traces(0, min(10, opened.n_samples))


def phy(path: Path) -> None:
    """A folder of Phy with its recording, and with the tables that Kilosort and Phy write."""
    path.mkdir()
    small.phy_folder(path)
    np.zeros((100, 5), "<i2").tofile(path / "recording.dat")
    np.save(path / "channel_map.npy", np.arange(4)[:, None])
    np.save(path / "channel_positions.npy", np.array([[0.0, 0], [0, 20], [0, 40], [0, 60]]))
    np.save(path / "templates.npy", np.ones((4, 20, 4), np.float32))
    np.save(path / "spike_templates.npy", np.arange(4))
    np.save(path / "amplitudes.npy", np.ones(4))
    (path / "cluster_KSLabel.tsv").write_text("cluster_id\tKSLabel\n0\tgood\n1\tmua\n")
    (path / "cluster_info.tsv").write_text("cluster_id\tgroup\tn_spikes\n0\tgood\t1\n1\tmua\t1\n")


def simulated(path: Path) -> None:
    """A folder of `ncpgui simulate`, without a stimulus."""
    path.mkdir()
    ramp(2).astype("<i2").tofile(path / "recording.raw")
    more = {"settings": {}, "seed": 0}
    simulated_folder.write_description(path, sampling_frequency_hz=1e4, n_channels=2, gain_uv=1.0, more=more)
    simulated_folder.write_probe(path, Probe(np.array([[0.0, 0], [0, 25]])))
    truth = Sorting(np.array([5, 9]), np.array([0, 1]), sampling_frequency_hz=1e4, n_samples=N_SAMPLES)
    simulated_folder.write_truth(path, truth, {"unit_id": np.arange(2)})


def read_simulated(path: Path) -> None:
    """Read the traces of a simulated folder, then its truth."""
    recording(path)
    read_truth(path)


def mountainsort(path: Path) -> None:
    """A folder of MountainSort."""
    path.mkdir()
    numbers = ramp(3).astype("<i2")
    header = np.array([-4, 2, 2, *numbers.T.shape], "<i4")
    (path / "raw.mda").write_bytes(header.tobytes() + numbers.tobytes())
    (path / "params.json").write_text('{"samplerate": 20000, "spike_sign": -1}')
    (path / "geom.csv").write_text("0,0\n0,20\n0,40\n")


Made = dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]]
FOLDERS: Made = {
    "saved by SpikeInterface": (recording_folder, lambda path: recording(path, probe="linear-2")),
    "analyzer": (
        lambda path: shutil.move(hostile.analyzer_folder(path, hostile.noise()), path / "a"),
        sorting,
    ),
    "analyzer in Zarr": (lambda path: hostile.zarr_array(path, hostile.noise()), sorting),
    "Phy": (phy, sorting),
    "SpikeGLX": (lambda path: spikeglx(path, streams=("ap",)), recording),
    "Open Ephys": (open_ephys_binary, recording),
    "Open Ephys, legacy": (open_ephys_legacy, recording),
    "Intan": (intan_signals, recording),
    "MountainSort": (mountainsort, recording),
    "simulated": (simulated, read_simulated),
}
"""How each is made, and read."""
INNER = {"analyzer": "a", "analyzer in Zarr": "analyzer.zarr"}


@pytest.fixture(scope="module")
def whole_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is right."""
    path = tmp_path_factory.mktemp("right") / "r"
    make, _ = FOLDERS[request.param]
    make(path)
    return path / INNER.get(request.param, "")


@cases
@pytest.mark.parametrize(
    ("whole_folder", "read"), [(k, m[1]) for k, m in FOLDERS.items()], indirect=["whole_folder"], ids=FOLDERS
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
    monkeypatch.setattr(paths, "MOST_FILES", 300)  # some name the root of all files

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        path = hostile.json_file(case, made)
        for _ in range(data.draw(st.integers(1, 3))):
            change_a_path(data, path, outside)
        with harmless(case):
            open_recording(path, probe="linear-2")

    try_many(n, tmp_path, check)


WEIGHTS = data_folder("trained_models") / "gauss2d.safetensors"


def text(content: str) -> Callable[[Path], Any]:
    """What writes a text."""
    return lambda path: path.write_text(content, encoding="utf-8")


def model(path: Path) -> None:
    """A model, with its card beside it."""
    shutil.copy(WEIGHTS, path)
    shutil.copy(WEIGHTS.with_suffix(".json"), path.with_suffix(".json"))


def spikes(path: Path) -> None:
    """Waveforms for `ncpgui cluster`."""
    np.savez(path, waveforms=np.zeros((4, 20, 2)), times_s=np.arange(4.0), clamped=np.full(4, -1))


FILES: Made = {
    "p.prb": (text(small.PRB), load_probe),
    "p.csv": (text(small.CSV), load_probe),
    "p.json": (lambda path: path.write_text(json.dumps(small.probe_json())), load_probe),
    "kilosort.json": (
        text('{"chanMap": [0, 1], "xc": [0, 0], "yc": [0, 25], "kcoords": [0, 0], "n_chan": 2}'),
        load_probe,
    ),
    "recording.json": (
        lambda path: hostile.json_file(path.parent, hostile.noise()),
        lambda path: recording(path, probe="linear-2"),
    ),
    "s.toml": (text(small.TOML), lambda path: read_settings(SortingConfig, path, {})),
    "t.toml": (text(small.TRAINING), lambda path: read_settings(TrainConfig, path, {})),
    "stimulus.npz": (lambda path: path.write_bytes(small.npz(True)), load_stimulus),
    "waveforms.npz": (spikes, read_waveforms),
    "m.safetensors": (model, load_checkpoint),
    "preferences.json": (
        text('{"theme": "dark", "recent": ["/a.h5"]}'),
        lambda path: Preferences(path.parent),
    ),
    "a.raw": (
        lambda path: path.write_bytes(bytes(4000)),
        lambda path: recording(path, probe="linear-2", sampling_frequency=2e4, n_channels=2),
    ),
    "a.raw.h5": (maxone, recording),
    "mcs.h5": (mcs, lambda path: recording(path, stream="Stream_0", probe="linear-3")),
    "a.ns6": (blackrock, lambda path: recording(path, probe="linear-3")),
    "a.rhd": (intan, lambda path: recording(path, probe="linear-2")),
    "session.dat": (lambda path: neuroscope(path.parent), lambda path: recording(path, probe="linear-4")),
}
"""How each is made, perhaps with others beside it, and read."""


@cases
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_something_else(n: int, name: str, tmp_path: Path) -> None:
    make, read = FILES[name]
    (tmp_path / "right").mkdir()
    make(tmp_path / "right" / name)
    read(tmp_path / "right" / name)

    def check(data: st.DataObject, case: Path, outside: Path) -> None:
        copy = case / "only"
        shutil.copytree(tmp_path / "right", copy)
        for _ in range(data.draw(st.integers(1, 2))):
            change_a_file(data, copy, outside)
        with harmless(case):
            read(copy / name)

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
