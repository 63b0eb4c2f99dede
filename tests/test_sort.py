"""`ncpgui.sort`: a recording of SpikeInterface in, a sorting of SpikeInterface out."""

from __future__ import annotations

import numpy as np
import pytest
from spikeinterface.core import NumpyRecording, generate_ground_truth_recording

import ncpgui
from ncpgui.core.errors import InputError

QUICK = {"posterior_samples": 5, "spikes_per_group": 300}


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
    assert sorting.get_annotation("ncpgui_settings")["spikes_per_group"] == 300


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
