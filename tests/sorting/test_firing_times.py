"""Firing times weigh draws that waveforms leave in doubt: planted trains, draws that split or merge."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from spike_trains import RATE_HZ, halves, neuron, together

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.all_spikes import nearest_sampled, weighed_by_all_spikes
from ncpgui.sorting.config import SortingConfig

DURATION_S = 300.0
RNG = np.random.default_rng
TIMES_ALONE = SortingConfig(heaps=False)


def train(rate_hz: float, seed: int, refractory_ms: float) -> NDArray[np.int64]:
    """Times of a cell in five minutes."""
    return neuron(rate_hz, DURATION_S, seed, refractory_ms)


def bursts(seed: int) -> NDArray[np.int64]:
    """Times of a cell that fires four spikes, 3.5 ms apart, twice a second."""
    starts = train(2.0, seed, 20.0)
    return np.sort((starts[:, None] + 70 * np.arange(4)).reshape(-1))


def probability_merged(
    times: NDArray[np.int64], part: NDArray[np.integer], *, every: int = 8, prior: float = 0.5
) -> float:
    """P(both parts are one cell): one spike in `every` was sampled, draws merge them with `prior`."""
    n_merged = round(20 * prior)
    sampled = np.arange(0, len(times), every)
    rows = np.array([np.zeros(len(sampled), int)] * n_merged + [part[sampled]] * (20 - n_merged))
    posterior = PosteriorSamples(rows, np.zeros(20))
    coordinates = (part[:, None] + RNG(5).normal(0, 0.1, (len(times), 2))).astype(np.float32)
    found = weighed_by_all_spikes(
        posterior,
        sampled,
        coordinates,
        np.zeros(len(times), int),
        times,
        sampling_frequency_hz=RATE_HZ,
        config=TIMES_ALONE,
    )
    return float(found.weight[:n_merged].sum())


@pytest.mark.parametrize("seed", range(4))
def test_two_halves_of_a_refractory_cell_are_put_together(seed: int) -> None:
    times = train(10.0, seed, 3.0)
    assert probability_merged(times, halves(times, seed), prior=0.2) > 0.9


@pytest.mark.parametrize("seed", range(4))
def test_two_cells_that_fire_independently_are_kept_apart(seed: int) -> None:
    cells = together(train(10.0, seed, 3.0), train(10.0, seed + 50, 3.0))
    assert probability_merged(*cells, prior=0.8) < 0.1


def test_two_draws_of_twenty_are_not_made_sure_by_times_however_much_these_say() -> None:
    """The others count until 3 of 20 are effective: 1/3 = s^2 / 2 + (1 - s^2) / 20, P = s + (1 - s) / 10."""
    share = ((1 / 3 - 1 / 20) / (1 / 2 - 1 / 20)) ** 0.5
    times = train(10.0, 0, 3.0)
    found = probability_merged(times, halves(times, 0), prior=0.1)
    assert found == pytest.approx(share + (1 - share) / 10, abs=0.002)


@pytest.mark.parametrize("seed", range(4))
def test_cells_without_a_refractory_period_hardly_move(seed: int) -> None:
    """Merging makes one cell without a gap of two: at most the odds that a cell has none, 1 to 0.2."""
    cells = together(train(8.0, seed, 0.0), train(8.0, seed + 50, 0.0))
    assert 0.5 <= probability_merged(*cells) <= 5 / 6 + 0.01


@pytest.mark.parametrize("seed", range(4))
def test_bursts_do_not_part_a_cell_nor_join_two(seed: int) -> None:
    times = bursts(seed)
    assert probability_merged(times, halves(times, seed), prior=0.5) > 0.5
    assert probability_merged(*together(bursts(seed), bursts(seed + 50)), prior=0.5) < 0.2


def test_all_spikes_speak_not_the_sampled_ones_alone() -> None:
    """Of one spike in 40 hardly two are within 2 ms: by the sampled ones alone nothing would be known."""
    cells = together(train(10.0, 1, 3.0), train(10.0, 51, 3.0))
    few = tuple(values[::40] for values in cells)
    assert probability_merged(*few, every=1) > 0.3
    assert probability_merged(*cells, every=40) < 0.05


def test_a_spike_goes_with_the_nearest_sampled_one_of_its_company() -> None:
    coordinates = np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [6.0]], dtype=np.float32)
    company = np.array([0, 0, 1, 0, 1, 7])
    found = nearest_sampled(np.array([0, 1, 4]), coordinates, company)
    # 2 is nearest to 1, but only 4 is of its unit; nobody of unit 7 was sampled: the nearest of all
    assert found.tolist() == [0, 1, 2, 1, 2, 2]


def test_the_weights_as_drawn_are_kept() -> None:
    times, part = together(train(10.0, 1, 3.0), train(10.0, 51, 3.0))
    posterior = PosteriorSamples(
        np.array([part, np.zeros(len(part), int)]), np.zeros(2), np.array([0.3, 0.7])
    )
    found = weighed_by_all_spikes(
        posterior,
        np.arange(len(times)),
        np.zeros((len(times), 1), np.float32),
        np.zeros(len(times), int),
        times,
        sampling_frequency_hz=RATE_HZ,
        config=TIMES_ALONE,
    )
    assert found.drawn_weight == pytest.approx([0.3, 0.7])
    assert found.weight[0] > 0.99


def by_all(
    times: NDArray[np.int64],
    coordinates: NDArray[np.floating],
    *draws: NDArray[np.integer],
    every: int = 1,
) -> PosteriorSamples:
    """Draws of every so many spikes of one unit of matching, weighed by heaps and times as by default."""
    sampled = np.arange(0, len(times), every)
    return weighed_by_all_spikes(
        PosteriorSamples(np.stack([row[sampled] for row in draws]), np.zeros(len(draws))),
        sampled,
        coordinates.astype(np.float32),
        np.zeros(len(times), int),
        times,
        sampling_frequency_hz=RATE_HZ,
        config=SortingConfig(),
    )


def test_of_spikes_that_follow_each_other_within_2_ms_times_do_not_say_whether_they_are_of_one_cell() -> None:
    """A cell that bursts, a spike that was found twice, or two cells that fire together: each part has its
    refractory period. The parts are the halves of one heap, which by itself says little too."""
    first = train(15.0, 1, 5.0)
    times, part = together(first, first + 30)  # 1.5 ms later
    coordinates = RNG(2).normal(0, 1, (len(times), 2))
    coordinates[:, 0] = np.abs(coordinates[:, 0]) * np.where(part, 1, -1)
    assert 0.3 < by_all(times, coordinates, np.zeros_like(part), part).weight[0] < 0.8


def test_cells_that_never_meet_within_2_ms_are_two_where_their_spikes_are_two_heaps() -> None:
    """One of two spikes that overlap is lost, or the cells silence each other."""
    first, second = train(20.0, 3, 5.0), train(20.0, 4, 5.0)
    busy = np.zeros(first[-1] + 100, dtype=bool)
    busy[(first[:, None] + np.arange(-50, 51)).clip(0)] = True
    times, part = together(first, second[~busy[second.clip(0, len(busy) - 1)]])
    coordinates = RNG(5).normal(0, 1, (len(times), 4))
    coordinates[:, 0] += 8.0 * part
    assert by_all(times, coordinates, np.zeros_like(part), part).weight[1] > 0.8


def test_draws_that_differ_by_single_spikes_keep_their_weights_however_long_the_recording() -> None:
    """Of so many pairs a few more or less within 2 ms are many nats, and say nothing of one cell or two."""
    rng = RNG(6)
    times, part = together(*(neuron(20.0, 1500.0, seed) for seed in (7, 8)))
    coordinates = rng.normal(0, 1, (len(times), 4))
    coordinates[:, 0] += 4.0 * part
    cells = [np.where(rng.random(len(part)) < 0.02, 1 - part, part) for _ in range(60)]
    found = by_all(times, coordinates, *cells, *([np.zeros_like(part)] * 60), every=9)
    assert found.weight[:60].sum() > 0.99
    assert found.n_effective > 30
