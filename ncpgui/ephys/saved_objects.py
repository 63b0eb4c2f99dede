"""Load what SpikeInterface saved, after a look at everything that it names.

`spikeinterface.load` makes whatever class a description names, with the arguments that stand beside it, and
opens pickles: a file from somebody else could run any program. Here every description (JSON files, Zarr
attributes and arrays) is read first; it may name recordings and sortings of SpikeInterface only.
"""

from __future__ import annotations

import importlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ncpgui.core.errors import RecordingError
from ncpgui.core.npy import read_header

_WAY_OUT = "open the data file itself, or save the recording again with recording.save(folder=...)"
_NAME = re.compile(r"spikeinterface(\.[A-Za-z]\w*)+")
_ZARR_DESCRIPTIONS = (".zattrs", ".zarray", ".zgroup", ".zmetadata")
_PICKLES = (".pkl", ".pickle")
_PROGRAMS = (".py", ".prm", ".prb")
EXTENSIONS = "extensions"
_REFUSED_READERS = {
    "spikeinterface.extractors.phykilosortextractors": "runs the params.py of the folder",
    "spikeinterface.extractors.klustaextractors": "runs the parameter file of the folder",
    "spikeinterface.extractors.sinapsrecordingextractors": "runs values of the file",
    "spikeinterface.extractors.iblextractors": "downloads its data",
    "spikeinterface.extractors.neoextractors.maxwell": "downloads a library",
    "spikeinterface.extractors.neoextractors.plexon2": "downloads a library",
    "spikeinterface.preprocessing.deepinterpolation": "runs the network of a file",
}


def load_saved(path: Path) -> Any:
    """Load a JSON description, or a binary, Zarr or analyzer folder that SpikeInterface wrote.

    The extensions of an analyzer are not loaded, nor looked at: principal components are pickles.

    Raises
    ------
    RecordingError
        Opening it could run a program or reach for the network; the message names what is refused.
    Exception
        What SpikeInterface raises on damaged files.
    """
    from spikeinterface.core import load, load_sorting_analyzer

    if path.is_dir() and _is_analyzer(path):
        _Inspection(not_loaded=path.resolve() / EXTENSIONS).look(path)
        return load_sorting_analyzer(path, load_extensions=False)
    _Inspection().look(path)
    return load(path, base_folder=True) if path.is_file() else load(path)


class _Inspection:
    """One look at a file or folder, and at the files and folders that it names."""

    def __init__(self, *, not_loaded: Path | None = None) -> None:
        """not_loaded : folder (or group of a Zarr folder) that nothing opens."""
        self._seen: set[Path] = set()
        self._not_loaded = not_loaded

    def look(self, path: Path) -> None:
        path = path.resolve()
        if path in self._seen:
            return
        self._seen.add(path)
        if path.is_file():
            self._file(path, base=path.parent)
            return
        files = [file for file in _files(path) if not self._is_left(file)]
        runs_parameters = any(file.name == "spikeinterface_log.json" for file in files)
        for file in files:
            if runs_parameters and file.suffix.lower() in _PROGRAMS:
                raise RecordingError(
                    f"{file} is a program, which SpikeInterface would run, and is refused; "
                    f"open {path / 'sorter_output'} instead"
                )
            self._file(file, base=path)
        for group in {file.parent for file in files if file.name in (".zarray", ".zmetadata")}:
            self._zarr_arrays(group, base=path)

    def _file(self, file: Path, *, base: Path) -> None:
        suffix = file.suffix.lower()
        if suffix in _PICKLES:
            raise RecordingError(
                f"{file} is a pickle, which can run any program when opened, and is refused; {_WAY_OUT}"
            )
        if suffix == ".npy":
            _refuse_pickled_array(file)
        elif suffix == ".json" or file.name in _ZARR_DESCRIPTIONS:
            value = _parsed(file)
            if file.name == ".zmetadata" and isinstance(value, dict):
                value = self._loaded_part(value, file.parent)
            self._entry(value, file, base=base)

    def _is_left(self, place: Path) -> bool:
        return self._not_loaded is not None and place.is_relative_to(self._not_loaded)

    def _loaded_part(self, metadata: dict[Any, Any], group: Path) -> dict[Any, Any]:
        """Metadata of a Zarr folder without those of what is not loaded."""
        entries = metadata.get("metadata")
        if not isinstance(entries, dict):
            return metadata
        return {
            **metadata,
            "metadata": {k: v for k, v in entries.items() if not self._is_left(group / str(k))},
        }

    def _zarr_arrays(self, group: Path, *, base: Path) -> None:
        """Look at the values of arrays of objects, which SpikeInterface keeps descriptions in."""
        import zarr

        for opened in (zarr.open_consolidated, zarr.open):
            try:
                root = opened(str(group), mode="r")
            except (OSError, KeyError, ValueError):
                continue
            for array in [root] if isinstance(root, zarr.Array) else _arrays(root):
                if not self._is_left(group / array.path) and _may_hold_entries(array):
                    self._entry(array[...].tolist(), group / array.path, base=base)

    def _entry(self, value: Any, place: Path, *, base: Path, arguments: bool = False) -> None:
        """Look at a value of a description, and at all inside it; `arguments`: of a class."""
        todo: list[tuple[Any, bool]] = [(value, arguments)]
        while todo:
            item, arguments = todo.pop()
            if isinstance(item, dict):
                _refuse_names(item, place)
                todo.extend((inner, arguments or key == "kwargs") for key, inner in item.items())
            elif isinstance(item, list | tuple):
                todo.extend((inner, arguments) for inner in item)
            elif arguments and isinstance(item, str):
                self._named_path(item, place, base)

    def _named_path(self, text: str, place: Path, base: Path) -> None:
        if "://" in text:
            raise RecordingError(
                f"{place} names {text!r}, which is on the network, and is refused; {_WAY_OUT}"
            )
        for named in (base / text, place.parent / text, Path(text)):
            try:
                there = text != "" and named.exists()
            except (OSError, ValueError):
                continue
            if there:
                if named.resolve() not in (base, place):
                    self.look(named)
                return  # "." is the folder itself, and not the one in which the program was started


