"""Do probabilities come true on recordings that chose nothing?

    python -m benchmarks.clustering.final_sets --role development [--models spikes runs/new.safetensors]
    python -m benchmarks.clustering.final_sets --role final --recordings 16

Sets of spikes have three roles that never mix. Those of the training choose which weights of a run are kept.
Those of the development, of seeds below 9000, choose between models and settings. Those of the end, of seeds
from 9000 on, choose nothing: they are drawn once a candidate is finished, and its figures are published
whatever they are. Sets of seed 0 and of seeds from 1000, 2000 and so on to 8000 on were those of the end
until November 2026. Once their figures had steered what was tried next, they were of the development.

Sets come from recordings of `final_recordings.py` and from our own generator with motion and times, of cells
that no gradient has seen. Only spikes of units that are large enough are scored; noise and far cells are
there, as in any recording. Calibration is told by what is known without the truth: over pairs that the first
alternative joins and over those that it parts, so that needless doubt in the ones cannot cancel false
certainty in the others.

All of it twice: as the network draws, and as `ncpgui cluster` tells it, where heaps and firing times weigh
the draws.
"""

from __future__ import annotations

import argparse
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.clustering.clustering_methods import oracle
from benchmarks.clustering.final_recordings import MOTIONS, PLACES, FinalSet, FinalSettings, sets_of_recording
from benchmarks.clustering.final_scores import OURS, OWN, Judged, Labels, Source, judged, tables
from benchmarks.common.kept import add_cache, kept_sets
from benchmarks.common.report import Origin, add_jobs, begin, keep, options, side_by_side, table, where
from ncpgui.core.alternatives import group_alternatives
from ncpgui.core.config import read_toml
from ncpgui.core.heaps import weighed_by_heaps
from ncpgui.core.numpy_files import write_npz
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.resources import data_folder
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.generative.spike_mixture import SpikeMixture
from ncpgui.engine.networks.model_files import find_model, load_card
from ncpgui.engine.sampling.sweeps import N_SWEEPS, N_SWEEPS_IN_TIME
from ncpgui.engine.waveform_clustering import cluster, opened_model
from ncpgui.sorting.timed_clusters import weighed_by_times

FIRST_SEED = {"development": 100, "final": 9000}
"""Seeds of the recordings and sets of a role; those of the end begin where the others have ended."""
MORE_RECORDINGS = {"tetrode": 4, OURS: 3}
"""Recordings for each of another source: those of a tetrode have one set, and our own kinds are few."""
TRAINED = "spikes-bursts"
"""The run whose settings our own generator has where it draws as for a training (`trained_models/runs`)."""
FORMAT = 3
EVIDENCE = ("as drawn", "given firing times")
MODELS = ["spikes"]

NOTE = """\
Over pairs of spikes of units: ECE and bias (p less truth) of *hard* ones (p between 0.02 and 0.98), of those
that the first alternative *joins* and of those that it *parts*. By chance: the ECE that the same
probabilities would have on so few sets, on average, if they were right (the truth of each set being one more
draw). K covered: 90 % sets of the number of units that contain it; clusters that are mostly noise and
far cells are none. Merged: units a set that lie with another one in the first alternative; split: its
clusters that are no unit's home. AMI with the truth: of the first alternative, of single draws, and of an
oracle that is told the templates of the units where the tissue was, how large their spikes are, how often
each fires, and the noise (`final_oracle.py`); of our own sets it is a linear discriminant that is told the
units of all other spikes (`clustering_methods.oracle`). AMI lost: by how much single draws would be below the
first alternative on average, if the truth were one more draw: so much is doubt, and no error of the draws."""


def sources(role: str, n_recordings: int) -> list[Source]:
    """Return the sources of a role; `n_recordings` of each place and motion."""
    if role not in FIRST_SEED:
        raise ValueError(f"a role is one of {', '.join(FIRST_SEED)}, got {role}")
    first = FIRST_SEED[role]
    kinds = [(place, motion) for place in PLACES for motion in MOTIONS] + [(OURS, motion) for motion in OWN]
    found = [
        Source(place, motion, first + i)
        for place, motion in kinds
        for i in range(n_recordings * MORE_RECORDINGS.get(place, 1))
    ]
    if role == "development" and max(one.seed for one in found) >= FIRST_SEED["final"]:
        raise ValueError(f"of {n_recordings} recordings of the development some would be of the end")
    return found


