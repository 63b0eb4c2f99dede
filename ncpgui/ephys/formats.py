"""Formats of acquisition programs: what opens a file or folder, by its name and by what is in it.

SpikeInterface reads them. `FORMATS` says what is known of each; ``ncpgui doctor --formats`` shows it
beside all that SpikeInterface reads.
"""

from __future__ import annotations

import glob
import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from ncpgui.core.errors import RecordingError
from ncpgui.core.home import expanded
from ncpgui.core.nothing_runs import nothing_runs
from ncpgui.ephys.hdf5_formats import (
    HDF5_ENDINGS,
    has_nwb_units,
    hdf5_format,
    nwb_second_0,
    refuse_what_is_elsewhere,
)
from ncpgui.ephys.lost_packets import lost_packets
from ncpgui.ephys.nwb_places import nwb_recording
from ncpgui.ephys.paths import files_inside, refuse_hollow, refuse_special
from ncpgui.ephys.plexon import plexon
from ncpgui.ephys.reasons import reason
from ncpgui.ephys.saved_objects import load_saved
from ncpgui.ephys.streams import Stream, choice_in_words, chosen_stream, reader_options, streams_of

_SAVE_ANEW = (
    "check that it is complete, or save it anew: with the program that wrote it, or with SpikeInterface "
    "(recording.save(folder=...))"
)
RAW_ENDINGS = (".raw", ".bin", ".dat", ".i16", ".bat", ".data")
SAVED = (
    "spikeinterface_info.json",
    "si_folder.json",
    "cached.json",
    "cached.pkl",
    "cached.pickle",
    ".zattrs",
    ".zgroup",
)
"""Files by which folders that SpikeInterface saved are known."""


@dataclass(frozen=True)
class Format:
    """A format, and how it is known.

    reader : class of SpikeInterface; endings : of its files; inside : pattern of a file in its folders;
    opens : "folder", "parent" (the folder of the file that was found) or "file" (that file);
    is_tested : whether tests open such a recording: of the others only the name is known
    """

    name: str
    reader: str
    endings: tuple[str, ...] = ()
    inside: str = ""
    opens: str = "folder"
    is_tested: bool = False


FORMATS = (
    Format("SpikeGLX", "SpikeGLXRecordingExtractor", (".meta",), "*.meta", is_tested=True),
    Format("Open Ephys", "OpenEphysBinaryRecordingExtractor", (), "structure.oebin", is_tested=True),
    Format(
        "Open Ephys, legacy",
        "OpenEphysLegacyRecordingExtractor",
        (),
        "*.continuous",
        "parent",
        is_tested=True,
    ),
    Format("Intan", "IntanRecordingExtractor", (".rhd", ".rhs"), "info.rh[ds]", "file", is_tested=True),
    Format(
        "Intan, split files", "IntanSplitFilesRecordingExtractor", (), "*.rh[ds]", "parent", is_tested=True
    ),
    Format("NWB", "NwbRecordingExtractor", (".nwb",), is_tested=True),
    Format("Neuroscope", "NeuroScopeRecordingExtractor", (), "*.xml", "file", is_tested=True),
    Format("MCS", "MCSH5RecordingExtractor", HDF5_ENDINGS, is_tested=True),
    Format("MaxWell", "MaxwellRecordingExtractor", HDF5_ENDINGS, is_tested=True),
    Format("3Brain BioCAM", "BiocamRecordingExtractor", (".brw", *HDF5_ENDINGS)),
    Format("MEArec", "MEArecRecordingExtractor", HDF5_ENDINGS),
    Format("Blackrock", "BlackrockRecordingExtractor", (".ns5", ".ns6"), is_tested=True),
    Format("TDT", "TdtRecordingExtractor", (), "*.[tT][bB][kK]", "parent"),
    Format("Axona", "AxonaRecordingExtractor", (".set",), "*.set", "file"),
    Format("Neuralynx", "NeuralynxRecordingExtractor", (".ncs",), "*.ncs", "parent"),
    Format("Plexon", "PlexonRecordingExtractor", (".plx",)),
    Format("Plexon 2", "Plexon2RecordingExtractor", (".pl2",)),
    Format("Spike2", "CedRecordingExtractor", (".smr", ".smrx")),
    Format("EDF", "EDFRecordingExtractor", (".edf",)),
    Format("SpikeGadgets", "SpikeGadgetsRecordingExtractor", (".rec",)),
    Format("NeuroExplorer", "NeuroExplorerRecordingExtractor", (".nex",)),
    Format("MountainSort", "MdaRecordingExtractor", (".mda",), "raw.mda", "parent", is_tested=True),
)
OPENABLE = (
    "a raw binary file (.raw .bin .dat with --sampling-frequency, --n-channels, --dtype and --probe), "
    "a folder of 'ncpgui simulate', a SpikeInterface folder or .zarr, or one of "
    + " ".join(dict.fromkeys(ending for known in FORMATS for ending in known.endings))
    + "; 'ncpgui doctor --formats' lists all"
)


