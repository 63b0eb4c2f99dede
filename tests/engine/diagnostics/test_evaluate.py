"""The whole evaluation: what runs for which model, what it says, and its picture."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ncpgui.core.errors import CheckpointError
from ncpgui.core.json_text import as_json
from ncpgui.core.progress import CancelFlag, Cancelled, silent
from ncpgui.core.source_revision import Revision
from ncpgui.engine.diagnostics import evaluate as evaluation
from ncpgui.engine.diagnostics.evaluate import (
    Amount,
    evaluate,
    evaluate_posterior,
    rounded,
    trained_on,
)
from ncpgui.engine.diagnostics.summary import summary
from ncpgui.engine.networks.checkpoint import Checkpoint, load_checkpoint

MEASURED: dict = {}
ANY = {"exchangeability", "calibration", "ranks"}
GAUSSIAN = {"exact_posterior", "last_point_on_a_line", "last_point", "geweke", "importance", "speed"}


@pytest.fixture(scope="module")
def result(gaussian_checkpoint: Checkpoint, few: Amount) -> dict:
    return evaluate(gaussian_checkpoint, seed=3, amount=few)


def test_a_gaussian_model_is_put_to_every_test_and_json_takes_the_result(result):
    assert set(result) >= ANY | GAUSSIAN
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["model"] == "plane"
    assert result["generative_model"]["options"]["alpha"] == 0.7


def test_a_result_says_where_it_comes_from(gaussian_checkpoint, few, monkeypatch):
    monkeypatch.setattr(evaluation, "source_revision", lambda: Revision("b" * 40, False))
    monkeypatch.setattr(evaluation, "evaluate_posterior", lambda *given, **more: MEASURED)
    monkeypatch.setattr(evaluation, "summary", lambda results: [])
    found = evaluate(gaussian_checkpoint, seed=3, amount=few, command="ncpgui evaluate plane --seed 3")
    assert found["command"] == "ncpgui evaluate plane --seed 3"
    assert (found["git_revision"], found["git_changed"]) == ("b" * 40, False)
    assert found["amount"]["calibration_datasets"] == few.calibration_datasets
    assert date.fromisoformat(found["date"]) <= date.today()


def test_the_summary_names_every_target(result):
    aimed = {row["what"]: row["target"] for row in result["summary"] if row["target"] is not None}
    assert aimed == {
        "order of the points: sd / mean of the NLL": 0.01,
        "hard pairs: calibration error": 0.05,
        "exact posterior: mean KL, nats": 0.05,
        "last point: mean error": 0.02,
        "Geweke, 30 points: mean K off by": 0.1,
        "Geweke, 30 points: total variation of K": 0.05,
    }
    (thirty,) = (one for one in result["geweke"] if one["n_points"] == 30)
    values = [row["value"] for row in result["summary"] if row["what"].startswith("Geweke")]
    assert values == [abs(thirty["k_off"]), thirty["total_variation_k"]]
    kl = next(row for row in result["summary"] if row["what"].startswith("exact posterior: mean KL"))
    assert kl["value"] > 0.05  # it was never trained
    assert kl["met"] is False


def test_the_same_seed_gives_the_same_figures(result, gaussian_checkpoint, few):
    again = evaluate(gaussian_checkpoint, seed=3, amount=few)
    other = evaluate(gaussian_checkpoint, seed=4, amount=few)
    for name in (ANY | GAUSSIAN) - {"speed"}:
        assert again[name] == result[name]
    assert other["exact_posterior"] != result["exact_posterior"]


def test_the_right_posterior_meets_its_targets(right, model, few):
    """But for the 41 points of the line and Geweke's 30, which cannot be enumerated."""
    any_model = replace(few, calibration_datasets=200, calibration_samples=100, order_datasets=10)

    class Hidden:  # the model without what is known of it
        def sample(self, *arguments):
            return model.sample(*arguments)

    rows = summary(evaluate_posterior(right, Hidden(), amount=any_model, seed=0))
    assert [row["what"] for row in rows if row["met"] is False] == []
    assert [row["what"] for row in rows if row["met"]] == [
        "order of the points: sd / mean of the NLL",
        "hard pairs: calibration error",
    ]


def test_a_model_of_spikes_is_put_to_the_tests_of_any_model(few):
    found = evaluate(load_checkpoint("spikes"), amount=replace(few, n_points=12))
    assert set(found) >= ANY
    assert not set(found) & GAUSSIAN
    assert "log p(c, x)" not in found["ranks"]["statistics"]
    assert found["exchangeability"]["nll_per_point"] > 0


