"""Easy sets are easy, and weights that lose them are not kept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.training.easy_sets import easy_ari, easy_set
from ncpgui.engine.training.validation import Scores


@pytest.mark.parametrize("number", [0, 4, 5, 16])
def test_means_of_the_true_units_tell_which_spike_is_whose(number: int) -> None:
    """In tissue that stays, a spike is nearest to the mean of its own unit."""
    one = easy_set(3, number)
    flat = one.waveforms.reshape(len(one.labels), -1)
    units = np.unique(one.labels)
    means = np.stack([flat[one.labels == k].mean(0) for k in units])
    nearest = units[((flat[:, None] - means) ** 2).sum(2).argmin(1)]
    assert adjusted_rand_score(nearest, one.labels) > 0.97
    apart = np.linalg.norm(means[:, None] - means, axis=2)[~np.eye(len(units), dtype=bool)]
    assert len(units) == 1 or apart.min() > 5


def test_sets_have_one_to_twelve_units_and_are_drawn_again_by_their_number() -> None:
    assert [int(easy_set(3, number).labels.max()) + 1 for number in (0, 1, 5)] == [1, 2, 6]
    one, again = easy_set(3, 4), easy_set(3, 4)
    np.testing.assert_array_equal(one.waveforms, again.waveforms)
    assert not np.array_equal(one.labels, easy_set(4, 4).labels)


def test_a_network_that_knows_nothing_yet_gets_them_wrong() -> None:
    options = {"h_dim": 16, "metric": 8, "hidden": 16}
    network = build_network(NetworkSettings(encoder_options={"h_dim": 16}, network_options=options)).eval()
    assert -0.5 < easy_ari(network, n_sets=3, seed=0, n_samples=2) < 0.9


@pytest.mark.parametrize(
    ("nll", "easy", "kept"),
    [
        (0.09, 0.95, True),  # better on held-out sets, and no worse on easy ones
        (0.09, 0.90, False),  # it has lost what is easy
        (0.11, 0.99, True),  # clearly better on what is easy
        (0.11, 0.955, False),
    ],
)
def test_weights_are_kept_that_are_better_and_have_not_lost_what_is_easy(nll, easy, kept) -> None:
    assert Scores(nll, 0.6, 0.0, easy).beats(0.10, 0.95) is kept


def test_without_easy_sets_the_held_out_score_decides() -> None:
    assert Scores(0.09, 0.6, 0.0).beats(0.10, -math.inf)
    assert not Scores(0.11, 0.6, 0.0).beats(0.10, -math.inf)
