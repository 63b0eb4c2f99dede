"""What the diagnostics say of posteriors whose fault is known: right, too sure, too unsure.

    python -m benchmarks.posterior.known_posteriors

p(c | x)^(1/T), normalised over all partitions, of a mixture of Gaussians whose clusters overlap: right at T =
1, too sure below, too unsure above.
"""

from __future__ import annotations

from benchmarks.common.report import SEED, Origin, begin, keep, options, table, where
from ncpgui.engine.diagnostics.calibration import calibration
from ncpgui.engine.diagnostics.calibration_ranks import calibration_ranks
from ncpgui.engine.diagnostics.exact_posterior import distance_to_exact
from ncpgui.engine.diagnostics.geweke import geweke_test
from ncpgui.engine.diagnostics.importance import importance_summary
from ncpgui.engine.diagnostics.posteriors import ExactPosterior
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM, GaussianDPMMSettings

MODEL = GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=False, sigma_mu=2.0))
TEMPERATURES = {"right": 1.0, "too sure": 0.4, "too unsure": 2.5}
N_POINTS = 6
"""So few that every partition can be scored."""
N_SAMPLES = 200


def figures_of(posterior: ExactPosterior, n_datasets: int) -> dict[str, float]:
    """Main figures of each diagnostic; Geweke's test gets ten times the datasets."""
    size = {"n_datasets": n_datasets, "n_points": N_POINTS, "seed": SEED}
    pairs = calibration(posterior, MODEL, n_samples=N_SAMPLES, **size)
    assert pairs.hard_pairs is not None
    ranks = calibration_ranks(posterior, MODEL, n_samples=39, **size)
    joint = next(one for name, one in ranks.items() if name.startswith("log"))
    clusters = ranks["number of clusters"]
    geweke = geweke_test(posterior, MODEL, **{**size, "n_datasets": 10 * n_datasets})
    weights = importance_summary(posterior, MODEL, n_samples=N_SAMPLES, **size)
    return {
        "hard pairs: calibration error": pairs.hard_pairs.ece,
        "hard pairs: slope": pairs.hard_pairs.slope,
        "hard pairs: bias": pairs.hard_pairs.bias,
        "sets of K: mass that they claim": pairs.k.mean_mass,
        "sets of K: contain the truth": pairs.k.coverage,
        "ranks of log p(c, x): mean": joint.mean,
        "ranks of log p(c, x): p value": joint.p_value,
        "ranks of K: mean": clusters.mean,
        "ranks of K: spread": clusters.spread,
        "Geweke: mean K": geweke.mean_k[0],
        "Geweke: mean K of the prior": geweke.mean_k[1],
        "Geweke: total variation of K": geweke.total_variation_k,
        "Geweke: total variation by chance": geweke.tv_by_chance,
        "KL to the exact posterior, nats": distance_to_exact(posterior, MODEL, **size).mean_kl,
        "importance weights: ESS / S": float(weights.ess_share.mean()),
        "Metropolis-Hastings: acceptance": float(weights.acceptance.mean()),
    }


def main() -> None:
    arguments = options(__doc__).parse_args()
    device = begin(arguments)
    n_datasets = 40 if arguments.quick else 400
    found = {
        name: figures_of(ExactPosterior(MODEL, temperature=t), n_datasets) for name, t in TEMPERATURES.items()
    }
    rows = [
        {"figure": figure, **{name: values[figure] for name, values in found.items()}}
        for figure in found["right"]
    ]
    print(table(rows))
    page = f"""
# What the diagnostics say of posteriors whose fault is known

Of p(c | x)^(1/T), {", ".join(f"{name} at T = {t:g}" for name, t in TEMPERATURES.items())}; mixture of
overlapping Gaussians (alpha 0.7, sd of the means 2, sd of a cluster 1), {N_POINTS} points, {n_datasets}
datasets, ten times as many for Geweke's test. {where(device)}

{table(rows)}
"""
    origin = Origin(SEED, N_SAMPLES)
    keep("known_posteriors", {"rows": rows}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
