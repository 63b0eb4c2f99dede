"""Waveforms of components with all other spikes taken out, of as many components as are asked for in one go.

All spikes are taken out of all traces whichever component is looked at, so that many components cost hardly
more than one. The recording is gone through twice: for the sampled spikes, whose principal components are
those of their component, and for the coordinates of the others along these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.waveform_format import N_SAMPLES
from ncpgui.sorting.assignment import fit_features
from ncpgui.sorting.components import ComponentDraw
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.found_units import FoundUnits
from ncpgui.sorting.parts import nearest_measured

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


@dataclass(frozen=True, eq=False)
class ReadSpikes:
    """Spikes of a component: waveforms (m, 32, C) float32 of the sampled ones, coordinates (n, d) of all.

    known : (n,) bool, spikes that were read, where some were not; coordinates of the others are those of the
        nearest that was
    """

    waveforms: NDArray[np.float32]
    coordinates: NDArray[np.float32]
    known: NDArray[np.bool_] | None = None


def bytes_of(draw: ComponentDraw, config: SortingConfig) -> int:
    """Memory that the spikes of a component take once they are read."""
    waveforms = len(draw.sampled) * N_SAMPLES * len(draw.contacts)
    return 4 * (waveforms + len(draw.spike_ids) * config.assignment_dims)


def read_spikes(
    pre: Preprocessed,
    units: FoundUnits,
    draws: Sequence[ComponentDraw],
    config: SortingConfig,
    *,
    every: bool = True,
    progress: Progress = silent,
) -> dict[int, ReadSpikes]:
    """Read the spikes of components, by their ids; what is read of one does not depend on the others.

    every : all of their spikes, and not those alone that were measured (`parts`)
    """
    waveforms: dict[int, NDArray[np.float32]] = {
        draw.id: np.empty((len(draw.sampled), N_SAMPLES, len(draw.contacts)), np.float32) for draw in draws
    }
    sampled = {draw.id: draw.sampled for draw in draws}
    for draw, chosen, piece in _cleaned(pre, units, draws, sampled, progress=portion(progress, 0, 1, 2)):
        waveforms[draw.id][chosen] = piece
    spaces = {draw.id: fit_features(waveforms[draw.id], config.assignment_dims) for draw in draws}
    coordinates = {}
    for draw in draws:
        space = spaces[draw.id]
        coordinates[draw.id] = np.zeros((len(draw.spike_ids), space.basis.shape[1]), dtype=np.float32)
        coordinates[draw.id][draw.sampled] = space.project(waveforms[draw.id])
    known = {draw.id: None if every else draw.measured for draw in draws}
    rest = {draw.id: draw.rest(known[draw.id]) for draw in draws}
    for draw, chosen, piece in _cleaned(pre, units, draws, rest, progress=portion(progress, 1, 2, 2)):
        coordinates[draw.id][rest[draw.id][chosen]] = spaces[draw.id].project(piece)
    for draw in draws:
        there = known[draw.id]
        if there is not None:
            ids = draw.spike_ids
            like = nearest_measured(units.matched.sample_index[ids], units.unit[ids], there)
            coordinates[draw.id] = coordinates[draw.id][np.where(like < 0, draw.sampled[0], like)]
        if draw.follows is not None:
            coordinates[draw.id] = coordinates[draw.id][draw.follows]
    return {draw.id: ReadSpikes(waveforms[draw.id], coordinates[draw.id], known[draw.id]) for draw in draws}


def _cleaned(
    pre: Preprocessed,
    units: FoundUnits,
    draws: Sequence[ComponentDraw],
    positions: Mapping[int, NDArray[np.int64]],
    *,
    progress: Progress,
) -> Iterator[tuple[ComponentDraw, NDArray[np.int64], NDArray[np.float32]]]:
    """Yield (component, which of its `positions`, their cleaned waveforms), piece by piece."""
    from ncpgui.sorting.cleaned_waveforms import iterate_cleaned

    if not draws:
        return
    counts = [len(positions[draw.id]) for draw in draws]
    rows = np.concatenate([draw.spike_ids[positions[draw.id]] for draw in draws])
    group = np.repeat(np.arange(len(draws)), counts)
    begin = np.cumsum([0, *counts])
    reference = np.array([draw.contacts[0] for draw in draws])
    trough = units.matched.sample_index[rows] + units.trough[units.unit[rows], reference[group]]
    contacts = {number: draw.contacts for number, draw in enumerate(draws)}
    for number, chosen, piece in iterate_cleaned(
        pre, units.explained, rows, trough, group, contacts, progress=progress
    ):
        yield draws[number], chosen - begin[number], piece
