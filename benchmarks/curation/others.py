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


def merged(analyzer: SortingAnalyzer, preset: str) -> tuple[NDArray[np.int64], int, str]:
    """Unit of each spike, in the order of the sorting, after the merges of a preset; how many there are.

    A preset that fails merges nothing: the last is why, '' where it went well.
    """
    from spikeinterface.curation import compute_merge_unit_groups

    failure, groups = "", []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            groups = compute_merge_unit_groups(analyzer, preset=preset, progress_bar=False)
        except Exception as error:  # such as of places of spikes that are nan
            failure = f"{type(error).__name__}: {error}".splitlines()[0]
    place = {unit: number for number, unit in enumerate(analyzer.unit_ids)}
    unit = analyzer.sorting.to_spike_vector()["unit_index"].astype(np.int64)
    for group in groups:
        rows = [place[one] for one in group]
        unit[np.isin(unit, rows)] = rows[0]
    return unit, len(groups), failure


def bombcell_labels(analyzer: SortingAnalyzer) -> tuple[NDArray[np.str_], str]:
    """Bombcell's label of each unit: good, mua, noise or non_soma; SpikeInterface's thresholds.

    Where that fails, no unit has one: the last is why, '' where it went well.
    """
    from spikeinterface.curation import bombcell_label_units

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            analyzer.compute(["template_metrics", "quality_metrics"], verbose=False, progress_bar=False)
            labels = bombcell_label_units(sorting_analyzer=analyzer).iloc[:, 0].to_numpy()
        except Exception as error:
            why = f"{type(error).__name__}: {error}".splitlines()[0]
            return np.full(analyzer.get_num_units(), ""), why
    return np.asarray(labels, dtype=np.str_), ""
