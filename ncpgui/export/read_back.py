"""Decisions that were made elsewhere about the units that a session reviews: in phy, or as a curation.

Of a folder of Phy these are its clusters and labels as they are now, and the propositions that were rejected
or accepted there. Of SpikeInterface it is a curation of format 1 or 2, or a list of such steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.counted import some
from ncpgui.core.errors import CurationError, InputError, RecordingError
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.json_text import parse_json
from ncpgui.core.json_values import (
    a_list,
    an_object,
    member,
    named,
    text,
    unit_id,
    unit_ids,
    whole_numbers,
)
from ncpgui.core.project import Project
from ncpgui.core.regular_files import regular
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.history import History
from ncpgui.curation.taken_over import take_over
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.phy_folder import read_phy_folder
from ncpgui.ephys.phy_marks import OUT, marks_in
from ncpgui.ephys.sorting_readers import spikeinterface_sorting
from ncpgui.export.into_spikeinterface import curation_place, steps_of
from ncpgui.export.offered import reviewed_sorting
from ncpgui.export.propositions import read_review

LABELS = {"good": "good", "sua": "good", "mua": "mua", "noise": "noise"}
"""Labels of quality, in small letters, as they are here."""


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """What was decided elsewhere.

    units : (n_spikes,) unit of each spike of the project, new ones with numbers of their own, -1 = in none
    labels : unit -> good, mua or noise; apart : pairs of given units that are two neurons
    source : what it was read from; notes : what is not clear, a sentence each
    """

    units: NDArray[np.int64]
    labels: dict[int, str]
    source: str
    apart: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = field(default=())


def decided_elsewhere(project: Project, file: Path | None = None) -> Elsewhere:
    """Read what was decided elsewhere about the units of a project.

    file : a curation of SpikeInterface; where left out, what is in the folder of Phy, or where
        SpikeInterface's window keeps the curation of an analyzer

    Raises
    ------
    InputError, RecordingError
        The project reviews nothing, the folder has other spikes than were reviewed, there is nothing to read,
        or it cannot be used.
    """
    given = reviewed_sorting(project)
    folder = existing_path(given.path)
    if file is None and given.kind == PHY:
        return _of_phy(project, given, folder)
    return _of_curation(project, given, folder, _curation_of(folder) if file is None else file)


def read_back(project: Project, history: History, elsewhere: Elsewhere) -> tuple[str, ...]:
    """Do in a history what was decided elsewhere, and return what was done, in words.

    Raises
    ------
    CurationError
        The same units were changed here in another way.
    """
    return take_over(
        history,
        project.unit_of_spike,
        elsewhere.units,
        elsewhere.labels,
        source=elsewhere.source,
        apart=elsewhere.apart,
    )


def _of_phy(project: Project, given: GivenSorting, folder: Path) -> Elsewhere:
    phy = read_phy_folder(folder)
    n = len(phy.times)
    if given.rows.max(initial=-1) >= n or not np.array_equal(
        phy.times[given.rows], project.spikes.sample_index
    ):
        raise RecordingError(
            f"{folder} has other spikes than were reviewed; put its spike_times.npy back, or review it again"
        )
    units = phy.clusters[given.rows].copy()
    for mark in marks_in(folder).values():
        if mark.reviewed == given.digest and OUT in mark.clusters:
            units[units == mark.clusters[OUT]] = UNASSIGNED
    decisions, notes = read_review(folder)
    apart, unclear = [], 0
    left = [one for one in decisions if one.accepted]
    for one in decisions:
        if not one.accepted and len(one.units) == 2:
            apart.append((one.units[0], one.units[1]))
        unclear += not one.accepted and len(one.units) > 2
    if unclear:
        notes += (
            f"{unclear} propositions of more than two clusters were rejected: which are apart is not said",
        )
    units, lost = _accepted(units, left)
    if lost:
        notes += (
            f"{lost} accepted propositions are of clusters that are not there: they are not taken over",
        )
    there = set(project.unit_of_spike.tolist())
    labels = {unit: label for unit, label in phy.labels.items() if label in LABELS}
    pairs = tuple(pair for pair in apart if set(pair) <= there)
    return Elsewhere(units, labels, folder.name, pairs, notes)


def _accepted(units: NDArray[np.int64], accepted: Iterable[Any]) -> tuple[NDArray[np.int64], int]:
    """Clusters with merges that were accepted and are not in them yet, and how many cannot be done."""
    left = list(accepted)
    while left:
        there = set(np.unique(units).tolist())
        one = next((one for one in left if set(one.applied) <= there), None)
        if one is None:
            break
        result = max(there) + 1 if one.result is None or one.result in there else one.result
        units = np.where(np.isin(units, one.applied), result, units)
        left.remove(one)
    there = set(np.unique(units).tolist())
    return units, sum(one.result not in there for one in left)


def _curation_of(folder: Path) -> Path:
    """Where a curation of a sorting of SpikeInterface is."""
    place = curation_place(folder)
    found = [one for one in (place, steps_of(place)) if one.is_file()]
    if not found:
        raise InputError(
            f"there is no curation of {folder}: no {place}; name the file, 'ncpgui read-back SESSION.h5 FILE'"
        )
    return found[0]


def _of_curation(project: Project, given: GivenSorting, folder: Path, file: Path) -> Elsewhere:
    try:
        value = parse_json(regular(file).read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as a curation: {error}; give a JSON file") from error
    steps = value.get("curation_steps", [value]) if isinstance(value, dict) else value
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise InputError(
            f"{file} is not a curation of SpikeInterface (it is {named(value)}); give one of format 1 or 2, "
            "or a list of such"
        )
    every = _all_units(project, given, folder)
    names = given.called(np.unique(every).tolist())
    state = _Curated({str(name): unit for unit, name in names.items()}, every.copy(), given.highest)
    for number, step in enumerate(steps, start=1):
        try:
            state.apply(step)
        except (CurationError, ValueError) as error:
            at = f" (step {number})" if len(steps) > 1 else ""
            raise InputError(f"{file}{at} cannot be used: {error}; give one of {folder.name}") from error
    notes: tuple[str, ...] = ()
    if state.unknown:
        notes = (f"labels other than good, mua and noise are not taken over: {some(sorted(state.unknown))}",)
    return Elsewhere(state.units[given.rows], state.labels, file.name, notes=notes)


def _all_units(project: Project, given: GivenSorting, folder: Path) -> NDArray[np.int64]:
    """Unit of each spike of the folder as it was reviewed."""
    if given.kind == PHY:
        phy = read_phy_folder(folder)
        every, changed = phy.clusters, not np.array_equal(phy.clusters[given.rows], project.unit_of_spike)
    else:
        read = spikeinterface_sorting(folder, n_samples=project.spikes.n_samples, recording=project.recording)
        every, changed = read.units, read.digest != given.digest
    if changed:
        raise RecordingError(
            f"{folder} has other spikes or units than were reviewed, so that a curation of it cannot be "
            "understood; review it again"
        )
    return every


class _Curated:
    """Units of all spikes of a folder while a curation is applied, step by step.

    known : id -> unit; units : (n,) of each spike of the folder; labels : of units
    unknown : labels that are not known here
    """

    def __init__(self, known: Mapping[str, int], units: NDArray[np.int64], highest: int) -> None:
        self.known, self.units = dict(known), units
        self.labels: dict[int, str] = {}
        self.unknown: set[str] = set()
        self._in_this_step: set[int] = set()
        self._fresh = count(max(highest, int(units.max(initial=-1))) + 1)

    def apply(self, step: Mapping[str, Any]) -> None:
        """One curation: labels, removals, splits and merges, each unit in one of the last three at most."""
        version = str(step.get("format_version"))
        if version not in ("1", "2"):
            raise CurationError(f"its format_version is {version!r}, 1 and 2 are known")
        for place, entry in _listed(step, "manual_labels"):
            one = an_object(entry, place)
            labels = an_object(one.get("labels", one), f"labels of {place}")
            told = a_list(labels.get("quality", []), f"quality of {place}")
            words = [text(word, f"quality of {place}") for word in told]
            self.unknown.update(word for word in words if word.lower() not in LABELS)
            known = {LABELS[word.lower()] for word in words if word.lower() in LABELS}
            if len(known) > 1:
                raise CurationError(f"unit {one['unit_id']} has the labels {' and '.join(words)}")
            if known:
                self.labels[self._unit_of(one, place)] = known.pop()
        self._in_this_step = set()
        for place, name in _listed(step, "removed", "removed_units"):
            self.units[self.units == self._once(unit_id(name, place))] = UNASSIGNED
        for place, entry in _listed(step, "splits"):
            one = an_object(entry, place)
            self._split(self._once(unit_id(member(one, "unit_id", place), f"unit_id of {place}")), one, place)
        for place, one in _listed(step, "merges", "merge_unit_groups"):
            group = an_object({"unit_ids": one} if isinstance(one, list) else one, place)
            names = unit_ids(member(group, "unit_ids", place), f"unit_ids of {place}")
            new = group.get("new_unit_id")
            called = None if new is None else unit_id(new, f"new_unit_id of {place}")
            self._merge([self._once(name) for name in dict.fromkeys(names)], called)

    def _split(self, unit: int, one: Mapping[str, Any], place: str) -> None:
        rows = np.flatnonzero(self.units == unit)
        part = np.full(len(rows), -1)
        mode = one.get("mode", "indices")
        if mode == "labels":
            told = whole_numbers(member(one, "labels", place), f"labels of {place}")
            if len(told) != len(rows):
                raise CurationError(
                    f"unit {one['unit_id']} has {len(rows)} spikes, {len(told)} labels split it"
                )
            number_of = {label: number for number, label in enumerate(sorted(set(told)))}
            part = np.array([number_of[label] for label in told])
        elif mode == "indices":
            several = a_list(member(one, "indices", place), f"indices of {place}")
            for number, places in enumerate(several):
                at = whole_numbers(places, f"part {number + 1} of the indices of {place}")
                outside = [spike for spike in at if not 0 <= spike < len(rows)]
                if outside:
                    raise CurationError(
                        f"unit {one['unit_id']} has {len(rows)} spikes, a split names spike {outside[0]}"
                    )
                twice = [spike for spike, n in Counter(at).items() if n > 1 or part[spike] >= 0]
                if twice:
                    raise CurationError(f"a split of unit {one['unit_id']} names spike {twice[0]} twice")
                part[at] = number
            part[part < 0] = len(several)
        else:
            raise CurationError(f"mode of {place} must be 'indices' or 'labels', and is {named(mode)}")
        names = unit_ids(one.get("new_unit_ids", []), f"new_unit_ids of {place}")
        label = self.labels.pop(unit, None)
        made = {number: next(self._fresh) for number in np.unique(part).tolist()}
        for number, new in made.items():
            self.units[rows[part == number]] = new
            if label is not None:
                self.labels[new] = label
        for number, new in made.items():
            if number < len(names):
                self._call(new, names[number])

    def _merge(self, units: list[int], name: int | str | None) -> None:
        if len(set(units)) < 2:
            raise CurationError("a merge has fewer than two units")
        new = next(self._fresh)
        labels = {self.labels.pop(unit, None) for unit in units}
        self.units[np.isin(self.units, units)] = new
        if name is not None:
            self._call(new, name)
        if len(labels) == 1 and (label := labels.pop()) is not None:
            self.labels[new] = label

    def _call(self, new: int, name: int | str) -> None:
        """Let a unit have a name, which no other that is there may have."""
        other = self.known.get(str(name))
        if other is not None and (self.units == other).any():
            raise CurationError(
                f"a new unit is called {name}, as another unit is that stays; call it otherwise"
            )
        self.known[str(name)] = new

    def _once(self, name: int | str) -> int:
        """A unit that is removed, split or merged, which it may be once in a step."""
        unit = self._unit(name)
        if unit in self._in_this_step:
            raise CurationError(
                f"unit {name} is removed, split or merged more than once; say it once, or in several steps"
            )
        self._in_this_step.add(unit)
        return unit

    def _unit_of(self, one: Mapping[str, Any], place: str) -> int:
        return self._unit(unit_id(member(one, "unit_id", place), f"unit_id of {place}"))

    def _unit(self, name: int | str) -> int:
        if str(name) not in self.known:
            raise CurationError(f"there is no unit {name}")
        return self.known[str(name)]


def _listed(step: Mapping[str, Any], *names: str) -> Iterator[tuple[str, Any]]:
    """Entries of the first of some lists of a curation that has any, each with its place in words."""
    name = next((one for one in names if step.get(one)), names[0])
    told = step.get(name)
    for number, entry in enumerate([] if told is None else a_list(told, name), start=1):
        yield f"entry {number} of {name}", entry
