"""What all spikes respond to weighs draws: those that join an ON and an OFF cell lose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.core.component import Clamp
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.stimulus import Stimulus
from ncpgui.evidence.fields import Responses
from ncpgui.sorting import component_posterior, recluster
from ncpgui.sorting.all_spikes import weighed_by_all_spikes
from ncpgui.sorting.component_alternatives import build_alternatives
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording
from ncpgui.sorting.recluster import resample_rest
from ncpgui.sorting.stimulus_notes import stimulus_notes
from tests.retina_spikes import OFF, SAMPLES_A_FRAME, frame_of, noise, shown, times_s

from .planted import Cell, leader_clustering, planted_recording

ALONE = SortingConfig(heaps=False, firing_times=False)
NOISE = noise()
EVERY = 3


def spikes(*cells: NDArray[np.float64]) -> tuple[Responses, NDArray[np.int64]]:
    """Spikes of cells in order of time, and the cell of each."""
    times = np.concatenate(cells)
    order = np.argsort(times, kind="stable")
    cell = np.repeat(np.arange(len(cells)), [len(one) for one in cells])[order]
    return Responses(NOISE, frame_of(times[order])), cell


def weighed(
    responses: Responses | None,
    *draws: NDArray[np.integer],
    config: SortingConfig = ALONE,
    company: NDArray[np.integer] | None = None,
) -> PosteriorSamples:
    """Draws of every third spike, equally probable as drawn; waveforms say the same of all spikes."""
    n = len(draws[0])
    sampled = np.arange(0, n, EVERY)
    position = np.zeros((n, 1), np.float32)
    position[:, 0] = draws[-1]  # spikes that were not drawn go with their own cell
    return weighed_by_all_spikes(
        PosteriorSamples(np.stack([draw[sampled] for draw in draws]), np.zeros(len(draws))),
        sampled,
        position,
        np.zeros(n, dtype=np.int64) if company is None else company,
        600 * np.arange(n),
        sampling_frequency_hz=2e4,
        config=config,
        responses=responses,
    )


ON_AND_OFF = spikes(times_s(NOISE.frames, seed=1), times_s(NOISE.frames, kind=OFF, seed=2))
HALVES = spikes(times_s(NOISE.frames, seed=1)[::2], times_s(NOISE.frames, seed=1)[1::2])


def test_a_draw_that_parts_an_on_and_an_off_cell_gains_and_one_that_parts_a_cell_loses() -> None:
    for (responses, cell), whole in ((ON_AND_OFF, (0.0, 0.001)), (HALVES, (0.9, 1.0))):
        found = weighed(responses, np.zeros_like(cell), cell)
        assert whole[0] <= found.weight[0] <= whole[1]
        assert found.drawn_weight.tolist() == [0.5, 0.5]
        assert found.weight_without_stimulus == pytest.approx([0.5, 0.5])


def test_joining_two_units_loses_what_parting_them_gains() -> None:
    responses, cell = ON_AND_OFF
    as_one = weighed(responses, np.zeros_like(cell), cell)
    as_two = weighed(responses, np.zeros_like(cell), cell, company=cell)
    assert as_two.stimulus_nats - as_two.stimulus_nats[1] == pytest.approx(
        as_one.stimulus_nats - as_one.stimulus_nats[1]
    )


def test_three_parts_are_compared_each_with_the_nearest_larger_one() -> None:
    """A needless part of the ON cell costs what it would cost alone; the OFF cell is far from both."""
    responses, cell = ON_AND_OFF
    more = np.where((cell == 0) & (np.arange(len(cell)) % 5 < 2), 2, cell)
    found = weighed(responses, np.zeros_like(cell), cell, more)
    assert found.weight.argmax() == 1
    assert found.weight[1] > 0.8
    renamed = weighed(responses, np.zeros_like(cell), 1 - cell, (more + 1) % 3)
    assert renamed.weight == pytest.approx(found.weight)


def test_the_stimulus_can_be_left_out_and_says_nothing_where_there_was_none() -> None:
    responses, cell = ON_AND_OFF
    for seen, config in (
        (None, ALONE),
        (responses, replace(ALONE, stimulus=False)),
        (replace(responses, frame=np.full(len(cell), -1)), ALONE),
    ):
        found = weighed(seen, np.zeros_like(cell), cell, config=config)
        assert found.weight.tolist() == [0.5, 0.5]
        assert found.drawn_weight is None
        assert found.stimulus_nats is None


def test_alternatives_have_their_masses_by_each_kind_of_evidence() -> None:
    responses, cell = ON_AND_OFF
    found = weighed(responses, np.zeros_like(cell), cell)
    sampled = np.arange(0, len(cell), EVERY)
    position = cell[:, None].astype(np.float32)
    two, *rest = build_alternatives(found, sampled, position, ALONE)
    assert two.n_units == 2
    assert rest == []
    assert two.by_evidence == pytest.approx({"waveforms": 0.5, "times": 0.5, "stimulus": 1.0}, abs=0.001)


def test_a_stimulus_weighs_components_when_they_are_sorted_and_when_they_are_sampled_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Responses | None] = []

    def spy(posterior: PosteriorSamples, *_: Any, responses: Any, **__: Any) -> PosteriorSamples:
        seen.append(responses)
        return posterior

    for module in (component_posterior, recluster):
        monkeypatch.setattr(module, "weighed_by_all_spikes", spy)
    cells = [Cell([40, 15, 10, 5], 300 + 2000 * np.arange(45))]
    recording = planted_recording(cells, 100_000)
    stimulus = Stimulus(shown().frames[:150], SAMPLES_A_FRAME * np.arange(150))
    config = SortingConfig(spikes_per_group=30, posterior_samples=6, min_cluster_spikes=5, reference="none")
    project = sort_recording(recording, config, stimulus=stimulus, cluster=leader_clustering)
    component = project.components[0]
    on_screen = project.spikes.sample_index[component.spike_ids] // SAMPLES_A_FRAME
    for wanted in (config, replace(config, stimulus=False)):
        held, waveforms = Clamp(np.full(len(component.spike_ids), -1)), project.waveforms[component.id]
        resample_rest(project, component, waveforms, held, wanted, cluster=leader_clustering)
    sorted_first, again, without = seen[0], *seen[-2:]
    for responses in (sorted_first, again):
        assert responses is not None
        assert responses.frame.tolist() == on_screen.tolist()
    assert without is None


def test_a_stimulus_that_is_no_white_noise_is_said_to_be_none() -> None:
    twice = Stimulus(np.repeat(shown().frames, 2, axis=0), np.arange(3600) * 300)
    (note,) = stimulus_notes(twice, SortingConfig())
    assert note.startswith("the stimulus is not white noise and does not weigh the sortings: frames have a")
    assert stimulus_notes(twice, SortingConfig(stimulus=False)) == ()
    assert stimulus_notes(shown(), SortingConfig()) == ()
    assert stimulus_notes(None, SortingConfig()) == ()
