"""Open recordings: raw binary with a probe, our simulated folders, and what SpikeInterface reads."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import number, shown, whole_number
from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError, SeveralStreamsError
from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.channel_and_time_selection import (
    channel_numbers,
    part_of,
    silenced,
    stimulus_of,
    without_part,
)
from ncpgui.ephys.clocks import clock_of
from ncpgui.ephys.fingerprint import fingerprint_of
from ncpgui.ephys.formats import Opened, available_streams, is_undescribed, opened
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.placed_channels import columns_for, left_out, own_probe, some_columns
from ncpgui.ephys.probes import describe_probe, load_probe, load_wired_probe
from ncpgui.ephys.raw_files import check_binary, check_size, number_type, open_raw, parts_of
from ncpgui.ephys.recording import NO_RAW_DATA, Recording, check_traces
from ncpgui.ephys.simulated_folder import load_stimulus
from ncpgui.ephys.sorting_readers import open_sorting

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

__all__ = [
    "available_streams",
    "gain_uv",
    "given_recording",
    "is_undescribed",
    "load_stimulus",
    "open_recording",
    "open_sorting",
    "recording_of",
    "reopen",
    "reopen_whole",
    "stimulus_of",
]
log = logging.getLogger(__name__)


def open_recording(
    path: str | Path,
    *,
    probe: str | Path | Probe | dict[str, Any] | None = None,
    sampling_frequency: float | None = None,
    n_channels: int | None = None,
    dtype: str | None = None,
    stream: str | None = None,
    time_range_s: Sequence[float | None] | None = None,
    bad_channels: str | Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
    offset: int = 0,
    more_files: Sequence[str] = (),
) -> Recording:
    """Open a recording without reading its traces.

    Parameters
    ----------
    path : file or folder
    probe : overrides the recording's own; see `probes.load_probe`. Needed for raw files
    sampling_frequency : Hz; n_channels; dtype : of raw files ("int16" when left out)
    stream : which of several sets of channels, by name or a part of it; the only one that may hold spikes
        when left out, see `streams.chosen_stream`
    time_range_s : start and end (None: that of the recording) of the part to open, seconds of the recording's
        clock; samples count from the start of the part
    bad_channels : channels of the file, or text such as "3,17,20-23", whose traces are zero, so that
        filtering leaves them out
    columns : channels of the file that are read, in the order of the contacts of the probe; left out, those
        that the probe is wired to
    offset : bytes before the first sample of a raw file; more_files : that go on where a raw file ends

    Raises
    ------
    RecordingError
        The file is missing, empty, truncated, or of a format that cannot be read.
    InputError
        An option is missing or makes no sense, or the probe is of another size, or there are several
        streams to choose from.
    """
    sampling_frequency = (
        None if sampling_frequency is None else number(sampling_frequency, "sampling_frequency")
    )
    n_channels = None if n_channels is None else whole_number(n_channels, "n_channels")
    dtype = None if dtype is None else _dtype_text(dtype)
    if stream is not None and not isinstance(stream, str):
        raise InputError(f"stream must be a name or a part of it, got {shown(stream)}")
    bad = channel_numbers(bad_channels)
    place = existing_path(path)
    options: dict[str, Any] = {}
    found: Probe | None = None
    notes: tuple[str, ...] = ()
    second_0 = ""
    is_raw = is_undescribed(place) or (
        place.is_file() and sampling_frequency is not None and n_channels is not None
    )
    if stream is not None and (is_raw or simulated_folder.is_simulated_folder(place)):
        raise InputError(f"{place} has one stream only; leave --stream out")
    if place.is_dir() and simulated_folder.is_simulated_folder(place):
        extractor, found = _simulated(place)
    elif is_raw:
        if n_channels is None and probe is not None:
            n_channels = columns_for(load_wired_probe(probe))
        options = {
            "sampling_frequency": sampling_frequency,
            "n_channels": n_channels,
            "dtype": dtype or "int16",
            **({"offset": int(offset)} if offset else {}),
            **({"more_files": [str(Path(file).resolve()) for file in more_files]} if more_files else {}),
        }
        extractor = _raw(place, probe, **options)
    else:
        extractor, made = _spikeinterface(place, stream)
        notes, second_0 = made.notes, made.second_0
        if made.stream is not None:
            options["stream"] = made.stream
    _check_holds_samples(extractor, place)
    clock = clock_of(extractor, str(place))
    extractor = _one_segment(extractor, place)
    channels = extractor.get_num_channels()
    if n_channels is not None and n_channels != channels:
        raise InputError(
            f"{place} has {channels} channels, but {n_channels} were asked for; leave --n-channels out"
        )
    if bad:
        extractor = silenced(extractor, bad)
        options["bad_channels"] = list(bad)
    if probe is not None:
        options["probe"] = describe_probe(probe)
        wired = load_wired_probe(probe)
        found = wired.probe
        if columns is None:
            columns = wired.columns_of(channels).tolist()
            notes += left_out(columns, channels)
    if columns is not None:
        extractor, read = some_columns(extractor, columns, place)
        if read is not None:
            options["columns"] = read
        channels = extractor.get_num_channels()
    if found is None:
        found = own_probe(extractor, place)
    first = 0
    if time_range_s is not None:
        part = part_of(clock, int(extractor.get_num_samples()), time_range_s)
        extractor = extractor.frame_slice(start_frame=part.first, end_frame=part.last)
        options["time_range_s"] = list(part.range_s)
        first = part.first
    reference = RecordingReference(
        path=str(place),
        options=options,
        fingerprint=fingerprint_of(parts_of(place, more_files)),
        n_channels=channels,
        sampling_frequency_hz=float(extractor.get_sampling_frequency()),
        n_samples=int(extractor.get_num_samples(segment_index=0)),
        first_sample=first,
        own_clock=None if clock.is_plain else clock,
        second_0=second_0,
    )
    return Recording(extractor, probe=found, reference=reference, notes=notes)


def recording_of(extractor: BaseRecording, *, probe: str | Path | Probe | None = None) -> Recording:
    """Return a recording that SpikeInterface has open, for `ncpgui.sort`; it cannot be opened again by path.

    Raises
    ------
    InputError
        It is none; it has no probe, and none is given; or the probe is of another size.
    """
    extractor = given_recording(extractor)
    _check_holds_samples(extractor, Path("the recording"))
    check_traces(extractor.get_dtype())
    clock = clock_of(extractor, "the recording")
    joined = _one_segment(extractor, Path("the recording"))
    channels = joined.get_num_channels()
    if probe is None:
        place = own_probe(joined, Path("the recording"))
    else:
        wired = load_wired_probe(probe)
        joined, _ = some_columns(joined, wired.columns_of(channels).tolist(), Path("the recording"))
        place, channels = wired.probe, joined.get_num_channels()
    n_samples = int(joined.get_num_samples(segment_index=0))
    start = np.ascontiguousarray(joined.get_traces(start_frame=0, end_frame=min(n_samples, 10_000)))
    reference = RecordingReference(
        path="",
        options={},
        fingerprint=hashlib.sha256(start.tobytes()).hexdigest(),
        n_channels=channels,
        sampling_frequency_hz=float(joined.get_sampling_frequency()),
        n_samples=n_samples,
        own_clock=None if clock.is_plain else clock,
    )
    return Recording(joined, probe=place, reference=reference)


def given_recording(recording: object) -> BaseRecording:
    """A recording of SpikeInterface that a caller gives; InputError with a way out otherwise."""
    from spikeinterface.core import BaseRecording

    if isinstance(recording, BaseRecording):
        return recording
    words = f"a recording of SpikeInterface is needed, got {shown(recording)}"
    if isinstance(recording, (str, Path)):
        raise InputError(
            f"{words}; open the file first, such as spikeinterface.full.read_spikeglx(...) or "
            "read_binary(...), or sort it with 'ncpgui sort'"
        )
    if isinstance(recording, np.ndarray):
        raise InputError(
            f"{words}; make one: spikeinterface.full.NumpyRecording([traces], sampling_frequency)"
        )
    if hasattr(recording, "extractor"):
        raise InputError(f"{words}; give its extractor()")
    raise InputError(f"{words}; open one with SpikeInterface")


def _dtype_text(dtype: object) -> str:
    """A dtype as text: of NumPy, or the name of one; other text stays, and is refused where it is read."""
    if isinstance(dtype, str):
        return dtype
    try:
        if not isinstance(dtype, (type, np.dtype)):
            raise TypeError
        return str(np.dtype(dtype).str)
    except TypeError:
        raise InputError(f"dtype must be a name such as int16, got {shown(dtype)}") from None


def reopen(reference: RecordingReference) -> Recording:
    """Open the recording of a session again.

    Raises
    ------
    RecordingError
        It moved, or is not the one that was sorted.
    """
    if not reference.has_traces:
        raise MissingRecordingError(NO_RAW_DATA)
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
    files = parts_of(path, reference.options.get("more_files", ()))
    if fingerprint_of(files) != reference.fingerprint:
        raise RecordingError(
            f"{path} changed since it was sorted (its size or its contents differ); "
            "put the original back, or sort the new recording into a new session"
        )
    try:
        return open_recording(path, **reference.options)
    except (RecordingError, SeveralStreamsError):
        raise
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise RecordingError(
            f"the session opens {path} with options that cannot be used ({error}); "
            "use a backup of the session, or sort the recording again"
        ) from error


def reopen_whole(reference: RecordingReference) -> Recording:
    """Open all of the recording of a session again, also where a part of it was sorted.

    Raises
    ------
    RecordingError
        It moved, or is not the one that was sorted.
    """
    return reopen(replace(reference, options=without_part(reference.options)))


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
    offset: int = 0,
    more_files: Sequence[str] = (),
) -> BaseRecording:
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
    return open_raw(
        parts_of(path, more_files),
        sampling_frequency=sampling_frequency,
        n_channels=n_channels,
        dtype=dtype,
        offset=offset,
    )


def _simulated(folder: Path) -> tuple[BaseRecording, Probe]:
    values = simulated_folder.read_description(folder)
    kind = number_type(str(values.get("dtype", simulated_folder.DTYPE)))
    n_channels = int(values["n_channels"])
    check_size(folder / simulated_folder.TRACES, n_channels, kind)
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


def _spikeinterface(path: Path, stream: str | None) -> tuple[BaseRecording, Opened]:
    from spikeinterface.core import BaseRecording, SortingAnalyzer

    made = opened(path, stream)
    loaded = made.loaded
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
    check_binary(loaded)
    return loaded, made


def _check_holds_samples(extractor: BaseRecording, place: Path) -> None:
    """Raise RecordingError where a file has a header and nothing behind it."""
    n_channels = int(extractor.get_num_channels())
    n_samples = sum(extractor.get_num_samples(segment) for segment in range(extractor.get_num_segments()))
    if n_samples == 0 or n_channels == 0:
        raise RecordingError(
            f"{place} holds no traces: it has {n_channels} channels and {n_samples} samples; copy the "
            "recording again, with all its files"
        )


def _one_segment(extractor: BaseRecording, path: Path) -> BaseRecording:
    """The recording itself, or its segments end to end, which is said."""
    n_segments = extractor.get_num_segments()
    if n_segments == 1:
        return extractor
    from spikeinterface.core import concatenate_recordings

    log.warning("%s has %d segments; they are sorted as one recording, joined end to end", path, n_segments)
    return concatenate_recordings([extractor])
