"""Do probabilities come true on recordings that chose nothing?

    python benchmarks/final_sets.py --role development [--models spikes runs/new.safetensors]
    python benchmarks/final_sets.py --role final

Sets of spikes have three roles that never mix. Those of the training choose which weights of a run are kept.
Those of the development, here of seeds from 100 on, choose between models and settings. Those of the end, of
seeds below 100, choose nothing: they are drawn once a candidate is finished, and its figures are published
whatever they are.

Sets come from recordings of `final_recordings.py` and from our own generator with motion and times, of cells
that no gradient has seen. Only spikes of units that are large enough are scored; noise and far cells are
there, as in any recording. Calibration is told by what is known without the truth: over pairs that the first
alternative joins and over those that it parts, so that needless doubt in the ones cannot cancel false
certainty in the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import platformdirs
import torch
from final_recordings import MOTIONS, PLACES, FinalSet, FinalSettings, sets_of_recording
from numpy.typing import NDArray
from report import Origin, add_jobs, begin, keep, options, side_by_side, table, where
from sklearn.metrics import adjusted_mutual_info_score

from ncpgui.core.files import replaced_file
from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.engine.diagnostics.calibration import HARD, co_assignment, coverage_of_k, reliability
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.checkpoint import find_model
from ncpgui.engine.waveform_clustering import cluster_waveforms

FIRST_SEED = {"final": 0, "development": 100}
"""Seeds of the recordings and sets of a role; those of development begin where the others have ended."""
FORMAT = 1
N_PAIRED = 200
"""Spikes of a set whose pairs count."""
KNOWN_PART = 0.01
"""Clusters of fewer of the scored spikes are not counted in K."""
OWN = {
    "still": {"times": {"p_told": 1.0}},
    "moving": {"times": {"p_told": 1.0}, "motion": {"p_moving": 1.0, "reach_um": [10.0, 40.0]}},
}

Labels = NDArray[np.integer]
Floats = NDArray[np.float64]


class Source(NamedTuple):
    """Where a set is from: a name of `PLACES`, or "ours"; a name of `MOTIONS`, or of `OWN`; which seed."""

    place: str
    motion: str
    seed: int


class Judged(NamedTuple):
    """What was said of one set, and what is true.

    p, together : (P,) probability that pairs share a unit, and whether they do
    joined : (P,) whether the first alternative joins them; apart_sd : (P,) distance of the means of their
        clusters there, 0 where it joins them
    k : (S,) clusters of the draws among the scored spikes; k_first : of the first alternative; true_k
    """

    source: Source
    p: Floats
    together: NDArray[np.bool_]
    joined: NDArray[np.bool_]
    apart_sd: Floats
    k: Labels
    k_first: int
    true_k: int
    ami_first: float
    ami_samples: float


def sources(role: str, n_recordings: int) -> list[Source]:
    """Return the sources of a role; `n_recordings` of each place and motion."""
    if role not in FIRST_SEED:
        raise ValueError(f"a role is one of {', '.join(FIRST_SEED)}, got {role}")
    seeds = range(FIRST_SEED[role], FIRST_SEED[role] + n_recordings)
    if role == "final" and seeds.stop > FIRST_SEED["development"]:
        raise ValueError(f"{n_recordings} recordings of the end would be some of the development")
    foreign = [Source(place, motion, seed) for place in PLACES for motion in MOTIONS for seed in seeds]
    return foreign + [Source("ours", motion, seed) for motion in OWN for seed in seeds]


def sets_of(source: Source, n_sets: int, settings: FinalSettings) -> list[FinalSet]:
    """Return up to `n_sets` sets of a source."""
    if source.place != "ours":
        made = sets_of_recording(source.place, source.motion, settings, seed=source.seed)
        return [one for _, one in zip(range(n_sets), made, strict=False)]
    model = GenerativeSettings("spikes", OWN[source.motion]).build("test")
    generator = torch.Generator().manual_seed(stream_seed(source.seed, "final", "ours", source.motion))
    batch = model.sample(n_sets, settings.n_spikes, generator)
    return [
        _own_set(tuple(array[i].numpy() for array in (*batch.points, batch.labels))) for i in range(n_sets)
    ]


def _own_set(arrays: tuple[NDArray[Any], ...]) -> FinalSet:
    waveforms, positions, mask, times, labels = arrays
    order = np.argsort(times, kind="stable")
    known = np.ones(len(order), bool)
    return FinalSet(
        waveforms[order][:, :, mask], positions[mask].astype(float), times[order], labels[order], known
    )


def draws(
    one: FinalSet, model: str | Path, n_samples: int, cache: Path, *, timed: bool
) -> tuple[Labels, Labels]:
    """Return the first alternative (N,) and draws (S, N) of a model; kept, for the same weights and set."""
    key = sha256(f"{FORMAT} {n_samples} {timed}".encode())
    key.update(find_model(model).read_bytes())
    key.update(np.ascontiguousarray(one.waveforms).tobytes())
    path = cache / f"draws-{key.hexdigest()[:24]}.npz"
    if not path.is_file():
        result = cluster_waveforms(
            one.waveforms,
            channel_positions=one.channel_positions,
            times_s=one.times_s if timed else None,
            model=model,
            samples=n_samples,
            beam=0,
            device="cpu",
        )
        cache.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as beside, beside.open("wb") as file:
            np.savez_compressed(file, first=result.map_labels, samples=result.labels)
    with np.load(path) as kept:
        return kept["first"], kept["samples"]


def judged(source: Source, one: FinalSet, first: Labels, samples: Labels) -> Judged:
    """Compare what a model said of a set with the truth, over the spikes that are scored."""
    known = np.flatnonzero(one.known)
    truth = canonical(one.unit[known])
    said, drawn = first[known], samples[:, known]
    chosen = np.sort(stream(0, "pairs").permutation(len(known))[:N_PAIRED])
    i, j = np.triu_indices(len(chosen), 1)
    means = np.stack([one.waveforms[first == k].mean(axis=0).ravel() for k in range(first.max() + 1)])
    gaps = np.linalg.norm(means[:, None] - means, axis=-1)
    return Judged(
        source,
        co_assignment(drawn[:, chosen]),
        co_assignment(truth[None, chosen]) > 0.5,
        said[chosen][i] == said[chosen][j],
        gaps[said[chosen][i], said[chosen][j]].astype(np.float64),
        np.array([_sizeable(row) for row in drawn]),
        _sizeable(said),
        int(truth.max()) + 1,
        float(adjusted_mutual_info_score(truth, said)),
        float(
            np.mean([adjusted_mutual_info_score(truth, row) for row in drawn[:: max(1, len(drawn) // 10)]])
        ),
    )


def _sizeable(labels: Labels) -> int:
    """Clusters that hold a part of the spikes that counts."""
    return int((np.bincount(labels) >= max(1, KNOWN_PART * len(labels))).sum())


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
        **_errors("hard", p[hard], together[hard]),
        **_errors("joined", p[joined], together[joined]),
        **_errors("parted", p[~joined], together[~joined]),
        "K covered": k.exact_coverage,
        "K error": k.mean_k_error,
        "P(K=1), one unit": float(np.mean(single)) if single else "",
        "AMI first": float(np.mean([one.ami_first for one in several])) if several else "",
        "AMI samples": float(np.mean([one.ami_samples for one in several])) if several else "",
    }


def _errors(name: str, p: Floats, together: NDArray[np.bool_]) -> dict[str, Any]:
    if not len(p):
        return {f"ECE {name}": "", f"bias {name}": ""}
    found = reliability(p, together)
    return {f"ECE {name}": found.ece, f"bias {name}": found.bias}


def pair_rows(found: list[Judged]) -> list[dict[str, Any]]:
    """Tell the same of pairs by what the first alternative says of them."""
    p, together, apart, joined = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("p", "together", "apart_sd", "joined")
    )
    n_units = np.concatenate([np.full(len(one.p), one.k_first) for one in found])
    kinds = {
        "joined, of 1 unit": joined & (n_units == 1),
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
            **_errors("of all", p[some], together[some]),
        }
        for name, some in kinds.items()
        if some.any()
    ]


def tables(found: list[Judged]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows by source and by motion, and of pairs."""

    def of(name: str, some: Iterable[Judged]) -> Iterator[dict[str, Any]]:
        kept = list(some)
        if kept:
            yield row(name, kept)

    foreign = [one for one in found if one.source.place != "ours"]
    rows = [*of("all foreign", foreign)]
    for place in PLACES:
        rows += of(place, (one for one in foreign if one.source.place == place))
    for motion in MOTIONS:
        rows += of(f"motion {motion}", (one for one in foreign if one.source.motion == motion))
    rows += of("one unit", (one for one in foreign if one.true_k == 1))
    for motion in OWN:
        own = (one for one in found if one.source.place == "ours" and one.source.motion == motion)
        rows += of(f"ours, {motion}", own)
    return rows, pair_rows(foreign)


