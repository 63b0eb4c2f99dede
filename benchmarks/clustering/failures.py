"""Which spikes are sorted wrongly, and why: how far apart units are that are merged, and the worst sets.

    python -m benchmarks.clustering.failures [--model NAME|FILE] [--spikes 500] [--sets 20]
        [--motions static drifting]

Sets of SpikeInterface's generator (those of `clustering.py`). Two true units are merged where most spikes of
both lie in one cluster of the first alternative. Their distance is that between their means over the noise in
that direction (Mahalanobis, pooled and shrunk covariance within units): what an ideal observer has. Of the
sets that lose most against the oracle a figure shows mean waveforms, and the spikes along the axes that
separate the true units best, coloured by true unit and by cluster found.
"""

from __future__ import annotations

import argparse
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.covariance import ledoit_wolf
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from benchmarks.clustering.clustering_methods import ORACLE
from benchmarks.clustering.clustering_outcomes import Labels, by_others, posterior, score
from benchmarks.clustering.clustering_sets import (
    Kind,
    SpikeSet,
    add_set_options,
    foreign_sets,
    unit_troughs_sd,
)
from benchmarks.clustering.generated_recordings import ARRAYS
from benchmarks.common.report import (
    SEED,
    Origin,
    begin,
    keep,
    keep_picture,
    options,
    picture_link,
    table,
    where,
)
from benchmarks.figures import base
from ncpgui.core.partition import cluster_sizes, contingency, n_clusters
from ncpgui.engine import default_model

N_SHOWN = 6
N_CHANNELS = 4
MIN_SPIKES = 20
"""Units of fewer spikes are left out of the pairs."""
DISTANCES = (0.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, np.inf)
FIGURE = "clustering_failures"


class Sorted(NamedTuple):
    """A set, the first alternative, and the AMI of it and of the oracle."""

    kind: Kind
    one: SpikeSet
    labels: Labels
    ami: float
    oracle_ami: float


class Pair(NamedTuple):
    """Two true units: how far apart (noise sd), the spikes of the smaller, whether they were merged."""

    distance: float
    n_spikes: int
    merged: bool


def sort(kind: Kind, one: SpikeSet, arguments: argparse.Namespace) -> Sorted:
    """Sort a set, and let the oracle do it, unless `clustering.py` has done so."""
    best = by_others(one, arguments.cache)[ORACLE]["AMI"]
    found = posterior(one, arguments.model, arguments)
    ami = score(found.first, one.labels, found.seconds)["AMI"]
    return Sorted(kind, one, found.first, ami, best)


def pairs_of(result: Sorted) -> list[Pair]:
    """Every two units of a set that have `MIN_SPIKES`."""
    truth = result.one.labels
    flat = result.one.waveforms.reshape(len(truth), -1).astype(np.float64)
    sizes = cluster_sizes(truth)
    means = np.stack([flat[truth == unit].mean(axis=0) for unit in range(len(sizes))])
    covariance, _ = ledoit_wolf(flat - means[truth], assume_centered=True)
    home = contingency(truth, result.labels).argmax(axis=1)
    found = []
    for i, j in combinations(np.flatnonzero(sizes >= MIN_SPIKES), 2):
        apart = means[i] - means[j]
        distance = float(np.sqrt(apart @ np.linalg.solve(covariance, apart)))
        found.append(Pair(distance, int(min(sizes[i], sizes[j])), bool(home[i] == home[j])))
    return found


def rows_of(pairs: list[Pair]) -> list[dict[str, Any]]:
    """Part of the pairs that were merged, by their distance, for small and large units."""
    rows = []
    for low, high in pairwise(DISTANCES):
        near = [pair for pair in pairs if low <= pair.distance < high]
        row: dict[str, Any] = {"distance": f"{low:g}-{high:g}" if np.isfinite(high) else f"over {low:g}"}
        for name, some in (
            ("all", near),
            ("under 50 spikes", [pair for pair in near if pair.n_spikes < 50]),
            ("50 and more", [pair for pair in near if pair.n_spikes >= 50]),
        ):
            row[f"{name}: pairs"] = len(some)
            row[f"{name}: merged %"] = 100 * float(np.mean([pair.merged for pair in some])) if some else ""
        rows.append(row)
    return rows


def row_of(result: Sorted) -> dict[str, Any]:
    """What is to be said of one of the worst sets."""
    kind, one = result.kind, result.one
    distances = [pair.distance for pair in pairs_of(result)]
    return {
        "set": f"{kind.geometry}, {kind.band}, {kind.motion}",
        "AMI": result.ami,
        "oracle": result.oracle_ami,
        "units": one.n_units,
        "found": n_clusters(result.labels),
        "spikes": " ".join(map(str, cluster_sizes(one.labels))),
        "troughs": " ".join(f"{trough:.0f}" for trough in unit_troughs_sd(one)),
        "nearest pair": min(distances) if distances else "",
    }


