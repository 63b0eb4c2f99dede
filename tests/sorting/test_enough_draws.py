"""Components get as many draws as their question needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.sampled import Sampled
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.sorting import component_posterior
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.enough_draws import are_enough, rounds, rounds_left, together
from ncpgui.sorting.pipeline import sort_recording
from ncpgui.sorting.recluster import with_all_draws

from .planted import Cell, FakeResult, planted_recording, regular_times
from .stopping import StepsInMemory, Stopped, assert_same

CONFIG = SortingConfig(posterior_samples=200)
ONE, TWO = [0] * 40, [0] * 20 + [1] * 20


def weighed(n_one: int, n_two: int, weight: Any = None) -> PosteriorSamples:
    n = n_one + n_two
    return PosteriorSamples(np.array([ONE] * n_one + [TWO] * n_two), np.zeros(n), weight)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (400, [100, 100, 200]),
        (200, [50, 50, 100]),
        (150, [50, 50, 50]),
        (101, [50, 50, 1]),
        (100, [50, 50]),
        (99, [99]),
        (6, [6]),
    ],
)
def test_a_quarter_of_the_draws_comes_first_and_each_round_doubles_them(
    wanted: int, expected: list[int]
) -> None:
    assert rounds(replace(CONFIG, posterior_samples=wanted)) == expected


@pytest.mark.parametrize(
    ("n_drawn", "sampler", "expected"),
    [
        (50, "draws", [(1, 50), (2, 100)]),
        (100, "draws", [(2, 100)]),
        (200, "draws", []),
        (60, "draws", []),  # copied for the echoes of a cell
        (50, "beam", []),
    ],
)
def test_rounds_that_are_left_are_those_behind_the_draws(
    n_drawn: int, sampler: str, expected: list[tuple[int, int]]
) -> None:
    posterior = PosteriorSamples(np.array([ONE] * n_drawn), np.zeros(n_drawn), sampler=sampler)
    assert rounds_left(posterior, CONFIG) == expected


def test_a_beam_is_searched_once() -> None:
    assert rounds(replace(CONFIG, sampler="beam")) == [200]


@pytest.mark.parametrize(
    ("posterior", "enough"),
    [
        (weighed(100, 0), True),
        (weighed(99, 1), True),
        (weighed(98, 2), False),
        (weighed(50, 0), True),
        (weighed(49, 1), False),
        (weighed(100, 0, np.eye(100)[0]), False),  # one of them has all weight
        (weighed(100, 0, 1.0 * (np.arange(100) < 51)), True),
    ],
)
def test_the_next_round_is_drawn_where_draws_disagree_or_few_of_them_count(
    posterior: PosteriorSamples, enough: bool
) -> None:
    assert are_enough(posterior) == enough


def test_draws_of_several_rounds_have_equal_weights_and_orders_of_their_own() -> None:
    features = np.ones((40, 2), np.float32)
    first = PosteriorSamples(np.array([ONE, TWO]), np.array([-1.0, -2.0]), order=np.array([0, 7]))
    second = PosteriorSamples(np.array([TWO] * 3), np.array([-3.0, -4.0, -5.0]), order=np.array([0, 1, 2]))
    both = together([Sampled(first, features, "net", True), Sampled(second, features, "net", True)])
    assert both.posterior.labels.tolist() == [ONE, TWO, TWO, TWO, TWO]
    assert both.posterior.log_prob.tolist() == [-1, -2, -3, -4, -5]
    assert both.posterior.weight == pytest.approx([0.2] * 5)
    assert both.posterior.order is not None
    assert both.posterior.order.tolist() == [0, 7, 8, 9, 10]
    assert (both.model, both.knows_times) == ("net", True)


N_SAMPLES = 3 * 20_000
FEW = replace(
    CONFIG,
    posterior_samples=100,
    spikes_per_group=60,
    min_cluster_spikes=5,
    reference="none",
    heaps=False,
    firing_times=False,
)


def doubting(waveforms: NDArray[np.float32], *, samples: int, **_: Any) -> FakeResult:
    """One cluster; of spikes on all contacts, a quarter of the draws has two."""
    draws = np.zeros((samples, len(waveforms)), np.int64)
    if waveforms[:, TROUGH_SAMPLE, 1].mean() < -10:
        draws[::4, ::2] = 1
    return FakeResult(draws, np.zeros(samples), waveforms[:, TROUGH_SAMPLE], np.arange(samples) % 8)


def test_a_component_in_doubt_gets_all_draws_and_a_settled_one_half() -> None:
    """With any number of workers, and where the work was stopped between two rounds."""
    cells = [
        Cell([40, 25, 20, 15], regular_times(50, N_SAMPLES, 1)),
        Cell([2, 2, 2, 30], regular_times(40, N_SAMPLES, 3)),
    ]
    recording = planted_recording(cells, N_SAMPLES)
    whole = sort_recording(recording, FEW, cluster=doubting, workers=1)
    drawn = [(one.posterior.n_samples, one.posterior.n_clusters.max()) for one in whole.components]
    assert sorted(drawn) == [(50, 1), (100, 2)]
    assert all(one.posterior.weight.sum() == pytest.approx(1) for one in whole.components)
    assert_same(sort_recording(recording, FEW, cluster=doubting, workers=2), whole)

    counted = StepsInMemory()
    sort_recording(recording, FEW, cluster=doubting, workers=1, steps=counted)
    (second,) = [name for name in counted.kept if "-round-1" in name]
    for stop_after in (counted.kept.index(second), counted.kept.index(second) + 1):
        steps = StepsInMemory(stop_after=stop_after)
        with pytest.raises(Stopped):
            sort_recording(recording, FEW, cluster=doubting, workers=1, steps=steps)
        steps.stop_after = None
        assert_same(sort_recording(recording, FEW, cluster=doubting, workers=1, steps=steps), whole)


def test_a_component_that_fails_in_the_second_round_keeps_its_draws() -> None:
    def failing(waveforms: NDArray[np.float32], *, samples: int, **rest: Any) -> FakeResult:
        calls.append(samples)
        if calls.count(50) > 1:
            raise MemoryError("no room")
        return doubting(waveforms, samples=samples, **rest)

    calls: list[int] = []
    recording = planted_recording([Cell([40, 25, 20, 15], regular_times(50, N_SAMPLES, 1))], N_SAMPLES)
    (component,) = sort_recording(recording, FEW, cluster=failing, workers=1).components
    assert component.posterior.n_samples == 50


def test_a_settled_component_gets_later_the_draws_that_it_would_have_had_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the number of workers was that settled it; its units stay as they are."""
    cells = [
        Cell([40, 25, 20, 15], regular_times(50, N_SAMPLES, 1)),
        Cell([2, 2, 2, 30], regular_times(40, N_SAMPLES, 3)),
    ]
    recording = planted_recording(cells, N_SAMPLES)
    found = []
    for workers in (1, 2):
        project = sort_recording(recording, FEW, cluster=seeded, workers=workers)
        (settled,) = [one for one in project.components if rounds_left(one.posterior, FEW)]
        found.append(with_all_draws(project, settled, project.waveforms[settled.id], FEW, cluster=seeded))
    assert_same(found[0], found[1])
    assert not rounds_left(found[0].posterior, FEW)
    np.testing.assert_array_equal(found[0].alternatives[0].labels, settled.alternatives[0].labels)
    monkeypatch.setattr(component_posterior, "are_enough", lambda _: False)
    at_once = sort_recording(recording, FEW, cluster=seeded, workers=1).component(settled.id)
    assert at_once is not None
    assert_same(found[0].posterior, at_once.posterior)
    assert found[0].alternatives[0].mass == at_once.alternatives[0].mass


def seeded(waveforms: NDArray[np.float32], *, samples: int, seed: int, **rest: Any) -> FakeResult:
    """As `doubting`; each draw has a probability of its own, by the seed."""
    result = doubting(waveforms, samples=samples, **rest)
    return replace(result, log_prob=-np.random.default_rng(seed).random(samples))