def own_options(motion: str) -> dict[str, Any]:
    """Return the settings of our own generator for one of `OWN`.

    Its defaults have more units than the training, which do not tire, and no hash of far cells.
    """
    as_trained, moving = OWN[motion]
    runs = data_folder("trained_models") / "runs"
    options = read_toml(runs / f"{TRAINED}.toml")["data"]["options"] if as_trained else {}
    moves = {"p_moving": 1.0, "reach_um": [10.0, 40.0]} if moving else {"p_moving": 0.0}
    return {
        **options,
        "times": {**options.get("times", {}), "p_told": 1.0},
        "motion": {**options.get("motion", {}), **moves},
    }


def sets_of(source: Source, n_sets: int, settings: FinalSettings) -> list[FinalSet]:
    """Return up to `n_sets` sets of a source."""
    if source.place != OURS:
        made = sets_of_recording(source.place, source.motion, settings, seed=source.seed)
        return [one for _, one in zip(range(n_sets), made, strict=False)]
    model = GenerativeSettings("spikes", own_options(source.motion)).build("test")
    assert isinstance(model, SpikeMixture)
    generator = torch.Generator().manual_seed(stream_seed(source.seed, "final", OURS, source.motion))
    batch, is_noise = model.sample_with_noise(n_sets, settings.n_spikes, generator)
    arrays = (*batch.points, batch.labels, is_noise)
    return [_own_set(tuple(array[i].numpy() for array in arrays), settings) for i in range(n_sets)]


def _own_set(arrays: tuple[NDArray[Any], ...], settings: FinalSettings) -> FinalSet:
    waveforms, positions, mask, times, labels, is_noise = arrays
    order = np.argsort(times, kind="stable")
    unit = np.where(is_noise, -1, labels)[order]
    size = np.bincount(unit[unit >= 0])
    return FinalSet(
        waveforms[order][:, :, mask],
        positions[mask].astype(float),
        times[order],
        unit,
        (unit >= 0) & (size >= settings.known_part * len(unit))[unit],
        np.full(len(order), -1),
    )


def with_oracle(one: FinalSet) -> FinalSet:
    """Return a set with what an oracle says of its scored spikes, where nobody was asked."""
    if (one.oracle >= 0).any():
        return one
    said = np.full_like(one.oracle, -1)
    said[one.known] = oracle(one.waveforms[one.known], canonical(one.unit[one.known]))
    return one._replace(oracle=said)


def draws(
    one: FinalSet, model: str | Path, n_samples: int, cache: Path, *, timed: bool
) -> tuple[Labels, Labels]:
    """Return the first alternative (N,) and draws (S, N) of a model; kept, for the same network and set."""
    architecture = load_card(find_model(model))["architecture"]  # has settings that no weight tells
    sweeps = (N_SWEEPS, N_SWEEPS_IN_TIME)
    key = sha256(f"{FORMAT} {n_samples} {timed} {sweeps} {architecture}".encode())
    key.update(find_model(model).read_bytes())
    key.update(np.ascontiguousarray(one.waveforms).tobytes())
    path = cache / f"draws-{key.hexdigest()[:24]}.npz"
    if not path.is_file():
        result = cluster(
            one.waveforms,
            channel_positions=one.channel_positions,
            times_s=one.times_s if timed else None,
            model=model,
            samples=n_samples,
            beam=0,
            heaps=False,
            device="cpu",
        )
        cache.mkdir(parents=True, exist_ok=True)
        write_npz(path, {"first": result.map_labels, "samples": result.labels})
    with np.load(path) as kept:
        return kept["first"], kept["samples"]


