"""All diagnostics that apply to a trained model, as one dictionary of plain values.

Of any generative model: held-out likelihood, exchangeability, calibration and ranks. Of the Gaussian
mixture, whose posterior is known: distance from it, the law of the last point, Geweke's test, importance
weights and Gibbs sampling as well.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ncpgui.core.arguments import instance, reporting, whole_number
from ncpgui.core.config import from_dict
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.json_text import as_json
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.core.source_revision import source_revision
from ncpgui.engine.diagnostics.calibration import calibration
from ncpgui.engine.diagnostics.calibration_ranks import calibration_ranks
from ncpgui.engine.diagnostics.exact_posterior import (
    distance_to_exact,
    last_point_error,
    last_point_on_a_line,
)
from ncpgui.engine.diagnostics.exchangeability import exchangeability
from ncpgui.engine.diagnostics.geweke import geweke_test
from ncpgui.engine.diagnostics.importance import importance_summary
from ncpgui.engine.diagnostics.posteriors import Posterior, posterior_of
from ncpgui.engine.diagnostics.speed import compare_speed
from ncpgui.engine.diagnostics.summary import Result, summary
from ncpgui.engine.generative.batch import GenerativeModel
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.checkpoint import Checkpoint, made_with
from ncpgui.engine.torch_defaults import check_defaults

EVALUATION_FORMAT = 1


@dataclass(frozen=True)
class Amount:
    """How many datasets, points and draws each diagnostic gets.

    n_points : of the datasets for orders, calibration, ranks and speed
    orders, order_datasets, order_samples : exchangeability
    calibration_datasets, calibration_samples; rank_datasets, rank_samples : those two
    exact_datasets, exact_points : enumeration; exact_orders : over which q is also averaged, as samplers do
    line_positions : of the point that moves past two clusters
    last_point_datasets, last_point_points : datasets of each of these numbers of points
    geweke : (points, datasets)
    weight_datasets, weight_points, weight_samples : importance weights
    speed_datasets, speed_sweeps : beside Gibbs sampling, with `order_samples` chains and draws
    """

    n_points: int = 50
    orders: int = 8
    order_datasets: int = 64
    order_samples: int = 100
    calibration_datasets: int = 200
    calibration_samples: int = 100
    rank_datasets: int = 400
    rank_samples: int = 39
    exact_datasets: int = 200
    exact_points: int = 8
    exact_orders: int = 4
    line_positions: int = 161
    last_point_datasets: int = 200
    last_point_points: tuple[int, ...] = (10, 30, 100)
    geweke: tuple[tuple[int, int], ...] = ((5, 3000), (10, 3000), (30, 3000), (50, 3000), (100, 3000))
    weight_datasets: int = 50
    weight_points: int = 20
    weight_samples: int = 1000
    speed_datasets: int = 5
    speed_sweeps: int = 200


QUICK = Amount(
    order_samples=50,
    calibration_datasets=40,
    calibration_samples=50,
    rank_datasets=100,
    rank_samples=19,
    exact_datasets=50,
    line_positions=41,
    last_point_datasets=50,
    geweke=((5, 500), (10, 500), (30, 500), (50, 500), (100, 300)),
    weight_datasets=10,
    weight_samples=500,
    speed_datasets=2,
    speed_sweeps=100,
)


def evaluate(
    checkpoint: Checkpoint,
    *,
    seed: int = 0,
    quick: bool = False,
    amount: Amount | None = None,
    command: str = "",
    progress: Progress = silent,
) -> Result:
    """Run every diagnostic that applies, on data that no gradient of the training saw.

    The same split chose which weights of the training are kept, and their temperature.

    Parameters
    ----------
    quick : about a tenth of the data; figures are then rough
    amount : in place of that of `quick`; a network of clusters gets less where probabilities are asked for,
        because each of them is an estimate from many draws
    command : that asked for it, to be kept with the result

    Returns
    -------
    Values that JSON takes (None for what is not a finite number). ``summary`` lists the main figures
    with their targets; each diagnostic has a key of its own. Same seed, same result, but for times.

    Raises
    ------
    CheckpointError
        The card does not say which data the model was trained on, or says what this version lacks.
    InputError
        The data it was trained on (files of digits) are not there.
    """
    instance(checkpoint, Checkpoint, "checkpoint", "load one with load_checkpoint(NAME)")
    seed, progress = whole_number(seed, "seed"), reporting(progress)
    check_defaults()
    settings = trained_on(checkpoint.card)
    if amount is not None:
        instance(amount, Amount, "amount", "leave it out")
    amount = amount or (QUICK if quick else Amount())
    if isinstance(checkpoint.network, CCP):
        amount = replace(
            amount,
            exact_orders=1,
            last_point_datasets=min(amount.last_point_datasets, 30),
            last_point_points=amount.last_point_points[:2],
            weight_datasets=amount.weight_datasets // 5,
            weight_samples=100,
        )
    started, revision = time.perf_counter(), source_revision()
    results = evaluate_posterior(
        posterior_of(checkpoint.network),
        settings.build("test"),
        amount=amount,
        seed=seed,
        progress=progress,
    )
    return {
        "evaluation_format": EVALUATION_FORMAT,
        "model": checkpoint.name,
        "weights_sha256": checkpoint.card.get("weights_sha256"),
        "generative_model": {"model": settings.model, "options": settings.options},
        "command": command,
        "seed": seed,
        "quick": quick,
        "amount": as_json(amount, rounded),
        **made_with(revision),
        "wall_s": round(time.perf_counter() - started, 1),
        "summary": summary(results),
        **results,
    }


def trained_on(card: dict[str, Any]) -> GenerativeSettings:
    """Return the generative model that a card names.

    Raises
    ------
    CheckpointError
        The card names none, or one that this version does not have.
    """
    training = card.get("training")
    data = training.get("data") if isinstance(training, dict) else None
    name = card.get("name", "?")
    if not isinstance(data, dict) or "model" not in data:
        raise CheckpointError(
            f"the card of model '{name}' does not say which data it was trained on (training.data), "
            "so there is nothing to evaluate it on; train it with 'ncpgui train'"
        )
    try:
        return from_dict(GenerativeSettings, data, place="training.data")
    except InputError as error:
        raise CheckpointError(
            f"the card of model '{name}' names data that this version of ncpgui does not have: {error}"
        ) from error


def evaluate_posterior(
    posterior: Posterior,
    model: GenerativeModel,
    *,
    amount: Amount,
    seed: int,
    progress: Progress = silent,
) -> Result:
    """Run the diagnostics on any posterior of the model: one key each."""
    steps = _of_any_model(posterior, model, amount, seed)
    if isinstance(model, GaussianDPMM):
        steps |= _of_the_gaussian_model(posterior, model, amount, seed)
    results: Result = {}
    for i, (name, run) in enumerate(steps.items()):

        def report(done: int, total: int, message: str = "", i: int = i, name: str = name) -> None:
            progress(1000 * i + 1000 * done // max(total, 1), 1000 * len(steps), name.replace("_", " "))

        results[name] = as_json(run(report), rounded)
    progress(1, 1)
    return results


def _of_any_model(
    posterior: Posterior, model: GenerativeModel, a: Amount, seed: int
) -> dict[str, Callable[[Progress], Any]]:
    ask = partial(_ask, posterior, model, seed)
    network = getattr(posterior, "network", None)
    one_order = isinstance(network, CCP) or bool(getattr(network, "in_order", False))

    def orders(progress: Progress) -> Any:
        asked = {"n_orders": 1 if one_order else a.orders, "n_samples": a.order_samples}
        found = ask(exchangeability, a.order_datasets, a.n_points, progress, **asked)
        return with_properties(found, "nll_per_point", "sd_nats", "sd_over_mean", "sd_over_mean_each")

    def pairs(progress: Progress) -> Any:
        return ask(calibration, a.calibration_datasets, a.n_points, progress, n_samples=a.calibration_samples)

    def ranks(progress: Progress) -> Any:
        found = ask(calibration_ranks, a.rank_datasets, a.n_points, progress, n_samples=a.rank_samples)
        place = np.linspace(0, 1, 201)
        statistics = {
            name: with_properties(one, "mean", "spread", "p_value")
            | {"ecdf_difference": one.ecdf_difference(place)}
            for name, one in found.items()
        }
        half_width = next(iter(found.values())).band()
        return {"n_points": a.n_points, "band": half_width, "place": place, "statistics": statistics}

    return {"exchangeability": orders, "calibration": pairs, "ranks": ranks}


def _of_the_gaussian_model(
    posterior: Posterior, model: GaussianDPMM, a: Amount, seed: int
) -> dict[str, Callable[[Progress], Any]]:
    ask = partial(_ask, posterior, model, seed)

    def exact(progress: Progress) -> Any:
        one_order, mixed = (
            ask(
                distance_to_exact,
                a.exact_datasets,
                a.exact_points,
                portion(progress, i, i + 1, 2),
                n_orders=n_orders,
            )
            for i, n_orders in enumerate((1, a.exact_orders))
        )
        names = ("mean_kl", "mean_total_variation")
        return with_properties(one_order, *names) | {"over_orders": with_properties(mixed, *names)}

    def line(progress: Progress) -> Any:
        found = last_point_on_a_line(
            posterior, model, seed=seed, n_positions=a.line_positions, progress=progress
        )
        return with_properties(found, "largest_error", "mean_error")

    def last(progress: Progress) -> Any:
        rows = []
        for i, n_points in enumerate(a.last_point_points):
            part = portion(progress, i, i + 1, len(a.last_point_points))
            found = ask(last_point_error, a.last_point_datasets, n_points, part)
            mean = {"mean_error": found.error.mean(), "mean_total_variation": found.total_variation.mean()}
            rows.append(asdict(found) | mean)
        return {
            "mean_error": np.mean([row["mean_error"] for row in rows]),
            "mean_total_variation": np.mean([row["mean_total_variation"] for row in rows]),
            "by_n_points": rows,
        }

    def geweke(progress: Progress) -> Any:
        rows = []
        for i, (n_points, n_datasets) in enumerate(a.geweke):
            part = portion(progress, i, i + 1, len(a.geweke))
            found = ask(geweke_test, n_datasets, n_points, part)
            rows.append(with_properties(found, "mean_k", "sd_k", "total_variation_k", "total_variation_size"))
        return rows

    def weights(progress: Progress) -> Any:
        found = ask(
            importance_summary, a.weight_datasets, a.weight_points, progress, n_samples=a.weight_samples
        )
        return with_properties(found, "share_not_trusted") | {
            "mean_ess_share": found.ess_share.mean(),
            "mean_acceptance": found.acceptance.mean(),
        }

    def speed(progress: Progress) -> Any:
        asked = {"n_sweeps": a.speed_sweeps, "n_samples": a.order_samples}
        return with_properties(ask(compare_speed, a.speed_datasets, a.n_points, progress, **asked), "ratio")

    return {
        "exact_posterior": exact,
        "last_point_on_a_line": line,
        "last_point": last,
        "geweke": geweke,
        "importance": weights,
        "speed": speed,
    }


def _ask(
    posterior: Posterior,
    model: GenerativeModel,
    seed: int,
    diagnostic: Callable[..., Any],
    n_datasets: int,
    n_points: int,
    progress: Progress,
    **options: int,
) -> Any:
    """Ask a posterior about datasets of the model, as a diagnostic does."""
    sets = {"n_datasets": n_datasets, "n_points": n_points, "seed": seed}
    return diagnostic(posterior, model, **sets, **options, progress=progress)


def with_properties(result: Any, *names: str) -> Result:
    """Fields of a dataclass and some of its properties, as a dictionary."""
    return asdict(result) | {name: getattr(result, name) for name in names}


def rounded(value: float) -> float | None:
    """A figure of a result to six digits; None for nan and infinity, which JSON lacks."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
