"""Samplings as tasks: side by side, each as it would be alone."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.sampled import Sampled
from ncpgui.sorting.sampling import Sampling, SideBySide

from .planted import leader_clustering

PLACES_UM = 20.0 * np.arange(8).reshape(4, 2)


def spikes(n: int, seed: int, sd: float = 1.0) -> np.ndarray:
    """Two units, 12 and 6 noise sd deep."""
    rng = np.random.default_rng(seed)
    trough = -np.exp(-((np.arange(32) - 11.0) ** 2) / 8)[:, None] * [1, 0.6, 0.3, 0.1]
    depth = np.where(np.arange(n) % 2, 12, 6)
    return (sd * (depth[:, None, None] * trough + rng.normal(size=(n, 32, 4)))).astype(np.float32)


def task(n: int, seed: int, **options: Any) -> Sampling:
    return Sampling(spikes(n, seed), PLACES_UM, n_draws=6, seed=seed, sweeps=0, **options)


def labels_of(outcome: Any) -> list[list[int]]:
    assert isinstance(outcome, Sampled)
    return outcome.posterior.labels.tolist()


def test_samplings_side_by_side_are_those_of_each_alone() -> None:
    parts = (task(50, 1), task(30, 2))
    together = pickle.loads(pickle.dumps(SideBySide(parts)))()
    assert [labels_of(one) for one in together] == [labels_of(part()) for part in parts]


def test_spikes_of_both_signs_are_sampled_one_set_after_the_other() -> None:
    upward = replace(task(30, 2, both_signs=True), waveforms=-spikes(30, 2))
    down = task(50, 1, both_signs=True)
    together = SideBySide((down, upward))()
    assert [labels_of(one) for one in together] == [labels_of(down()), labels_of(upward())]


def test_a_set_that_cannot_be_sampled_takes_no_other_with_it() -> None:
    loud = replace(task(50, 1), waveforms=spikes(50, 1, sd=40.0))
    failed, fine = SideBySide((loud, task(30, 2)))()
    assert isinstance(failed, InputError)
    assert "must be in noise sd" in str(failed)
    assert labels_of(fine) == labels_of(task(30, 2)())


def test_a_stand_in_for_the_network_is_called_once_a_set() -> None:
    calls: list[int] = []

    def cluster(waveforms: np.ndarray, **options: Any) -> Any:
        calls.append(len(waveforms))
        return leader_clustering(waveforms, **options)

    progress: list[float] = []
    SideBySide((task(50, 1, cluster=cluster), task(30, 2, cluster=cluster)))(
        lambda done, total, message="": progress.append(done / total)
    )
    assert calls == [50, 30]
    assert progress == sorted(progress)


@pytest.mark.parametrize("n", [0, 1])
def test_one_set_or_none_needs_no_company(n: int) -> None:
    parts = (task(50, 1),) * n
    assert [labels_of(one) for one in SideBySide(parts)()] == [labels_of(part()) for part in parts]
