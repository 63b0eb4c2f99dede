"""Agreement with the truth on unseen cells: the posterior, its best alternative, and a variational GMM.

    python benchmarks/clustering.py [--model NAME] [--spikes 500] [--sets 20]

Sets are drawn from the model's own generator with cells held out of training, for a hexagonal
neighbourhood and a tetrode. The baseline is the paper's: five principal components and a
variational Gaussian mixture (scikit-learn, Dirichlet process weights, 12 components at most).
AMI is given with both averagings; `posterior mean` is the mean AMI of single posterior samples.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from report import Clock, keep, machine, table
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score
from sklearn.mixture import BayesianGaussianMixture

from ncpgui.core.partition import n_clusters
from ncpgui.engine import cluster
from ncpgui.engine.generative.spike_mixture import sample_dataset
from ncpgui.engine.networks.checkpoint import load_checkpoint


def variational_gmm(waveforms: np.ndarray, *, n_components: int = 12, seed: int = 0) -> np.ndarray:
    """PCA-5 and a variational Gaussian mixture: (n_spikes,) labels."""
    flat = waveforms.reshape(len(waveforms), -1)
    features = PCA(5, random_state=seed).fit_transform(flat)
    model = BayesianGaussianMixture(n_components=n_components, max_iter=500, n_init=3, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit_predict(features)


def score(name: str, labels: np.ndarray, truth: np.ndarray, seconds: float) -> dict[str, object]:
    """Scores of one clustering of one set."""
    return {
        "method": name,
        "AMI": adjusted_mutual_info_score(truth, labels),
        "AMI max": adjusted_mutual_info_score(truth, labels, average_method="max"),
        "ARI": adjusted_rand_score(truth, labels),
        "K error": n_clusters(labels) - n_clusters(truth),
        "seconds": seconds,
    }


def training(card: dict[str, Any]) -> str:
    """How the model came to be: each run with its command and its curve on held-out data."""
    before = training(card["started_from"]) + "\n\nthen " if "started_from" in card else ""
    n_points = card["training"].get("validate_points", 250)
    return (
        f"{before}`{card['training']['command']}`: {card['steps']} steps in {card['minutes']} minutes, on "
        f"held-out sets of {n_points} spikes:\n\n{table(card['curve'])}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--spikes", type=int, default=500)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--geometries", nargs="+", default=["hex7", "tetrode"])
    arguments = parser.parse_args()
    rows = []
    for geometry in arguments.geometries:
        scores: dict[str, list[dict[str, object]]] = {}
        for index in range(arguments.sets):
            data = sample_dataset(1000 + index, arguments.spikes, geometry=geometry, split="test")
            with Clock() as ours:
                result = cluster(
                    data.waveforms,
                    channel_positions=data.channel_positions,
                    model=arguments.model,
                    samples=arguments.samples,
                    beam=0,
                )
            with Clock() as beam_time:
                best = cluster(
                    data.waveforms,
                    channel_positions=data.channel_positions,
                    model=arguments.model,
                    samples=1,
                    beam=48,
                ).beam_labels[0]
            with Clock() as gmm:
                baseline = variational_gmm(data.waveforms)
            singles = [score("", row, data.labels, ours.wall_s) for row in result.labels[:20]]
            mean = {key: float(np.mean([s[key] for s in singles])) for key in singles[0] if key != "method"}
            for row in (
                score("ncpgui, first alternative", result.map_labels, data.labels, ours.wall_s),
                {"method": "ncpgui, posterior mean", **mean},
                score("ncpgui, beam 48", best, data.labels, beam_time.wall_s),
                score("PCA-5 variational GMM", baseline, data.labels, gmm.wall_s),
            ):
                scores.setdefault(str(row["method"]), []).append(row)
        for method, found in scores.items():
            mean_row = {key: float(np.mean([f[key] for f in found])) for key in found[0] if key != "method"}
            rows.append({"geometry": geometry, "method": method, **mean_row})
    print(table(rows))
    settings = {"spikes": arguments.spikes, "sets": arguments.sets, "samples": arguments.samples}
    card = load_checkpoint(arguments.model).card
    page = f"""
# Agreement with the truth

{arguments.sets} sets of {arguments.spikes} spikes a geometry, cells held out of training, model
`{result.model}`, {arguments.samples} posterior samples. AMI: scikit-learn's, arithmetic mean; "AMI max"
divides by the larger entropy.

{table(rows)}

## The model

{training(card)}

`python benchmarks/clustering.py`, {machine()["date"]}
"""
    keep("clustering", {"model": result.model, **settings, "rows": rows}, page=page)


if __name__ == "__main__":
    main()
