"""Components searched by beam: the sampler is chosen in the settings, and all else is as with draws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.component import Clamp
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import silent
from ncpgui.core.sampled import Sampled
from ncpgui.sorting import posterior_draws
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Threads
from ncpgui.sorting.pipeline import sort_recording
from ncpgui.sorting.positive_spikes import by_sign
from ncpgui.sorting.posterior_draws import batch_packing, draw_all, sets_at_once
from ncpgui.sorting.recluster import resample_rest
from ncpgui.sorting.run import run_of
from ncpgui.sorting.sampling import Sampling, SideBySide
from tests.tiny_project import tiny_project

from .planted import SQUARE, Cell, FakeResult, leader_clustering, planted_recording, regular_times
from .stopping import StepsInMemory, Stopped, assert_same
from .test_sampling import PLACES_UM, labels_of, spikes

N_SAMPLES = 3 * 20_000
BEAM = SortingConfig(
    sampler="beam", beam=8, spikes_per_group=60, posterior_samples=12, min_cluster_spikes=5, reference="none"
)
CELLS = [
    Cell([40, 15, 10, 5], regular_times(50, N_SAMPLES, 1)),
    Cell([4, 4, 8, 30], regular_times(40, N_SAMPLES, 3)),
]


@pytest.fixture(scope="module")
def recording() -> Any:
    return planted_recording(CELLS, N_SAMPLES)


def test_components_are_searched_by_beam_and_units_are_proposed_by_draws(recording: Any) -> None:
    asked: list[tuple[int, int]] = []

    def cluster(waveforms: np.ndarray, *, samples: int, beam: int, **rest: Any) -> FakeResult:
        asked.append((samples, beam))
        return leader_clustering(waveforms, samples=samples, beam=beam, **rest)

    project = sort_recording(recording, BEAM, cluster=cluster, workers=1)
    assert project.components
    assert asked.count((0, 8)) == len(project.components)
    assert {pair for pair in asked if pair != (0, 8)} == {(10, 0)}
    for component in project.components:
        assert component.posterior.sampler == "beam"
        assert component.posterior.n_samples == 8
        assert sum(way.mass for way in component.alternatives) <= 1 + 1e-9
    assert project.settings["sampler"] == "beam"


def test_a_search_that_was_stopped_goes_on_to_the_same_beams(recording: Any) -> None:
    whole = sort_recording(recording, BEAM, cluster=leader_clustering, workers=1)
    counted = StepsInMemory()
    sort_recording(recording, BEAM, cluster=leader_clustering, workers=1, steps=counted)
    steps = StepsInMemory(stop_after=counted.kept.index("component-0") + 1)
    with pytest.raises(Stopped):
        sort_recording(recording, BEAM, cluster=leader_clustering, workers=1, steps=steps)
    steps.stop_after = None
    again = sort_recording(recording, BEAM, cluster=leader_clustering, workers=1, steps=steps)
    assert_same(again, whole)
    assert {one.posterior.sampler for one in again.components} == {"beam"}


def test_a_run_by_beam_is_another_run_than_one_by_draws_or_of_another_width(recording: Any) -> None:
    runs = [
        run_of(recording, config)["settings"]
        for config in (BEAM, replace(BEAM, sampler="draws"), replace(BEAM, beam=9))
    ]
    assert runs[0] != runs[1]
    assert runs[0] != runs[2]


def test_a_kept_step_says_which_sampler_it_is_of() -> None:
    beam = PosteriorSamples([[0, 1], [0, 0]], [-1.0, -2.0], [0.7, 0.3], sampler="beam")
    draws = PosteriorSamples([[0, 1]], [np.nan], order=np.array([0]))
    packing = batch_packing([4, 7])
    kept = packing.unpack(
        packing.pack([Sampled(one, np.zeros((2, 1), np.float32), "m") for one in (beam, draws)])
    )
    assert [one.posterior.sampler for one in kept] == ["beam", "draws"]
    assert kept[0].posterior.weight.tolist() == beam.weight.tolist()


def test_beams_side_by_side_are_those_of_each_alone() -> None:
    parts = tuple(
        Sampling(spikes(n, seed), PLACES_UM, n_draws=6, seed=seed, beam=7) for n, seed in ((40, 1), (25, 2))
    )
    together = SideBySide(parts)()
    assert [labels_of(one) for one in together] == [labels_of(part()) for part in parts]
    assert {one.posterior.sampler for one in together if isinstance(one, Sampled)} == {"beam"}


@pytest.mark.parametrize(("sampler", "expected"), [("beam", [2, 1]), ("draws", [1, 1, 1])])
def test_beams_are_searched_in_batches_where_the_device_gains_by_it(
    monkeypatch: pytest.MonkeyPatch, sampler: str, expected: list[int]
) -> None:
    """Two at once, as a GPU might: three components are two batches of beams, and three of draws."""
    monkeypatch.setattr(posterior_draws, "beams_at_once", lambda device, width: 2)
    sizes: list[int] = []

    def run(tasks: Any, **options: Any) -> Any:
        sizes.extend(len(task.parts) for task in tasks)
        return [task() for task in tasks]

    monkeypatch.setattr(posterior_draws, "run_all", run)
    config = replace(BEAM, sampler=sampler)
    wanted = {
        key: Sampling.of(
            np.ones((n, 32, 4), np.float32), SQUARE.positions_um, None, 0, config, cluster=leader_clustering
        )
        for key, n in ((9, 4), (3, 6), (7, 5))
    }
    drawn, failed = draw_all(
        wanted,
        what="component",
        workers=Threads(1),
        progress=silent,
        at_once=sets_at_once(config),
    )
    assert sizes == expected
    assert sorted(drawn) == [3, 7, 9]
    assert not failed


def test_of_both_signs_the_most_probable_pairs_are_the_beam() -> None:
    """log q of -0, -1, -3 and -0, -2: the pairs by falling sum are 0, -1, -2, -3, -3, -5."""
    one = np.zeros((32, 1), np.float32)
    one[11] = -9

    def cluster(waveforms: np.ndarray, *, seed: int, **_: Any) -> Any:
        log_q = np.array([0.0, -1.0, -3.0]) if len(waveforms) == 3 else np.array([0.0, -2.0])
        labels = np.zeros((len(log_q), len(waveforms)), np.int32)
        labels[1:, -1] = 1
        weight = np.exp(log_q) / np.exp(log_q).sum()
        posterior = PosteriorSamples(labels, log_q, weight, sampler="beam")
        return Sampled(posterior, np.zeros((len(waveforms), 1), np.float32), "stand-in")

    found = by_sign(cluster, beam=4)(np.stack([one, one, one, -one, -one]), seed=0).posterior
    assert found.log_prob.tolist() == [0, -1, -2, -3]
    assert found.labels.tolist() == [
        [0, 0, 0, 1, 1],
        [0, 0, 1, 2, 2],
        [0, 0, 0, 1, 2],
        [0, 0, 1, 2, 3],
    ]
    np.testing.assert_allclose(found.weight / found.weight[0], np.exp([0, -1, -2, -3]))


def test_a_component_is_searched_again_under_what_was_decided() -> None:
    project = tiny_project({3: [[0, 1] * 20]})
    component = project.component(3)
    assert component is not None
    options: dict[str, Any] = {}

    def cluster(waveforms: np.ndarray, **given: Any) -> FakeResult:
        options.update(given)
        return leader_clustering(waveforms, **given)

    held = Clamp(np.full(40, -1, np.int32), ((0, 2),), ((0, 1),))
    again = resample_rest(project, component, project.waveforms[3], held, BEAM, cluster=cluster)
    assert again.posterior.sampler == "beam"
    assert (options["samples"], options["beam"]) == (0, 8)
    assert (options["must_link"], options["cannot_link"]) == (((0, 2),), ((0, 1),))
    assert all(np.isnan(way.mass_se) for way in again.alternatives)


def test_a_sampler_that_there_is_not_and_a_beam_without_width_are_refused() -> None:
    with pytest.raises(InputError, match="sampler must be one of 'draws', 'beam', got 'gibbs'"):
        SortingConfig(sampler="gibbs")
    with pytest.raises(InputError, match="beam must be positive, got 0"):
        SortingConfig(sampler="beam", beam=0)
