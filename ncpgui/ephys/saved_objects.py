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
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.nothing_runs import nothing_runs
from ncpgui.core.numpy_files import check_headers, check_npy
from ncpgui.core.own_contents import OF_RECORDINGS
from ncpgui.core.regular_files import regular
from ncpgui.ephys.hdf5_formats import refuse_what_is_elsewhere
from ncpgui.ephys.paths import files_inside, refuse_hollow, refuse_special

_WAY_OUT = "open the data file itself, or save the recording again with recording.save(folder=...)"
_URL = re.compile(r"://|::|^data:")
_STREAMING = ("stream_mode", "storage_options", "backend_options")
_COUNTED = ("num_segments", "num_channels", "num_chan", "num_units", "noise_block_size")
MOST = 10**6
"""What is made one by one, or laid out at once, when a description is opened: no more of it."""
_ARCHIVES = (".zip", ".n5")
_NAME = re.compile(r"spikeinterface(\.[A-Za-z]\w*)+")
_ZARR_DESCRIPTIONS = (".zattrs", ".zarray", ".zgroup", ".zmetadata")
_PICKLES = (".pkl", ".pickle")
_OPENED_BY_NOBODY = {
    "provenance.pkl": "si_folder.json",
    "sorting_provenance.pickle": "spikeinterface_info.json",
}
"""Pickles that tell where a saved object came from, and the description beside them that is read instead."""
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
    from spikeinterface.core import BaseRecording, load, load_sorting_analyzer

    with nothing_runs(path, way_out=_WAY_OUT):
        if path.is_dir() and _is_analyzer(path):
            look_at(path, but=path.resolve() / EXTENSIONS)
            return load_sorting_analyzer(path, load_extensions=False)
        look_at(path)
        if path.suffix == ".json" and path.is_file():
            _check_described(path)
        loaded = load(path, base_folder=True) if path.is_file() else load(path)
        if isinstance(loaded, BaseRecording) and loaded.get_num_samples(segment_index=0) > 0:
            with suppress(
                Exception
            ):  # what is refused is told all the same; what is damaged, when it is read
                loaded.get_traces(segment_index=0, start_frame=0, end_frame=1)
        return loaded


def _check_described(file: Path) -> None:
    """Raise RecordingError where a JSON file names no class; SpikeInterface says that it is no file."""
    value = _parsed(file)
    if not isinstance(value, dict) or "class" not in value:
        raise RecordingError(
            f"{file} describes no recording or sorting of SpikeInterface (it names no class); give the file "
            "or folder of the recording, or of the sorting"
        )


def look_at(path: Path, *, but: Path | None = None) -> None:
    """Look at a file or folder, and at all that it names, without opening it.

    but : folder (or group of a Zarr folder) that nothing opens by this name

    Raises
    ------
    RecordingError
        Something in it would run a program, reach for the network, or ask for more memory than it has values.
    """
    _Look().at(path, but=but)


class _Look:
    """One look at a file or folder, and at the files and folders that it names."""

    def __init__(self) -> None:
        self._seen: set[Path] = set()

    def at(self, path: Path, *, but: Path | None = None) -> None:
        """Look at a path; what was looked at before is not again."""
        path = path.resolve()
        if path in self._seen:
            return
        self._seen.add(path)
        refuse_special(path)
        if path.is_file():
            self._file(path, path.parent, but)
            return
        files = [file for file in files_inside(path, but=but) if not _is_opened_by_nobody(file)]
        runs_parameters = any(file.name == "spikeinterface_log.json" for file in files)
        for file in files:
            if runs_parameters and file.suffix.lower() in _PROGRAMS:
                raise RecordingError(
                    f"{file} is a program, which SpikeInterface would run, and is refused; "
                    f"open {path / 'sorter_output'} instead"
                )
            self._file(file, path, but)
        for group in {file.parent for file in files if file.name in (".zarray", ".zmetadata")}:
            self._arrays(group, path, but)

    def _file(self, file: Path, root: Path, but: Path | None) -> None:
        """Look at a file of the folder `root`."""
        suffix = file.suffix.lower()
        if suffix in _PICKLES:
            raise RecordingError(
                f"{file} is a pickle, which can run any program when opened, and is refused; {_WAY_OUT}"
            )
        if suffix == ".npy":
            _refuse_array(file)
        elif suffix == ".npz":
            _refuse_arrays(file)
        elif suffix == ".json" or file.name in _ZARR_DESCRIPTIONS:
            value = _parsed(file)
            if file.name == ".zmetadata" and isinstance(value, dict):
                value = _loaded_part(value, file.parent, but)
            self._description(value, file, root)
        else:
            refuse_hollow(file)  # of Zarr, chunks are read whole

    def _arrays(self, group: Path, root: Path, but: Path | None) -> None:
        """Look at the arrays of a group of a Zarr folder: at their sizes, and at values that are objects."""
        import zarr

        for opened in (zarr.open_consolidated, zarr.open):
            try:
                found = opened(str(group), mode="r")
            except (OSError, KeyError, ValueError):
                continue
            for array in [found] if isinstance(found, zarr.Array) else _arrays(found):
                place = group / array.path
                if _is_under(place, but):
                    continue
                _refuse_made_up(array, place)
                if _may_hold_entries(array):
                    for value in np.ravel(array[...]).tolist():
                        self._description(value, place, root)

    def _description(self, value: Any, place: Path, root: Path) -> None:
        """Look at a value of a description and at all inside it, with the paths that SpikeInterface takes."""
        from spikeinterface.core.core_tools import make_paths_absolute

        versions = [value]
        if isinstance(value, dict) and value.get("relative_paths") and "kwargs" in value:
            try:  # from the folder of the file, or that of all files
                versions = [make_paths_absolute(value, base) for base in {place.parent, root}]
            except (TypeError, ValueError, AttributeError) as error:
                raise RecordingError(
                    f"{place} has paths that cannot be used ({error}); {_WAY_OUT}"
                ) from error
        todo: list[tuple[Any, bool]] = [(version, False) for version in versions]
        while todo:
            item, is_argument = todo.pop()
            if isinstance(item, dict):
                _refuse_names(item, place)
                todo.extend((inner, is_argument or key == "kwargs") for key, inner in item.items())
            elif isinstance(item, list | tuple):
                todo.extend((inner, is_argument) for inner in item)
            elif is_argument and isinstance(item, str):
                self._named_path(item, place)

    def _named_path(self, text: str, place: Path) -> None:
        """Look at what an argument of a class names, if it is a path: seen from the working folder."""
        if _URL.search(text):
            raise RecordingError(
                f"{place} names {text!r}, which is on the network or in an archive, and is refused; "
                + _WAY_OUT
            )
        for spelt in {text, os.path.expandvars(os.path.expanduser(text))}:  # noqa: PTH111
            try:
                named = Path(spelt).resolve()
                if spelt == "" or not named.exists():
                    continue
            except (OSError, ValueError, RuntimeError):
                continue
            _refuse_archive(named, place)
            self.at(named)
            if named.is_file():
                refuse_what_is_elsewhere(named)


