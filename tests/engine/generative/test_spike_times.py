"""Units fire with refractory periods and in bursts, of which the order of the points tells nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import kstest

from ncpgui.core.errors import InputError
from ncpgui.engine.generative.spike_mixture import SpikeMixture, SpikeMixtureSettings
from ncpgui.engine.generative.spike_times import SpikeTimes, SpikeTimeSettings, draw_times, fatigue_of
from ncpgui.engine.generative.template_reservoir import TemplateReservoir

STEADY = SpikeTimeSettings(
    p_told=1.0,
    span_s=(100.0, 100.0),
    p_thinned=0.0,
    refractory_ms=(2.0, 2.0),
    p_for_a_while=0.0,
    p_fading=0.0,
)


def drawn(
    settings: SpikeTimeSettings, *, p_burst: float = 0.0, seed: int = 0
) -> tuple[SpikeTimes, torch.Tensor]:
    """Times of 500 spikes of two units each in 20 datasets, and the unit of each spike."""
    generator = torch.Generator().manual_seed(seed)
    unit = torch.randint(2, (20, 500), generator=generator)
    in_burst = torch.rand(unit.shape, generator=generator) < p_burst
    return draw_times(settings, unit, in_burst, generator), unit


def intervals_ms(times: SpikeTimes, unit: torch.Tensor) -> np.ndarray:
    """Intervals of every unit of every dataset."""
    gaps = [
        np.diff(np.sort(seconds[of == k].numpy()))
        for seconds, of in zip(times.seconds, unit, strict=True)
        for k in (0, 1)
    ]
    return 1000 * np.concatenate(gaps)


def test_a_unit_that_does_not_burst_fires_evenly_over_the_span():
    times, _ = drawn(STEADY)
    assert kstest(times.part.flatten().numpy(), "uniform").pvalue > 0.01


def test_no_interval_of_a_unit_is_within_the_refractory_period():
    gaps = intervals_ms(*drawn(STEADY, p_burst=0.3))
    assert gaps.min() >= 2.0 - 1e-6


def test_spikes_of_a_burst_follow_within_its_gaps_and_are_tired():
    """30 % follow 3 to 17 ms after another; of evenly spread ones 4 in 100 do (250 in 100 s)."""
    times, unit = drawn(STEADY, p_burst=0.3)
    assert 0.28 < (intervals_ms(times, unit) < 17.1).mean() < 0.38
    assert (times.fatigue > 0).float().mean() == pytest.approx(0.3, abs=0.02)
    assert times.fatigue.max() < 1


def test_the_one_before_may_be_missing_where_a_dataset_is_a_part_of_its_spikes():
    part = replace(STEADY, p_thinned=1.0, kept_part=(0.1, 0.1))
    times, unit = drawn(part, p_burst=0.3)
    assert (intervals_ms(times, unit) < 17.1).mean() < 0.12
    assert (times.fatigue > 0).float().mean() == pytest.approx(0.3, abs=0.02)


def test_a_unit_that_tires_is_as_tired_as_its_intervals_spike_by_spike_say():
    """Its last five spikes tell it to within 0.6 ** 5 of what one rule from spike to spike says."""
    rng = np.random.default_rng(0)
    unit = torch.from_numpy(rng.integers(0, 2, (1, 80)))
    seconds = torch.from_numpy(rng.uniform(0, 1, (1, 80)))
    recovery_s, taken = torch.tensor([0.02, 0.1])[unit], torch.tensor([0.4, 0.9])[unit]
    tired = fatigue_of(seconds, unit, recovery_s, taken, torch.full(unit.shape, torch.inf))
    for k in (0, 1):
        before, left = None, 0.0
        for i in [i for i in seconds[0].argsort().tolist() if unit[0, i] == k]:
            if before is not None:
                part, recovery = float(taken[0, i]), float(recovery_s[0, i])
                left = (left + part * (1 - left)) * np.exp((before - float(seconds[0, i])) / recovery)
            before = float(seconds[0, i])
            assert float(tired[0, i]) == pytest.approx(left, abs=0.6**5 / 10)


def test_a_unit_that_tires_is_no_less_tired_where_most_of_its_spikes_are_left_out():
    """20 spikes a second and a recovery of 50 ms: half rested, whether the spikes before are there or not."""
    tiring = replace(
        STEADY, span_s=(12.5, 12.5), p_tiring=1.0, tired_part=(1.0, 1.0), recovery_ms=(50.0, 50.0)
    )
    whole, _ = drawn(tiring)
    part, _ = drawn(replace(tiring, span_s=(125.0, 125.0), p_thinned=1.0, kept_part=(0.1, 0.1)))
    assert float(whole.fatigue.mean()) == pytest.approx(0.5 * np.exp(-2 / 50), abs=0.02)
    assert float(part.fatigue.mean()) == pytest.approx(float(whole.fatigue.mean()), abs=0.03)


def test_the_order_of_the_points_of_a_unit_says_nothing_of_their_times():
    times, unit = drawn(STEADY)
    place = torch.arange(500.0)
    found = [
        np.corrcoef(place[of == k], part[of == k])[0, 1]
        for part, of in zip(times.part, unit, strict=True)
        for k in (0, 1)
    ]
    assert abs(np.mean(found)) < 4 / np.sqrt(20 * 500)


def test_a_unit_that_fires_for_a_while_leaves_the_rest_of_the_span_empty():
    times, unit = drawn(replace(STEADY, p_for_a_while=1.0, while_part=(0.4, 0.4)))
    for part, of in zip(times.part, unit, strict=True):
        for k in (0, 1):
            assert float(part[of == k].max() - part[of == k].min()) < 0.41


def test_a_unit_that_fades_does_so_in_proportion_to_time():
    times, unit = drawn(replace(STEADY, p_fading=1.0, fading=0.3))
    slope = times.factor.log() / (times.part - 0.5)
    for one, of in zip(slope, unit, strict=True):
        torch.testing.assert_close(
            one[of == 0], one[of == 0][0].expand(int((of == 0).sum())), rtol=1e-2, atol=1e-3
        )


def test_the_model_tells_the_times_of_a_share_of_its_datasets(reservoir: TemplateReservoir):
    settings = replace(SpikeMixtureSettings(), times=replace(STEADY, p_told=0.5))
    seconds = SpikeMixture(settings, reservoir).sample(40, 30, torch.Generator().manual_seed(0)).points[3]
    told = (~seconds.isnan()).all(1)
    assert (told == (~seconds.isnan()).any(1)).all()
    assert 10 <= int(told.sum()) <= 30
    assert float(seconds[told].max()) < 101


def test_the_model_has_no_times_unless_asked_for(model: SpikeMixture):
    assert len(model.sample(2, 5, torch.Generator().manual_seed(0)).points) == 3


def test_a_share_above_one_is_refused():
    with pytest.raises(InputError, match=r"'p_told' must be between 0 and 1, got 1\.5"):
        SpikeMixtureSettings(times=SpikeTimeSettings(p_told=1.5))


def test_spikes_of_a_burst_follow_by_the_refractory_period_and_a_gap_to_the_microsecond() -> None:
    """2 ms and 3 ms, also where nothing else is between them: half of the spikes follow another."""
    times, unit = drawn(replace(STEADY, burst_gap_ms=(3.0, 3.0)), p_burst=0.5)
    gaps = intervals_ms(times, unit)
    assert (np.abs(gaps - 5) < 1e-3).mean() == pytest.approx(0.5, abs=0.02)
    assert gaps.min() >= 2.0 - 1e-6
