"""Units inserted into a recording: which each sorter recovers, their sizes and rates (paper, SM E)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .base import FAINT, INK, MODEL, SOFT, canvas, plain_ticks

TITLES = {
    "simulated": "inserted into a simulated recording",
    "real": "inserted into a real tetrode recording",
}


def draw(rows: Sequence[Mapping[str, Any]], found: float) -> Figure:
    """Draw a column for each background: units from small to large, a line for each sorter."""
    names = list(dict.fromkeys(row["recording"] for row in rows))
    n_sorters = max(sum(row["recording"] == name for row in rows) for name in names)
    figure = canvas(2.6 + 0.34 * n_sorters)
    axes = figure.subplots(
        3, len(names), squeeze=False, height_ratios=[0.34 * n_sorters, 0.9, 0.9], sharex="col"
    )
    for column, name in enumerate(names):
        of = [row for row in rows if row["recording"] == name]
        order = np.argsort(of[0]["peak to peak"])
        x = np.arange(len(order))
        top, size, rate = axes[:, column]
        top.set_title(TITLES.get(name, name))
        for line, row in enumerate(of):
            accuracy = np.array(row["accuracy"])[order]
            is_found = accuracy >= found
            top.scatter(x[is_found], np.full(is_found.sum(), line), s=52, color=MODEL, marker="s")
            top.scatter(
                x[~is_found],
                np.full((~is_found).sum(), line),
                s=52,
                marker="s",
                facecolor="none",
                color=FAINT,
            )
        top.set_yticks(range(len(of)))
        top.set_yticklabels([f"{row['sorter']}  {row['recovered']}" for row in of])
        top.set_ylim(len(of) - 0.5, -0.5)
        top.tick_params(length=0)
        top.spines[["left", "bottom"]].set_visible(False)
        size.plot(x, np.array(of[0]["peak to peak"])[order], "o", color=INK, markersize=4)
        size.set_yscale("log")
        plain_ticks(size.yaxis, (2, 5, 10, 20, 50, 100))
        rate.bar(x, np.array(of[0]["Hz"])[order], color=SOFT, width=0.4)
        rate.set_xticks([])
        if column == 0:
            size.set_ylabel("peak to peak,\nnoise sd")
            rate.set_ylabel("Hz")
    return figure
