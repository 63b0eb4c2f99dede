"""Recordings with known units, sorted and sampled once and kept: questions and evidence are measured on them.

Scripts that ask for the same recording get the same sorting, from a folder that keeps it. One by another
source is made again, unless it is of the development recordings, where evidence changes and sorting does not.

Draws are those of the network alone, so that any evidence can be weighed in afterwards. Beside the components
of a recording there are *planted merges*: two units of different cells, each found well, the closest first,
whose spikes are put together before the posterior is sampled, as if matching had taken them for one.
"""

from __future__ import annotations

import argparse
import contextlib
import pickle
import warnings
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, BaseSorting

from benchmarks.common.kept import add_cache
from benchmarks.common.report import REVISION
from benchmarks.recordings.ablation import apart
from benchmarks.recordings.ground_truth import GroundTruth, made, place_of
from benchmarks.recordings.sorters import DEVELOPMENT, RECORDINGS
from benchmarks.recordings.unit_scores import near
from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.files import replaced_file
from ncpgui.core.motion import Places
from ncpgui.core.project import Project
from ncpgui.core.sampled import Sampled
from ncpgui.core.seeds import stream
from ncpgui.core.source_revision import Revision, same_source
from ncpgui.ephys.preprocessing import Preprocessed
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.component_posterior import finish_component, sample_components, weighed_draws
from ncpgui.sorting.components import ComponentDraw, contacts_of, drawn_fairly
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.found import Found
from ncpgui.sorting.found_units import FoundUnits
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.pipeline import find_units, project_of, shown_first
from ncpgui.sorting.unit_distances import distances

DENSE = {
    "linear32 dense": GroundTruth("linear32", 30_000.0, 60, 150.0, seed=67),
    "hex49 dense": GroundTruth("hex49", 20_000.0, 80, 180.0, seed=68),
    "tetrode dense": GroundTruth("tetrode", 30_000.0, 14, 240.0, seed=69),
    "hex49 far, another": GroundTruth("hex49", 30_000.0, 75, 150.0, seed=70, n_far=45),
}
"""Beside those of `sorters.RECORDINGS`: more cells, so that more units are wrong."""
KINDS = RECORDINGS | DENSE
FINAL = 60
"""Added to the seeds of `sorters.RECORDINGS`: on these nothing was fitted, and no setting chosen."""
QUICK = {"tetrode": GroundTruth("tetrode", 30_000.0, 4, 20.0, seed=901)}
COINCIDENT_MS = 0.4
RIGHT_FROM = 0.8
"""A unit is right if it agrees with its best true cell by this, and wrong else."""
PLANTED = 14
"""Most merges that are planted in a recording ..."""
PLANTED_WITHIN_SD = 15.0
"""... of units no further apart than this, ..."""
WELL_FOUND = (0.9, 0.8)
"""... each of which has this precision, and agrees with its cell by this."""
ALONE = SortingConfig(heaps=False, firing_times=False)
"""Settings under which draws are those of the network."""

Draws = dict[int, tuple[Component, ComponentWaveforms]]


@dataclass(frozen=True)
class SampledComponents:
    """Components, the units in them, and their draws by the network alone."""

    units: FoundUnits
    draws: tuple[ComponentDraw, ...]
    sampled: Draws


@dataclass(frozen=True)
class SampledRecording:
    """A recording sorted once.

    project : what matching found; truth : (n, n_cells) bool, whether each spike is one of each true cell
    n_true : (n_cells,) spikes of each cell; told : (n_cells,) bool, whether each is sorted (`RIGHT_FROM`)
    where matching is given its true spikes; whole : its components; planted : merges, one a component, and
    `parts`, (n,) the unit that each spike had before
    """

    name: str
    project: Project
    truth: NDArray[np.bool_]
    n_true: NDArray[np.int64]
    told: NDArray[np.bool_]
    whole: SampledComponents
    planted: SampledComponents
    parts: NDArray[np.int64]


