"""What a sorting or a review is of, and what it is made with: two of the same have the same result.

A run that was stopped goes on only where all of this is the same (`session.steps_folder`). How many work at a
time, and where, is not among it: the result does not depend on that.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ncpgui import __version__
from ncpgui.core.config import to_dict
from ncpgui.sorting.config import SortingConfig

if TYPE_CHECKING:
    from ncpgui.core.clock import Clock
    from ncpgui.core.spikes import Sorting
    from ncpgui.ephys.recording import Recording

LIBRARIES = ("numpy", "scipy", "numba", "torch", "scikit-learn", "spikeinterface")
"""Whose versions may change a bit of the result."""
PARTS = ("core", "engine", "ephys", "evidence", "sorting")
"""Packages of ncpgui that results are made by."""


def run_of(
    recording: Recording,
    config: SortingConfig,
    sorting: Sorting | None = None,
    *,
    together: Sequence[Sequence[int]] = (),
) -> dict[str, Any]:
    """Return plain values that tell a run from every other; `sorting` is the one that is reviewed.

    together : groups of its units that are asked about together

    Raises
    ------
    CheckpointError
        The model cannot be found.
    InputError
        The device is not there.
    """
    from ncpgui.engine.device import resolve_device
    from ncpgui.engine.networks.model_files import find_model

    model, reference = find_model(config.model), recording.reference
    return {
        "command": "sort" if sorting is None else "review",
        "settings": to_dict(config) | {"model": model.stem, "device": resolve_device(config.device).type},
        "model": {"weights": _digest_of(model), "card": _digest_of(model.with_suffix(".json"))},
        "recording": {
            "contents": reference.fingerprint,
            "n_samples": recording.n_samples,
            "n_channels": recording.n_channels,
            "sampling_frequency_hz": recording.sampling_frequency_hz,
            "probe": _digest(recording.probe.positions_um, recording.probe.shank),
            "first_sample": reference.first_sample,
            "clock": "" if reference.own_clock is None else _digest(*_of_clock(reference.clock)),
            "options": {name: str(value) for name, value in reference.options.items()},
        },
        "together": [list(group) for group in together],
        "units": "" if sorting is None else _digest(sorting.sample_index, sorting.unit_id),
        "versions": {
            "ncpgui": __version__,
            "source of ncpgui": source_digest(),
            "Python": ".".join(platform.python_version_tuple()[:2]),
            **{name: version_of(name) for name in LIBRARIES},
        },
    }


@cache
def source_digest() -> str:
    """Digest of the source that results are made by: a checkout changes under one version number."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for part in PARTS:
        for file in sorted((package / part).rglob("*.py")):
            digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _of_clock(clock: Clock) -> tuple[Any, ...]:
    return np.array(clock.sampling_frequency_hz), clock.sample, clock.time_s, clock.segment_start


@cache
def version_of(library: str) -> str:
    """Version of an installed library; it is in a file that takes 7 ms to read."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "unknown"


def _digest_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        digest.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
    return digest.hexdigest()
