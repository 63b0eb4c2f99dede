"""A finished sorting without its recording as a project: nothing to sample, everything else to look at."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.config import to_dict
from ncpgui.core.errors import MissingRecordingError, RecordingError
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.project import Project
from ncpgui.core.spikes import Sorting, SpikeEvents
from ncpgui.ephys.phy_shapes import read_phy_shapes
from ncpgui.sorting.config import SortingConfig

if TYPE_CHECKING:
    from ncpgui.ephys.recording import Recording

log = logging.getLogger(__name__)

NO_POSTERIOR = "no waveforms: the posterior is sampled from the raw data, which is not at hand"


def project_without_traces(
    recording: Recording, sorting: Sorting, given: GivenSorting, config: SortingConfig
) -> Project:
    """Units as they were given, in no component; main contacts and heights of spikes as templates say."""
    n = len(sorting)
    channel, amplitude = np.zeros(n, np.int32), np.zeros(n, np.float32)
    try:
        shapes = shapes_of(given, n_contacts=recording.n_channels, rate_hz=recording.sampling_frequency_hz)
    except RecordingError as error:
        shapes = None
        log.warning("%s: all units are shown at the first contact, and spikes without a height", error)
    if shapes is not None:
        channel, amplitude = _main_contacts(shapes, sorting.unit_id)
    return Project(
        recording=recording.reference,
        probe=recording.probe,
        spikes=SpikeEvents(
            sorting.sample_index, channel, amplitude, recording.sampling_frequency_hz, recording.n_samples
        ),
        noise_sd=np.ones(recording.n_channels, np.float32),
        components=(),
        unit_of_spike=sorting.unit_id,
        probability=np.ones(n, np.float32),
        settings=to_dict(config),
        model="",
        given=given,
    )


def shapes_of(given: GivenSorting, *, n_contacts: int, rate_hz: float) -> GivenShapes:
    """What the folder of a finished sorting keeps of the shapes of its spikes.

    Raises
    ------
    RecordingError
        It keeps nothing, is not there any more, or is damaged.
    """
    if given.kind != PHY:
        raise RecordingError(f"{given.path} keeps no templates that can be shown without its recording")
    folder = Path(given.path)
    if not folder.is_dir():
        raise MissingRecordingError(f"{folder} is not there any more; put it back, or mount its disk")
    return read_phy_shapes(folder, given.rows, n_contacts=n_contacts, sampling_frequency_hz=rate_hz)


def _main_contacts(
    shapes: GivenShapes, units: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Contact on which each spike is largest, and the height of its trough or peak there."""
    ends = np.stack([shapes.templates.min(axis=1), shapes.templates.max(axis=1)])  # (2, K, C)
    main = np.ptp(ends, axis=0).argmax(axis=1)
    low, high = ends[:, np.arange(len(main)), main]
    height = np.where(high > -low, high, low)
    return main[shapes.template].astype(np.int32), (height[shapes.template] * shapes.scale).astype(np.float32)
