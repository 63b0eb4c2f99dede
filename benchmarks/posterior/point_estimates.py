"""Which one sorting to show first: point estimates from the same posterior samples, compared with the truth.

    python -m benchmarks.posterior.point_estimates [--model NAME|FILE] [--spikes 500] [--sets 4]
        [--samples 200] [--own-sets 20] [--motions static drifting] [--cache FOLDER]

All see the same draws of the same sets (those of `clustering.py`). A merge polish asks the network itself.
Sets of a single unit, in which agreement means little, say how often an estimate finds that there is one.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import entropy
from sklearn.metrics import adjusted_mutual_info_score

from benchmarks.clustering.clustering_sets import Kind, SpikeSet, add_set_options, sets_of
from benchmarks.clustering.generated_recordings import ARRAYS
from benchmarks.common.report import SEED, Origin, begin, keep, options, table, where
from ncpgui.core.alternatives import group_alternatives, sizeable_clusters
from ncpgui.core.partition import canonical, contingency, n_clusters
from ncpgui.engine import default_model
from ncpgui.engine.checked_waveforms import checked_waveforms
from ncpgui.engine.diagnostics.calibration import co_assignment
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.model_files import find_model
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.sampling.beams import beam_samples
from ncpgui.engine.sampling.posterior import ancestral_samples
from ncpgui.engine.sampling.sweeps import swept

Labels = NDArray[np.integer]
Matrix = NDArray[np.float64]

MAX_UNITS = 15
N_ORDERS = 4
"""Random orders over which the merge polish averages log q."""


def together(labels: Labels) -> Matrix:
    """Share of samples (S, N) in which two points are in one cluster: (N, N)."""
    apart_from_itself: Matrix = squareform(co_assignment(labels))
    return apart_from_itself + np.eye(labels.shape[1])


def binder_loss(p: Matrix, labels: Labels) -> float:
    """Expected number of pairs that are wrongly together or apart, but for a constant (Binder, 1978)."""
    return float(((1 - 2 * p) * (labels[:, None] == labels)).sum())


def expected_rand(p: Matrix, labels: Labels) -> float:
    """Expected adjusted Rand index, numerator and denominator apart (PEAR; Fritsch & Ickstadt, 2009)."""
    n = len(labels)
    n_pairs = n * (n - 1) / 2
    same = labels[:, None] == labels
    mine, theirs = (same.sum() - n) / 2, (p.sum() - n) / 2
    by_chance = mine * theirs / n_pairs
    most = (mine + theirs) / 2
    if most == by_chance:
        return 1.0
    return float((((p * same).sum() - n) / 2 - by_chance) / (most - by_chance))


def linkage_cuts(p: Matrix) -> tuple[Labels, Labels]:
    """Cuts of the average-linkage tree of distances 1 - p.

    That into 1 to `MAX_UNITS` clusters of the best PEAR; and that at 1/2, of the least expected Binder loss,
    because joining two clusters lowers it if their points are together in more than half of the draws.
    """
    apart = np.clip(1 - p, 0, None)
    np.fill_diagonal(apart, 0)
    tree = linkage(squareform(apart, checks=False), "average")
    cuts = [canonical(fcluster(tree, k, "maxclust")) for k in range(1, MAX_UNITS + 1)]
    best = max(cuts, key=lambda labels: expected_rand(p, labels))
    return best, canonical(fcluster(tree, 0.5, "distance"))


class Merging:
    """Merges clusters as long as the network finds it more probable, on average over orders."""

    def __init__(self, network: ClusteringNetwork, encoding: Encoding) -> None:
        n_points = encoding.features.shape[1]
        generator = torch.Generator().manual_seed(0)
        self.network = network
        self.orders = torch.stack([torch.randperm(n_points, generator=generator) for _ in range(N_ORDERS)])
        self.seen = network.finish_in(self.orders, encoding)

    def log_q(self, labels: Labels) -> float:
        """Mean of log q over the orders."""
        in_order = torch.from_numpy(canonical(labels[self.orders.numpy()]))
        return float(self.network.log_prob(self.seen, in_order).sum()) / N_ORDERS

    def polish(self, labels: Labels) -> Labels:
        """Take the best merge until none is better."""
        best, value = labels, self.log_q(labels)
        while n_clusters(best) > 1:
            pairs = [(a, b) for b in range(n_clusters(best)) for a in range(b)]
            merged = [canonical(np.where(best == b, a, best)) for a, b in pairs]
            values = [self.log_q(one) for one in merged]
            if max(values) <= value:
                break
            value = max(values)
            best = merged[values.index(value)]
        return best


def variation_of_information(a: Labels, b: Labels) -> float:
    """VI in nats: H(a|b) + H(b|a); 0 for equal partitions (Meila 2007)."""
    both = contingency(a, b)
    return float(max(0.0, 2 * entropy(both.ravel()) - entropy(both.sum(1)) - entropy(both.sum(0))))


def estimates(
    network: ClusteringNetwork, encoding: Encoding, arguments: argparse.Namespace
) -> dict[str, Labels]:
    """Every point estimate of one dataset, from the same draws."""
    drawn = ancestral_samples(network, encoding, n_samples=arguments.samples, seed=SEED)
    posterior = swept(network, encoding, drawn, seed=SEED)
    beam = beam_samples(network, encoding, width=arguments.beam, seed=SEED)
    draws = posterior.labels
    p = together(draws)
    apart = [sum(variation_of_information(a, b) for b in draws[::4]) for a in draws]
    first = group_alternatives(posterior)[0]
    own = draws[first.members]
    by_rand, by_binder = linkage_cuts(p)
    medoid = own[int(np.argmin([sum(variation_of_information(a, b) for b in own) for a in own]))]
    return {
        "best of the beam": beam.labels[int(beam.log_prob.argmax())],
        "sample of the largest q": draws[int(drawn.log_prob.argmax())],  # before it was swept
        "sample of the least expected VI": draws[int(np.argmin(apart))],
        "sample of the least expected Binder loss": draws[int(np.argmin([binder_loss(p, a) for a in draws]))],
        "sample of the largest expected Rand index": draws[
            int(np.argmax([expected_rand(p, a) for a in draws]))
        ],
        "average linkage, largest expected Rand index": by_rand,
        "average linkage, least expected Binder loss": by_binder,
        "without sweeps: consensus of the first alternative": group_alternatives(drawn)[0].labels,
        "first alternative: its medoid": medoid,
        "first alternative: its consensus (shown)": first.labels,
        "the same, clusters merged while q grows": Merging(network, encoding).polish(first.labels),
    }


def encoded(network: ClusteringNetwork, one: SpikeSet) -> Encoding:
    """Encode the spikes of a set."""
    arrays = checked_waveforms(one.waveforms, one.channel_positions)[:3]
    return network.encode(*(torch.from_numpy(array)[None] for array in arrays))


class Outcome(NamedTuple):
    """Scores of one estimate on one set; `one_unit`: whether its clusters of a unit's size are one."""

    ami: float
    k_error: int
    one_unit: bool