def is_undescribed(path: Path) -> bool:
    """Whether a path names a raw binary file beside which no program wrote what it holds."""
    return path.is_file() and path.suffix.lower() in RAW_ENDINGS and _described_by(path) is None


def available_streams(path: Path) -> tuple[Stream, ...]:
    """Streams of a recording, () where there is no choice, or where it cannot be read."""
    try:
        reader, place, _ = _recognized(path)
        return () if isinstance(reader, str) else guarded(path, partial(streams_of, reader, place), "")
    except RecordingError:
        return ()


@dataclass(frozen=True)
class Opened:
    """What SpikeInterface makes of a path.

    stream : name of the one that was opened, None where there is no choice; notes : what is said of it
    second_0 : see `core.project.RecordingReference`
    """

    loaded: Any
    stream: str | None = None
    notes: tuple[str, ...] = ()
    second_0: str = ""


def opened(path: Path, stream: str | None) -> Opened:
    """Open a path with the reader that its format has.

    Raises
    ------
    RecordingError
        The format is not known or cannot be read, or it has no such stream.
    InputError
        It has several streams, and which is meant is not said.
    """
    reader, place, kind = _recognized(path)
    if isinstance(reader, str):
        chosen_stream((), stream, path)
        return Opened(guarded(path, partial(load_saved, place), kind))
    streams = guarded(path, partial(streams_of, reader, place), kind)
    if reader.__name__.startswith("Nwb") and not streams:
        units = "; its units can be reviewed with their recording" if has_nwb_units(path) else ""
        raise RecordingError(f"{path} is an NWB file without an ElectricalSeries: it holds no traces{units}")
    chosen = chosen_stream(streams, stream or _own_stream(path), path)
    options = {} if chosen is None or len(streams) == 1 else reader_options(reader, chosen)
    if reader.__name__.startswith("Nwb"):
        options["load_time_vector"] = True  # else stamps are taken for even ones, and gaps are not seen
    if reader.__name__.startswith("Mda") and path.is_file():
        options["raw_fname"] = path.name
    if reader.__name__.startswith("Maxwell"):
        from ncpgui.ephys.hdf5_formats import maxwell

        loaded = guarded(path, partial(maxwell, place, **options), kind)
    elif reader.__name__.startswith("Nwb"):
        loaded = guarded(path, partial(nwb_recording, reader, place, **options), kind)
    elif reader.__name__ == "PlexonRecordingExtractor":
        loaded = guarded(path, partial(plexon, reader, place, **options), kind)
    else:
        loaded = guarded(path, partial(reader, place, **options), kind)
    loaded = _own_segment(loaded, path)
    notes = [] if chosen is None or len(streams) == 1 else [choice_in_words(chosen, streams)]
    if reader.__name__.startswith("OpenEphysBinary") and chosen is not None:
        notes.append(lost_packets(place, chosen.name, chosen.sampling_frequency_hz))
    return Opened(
        loaded,
        chosen.name if chosen and len(streams) > 1 else None,
        tuple(filter(None, notes)),
        nwb_second_0(path) if reader.__name__.startswith("Nwb") else "",
    )


def guarded(path: Path, read: Callable[[], Any], kind: str) -> Any:
    """Run another library's reader; whatever it raises becomes a RecordingError, and whatever it runs too."""
    try:
        with nothing_runs(path, way_out=_SAVE_ANEW):
            return read()
    except RecordingError:
        raise
    except ImportError as error:
        raise RecordingError(
            f"{path} needs a package that is not installed: {error}; install it with pip"
        ) from error
    except Exception as error:
        way_out = _SAVE_ANEW if kind else f"what can be opened: {OPENABLE}"
        raise RecordingError(
            f"SpikeInterface cannot read {path}{kind} ({reason(error)}); {way_out}"
        ) from error


def reader_class(name: str) -> Any:
    """Class of SpikeInterface by its name.

    Raises
    ------
    RecordingError
        This version of SpikeInterface has none of that name.
    """
    from spikeinterface.extractors import extractor_classes
    from spikeinterface.extractors.neoextractors import intan, mearec, openephys

    for module in (extractor_classes, openephys, intan, mearec):
        if hasattr(module, name):
            return getattr(module, name)
    for found in extractor_classes.recording_extractor_full_dict.values():
        if getattr(found, "__name__", "") == name:
            return found
    raise RecordingError(f"this version of SpikeInterface has no {name}; install ncpgui again with pip")