def test_progress_counts_up_to_the_whole_and_can_stop_the_run(gaussian_checkpoint, few):
    told: list[float] = []
    ends: dict[str, float] = {}

    def tell(done: int, total: int, message: str = "") -> None:
        told.append(done / total)
        ends[message] = done / total

    results = evaluate(gaussian_checkpoint, amount=few, progress=tell)
    assert told == sorted(told)
    assert told[-1] == 1
    steps = [name for name in results if name in ANY | GAUSSIAN]  # each is told to its end
    assert [ends[name.replace("_", " ")] for name in steps] == [(i + 1) / 9 for i in range(9)]
    flag = CancelFlag()
    flag.cancel()
    with pytest.raises(Cancelled):
        evaluate(gaussian_checkpoint, amount=few, progress=flag.guard())


@pytest.mark.parametrize("training", [None, {}, {"data": None}, {"data": {"k_rate": 3.0}}, "words"])
def test_a_card_that_does_not_name_its_data_is_refused(training):
    with pytest.raises(CheckpointError, match=r"card of model 'x' does not say which data .* 'ncpgui train'"):
        trained_on({"name": "x", "training": training})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"model": "stars"}, "unknown generative model 'stars'"),
        ({"model": "gauss2d", "options": {"alfa": 1.0}}, "did you mean 'alpha'"),
        ({"model": "spikes", "options": {"k_rates": 2.0}}, "did you mean 'k_rate'"),
    ],
)
def test_a_card_that_names_data_unknown_here_is_refused(data, words):
    with pytest.raises(CheckpointError, match=f"model 'x' names data .* does not have: .*{words}"):
        trained_on({"name": "x", "training": {"data": data}})


def test_figures_have_six_digits_and_none_where_json_has_no_word():
    value = {"a": np.array([1.0, np.nan]), "b": (np.int64(3), np.bool_(True)), "c": np.inf, "d": 2 / 3}
    assert as_json(value, rounded) == {"a": [1.0, None], "b": [3, True], "c": None, "d": 0.666667}


def test_the_picture_is_drawn_with_a_panel_for_each_diagnostic(result, few, tmp_path: Path):
    pytest.importorskip("matplotlib")
    from ncpgui.engine.diagnostics.figure import draw_evaluation

    draw_evaluation(result, tmp_path / "all.png")
    spikes = {name: value for name, value in result.items() if name not in GAUSSIAN}
    spikes["calibration"] = spikes["calibration"] | {"hard_pairs": None}
    spikes["exchangeability"] = spikes["exchangeability"] | {"sd_nats": None}  # points come in one order
    draw_evaluation(spikes, tmp_path / "some.png")
    sizes = []
    for name in ("all.png", "some.png"):
        data = (tmp_path / name).read_bytes()
        assert data.startswith(b"\x89PNG")
        sizes.append(int.from_bytes(data[16:20], "big"))  # width
    assert sizes[0] == 2 * sizes[1]  # four panels in a row, and two


@pytest.mark.parametrize(("in_order", "n_orders"), [(True, 1), (False, 7)])
def test_a_network_that_knows_one_order_is_asked_in_one(few, monkeypatch, in_order: bool, n_orders: int):
    asked: dict[str, int] = {}

    def ask(*_: object, **options: int) -> None:
        asked.update(options)
        raise Cancelled

    monkeypatch.setattr(evaluation, "_ask", ask)
    posterior = SimpleNamespace(network=SimpleNamespace(in_order=in_order))
    steps = evaluation._of_any_model(posterior, None, replace(few, orders=7), 0)
    with pytest.raises(Cancelled):
        steps["exchangeability"](silent)
    assert asked["n_orders"] == n_orders


@pytest.mark.parametrize(("asked", "n_datasets"), [(Amount(), 30), (Amount(last_point_datasets=20), 20)])
def test_a_network_of_clusters_gets_less_where_each_probability_is_an_estimate(
    monkeypatch, asked: Amount, n_datasets: int
):
    monkeypatch.setattr(evaluation, "evaluate_posterior", lambda *_, **__: {})
    monkeypatch.setattr(evaluation, "summary", lambda _: [])
    got = evaluate(load_checkpoint("gauss2d-ccp"), amount=asked)["amount"]
    less = {
        "exact_orders": 1,
        "last_point_datasets": n_datasets,
        "last_point_points": [10, 30],
        "weight_datasets": 10,
        "weight_samples": 100,
    }
    assert got == as_json(asked, rounded) | less
    assert evaluate(load_checkpoint("gauss2d"), amount=asked)["amount"] == as_json(asked, rounded)
