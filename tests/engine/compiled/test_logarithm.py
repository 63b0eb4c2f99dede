"""Logarithms of single-precision numbers, as compiled functions take them."""

import numpy as np

from ncpgui.engine.compiled.logarithm import log, log_of_one_more


def test_a_logarithm_is_exact_to_two_units_of_the_last_place():
    numbers = np.concatenate([np.geomspace(1e-30, 1e30, 20_001), np.linspace(0.5, 2, 20_001)])
    numbers = numbers.astype(np.float32)
    found = np.array([log(x) for x in numbers])
    true = np.log(numbers.astype(np.float64))
    assert (np.abs(found - true) <= 2 * np.spacing(np.abs(true).astype(np.float32))).all()


def test_the_logarithm_of_one_is_nothing():
    assert log(np.float32(1)) == 0


def test_infinity_and_nan_stay():
    assert log(np.float32(np.inf)) == np.inf
    assert np.isnan(log(np.float32(np.nan)))


def test_values_become_the_logarithm_of_one_more():
    values = np.array([0, 1e-9, 1, np.e - 1, 1e20], np.float32)
    log_of_one_more(values)
    assert np.allclose(values, [0, 0, np.log(2), 1, 20 * np.log(10)], rtol=2e-7, atol=0)
