"""What a posterior promised of sets whose truth is known, and whether it came true."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.clustering.clustering_outcomes import Labels
from ncpgui.core.order_agreement import N_ORDERS
from ncpgui.core.partition import n_clusters
from ncpgui.core.seeds import stream
from ncpgui.engine.diagnostics.calibration import (
    HARD,
    co_assignment,
    coverage_of_k,
    expected_calibration_error,
    reliability,
)

N_PAIRED = 300
"""Spikes of a set whose pairs count for the calibration."""
N_REDRAWN = 4
"""Draws of each posterior that are taken for the truth, to see what error a right one has."""


class Promise(NamedTuple):
    """What a posterior said of one set, and the truth: of the pairs of some spikes, and of K.

    p, together : (P,) probability of sharing a unit, and whether they do; k : (S,) draws; true_k
    drawn : (`N_REDRAWN`, P) whether they do in draws, each as good as the truth where the posterior is right
    """

    p: NDArray[np.float64]
    together: NDArray[np.bool_]
    drawn: NDArray[np.bool_]
    k: NDArray[np.int64]
    true_k: int
    order_spread: float


def promise(samples: Labels, truth: Labels, order_spread: float = np.nan) -> Promise:
    """Compare draws (S, N) with the truth (N,): all pairs of `N_PAIRED` spikes drawn at random, and K."""
    n_spikes = len(truth)
    rng = stream(0, "pairs", n_spikes)
    chosen = np.sort(rng.choice(n_spikes, min(N_PAIRED, n_spikes), replace=False))
    # draws of different sets with the same number came from the same random numbers: take others of each set
    of_this_set = stream(0, "redrawn", sha256(np.ascontiguousarray(samples)).hexdigest())
    redrawn = of_this_set.choice(len(samples), N_REDRAWN, replace=len(samples) < N_REDRAWN)
    return Promise(
        co_assignment(samples[:, chosen]),
        co_assignment(truth[None, chosen]) > 0.5,
        np.stack([co_assignment(samples[s : s + 1, chosen]) > 0.5 for s in redrawn]),
        samples.max(axis=1).astype(np.int64) + 1,
        n_clusters(truth),
        order_spread,
    )


def calibration_row(promises: list[Promise]) -> dict[str, Any]:
    """Do the probabilities of pairs and of K come true, over some sets?"""
    p = np.concatenate([one.p for one in promises])
    together = np.concatenate([one.together for one in promises])
    hard = (p > HARD[0]) & (p < HARD[1])
    n_samples = min(len(one.k) for one in promises)
    every = reliability(p, together, floor=0.5 / n_samples)
    tough = reliability(p[hard], together[hard], floor=0.5 / n_samples) if hard.any() else None
    drawn = np.concatenate([one.drawn for one in promises], axis=1)[:, hard]
    right = [expected_calibration_error(p[hard], one) for one in drawn] if hard.any() else []
    k = coverage_of_k(
        np.stack([one.k[:n_samples] for one in promises]), np.array([one.true_k for one in promises])
    )
    spreads = [one.order_spread for one in promises if np.isfinite(one.order_spread)]
    return {
        "sets": len(promises),
        "ECE": every.ece,
        "log score": every.log_score,
        "hard pairs %": 100 * float(hard.mean()),
        "ECE, hard": tough.ece if tough else "",
        "if right": float(np.mean(right)) if right else "",
        "slope, hard": tough.slope if tough else "",
        "bias, hard": tough.bias if tough else "",
        "K covered": k.coverage,
        "mass held": k.mean_mass,
        "K, exactly 90 %": k.exact_coverage,
        "K error": k.mean_k_error,
        "one order": float(np.mean(spreads)) if spreads else "",
        f"{N_ORDERS} orders": float(np.mean(spreads) / np.sqrt(N_ORDERS)) if spreads else "",
    }
