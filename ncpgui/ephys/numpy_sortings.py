"""Spikes of a joined recording as a sorting of SpikeInterface with all its segments; sortings as folders."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.ephys.segments import segments_of

if TYPE_CHECKING:
    from spikeinterface.core import BaseSorting, NumpySorting


def numpy_sorting(
    sample_index: NDArray[np.integer],
    unit_index: NDArray[np.integer],
    unit_ids: Sequence[Any] | NDArray[Any],
    *,
    sampling_frequency_hz: float,
    segment_start: NDArray[np.integer],
) -> tuple[NumpySorting, NDArray[np.int64]]:
    """The sorting, and which of the given spikes each of its rows is: in order of time, then of units.

    sample_index : (n,) of the joined recording, in any order; unit_index : (n,) rows of `unit_ids`
    segment_start : (k,) first sample of each segment, 0 first; a segment without spikes is there too
    """
    from spikeinterface.core import NumpySorting
    from spikeinterface.core.basesorting import minimum_spike_dtype

    order = _in_order(np.asarray(sample_index), np.asarray(unit_index))
    sample = np.asarray(sample_index, np.int64)[order]
    spikes = np.zeros(len(order), dtype=minimum_spike_dtype)
    spikes["unit_index"] = np.asarray(unit_index)[order]
    if len(segment_start) > 1:
        segment = np.searchsorted(segment_start, sample, side="right") - 1
        sample = sample - np.asarray(segment_start, np.int64)[segment]
        spikes["segment_index"] = segment
    spikes["sample_index"] = sample
    sorting = NumpySorting(spikes, sampling_frequency_hz, np.asarray(unit_ids))
    segment_of = type(segments_of(sorting)[0])
    for number in range(sorting.get_num_segments(), len(segment_start)):  # those after the last spike
        sorting.add_sorting_segment(segment_of(spikes, number, sorting.unit_ids))
    return sorting, order


def write_sorting_folder(sorting: BaseSorting, folder: Path) -> None:
    """Write a sorting as a folder that `spikeinterface.load` opens, in place of what is there."""
    from spikeinterface.core import NumpyFolderSorting

    with warnings.catch_warnings():  # it has no file that it came from, and needs none
        warnings.filterwarnings("ignore", message="The extractor is not serializable to file")
        if "overwrite" in signature(NumpyFolderSorting.write_sorting).parameters:
            NumpyFolderSorting.write_sorting(sorting, folder, overwrite=True)
        else:  # up to 0.104
            warnings.filterwarnings("ignore", message="The registered recording will not be persistent")
            sorting.save(folder=folder, overwrite=True, verbose=False)
            (folder / "provenance.pkl").unlink(missing_ok=True)


def _in_order(sample: NDArray[np.integer], unit: NDArray[np.integer]) -> NDArray[np.int64]:
    """Rows in order of time, then of units: (n,). Spikes that are in order of time are not sorted again."""
    if (sample[1:] < sample[:-1]).any():
        return np.lexsort((unit, sample)).astype(np.int64)
    order = np.arange(len(sample))
    same = np.concatenate([[False], sample[1:] == sample[:-1], [False]])
    ties = np.flatnonzero(same[1:] | same[:-1])
    order[ties] = ties[np.lexsort((unit[ties], sample[ties]))]
    return order
