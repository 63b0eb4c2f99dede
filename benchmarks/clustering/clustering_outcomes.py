"""What each method makes of one set, and how it scores; kept, so that a long run that was stopped goes on."""

from __future__ import annotations

import argparse
import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
import torch
from numpy.typing import NDArray
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

import ncpgui
from benchmarks.clustering import clustering_methods
from benchmarks.clustering.clustering_methods import METHODS, ORACLE, oracle
from benchmarks.clustering.clustering_sets import SpikeSet
from benchmarks.common.report import Clock
from ncpgui.core.files import replaced_file
from ncpgui.core.numpy_files import write_npz
from ncpgui.core.partition import n_clusters
from ncpgui.engine import cluster
from ncpgui.engine.networks.model_files import find_model

Labels = NDArray[np.integer]
Scores = dict[str, float]


def score(labels: Labels, truth: Labels, seconds: float) -> Scores:
    """Scores of one clustering of one set."""
    k_error = n_clusters(labels) - n_clusters(truth)
    return {
        "AMI": float(adjusted_mutual_info_score(truth, labels)),
        "AMI max": float(adjusted_mutual_info_score(truth, labels, average_method="max")),
        "ARI": float(adjusted_rand_score(truth, labels)),
        "K error": k_error,
        "|K error|": abs(k_error),
        "seconds": seconds,
    }


def mean_score(scores: list[Scores]) -> Scores:
    """Mean of each score."""
    return {name: float(np.mean([one[name] for one in scores])) for name in scores[0]}


def kept_at(folder: Path, name: str, *parts: bytes | NDArray[Any]) -> Path:
    """Where in `folder` the outcome of these parts is kept; {} in `name` becomes their digest."""
    told = sha256()
    for part in parts:
        told.update(part if isinstance(part, bytes) else np.ascontiguousarray(part))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name.format(told.hexdigest()[:16])


def by_others(one: SpikeSet, folder: Path) -> dict[str, Scores]:
    """Scores of the methods compared with, and of the oracle; kept, for no model of ours changes them."""
    code = Path(clustering_methods.__file__).read_bytes()
    version = sklearn.__version__.encode()
    path = kept_at(folder, "others-{}.json", code, version, one.waveforms, one.labels)
    if path.is_file():
        kept: dict[str, Scores] = json.loads(path.read_text(encoding="utf-8"))
        return kept
    found = {}
    for name, method in METHODS.items():
        with Clock() as clock:
            labels = method(one.waveforms)
        found[name] = score(labels, one.labels, clock.wall_s)
    with Clock() as clock:
        labels = oracle(one.waveforms, one.labels)
    found[ORACLE] = score(labels, one.labels, clock.wall_s)
    with replaced_file(path) as beside:
        beside.write_text(json.dumps(found), encoding="utf-8")
    return found


class Posterior(NamedTuple):
    """What a model of ours made of one set.

    labels : (S, N) draws; first : (N,) the first alternative; order_spread, seconds
    beam, beam_seconds : (N,) the best of the beam; empty and 0 without one
    """

    labels: NDArray[np.int32]
    first: NDArray[np.int32]
    order_spread: float
    seconds: float
    beam: NDArray[np.int32]
    beam_seconds: float


def posterior(one: SpikeSet, model: str | Path, arguments: argparse.Namespace) -> Posterior:
    """Sample a set; kept, so that a run that was stopped goes on, until the model or our code changes."""
    asked = f"{arguments.samples} {arguments.beam} {arguments.device} {torch.__version__}".encode()
    weights = find_model(model).read_bytes()
    given_set = (one.waveforms, one.channel_positions)
    path = kept_at(arguments.cache, "posterior-{}.npz", asked, code_digest(), weights, *given_set)
    if path.is_file():
        with np.load(path) as kept:
            values = (kept[name] for name in Posterior._fields)
            return Posterior(*(value if value.ndim else value.item() for value in values))
    given = {"channel_positions": one.channel_positions, "model": model, "device": arguments.device}
    with Clock() as sampling:
        result = cluster(one.waveforms, **given, samples=arguments.samples, beam=0)
    best, searching_s = np.zeros(0, np.int32), 0.0
    if arguments.beam:
        with Clock() as searching:
            best = cluster(one.waveforms, **given, samples=1, beam=arguments.beam).beam_labels[0]
        searching_s = searching.wall_s
    found = Posterior(
        result.labels, result.map_labels, result.order_spread, sampling.wall_s, best, searching_s
    )
    write_npz(path, found._asdict())
    return found


@cache
def code_digest() -> bytes:
    """Digest of all code on which a posterior depends."""
    package = Path(ncpgui.__file__).parent
    told = sha256()
    for path in sorted(path for part in ("core", "engine") for path in (package / part).rglob("*.py")):
        if not {"diagnostics", "training"} & set(path.relative_to(package).parts):
            told.update(path.read_bytes())
    return told.digest()