def draw(results: list[Sorted]) -> Figure:
    """One row a set: mean waveforms, spikes by true unit, spikes by cluster found."""
    figure = base.canvas(1.6 * len(results))
    grid = figure.subplots(len(results), 3, squeeze=False, width_ratios=[1.7, 1, 1])
    for row, result in zip(grid, results, strict=True):
        truth = result.one.labels
        _draw_means(row[0], result)
        flat = result.one.waveforms.reshape(len(truth), -1)
        plane = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(flat, truth).transform(flat)
        if plane.shape[1] == 1:  # two units: one axis, and any height
            plane = np.column_stack([plane, np.random.default_rng(0).standard_normal(len(plane))])
        _draw_spikes(row[1], plane, truth, np.arange(n_clusters(truth)))
        _draw_spikes(row[2], plane, result.labels, _colours(truth, result.labels))
    for ax, title in zip(grid[0], ("Mean of true units", "True units", "Clusters found"), strict=True):
        ax.set_title(title)
    return figure


def _draw_means(ax: Axes, result: Sorted) -> None:
    """Mean waveforms of the true units on the channels on which they differ most."""
    kind, one = result.kind, result.one
    means = np.stack([one.waveforms[one.labels == unit].mean(axis=0) for unit in range(one.n_units)])
    channels = np.sort(np.argsort(-means.std(axis=0).max(axis=0), kind="stable")[:N_CHANNELS])
    n_samples = means.shape[1]
    for column, channel in enumerate(channels):
        for unit, mean in enumerate(means):
            x = np.arange(n_samples) + column * (n_samples + 5)
            ax.plot(x, mean[:, channel], lw=1.2, color=base.colour(unit))
    base.bare(ax)
    ax.set_ylabel(f"{kind.geometry}\n{kind.band} sd\n{kind.motion}", fontsize=8.5)
    ax.set_xlabel(f"AMI {result.ami:.2f}, oracle {result.oracle_ami:.2f}", fontsize=8.5)


def _draw_spikes(ax: Axes, plane: NDArray[np.floating], labels: Labels, colours: Labels) -> None:
    for cluster_number, colour in enumerate(colours):
        own = plane[labels == cluster_number]
        ax.plot(own[:, 0], own[:, 1], ".", ms=2.4, mew=0, color=base.colour(int(colour)))
    base.bare(ax)
    ax.set_xlabel(f"{len(colours)}", fontsize=8.5)


def _colours(truth: Labels, labels: Labels) -> Labels:
    """Colours by which each cluster found is that of its true unit, or one of its own."""
    table_of = contingency(truth, labels)
    colours = np.arange(table_of.shape[1]) + table_of.shape[0]
    units, found = linear_sum_assignment(-table_of)
    colours[found] = units
    return colours


def parsed() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--model", default=default_model(), help="name or file")
    parser.add_argument("--spikes", type=int, default=500)
    parser.add_argument("--sets", type=int, default=20, help="of each kind  [20]")
    parser.add_argument("--samples", type=int, default=100)
    parser.set_defaults(beam=0)
    add_set_options(parser, ARRAYS)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.spikes, arguments.sets, arguments.samples = 60, 1, 10
        arguments.geometries, arguments.bands, arguments.motions = ["tetrode"], ["mixed"], ["static"]
    return arguments


def main() -> None:
    arguments = parsed()
    device = begin(arguments)
    results = [
        sort(kind, one, arguments)
        for names in product(arguments.geometries, arguments.bands, arguments.motions)
        for kind in [Kind("spikeinterface", *names)]
        for one in foreign_sets(kind, arguments.spikes, arguments.sets, cache=arguments.cache)
    ]
    results.sort(key=lambda result: result.ami - result.oracle_ami)
    by_distance = rows_of([pair for result in results for pair in pairs_of(result)])
    worst = [row_of(result) for result in results[:N_SHOWN]]
    page = f"""
# Which spikes are sorted wrongly

{len(results)} sets of {arguments.spikes} spikes of SpikeInterface's generator, first alternative of
`{arguments.model}`. {where(device)}

Two units are merged where most spikes of both lie in one cluster; their distance is that between their means
over the noise in that direction (sd, pooled within units); units of {MIN_SPIKES} spikes or more.

{table(by_distance)}

The sets that lose most against the oracle (linear discriminants that know the true units):

{table(worst)}

![Mean waveforms, true units and clusters found]({picture_link(FIGURE, arguments.out)})
"""
    origin = Origin(SEED, arguments.samples, models={Path(arguments.model).stem: arguments.model})
    keep(
        "failures",
        {"sets": len(results), "by_distance": by_distance, "worst": worst},
        page=page,
        origin=origin,
        folder=arguments.out,
    )
    if arguments.out is not None:
        keep_picture(FIGURE, lambda: draw(results[:N_SHOWN]), origin, arguments.out)
    print(table(by_distance), table(worst), sep="\n\n")


if __name__ == "__main__":
    main()