def given_times(one: FinalSet, samples: Labels, *, known: bool) -> tuple[Labels, Labels]:
    """Return the first alternative (N,) and draws (S, N) given heaps and firing times, from those without.

    Draws are there as often as their weight says (systematic resampling), those of units that jumped too.

    known : whether the network has read the times
    """
    drawn = PosteriorSamples(samples, np.full(len(samples), np.nan))
    drawn = weighed_by_heaps(drawn, one.waveforms)
    weighed = weighed_by_times(drawn, one.times_s, known=known)
    place = (np.arange(len(samples)) + 0.5) / len(samples)
    rows = np.searchsorted(np.cumsum(weighed.weight), place).clip(max=weighed.n_samples - 1)
    return group_alternatives(weighed, max_shown=1)[0].labels, weighed.labels[rows]


def _of_source(job: tuple[Source, str | Path, int, int, Path, bool]) -> list[tuple[Judged, Judged]]:
    """What is said of each set, without and with firing times as evidence."""
    source, model, n_sets, n_samples, cache, timed = job
    known = timed and bool(opened_model(model, "cpu").network.takes_times)
    found = []
    for one in map(with_oracle, _kept_sets(source, n_sets, cache)):
        first, samples = draws(one, model, n_samples, cache, timed=timed)
        given = given_times(one, samples, known=known)
        found.append((judged(source, one, first, samples), judged(source, one, *given)))
    return found


def _kept_sets(source: Source, n_sets: int, cache: Path) -> list[FinalSet]:
    """Sets of a source, from the cache where they are there."""
    own = (own_options(source.motion),) if source.place == OURS else ()
    told = sha256(repr((FORMAT, source, n_sets, FinalSettings(), *own)).encode()).hexdigest()[:16]
    return kept_sets(cache / f"sets-{told}.npz", FinalSet, lambda: sets_of(source, n_sets, FinalSettings()))


def _parser() -> argparse.ArgumentParser:
    parser = options(__doc__)
    parser.add_argument("--role", choices=list(FIRST_SEED), default="development")
    parser.add_argument("--models", nargs="+", default=MODELS, help=f"names or files  [{' '.join(MODELS)}]")
    parser.add_argument(
        "--recordings",
        type=int,
        default=4,
        help="of each probe and motion; more of tetrodes and ours  [4]",
    )
    parser.add_argument("--sets", type=int, default=3, help="of each recording at most  [3]")
    parser.add_argument("--samples", type=int, default=80, help="posterior samples of each set  [80]")
    parser.add_argument("--without-times", action="store_true", help="do not tell the models the times")
    add_cache(parser, "final-sets", "sets and draws")
    add_jobs(parser)
    return parser


def main() -> None:
    arguments = _parser().parse_args()
    device = begin(arguments)
    chosen = sources(arguments.role, arguments.recordings)
    if arguments.quick:
        chosen, arguments.sets, arguments.samples = [Source("tetrode", "none", 100)], 1, 8
    timed = not arguments.without_times
    pages: list[str] = []
    content: dict[str, dict[str, Any]] = {}
    for model in arguments.models:
        jobs = [
            (source, model, arguments.sets, arguments.samples, arguments.cache, timed) for source in chosen
        ]
        with side_by_side(arguments.jobs) as run:
            found = [both for some in run(_of_source, jobs) for both in some]
        for evidence, judgements in zip(EVIDENCE, zip(*found, strict=True), strict=True):
            rows, pairs = tables(list(judgements))
            page = f"## `{Path(model).stem}`, {evidence}\n\n{table(rows)}\n\n{table(pairs)}"
            print(f"{page}\n", flush=True)
            pages.append(page)
            content.setdefault(Path(model).stem, {})[evidence] = {"rows": rows, "pairs": pairs}
    whole = "\n\n".join([f"# Sets of the {arguments.role}", where(device), NOTE, *pages])
    origin = Origin(
        FIRST_SEED[arguments.role], arguments.samples, {Path(m).stem: m for m in arguments.models}
    )
    name = f"{arguments.role}_sets"
    keep(name, {"timed": timed, "models": content}, page=whole, origin=origin, folder=arguments.out)


if __name__ == "__main__":
    main()
