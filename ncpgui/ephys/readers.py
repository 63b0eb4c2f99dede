"""Open recordings: raw binary with a probe, our simulated folders, and what SpikeInterface reads."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.fingerprint import fingerprint
from ncpgui.ephys.hdf5_formats import HDF5_ENDINGS, hdf5_format
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.probes import describe_probe, from_probeinterface, load_probe
from ncpgui.ephys.raw_columns import COLUMNS, open_columns
from ncpgui.ephys.recording import ExtractorRecording, Recording
from ncpgui.ephys.saved_objects import load_saved
from ncpgui.ephys.simulated_folder import load_stimulus
from ncpgui.ephys.sorting_readers import open_sorting

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

__all__ = ["gain_uv", "load_stimulus", "open_recording", "open_sorting", "recording_of", "reopen"]

RAW_ENDINGS = (".raw", ".bin", ".dat", ".i16", ".bat", ".data")
_FILE_READERS = {
    ".nwb": "read_nwb_recording",
    ".rhd": "read_intan",
    ".rhs": "read_intan",
    ".ns5": "read_blackrock",
    ".ns6": "read_blackrock",
    ".mda": "read_mda_recording",
    ".plx": "read_plexon",
    ".pl2": "read_plexon2",
    ".smr": "read_ced",
    ".smrx": "read_ced",
    ".edf": "read_edf",
    ".brw": "read_biocam",
    ".rec": "read_spikegadgets",
    ".nex": "read_neuroexplorer",
}
_FOLDER_READERS = {"*.meta": "read_spikeglx", "structure.oebin": "read_openephys", "*.ncs": "read_neuralynx"}
_OPENABLE = (
    "a raw binary file (.raw .bin .dat with --sampling-frequency, --n-channels, --dtype and --probe), "
    "a folder of 'ncpgui simulate', a SpikeInterface folder or .zarr, or one of "
    + " ".join((*_FILE_READERS, *HDF5_ENDINGS))
)


def open_recording(
    path: str | Path,
    *,
    probe: str | Path | Probe | dict[str, Any] | None = None,
    sampling_frequency: float | None = None,
    n_channels: int | None = None,
    dtype: str | None = None,
) -> Recording:
    """Open a recording without reading its traces.

    Parameters
    ----------
    path : file or folder
    probe : overrides the recording's own; see `probes.load_probe`. Needed for raw files
    sampling_frequency : Hz; n_channels; dtype : of raw files ("int16" when left out)

    Raises
    ------
    RecordingError
        The file is missing, empty, truncated, or of a format that cannot be read.
    InputError
        An option is missing or makes no sense, or the probe is of another size.
    """
    place = existing_path(path)
    options: dict[str, Any] = {}
    found: Probe | None
    if place.is_dir() and simulated_folder.is_simulated_folder(place):
        extractor, found = _simulated(place)
    elif place.is_dir():
        extractor, found = _spikeinterface(place)
    elif place.suffix.lower() in RAW_ENDINGS or (sampling_frequency is not None and n_channels is not None):
        options = {
            "sampling_frequency": sampling_frequency,
            "n_channels": n_channels,
            "dtype": dtype or "int16",
        }
        extractor, found = _raw(place, probe, **options), None
    else:
        extractor, found = _spikeinterface(place)
    extractor = _one_segment(extractor)
    channels = extractor.get_num_channels()
    if n_channels is not None and n_channels != channels:
        raise InputError(
            f"{place} has {channels} channels, but {n_channels} were asked for; leave --n-channels out"
        )
    if probe is not None:
        options["probe"] = describe_probe(probe)
        found = load_probe(probe, n_channels=channels)
    if found is None:
        found = _own_probe(extractor, place)
    reference = RecordingReference(
        path=str(place),
        options=options,
        fingerprint=fingerprint(place),
        n_channels=channels,
        sampling_frequency_hz=float(extractor.get_sampling_frequency()),
        n_samples=int(extractor.get_num_samples(segment_index=0)),
    )
    return ExtractorRecording(extractor, probe=found, reference=reference)


def recording_of(extractor: BaseRecording, *, probe: str | Path | Probe | None = None) -> Recording:
    """Return a recording that SpikeInterface has open, for `ncpgui.sort`; it cannot be opened again by path.

    Raises
    ------
    InputError
        It has no probe, and none is given; or the probe is of another size.
    """
    joined = _one_segment(extractor)
    channels = joined.get_num_channels()
    n_samples = int(joined.get_num_samples(segment_index=0))
    start = np.ascontiguousarray(joined.get_traces(start_frame=0, end_frame=min(n_samples, 10_000)))
    place = load_probe(probe, n_channels=channels) if probe is not None else None
    reference = RecordingReference(
        path="",
        options={},
        fingerprint=hashlib.sha256(start.tobytes()).hexdigest(),
        n_channels=channels,
        sampling_frequency_hz=float(joined.get_sampling_frequency()),
        n_samples=n_samples,
    )
    place = place or _own_probe(joined, Path("the recording"))
    return ExtractorRecording(joined, probe=place, reference=reference)


def reopen(reference: RecordingReference) -> Recording:
    """Open the recording of a session again.

    Raises
    ------
    RecordingError
        It moved, or is not the one that was sorted.
    """
    if not reference.path:
        raise RecordingError(
            "this sorting was made from traces in memory, which no file holds; "
            "save the recording to a folder and sort that"
        )
    path = Path(reference.path)
    if not path.exists():
        raise RecordingError(
            f"the recording {path} is not there any more; put it back, mount its disk, "
            "or choose its new place with File > Locate recording"
        )
    if fingerprint(path) != reference.fingerprint:
        raise RecordingError(
            f"{path} changed since it was sorted (its size or its contents differ); "
            "put the original back, or sort the new recording into a new session"
        )
    if COLUMNS in reference.options:
        return open_columns(path, **reference.options)
    return open_recording(path, **reference.options)


def gain_uv(recording: Recording) -> NDArray[np.float64] | None:
    """µV that one unit of the traces is, (n_channels,) float64; None where the recording does not say."""
    gains = recording.extractor().get_channel_gains()
    if gains is None or not (np.isfinite(gains) & (np.asarray(gains) > 0)).all():
        return None
    return np.asarray(gains, dtype=np.float64)


def _raw(
    path: Path,
    probe: str | Path | Probe | dict[str, Any] | None,
    *,
    sampling_frequency: float | None,
    n_channels: int | None,
    dtype: str,
) -> BaseRecording:
    if probe is not None and n_channels is None:
        n_channels = load_probe(probe).n_channels
    needed = {
        "sampling frequency (--sampling-frequency)": sampling_frequency,
        "number of channels (--n-channels)": n_channels,
        "probe (--probe)": probe if n_channels != 1 else "single",
    }
    missing = [name for name, value in needed.items() if value is None]
    if missing:
        raise InputError(
            f"{path.name} is a raw binary file, which does not say its {' or '.join(missing)}; give it"
        )
    assert sampling_frequency is not None
    assert n_channels is not None
    if not (np.isfinite(sampling_frequency) and sampling_frequency > 0):
        raise InputError(f"sampling frequency must be a positive number of Hz, got {sampling_frequency}")
    if n_channels < 1:
        raise InputError(f"number of channels must be at least 1, got {n_channels}")
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise InputError(
            f"dtype '{dtype}' is unknown; use int16, uint16, int32, float32 or float64"
        ) from error
    if kind.kind not in "iuf":
        raise InputError(f"dtype '{dtype}' cannot hold traces; use int16, uint16, int32, float32 or float64")
    _check_size(path, n_channels, kind)
    if probe is not None:
        load_probe(probe, n_channels=n_channels)
    from spikeinterface.core import BinaryRecordingExtractor

    return BinaryRecordingExtractor(
        [path], sampling_frequency=float(sampling_frequency), dtype=kind.str, num_channels=int(n_channels)
    )


def _check_size(path: Path, n_channels: int, dtype: np.dtype[Any]) -> None:
    size, frame = path.stat().st_size, n_channels * dtype.itemsize
    if size == 0:
        raise RecordingError(f"{path} is empty (0 bytes); copy the recording again")
    if size % frame:
        raise RecordingError(
            f"{path} has {size} bytes, not a multiple of {frame} ({n_channels} channels of {dtype.name}): "
            f"{size % frame} bytes are left over. Either the file is truncated (copy it again), "
            "or the number of channels or the dtype is wrong"
        )


def _simulated(folder: Path) -> tuple[BaseRecording, Probe]:
    values = simulated_folder.read_description(folder)
    kind = np.dtype(str(values.get("dtype", simulated_folder.DTYPE)))
    n_channels = int(values["n_channels"])
    _check_size(folder / simulated_folder.TRACES, n_channels, kind)
    probe = load_probe(folder / simulated_folder.PROBE, n_channels=n_channels)
    from spikeinterface.core import BinaryRecordingExtractor

    return (
        BinaryRecordingExtractor(
            [folder / simulated_folder.TRACES],
            sampling_frequency=float(values["sampling_frequency_hz"]),
            dtype=kind.str,
            num_channels=n_channels,
            gain_to_uV=values.get("gain_uv"),
            offset_to_uV=0.0 if "gain_uv" in values else None,
        ),
        probe,
    )


def _spikeinterface(path: Path) -> tuple[BaseRecording, Probe | None]:
    from spikeinterface.core import BaseRecording, SortingAnalyzer

    loaded = _guarded(path, *_reader_for(path))
    if isinstance(loaded, SortingAnalyzer):
        if not loaded.has_recording():
            raise RecordingError(
                f"{path} is a sorting analyzer whose recording is not at hand; open the recording itself"
            )
        loaded = loaded.recording
    if not isinstance(loaded, BaseRecording):
        raise RecordingError(
            f"{path} holds a {type(loaded).__name__}, not a recording; give the recording itself"
        )
    return loaded, None


def _reader_for(path: Path) -> tuple[Callable[[], Any], str]:
    """Return the call that opens `path`, and as what; each reader is imported only when it runs."""
    if path.is_dir():
        known = (
            "spikeinterface_info.json",
            "si_folder.json",
            "cached.json",
            "cached.pkl",
            "cached.pickle",
            ".zattrs",
            ".zgroup",
        )
        if path.suffix == ".zarr" or any((path / name).is_file() for name in known):
            return partial(load_saved, path), ""
        for pattern, reader in _FOLDER_READERS.items():
            if next(path.rglob(pattern), None) is not None:
                return partial(_extractor, reader, path), ""
        raise RecordingError(f"no recording is known in the folder {path}; what can be opened: {_OPENABLE}")
    if path.stat().st_size == 0:
        raise RecordingError(f"{path} is empty (0 bytes); copy the recording again")
    if path.suffix.lower() == ".json":
        return partial(load_saved, path), ""
    if path.suffix.lower() in HDF5_ENDINGS:
        maker, read = hdf5_format(path)
        return partial(read, path), f" as a recording of {maker}"
    name = _FILE_READERS.get(path.suffix.lower())
    if name is None:
        raise RecordingError(f"the format of {path} is not known; what can be opened: {_OPENABLE}")
    if name == "read_plexon2":
        _check_plexon_library(path)
    return partial(_extractor, name, path), ""


def _check_plexon_library(path: Path) -> None:
    """Raise RecordingError where the reader would download a library of Plexon's."""
    wide = platform.architecture()[0] == "64bit" and platform.system() in ("Windows", "Darwin")
    library = Path.home() / ".plexon_dlls_for_neo" / ("PL2FileReader64.dll" if wide else "PL2FileReader.dll")
    if not library.is_file():
        raise RecordingError(
            f"{path} needs Plexon's own library, {library.name}, which ncpgui does not download; "
            f"put it into {library.parent}, or convert the recording to .plx with Plexon's PlexUtil"
        )


