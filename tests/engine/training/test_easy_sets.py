"""Easy sets are easy, and weights that lose them are not kept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.training.easy_sets import _noise, _Unit, _units, easy_ari, easy_set
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


def test_sets_take_turns_in_their_probe_a_hexagon_a_square_and_a_column() -> None:
    hexagon, square, column = (easy_set(3, number).positions for number in range(3))
    assert hexagon[:2].tolist() == [[0, 0], [30, 0]]
    assert np.linalg.norm(hexagon[1:], axis=1) == pytest.approx(30)
    assert np.linalg.norm(np.diff(hexagon[1:], axis=0), axis=1) == pytest.approx(30)
    assert square.tolist() == [[0, 0], [25, 0], [0, 25], [25, 25]]
    assert column.tolist() == [[0, y] for y in (0, 20, -20, 40, -40, 60, -60)]
    one = easy_set(3, 1)
    assert len(one.labels) == len(one.seconds) == len(one.waveforms)
    assert len(one.labels) in (50, 150, 400, 1000, 3000)
    assert one.waveforms.shape[1:] == (32, 4)
    assert (np.diff(one.seconds) >= 0).all()
    assert 0 <= one.seconds[0] < one.seconds[-1] <= 120


def test_a_unit_falls_off_as_a_bell_around_a_place_that_moves_upwards() -> None:
    unit = _Unit(np.array([0.0, -10, 5]), np.array([0.0, -10]), 10.0)
    positions = np.array([[0.0, 0], [10, -10]])
    still, moved = unit.at(positions, np.array([0.0, 10.0]))
    falls = np.exp(-0.5)
    assert still == pytest.approx(np.array([[0, 0], [-10, -10], [5, 5]]) * falls)
    assert moved == pytest.approx(np.array([[0, 0], [-10, -10 * falls**2], [5, 5 * falls**2]]))


def test_units_are_as_far_apart_as_asked_for() -> None:
    rng, positions = np.random.default_rng(0), np.array([[0.0, 0], [25, 0]])
    units = _units(rng, positions, 5, 12.0)
    shapes = [unit.at(positions, np.zeros(1))[0] for unit in units]
    assert len(units) == 5
    assert min(np.linalg.norm(a - b) for n, a in enumerate(shapes) for b in shapes[:n]) >= 12
    for unit in units:
        assert -12 <= unit.place.min() <= unit.place.max() <= 12
        assert 18 <= unit.reach_um <= 45
        assert (unit.wave[:3] == 0).all(), "knots begin 8 samples before the trough at 11"
        assert unit.wave[3] == pytest.approx(0, abs=1e-9)


def test_noise_is_coloured_in_every_second_three_sets_and_tissue_moves_in_every_second_six() -> None:
    """Spikes of a unit differ by noise alone, unless its mean is another in another sixth of the time."""
    for number in (1, 4, 7, 10, 13, 16, 19, 22):
        one = next(s for s in (easy_set(seed, number) for seed in range(99)) if len(s.labels) == 3000)
        largest = one.labels == np.bincount(one.labels).argmax()
        rest = (one.waveforms - one.waveforms[largest].mean(0)).astype(float)[largest]
        before = rest[:, :3]  # no unit is seen yet
        follows = (before[:, 1:] * before[:, :-1]).mean() / (before**2).mean()
        assert (follows > 0.35) == (number // 3 % 2 == 1), number
        sixths = np.array_split(rest, 6)
        in_errors = max(np.abs(sixth.mean(0)).max() * len(sixth) ** 0.5 for sixth in sixths)
        assert (in_errors > 6) == (number // 6 % 2 == 1), number


@pytest.mark.parametrize(("coloured", "expected"), [(False, 0.0), (True, 0.7)])
def test_noise_has_one_sd_and_follows_itself_where_it_is_coloured(coloured: bool, expected: float) -> None:
    noise = _noise(np.random.default_rng(0), (4000, 32, 2), coloured)
    assert noise.shape == (4000, 32, 2)
    assert noise.std() == pytest.approx(1, abs=0.01)
    assert (noise[:, 1:] * noise[:, :-1]).mean() == pytest.approx(expected, abs=0.01)
    assert (noise[..., 0] * noise[..., 1]).mean() == pytest.approx(0, abs=0.01)
