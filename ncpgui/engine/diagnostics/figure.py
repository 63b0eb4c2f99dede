"""The result of an evaluation as one picture: a panel for each diagnostic that ran.

Needs matplotlib, which is not among the packages that ncpgui cannot do without. Lines of what is exact or
expected are dark, the model is blue; colours are those of Okabe & Ito, which nobody confuses.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Result = dict[str, Any]
Axes = Any
"""matplotlib's; the package is imported when a figure is drawn."""

INK, SOFT, FAINT = "#222222", "#7a7a7a", "#d9d9d9"
MODEL, SECOND, THIRD, FOURTH = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.solid_capstyle": "round",
}
BARS: Any = {"color": MODEL, "alpha": 0.85, "edgecolor": "white", "linewidth": 0.5}
DOTS: Any = {"fmt": "o", "color": MODEL, "markersize": 5, "linewidth": 1.3}
WHITE_EDGE: Any = {"markeredgecolor": "white", "markeredgewidth": 0.5}
N_COLUMNS = 4
PANEL_INCHES = (4.3, 4.0)
HEAD_INCHES = 0.8


def draw_evaluation(result: Result, path: Path) -> None:
    """Write the figure of what `evaluate` returned as a PNG file.

    Raises
    ------
    ModuleNotFoundError
        There is no matplotlib.
    """
    import matplotlib as mpl  # type: ignore[import-not-found]
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # type: ignore[import-not-found]
    from matplotlib.figure import Figure  # type: ignore[import-not-found]

    panels = [(draw, result) for draw, needs in PANELS if _has(result, needs)]
    n_columns = min(N_COLUMNS, len(panels))
    n_rows = -(-len(panels) // n_columns)
    width, height = PANEL_INCHES
    with mpl.rc_context(STYLE):
        size = (width * n_columns, height * n_rows + HEAD_INCHES)
        figure: Any = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.16, h_pad=0.14, rect=(0, 0, 1, 1 - HEAD_INCHES / size[1]))
        axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for ax, (draw, values) in zip(axes, panels, strict=False):
            draw(ax, values)
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
        _head(figure, result)
        figure.savefig(path, format="png", dpi=150, facecolor="white")


def _head(figure: Any, result: Result) -> None:
    top = 1 - 0.18 / figure.get_figheight()
    figure.text(
        0.012, top, f"{result['model']}: is the posterior right?", fontsize=15, weight="bold", va="top"
    )
    aimed = [row for row in result["summary"] if row["met"] is not None]
    n_met = sum(row["met"] for row in aimed)
    words = [f"data: {result['generative_model']['model']}", f"seed {result['seed']}"]
    words += [f"{n_met} of {len(aimed)} targets met"] if aimed else []
    words += ["quick: figures are rough"] if result["quick"] else []
    below = top - 0.3 / figure.get_figheight()
    figure.text(0.012, below, "  ·  ".join(words), fontsize=10, color=SOFT, va="top")


def _has(result: Result, needs: str) -> bool:
    if needs == "exchangeability":
        return result[needs]["sd_nats"] is not None
    return needs in result


def _title(ax: Axes, title: str, *figures: str) -> None:
    """Title of a panel, with its main figures in a line or two below."""
    ax.set_title(title, pad=13 + 13 * len(figures))
    below = ax.annotate(
        "\n".join(figures),
        (0, 1),
        (0, 8),
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom",
        fontsize=8.8,
        color=SOFT,
        linespacing=1.3,
        annotation_clip=False,
    )
    below.set_in_layout(False)  # its width is not the panel's


