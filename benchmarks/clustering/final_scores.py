"""How well what was said of sets comes true: of each set, and over some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_mutual_info_score

from benchmarks.clustering.final_recordings import MOTIONS, PLACES, FinalSet
from ncpgui.core.alternatives import sizeable_clusters
from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream
from ncpgui.engine.diagnostics.calibration import HARD, coverage_of_k, expected_calibration_error

N_PAIRED = 150
"""Spikes of a set whose pairs count."""
N_BY_CHANCE = 200
"""Truths that are drawn for the ECE by chance."""
N_COMPARED = 10
"""Draws of a set, or a few more, whose agreement is averaged."""
N_BINS = 10
"""Bins of an ECE, of equally many pairs."""
OURS = "ours"
OWN = {
    "as trained, still": (True, False),
    "as trained, moving": (True, True),
    "still": (False, False),
    "moving": (False, True),
}
"""Sets of our own generator, of the place `OURS`: whether it draws as for a training, or by its defaults, and
whether the tissue moves."""

Labels = NDArray[np.integer]
Floats = NDArray[np.float64]


class Source(NamedTuple):
    """Where a set is from: a name of `PLACES`, or `OURS`; a name of `MOTIONS`, or of `OWN`; which seed."""

    place: str
    motion: str
    seed: int


class Judged(NamedTuple):
    """What was said of one set, and what is true.

    p, together : (P,) probability that pairs share a unit, and whether they do
    drawn : (S, P) whether they do in each draw
    joined : (P,) whether the first alternative joins them; apart_sd : (P,) distance of the means of their
        clusters there, 0 where it joins them
    k : (S,) clusters of the draws that hold as many scored spikes as the program asks of a unit
        (`sizeable_clusters`), and more of them than others; k_first : of the first alternative; true_k :
        units of so many
    n_merged, n_split : units that lie with another one in the first alternative, and its clusters of so many
        spikes that are no unit's home
    ami_first, ami_samples, ami_oracle : with the truth, of the first alternative, of single draws (mean), and
        of what an oracle says (`final_sets.with_oracle`); nan where it says nothing
    ami_lost : by how much single draws would be below the first alternative on average, were the truth one
        more draw
    """

    source: Source
    p: Floats
    together: NDArray[np.bool_]
    drawn: NDArray[np.bool_]
    joined: NDArray[np.bool_]
    apart_sd: Floats
    k: Labels
    k_first: int
    true_k: int
    n_merged: int
    n_split: int
    ami_first: float
    ami_samples: float
    ami_oracle: float
    ami_lost: float


def judged(source: Source, one: FinalSet, first: Labels, samples: Labels) -> Judged:
    """Compare what a model said of a set with the truth, over the spikes that are scored."""
    known = np.flatnonzero(one.known)
    truth = canonical(one.unit[known])
    said, drawn, oracle = first[known], samples[:, known], one.oracle[known]
    chosen = np.sort(stream(0, "pairs").permutation(len(known))[:N_PAIRED])
    i, j = np.triu_indices(len(chosen), 1)
    means = np.stack([one.waveforms[first == k].mean(axis=0).ravel() for k in range(first.max() + 1)])
    gaps = np.linalg.norm(means[:, None] - means, axis=-1)
    together = drawn[:, chosen[i]] == drawn[:, chosen[j]]
    some = drawn[:: max(1, len(drawn) // N_COMPARED)]
    return Judged(
        source,
        together.mean(axis=0),
        truth[chosen[i]] == truth[chosen[j]],
        together,
        said[chosen][i] == said[chosen][j],
        gaps[said[chosen][i], said[chosen][j]].astype(np.float64),
        np.array([len(_sizeable(row, one)) for row in samples]),
        len(_sizeable(first, one)),
        len(_sizeable(one.unit, one)),
        *_merged_and_split(one, first),
        float(adjusted_mutual_info_score(truth, said)),
        _mean_ami([truth] * len(some), some),
        float(adjusted_mutual_info_score(truth, oracle)) if oracle.min() >= 0 else np.nan,
        _mean_ami([said] * len(some), some) - _mean_ami(np.roll(some, len(some) // 3, axis=0), some),
    )


def _mean_ami(ones: Sequence[Labels] | Labels, others: Labels) -> float:
    """Mean agreement of labels (R, N) with others (R, N), row by row."""
    return float(np.mean([adjusted_mutual_info_score(a, b) for a, b in zip(ones, others, strict=True)]))


def _sizeable(labels: Labels, one: FinalSet) -> Labels:
    """Labels (N,) of a set's spikes that count as units, by the spikes of them that are scored.

    A cluster that is mostly noise and far cells is none, though some spikes of a unit are lost in it.
    """
    large = sizeable_clusters(np.where(one.known, labels, -1))
    return large[np.array([one.known[labels == k].mean() > 0.5 for k in large], dtype=np.bool_)]


def _merged_and_split(one: FinalSet, first: Labels) -> tuple[int, int]:
    """Units whose home, the cluster with most of their spikes, is of another too; large clusters of none."""
    units = _sizeable(one.unit, one)
    homes = np.unique([np.bincount(first[one.known & (one.unit == unit)]).argmax() for unit in units])
    return len(units) - len(homes), len(np.setdiff1d(_sizeable(first, one), homes))


def row(name: str, found: list[Judged]) -> dict[str, Any]:
    """Tell how well probabilities came true over some sets."""
    p, together, joined = (
        np.concatenate([getattr(one, field) for one in found]) for field in ("p", "together", "joined")
    )
    hard = (p > HARD[0]) & (p < HARD[1])
    n_samples = min(len(one.k) for one in found)
    k = coverage_of_k(np.stack([one.k[:n_samples] for one in found]), np.array([one.true_k for one in found]))
    single = [float((one.k == 1).mean()) for one in found if one.true_k == 1]
    several = [one for one in found if one.true_k > 1]  # AMI says little of one unit
    return {
        "sets": name,
        "n": len(found),
        "hard %": 100 * float(hard.mean()),
        **_errors("hard", p, together, hard, found),
        **_errors("joined", p, together, joined, found),
        **_errors("parted", p, together, ~joined, found),
        "K covered": k.exact_coverage,
        "K error": k.mean_k_error,
        "P(K=1), one unit": _mean_told(single),
        "merged": float(np.mean([one.n_merged for one in found])),
        "split": float(np.mean([one.n_split for one in found])),
        "AMI first": _mean_told([one.ami_first for one in several]),
        "AMI samples": _mean_told([one.ami_samples for one in several]),
        "AMI oracle": _mean_told([one.ami_oracle for one in several]),
        "AMI lost": _mean_told([one.ami_lost for one in several]),
    }


def _mean_told(values: list[float]) -> float | str:
    """Mean of the values that are told, or nothing."""
    told = [value for value in values if not np.isnan(value)]
    return float(np.mean(told)) if told else ""


def _errors(
    name: str,
    p: Floats,
    together: NDArray[np.bool_],
    some: NDArray[np.bool_],
    sets: Sequence[Judged] = (),
) -> dict[str, Any]:
    """ECE and bias of some of the pairs, and with `sets` the ECE that they would have if they were right."""
    told: dict[str, Any] = {f"ECE {name}": "", f"bias {name}": ""} | (
        {f"by chance {name}": ""} if sets else {}
    )
    if some.any():
        told |= {
            f"ECE {name}": expected_calibration_error(p[some], together[some], n_bins=N_BINS),
            f"bias {name}": float(p[some].mean() - together[some].mean()),
        }
        if sets:
            told[f"by chance {name}"] = ece_by_chance(p, some, sets)
    return told


def ece_by_chance(p: Floats, some: NDArray[np.bool_], sets: Sequence[Judged]) -> float:
    """Mean ECE of some of the pairs (P,) of all sets, were the truth of each set one more of its draws.

    The pairs of a set are right or wrong together, so that few sets have an error though nothing is wrong.
    """
    order = np.argsort(p[some], kind="stable")
    parts = np.array_split(order, N_BINS)
    place = np.empty(len(order), dtype=np.int64)
    for bin_, part in enumerate(parts):
        place[part] = bin_
    said = np.bincount(place, weights=p[some], minlength=N_BINS)
    start, done, came = 0, 0, []  # of each set (S, N_BINS): pairs that share a unit in a draw
    for one in sets:
        here = some[start : start + len(one.p)]
        own = np.zeros((int(here.sum()), N_BINS), np.float32)
        own[np.arange(len(own)), place[done : done + len(own)]] = 1
        came.append(one.drawn[:, here].astype(np.float32) @ own)
        start, done = start + len(here), done + len(own)
    rng = stream(0, "by chance")
    errors = [
        np.abs(said - sum(rows[rng.integers(len(rows))].astype(np.float64) for rows in came)).sum()
        for _ in range(N_BY_CHANCE)
    ]
    return float(np.mean(errors)) / len(order)


def pair_rows(found: list[Judged]) -> list[dict[str, Any]]:
    """Tell the same of pairs by what the first alternative says of them."""
    p, together, apart, joined = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("p", "together", "apart_sd", "joined")
    )
    n_units = np.concatenate([np.full(len(one.p), one.k_first) for one in found])
    kinds = {
        "joined, of 1 unit": joined & (n_units <= 1),
        "joined, of 2 or 3": joined & (n_units > 1) & (n_units < 4),
        "joined, of more": joined & (n_units >= 4),
        "parted by < 6 sd": ~joined & (apart < 6),
        "parted by 6 to 12 sd": ~joined & (apart >= 6) & (apart < 12),
        "parted by more": ~joined & (apart >= 12),
    }
    return [
        {
            "pairs": name,
            "share %": 100 * float(some.mean()),
            "mean p": float(p[some].mean()),
            "true": float(together[some].mean()),
            **_errors("of all", p, together, some),
        }
        for name, some in kinds.items()
        if some.any()
    ]


def tables(found: list[Judged]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows by source, motion and number of units, and of pairs."""

    def of(name: str, some: Iterable[Judged]) -> Iterator[dict[str, Any]]:
        kept = list(some)
        if kept:
            yield row(name, kept)

    foreign = [one for one in found if one.source.place != OURS]
    rows = [*of("all foreign", foreign)]
    for place in PLACES:
        rows += of(place, (one for one in foreign if one.source.place == place))
    for motion in MOTIONS:
        rows += of(f"motion {motion}", (one for one in foreign if one.source.motion == motion))
    rows += of("one unit", (one for one in foreign if one.true_k == 1))
    for k in (2, 3):
        rows += of(f"{k} units", (one for one in foreign if one.true_k == k))
    rows += of("4 and more", (one for one in foreign if one.true_k > 3))
    for motion in OWN:
        own = (one for one in found if one.source.place == OURS and one.source.motion == motion)
        rows += of(f"ours, {motion}", own)
    return rows, pair_rows(foreign)
