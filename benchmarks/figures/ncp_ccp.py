"""NCP against CCP (paper, SM A): samples of the same points with probabilities, and clock times.

Times are those that benchmarks/speed/scaling.py has kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.engine.diagnostics.posteriors import Points, posterior_of
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.checkpoint import Checkpoint
from ncpgui.engine.sampling.clusterwise import log_prob_estimate

from .base import MODEL, SECOND, SOFT, Made, Source, canvas, gaussian_of, plain_ticks
from .partitions import Labels, distinct_samples, over_orders
from .samples import clustering, dataset, exact, observations

MODELS = ("gauss2d", "gauss2d-ccp")

N_SHOWN, N_SAMPLES = 5, 200
SCALING = Path(__file__).parents[1] / "results" / "scaling.json"
CURVES = (
    ("NCP s", f"NCP, {N_SAMPLES} samples", MODEL, "o"),
    ("CCP s", f"CCP, {N_SAMPLES} samples", SECOND, "s"),
    (f"Gibbs, {N_SAMPLES} chains s", f"Gibbs, {N_SAMPLES} chains of one sweep", SOFT, "v"),
)
"""Key of scaling.json, name, colour and marker."""

Row = dict[str, Any]


def make(source: Source) -> Made:
    """Sample both networks on the points of the figure `samples`, and read times."""
    of_ncp, of_ccp = source.load("gauss2d"), source.load("gauss2d-ccp")
    model, n_draws = gaussian_of(of_ncp), source.amount(1000, 100)
    ncp = posterior_of(of_ncp.network)
    ccp = posterior_of(of_ccp.network)
    points = dataset(model)
    first = distinct_samples(ncp, points, n_draws=n_draws, seed=source.seed).labels
    second, count = np.unique(ccp.sample(points, n_draws, source.seed).labels, axis=0, return_counts=True)
    often, n_listed = np.argsort(-count, kind="stable"), source.amount(30, 8)
    found = np.unique(np.concatenate([first[:n_listed], second[often[:n_listed]]]), axis=0)
    q = {
        "NCP": np.exp(over_orders(ncp, points, found, seed=source.seed)),
        "CCP": np.exp(_estimates(of_ccp, points, found)),
    }
    _, log_p = exact(model, points[0][0], found, n_sweeps=source.amount(5000, 300))
    p = np.exp(log_p)

    rows, where = _times()
    figure = canvas(6.6)
    above, below = figure.subfigures(2, 1, height_ratios=(1.62, 1))
    _samples(above, points[0][0].numpy(), found, q, p)
    _clock(below.subplots(), rows)

    place = {name: np.argsort(-of, kind="stable")[:N_SHOWN] for name, of in q.items()}
    measured = {
        "n_draws": n_draws,
        "n_shown": N_SHOWN,
        "n_listed": len(found),
        "listed": {name: float(of.sum()) for name, of in q.items()} | {"exact": float(p.sum())},
        "n_different": {"NCP": len(first), "CCP": len(second)},
        "n_common": len(set(place["NCP"]) & set(place["CCP"])),
        "least_tv": {
            "NCP": _least_distance(q["NCP"], p),
            "CCP": _least_distance(q["CCP"], p),
            "both": _least_distance(q["NCP"], q["CCP"]),
        },
        "shown": {
            name: {"NCP": q["NCP"][i].tolist(), "CCP": q["CCP"][i].tolist(), "exact": p[i].tolist()}
            for name, i in place.items()
        },
        "where": where,
        "seconds": [
            {"points": row["points"]} | {key: row.get(key, "") for key, *_ in CURVES} for row in rows
        ],
    }
    return Made(figure, measured)


def _estimates(checkpoint: Checkpoint, points: Points, labels: Labels) -> NDArray[np.float64]:
    """Log of CCP's probabilities (M,), estimated with more draws than the diagnostics take."""
    network = checkpoint.network
    if not isinstance(network, CCP):
        raise InputError(f"model '{checkpoint.name}' is a {type(network).__name__}, not a CCP")
    with torch.inference_mode():
        encoding = network.encode(*points)
    return log_prob_estimate(network, encoding, labels, n_draws=64, n_orders=24, seed=0)


def _least_distance(q: NDArray[np.float64], p: NDArray[np.float64]) -> float:
    """Total variation over the clusterings that are listed: at least that of the whole laws."""
    return float(np.abs(p - q).sum() + abs(p.sum() - q.sum())) / 2


def _samples(figure: SubFigure, x: NDArray[np.floating], found: Labels, q: dict[str, Any], p: Any) -> None:
    """Draw the most probable clusterings of each network; what is not as in the first is encircled."""
    grid = figure.add_gridspec(2, N_SHOWN + 1)
    left = figure.add_subplot(grid[:, 0])
    observations(left, x)
    left.set_title("observations")
    reference = found[q["NCP"].argmax()]
    for row, (name, of) in enumerate(q.items()):
        for column, i in enumerate(np.argsort(-of, kind="stable")[:N_SHOWN]):
            ax = figure.add_subplot(grid[row, column + 1])
            clustering(ax, x, found[i], reference)
            ax.set_title(f"{of[i]:.3f}")
            ax.set_title(f"exact {p[i]:.3f}", loc="right", fontsize=8.5, fontweight="normal", color=SOFT)
            if column == 0:
                ax.set_ylabel(name, fontweight="bold")


def _clock(ax: Axes, rows: list[Row]) -> None:
    for key, name, colour, marker in CURVES:
        there = [row for row in rows if row.get(key)]
        if there:
            ax.plot(
                [row["points"] for row in there],
                [row[key] for row in there],
                marker=marker,
                color=colour,
                markersize=5,
                linewidth=1.4,
                label=name,
            )
    sizes = [row["points"] for row in rows]
    ax.set(xscale="log", yscale="log", xlabel="points N", ylabel="clock time, s")
    plain_ticks(ax.xaxis, sizes)
    plain_ticks(ax.yaxis, [m * 10.0**k for k in range(-3, 5) for m in (1, 3)])
    ax.figure.legend(loc="outside right center", handlelength=1.8, labelspacing=0.8)


def _times() -> tuple[list[Row], str]:
    """Rows with the number of points and seconds, and where they come from."""
    kept = json.loads(SCALING.read_text(encoding="utf-8"))
    return kept["points"], f"`benchmarks/speed/scaling.py`, {_threads(kept['machine'])}"


def _threads(here: dict[str, Any]) -> str:
    return f"{here['threads']} thread{'s' if here['threads'] > 1 else ''}, {here['processor']}"
