"""Waveforms and features of the sampled spikes, beside the session; may be deleted at any time.

Each channel is kept under a key made of the recording's fingerprint, the times of its sampled
spikes and its channels. What does not match the session is ignored: no waveform of another
sorting is ever shown.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import SessionError
from ncpgui.core.group import ChannelGroup, GroupWaveforms
from ncpgui.core.project import Project
from ncpgui.session.codecs import create_group, element, read_array, write_array
from ncpgui.session.hdf5_file import written_hdf5
from ncpgui.session.schema import CACHE_VERSION, WAVEFORM_CACHE
from ncpgui.session.swap import swapped

logger = logging.getLogger(__name__)

_LARGEST = float(np.finfo(np.float16).max)


def cache_key(project: Project, group: ChannelGroup) -> str:
    """Tell which waveforms these are: the same recording, spikes and channels give the same key."""
    digest = hashlib.blake2b(project.recording.fingerprint.encode(), digest_size=16)
    times = project.spikes.sample_index[group.spike_ids[group.sampled]]
    for values in (group.neighbours, times):
        digest.update(np.ascontiguousarray(values, dtype="<i8").tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def update(path: Path, project: Project) -> None:
    """Bring the cache up to date with `project.waveforms`; channels cached before and still valid stay.

    Nothing is written when nothing changed. Values are kept as float16 (noise sd to 3 digits).
    """
    keys = {g.channel: cache_key(project, g) for g in project.groups}
    known = _cached_keys(path)
    fresh = {channel: value for channel, value in project.waveforms.items() if channel in keys}
    if all(known.get(channel) == keys[channel] for channel in fresh):
        return
    kept = [c for c, key in known.items() if keys.get(c) == key and c not in fresh]
    with swapped(path) as beside, written_hdf5(beside) as file:
        file.attrs["encoding"] = WAVEFORM_CACHE
        file.attrs["version"] = CACHE_VERSION
        if kept:
            with h5py.File(path, "r", locking=False) as old:
                for channel in kept:
                    old.copy(str(channel), file)
        for channel, value in fresh.items():
            group = create_group(file, str(channel), "group-waveforms")
            group.attrs["key"] = keys[channel]
            write_array(group, "waveforms", _half(value.waveforms), unit="noise sd", compressed=False)
            write_array(group, "features", _half(value.features), compressed=False)


def load(path: Path, project: Project) -> dict[int, GroupWaveforms]:
    """Waveforms of the channels that are cached and belong to `project`; {} without a cache."""
    result: dict[int, GroupWaveforms] = {}
    try:
        with h5py.File(path, "r", locking=False) as file:
            if not _is_cache(file):
                return {}
            for group in project.groups:
                node = file.get(str(group.channel))
                if node is None or node.attrs.get("key") != cache_key(project, group):
                    continue
                element(file, str(group.channel), "group-waveforms")
                n = len(group.sampled)
                result[group.channel] = GroupWaveforms(
                    read_array(node, "waveforms", np.float32, shape=(n, None, len(group.neighbours))),
                    read_array(node, "features", np.float32, shape=(n, None)),
                )
    except FileNotFoundError:
        return {}
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, SessionError) as error:
        logger.warning("the waveform cache %s is damaged and is ignored: %s", path, error)
    return result


def _cached_keys(path: Path) -> dict[int, str]:
    try:
        with h5py.File(path, "r", locking=False) as file:
            if not _is_cache(file):
                return {}
            return {int(name): str(node.attrs["key"]) for name, node in file.items()}
    except (OSError, RuntimeError, KeyError, ValueError, TypeError):
        return {}


def _is_cache(file: h5py.File) -> bool:
    return bool(file.attrs.get("encoding") == WAVEFORM_CACHE and file.attrs.get("version") == CACHE_VERSION)


def _half(values: NDArray[np.floating]) -> NDArray[np.float16]:
    clipped: NDArray[np.floating] = np.clip(values, -_LARGEST, _LARGEST)
    return clipped.astype(np.float16)
