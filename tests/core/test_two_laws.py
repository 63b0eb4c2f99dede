"""Two normal laws of one covariance against one: as scikit-learn fits them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from ncpgui.core.two_laws import two_laws


def heaps(
    distance: float, *, share: float = 0.4, n: int = 1000, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Normal points in eight dimensions, of which a share is so far away along the third; which these are."""
    rng = np.random.default_rng(seed)
    second = np.arange(n) < share * n
    points = rng.normal(size=(n, 8)) * [1, 2, 1, 1, 0.5, 1, 1, 1]
    points[second, 2] += distance
    return points, second


@pytest.mark.parametrize("distance", [2.6, 3.6], ids=["against two", "for two"])
def test_bic_and_odds_are_those_of_a_mixture_with_one_covariance(distance: float) -> None:
    """Eight numbers for the second mean and one for the share; scikit-learn begins at the true means."""
    points, second = heaps(distance)
    means = np.array([points[~second].mean(axis=0), points[second].mean(axis=0)])
    options = {"covariance_type": "tied", "max_iter": 2000, "tol": 1e-7, "reg_covar": 1e-9}
    two = GaussianMixture(2, means_init=means, weights_init=[0.6, 0.4], **options).fit(points)
    one = GaussianMixture(1, **options).fit(points)
    fitted = two_laws(points)
    assert fitted is not None
    assert fitted.bic == pytest.approx(one.bic(points) - two.bic(points), abs=0.3)
    assert (fitted.bic > 0) == (distance == 3.6)
    assert fitted.share == pytest.approx(two.weights_[1], abs=0.02)
    expected = two.predict_proba(points)[:, 1]
    assert np.abs(1 / (1 + np.exp(-fitted.log_odds)) - expected).max() < 0.05
    assert (np.diff(fitted.log_odds[np.argsort(fitted.place)]) >= 0).all()


def test_the_odds_are_of_the_smaller_law_whichever_it_is() -> None:
    for share in (0.3, 0.7):
        points, second = heaps(5.0, share=share)
        smaller = second if share < 0.5 else ~second
        fitted = two_laws(points)
        assert fitted is not None
        assert ((fitted.log_odds > 0) == smaller).mean() > 0.98
        assert fitted.share == pytest.approx(0.3, abs=0.02)


def test_a_few_points_far_away_do_not_hide_two_heaps_where_small_laws_are_not_wanted() -> None:
    points, second = heaps(4.0)
    points[::50, 1] += 60
    outliers, wanted = two_laws(points), two_laws(points, least_share=0.15)
    assert outliers is not None
    assert wanted is not None
    assert outliers.share == pytest.approx(0.02, abs=0.005)
    assert wanted.share == pytest.approx(0.4, abs=0.06)
    assert outliers.bic > wanted.bic > 0
    assert ((wanted.log_odds > 0) == second).mean() > 0.9


def test_in_few_components_the_penalty_is_of_these_only() -> None:
    """Along the widest axes the heaps are apart: in two dimensions six numbers less are paid for."""
    points, _ = heaps(9.0)
    whole, narrow = two_laws(points), two_laws(points, n_dimensions=2)
    assert whole is not None
    assert narrow is not None
    assert narrow.bic - whole.bic == pytest.approx(6 * np.log(1000), abs=12)


def test_points_that_are_not_fitted_are_placed() -> None:
    points, second = heaps(5.0, n=3000)
    fitted = two_laws(points, at_most=300)
    assert fitted is not None
    assert fitted.log_odds.shape == (3000,)
    assert ((fitted.log_odds > 0) == second).mean() > 0.97


def test_points_that_are_all_the_same_are_no_law() -> None:
    assert two_laws(np.ones((100, 3))) is None
