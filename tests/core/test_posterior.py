"""Samples of a posterior: to the last bit, their orders, and how far shares can be trusted."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from ncpgui.core.alternatives import group_alternatives
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples, effective_draws, sampler_words

ORDER = np.arange(96) % 8


def of_shares(rng: np.random.Generator, p: np.ndarray) -> tuple[PosteriorSamples, np.ndarray]:
    """96 samples of two points over eight orders, and which have them together: `p` (8,) in each."""
    together = rng.random(96) < p[ORDER]
    return PosteriorSamples(
        np.where(together[:, None], [[0, 0]], [[0, 1]]), np.zeros(96), order=ORDER
    ), together


def test_the_error_of_a_share_is_that_of_independent_samples_where_no_order_is_known() -> None:
    labels = np.array([[0, 0], [0, 1], [0, 1], [0, 1]])
    samples = PosteriorSamples(labels, np.zeros(4))
    assert samples.standard_error(np.array([0])) == pytest.approx(np.sqrt(0.25 * 0.75 / 4))
    assert samples.standard_error(np.array([True, False, False, False])) == pytest.approx(np.sqrt(3) / 8)
    weighted = PosteriorSamples(labels, np.zeros(4), np.array([0.5, 0.5, 0, 0]))
    assert weighted.standard_error(np.array([0])) == pytest.approx(np.sqrt(0.25 / 2))
    assert samples.standard_error(np.arange(4)) == 0


def test_orders_that_contradict_each_other_count_as_one_observation_each() -> None:
    """Half of eight orders say yes, half no: the sd of their mean is sqrt(2/7 / 8), however many samples."""
    yes = ORDER < 4
    samples = PosteriorSamples(np.zeros((96, 2), int), np.zeros(96), order=ORDER)
    assert samples.standard_error(yes) == pytest.approx(np.sqrt(2 / 7 / 8))


def test_orders_of_unequal_weight_count_by_it() -> None:
    """Two orders of weights 3/4 and 1/4 that disagree: p = 3/4, and 2 (9/16 1/16 + 1/16 9/16) = 9/64."""
    samples = PosteriorSamples(
        np.zeros((2, 2), int), np.zeros(2), np.array([3.0, 1.0]), order=np.array([0, 1])
    )
    assert samples.standard_error(np.array([0])) == pytest.approx(np.sqrt(9 / 64))


@pytest.mark.parametrize("spread", [0.0, 0.15, 0.3])
def test_the_stated_error_is_the_spread_of_repeated_runs(spread: float) -> None:
    """Eight orders with P = 1/2 +- `spread`, drawn anew in each run."""
    rng = np.random.default_rng(0)
    shares, stated = [], []
    for _ in range(1500):
        samples, together = of_shares(rng, rng.choice([0.5 - spread, 0.5 + spread], 8))
        shares.append(together.mean())
        stated.append(samples.standard_error(together))
    assert np.std(shares) == pytest.approx(np.sqrt(0.25 / 96 + spread**2 / 8 * (1 - 1 / 12)), rel=0.06)
    ratio = np.std(shares) / np.sqrt(np.mean(np.square(stated)))
    assert (
        0.88 < ratio < 1.05
    )  # never below the error of independent samples: on the safe side where orders agree


def test_the_masses_of_sortings_have_the_error_of_their_orders() -> None:
    """Four orders see two units of 50 spikes, four of them one."""
    rows = np.where((ORDER < 4)[:, None], np.repeat([0, 1], 50)[None], 0)
    modes = group_alternatives(PosteriorSamples(rows, np.zeros(96), order=ORDER))
    assert [mode.mass for mode in modes] == pytest.approx([0.5, 0.5])
    assert [mode.mass_se for mode in modes] == pytest.approx([np.sqrt(2 / 7 / 8)] * 2)


def test_a_part_of_the_samples_keeps_their_orders() -> None:
    samples = PosteriorSamples(np.zeros((96, 2), int), np.zeros(96), order=ORDER)
    assert samples.subset(np.array([3, 9, 16])).order.tolist() == [3, 1, 0]
    assert PosteriorSamples(np.zeros((2, 2), int), np.zeros(2)).subset(np.array([0])).order is None


def test_orders_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match=r"the order of each of 96 samples is needed, got shape \(95,\)"):
        PosteriorSamples(np.zeros((96, 2), int), np.zeros(96), order=ORDER[1:])


def test_weights_are_normalised_once_and_then_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    for n in (3, 7, 49, 100, 1000):
        for weight in (np.ones(n), rng.random(n), rng.random(n) ** 20):
            first = PosteriorSamples(np.zeros((n, 2), int), np.zeros(n), weight)
            again = PosteriorSamples(first.labels, first.log_prob, first.weight)
            assert abs(first.weight.sum() - 1) < 1e-12
            assert again.weight.tobytes() == first.weight.tobytes()


def test_other_evidence_multiplies_the_weights_and_those_as_drawn_are_kept() -> None:
    samples = PosteriorSamples(np.array([[0, 0], [0, 1], [0, 1]]), np.zeros(3), np.array([0.5, 0.25, 0.25]))
    once = samples.weighed(np.log([1.0, 2.0, 4.0]) - 5000)  # of any size: only differences matter
    assert once.weight == pytest.approx([0.25, 0.25, 0.5])
    twice = once.weighed(np.array([0.0, -np.inf, 0.0]))
    assert twice.weight == pytest.approx([1 / 3, 0, 2 / 3])
    assert twice.n_effective == pytest.approx(9 / 5)
    for found in (once, twice, twice.subset(np.array([0, 1, 2])), twice.at_points(np.array([1]))):
        assert found.drawn_weight == pytest.approx([0.5, 0.25, 0.25])


def test_weights_without_the_stimulus_are_those_before_it() -> None:
    samples = PosteriorSamples(np.array([[0, 0], [0, 1], [0, 1]]), np.zeros(3), np.array([0.5, 0.25, 0.25]))
    others, stimulus = np.log([1.0, 2.0, 4.0]), np.array([-8.0, 8.0, 0.0])
    timed = samples.weighed(others)
    assert timed.weight_without_stimulus == pytest.approx(timed.weight)
    found = samples.weighed(others, stimulus_nats=stimulus)
    assert found.weight == pytest.approx(timed.weighed(stimulus).weight)
    assert found.drawn_weight == pytest.approx(samples.weight)
    kept = np.array([2, 0])
    for some, rows in ((found, slice(None)), (found.at_points(np.array([1])), slice(None))):
        assert some.weight_without_stimulus == pytest.approx(timed.weight[rows])
    assert found.subset(kept).weight_without_stimulus == pytest.approx(timed.subset(kept).weight)
    with pytest.raises(InputError, match=r"stimulus under each of 3 samples is needed, got shape \(2,\)"):
        PosteriorSamples(np.zeros((3, 2), int), np.zeros(3), stimulus_nats=np.zeros(2))


def test_samples_beside_others_share_their_weight_and_were_drawn_by_nobody() -> None:
    """Of weights 1/4 and 3/4 the second gives a third away; a stimulus of ln 2 is more for it there."""
    drawn = PosteriorSamples(np.array([[0, 0], [0, 1]]), np.zeros(2), np.array([1.0, 3.0]), np.array([4, 5]))
    found = drawn.with_beside(np.array([1]), np.array([[7, 7]]), np.array([1 / 3]))
    assert found.labels.tolist() == [[0, 0], [0, 1], [0, 0]]
    np.testing.assert_allclose(found.weight, [0.25, 0.5, 0.25])
    np.testing.assert_allclose(found.drawn_weight, [0.25, 0.75, 0])
    assert np.isnan(found.log_prob).tolist() == [False, False, True]
    assert found.order.tolist() == [4, 5, 5]
    assert found.stimulus_nats is None
    seen = drawn.with_beside(
        np.array([1]), np.array([[0, 0]]), np.array([1 / 2]), stimulus_nats=np.array([np.log(2)])
    )
    np.testing.assert_allclose(seen.stimulus_nats, [0, 0, np.log(2)])
    np.testing.assert_allclose(seen.weight_without_stimulus, np.array([4, 6, 3]) / 13)
    again = seen.with_beside(np.array([2]), np.array([[0, 1]]), np.array([1 / 2]))
    np.testing.assert_allclose(again.stimulus_nats, np.log([1, 1, 2, 2]))
    np.testing.assert_allclose(again.drawn_weight, [0.25, 0.75, 0, 0])


def test_evidence_that_excludes_all_samples_and_weights_that_do_not_fit_are_refused() -> None:
    samples = PosteriorSamples(np.zeros((2, 2), int), np.zeros(2))
    with pytest.raises(InputError, match="evidence must leave at least one sample possible"):
        samples.weighed(np.full(2, -np.inf))
    with pytest.raises(InputError, match=r"weight as drawn of each of 2 samples is needed, got shape \(3,\)"):
        PosteriorSamples(np.zeros((2, 2), int), np.zeros(2), drawn_weight=np.ones(3))


@pytest.mark.parametrize(("n_labels", "n_bytes"), [(7, 1), (255, 1), (256, 2), (300, 2)])
def test_few_labels_take_few_bytes_also_on_their_way_to_another_process(n_labels: int, n_bytes: int) -> None:
    rows = np.stack([np.arange(4000) % n_labels] * 10)
    samples = PosteriorSamples(rows, np.zeros(10))
    assert samples.labels.dtype == np.int32
    assert np.array_equal(samples.labels, rows)
    sent = pickle.dumps(samples)
    assert len(sent) < n_bytes * rows.size + 2000
    assert np.array_equal(pickle.loads(sent).labels, rows)


def test_labels_below_zero_and_very_many_stay_what_they_are() -> None:
    assert PosteriorSamples(np.array([[0, -1, 1]]), np.zeros(1)).labels.tolist() == [[0, -1, 1]]
    many = np.arange(40_000)[None]
    assert np.array_equal(PosteriorSamples(many, np.zeros(1)).labels, many)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.int64])
def test_labels_of_any_type_are_made_canonical(dtype: type) -> None:
    rows = np.array([[1, 0, 1], [0, 0, 1]], dtype=dtype)
    assert PosteriorSamples(rows, np.zeros(2)).labels.tolist() == [[0, 1, 0], [0, 0, 1]]


def test_the_number_of_clusters_counts_those_of_a_size_and_more() -> None:
    posterior = PosteriorSamples(
        np.array([[0, 0, 1], [0, 1, 2]]), np.log([0.25, 0.75]), np.array([0.25, 0.75])
    )
    assert posterior.p_n_clusters() == {2: 0.25, 3: 0.75}
    assert posterior.p_n_clusters(2) == {0: 0.75, 1: 0.25}
    assert posterior.p_n_clusters(3) == {0: 1.0}


def test_a_beam_stays_one_whatever_is_taken_of_it():
    beam = PosteriorSamples([[0, 0, 1], [0, 1, 1]], [-1.0, -2.0], [0.75, 0.25], sampler="beam")
    parts = (
        beam.subset(np.array([1])),
        beam.at_points(np.array([0, 2])),
        beam.weighed(np.array([0.0, 1.0])),
    )
    assert [part.sampler for part in parts] == ["beam"] * 3
    assert PosteriorSamples([[0]], [0.0]).sampler == "draws"


def test_a_beam_has_no_monte_carlo_error():
    beam = PosteriorSamples([[0, 0], [0, 1]], [-1.0, -2.0], [0.75, 0.25], sampler="beam")
    assert np.isnan(beam.standard_error(np.array([0])))


def test_a_sampler_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="samples come from 'draws' or 'beam', got 'guess'"):
        PosteriorSamples([[0]], [0.0], sampler="guess")


def test_echoes_go_with_their_points_and_weights_with_their_samples() -> None:
    """Point 3 is an echo of point 1, and point 4 of point 0; the last two samples have them as one."""
    samples = PosteriorSamples(
        np.array([[0, 0, 1, 1, 2], [0, 1, 1, 2, 0], [0, 0, 1, 0, 0], [0, 1, 1, 1, 0]]),
        np.zeros(4),
        np.array([0.1, 0.1, 0.4, 0.4]),
        weight_without_echoes=np.array([1.0, 1.0, 0, 0]),
        echo_of=np.array([-1, -1, -1, 1, 0]),
    )
    assert samples.weight_without_echoes == pytest.approx([0.5, 0.5, 0, 0])
    assert samples.weight_without_stimulus == pytest.approx([0.5, 0.5, 0, 0])
    assert samples.at_points(np.array([1, 3, 4])).echo_of.tolist() == [-1, 0, -1]
    assert samples.at_points(np.array([True, False, True, False, True])).echo_of.tolist() == [-1, -1, 0]
    assert samples.subset(np.array([1, 2])).weight_without_echoes == pytest.approx([1, 0])
    joined = samples.subset(np.array([2, 3]))
    assert joined.weight_without_echoes is None
    assert joined.is_echo.tolist() == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"weight_without_echoes": np.ones(3)}, "the weight without echoes of each of 2 samples is needed"),
        (
            {"echo_of": np.zeros(2, int)},
            r"of which other each of 3 points is an echo is needed, got",
        ),
    ],
)
def test_echoes_that_do_not_fit_are_refused(values, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PosteriorSamples(np.zeros((2, 3), int), np.zeros(2), **values)


# -- at the edges ------------------------------------------------------------------------------------


def test_a_beam_is_named_with_what_it_is_not_and_draws_by_their_name() -> None:
    assert sampler_words("beam") == "beam: the most probable sortings only, not a posterior"
    assert sampler_words("draws") == "draws"


@pytest.mark.parametrize(
    ("labels", "log_prob", "weight", "words"),
    [
        (np.zeros((0, 3), int), [], None, "a posterior needs at least one sample, got 0"),
        (
            [[0, 1]],
            [0, 0],
            None,
            "1 label vectors, 2 log probabilities, 1 weights; give one of each a sample",
        ),
        ([[0, 1], [0, 0]], [0, 0], [1.0], "2 label vectors, 2 log probabilities, 1 weights"),
    ],
)
def test_samples_without_a_probability_and_a_weight_each_are_refused(
    labels: object, log_prob: object, weight: object, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        PosteriorSamples(labels, log_prob, weight)  # type: ignore[arg-type]


def test_one_vector_is_one_sample_and_log_probabilities_may_be_a_column() -> None:
    one = PosteriorSamples(np.array([4, 4, 2]), np.array([[-1.0]]))
    assert (one.n_samples, one.n_points, one.labels.tolist()) == (1, 3, [[0, 0, 1]])
    assert one.log_prob.tolist() == [-1]
    assert one.n_clusters.tolist() == [2]
    assert PosteriorSamples(np.array([[0, 0], [0, 1]]), np.zeros(2)).n_clusters.tolist() == [1, 2]


def test_some_samples_keep_their_weights_unless_none_of_them_has_any() -> None:
    some = PosteriorSamples(
        np.array([[0, 0], [0, 1], [0, 0]]),
        np.arange(3.0),
        np.array([0.0, 3.0, 1.0]),
        drawn_weight=np.array([1.0, 0.0, 1.0]),
        stimulus_nats=np.arange(3.0),
        weight_without_echoes=np.array([1.0, 0.0, 3.0]),
    )
    part = some.subset(np.array([0, 1]))
    assert part.weight.tolist() == [0, 1]
    assert part.drawn_weight is not None
    assert part.drawn_weight.tolist() == [1, 0]
    assert part.weight_without_echoes is not None
    assert part.weight_without_echoes.tolist() == [1, 0]
    assert part.stimulus_nats is not None
    assert part.stimulus_nats.tolist() == [0, 1]
    assert part.log_prob.tolist() == [0, 1]
    assert some.subset(np.array([0, 0])).weight.tolist() == [0.5, 0.5]
    only = some.subset(np.array([1]))
    assert (only.drawn_weight, only.weight_without_echoes) == (None, None)


def test_without_the_stimulus_what_it_said_of_each_sample_is_taken_back() -> None:
    weight, nats = np.array([0.5, 0.25, 0.25, 0.0]), np.array([0.0, np.log(2), -np.log(2), 7.0])
    some = PosteriorSamples(np.zeros((4, 1), int), np.zeros(4), weight, stimulus_nats=nats)
    # 0.5, 0.125 and 0.5 over their sum
    assert some.weight_without_stimulus == pytest.approx(np.array([4, 1, 4, 0]) / 9)
    huge = some.changed(stimulus_nats=nats + 2000)
    assert huge.weight_without_stimulus == pytest.approx(np.array([4, 1, 4, 0]) / 9)
    apart = some.changed(stimulus_nats=np.array([0.0, 2000.0, -2000.0, 0.0]))
    assert apart.weight_without_stimulus.tolist() == [0, 0, 1, 0]


def test_weights_that_sum_to_one_but_for_rounding_stay_to_the_last_bit() -> None:
    thirds = np.full(3, 1 / 3)
    thirds[0] = np.nextafter(thirds[0], 1)
    assert PosteriorSamples(np.zeros((3, 1), int), np.zeros(3), thirds).weight.tobytes() == thirds.tobytes()
    for wrong in ([0.0, 0.0], [-1.0, 2.0], [np.nan, 1.0], [np.inf, 1.0]):
        with pytest.raises(InputError, match="finite, non-negative and not all zero"):
            PosteriorSamples(np.zeros((2, 1), int), np.zeros(2), wrong)  # type: ignore[arg-type]


def test_the_error_is_never_below_that_of_independent_samples() -> None:
    """Two orders that agree to the last sample: their variance is 0, that of 4 samples p (1 - p) / 4."""
    rows = np.array([[0, 0], [0, 1]] * 2)
    agreeing = PosteriorSamples(rows, np.zeros(4), order=np.array([0, 0, 1, 1]))
    assert agreeing.standard_error(np.array([0, 2])) == pytest.approx(0.25)
    apart = PosteriorSamples(rows, np.zeros(4), order=np.array([0, 1, 0, 1]))
    # each order has weight 1/2 and share 1 or 0: 2 / 1 * 2 * (1/4)^2
    assert apart.standard_error(np.array([0, 2])) == pytest.approx(0.5)
    one_order = PosteriorSamples(rows, np.zeros(4), order=np.zeros(4, int))
    assert one_order.standard_error(np.array([0, 2])) == pytest.approx(0.25)


def test_pairs_share_a_cluster_as_often_as_the_weights_of_their_samples_say() -> None:
    some = PosteriorSamples(np.array([[0, 0, 1], [0, 1, 1]]), np.zeros(2), np.array([3.0, 1.0]))
    assert some.co_assignment(np.array([0, 1, 0]), np.array([1, 2, 2])).tolist() == [0.75, 0.25, 0]
    with pytest.raises(InputError, match="as many first points as second ones"):
        some.co_assignment(np.array([0]), np.array([1, 2]))
    with pytest.raises(InputError, match="points are numbers from 0 to 2"):
        some.co_assignment(np.array([0]), np.array([3]))


def test_points_of_a_cluster_that_meets_no_reference_belong_to_none() -> None:
    some = PosteriorSamples(np.array([[0, 0, 1, 1]]), np.zeros(1))
    assert some.membership(np.array([0, 0, -1, -1])).tolist() == [[1], [1], [0], [0]]
    assert some.membership(np.array([1, 0, 0, -1])).tolist() == [[1, 0], [1, 0], [1, 0], [1, 0]]
    assert some.membership(np.full(4, -1)).shape == (4, 0)


@pytest.mark.parametrize(
    ("weight", "n"), [([2, 2], 2), ([3, 1], 1.6), ([0.75, 0.25], 1.6), ([5], 1), ([0, 0], 0), ([], 0)]
)
def test_draws_count_as_many_as_draws_of_equal_weight_would(weight: list[float], n: float) -> None:
    """Kish: the square of the sum over the sum of squares, whatever the weights sum to."""
    assert effective_draws(np.array(weight, float)) == pytest.approx(n)
