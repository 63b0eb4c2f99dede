"""Two cells that all draws have as one are two in draws beside them, as probable as heaps and times say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.second_cells import (
    MOST_NATS,
    NATS,
    NATS_A_BIC,
    NATS_A_SHARE,
    NATS_A_TIME,
    second_cell,
    with_second_cells,
)

RATE_HZ = 20_000.0
T, C = 32, 3


def spikes(
    distance: float, *, n: int = 600, share: float = 0.4, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Waveforms (n, T, C) in white noise, of which a share is so many sd away; which these are."""
    rng = np.random.default_rng(seed)
    second = rng.permutation(n) < share * n
    waveforms = rng.normal(size=(n, T, C)).astype(np.float32)
    waveforms[:, 12] -= 9
    waveforms[second, 14:18] += distance / np.sqrt(4 * C)
    return waveforms, second


def train(n: int, *, two_cells: bool, seed: int = 0) -> np.ndarray:
    """Samples of n spikes, 140 a second on average; of one cell none are closer than 3 ms."""
    rng = np.random.default_rng(seed)
    gap = rng.exponential(0.007, n) if two_cells else rng.exponential(0.004, n) + 0.003
    return np.round(np.cumsum(gap) * RATE_HZ).astype(np.int64)


def draws(*rows: list[int], n: int = 600) -> PosteriorSamples:
    """Draws that have all n points in the cluster that each row names."""
    labels = np.array([np.resize(row, n) for row in rows])
    return PosteriorSamples(labels, np.zeros(len(rows)))


def hidden(
    posterior: PosteriorSamples, waveforms: np.ndarray, fired: np.ndarray, **options: object
) -> PosteriorSamples:
    n = len(waveforms)
    given = {
        "company": np.zeros(n, dtype=np.int64),
        "sampling_frequency_hz": RATE_HZ,
        "config": SortingConfig(),
    } | options
    company = given.pop("company")
    return with_second_cells(posterior, np.arange(n), waveforms, company, fired, **given)


def test_a_unit_of_two_cells_is_two_beside_each_draw_that_has_it_as_one() -> None:
    waveforms, second = spikes(4.5)
    found = hidden(draws([0], [0], [0]), waveforms, train(600, two_cells=True))
    assert found.n_samples == 6
    assert (found.rows[:3] == 0).all()
    assert (found.n_clusters[3:] == 2).all()
    for row in found.rows[3:]:
        agree = (row == row[second][0])[second].mean(), (row != row[second][0])[~second].mean()
        assert min(agree) > 0.9
    assert not np.array_equal(found.rows[3], found.rows[4])  # which spike is of which is drawn each time
    assert found.weight[3:].sum() == pytest.approx(expit(MOST_NATS))
    assert found.drawn_weight is not None
    np.testing.assert_allclose(found.drawn_weight, [1 / 3] * 3 + [0] * 3)
    assert np.isnan(found.log_prob[3:]).all()


def test_the_odds_are_linear_in_bic_times_and_share() -> None:
    waveforms, _ = spikes(3.2, share=0.25)
    known = second_cell(waveforms, 0.0)
    assert known is not None
    by_times = [second_cell(waveforms, nats) for nats in (-5.0, 3.0, 50.0)]
    nats = [one.nats - known.nats for one in by_times if one is not None]
    assert nats == pytest.approx([-5 * NATS_A_TIME, 3 * NATS_A_TIME, 3 * NATS_A_TIME])  # more says no more
    share = known.p_second.mean()
    bic = (known.nats - NATS - NATS_A_SHARE * share) / NATS_A_BIC
    assert 20 < bic < 100
    more = second_cell(spikes(30.0, share=0.35)[0], 3.0)
    assert more is not None
    assert more.nats == MOST_NATS


@pytest.mark.parametrize(
    ("waveforms", "fired"),
    [
        (spikes(0.0)[0], train(600, two_cells=True)),
        (spikes(3.4, share=0.3)[0], train(600, two_cells=False)),
        (spikes(8.0, share=0.05)[0], train(600, two_cells=True)),
        (spikes(8.0, n=60)[0], train(60, two_cells=True)),
    ],
    ids=["one heap", "times of one cell", "outliers", "too few"],
)
def test_a_unit_that_is_hardly_two_stays_as_it_is(waveforms: np.ndarray, fired: np.ndarray) -> None:
    posterior = draws([0], [0], n=len(waveforms))
    assert hidden(posterior, waveforms, fired) is posterior


