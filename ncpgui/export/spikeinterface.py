"""A SpikeInterface sorting folder with properties, and a curation JSON (format 2) with an ``ncp`` block.

``spikeinterface.load(folder)`` returns the sorting; ``spikeinterface.curation.load_curation`` reads
``curation.json`` and ignores the block. ``spike_probability.npy`` and ``spike_entropy.npy`` have one
value a row of ``spikes.npy``.
"""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ncpgui.export.bundle import ExportBundle, unit_columns
from ncpgui.export.destination import exported_folder

QUALITY = {"good": "good", "noise": "noise", "mua": "MUA"}
"""Our labels in the words of SpikeInterface; units without one are not labelled there."""


def export_spikeinterface(bundle: ExportBundle, path: Path) -> Path:
    """Write the folder `path`.

    Raises
    ------
    ExportError
        The folder cannot be written.
    """
    from spikeinterface.core import NumpyFolderSorting, NumpySorting
    from spikeinterface.core.base import minimum_spike_dtype

    sorting, units = bundle.sorting, unit_columns(bundle)
    order = np.lexsort((bundle.unit_index, sorting.sample_index))
    spikes = np.zeros(len(sorting), dtype=minimum_spike_dtype)
    spikes["sample_index"] = sorting.sample_index[order]
    spikes["unit_index"] = bundle.unit_index[order]
    extractor = NumpySorting(spikes, sorting.sampling_frequency_hz, bundle.unit_ids)
    extractor.set_property("quality", np.array([QUALITY.get(label, "unsorted") for label in units.label]))
    extractor.set_property("main_channel", units.channel)
    if units.p_exists is not None:
        extractor.set_property("p_exists", units.p_exists)
    if units.probability is not None:
        extractor.set_property("probability", units.probability)
    extractor.annotate(recording=bundle.recording.path, n_samples=int(sorting.n_samples))
    with exported_folder(path) as folder:
        with warnings.catch_warnings():  # it has no file that it came from, and needs none
            warnings.filterwarnings("ignore", message="The extractor is not serializable to file")
            NumpyFolderSorting.write_sorting(extractor, folder, overwrite=True)
        for name, values in (("probability", sorting.probability), ("entropy", sorting.entropy)):
            if values is not None:
                np.save(folder / f"spike_{name}.npy", values[order].astype(np.float32))
        text = json.dumps(curation(bundle), indent=1)
        (folder / "curation.json").write_text(text + "\n", encoding="utf-8")
    return path


def curation(bundle: ExportBundle) -> dict[str, Any]:
    """Curation of format 2. Merges and removals are done already, so only labels are in it."""
    labels = zip(bundle.unit_ids, bundle.labels(), strict=True)
    return {
        "format_version": "2",
        "unit_ids": [int(unit) for unit in bundle.unit_ids],
        "label_definitions": {"quality": {"label_options": ["good", "noise", "MUA"], "exclusive": True}},
        "manual_labels": [
            {"unit_id": int(unit), "labels": {"quality": [QUALITY[label]]}}
            for unit, label in labels
            if label in QUALITY
        ],
        "merges": [],
        "splits": [],
        "removed": [],
        "ncp": {
            **bundle.ncp,
            "p_exists": {
                str(int(unit)): None if math.isnan(p) else round(float(p), 6)
                for unit, p in bundle.sorting.p_exists.items()
            },
        },
    }