def _of_source(job: tuple[Source, str | Path, int, int, Path, bool]) -> list[Judged]:
    source, model, n_sets, n_samples, cache, timed = job
    sets = _kept_sets(source, n_sets, cache)
    return [judged(source, one, *draws(one, model, n_samples, cache, timed=timed)) for one in sets]


def _kept_sets(source: Source, n_sets: int, cache: Path) -> list[FinalSet]:
    """Sets of a source, from the cache where they are there."""
    told = sha256(repr((FORMAT, source, n_sets, FinalSettings())).encode()).hexdigest()[:16]
    path = cache / f"sets-{told}.npz"
    if not path.is_file():
        sets = sets_of(source, n_sets, FinalSettings())
        cache.mkdir(parents=True, exist_ok=True)
        arrays = {f"{i}-{name}": v for i, one in enumerate(sets) for name, v in one._asdict().items()}
        with replaced_file(path) as beside, beside.open("wb") as file:
            np.savez(file, **arrays)
    with np.load(path) as file:
        n_kept = len(file.files) // len(FinalSet._fields)
        return [FinalSet(*(file[f"{i}-{name}"] for name in FinalSet._fields)) for i in range(n_kept)]


def _parser() -> argparse.ArgumentParser:
    folder = Path(platformdirs.user_cache_dir("ncpgui", appauthor=False)) / "final-sets"
    parser = options(__doc__)
    parser.add_argument("--role", choices=list(FIRST_SEED), default="development")
    parser.add_argument("--models", nargs="+", default=["spikes"], help="names or files  [spikes]")
    parser.add_argument("--recordings", type=int, default=1, help="of each probe and motion  [1]")
    parser.add_argument("--sets", type=int, default=3, help="of each recording at most  [3]")
    parser.add_argument("--samples", type=int, default=80, help="posterior samples of each set  [80]")
    parser.add_argument("--without-times", action="store_true", help="do not tell the models the times")
    parser.add_argument(
        "--cache", type=Path, default=folder, help="folder for sets and draws  [user's cache]"
    )
    add_jobs(parser)
    return parser


def main() -> None:
    arguments = _parser().parse_args()
    device = begin(arguments)
    chosen = sources(arguments.role, arguments.recordings)
    if arguments.quick:
        chosen, arguments.sets, arguments.samples = [Source("tetrode", "none", 100)], 1, 8
    timed = not arguments.without_times
    pages, content = [], {}
    for model in arguments.models:
        jobs = [
            (source, model, arguments.sets, arguments.samples, arguments.cache, timed) for source in chosen
        ]
        with side_by_side(arguments.jobs) as run:
            found = [one for some in run(_of_source, jobs) for one in some]
        rows, pairs = tables(found)
        print(f"{model}\n{table(rows)}\n\n{table(pairs)}\n", flush=True)
        pages.append(f"## `{Path(model).stem}`\n\n{table(rows)}\n\n{table(pairs)}")
        content[Path(model).stem] = {"rows": rows, "pairs": pairs}
    page = "\n\n".join([f"# Sets of the {arguments.role}", where(device), *pages])
    origin = Origin(
        FIRST_SEED[arguments.role], arguments.samples, {Path(m).stem: m for m in arguments.models}
    )
    name = f"{arguments.role}_sets"
    keep(name, {"timed": timed, "models": content}, page=page, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