def test_the_same_waveforms_are_two_cells_where_spikes_are_closer_than_those_of_one() -> None:
    waveforms, _ = spikes(3.4, share=0.3)
    assert hidden(draws([0]), waveforms, train(600, two_cells=True)).n_samples == 2


def test_firing_times_say_nothing_where_the_settings_leave_them_out() -> None:
    waveforms, _ = spikes(4.2, share=0.35)
    of_one, of_two, without = (
        train(600, two_cells=False),
        train(600, two_cells=True),
        SortingConfig(firing_times=False),
    )
    by_times, by_other_times = (
        hidden(draws([0]), waveforms, fired, config=without).weight for fired in (of_one, of_two)
    )
    np.testing.assert_array_equal(by_times, by_other_times)
    known = second_cell(waveforms, 0.0)
    assert known is not None
    assert by_times[1:].sum() == pytest.approx(expit(known.nats), abs=0.01)


def test_a_draw_that_parts_the_unit_already_gets_none_beside_it() -> None:
    waveforms, second = spikes(4.5)
    labels = np.stack([np.zeros(600, int), second.astype(int)])
    found = hidden(PosteriorSamples(labels, np.zeros(2)), waveforms, train(600, two_cells=True))
    assert found.n_samples == 3
    assert found.weight[1] == pytest.approx(0.5)


def test_units_of_matching_that_the_draws_join_are_asked_about_as_one() -> None:
    waveforms, _ = spikes(4.5)
    fired, by_chance = train(600, two_cells=True), np.arange(600) % 2
    joined = hidden(draws([0]), waveforms, fired, company=by_chance)
    assert joined.n_clusters.tolist() == [1, 2]
    apart = hidden(draws([0, 1]), waveforms, fired, company=by_chance)
    assert apart.n_clusters[0] == 2


def test_what_a_person_decided_is_not_parted() -> None:
    waveforms, _ = spikes(4.5)
    posterior, fired = draws([0]), train(600, two_cells=True)
    free = np.arange(600) != 7
    assert hidden(posterior, waveforms, fired, free=free) is posterior
    assert hidden(posterior, waveforms, fired, free=np.ones(600, bool)).n_samples == 2


def test_spikes_of_no_unit_hide_nothing() -> None:
    waveforms, _ = spikes(4.5)
    posterior = draws([0])
    assert hidden(posterior, waveforms, train(600, two_cells=True), company=np.full(600, -1)) is posterior


def test_a_beam_stays_a_beam() -> None:
    waveforms, _ = spikes(4.5)
    beam = draws([0]).changed(sampler="beam")
    assert hidden(beam, waveforms, train(600, two_cells=True)) is beam


def test_two_units_that_hide_one_are_parted_together_as_often_as_both_are_probable() -> None:
    waveforms, _ = spikes(4.5, n=1200)
    company = np.repeat([0, 1], 600)
    n = 400
    posterior = draws(*[[0] * 600 + [1] * 600] * n, n=1200)
    found = hidden(posterior, waveforms, train(1200, two_cells=True), company=company)
    p = expit(MOST_NATS)
    assert found.weight[n:].sum() == pytest.approx(1 - (1 - p) ** 2)
    of_both = (found.n_clusters[n:] == 4).mean()
    assert of_both == pytest.approx(p**2 / (1 - (1 - p) ** 2), abs=4 * np.sqrt(0.04 / n))
    assert set(found.n_clusters[n:]) <= {3, 4}


class Shown:
    """White noise to which the two sides respond as it is told."""

    def __init__(self, nats: float) -> None:
        self.nats, self.frame = nats, np.zeros(600)

    def two_cells_nats(self, first: np.ndarray, second: np.ndarray) -> float:
        assert (first ^ second).all()
        assert 0.3 < second.mean() < 0.5
        return self.nats


@pytest.mark.parametrize("nats", [-3.0, 2.0])
def test_the_stimulus_weighs_them_and_is_told_apart(nats: float) -> None:
    waveforms, _ = spikes(4.5)
    found = hidden(draws([0]), waveforms, train(600, two_cells=True), responses=Shown(nats))
    assert found.weight[1] == pytest.approx(expit(MOST_NATS + nats))
    assert found.stimulus_nats is not None
    np.testing.assert_allclose(found.stimulus_nats, [0, nats])
    assert found.weight_without_stimulus[1] == pytest.approx(expit(MOST_NATS))


def test_the_same_seed_gives_the_same_draws() -> None:
    waveforms, _ = spikes(4.0)
    first, again, other = (
        hidden(draws([0], [0]), waveforms, train(600, two_cells=True), config=SortingConfig(seed=seed)).rows
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