def add_recordings(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which recordings, and where they are kept."""
    parser.add_argument("--recordings", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--development", action="store_true", help="those that settings are chosen on")
    add_cache(parser, "sampled", "recordings and sortings")


def asked_recordings(arguments: argparse.Namespace) -> dict[str, GroundTruth]:
    """Return the recordings that a command line asks for."""
    if arguments.quick:
        return QUICK
    added = DEVELOPMENT if arguments.development else FINAL
    return {name: KINDS[name].with_seed(KINDS[name].seed + added) for name in arguments.recordings}


def sampled_recording(
    name: str, truth: GroundTruth, cache: Path, *, by_any_source: bool = False
) -> SampledRecording:
    """Return the recording of a ground truth as sorted once; from `cache`, where it was sorted before.

    by_any_source : whether a sorting by a source that has changed since will do
    """
    kept = cache / "sampled" / f"{place_of(truth, cache).name}-{truth.duration_s:g}.pkl"
    if kept.is_file():
        with kept.open("rb") as file:
            source: Revision = pickle.load(file)
            if by_any_source or (source.changed is False and same_source(str(source.commit))):
                found: SampledRecording = pickle.load(file)
                return replace(found, name=name)
    with warnings.catch_warnings(), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")
        found = _sampled(name, *made(truth, cache))
    kept.parent.mkdir(parents=True, exist_ok=True)
    with replaced_file(kept) as beside, beside.open("wb") as file:
        pickle.dump(REVISION, file)
        pickle.dump(found, file)
    return found


def _sampled(name: str, recording: BaseRecording, truth: BaseSorting) -> SampledRecording:
    opened = recording_of(recording)
    found = find_units(opened, ALONE, workers=1)
    with closing(found):
        units = found.units
        of_cell, n_true = spikes_of_cells(units.matched.sample_index, truth)
        merged = planted_merges(found, of_cell, n_true)
        parts = []
        for some, draws in ((units, found.draws), merged):
            sampled: Draws = {}
            if draws:
                sampled, _ = sample_components(replace(found, units=some), draws, workers=1)
            parts.append(SampledComponents(some, tuple(draws), sampled))
        project = project_of(found, opened.reference)
        told = told_by_true_templates(found.pre, truth, units.matched.places)
    return SampledRecording(name, project, of_cell, n_true, told, *parts, units.unit)


def told_by_true_templates(pre: Preprocessed, truth: BaseSorting, places: Places) -> NDArray[np.bool_]:
    """Whether each true cell is sorted where matching is given its true spikes: (n_cells,).

    Templates are means around the true spikes, at each place of the tissue; matching finds them again in the
    whole recording, once.
    """
    spikes = truth.to_spike_vector()
    matched = match_units(
        pre, spikes["sample_index"], spikes["unit_index"], places=places, n_rounds=1, join=apart
    )
    of_cell, n_true = spikes_of_cells(matched.sample_index, truth)
    best, agreement, _ = agreements(matched.unit, of_cell, n_true)
    return np.isin(np.arange(len(n_true)), best[agreement >= RIGHT_FROM])


def spikes_of_cells(
    sample_index: NDArray[np.integer], truth: BaseSorting
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Whether each spike is one of each true cell, (n, n_cells), and how many these have, (n_cells,)."""
    reach = round(COINCIDENT_MS * truth.sampling_frequency / 1000)
    cells = [truth.get_unit_spike_train(cell) for cell in truth.unit_ids]
    return (
        np.stack([near(sample_index, cell, reach) for cell in cells], axis=1),
        np.array([len(cell) for cell in cells]),
    )


def agreements(
    unit: NDArray[np.integer], truth: NDArray[np.bool_], n_true: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Cell with which each unit agrees best, how far, and the part of the unit that is of it: (K,) each.

    unit : (n,) 0 .. K-1, -1 = none
    """
    n_units = int(unit.max(initial=-1)) + 1
    hits = np.stack([truth[unit == k].sum(axis=0) for k in range(n_units)])
    size = np.bincount(unit[unit >= 0], minlength=n_units)
    agreement = hits / np.maximum(size[:, None] + n_true - hits, 1)
    best = agreement.argmax(axis=1)
    rows = np.arange(n_units)
    return best, agreement[rows, best], hits[rows, best] / np.maximum(size, 1)


def cell_of_spike(
    truth: NDArray[np.bool_], unit: NDArray[np.integer], best: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return the true cell of each spike, that of its unit where it may be of several; -1 = none: (n,).

    Two cells fire together by chance now and then; a spike is one of one of them.

    truth, unit, best : as of `agreements`
    """
    first = np.where(truth.any(axis=1), truth.argmax(axis=1), -1)
    of_unit = np.append(best, 0)[unit]
    own = truth[np.arange(len(unit)), of_unit] & (unit >= 0)
    return np.where(own, of_unit, first)


def planted_merges(
    found: Found, truth: NDArray[np.bool_], n_true: NDArray[np.integer]
) -> tuple[FoundUnits, list[ComponentDraw]]:
    """Units some of which are united with another, and the components of those that are."""
    units = found.units
    best, agreement, precision = agreements(units.unit, truth, n_true)
    good = (precision >= WELL_FOUND[0]) & (agreement >= WELL_FOUND[1])
    unit, taken = units.unit.copy(), set[int]()
    planted: list[tuple[int, NDArray[np.int64]]] = []
    for distance, first, second in distances(
        units.matched, sampling_frequency_hz=units.sampling_frequency_hz
    ):
        if distance > PLANTED_WITHIN_SD or len(planted) == PLANTED:
            break
        if best[first] == best[second] or not good[[first, second]].all() or taken & {first, second}:
            continue
        contacts = contacts_of([first, second], units, found.pre.probe, ALONE, found.pre.bad_channels)
        if contacts is not None:
            taken |= {first, second}
            unit[unit == second] = first
            planted.append((first, contacts))
    merged = replace(units, matched=replace(units.matched, unit=unit))
    draws = []
    for number, (first, contacts) in enumerate(planted):
        ids = np.flatnonzero(unit == first)
        sampled = drawn_fairly(unit[ids], ALONE.spikes_per_group, stream(ALONE.seed, "planted", number))
        draws.append(ComponentDraw(number, np.array([first]), contacts, ids, sampled))
    return merged, draws


def weighed(components: SampledComponents, model: str, config: SortingConfig) -> list[Component]:
    """Components given the evidence that `config` asks for."""
    result = []
    for draw in components.draws:
        if draw.id in components.sampled:
            component, kept = components.sampled[draw.id]
            assert kept.coordinates is not None
            drawn = Sampled(component.posterior, kept.features, model)
            posterior = weighed_draws(
                draw, drawn, kept.coordinates, components.units, config, waveforms=kept.waveforms
            )
            result.append(finish_component(draw, posterior, kept.coordinates, components.units, config))
    return result


def weighed_project(recording: SampledRecording, config: SortingConfig) -> Project:
    """The project of a recording given the evidence that `config` asks for, as it is shown."""
    return with_components(recording.project, weighed(recording.whole, recording.project.model, config))


def with_components(project: Project, components: Sequence[Component]) -> Project:
    """Return the project with components, each shown as its first alternative."""
    unit, probability = shown_first(project.unit_of_spike, project.probability, components)
    here = {component.id for component in components}
    return replace(
        project,
        components=tuple(components),
        waiting=tuple(one for one in project.waiting if one.id not in here),
        unit_of_spike=unit,
        probability=probability,
    )
