"""What a person decided, and what the posterior says about it, reach the export."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny_project import curated

from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import SpikeEvents
from ncpgui.evidence.units import project_numbers
from ncpgui.export.from_project import bundle_of, project_table
from ncpgui.export.templates import resample_templates

# Channel 0: spikes 0-3 sampled, 4 not. Channel 1: spikes 5, sampled, and 6, in no cluster.
LABELS = np.array([[0, 0, 1, 1], [0, 0, 0, 0]])


@pytest.fixture
def project() -> Project:
    first = Component(
        id=0,
        contacts=np.array([0, 1]),
        spike_ids=np.arange(5),
        sampled=np.arange(4),
        posterior=PosteriorSamples(LABELS, np.array([-1.0, -2.0]), np.array([0.75, 0.25]), np.array([1, 0])),
        alternatives=(
            Alternative(np.array([0, 0, 1, 1, 1]), np.ones(5), 0.75, 0.2, np.array([1.0, 0.75])),
            Alternative(np.zeros(5, np.int32), np.ones(5), 0.25, 0.2, np.array([1.0])),
        ),
    )
    second = Component(
        id=1,
        contacts=np.array([1]),
        spike_ids=np.array([5, 6]),
        sampled=np.array([0]),
        posterior=PosteriorSamples(np.zeros((1, 1), int), np.zeros(1)),
        alternatives=(Alternative(np.array([0, -1]), np.ones(2), 1.0, 0.0, np.ones(1)),),
    )
    shape = np.arange(4)[:, None, None] + np.zeros((4, 32, 2))
    return Project(
        recording=RecordingReference("", {}, "f", 2, 20_000.0, 1000),
        probe=Probe(np.array([[0.0, 0.0], [0.0, 30.0]])),
        spikes=SpikeEvents(np.arange(7) * 10, np.array([0] * 5 + [1] * 2), -np.arange(7.0), 20_000.0, 1000),
        noise_sd=np.ones(2, np.float32),
        components=(first, second),
        unit_of_spike=np.array([3, 3, 8, 8, 8, 9, -1]),
        probability=np.array([1, 1, 0.5, 0.75, 0.5, 1, 0], np.float32),
        settings={},
        model="small",
        waveforms={0: ComponentWaveforms(shape.astype(np.float32), np.zeros((4, 2), np.float32))},
    )


def test_unassigned_and_improbable_spikes_are_left_out(project: Project) -> None:
    assert bundle_of(project).sorting.unit_id.tolist() == [3, 3, 8, 8, 8, 9]
    sure = bundle_of(project, min_probability=0.7)
    assert sure.sorting.unit_id.tolist() == [3, 3, 8, 8, 9]
    assert sure.sorting.sample_index.tolist() == [0, 10, 20, 30, 50]
    assert sure.amplitude.tolist() == [0, -1, -2, -3, -5]


def test_a_unit_exists_in_the_samples_that_have_it_as_it_stands(project: Project) -> None:
    # units 3 and 8 are apart in the first sample, together in the second
    assert bundle_of(project).sorting.p_exists == {3: 0.75, 8: 0.75, 9: 1.0}
    # unit 3 is split in the first sample, and lacks a quarter of its cell in the second; unit 8 = spike 3
    # lacks half of its cell in the first, three quarters in the second
    units = np.array([3, 3, 3, 8, 8, 9, 9])
    bundle = bundle_of(project, curated(project, unit_of_spike=units))
    assert bundle.sorting.p_exists == {3: 0.0, 8: 0.0, 9: 1.0}
    assert bundle.numbers is not None
    assert bundle.numbers.of((3, 8))["p_pure"].tolist() == [0.25, 1.0]
    assert bundle.numbers.row(3)["misses"] == pytest.approx(0.25 * 0.25)


def test_probability_and_entropy_are_of_the_units_as_they_stand(project: Project) -> None:
    """Spikes 0 to 3 were sampled: in 75 % in their unit, in 25 % in one cell of both, half of each."""
    sorting = bundle_of(project).sorting
    np.testing.assert_allclose(sorting.probability, [1, 1, 1, 1, 0.5, 1])
    p = 0.75 + 0.25 / 2

    def entropy(share: float) -> float:
        return -(share * np.log(share) + (1 - share) * np.log(1 - share))

    np.testing.assert_allclose(sorting.entropy, [entropy(p)] * 4 + [entropy(0.5), 0], atol=1e-6)


def test_a_merge_that_the_posterior_doubts_is_exported_as_doubtful(project: Project) -> None:
    merged = np.array([5, 5, 5, 5, 5, 9, -1])
    sorting = bundle_of(project, curated(project, unit_of_spike=merged)).sorting
    assert sorting.p_exists == {5: 0.25, 9: 1.0}
    np.testing.assert_allclose(sorting.probability[:4], [1, 1, 0.25, 0.25])


def test_what_a_person_joined_across_channels_is_unknown_and_stays_in_the_export(project: Project) -> None:
    joined = np.array([3, 3, 5, 5, 5, 5, -1])
    sorting = bundle_of(project, curated(project, unit_of_spike=joined), min_probability=0.8).sorting
    assert sorting.unit_id.tolist() == [3, 3, 5, 5, 5, 5]
    assert np.isnan(sorting.probability).tolist() == [False] * 2 + [True] * 4
    assert np.isnan(sorting.entropy).tolist() == [False] * 2 + [True] * 4
    assert sorting.p_exists[3] == 0.75
    assert np.isnan(sorting.p_exists[5])


def test_units_that_the_sorting_joined_across_channels_are_known(project: Project) -> None:
    joined = replace(project, unit_of_spike=np.array([3, 3, 8, 8, 8, 8, -1]))
    assert bundle_of(joined).sorting.p_exists == {3: 0.75, 8: 0.75}
    assert not np.isnan(bundle_of(joined).sorting.probability).any()


def test_labels_and_main_channels_are_carried(project: Project) -> None:
    sorting = bundle_of(project, curated(project, labels={3: "good", 77: "noise"})).sorting
    assert sorting.labels == {3: "good", 8: "unsorted", 9: "unsorted"}
    assert sorting.main_channel == {3: 0, 8: 0, 9: 1}


def test_the_ncp_block_tells_the_alternatives_of_each_component(project: Project) -> None:
    block = bundle_of(project, curated(project, accepted=[8, 77])).ncp
    assert block["model"] == "small"
    assert block["components"][0] == {
        "id": 0,
        "channel": 0,
        "channels": [0, 1],
        "n_spikes": 5,
        "n_sampled": 4,
        "unit_ids": [3, 8],
        "given": [],
        "p_n_units": {"1": 0.25, "2": 0.75},
        "sampler": "draws",
        "alternatives": [{"n_units": 2, "mass": 0.75, "se": 0.2}, {"n_units": 1, "mass": 0.25, "se": 0.2}],
        "accepted": [8],
    }


def test_the_ncp_block_tells_what_each_kind_of_evidence_makes_of_an_alternative(project: Project) -> None:
    first, *others = project.components
    timed, seen = first.alternatives
    timed = replace(timed, mass_waveforms=0.6)
    seen = replace(seen, mass_waveforms=0.4, mass_without_stimulus=0.125, mass_without_echoes=0.2)
    known = replace(project, components=(replace(first, alternatives=(timed, seen)), *others))
    alternatives = bundle_of(known).ncp["components"][0]["alternatives"]
    assert [one["by_evidence"] for one in alternatives] == [
        {"waveforms": 0.6, "times": 0.75},
        {"waveforms": 0.4, "times": 0.125, "stimulus": 0.2, "echoes": 0.25},
    ]


def test_templates_are_means_of_sampled_spikes_on_the_channels_of_the_component(project: Project) -> None:
    templates = bundle_of(project).templates
    assert templates is not None
    assert templates.shape == (3, 32, 2)
    assert templates[:, 0, 0].tolist() == [0.5, 2.5, 0.0]  # unit 9 has no waveforms in the cache


def test_without_waveforms_there_are_no_templates(project: Project) -> None:
    object.__setattr__(project, "waveforms", {})
    assert bundle_of(project).templates is None


def test_templates_at_another_rate_pass_through_the_same_points() -> None:
    t = np.arange(32) / 20_000
    templates = np.sin(2 * np.pi * 1000 * t)[None, :, None]
    at_30 = resample_templates(templates, 30_000.0)
    assert at_30.shape == (1, 48, 1)
    np.testing.assert_allclose(at_30[0, :45, 0], np.sin(2 * np.pi * 1000 * np.arange(45) / 30_000), atol=2e-3)
    assert resample_templates(templates, 20_000.0).dtype == np.float32


def test_a_curation_of_another_length_is_refused(project: Project) -> None:
    with pytest.raises(InputError, match="7 spikes, 3 unit ids, 7 probabilities"):
        bundle_of(project, curated(project, unit_of_spike=np.zeros(3, int)))


def test_labels_are_those_of_a_person_and_else_follow_p_neuron(project: Project) -> None:
    known = replace(project, p_neuron=np.array([0.1, 0.1, 0.7, 0.7, 0.7, 0.9, 0.9], np.float32))
    bundle = bundle_of(known, curated(known, labels={3: "unsorted", 8: "unsorted", 9: "unsorted"}))
    assert bundle.sorting.labels == {3: "noise", 8: "mua", 9: "good"}
    assert bundle.numbers is not None
    assert bundle.numbers.of((3, 8, 9))["p_neuron"] == pytest.approx([0.1, 0.7, 0.9])
    by_hand = curated(known, labels={3: "good"})
    assert bundle_of(known, by_hand).sorting.labels == {3: "good", 8: "mua", 9: "good"}
    assert bundle_of(project).sorting.labels == dict.fromkeys((3, 8, 9), "unsorted")


def test_unit_nought_is_a_unit(project: Project) -> None:
    numbered = replace(project, unit_of_spike=np.array([0, 0, 8, 8, 8, 9, -1]))
    bundle = bundle_of(numbered, curated(numbered))
    assert bundle.unit_ids.tolist() == [0, 8, 9]
    assert bundle.units["n_spikes"].tolist() == [2, 3, 1]
    numbers = project_numbers(numbered, numbered.unit_of_spike, numbered.probability)
    table = project_table(numbered, numbered.unit_of_spike, numbers)
    assert (table.ids.tolist(), table["n_spikes"].tolist()) == ([0, 8, 9], [2, 3, 1])
