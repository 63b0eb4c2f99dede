"""`ncpgui.sort`: a recording of SpikeInterface in, a sorting of SpikeInterface out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from spikeinterface.core import (
    NumpyRecording,
    create_sorting_analyzer,
    generate_ground_truth_recording,
)

import ncpgui
from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import SpikeEvents
from ncpgui.ephys.readers import recording_of
from ncpgui.export.from_project import bundle_of
from ncpgui.spikeinterface_sorting import UNIT_PROPERTIES, as_spikeinterface
from tests.tiny_project import tiny_project

QUICK = {"posterior_samples": 5, "spikes_per_group": 100}


@pytest.fixture(scope="module")
def generated():
    return generate_ground_truth_recording(
        durations=[30.0],
        sampling_frequency=20_000.0,
        num_channels=8,
        num_units=4,
        seed=3,
        generate_sorting_kwargs={"firing_rates": (6.0, 12.0), "refractory_period_ms": 3.0},
        noise_kwargs={"noise_levels": 4.0},
        generate_unit_locations_kwargs={"minimum_distance": 40.0, "minimum_z": 5.0, "maximum_z": 25.0},
    )


@pytest.fixture(scope="module")
def sorting(generated):
    return ncpgui.sort(generated[0], **QUICK)


def test_units_far_apart_are_found_as_they_are(generated, sorting) -> None:
    from spikeinterface.comparison import compare_sorter_to_ground_truth

    scores = compare_sorter_to_ground_truth(generated[1], sorting, exhaustive_gt=True).get_performance()
    assert (scores["accuracy"].astype(float) > 0.9).all()
    assert sorting.get_num_units() == 4


def test_units_have_their_channel_size_and_probability(generated, sorting) -> None:
    recording, _ = generated
    assert sorting.unit_ids.tolist() == [0, 1, 2, 3]
    assert set(sorting.get_property("main_channel")) <= set(recording.channel_ids)
    assert (sorting.get_property("snr") > 5).all()
    assert ((sorting.get_property("probability") > 0.9) & (sorting.get_property("probability") <= 1)).all()
    assert (sorting.get_property("p_neuron") > 0.9).all()
    assert set(sorting.get_property("label")) == {"good"}
    assert sorting.get_annotation("sorter") == "ncpgui"
    assert sorting.get_annotation("ncpgui_settings")["spikes_per_group"] == 100


@pytest.mark.slow
def test_metrics_and_curation_of_spikeinterface_run_on_it(generated, sorting) -> None:
    from spikeinterface.curation import (
        auto_merge_units,
        remove_redundant_units,
        threshold_metrics_label_units,
    )

    analyzer = create_sorting_analyzer(sorting, generated[0], sparse=True)
    extensions = ["random_spikes", "waveforms", "templates", "noise_levels", "spike_amplitudes"]
    extensions += ["unit_locations", "template_similarity", "correlograms", "template_metrics"]
    analyzer.compute(extensions, n_jobs=1, progress_bar=False)
    names = ["num_spikes", "firing_rate", "snr", "isi_violation", "rp_violation"]
    analyzer.compute("quality_metrics", metric_names=names)
    metrics = analyzer.get_extension("quality_metrics").get_data()
    _, counts = np.unique(sorting.to_spike_vector()["unit_index"], return_counts=True)
    assert metrics["num_spikes"].tolist() == counts.tolist()
    assert (metrics["rp_violations"] == 0).all()  # cells that fire at most every 3 ms
    assert (
        analyzer.get_sorting_property("probability").tolist() == sorting.get_property("probability").tolist()
    )
    labels = threshold_metrics_label_units(metrics, thresholds={"snr": {"greater": 5.0}})
    assert labels["label"].tolist() == ["good"] * 4
    assert auto_merge_units(analyzer, presets=["x_contaminations"]).unit_ids.tolist() == [0, 1, 2, 3]
    assert remove_redundant_units(analyzer).unit_ids.tolist() == [0, 1, 2, 3]


def test_workers_do_not_change_the_sorting(generated, sorting) -> None:
    again = ncpgui.sort(generated[0], workers=1, **QUICK)
    assert again.to_spike_vector().tolist() == sorting.to_spike_vector().tolist()


def test_a_property_of_units_is_one_line(generated, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = generated[0]
    project = Project(
        recording=RecordingReference("none", {}, "0" * 64, 8, 20_000.0, 40_000),
        probe=Probe(recording.get_channel_locations()),
        spikes=SpikeEvents(
            np.array([100, 200, 300, 400]),
            np.array([3, 0, 0, 1]),
            np.array([-8.0, -8, -10, -7]),
            20_000.0,
            40_000,
        ),
        noise_sd=np.ones(recording.get_num_channels(), np.float32),
        components=(),
        unit_of_spike=np.array([0, 1, 1, -1]),
        probability=np.array([0.5, 0.25, 0.75, 0.0], np.float32),
        settings={},
        model="none",
        p_neuron=np.array([0.9, 0.2, 0.2, 0.2], np.float32),
    )
    monkeypatch.setitem(UNIT_PROPERTIES, "depth", "depth_um")
    made = as_spikeinterface(project, recording)
    assert made.get_property("probability").tolist() == [0.5, 0.5]
    assert made.get_property("snr").tolist() == [8.0, 9.0]
    assert made.get_property("main_channel").tolist() == recording.channel_ids[[3, 0]].tolist()
    assert made.get_property("label").tolist() == ["good", "noise"]
    assert made.get_property("depth").tolist() == pytest.approx(project.probe.depth_um[[3, 0]].tolist())
    assert np.isnan(made.get_property("p_pure")).all()  # no component was sampled


def test_properties_of_a_sampled_project_are_the_numbers_that_exports_have(generated) -> None:
    project = tiny_project({0: [[0, 0, 0, 1, 1, 1], [0] * 6], 1: [[0, 0, 0, 0]]}, masses={0: [0.8, 0.2]})
    project = replace(project, p_neuron=np.full(10, 0.5, np.float32))
    made = as_spikeinterface(project, generated[0])
    numbers = bundle_of(project).numbers
    assert numbers is not None
    for name in ("p_neuron", "p_pure", "p_complete", "false_positives", "misses"):
        assert made.get_property(name).tolist() == pytest.approx(numbers.of((0, 1, 2))[name]), name
    assert made.get_property("p_complete").tolist() == pytest.approx([0.8, 0.8, 1.0])


def test_a_setting_that_there_is_not_is_named(generated) -> None:
    with pytest.raises(InputError, match="treshold_sd"):
        ncpgui.sort(generated[0], treshold_sd=4.0)


def test_a_matcher_that_there_is_not_is_named_with_those_that_there_are(generated) -> None:
    with pytest.raises(InputError, match="'wobble', 'tdc-peeler', 'circus-omp', 'none', got 'wobbly'"):
        ncpgui.sort(generated[0], matcher="wobbly")


def test_a_recording_without_a_probe_says_how_to_give_one() -> None:
    bare = NumpyRecording([np.zeros((1000, 4), np.float32)], 20_000.0)
    with pytest.raises(InputError, match="does not say where its 4 contacts are"):
        ncpgui.sort(bare)


def test_a_recording_upside_down_is_sorted_the_same_by_its_positive_peaks(generated, sorting) -> None:
    from spikeinterface.preprocessing import scale

    turned = ncpgui.sort(scale(generated[0], gain=-1.0), peak_sign="pos", **QUICK)
    assert turned.unit_ids.tolist() == sorting.unit_ids.tolist()
    for unit in sorting.unit_ids:
        assert np.array_equal(turned.get_unit_spike_train(unit), sorting.get_unit_spike_train(unit))


def test_one_contact_is_sorted(generated, sorting) -> None:
    recording, _ = generated
    channel = sorting.get_property("main_channel")[sorting.get_property("snr").argmax()]
    alone = ncpgui.sort(recording.select_channels([channel]), **QUICK)
    assert alone.get_num_units() >= 1
    assert set(alone.get_property("main_channel")) == {channel}


def segments_and_clock() -> NumpyRecording:
    """Segments of 1000 and 2000 samples that begin at 100 and at 500 s, and one of 50 without a spike."""
    traces = [np.zeros((n, 2), np.int16) for n in (1000, 2000, 50)]
    return NumpyRecording(traces, 20_000.0, t_starts=[100.0, 500.0, 900.0])


def test_the_sorting_has_the_segments_and_the_times_of_the_recording() -> None:
    recording = segments_and_clock()
    reference = recording_of(recording, probe=Probe(np.array([[0.0, 0.0], [0.0, 30.0]]))).reference
    samples = np.array([10, 999, 1000, 2500])
    project = Project(
        recording=reference,
        probe=Probe(np.array([[0.0, 0.0], [0.0, 30.0]])),
        spikes=SpikeEvents(samples, np.zeros(4, int), np.full(4, -8.0), 20_000.0, 3050),
        noise_sd=np.ones(2, np.float32),
        components=(),
        unit_of_spike=np.array([0, 1, 0, 0]),
        probability=np.ones(4, np.float32),
        settings={},
        model="none",
    )
    made = as_spikeinterface(project, recording)
    assert made.get_num_segments() == 3
    trains = [made.get_unit_spike_train(0, segment_index=k).tolist() for k in range(3)]
    assert trains == [[10], [0, 1500], []]
    times_s = [made.get_unit_spike_train(0, segment_index=k, return_times=True) for k in range(3)]
    np.testing.assert_allclose(np.concatenate(times_s), [100.0005, 500.0, 500.075])
    assert made.get_unit_spike_train(1, segment_index=0).tolist() == [999]


def test_time_stamps_of_the_recording_are_those_of_the_sorting() -> None:
    recording = NumpyRecording([np.zeros((1000, 1), np.int16)], 20_000.0)
    stamps = np.arange(1000) / 20_000.0 + 7.0
    stamps[500:] += 3.0
    recording.set_times(stamps)
    project = tiny_project({0: [[0, 0, 0, 0]]})
    project = replace(project, recording=recording_of(recording, probe="single").reference)
    made = as_spikeinterface(project, recording)
    samples = project.spikes.sample_index
    found = made.get_unit_spike_train(0, segment_index=0, return_times=True)
    np.testing.assert_allclose(found, stamps[samples])
    np.testing.assert_allclose(project.recording.clock.seconds(samples), stamps[samples])
