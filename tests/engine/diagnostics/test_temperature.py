"""The temperature that is fitted undoes what made a network too sure or too unsure."""

from __future__ import annotations

import pytest

from ncpgui.core.progress import CancelFlag, Cancelled
from ncpgui.engine.diagnostics import temperature
from ncpgui.engine.diagnostics.temperature import fit_temperature
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM, GaussianDPMMSettings
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP


@pytest.fixture
def network() -> ClusterAwareNCP:
    network = load_checkpoint("gauss2d").network
    assert isinstance(network, ClusterAwareNCP)
    return network


@pytest.fixture(scope="module")
def overlapping() -> GaussianDPMM:
    return GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=False, sigma_mu=5.0))


def test_scores_made_flatter_by_a_factor_are_made_sharper_by_as_much(
    network, overlapping, monkeypatch
) -> None:
    """Flatter scores are those of a higher temperature, with the same datasets and random numbers."""
    step = 1.4
    monkeypatch.setattr(temperature, "TRIED", tuple(step**power for power in range(-3, 1)))
    amount = {"n_datasets": 20, "n_points": 9, "n_samples": 30}
    network.f_out.weight.data *= 0.7
    fit = fit_temperature(network, overlapping, **amount)
    assert step**-3 < fit.temperature < 0.9
    assert float(network.log_temperature.exp()) == pytest.approx(fit.temperature, rel=1e-3)
    network.log_temperature.zero_()
    network.f_out.weight.data /= step
    flatter = fit_temperature(network, overlapping, **amount)
    assert flatter.log_score[:-1] == pytest.approx(fit.log_score[1:], rel=0.02)
    assert flatter.temperature == pytest.approx(fit.temperature / step, rel=0.05)


def test_what_few_datasets_gain_by_chance_leaves_the_temperature_at_1(network, overlapping) -> None:
    network.f_out.weight.data *= 0.85
    fit = fit_temperature(network, overlapping, n_datasets=10, n_points=12, n_samples=30)
    assert 0 < fit.gain < 2 * fit.gain_se
    assert (fit.temperature, float(network.log_temperature)) == (1.0, 0.0)


def test_a_cancelled_fit_leaves_the_temperature_as_it_was(network, overlapping) -> None:
    network.log_temperature.fill_(0.25)
    flag = CancelFlag()
    flag.cancel()
    with pytest.raises(Cancelled):
        fit_temperature(network, overlapping, n_datasets=4, n_points=6, n_samples=4, progress=flag.guard())
    assert float(network.log_temperature) == 0.25
