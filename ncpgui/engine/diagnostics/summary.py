"""Main figures of an evaluation, with the targets that some have."""

from __future__ import annotations

import math
from typing import Any

Result = dict[str, Any]


def summary(results: Result) -> list[Result]:
    """Main figures with their targets: rows of what, value, target, met and se, its standard error.

    The last three are None where there is none.

    What a model does not have, such as orders of points in time, has no row.
    """
    return [row for row in _all_rows(results) if row["value"] is not None]


def _all_rows(results: Result) -> list[Result]:
    orders, pairs = results["exchangeability"], results["calibration"]
    rows = [
        _row("held-out likelihood, nats a point", orders["nll_per_point"]),
        _row("order of the points: sd / mean of the NLL", orders["sd_over_mean"], 0.01),
        _row("order of the points: sd of the NLL, nats", orders["sd_nats"]),
        _row("pairs: calibration error", pairs["all_pairs"]["ece"], se=pairs["all_pairs"]["ece_se"]),
    ]
    if pairs["hard_pairs"] is not None:
        hard = pairs["hard_pairs"]
        rows += [
            _row("hard pairs: calibration error", hard["ece"], 0.05, hard["ece_se"]),
            _row("hard pairs: slope (below 1: too sure)", hard["slope"], se=hard["slope_se"]),
            _row("hard pairs: bias (above 0: merges)", hard["bias"], se=hard["bias_se"]),
        ]
    held = f"sets of K that claim {pairs['k']['mean_mass']:.0%}: contain the truth"
    rows += [
        _row(held, pairs["k"]["coverage"]),
        _row("sets of K, exactly 90%: contain the truth", pairs["k"]["exact_coverage"]),
    ]
    rows += [
        _row(f"ranks, {name}: p value", one["p_value"])
        for name, one in results["ranks"]["statistics"].items()
    ]
    if "exact_posterior" not in results:
        return rows
    mixed = results["exact_posterior"]["over_orders"]
    rows += [
        _row("exact posterior: mean KL, nats", results["exact_posterior"]["mean_kl"], 0.05),
        _row(f"exact posterior: mean KL over {mixed['n_orders']} orders, nats", mixed["mean_kl"]),
        _row("exact posterior: total variation", results["exact_posterior"]["mean_total_variation"]),
        _row("last point: mean error", results["last_point"]["mean_error"], 0.02),
        _row("last point on a line: largest error", results["last_point_on_a_line"]["largest_error"]),
    ]
    for one in results["geweke"]:
        if one["n_points"] == 30:
            rows += [
                _row("Geweke, 30 points: mean K off by", abs(one["k_off"]), 0.1, one["k_off_se"]),
                _row("Geweke, 30 points: total variation of K", one["total_variation_k"], 0.05),
            ]
    return [
        *rows,
        _row("importance weights: ESS / S", results["importance"]["mean_ess_share"]),
        _row("importance weights: share with Pareto k > 0.7", results["importance"]["share_not_trusted"]),
        _row("Metropolis-Hastings: acceptance", results["importance"]["mean_acceptance"]),
        _row("draws in the time of one by Gibbs sampling", results["speed"]["ratio"]),
    ]


def _row(what: str, value: float | None, target: float | None = None, se: float | None = None) -> Result:
    value = None if value is None or not math.isfinite(value) else value
    met = None if target is None or value is None else value <= target
    return {"what": what, "value": value, "target": target, "met": met, "se": se}
