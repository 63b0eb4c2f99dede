"""The figure of an evaluation draws the numbers of the result, panel by panel, and says the main ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.engine.diagnostics.figure import draw_evaluation

matplotlib = pytest.importorskip("matplotlib")

RESULT: dict[str, Any] = {
    "model": "plane",
    "generative_model": {"model": "gauss2d"},
    "seed": 3,
    "quick": True,
    "summary": [{"met": True}, {"met": False}, {"met": None}, {"met": True}],
    "last_point_on_a_line": {
        "position": np.linspace(-4, 4, 81).tolist(),
        "exact": np.stack([np.linspace(1, 0, 81), np.linspace(0, 1, 81), np.full(81, 0.25)], axis=1).tolist(),
        "network": np.stack(
            [np.linspace(1, 0, 81), np.linspace(0, 1, 81), np.full(81, 0.5)], axis=1
        ).tolist(),
        "largest_error": 0.1234,
    },
    "last_point": {"mean_error": 0.01234},
    "exact_posterior": {
        "kl": [0.0, 0.02, 0.5],
        "mean_kl": 0.1733,
        "n_points": 8,
        "over_orders": {"n_orders": 6, "mean_kl": 0.1111},
        "mean_total_variation": 0.2222,
    },
    "geweke": [
        {
            "n_points": n,
            "mean_k": [2.0 + n / 10, 3.0],
            "sd_k": [1.0, 0.5],
            "total_variation_k": n / 1000,
            "tv_by_chance": 0.01,
            "n_datasets": 100,
            "exact_p_k": [0, 0.5, 0.5, 0.001],
            "p_k": [0, 0.2, 0.8, 0],
        }
        for n in (10, 28, 100)
    ],
    "calibration": {
        "all_pairs": {
            "predicted": [0.1, 0.9],
            "observed": [0.2, 0.8],
            "ece": 0.1,
            "slope": 0.75,
            "bias": -0.05,
        },
        "hard_pairs": None,
        "k": {"mean_mass": 0.9, "coverage": 0.85},
    },
    "ranks": {
        "place": [0.0, 0.5, 1.0],
        "band": 0.1,
        "n_points": 50,
        "statistics": {
            "K": {"ecdf_difference": [0.0, 0.3, 0.0], "p_value": 0.25, "u": [0.1] * 7},
            "largest": {"ecdf_difference": [0.0, -0.4, 0.0], "p_value": 0.002, "u": [0.1] * 7},
            "pairs": {"ecdf_difference": [0.0, 0.1, 0.0], "p_value": None, "u": [0.1] * 7},
        },
    },
    "exchangeability": {
        "nll": [[5.0, 7.0, 6.0], [1.0, 3.0, 2.0]],
        "sd_over_mean": 0.0123,
        "sd_nats": 0.5,
        "nll_per_point": 0.321,
    },
    "importance": {
        "ess_share": [0.2, 0.92, 0.97],
        "mean_ess_share": 0.7,
        "share_not_trusted": 0.25,
        "n_points": 30,
        "mean_acceptance": 0.61,
    },
}
TITLES = [
    "A 41st point on a line",
    "Against the exact posterior, 8 points",
    "Geweke: clusters of prior data",
    "Geweke: K of 28 points",
    "Do probabilities come true?",
    "Rank of the truth among the draws",
    "The same points in 3 orders",
    "Importance weights, 30 points",
]


def drawn(result: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The figure that would be written."""
    from matplotlib.figure import Figure

    kept: list[Any] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: kept.append(figure))
    draw_evaluation(result, Path("unused.png"))
    return kept[0]


@pytest.fixture
def figure(monkeypatch: pytest.MonkeyPatch) -> Any:
    return drawn(RESULT, monkeypatch)


@pytest.fixture
def panels(figure: Any) -> dict[str, Any]:
    return {ax.get_title(loc="left"): ax for ax in figure.axes}