def _guarded(path: Path, read: Callable[[], Any], kind: str) -> Any:
    """Run another library's reader; whatever it raises becomes a RecordingError."""
    try:
        return read()
    except RecordingError:
        raise
    except ImportError as error:
        raise RecordingError(
            f"{path} needs a package that is not installed: {error}; install it with pip"
        ) from error
    except Exception as error:
        text = str(error).strip().splitlines()
        detail = text[0] if text else type(error).__name__
        raise RecordingError(
            f"SpikeInterface cannot read {path}{kind} ({type(error).__name__}: {detail}); "
            f"what can be opened: {_OPENABLE}"
        ) from error


def _extractor(name: str, path: Path) -> Any:
    import spikeinterface.extractors

    return getattr(spikeinterface.extractors, name)(path)


def _one_segment(extractor: BaseRecording) -> BaseRecording:
    if extractor.get_num_segments() == 1:
        return extractor
    from spikeinterface.core import concatenate_recordings

    return concatenate_recordings([extractor])


def _own_probe(extractor: BaseRecording, path: Path) -> Probe:
    if extractor.has_probe():
        try:
            return from_probeinterface(extractor.get_probegroup().probes)
        except InputError as error:
            raise InputError(f"{path}: {error}, or give another with --probe") from error
    if extractor.get_num_channels() == 1:
        return load_probe("single")
    raise InputError(
        f"{path} does not say where its {extractor.get_num_channels()} contacts are; give --probe "
        "(a probeinterface JSON, .prb or CSV file, or a name such as tetrode, hex49, linear-16-25)"
    )
