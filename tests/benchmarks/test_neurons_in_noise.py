"""How far P(neuron) is off in one kind of noise stands beside the error of probabilities that are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.recordings.neurons_in_noise import by_chance, calibration


def recording(*units: tuple[float, bool]) -> dict[str, Any]:
    return {"of units": [{"P(neuron)": p, "of cells": neuron} for p, neuron in units]}


def test_sure_probabilities_that_are_right_are_never_off() -> None:
    assert by_chance(np.array([1.0, 1.0, 0.0]), np.random.default_rng(0)).max() == 0


def test_two_units_of_a_half_are_off_by_a_half_when_both_or_none_is_a_neuron() -> None:
    errors = by_chance(np.array([0.5, 0.5]), np.random.default_rng(0))
    assert set(errors.tolist()) == {0.0, 0.5}
    assert errors.mean() == pytest.approx(0.25, abs=0.05)


def test_units_of_all_recordings_are_counted_together() -> None:
    row = calibration("hum", [recording((1.0, True), (1.0, False)), recording((1.0, True), (0.1, False))])
    assert (row["recordings"], row["units"], row["neurons"], row["no neurons"]) == (2, 4, 2, 2)
    assert row["of them P(neuron) >= 0.5"] == 1
    assert row["ECE"] == pytest.approx((1 + 0.1) / 4)


def test_recordings_without_units_are_not_off() -> None:
    row = calibration("hum", [recording()])
    assert (row["units"], row["ECE"], row["by chance, 95 %"]) == (0, 0, 0)
