"""Ways in which a file can make SpikeInterface run a program, which makes the folder `marker` if let in.

Each way writes its files under a folder and returns what is to be opened. SpikeInterface itself follows all
`WAYS` (tests make sure that it does); `at` names the folder that the person works in.
"""

from __future__ import annotations

import json
import pickle
import shutil
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.ephys import hostile

BINARY_FOLDER = "spikeinterface.core.binaryfolder.BinaryFolderRecording"
OPTIONS: dict[str, Any] = {"n_jobs": 1, "progress_bar": False, "verbose": False}


class Program:
    """An object whose pickle makes a folder when it is loaded."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.mkdir, (self.marker,))


def recording_folder(path: Path, marker: Path | None = None) -> Path:
    """A folder of `recording.save`, with a property that is a pickle where there is a marker."""
    shutil.copytree(Path(_saved().name) / "saved", path)
    if marker is not None:
        np.save(path / "properties" / "p.npy", np.array([Program(marker), 1], dtype=object))
    return path


@cache
def _saved() -> TemporaryDirectory[str]:
    """A folder with such a folder, made once."""
    from spikeinterface.core import generate_recording

    source = generate_recording(num_channels=2, durations=[0.1], sampling_frequency=1e4, seed=0)
    made = TemporaryDirectory()
    source.save(folder=Path(made.name) / "saved", **OPTIONS)
    return made


def in_the_working_folder(at: Path, folder: Path, marker: Path) -> Path:
    """A description that names `x`: harmless beside it, hostile in the folder that the person works in."""
    recording_folder(folder / "x")
    recording_folder(at / "x", marker)
    return hostile.json_file(folder, hostile.entry(BINARY_FOLDER, folder_path="x"))


def below_the_working_folder(at: Path, folder: Path, marker: Path) -> Path:
    """The same inside another recording, whose own paths are said to be relative."""
    recording_folder(folder / "x")
    recording_folder(at / "x", marker)
    inner = {**hostile.entry(BINARY_FOLDER, folder_path="x"), "relative_paths": True}
    return hostile.json_file(folder, hostile.NESTED["parent"](inner))


def its_own_folder(at: Path, folder: Path, marker: Path) -> Path:
    """A description that names the folder in which it lies."""
    recording_folder(folder / "saved", marker)
    made = {**hostile.entry(BINARY_FOLDER, folder_path="."), "relative_paths": True}
    return hostile.json_file(folder / "saved", made)


def linked_into_extensions(at: Path, folder: Path, marker: Path) -> Path:
    """An analyzer whose sorting is a link to where nobody looks."""
    path = hostile.analyzer_folder(folder, hostile.noise())
    (path / "extensions").mkdir()
    shutil.move(path / "sorting", path / "extensions" / "templates")
    (path / "sorting").symlink_to(Path("extensions") / "templates")
    _pickled_property(path / "sorting", marker)
    return path


def linked_to_another_folder_of_that_name(at: Path, folder: Path, marker: Path) -> Path:
    """An analyzer whose sorting is a link to the extensions of another one."""
    path = hostile.analyzer_folder(folder, hostile.noise())
    elsewhere = folder / "extensions"
    shutil.move(path / "sorting", elsewhere)
    (path / "sorting").symlink_to(elsewhere)
    _pickled_property(elsewhere, marker)
    return path


def extensions_of_a_group(at: Path, folder: Path, marker: Path) -> Path:
    """Several analyzers in a folder, which SpikeInterface loads with their extensions."""
    path = folder / "group"
    hostile.analyzer_folder(path, hostile.noise())
    analyzer = path / "analyzer"
    extension = analyzer / "extensions" / "noise_levels"
    extension.mkdir(parents=True)
    (extension / "params.json").write_text("{}")
    (extension / "info.json").write_text("{}")
    (extension / "run_info.json").write_text('{"run_completed": true, "runtime_s": 0.1}')
    (extension / "noise_levels.pkl").write_bytes(pickle.dumps(Program(marker)))
    info = {"object": "Group[SortingAnalyzer]", "version": "0.105.0", "dict_keys": ["analyzer"]}
    (path / "spikeinterface_info.json").write_text(json.dumps(info))
    return path


def pickle_of_old(at: Path, folder: Path, marker: Path) -> Path:
    """A folder of the first versions of SpikeInterface, which is a pickle."""
    path = folder / "cached"
    path.mkdir(parents=True)
    (path / "cached.pkl").write_bytes(pickle.dumps(Program(marker)))
    return path


def program_of_phy(at: Path, folder: Path, marker: Path) -> Path:
    """A folder of Phy that a description names, whose settings are a program."""
    phy = folder / "phy"
    phy.mkdir(parents=True)
    for name in ("spike_times", "spike_clusters"):
        np.save(phy / f"{name}.npy", np.arange(3))
    (phy / "params.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nsample_rate = 1e4\n")
    name = "spikeinterface.extractors.phykilosortextractors.PhySortingExtractor"
    return hostile.si_folder(folder, hostile.entry(name, folder_path=str(phy)))


def program_by_name(at: Path, folder: Path, marker: Path) -> Path:
    """A program in the place of a class."""
    return hostile.json_file(folder, hostile.program(marker))


def shell_by_name(at: Path, folder: Path, marker: Path) -> Path:
    """A command for the shell in the place of a class."""
    return hostile.json_file(folder, hostile.entry("os.system", command=f"mkdir '{marker}'"))


def file_of_python(at: Path, folder: Path, marker: Path) -> Path:
    """A file of Python that a description has run."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p.py").write_text(f"import os\nos.mkdir({str(marker)!r})\n")
    return hostile.json_file(folder, hostile.entry("runpy.run_path", path_name=str(folder / "p.py")))


def codec_of_pickles(at: Path, folder: Path, marker: Path) -> Path:
    """A Zarr folder whose ids of channels are pickles."""
    import numcodecs
    import zarr

    path = folder / "recording.zarr"
    root = zarr.open(str(path), mode="w")
    root.attrs.update({"sampling_frequency": 1e4, "num_segments": 1})
    values = np.array([Program(marker), 1], dtype=object)
    root.create_dataset("channel_ids", data=values, object_codec=numcodecs.Pickle())
    return path


WAYS: dict[str, Callable[[Path, Path, Path], Path]] = {
    made.__name__.replace("_", " "): made
    for made in (
        in_the_working_folder,
        below_the_working_folder,
        its_own_folder,
        linked_into_extensions,
        linked_to_another_folder_of_that_name,
        extensions_of_a_group,
        pickle_of_old,
        program_of_phy,
        program_by_name,
        shell_by_name,
        file_of_python,
        codec_of_pickles,
    )
}


def _pickled_property(sorting: Path, marker: Path) -> None:
    (sorting / "properties").mkdir(exist_ok=True)
    with warnings.catch_warnings():
        np.save(sorting / "properties" / "p.npy", np.array([Program(marker)], dtype=object))
