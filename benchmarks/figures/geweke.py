"""Geweke's test (paper, sec. 7): clusterings of data of the prior must follow the prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from ncpgui.engine.diagnostics.geweke import GewekeResult, cluster_number_law, geweke_test
from ncpgui.engine.diagnostics.posteriors import posterior_of
from ncpgui.engine.generative.partition_priors import CRP
from ncpgui.engine.networks.ccp import CCP

from .base import FAINT, INK, MODEL, SECOND, Made, Source, canvas, gaussian_of

MODELS = ("gauss2d-alpha07",)

CANDIDATES = ("gauss2d-alpha07", "gauss2d-ccp-alpha07", "gauss2d", "gauss2d-ccp")
"""Models of 2D Gaussians, drawn in the row of the prior that each was trained on."""
N_POINTS, N_LAW = (5, 10, 20, 30, 50, 70, 100), 30
COLOURS = {"NCP": MODEL, "CCP": SECOND}


@dataclass(frozen=True)
class Tested:
    """A model's results, one for each number of points."""

    name: str
    kind: str
    results: list[GewekeResult]


def make(source: Source) -> Made:
    """Test all models that there are, by their priors."""
    rows: dict[CRP, list[Tested]] = {}
    n_datasets = {"NCP": source.amount(3000, 200), "CCP": source.amount(1000, 50)}
    for name in filter(source.has, CANDIDATES):
        checkpoint = source.load(name)
        model, is_ccp = gaussian_of(checkpoint), isinstance(checkpoint.network, CCP)
        posterior = posterior_of(checkpoint.network)
        kind = "CCP" if is_ccp else "NCP"
        results = [
            geweke_test(posterior, model, n_datasets=n_datasets[kind], n_points=n, seed=source.seed)
            for n in N_POINTS
        ]
        rows.setdefault(model.prior, []).append(Tested(name, kind, results))

    figure = canvas(0.55 + 2.95 * len(rows))
    axes = figure.subplots(len(rows), 2, squeeze=False, width_ratios=(1.2, 1))
    for (left, right), (prior, tested) in zip(axes, rows.items(), strict=True):
        _number(left, prior, tested)
        _law(right, prior, tested)
        left.set_title(f"{_prior_name(prior)}: mean ± sd of K")
        right.set_title(f"{_prior_name(prior)}: K for N = {N_LAW}, ± 2 standard errors")
    axes[-1, 0].set_xlabel("points N")
    axes[-1, 1].set_xlabel("number of clusters K")
    _legend(figure, [one.kind for tested in rows.values() for one in tested])

    measured = {
        "n_law": N_LAW,
        "rows": [_row(prior, one) for prior, tested in rows.items() for one in tested],
        "all": {one.name: [_figures(r) for r in one.results] for tested in rows.values() for one in tested},
    }
    return Made(figure, measured)


def _number(ax: Axes, prior: CRP, tested: list[Tested]) -> None:
    n = np.arange(2, max(N_POINTS) + 5)
    mean, sd = np.array([_moments(cluster_number_law(prior, int(i))) for i in n]).T
    ax.fill_between(n, mean - sd, mean + sd, color=FAINT, alpha=0.7, linewidth=0)
    ax.plot(n, mean, color=INK, linewidth=1.4)
    for i, one in enumerate(tested):
        found = np.array([[r.n_points, r.mean_k[0], r.sd_k[0]] for r in one.results]).T
        ax.errorbar(
            found[0] + 1.1 * (i - (len(tested) - 1) / 2),
            found[1],
            found[2],
            fmt="o",
            color=COLOURS[one.kind],
            markersize=4.5,
            capsize=2.5,
            linewidth=1.2,
        )
    ax.set(ylabel="number of clusters K", xlim=(0, n[-1]), ylim=(0, None))


def _law(ax: Axes, prior: CRP, tested: list[Tested]) -> None:
    exact = cluster_number_law(prior, N_LAW)
    last = int(np.flatnonzero(exact > 0.002).max())
    k = np.arange(1, last + 1)
    ax.bar(k, exact[1 : last + 1], color=FAINT, width=0.8)
    for i, one in enumerate(tested):
        (result,) = (r for r in one.results if r.n_points == N_LAW)
        p = result.p_k[1 : last + 1]
        ax.errorbar(
            k + 0.22 * (i - (len(tested) - 1) / 2),
            p,
            2 * np.sqrt(p * (1 - p) / result.n_datasets),
            fmt="o",
            color=COLOURS[one.kind],
            markersize=4.5,
            linewidth=1.2,
        )
    ax.set(ylabel="probability", ylim=(0, None))
    ax.set_xticks(k)


def _legend(figure: Figure, kinds: list[str]) -> None:
    marks = [
        Patch(color=FAINT, label="prior: ± sd, or probability"),
        Line2D([], [], color=INK, linewidth=1.4, label="prior: mean"),
    ]
    marks += [
        Line2D(
            [], [], color=COLOURS[kind], marker="o", markersize=4.5, linewidth=1.2, label=f"samples of {kind}"
        )
        for kind in dict.fromkeys(kinds)
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=len(marks), handlelength=1.5)


def _moments(law: NDArray[np.float64]) -> tuple[float, float]:
    k = np.arange(len(law))
    mean = float(k @ law)
    return mean, float(np.sqrt(k**2 @ law - mean**2))


def _prior_name(prior: CRP) -> str:
    return f"α ~ Exp({prior.alpha:g})" if prior.drawn else f"α = {prior.alpha:g}"


def _row(prior: CRP, one: Tested) -> dict[str, Any]:
    """Row of the table of the page: the histogram that is drawn."""
    (result,) = (r for r in one.results if r.n_points == N_LAW)
    figures = _figures(result)
    return {
        "model": f"`{one.name}`",
        "prior": _prior_name(prior),
        "datasets": result.n_datasets,
        "mean K": f"{figures['mean_k']:.3f}",
        "prior mean": f"{figures['prior_mean_k']:.3f}",
        "standard error": f"{figures['standard_error']:.3f}",
        "sd of K": f"{figures['sd_k']:.3f}",
        "prior sd": f"{figures['prior_sd_k']:.3f}",
        "total variation": f"{figures['tv']:.3f}",
        "by chance": f"{figures['tv_by_chance']:.3f}",
    }


def _figures(r: GewekeResult) -> dict[str, float]:
    return {
        "n_points": r.n_points,
        "mean_k": r.mean_k[0],
        "prior_mean_k": r.mean_k[1],
        "standard_error": r.sd_k[0] / float(np.sqrt(r.n_datasets)),
        "sd_k": r.sd_k[0],
        "prior_sd_k": r.sd_k[1],
        "tv": r.total_variation_k,
        "tv_by_chance": r.tv_by_chance,
    }