def _is_analyzer(folder: Path) -> bool:
    """Whether SpikeInterface would open a folder as an analyzer."""
    file = folder / "spikeinterface_info.json"
    if file.is_file():
        info = _parsed(file)
    elif folder.suffix == ".zarr" and (folder / ".zattrs").is_file():
        attributes = _parsed(folder / ".zattrs")
        info = attributes.get("spikeinterface_info") if isinstance(attributes, dict) else None
    else:
        return False
    return isinstance(info, dict) and info.get("object") == "SortingAnalyzer"


def _files(folder: Path) -> Iterator[Path]:
    """All files under a folder, behind links too."""
    seen: set[str] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(root)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        yield from (Path(root) / name for name in names)


def _arrays(group: Any) -> Iterator[Any]:
    for _, array in group.arrays():
        yield array
    for _, inner in group.groups():
        yield from _arrays(inner)


def _may_hold_entries(array: Any) -> bool:
    codecs = (*(array.filters or ()), array.compressor)
    return bool(array.dtype.hasobject) or any(
        getattr(codec, "codec_id", "").startswith(("json", "msgpack")) for codec in codecs
    )


def _parsed(file: Path) -> Any:
    """Contents of a JSON file; None where it is none, which no reader takes for one either."""
    try:
        return json.loads(file.read_bytes().decode("utf-8-sig", errors="replace"))
    except RecursionError as error:
        raise RecordingError(
            f"{file} is nested too deeply to be looked at, and is refused; {_WAY_OUT}"
        ) from error
    except ValueError:
        return None


def _refuse_pickled_array(file: Path) -> None:
    try:
        with file.open("rb") as opened:
            pickled = bool(read_header(opened).dtype.hasobject)
    except ValueError:  # NumPy takes what is not an array for a pickle
        pickled = True
    if pickled:
        raise _pickled(file)


def _refuse_names(entry: dict[Any, Any], place: Path) -> None:
    """Raise RecordingError where a dictionary names a class, module or codec that may run a program."""
    if any(str(entry.get(key, "")).lower().endswith("pickle") for key in ("id", "name")):
        raise _pickled(place)
    if "class" in entry:
        made = _class(entry["class"])
        if made is None:
            raise RecordingError(
                f"{place} names '{entry['class']}', which is not a recording or sorting of SpikeInterface: "
                f"it could run any program and is refused; {_WAY_OUT}"
            )
        reasons = [_REFUSED_READERS[p.__module__] for p in made.__mro__ if p.__module__ in _REFUSED_READERS]
        if reasons:
            raise RecordingError(
                f"{place} names '{entry['class']}', which {reasons[0]}, and is refused; "
                "open what it reads directly"
            )
    if "module" in entry and str(entry["module"]).split(".")[0] != "spikeinterface":
        raise RecordingError(
            f"{place} names the module {entry['module']!r}, which is not SpikeInterface, and is refused; "
            + _WAY_OUT
        )


def _pickled(place: Path) -> RecordingError:
    return RecordingError(
        f"{place} holds pickled objects, which can run any program when opened, and is refused; {_WAY_OUT}"
    )


def _class(name: Any) -> type | None:
    """The class of that name, where it is a recording, sorting or analyzer extension of SpikeInterface."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return None
    from spikeinterface.core import BaseRecording, BaseSorting
    from spikeinterface.core.sortinganalyzer import AnalyzerExtension

    module, _, attribute = name.rpartition(".")
    try:
        made = getattr(importlib.import_module(module), attribute, None)
    except ImportError:
        return None
    if not isinstance(made, type) or not issubclass(made, (BaseRecording, BaseSorting, AnalyzerExtension)):
        return None
    return made if made.__module__.startswith("spikeinterface.") else None
