"""Samplers stop at the next report and leave nothing behind."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.progress import CancelFlag, Cancelled
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.sampling.beams import beam_samples
from ncpgui.engine.sampling.posterior import ancestral_samples


@pytest.fixture
def case():
    torch.manual_seed(0)
    network = build_network(NetworkSettings()).eval()
    with torch.inference_mode():
        encoding = network.encode(
            torch.randn(1, 40, 32, 7), torch.randn(1, 7, 2), torch.ones(1, 7, dtype=torch.bool)
        )
    return network, encoding


@pytest.mark.parametrize("stop_at", [0, 1, 2])
def test_a_sampler_stops_at_the_report_after_cancel_and_works_again(case, stop_at):
    network, encoding = case
    flag, reports = CancelFlag(), []

    def progress(done, total, message=""):
        reports.append(done)
        if len(reports) > stop_at:
            flag.cancel()

    with pytest.raises(Cancelled):
        ancestral_samples(network, encoding, n_samples=4, seed=0, progress=flag.guard(progress))
    assert len(reports) == stop_at + 1
    assert ancestral_samples(network, encoding, n_samples=4, seed=0).n_samples == 4


def test_progress_runs_from_nothing_to_all_without_going_back(case):
    network, encoding = case
    shares = []
    beam_samples(network, encoding, width=5, seed=0, progress=lambda d, t, m="": shares.append(d / t))
    assert shares[0] == 0
    assert shares[-1] == 1
    assert (np.diff(shares) >= 0).all()


def test_no_samples_and_misfitting_clamps_are_refused(case):
    network, encoding = case
    with pytest.raises(InputError, match="at least one posterior sample"):
        ancestral_samples(network, encoding, n_samples=0, seed=0)
    with pytest.raises(InputError, match="one label for each of 40 spikes"):
        ancestral_samples(network, encoding, n_samples=1, seed=0, clamped=np.zeros(3, int))
