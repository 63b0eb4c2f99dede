"""The folder that `ncpgui simulate` writes: traces, probe, stimulus and the true spikes.

recording.raw   int16, (n_samples, n_channels), little endian
recording.json  sampling_frequency_hz, n_channels, dtype, gain_uv, settings, seed
probe.json      probeinterface
truth.npz       sample_index, unit_id and the cells (amplitude_sd, position_um, receptive fields ...)
stimulus.npz    frames (n_frames, height, width) int8, trigger_sample, pixel_um
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core import arguments, numpy_files
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.json_text import parse_json
from ncpgui.core.probe import Probe
from ncpgui.core.regular_files import regular
from ncpgui.core.spikes import Sorting
from ncpgui.core.stimulus import Stimulus

TRACES, DESCRIPTION, PROBE, TRUTH, STIMULUS = (
    "recording.raw",
    "recording.json",
    "probe.json",
    "truth.npz",
    "stimulus.npz",
)
FORMAT = "ncpgui-recording"
DTYPE = "<i2"


def is_simulated_folder(folder: Path) -> bool:
    """Whether `folder` holds traces and their description as written here."""
    return (folder / DESCRIPTION).is_file() and (folder / TRACES).is_file()


def write_description(
    folder: Path, *, sampling_frequency_hz: float, n_channels: int, gain_uv: float, more: dict[str, Any]
) -> None:
    """Write ``recording.json``; `more` holds the settings and the seed."""
    values = {
        "format": FORMAT,
        "version": 1,
        "sampling_frequency_hz": sampling_frequency_hz,
        "n_channels": n_channels,
        "dtype": DTYPE,
        "gain_uv": gain_uv,
        **more,
    }
    (folder / DESCRIPTION).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def read_description(folder: Path) -> dict[str, Any]:
    """Read ``recording.json``.

    Raises
    ------
    RecordingError
        It is not ours, or of a newer version.
    """
    path = folder / DESCRIPTION
    try:
        values = parse_json(regular(path).read_text(encoding="utf-8"))
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise ValueError(f"its format is not '{FORMAT}'")
        if int(values["version"]) > 1:
            raise ValueError(f"version {values['version']} is newer than this program knows")
        float(values["sampling_frequency_hz"])
        int(values["n_channels"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordingError(f"{path} is not the description of a recording: {error}") from error
    return values


def write_probe(folder: Path, probe: Probe) -> None:
    """Write ``probe.json`` in the format of probeinterface."""
    import probeinterface

    assert probe.shank is not None
    layout = probeinterface.Probe(ndim=2, si_units="um")
    layout.set_contacts(
        positions=probe.positions_um,
        shapes="circle",
        shape_params={"radius": 5.0},
        shank_ids=[str(shank) for shank in probe.shank],
    )
    layout.set_device_channel_indices(np.arange(probe.n_channels))
    probeinterface.write_probeinterface(folder / PROBE, layout)


def write_truth(folder: Path, truth: Sorting, cells: dict[str, NDArray[Any]]) -> None:
    """Write every true spike and the arrays that describe the cells (`unit_id` order)."""
    arrays: dict[str, Any] = {
        "sample_index": truth.sample_index,
        "unit_id": truth.unit_id,
        "sampling_frequency_hz": truth.sampling_frequency_hz,
        "n_samples": truth.n_samples,
        **{f"cell_{name}": value for name, value in cells.items()},
    }
    np.savez_compressed(folder / TRUTH, **arrays)


def read_truth(folder: Path) -> tuple[Sorting, dict[str, NDArray[Any]]]:
    """Read the true spikes and the arrays that describe the cells.

    Raises
    ------
    RecordingError
        ``truth.npz`` is missing or damaged.
    """
    arrays = read_npz(folder / TRUTH)
    cells = {name.removeprefix("cell_"): value for name, value in arrays.items() if name.startswith("cell_")}
    try:
        main = cells.get("main_channel")
        ids = cells.get("unit_id")
        truth = Sorting(
            sample_index=arrays["sample_index"],
            unit_id=arrays["unit_id"],
            sampling_frequency_hz=float(arrays["sampling_frequency_hz"]),
            n_samples=int(arrays["n_samples"]),
            main_channel={}
            if main is None or ids is None
            else {int(u): int(c) for u, c in zip(ids, main, strict=True)},
        )
    except (KeyError, TypeError, InputError) as error:
        raise RecordingError(f"{folder / TRUTH} does not hold true spikes: {error}") from error
    return truth, cells


def write_stimulus(folder: Path, stimulus: Stimulus) -> None:
    """Write ``stimulus.npz``."""
    np.savez_compressed(
        folder / STIMULUS,
        frames=stimulus.frames,
        trigger_sample=stimulus.trigger_sample,
        pixel_um=stimulus.pixel_um,
    )


def load_stimulus(path: Path | str) -> Stimulus | None:
    """Read the stimulus of a folder (its ``stimulus.npz``) or of an .npz file; None without one.

    The arrays are `frames` (n_frames, height, width), `trigger_sample` (n_frames,) and, optional,
    `pixel_um`.

    Raises
    ------
    RecordingError
        The file is damaged, has no triggers, or does not have one trigger a frame.
    """
    path = arguments.path(path, "the stimulus")
    file = path / STIMULUS if path.is_dir() else path
    if not file.is_file() or file.suffix != ".npz":
        return None
    arrays = read_npz(file)
    missing = [name for name in ("frames", "trigger_sample") if name not in arrays]
    if missing:
        raise RecordingError(
            f"{file} has no array '{missing[0]}'; a stimulus needs frames (n_frames, height, width) "
            "and trigger_sample (n_frames,), the sample at which each frame appeared"
        )
    try:
        return Stimulus(arrays["frames"], arrays["trigger_sample"], float(arrays.get("pixel_um", 1.0)))
    except (InputError, TypeError, ValueError) as error:
        raise RecordingError(f"{file}: {error}") from error


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of an .npz file; pickled objects are refused.

    Raises
    ------
    RecordingError
        The file is missing, damaged, or holds pickles.
    """
    try:
        return numpy_files.read_npz(path)
    except InputError as error:
        raise RecordingError(str(error)) from error
