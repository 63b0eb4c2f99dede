"""Decisions as a curation for SpikeInterface, beside the sorting, which stays as it is.

An analyzer has it where its window looks for one, ``spikeinterface_gui/curation_data.json``; of a sorting or
an NWB file it is ``NAME_curation.json``. That is one curation, which `load_curation` reads. Decisions that
need two, one after the other, are a list of both in ``curation_steps.json``, or ``NAME_curation_steps.json``:
the window, and `load_curation`, fail with a list.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import ncpgui
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.files import make_folder
from ncpgui.core.given import GivenSorting
from ncpgui.core.project import Project
from ncpgui.core.replaced_set import alone_in, finish, replace_together
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.phy_marks import BACKUP
from ncpgui.ephys.proposals import WRITER
from ncpgui.ephys.sorting_readers import ReadSorting, spikeinterface_sorting
from ncpgui.ephys.strays import with_strays
from ncpgui.export.curation_json import curation_steps, object_in, with_others_labels
from ncpgui.export.written_back import OTHERWISE, WrittenBack, changed, unreadable


def write_curation(project: Project, given: GivenSorting, decisions: CuratedSorting) -> WrittenBack:
    """Write the curation that makes the units as they stand of those that were given.

    Raises
    ------
    ExportError
        The sorting is gone or changed since it was read, or the curation cannot be written.
    """
    folder = Path(given.path)
    read = _read(given, project)
    decided = _decided(given, project, decisions)
    labels = {**given.labels, **decisions.labels}
    labels = {unit: label for unit, label in labels.items() if label != "unsorted"}
    place, steps_place = curation_place(folder), steps_of(curation_place(folder))
    told = {unit: label for unit, label in decisions.labels.items() if label != "unsorted"}
    as_given = not decided and told == given.labels
    if as_given and not place.exists() and not steps_place.exists():
        return WrittenBack(folder, (), 0, None)
    steps = curation_steps(
        read.units,
        with_strays(read.units, given.rows, decisions.unit_of_spike),
        labels,
        given.names,
        silent=given.silent,
        highest=given.highest,
    )
    place_of = {name: row for row, name in enumerate(given.called(read.order).values())}
    steps[0]["unit_ids"].sort(key=place_of.__getitem__)  # up to 0.104 SpikeInterface wants its own order
    wanted, other = (place, steps_place) if len(steps) == 1 else (steps_place, place)
    make_folder(place.parent)
    with alone_in(place.parent, OTHERWISE):
        finish(place.parent)
        there = object_in(place)
        if len(steps) == 1 and place.exists() and there.get(WRITER) is None:  # it is somebody else's
            if not decided and not steps_place.exists():
                return WrittenBack(folder, (), 0, None)
            steps = [with_others_labels(steps[0], there, given.called(decided).values())]
        value = [{**step, WRITER: f"ncpgui {ncpgui.__version__}"} for step in steps]
        contents = (json.dumps(value[0] if len(value) == 1 else value, indent=1) + "\n").encode()
        if wanted.is_file() and wanted.read_bytes() == contents and not other.exists():
            return WrittenBack(folder, (), 0, None)
        backup = replace_together(
            place.parent, {wanted.name: contents}, f"{place.stem}.{BACKUP}", about={}, aside=[other.name]
        )
    n_moved = int((decisions.unit_of_spike != project.unit_of_spike).sum())
    note = "it is a list of two steps, which apply_curation takes and the window of SpikeInterface does not"
    return WrittenBack(place.parent, (wanted.name,), n_moved, backup, "" if wanted == place else note)


def _decided(given: GivenSorting, project: Project, decisions: CuratedSorting) -> set[int]:
    """Units as they were given of which anything was decided here."""
    moved = project.unit_of_spike[decisions.unit_of_spike != project.unit_of_spike]
    labelled = {
        unit
        for unit, label in decisions.labels.items()
        if label != given.labels.get(unit, "unsorted") and unit in project.unit_of_spike
    }
    return {*np.unique(moved).tolist(), *labelled}


def curation_place(folder: Path) -> Path:
    """Where a curation goes: where SpikeInterface's window looks for it in an analyzer, else beside."""
    if folder.suffix != ".zarr" and (folder / "sorting").is_dir():
        return folder / "spikeinterface_gui" / "curation_data.json"
    return folder.with_name(f"{folder.name}_curation.json")


def steps_of(place: Path) -> Path:
    """Where two steps go instead of the one curation at `place`."""
    return place.with_name(f"{place.stem.removesuffix('_data')}_steps.json")


def _read(given: GivenSorting, project: Project) -> ReadSorting:
    """The sorting, if it is the one that was reviewed."""
    folder = Path(given.path)
    try:
        existing_path(folder)
        read = spikeinterface_sorting(folder, n_samples=project.spikes.n_samples, recording=project.recording)
    except (RecordingError, InputError) as error:
        raise unreadable(error) from error
    same = read.digest == given.digest and np.array_equal(read.units[given.rows], project.unit_of_spike)
    if not same:
        raise changed(folder, "spikes or units")
    return read
