"""What SpikeInterface's own curation makes of a sorting: merges of each preset, and Bombcell's labels."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import (
    BaseRecording,
    BaseSorting,
    SortingAnalyzer,
    create_sorting_analyzer,
)

PRESETS = ("similarity_correlograms", "temporal_splits", "x_contaminations", "feature_neighbors", "slay")
EXTENSIONS = (
    "random_spikes",
    "waveforms",
    "noise_levels",
    "templates",
    "unit_locations",
    "spike_locations",
    "spike_amplitudes",
    "correlograms",
    "template_similarity",
    "principal_components",
)
"""What presets and labels ask for, each with SpikeInterface's settings."""


def analyzer_of(recording: BaseRecording, sorting: BaseSorting) -> SortingAnalyzer:
    """Return an analyzer of the band-passed recording, with all that the others of this module ask for."""
    from spikeinterface.preprocessing import bandpass_filter, common_reference

    filtered = common_reference(bandpass_filter(recording, dtype="float32"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        analyzer = create_sorting_analyzer(sorting, filtered, sparse=True, verbose=False)
        analyzer.compute(list(EXTENSIONS), verbose=False, progress_bar=False)
    return analyzer


def merged(analyzer: SortingAnalyzer, preset: str) -> tuple[NDArray[np.int64], int]:
    """Unit of each spike, in the order of the sorting, after the merges of a preset; how many there are."""
    from spikeinterface.curation import compute_merge_unit_groups

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        groups = compute_merge_unit_groups(analyzer, preset=preset, progress_bar=False)
    place = {unit: number for number, unit in enumerate(analyzer.unit_ids)}
    unit = analyzer.sorting.to_spike_vector()["unit_index"].astype(np.int64)
    for group in groups:
        rows = [place[one] for one in group]
        unit[np.isin(unit, rows)] = rows[0]
    return unit, len(groups)


def bombcell_labels(analyzer: SortingAnalyzer) -> NDArray[np.str_]:
    """Bombcell's label of each unit: good, mua, noise or non_soma; SpikeInterface's thresholds."""
    from spikeinterface.curation import bombcell_label_units

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        analyzer.compute(["template_metrics", "quality_metrics"], verbose=False, progress_bar=False)
        labels = bombcell_label_units(sorting_analyzer=analyzer)
    return np.asarray(labels.iloc[:, 0].to_numpy(), dtype=np.str_)