def _recognized(path: Path) -> tuple[Any, Path, str]:
    """Reader of a path ("saved" of what SpikeInterface saved), what it opens, and words for errors."""
    if path.is_dir():
        if path.suffix == ".zarr" or any((path / name).is_file() for name in SAVED):
            return "saved", path, ""
        for file in files_inside(path, behind_links=False):  # none is waited for
            refuse_hollow(file)
        inside = sorted(path.rglob("*"))
        for known in FORMATS:
            found = next((file for file in inside if _is_called(file, known.inside)), None)
            if found is not None and (known.name != "Neuroscope" or _traces_beside(found) is not None):
                return (
                    reader_class(known.reader),
                    _opens(known, path, found),
                    f" as a recording of {known.name}",
                )
        raise RecordingError(f"no recording is known in the folder {path}; what can be opened: {OPENABLE}")
    if path.stat().st_size == 0:
        raise RecordingError(f"{path} is empty (0 bytes); copy the recording again")
    suffix = path.suffix.lower()
    if suffix == ".json":
        return "saved", path, ""
    for beside in path.parent.glob(glob.escape(path.stem) + "*"):  # a reader may open them too
        refuse_special(beside)
        refuse_hollow(beside)
    refuse_what_is_elsewhere(path)
    if suffix in HDF5_ENDINGS:
        maker, reader = hdf5_format(path)
        return reader_class(reader), path, f" as a recording of {maker}"
    named = _described_by(path) or next((one for one in FORMATS if suffix in one.endings), None)
    if named is None:
        raise RecordingError(f"the format of {path} is not known; what can be opened: {OPENABLE}")
    if named.name == "Plexon 2":
        _check_plexon_library(path)
    place = path.parent if named.name in ("SpikeGLX", "MountainSort", "Neuralynx") else path
    return reader_class(named.reader), place, f" as a recording of {named.name}"


def _is_called(file: Path, pattern: str) -> bool:
    """Whether a file has a name of this pattern, in capitals or not."""
    return bool(pattern) and fnmatchcase(file.name.lower(), pattern.lower())


def _described_by(path: Path) -> Format | None:
    """Format of a raw binary file, if the program that wrote it said beside it what it holds."""
    if path.suffix.lower() not in RAW_ENDINGS:
        return None
    for name, ending, suffixes in (("SpikeGLX", ".meta", (".bin",)), ("Neuroscope", ".xml", (".dat",))):
        if path.suffix.lower() in suffixes and path.with_suffix(ending).is_file():
            return next(known for known in FORMATS if known.name == name)
    return None


def _opens(known: Format, folder: Path, found: Path) -> Path:
    if known.name == "Neuroscope":
        traces = _traces_beside(found)
        assert traces is not None
        return traces
    return {"folder": folder, "parent": found.parent, "file": found}[known.opens]


def _traces_beside(description: Path) -> Path | None:
    traces = description.with_suffix(".dat")
    return traces if traces.is_file() else None


def _own_stream(path: Path) -> str | None:
    """Stream of a file of SpikeGLX: ``imec0.ap`` of ``run_g0_t0.imec0.ap.bin``."""
    if path.is_dir() or path.suffix.lower() not in (".bin", ".meta"):
        return None
    found = re.search(r"\.(imec\d*\.(?:ap|lf)|nidq|obx\d*\.obx)$", path.stem)
    return found[1] if found else None


def _own_segment(loaded: Any, path: Path) -> Any:
    """Of a file of SpikeGLX, its own part of the run."""
    if path.is_dir() or _own_stream(path) is None or not hasattr(loaded, "neo_reader"):
        return loaded
    files = {
        Path(info["bin_file"]).resolve(): info["seg_index"] for info in loaded.neo_reader.signals_info_list
    }
    return loaded.select_segments([files[path.with_suffix(".bin").resolve()]])


def _check_plexon_library(path: Path) -> None:
    """Raise RecordingError where the reader would download a library of Plexon's."""
    wide = platform.architecture()[0] == "64bit" and platform.system() in ("Windows", "Darwin")
    library = (
        expanded("~") / ".plexon_dlls_for_neo" / ("PL2FileReader64.dll" if wide else "PL2FileReader.dll")
    )
    if not library.is_file():
        raise RecordingError(
            f"{path} needs Plexon's own library, {library.name}, which ncpgui does not download; "
            f"put it into {library.parent}, or convert the recording to .plx with Plexon's PlexUtil"
        )
