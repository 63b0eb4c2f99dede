"""Draws of the spike model beside the exact posterior of spikes whose templates are a finite set.

    python -m benchmarks.posterior.finite_spikes [--model NAME|FILE] [--sets 40] [--samples 500]

The generative model `finite-spikes` knows its templates and the noise exactly; the network was trained on a
wider one. Draws, in one order of the spikes, are weighed by the exact joint; of few spikes all partitions are
enumerated.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.report import SEED, Origin, begin, keep, options, table, where
from ncpgui.engine import default_model
from ncpgui.engine.diagnostics.exact_posterior import DistanceToExact, distance_to_exact
from ncpgui.engine.diagnostics.importance import ImportanceSummary, importance_summary
from ncpgui.engine.diagnostics.posteriors import MOST_ENUMERATED, Posterior, posterior_of
from ncpgui.engine.generative.finite_spikes import FiniteSpikes
from ncpgui.engine.generative.finite_templates import FiniteSpikesSettings
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.checkpoint import load_checkpoint

N_ORDERS = 4


@dataclass(frozen=True)
class Check:
    """Draws for sets of `n_points` spikes, weighed in one order of the spikes.

    distances : of q from the enumerated posterior, in one order of the spikes and averaged over `N_ORDERS`;
        None where the partitions are too many
    """

    n_points: int
    importance: ImportanceSummary
    distances: tuple[DistanceToExact | None, DistanceToExact | None]

    @classmethod
    def of(
        cls, posterior: Posterior, model: FiniteSpikes, n_points: int, *, n_datasets: int, n_samples: int
    ) -> Check:
        sets = {"n_datasets": n_datasets, "n_points": n_points, "seed": SEED}
        weights = importance_summary(posterior, model, n_samples=n_samples, **sets)
        one, mixed = (
            distance_to_exact(posterior, model, n_orders=n_orders, **sets)
            if n_points <= MOST_ENUMERATED
            else None
            for n_orders in (1, N_ORDERS)
        )
        return cls(n_points, weights, (one, mixed))


def row_of(layout: str, check: Check) -> dict[str, Any]:
    """Figures of one layout and number of spikes; distances where the partitions were enumerated."""
    weights, (one, mixed) = check.importance, check.distances
    told = weights.pareto_k[np.isfinite(weights.pareto_k)]
    return {
        "layout": layout,
        "spikes": check.n_points,
        "ESS / S": float(weights.ess_share.mean()),
        "KL": one.mean_kl if one else "",
        f"KL, {N_ORDERS} orders": mixed.mean_kl if mixed else "",
        "total variation": one.mean_total_variation if one else "",
        f"total variation, {N_ORDERS} orders": mixed.mean_total_variation if mixed else "",
        "k above 0.7": int((told > 0.7).sum()),
        "of those told": len(told),
    }


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--model", default=default_model(), help="name or file")
    parser.add_argument("--layouts", nargs="+", default=["tetrode", "hex7"])
    parser.add_argument("--spikes", type=int, nargs="+", default=[6, 8, 30, 100])
    parser.add_argument("--sets", type=int, default=40, help="of each size  [40]")
    parser.add_argument("--samples", type=int, default=500)
    arguments = parser.parse_args()
    device = begin(arguments)
    if arguments.quick:
        arguments.layouts, arguments.spikes, arguments.sets, arguments.samples = ["tetrode"], [4, 12], 2, 20
    posterior = posterior_of(load_checkpoint(arguments.model, device=device).network)
    rows = []
    for layout in arguments.layouts:
        settings = asdict(FiniteSpikesSettings(layout=layout))
        model = GenerativeSettings("finite-spikes", settings).build("test")
        checks = [
            Check.of(posterior, model, n_points, n_datasets=arguments.sets, n_samples=arguments.samples)
            for n_points in arguments.spikes
        ]
        rows += [row_of(layout, check) for check in checks]
        print(table(rows[-len(checks) :]), flush=True)
    page = f"""
# Spikes whose templates are known

{arguments.sets} sets each of the generative model `finite-spikes`, {arguments.samples} draws of
`{arguments.model}` in one order of the spikes. "ESS / S": share of the draws that count once they are weighed
by the exact joint; "k above 0.7": sets whose weights are not to be trusted, of those in which enough
different weights stand out to tell. KL (nats) and total variation from the enumerated posterior are of q in
one order, and of q averaged over {N_ORDERS}. {where(device)}

{table(rows)}
"""
    origin = Origin(SEED, arguments.samples, models={Path(arguments.model).stem: arguments.model})
    keep("finite_spikes", {"rows": rows}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
