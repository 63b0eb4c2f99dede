"""Recordings and sortings that would run a program: they make the folder `marker` when they are opened."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CLASS = "spikeinterface.generation.NoiseGeneratorRecording"


def program(marker: Path) -> dict[str, Any]:
    """An entry as SpikeInterface writes one, with a program in the place of the class."""
    command = f"import os; os.mkdir({str(marker)!r})"
    return entry("subprocess.run", args=[sys.executable, "-c", command], check=True)


def entry(name: str, **kwargs: Any) -> dict[str, Any]:
    """An entry of SpikeInterface: class `name` made with `kwargs`."""
    return {
        "class": name,
        "module": name.split(".")[0],
        "version": "0.105.0",
        "kwargs": kwargs,
        "annotations": {},
        "properties": {},
        "relative_paths": False,
    }


def noise(**more: Any) -> dict[str, Any]:
    """An entry of a recording that is what it says: noise of two channels."""
    made = entry(CLASS, num_channels=2, sampling_frequency=1e4, durations=[0.1], seed=0)
    return {**made, **more}


def json_file(folder: Path, made: dict[str, Any]) -> Path:
    """A recording dumped to JSON."""
    return _written(folder / "recording.json", made)


def si_folder(folder: Path, made: dict[str, Any]) -> Path:
    """A folder of recording.save."""
    return _written(folder / "saved" / "si_folder.json", made).parent


def cached_folder(folder: Path, made: dict[str, Any]) -> Path:
    """A folder of the first versions of recording.save."""
    return _written(folder / "cached" / "cached.json", made).parent


def binary_folder(folder: Path, made: dict[str, Any]) -> Path:
    """A binary folder whose own description is hostile."""
    _written(folder / "binary" / "binary.json", made)
    path = folder / "binary"
    _written(
        path / "si_folder.json",
        entry("spikeinterface.core.binaryfolder.BinaryFolderRecording", folder_path=str(path)),
    )
    return path


def analyzer_folder(folder: Path, made: dict[str, Any]) -> Path:
    """A sorting analyzer whose recording is hostile."""
    path = folder / "analyzer"
    _written(path / "spikeinterface_info.json", {"object": "SortingAnalyzer", "version": "0.105.0"})
    _written(path / "settings.json", {"return_in_uV": True, "peak_sign": "neg", "peak_mode": "extremum"})
    attributes = {"channel_ids": [0], "sampling_frequency": 1e4, "num_channels": 1, "num_samples": [100]}
    _written(path / "recording_info" / "recording_attributes.json", attributes)
    _written(path / "recording.json", made)
    from spikeinterface.core import NumpySorting

    from ncpgui.ephys.numpy_sortings import write_sorting_folder

    sorting = NumpySorting.from_samples_and_labels([np.array([5])], [np.array([1])], 1e4)
    write_sorting_folder(sorting, path / "sorting")
    return path


def zarr_attributes(folder: Path, made: dict[str, Any]) -> Path:
    """A Zarr folder whose attributes name the class that reads it."""
    import zarr

    root = zarr.open(str(folder / "hostile.zarr"), mode="w")
    root.attrs["spikeinterface_info"] = {"object": "Recording|Sorting"}
    root.attrs["zarr_class_info"] = made
    return folder / "hostile.zarr"


def zarr_array(folder: Path, made: dict[str, Any]) -> Path:
    """An analyzer in Zarr, which keeps its recording as JSON in a compressed array."""
    import zarr
    from numcodecs import JSON
    from spikeinterface.core import NumpySorting
    from spikeinterface.core.zarrextractors import add_sorting_to_zarr_group

    path = folder / "analyzer.zarr"
    root = zarr.open(str(path), mode="w")
    root.attrs["spikeinterface_info"] = {"object": "SortingAnalyzer", "version": "0.105.0"}
    root.attrs["settings"] = {"return_in_uV": True, "peak_sign": "neg", "peak_mode": "extremum"}
    sorting = NumpySorting.from_samples_and_labels([np.array([5])], [np.array([1])], 1e4)
    add_sorting_to_zarr_group(sorting, root.create_group("sorting"))
    root.create_group("recording_info").attrs["recording_attributes"] = {
        "channel_ids": [0], "sampling_frequency": 1e4, "num_channels": 1, "num_samples": [100],
    }  # fmt: skip
    values = np.array([made], dtype=object)
    root.create_dataset("recording", data=values, object_codec=JSON())
    return path


KINDS: dict[str, Callable[[Path, dict[str, Any]], Path]] = {
    "JSON": json_file,
    "saved folder": si_folder,
    "cached folder": cached_folder,
    "binary folder": binary_folder,
    "analyzer": analyzer_folder,
    "Zarr attributes": zarr_attributes,
    "Zarr array": zarr_array,
}

NESTED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "parent": lambda p: entry(
        "spikeinterface.preprocessing.common_reference.CommonReferenceRecording", recording=p
    ),
    "list": lambda p: entry(
        "spikeinterface.core.channelsaggregationrecording.ChannelsAggregationRecording",
        recording_list_or_dict=[noise(), p],
    ),
    "dictionary": lambda p: entry(
        "spikeinterface.core.channelsaggregationrecording.ChannelsAggregationRecording",
        recording_list_or_dict={"a": noise(), "b": p},
    ),
    "annotations": lambda p: noise(annotations={"from": {"first": [p]}}),
    "properties": lambda p: noise(properties={"gain": [p, p]}),
    "deep": lambda p: NESTED["parent"](NESTED["list"](NESTED["parent"](p))),
}


def _written(path: Path, content: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
