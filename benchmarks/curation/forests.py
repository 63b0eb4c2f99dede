"""P(a unit is right) by forests that SpikeInterface trains on quality metrics of units of other recordings.

`train_model` gets the metrics of all sortings of the other recordings and what is true of their units, and
chooses a random forest by cross-validation, as somebody would who has labelled units of such recordings by
hand. So each unit is judged by a forest that has seen no unit of its recording.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from spikeinterface.core import SortingAnalyzer

RIGHT, WRONG = "right", "wrong"
FOREST = "forest"
"""Key of the probability among the verdicts on a unit."""


def keep_metrics(analyzer: SortingAnalyzer, path: Path) -> None:
    """Keep the quality and template metrics of the units of an analyzer that has them, as a table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    analyzer.get_metrics_extension_data().to_csv(path)


def right_by_forests(
    paths: Sequence[Path], recordings: Sequence[str], is_right: Sequence[Sequence[bool]], *, seed: int = 0
) -> list[NDArray[np.float64]]:
    """Return P(right) of each unit of each sorting, by a forest of the sortings of all other recordings.

    paths : of the metrics of each sorting (`keep_metrics`); recordings : that each is of
    is_right : of each unit of each sorting
    """
    import skops  # noqa: F401  `train_model` writes with it
    from spikeinterface.curation import train_model

    tables = [pd.read_csv(path, index_col=0) for path in paths]
    names = [name for name in tables[0].columns if all(name in one.columns for one in tables)]
    result = [np.full(len(one), np.nan) for one in tables]
    for recording in dict.fromkeys(recordings):
        others = [k for k, name in enumerate(recordings) if name != recording]
        labels = [[RIGHT if one else WRONG for one in is_right[k]] for k in others]
        if len({label for of in labels for label in of}) < 2:
            continue
        with TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trainer = train_model(
                mode="csv",
                labels=labels,
                metrics_paths=[str(paths[k]) for k in others],
                folder=Path(folder) / "forest",
                metric_names=names,
                imputation_strategies=["median"],
                scaling_techniques=["standard_scaler"],
                classifiers=["RandomForestClassifier"],
                seed=seed,
                verbose=False,
                n_jobs=1,
            )
        code = next(code for code, label in trainer.label_conversion.items() if label == RIGHT)
        column = list(trainer.best_pipeline.classes_).index(code)
        for k in set(range(len(paths))) - set(others):
            values = tables[k].reindex(columns=names).astype(np.float32).replace([np.inf, -np.inf], np.nan)
            result[k] = trainer.best_pipeline.predict_proba(values)[:, column]
    return result


def with_forests(sortings: Sequence[dict[str, Any]], folder: Path) -> None:
    """Give units what forests say of them, in place; of the sortings whose metrics are kept in a folder."""
    judged = [one for one in sortings if one["units"] and metrics_path(folder, one).is_file()]
    if len({one["recording"] for one in judged}) < 2:
        return
    said = right_by_forests(
        [metrics_path(folder, one) for one in judged],
        [one["recording"] for one in judged],
        [[unit["is right"] for unit in one["units"]] for one in judged],
    )
    for one, probability in zip(judged, said, strict=True):
        for unit, p in zip(one["units"], probability.tolist(), strict=True):
            unit[FOREST] = None if np.isnan(p) else round(p, 4)


def metrics_path(folder: Path, sorting: dict[str, Any]) -> Path:
    """Where the metrics of a sorting are kept."""
    return folder / f"{sorting['recording']}-{sorting['sorter']}-{sorting['of']['seed']}.csv"
