"""A SpikeInterface sorting folder with properties, and a curation JSON (format 2) with an ``ncp`` block.

``spikeinterface.load(folder)`` returns the sorting; ``spikeinterface.curation.load_curation`` reads
``curation.json`` and ignores the block. Where units were merged, ``before_merges`` inside the folder is
the sorting before that, and ``apply_curation`` makes the one of the folder of it.
``spike_probability.npy`` and ``spike_entropy.npy`` have one value a row of ``spikes.npy``. The sorting has
the segments of the recording, and counts samples: ``register_recording`` gives it the recording's times.
Where these are other seconds than samples over the sampling frequency, ``spike_times_s.npy`` has them too.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.ephys.numpy_sortings import numpy_sorting, write_sorting_folder
from ncpgui.export.bundle import NUMBERS, ExportBundle
from ncpgui.export.curation_json import QUALITY, curation_of, quality_of
from ncpgui.export.destination import SECONDS, exported_folder
from ncpgui.export.unit_ids import INT64

BEFORE = "before_merges"
"""Folder, inside the exported one, of the sorting before the merges."""


def export_spikeinterface(bundle: ExportBundle, path: Path, *, replace: bool = True) -> Path:
    """Write the folder `path`.

    Raises
    ------
    ExportError
        The folder cannot be written.
    """
    sorting, units = bundle.sorting, bundle.units
    properties: dict[str, NDArray[Any]] = {
        "quality": np.array([QUALITY.get(label, "unsorted") for label in units["label"].tolist()]),
        "main_channel": units["channel"],
        **units.some("p_exists", "probability", *NUMBERS, "sampler"),
    }
    with exported_folder(path) as folder:
        order = _write_sorting(bundle, sorting.unit_id, properties, folder)
        if bundle.merges:
            _write_sorting(bundle, bundle.parts, {}, folder / BEFORE)
        for name, values in (("probability", sorting.probability), ("entropy", sorting.entropy)):
            if values is not None:
                np.save(folder / f"spike_{name}.npy", values[order].astype(np.float32))
        if bundle.has_own_times:
            np.save(folder / SECONDS, bundle.time_s[order])
        text = json.dumps(curation(bundle), indent=1)
        (folder / "curation.json").write_text(text + "\n", encoding="utf-8")
    return path


def _write_sorting(
    bundle: ExportBundle, unit_id: NDArray[np.int64], properties: dict[str, NDArray[Any]], folder: Path
) -> NDArray[np.int64]:
    """Write the spikes with these units; returns the row of `bundle.sorting` of each row written."""
    unit_ids, index = np.unique(unit_id, return_inverse=True)
    extractor, order = numpy_sorting(
        bundle.sorting.sample_index,
        index,
        np.array(as_ids(bundle, unit_ids)),
        sampling_frequency_hz=bundle.sorting.sampling_frequency_hz,
        segment_start=bundle.recording.whole_clock.segment_start,
    )
    for name, values in properties.items():
        extractor.set_property(name, values)
    extractor.annotate(recording=bundle.recording.path, n_samples=int(bundle.sorting.n_samples))
    write_sorting_folder(extractor, folder)
    return order


def as_ids(bundle: ExportBundle, units: NDArray[np.int64]) -> list[Any]:
    """Ids of units as SpikeInterface has them: numbers if all are and have 64 bits, else text."""
    names = bundle.called(units)
    fit = all(isinstance(one, int) and INT64.min <= one <= INT64.max for one in bundle.names.values())
    return names if fit else [str(name) for name in names]


def curation(bundle: ExportBundle) -> dict[str, Any]:
    """Curation of format 2: labels and merges, about the units before the merges.

    Every part of a merged unit has its label, so that the unit gets it when the merge is applied.
    """
    labels = dict(zip(bundle.unit_ids.tolist(), bundle.units["label"].tolist(), strict=True))
    merges = bundle.merges
    part_of = {part: unit for unit, parts in merges.items() for part in parts}
    units = np.unique(bundle.parts).tolist()
    every = [*units, *merges]
    name = dict(zip(every, as_ids(bundle, np.array(every, dtype=np.int64)), strict=True))
    told = [(unit, labels[part_of.get(unit, unit)]) for unit in units]
    return {
        **curation_of(
            [name[unit] for unit in units],
            [
                {"unit_ids": [name[part] for part in parts], "new_unit_id": name[unit]}
                for unit, parts in merges.items()
            ],
            quality=[quality_of(name[unit], label) for unit, label in told if label in QUALITY],
        ),
        "ncp": {
            **bundle.ncp,
            "p_exists": {
                str(bundle.names.get(int(unit), int(unit))): None if math.isnan(p) else round(float(p), 6)
                for unit, p in bundle.sorting.p_exists.items()
            },
        },
    }