def outcomes(network: ClusteringNetwork, one: SpikeSet, arguments: argparse.Namespace) -> dict[str, Outcome]:
    """Scores of every estimate on one set."""
    with torch.inference_mode():
        each = estimates(network, encoded(network, one), arguments)
    return {
        name: Outcome(
            float(adjusted_mutual_info_score(one.labels, labels)),
            n_clusters(labels) - one.n_units,
            len(sizeable_clusters(labels)) == 1,
        )
        for name, labels in each.items()
    }


def rows_of(
    name: str, found: list[dict[str, Outcome]], single: list[dict[str, Outcome]] | None = None
) -> list[dict[str, Any]]:
    """Mean scores of each estimate on some sets, and on sets of a single unit where there are any."""
    return [
        {
            "sets": name,
            "n": len(found),
            "estimate": estimate,
            "AMI": float(np.mean([one[estimate].ami for one in found])),
            "K error": float(np.mean([one[estimate].k_error for one in found])),
            "|K error|": float(np.mean([abs(one[estimate].k_error) for one in found])),
            "one found %": 100 * float(np.mean([one[estimate].one_unit for one in single])) if single else "",
        }
        for estimate in found[0]
    ]


def parsed() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--model", default=default_model(), help="name or file")
    parser.add_argument("--spikes", type=int, default=500)
    parser.add_argument("--sets", type=int, default=4, help="of each kind  [4]")
    parser.add_argument(
        "--own-sets",
        type=int,
        default=20,
        help="of each geometry of our generator; those of one unit besides  [20]",
    )
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--beam", type=int, default=48)
    add_set_options(parser, ARRAYS)
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    device = begin(arguments)
    if arguments.quick:
        arguments.spikes, arguments.sets, arguments.own_sets = 60, 1, 1
        arguments.samples, arguments.beam = 10, 4
        arguments.geometries, arguments.bands, arguments.motions = ["tetrode"], ["mixed"], ["static"]
    network = load_checkpoint(find_model(arguments.model)).network
    assert isinstance(network, ClusteringNetwork), "a model of spikes is needed"
    kinds = {"ours": [Kind("ours", name) for name in arguments.geometries]}
    for motion, band in product(arguments.motions, arguments.bands):
        kinds[f"SpikeInterface, {motion}, {band}"] = [
            Kind("spikeinterface", name, band, motion) for name in arguments.geometries
        ]
    rows: list[dict[str, Any]] = []
    everything: list[dict[str, Outcome]] = []
    n_single = 0
    for name, some in kinds.items():
        n_sets = arguments.own_sets if name == "ours" else arguments.sets
        sets = [
            one for kind in some for one in sets_of(kind, arguments.spikes, n_sets, cache=arguments.cache)
        ]
        found = [outcomes(network, one, arguments) for one in sets if one.n_units > 1]
        single = [outcomes(network, one, arguments) for one in sets if one.n_units == 1]
        rows += rows_of(name, found, single)
        print(table(rows[-len(found[0]) :]), flush=True)
        everything += found if name != "ours" else []
        n_single += len(single)
    overall = rows_of("SpikeInterface, all", everything)
    page = f"""
# Which one sorting to show first

AMI with the truth and number of clusters found minus true units, of estimates from the same
{arguments.samples} posterior samples of `{arguments.model}`: sets of {arguments.spikes}
spikes ({", ".join(arguments.geometries)}). The beam has width {arguments.beam}. "one found %": of
{n_single} sets of our generator with a single unit, which are not in the other columns, those in which the
estimate has one cluster of a unit's size. An expected Rand index hardly ever says so, because one cluster
agrees by chance alone.
{where(device)}

{table(overall)}

{table(rows)}
"""
    origin = Origin(SEED, arguments.samples, models={Path(arguments.model).stem: arguments.model})
    keep(
        "point_estimates", {"overall": overall, "rows": rows}, page=page, origin=origin, folder=arguments.out
    )
    print(table(overall))


if __name__ == "__main__":
    main()