def _line(ax: Axes, result: Result) -> None:
    line = result["last_point_on_a_line"]
    exact, network = np.array(line["exact"]), np.array(line["network"])
    position = np.array(line["position"])
    every = slice(None, None, max(1, len(position) // 40))
    for k, (colour, name) in enumerate(
        ((MODEL, "left cluster"), (SECOND, "right cluster"), (THIRD, "new cluster"))
    ):
        ax.plot(position, exact[:, k], color=colour, linewidth=1.6, label=name)
        ax.plot(position[every], network[every, k], "o", color=colour, markersize=3.6, **WHITE_EDGE)
    _title(
        ax,
        "A 41st point on a line",
        f"lines exact, dots model: largest error {line['largest_error']:.3f}",
        f"of random datasets: mean error {result['last_point']['mean_error']:.4f}, target 0.02",
    )
    ax.set(xlabel="x of the point", ylabel="P(its cluster)", ylim=(-0.03, 1.2))
    ax.set_yticks([0, 0.5, 1])
    ax.legend(loc="upper center", ncols=3, columnspacing=1.0, handlelength=1.3, borderaxespad=0.1)


def _kl(ax: Axes, result: Result) -> None:
    exact = result["exact_posterior"]
    kl = np.maximum(np.array(exact["kl"]), 1e-5)
    bins = np.geomspace(min(1e-4, kl.min()), max(1.0, kl.max() * 1.2), 31)
    ax.hist(kl, bins, **BARS)
    ax.set_xscale("log")
    ax.axvline(exact["mean_kl"], color=INK, linewidth=1.4)
    ax.axvline(0.05, color=SECOND, linewidth=1.2, linestyle=(0, (4, 3)))
    _title(
        ax,
        f"Against the exact posterior, {exact['n_points']} points",
        f"mean KL {exact['mean_kl']:.3f} nats (line); target 0.05 (dashed)",
        f"over {exact['over_orders']['n_orders']} orders {exact['over_orders']['mean_kl']:.3f}; "
        f"total variation {exact['mean_total_variation']:.3f}",
    )
    ax.set(xlabel="KL(exact || model), nats", ylabel="datasets")
    ax.yaxis.get_major_locator().set_params(integer=True)


def _geweke_mean(ax: Axes, result: Result) -> None:
    rows = result["geweke"]
    n = np.array([row["n_points"] for row in rows])
    mean = np.array([row["mean_k"] for row in rows])
    sd = np.array([row["sd_k"] for row in rows])
    ax.fill_between(
        n, mean[:, 1] - sd[:, 1], mean[:, 1] + sd[:, 1], color=FAINT, linewidth=0, label="prior ± sd"
    )
    ax.plot(n, mean[:, 1], color=INK, linewidth=1.4, label="prior, mean")
    ax.errorbar(n, mean[:, 0], sd[:, 0], capsize=3, label="model ± sd", **DOTS)
    worst = max(rows, key=lambda row: row["total_variation_k"])
    _title(
        ax,
        "Geweke: clusters of prior data",
        "one draw for each of many datasets against the prior",
        f"largest total variation of K {worst['total_variation_k']:.3f} ({worst['n_points']} points)",
    )
    ax.set(xlabel="points", ylabel="number of clusters K")
    ax.set_ylim(0, 1.25 * ax.get_ylim()[1])
    ax.legend(loc="upper left", ncols=3, columnspacing=1.0, handlelength=1.3)


def _geweke_law(ax: Axes, result: Result) -> None:
    row = min(result["geweke"], key=lambda one: abs(one["n_points"] - 30))
    exact, found = np.array(row["exact_p_k"]), np.array(row["p_k"])
    last = int(np.flatnonzero((exact > 0.002) | (found > 0.002)).max())
    k = np.arange(1, last + 1)
    error = np.sqrt(found * (1 - found) / row["n_datasets"])
    ax.bar(k, exact[1 : last + 1], color=FAINT, width=0.82, label="prior, exact")
    ax.errorbar(k, found[1 : last + 1], 2 * error[1 : last + 1], label="model ± 2 se", **DOTS)
    _title(
        ax,
        f"Geweke: K of {row['n_points']} points",
        f"mean K {row['mean_k'][0]:.2f}, of the prior {row['mean_k'][1]:.2f}",
        f"total variation {row['total_variation_k']:.3f}, target 0.05 (chance {row['tv_by_chance']:.3f})",
    )
    ax.set(xlabel="number of clusters K", ylabel="probability", ylim=(0, None))
    ax.set_xticks(k[:: 1 + last // 12])
    ax.legend(loc="upper right")


def _reliability(ax: Axes, result: Result) -> None:
    pairs = result["calibration"]
    ax.plot([0, 1], [0, 1], color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    lines = []
    for key, colour, name in (("all_pairs", SOFT, "all pairs"), ("hard_pairs", MODEL, "hard pairs")):
        one = pairs[key]
        if one is None:
            lines.append("no hard pairs")
            continue
        style = {"color": colour, "markersize": 5, "linewidth": 1.3, "label": name, **WHITE_EDGE}
        ax.plot(one["predicted"], one["observed"], "o-", **style)
        lines.append(f"{name}: ECE {one['ece']:.3f}, slope {one['slope']:.2f}, bias {one['bias']:+.3f}")
    _title(ax, "Do probabilities come true?", *lines)
    ax.set(
        xlabel="P(two points share a cluster)",
        ylabel="share that do",
        xlim=(-0.03, 1.03),
        ylim=(-0.03, 1.03),
    )
    ax.set_xticks([0, 0.5, 1])
    ax.set_yticks([0, 0.5, 1])
    ax.legend(loc="upper left")
    ax.text(
        0.98,
        0.03,
        f"sets of K that claim {pairs['k']['mean_mass']:.0%}\nhold the truth in {pairs['k']['coverage']:.0%}",
        transform=ax.transAxes,
        ha="right",
        fontsize=8.5,
        color=SOFT,
        linespacing=1.3,
    )


def _ranks(ax: Axes, result: Result) -> None:
    ranks = result["ranks"]
    place, band = np.array(ranks["place"]), ranks["band"]
    ax.axhspan(-band, band, color=FAINT, alpha=0.6, linewidth=0)
    ax.axhline(0, color=INK, linewidth=0.8)
    largest = band
    for (name, one), colour in zip(ranks["statistics"].items(), (MODEL, SECOND, THIRD, FOURTH), strict=False):
        difference = np.array(one["ecdf_difference"])
        largest = max(largest, float(np.abs(difference).max()))
        ax.plot(place, difference, color=colour, linewidth=1.5, label=f"{name} (p {_p(one['p_value'])})")
    _title(
        ax,
        "Rank of the truth among the draws",
        f"{len(next(iter(ranks['statistics'].values()))['u'])} datasets of {ranks['n_points']} points",
        "above 0: draws too high; below 0: too low",
    )
    ax.set(
        xlabel="rank, as a share",
        ylabel="ECDF minus uniform",
        xlim=(0, 1),
        ylim=(-1.12 * largest, 2.3 * largest),
    )
    ax.set_xticks([0, 0.5, 1])
    ax.legend(loc="upper left", labelspacing=0.3, handlelength=1.4)
    ax.text(0.01, 0.97 * band, "95 % band", va="top", fontsize=8, color=SOFT)


def _p(value: float | None) -> str:
    if value is None:
        return "?"
    return f"{value:.2f}" if value >= 0.01 else f"{value:.0e}".replace("e-0", "e-")


def _orders(ax: Axes, result: Result) -> None:
    orders = result["exchangeability"]
    nll = np.array(orders["nll"])
    nll = nll[np.argsort(nll.mean(axis=1))]
    rank = np.arange(1, len(nll) + 1)
    ax.vlines(rank, nll.min(axis=1), nll.max(axis=1), color=MODEL, linewidth=1.2, alpha=0.55)
    ax.plot(
        np.repeat(rank, nll.shape[1]), nll.ravel(), "o", color=MODEL, markersize=2.2, alpha=0.6, linewidth=0
    )
    ax.plot(rank, nll.mean(axis=1), "_", color=INK, markersize=5)
    _title(
        ax,
        f"The same points in {nll.shape[1]} orders",
        f"sd / mean {orders['sd_over_mean']:.4f} of all {len(nll)} datasets together, target 0.01",
        f"of single ones: sd {orders['sd_nats']:.2f} nats; {orders['nll_per_point']:.3f} nats a point",
    )
    ax.set(xlabel="dataset, the most certain first", ylabel="-log q(truth), nats")
    ax.xaxis.get_major_locator().set_params(integer=True)


def _weights(ax: Axes, result: Result) -> None:
    weights = result["importance"]
    ax.hist(np.array(weights["ess_share"]), np.linspace(0, 1, 21), **BARS)
    ax.axvline(weights["mean_ess_share"], color=INK, linewidth=1.4)
    known = weights["share_not_trusted"]
    _title(
        ax,
        f"Importance weights, {weights['n_points']} points",
        f"mean ESS / S {weights['mean_ess_share']:.2f} (line); Pareto k above 0.7: "
        + ("none to tell" if known is None else f"{known:.0%}"),
        f"Metropolis-Hastings accepts {weights['mean_acceptance']:.2f}",
    )
    ax.set(xlabel="share of draws that count, ESS / S", ylabel="datasets", xlim=(0, 1))
    ax.yaxis.get_major_locator().set_params(integer=True)


PANELS: tuple[tuple[Callable[[Any, Result], None], str], ...] = (
    (_line, "last_point_on_a_line"),
    (_kl, "exact_posterior"),
    (_geweke_mean, "geweke"),
    (_geweke_law, "geweke"),
    (_reliability, "calibration"),
    (_ranks, "ranks"),
    (_orders, "exchangeability"),
    (_weights, "importance"),
)
"""Panels in the order of the figure, each with the diagnostic that it needs."""
