"""Metrics of units are SpikeInterface's, to the last bit, without its analyzer."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ncpgui.analysis.unit_metrics import UnitMetrics, unit_metrics
from ncpgui.core.progress import Cancelled


def test_values_equal_those_of_spikeinterface() -> None:
    from spikeinterface.core import create_sorting_analyzer, generate_ground_truth_recording

    recording, sorting = generate_ground_truth_recording(
        durations=[130.0], num_channels=4, num_units=3, sampling_frequency=20_000.0, seed=0,
        generate_sorting_kwargs={"firing_rates": 25.0, "refractory_period_ms": 0.5},
    )  # fmt: skip
    analyzer = create_sorting_analyzer(sorting, recording, sparse=False, format="memory")
    analyzer.compute({"random_spikes": {"seed": 0}, "templates": {}, "spike_amplitudes": {}})
    names = ["presence_ratio", "isi_violation", "firing_range", "amplitude_cutoff"]
    with warnings.catch_warnings():  # from 0.105 on it would rather have the extension of scalings
        warnings.filterwarnings("ignore", message=".*scalings", category=DeprecationWarning)
        analyzer.compute("quality_metrics", metric_names=names)
    theirs = analyzer.get_extension("quality_metrics").get_data()
    amplitudes = analyzer.get_extension("spike_amplitudes").get_data(outputs="by_unit", concatenated=True)
    ours = unit_metrics(
        {number: sorting.get_unit_spike_train(unit) for number, unit in enumerate(sorting.unit_ids)},
        {number: amplitudes[unit] for number, unit in enumerate(sorting.unit_ids)},
        sampling_frequency_hz=20_000.0,
        n_samples=recording.get_num_samples(),
    )
    for number, unit in enumerate(sorting.unit_ids):
        row = theirs.loc[unit]
        assert ours[number].presence_ratio == row["presence_ratio"] == 1
        assert ours[number].isi_violations_ratio == pytest.approx(row["isi_violations_ratio"], rel=1e-12)
        assert ours[number].isi_violations_ratio > 0
        assert ours[number].firing_range_hz == pytest.approx(row["firing_range"], rel=1e-12)
        assert ours[number].firing_range_hz > 0
        np.testing.assert_allclose(ours[number].amplitude_cutoff, row["amplitude_cutoff"], rtol=1e-6)
        assert not np.isnan(ours[number].amplitude_cutoff)


def test_what_cannot_be_said_of_few_spikes_in_a_short_recording_is_nan() -> None:
    """Presence needs a minute, the cutoff 500 spikes."""
    found = unit_metrics(
        {7: np.array([10, 4000])},
        {7: np.array([-5.0, -6.0])},
        sampling_frequency_hz=20_000,
        n_samples=400_000,
    )[7]
    assert np.isnan(found.presence_ratio)
    assert np.isnan(found.amplitude_cutoff)
    assert found.isi_violations_ratio == 0
    assert found.firing_range_hz == pytest.approx(np.percentile([0.4, 0, 0, 0], 95), rel=1e-12)


def test_a_unit_without_spikes_has_none() -> None:
    found = unit_metrics(
        {1: np.zeros(0, int)}, {1: np.zeros(0)}, sampling_frequency_hz=20_000, n_samples=2_000_000
    )
    assert found == {1: UnitMetrics()}


def test_it_stops_when_it_is_told_to() -> None:
    def stop(*_: object) -> None:
        raise Cancelled

    trains = {1: np.array([5, 9000])}
    with pytest.raises(Cancelled):
        unit_metrics(
            trains, {1: np.ones(2)}, sampling_frequency_hz=20_000, n_samples=2_000_000, progress=stop
        )