def lines(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    """What is drawn under each name of the legend."""
    named = {one.get_label(): one for one in ax.lines if not one.get_label().startswith("_")}
    return {name: (list(one.get_xdata()), list(one.get_ydata())) for name, one in named.items()}


def below(ax: Any) -> list[str]:
    """The lines under the title of a panel."""
    return str(ax.texts[0].get_text()).splitlines()


def test_each_diagnostic_that_ran_has_its_panel_four_in_a_row(figure: Any, panels: dict[str, Any]) -> None:
    assert list(panels) == TITLES
    assert figure.get_size_inches().tolist() == pytest.approx([4 * 4.3, 2 * 4.0 + 0.8])


def test_everything_that_has_a_name_is_in_the_legend_of_its_panel(figure: Any) -> None:
    named = 0
    for ax in figure.axes:
        names = ax.get_legend_handles_labels()[1]
        legend = ax.get_legend()
        assert [text.get_text() for text in legend.get_texts()] == names if names else legend is None
        named += bool(names)
    assert named == 5


def test_panels_of_what_did_not_run_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    result = {key: value for key, value in RESULT.items() if key not in ("ranks", "importance", "geweke")}
    result["exchangeability"] = {**RESULT["exchangeability"], "sd_nats": None}
    figure = drawn(result, monkeypatch)
    assert [ax.get_title(loc="left") for ax in figure.axes] == [TITLES[0], TITLES[1], TITLES[4]]
    more = drawn({**RESULT, "exchangeability": result["exchangeability"]}, monkeypatch)
    assert [ax.axison for ax in more.axes] == [True] * 7 + [False]


def test_the_head_says_model_data_seed_and_targets(figure: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [text.get_text() for text in figure.texts] == [
        "plane: is the posterior right?",
        "data: gauss2d  ·  seed 3  ·  2 of 3 targets met  ·  quick: figures are rough",
    ]
    plain = drawn({**RESULT, "quick": False, "summary": [{"met": None}]}, monkeypatch)
    assert plain.texts[1].get_text() == "data: gauss2d  ·  seed 3"


def test_the_last_point_on_a_line_has_a_curve_and_dots_of_each_cluster(panels: dict[str, Any]) -> None:
    ax = panels[TITLES[0]]
    position = RESULT["last_point_on_a_line"]["position"]
    found = lines(ax)
    assert list(found) == ["left cluster", "right cluster", "new cluster"]
    exact = np.array(RESULT["last_point_on_a_line"]["exact"])
    for k, (x, y) in enumerate(found.values()):
        assert x == position
        assert y == exact[:, k].tolist()
    dots = [one for one in ax.lines if one.get_marker() == "o"]
    assert [len(one.get_xdata()) for one in dots] == [41, 41, 41]
    assert dots[2].get_ydata().tolist() == [0.5] * 41
    assert dots[0].get_xdata()[1] == position[2]
    assert below(ax) == [
        "lines exact, dots model: largest error 0.123",
        "of random datasets: mean error 0.0123, target 0.02",
    ]
    assert ax.get_yticks().tolist() == [0, 0.5, 1]


def test_distances_from_the_exact_posterior_are_counted_with_their_mean_and_target(
    panels: dict[str, Any],
) -> None:
    ax = panels[TITLES[1]]
    assert sum(bar.get_height() for bar in ax.patches) == 3
    assert len(ax.patches) == 30
    assert ax.patches[0].get_x() == pytest.approx(1e-5)
    assert ax.patches[-1].get_x() + ax.patches[-1].get_width() == pytest.approx(1.0)
    assert [one.get_xdata()[0] for one in ax.lines] == [0.1733, 0.05]
    assert below(ax)[0] == "mean KL 0.173 nats (line); target 0.05 (dashed)"
    assert below(ax)[1] == "over 6 orders 0.111; total variation 0.222"


def test_the_number_of_clusters_is_shown_beside_that_of_the_prior(panels: dict[str, Any]) -> None:
    ax = panels[TITLES[2]]
    assert lines(ax)["prior, mean"] == ([10, 28, 100], [3, 3, 3])
    (model,) = [one for one in ax.containers if one.get_label() == "model ± sd"]
    assert model.lines[0].get_ydata().tolist() == [3.0, 4.8, 12.0]
    bars = model.lines[2][0].get_segments()
    assert [segment[:, 1].tolist() for segment in bars] == [[2, 4], [3.8, 5.8], [11, 13]]
    (band,) = [one for one in ax.collections if one.get_label() == "prior ± sd"]
    height = band.get_paths()[0].vertices[:, 1]
    assert (height.min(), height.max()) == (2.5, 3.5)
    assert below(ax)[1] == "largest total variation of K 0.100 (100 points)"
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 13 * 1.2


def test_the_law_of_the_number_of_clusters_is_that_nearest_to_thirty_points(panels: dict[str, Any]) -> None:
    ax = panels[TITLES[3]]
    (exact,) = [one for one in ax.containers if one.get_label() == "prior, exact"]
    assert [bar.get_height() for bar in exact] == [0.5, 0.5]
    assert [bar.get_x() + bar.get_width() / 2 for bar in exact] == pytest.approx([1, 2])
    (model,) = [one for one in ax.containers if one.get_label() == "model ± 2 se"]
    assert model.lines[0].get_ydata().tolist() == [0.2, 0.8]
    (low, high), _ = (segment[:, 1] for segment in model.lines[2][0].get_segments())
    assert (high - low) / 2 == pytest.approx(2 * np.sqrt(0.2 * 0.8 / 100))
    assert ax.get_xticks().tolist() == [1, 2]
    assert below(ax) == [
        "mean K 4.80, of the prior 3.00",
        "total variation 0.028, target 0.05 (chance 0.010)",
    ]


def test_reliability_is_drawn_beside_the_diagonal_and_what_lacks_is_said(
    panels: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ax = panels[TITLES[4]]
    assert [list(value) for value in ax.lines[0].get_data()] == [[0, 1], [0, 1]]
    assert lines(ax) == {"all pairs": ([0.1, 0.9], [0.2, 0.8])}
    assert below(ax) == ["all pairs: ECE 0.100, slope 0.75, bias -0.050", "no hard pairs"]
    assert ax.texts[1].get_text() == "sets of K that claim 90%\nhold the truth in 85%"
    assert (ax.get_xticks().tolist(), ax.get_yticks().tolist()) == ([0, 0.5, 1], [0, 0.5, 1])
    hard = {"predicted": [0.5], "observed": [0.4], "ece": 0.1, "slope": 1.0, "bias": 0.1}
    both = {**RESULT, "calibration": {**RESULT["calibration"], "hard_pairs": hard}}
    again = {ax.get_title(loc="left"): ax for ax in drawn(both, monkeypatch).axes}[TITLES[4]]
    assert lines(again)["hard pairs"] == ([0.5], [0.4])


def test_ranks_are_drawn_with_the_band_of_chance(panels: dict[str, Any]) -> None:
    ax = panels[TITLES[5]]
    assert lines(ax) == {
        "K (p 0.25)": ([0, 0.5, 1], [0, 0.3, 0]),
        "largest (p 2e-3)": ([0, 0.5, 1], [0, -0.4, 0]),
        "pairs (p ?)": ([0, 0.5, 1], [0, 0.1, 0]),
    }
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert (band.y0, band.y1) == pytest.approx((-0.1, 0.1))
    assert ax.get_ylim() == pytest.approx((-1.12 * 0.4, 2.3 * 0.4))
    assert ax.get_xlim() == (0, 1)
    assert below(ax)[0] == "7 datasets of 50 points"
    assert ax.texts[1].get_text() == "95 % band"


def test_orders_stand_side_by_side_the_most_certain_dataset_first(panels: dict[str, Any]) -> None:
    ax = panels[TITLES[6]]
    segments = [segment.tolist() for segment in ax.collections[0].get_segments()]
    assert segments == [[[1, 1], [1, 3]], [[2, 5], [2, 7]]]
    every, mean = ax.lines
    assert (every.get_xdata().tolist(), every.get_ydata().tolist()) == (
        [1, 1, 1, 2, 2, 2],
        [1, 3, 2, 5, 7, 6],
    )
    assert (mean.get_xdata().tolist(), mean.get_ydata().tolist()) == ([1, 2], [2, 6])
    assert below(ax) == [
        "sd / mean 0.0123 of all 2 datasets together, target 0.01",
        "of single ones: sd 0.50 nats; 0.321 nats a point",
    ]


def test_importance_weights_are_counted_in_twentieths(
    panels: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ax = panels[TITLES[7]]
    heights = [bar.get_height() for bar in ax.patches]
    assert len(heights) == 20
    assert (sum(heights), heights[18], heights[19]) == (3, 1, 1)
    assert (ax.patches[0].get_x(), ax.patches[0].get_width()) == pytest.approx((0, 0.05))
    assert ax.lines[0].get_xdata()[0] == 0.7
    assert below(ax) == [
        "mean ESS / S 0.70 (line); Pareto k above 0.7: 25%",
        "Metropolis-Hastings accepts 0.61",
    ]
    none = {**RESULT, "importance": {**RESULT["importance"], "share_not_trusted": None}}
    again = {ax.get_title(loc="left"): ax for ax in drawn(none, monkeypatch).axes}[TITLES[7]]
    assert below(again)[0].endswith("Pareto k above 0.7: none to tell")
