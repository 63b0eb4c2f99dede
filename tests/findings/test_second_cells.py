"""A unit that may hide a second cell is two in as many draws as this is probable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.core.two_laws import two_laws
from ncpgui.curation.command_json import to_json
from ncpgui.curation.commands import SetAccepted
from ncpgui.findings.analyses import Rates
from ncpgui.findings.draws import draws, joint_posterior
from ncpgui.findings.finding import Collected, finding
from ncpgui.findings.propagate import propagate
from ncpgui.findings.second_cells import SecondCell, beyond_draws, p_two, two_heaps
from tests.core.test_two_laws import heaps
from tests.tiny_project import tiny_project


@pytest.mark.parametrize(("distance", "bic_a_nat"), [(2.6, 15), (3.6, 100)], ids=["against two", "for two"])
def test_the_evidence_is_a_part_of_the_difference_in_bic(distance: float, bic_a_nat: float) -> None:
    points, _ = heaps(distance)
    fitted = two_laws(points)
    assert fitted is not None
    p, place = two_heaps(points)
    assert np.log(p / (1 - p)) == pytest.approx(fitted.bic / bic_a_nat)
    np.testing.assert_array_equal(place, fitted.place)


def test_two_heaps_are_found_and_their_points_are_at_the_two_ends() -> None:
    points, second = heaps(4.0)
    p, place = two_heaps(points)
    assert p > 0.9
    assert second[np.argsort(place)[-300:]].mean() > 0.97  # those most of the smaller one
    assert second[np.argsort(place)[:300]].mean() < 0.03


@pytest.mark.parametrize(
    "points",
    [heaps(0.0)[0], heaps(8.0, share=0.05)[0], heaps(4.0, n=20)[0], np.zeros((100, 3)), np.ones((100, 1))],
    ids=["one heap", "outliers", "too few", "no spread", "one dimension"],
)
def test_what_is_one_heap_is_one(points: np.ndarray) -> None:
    p, place = two_heaps(points)
    assert p < 0.06
    assert place.shape == (len(points),)


def test_a_rate_that_is_known_to_be_of_two_cells_is_covered_nine_times_in_ten() -> None:
    """Its share of the spikes is uniform from a half on: nine tenths of that is .525 to .975."""
    rng = np.random.default_rng(0)
    second = SecondCell(1.0, np.arange(1000))
    values = [np.array((1000 - len(second.drawn(rng))) / 100.0) for _ in range(4000)]
    one = finding(Collected(values), 10.0, n=4000, level=0.9)
    assert one.low == pytest.approx(5.25, abs=0.1)
    assert one.high == pytest.approx(9.75, abs=0.1)
    truth = rng.uniform(5.0, 10.0, 4000)
    assert np.mean((one.low <= truth) & (truth <= one.high)) == pytest.approx(
        0.9, abs=4 * np.sqrt(0.09 / 4000)
    )


@pytest.mark.parametrize("p", [0.1, 0.4])
def test_a_cell_that_may_be_two_is_covered_nine_times_in_ten(p: float) -> None:
    """With p the truth is a uniform part of what was found, else all of it, but for noise of one percent."""
    rng = np.random.default_rng(1)
    second = SecondCell(p, np.arange(1000))
    values = [np.array((1000 - len(second.drawn(rng))) / 100.0) for _ in range(4000)]
    one = finding(Collected(values, [(np.array(0.01), 1.0)]), 10.0, n=4000, level=0.9)
    truth = np.where(rng.random(4000) < p, rng.uniform(5.0, 10.0, 4000), 10.0) + rng.normal(0, 0.1, 4000)
    assert np.mean((one.low <= truth) & (truth <= one.high)) == pytest.approx(
        0.9, abs=4 * np.sqrt(0.09 / 4000)
    )


def hiding(p_of_unit: dict[int, float]) -> Project:
    """Units of 200 spikes each, with coordinates of two heaps where they are asked for, and far apart."""
    labels = np.repeat(np.arange(len(p_of_unit)), 200)
    project = tiny_project({0: [labels.tolist()]})
    points = np.concatenate([heaps(6.0 * p, n=200, seed=k)[0] for k, p in p_of_unit.items()])
    waveforms = replace(project.waveforms[0], coordinates=points.astype(np.float32))
    spikes = replace(project.spikes, sample_index=2000 * np.arange(len(labels)), n_samples=10**7)
    return replace(project, spikes=spikes, waveforms={0: waveforms})


def test_what_draws_have_as_two_is_not_hidden_once_more() -> None:
    """Draws say .2: one of the others in four hides it, where waveforms and times say .4; none where .1."""
    assert beyond_draws(0.4, 0.2) == pytest.approx(0.25)
    assert beyond_draws(0.1, 0.2) == 0
    assert beyond_draws(0.9, 1.0) == 0
    one, two, small = [0] * 100, [0] * 60 + [1] * 40, [0] * 90 + [1] * 10
    component = tiny_project({0: [one]}).components[0]
    drawn = PosteriorSamples(np.array([one, two, small]), np.zeros(3), np.array([0.5, 0.3, 0.2]))
    component = replace(component, posterior=drawn)
    assert p_two(component, np.ones(100, bool)) == pytest.approx(0.3)
    assert p_two(component, np.arange(100) < 60) == 0
    assert p_two(component, np.zeros(100, bool)) == 0


def test_the_second_cell_is_a_new_unit_in_some_draws_and_the_rest_stays() -> None:
    made = draws(hiding({0: 1.0, 1: 0.0}), 20)
    p = {unit: one.p for unit, one in made.posterior.hidden.items()}
    assert p[0] > 0.8
    assert p[1] < 0.2
    sure = {0: replace(made.posterior.hidden[0], p=1.0)}
    made = replace(made, posterior=replace(made.posterior, hidden=sure))
    for index in range(20):
        units, counts = np.unique(made.unit_of_spike(index), return_counts=True)
        assert units.tolist() == [0, 1, made.posterior.first_hidden]
        assert counts[1] == 200
        assert 100 <= counts[0] < 200
        assert counts[0] + counts[2] == 200
        assert made[index].get_property("is_divided").tolist() == [True, False, True]
    found = propagate(made, Rates())
    assert found[0, "rate_hz"].low < 0.6 * found[0, "rate_hz"].in_use
    assert found[1, "rate_hz"].from_sorting < 1e-9
    assert found.n_new == 1


def test_a_unit_that_a_person_accepted_hides_none() -> None:
    project = hiding({0: 1.0, 1: 0.0})
    accepted = replace(project, history=(to_json(SetAccepted((0,), True)),))
    assert 0 in joint_posterior(project).hidden
    assert 0 not in joint_posterior(accepted).hidden


def test_coordinates_that_are_not_kept_say_nothing() -> None:
    assert joint_posterior(tiny_project({0: [[0] * 100]})).hidden == {}


def test_the_interval_of_a_positive_result_is_log_normal() -> None:
    """10 with a relative sd of 0.2: 10 exp(-1.645 x 0.2) to 10 exp(1.645 x 0.2)."""
    one = finding(Collected([np.array(10.0)], [(np.array(4.0), 1.0)]), 10.0, n=1, level=0.9, is_positive=True)
    assert one.low == pytest.approx(10 * np.exp(-0.329), rel=0.01)
    assert one.high == pytest.approx(10 * np.exp(0.329), rel=0.01)