def _is_opened_by_nobody(file: Path) -> bool:
    """Whether a file of a folder is only opened where a description names it."""
    instead = _OPENED_BY_NOBODY.get(file.name)
    return instead is not None and (file.parent / instead).is_file()


def _is_under(place: Path, folder: Path | None) -> bool:
    return folder is not None and place.is_relative_to(folder)


def _loaded_part(metadata: dict[Any, Any], group: Path, but: Path | None) -> dict[Any, Any]:
    """Metadata of a Zarr folder without those of what is not loaded."""
    entries = metadata.get("metadata")
    if not isinstance(entries, dict):
        return metadata
    kept = {name: entry for name, entry in entries.items() if not _is_under(group / str(name), but)}
    return {**metadata, "metadata": kept}


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
        return json.loads(regular(file).read_bytes().decode("utf-8-sig", errors="replace"))
    except OSError as error:
        raise RecordingError(f"{file} cannot be read: {error.strerror or error}; {_WAY_OUT}") from error
    except RecursionError as error:
        raise RecordingError(
            f"{file} is nested too deeply to be looked at, and is refused; {_WAY_OUT}"
        ) from error
    except ValueError:
        return None


def _refuse_array(file: Path) -> None:
    try:
        check_npy(file)
    except ValueError as error:  # NumPy takes what is not an array for a pickle
        if "announces" in str(error):
            raise RecordingError(f"{file} is refused: {error}; {_WAY_OUT}") from error
        raise _pickled(file) from error


def _refuse_arrays(file: Path) -> None:
    try:
        check_headers(file)
    except (InputError, zipfile.BadZipFile, ValueError, OSError) as error:
        raise RecordingError(f"{file} is refused: {error}; {_WAY_OUT}") from error


def _refuse_made_up(array: Any, place: Path) -> None:
    """Raise RecordingError where an array announces over 1 GiB, of which hardly any chunk is there."""
    if array.nbytes <= OF_RECORDINGS.from_bytes:
        return
    stored = sum(file.stat().st_size for file in files_inside(place))
    if array.nbytes > OF_RECORDINGS.expands * stored:
        raise RecordingError(
            f"{place} announces {array.nbytes} bytes, of which {stored} are stored, and is refused; "
            + _WAY_OUT
        )


def _refuse_archive(named: Path, place: Path) -> None:
    """Raise RecordingError where a path is an archive, which some readers open by themselves."""
    suffix = named.suffix.lower()
    if suffix in _ARCHIVES or (named.is_file() and suffix != ".npz" and zipfile.is_zipfile(named)):
        raise RecordingError(f"{place} names the archive {named}, and is refused; unpack it, and {_WAY_OUT}")


def _refuse_names(entry: dict[Any, Any], place: Path) -> None:
    """Raise RecordingError where a dictionary names a class, module or codec that may run a program."""
    if any(str(entry.get(key, "")).lower().endswith("pickle") for key in ("id", "name", "type")):
        raise _pickled(place)
    for key in _STREAMING:
        if entry.get(key):
            raise RecordingError(
                f"{place} asks for {key} = {entry[key]!r}, which is for the network, and is refused; "
                + _WAY_OUT
            )
    for key in _COUNTED:
        if isinstance(entry.get(key), (int, float)) and not entry[key] <= MOST:
            raise RecordingError(
                f"{place} announces {key} = {str(entry[key])[:20]}, more than {MOST}, and is refused; "
                + _WAY_OUT
            )
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
