"""Law of a last point that moves past two clusters (paper, sec. 7): exact, and the network's."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ncpgui.engine.diagnostics.exact_posterior import LastPointOnALine, last_point_error, last_point_on_a_line
from ncpgui.engine.diagnostics.posteriors import posterior_of

from .base import INK, SOFT, Made, Source, canvas, colour, gaussian_of

MODELS = ("gauss2d",)

CHOICES = ("left cluster", "right cluster", "a new cluster")


def make(source: Source) -> Made:
    """Move the point, and ask both laws at every place."""
    checkpoint = source.load("gauss2d")
    model, posterior = gaussian_of(checkpoint), posterior_of(checkpoint.network)
    line = last_point_on_a_line(posterior, model, seed=source.seed, n_positions=source.amount(401, 81))
    n_datasets = source.amount(200, 20)
    others = [
        last_point_error(posterior, model, n_datasets=n_datasets, n_points=n, seed=source.seed)
        for n in (10, 30, 100)
    ]
    figure = canvas(4.9, width=7.6)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.9))
    _layout(above, line)
    _law(below, line)
    middle = len(line.position) // 2
    tv = np.abs(line.exact - line.network).sum(1) / 2
    measured = {
        "at_middle": [float(line.exact[middle, 2]), float(line.network[middle, 2])],
        "mean_tv": float(tv.mean()),
        "max_tv": float(tv.max()),
        "place_of_max": float(line.position[tv.argmax()]),
        "largest_error": line.largest_error,
        "n_datasets": n_datasets,
        "of_random": {f"N{one.n_points}": float(one.error.mean()) for one in others},
    }
    return Made(figure, measured)


def _layout(ax: Axes, line: LastPointOnALine) -> None:
    ax.axhline(0, color=SOFT, linewidth=1.2, zorder=1)
    ax.scatter(
        line.points[:, 0],
        line.points[:, 1],
        c=[colour(k) for k in line.labels],
        s=24,
        edgecolors="white",
        linewidths=0.5,
        zorder=2,
    )
    ax.annotate(
        "path of the 41st point",
        (0.35, 0),
        (0, 4),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=9,
        color=SOFT,
    )
    ax.set(ylabel="y, sigma", ylim=(-3.4, 3.4))
    ax.set_yticks([-2, 0, 2])
    ax.tick_params(axis="x", length=0, labelbottom=False)
    ax.spines["bottom"].set_visible(False)


def _law(ax: Axes, line: LastPointOnALine) -> None:
    every = slice(None, None, max(1, len(line.position) // 80))
    for k, name in enumerate(CHOICES):
        ax.plot(line.position, line.exact[:, k], color=colour(k), linewidth=1.6, label=name)
        ax.plot(
            line.position[every],
            line.network[every, k],
            "o",
            color=colour(k),
            markersize=4.2,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    ax.plot([], [], color=INK, linewidth=1.6, label="exact")
    ax.plot([], [], "o", color=INK, markersize=4.2, label="network")
    ax.set(
        xlabel="x of the 41st point, sigma",
        ylabel="probability of its cluster",
        xlim=(-10.3, 10.3),
        ylim=(-0.03, 1.03),
    )
    ax.set_xticks(np.arange(-10, 11, 2))
    ax.set_yticks([0, 0.5, 1])
    ax.figure.legend(
        *ax.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=5,
        columnspacing=1.6,
        handlelength=1.6,
    )
