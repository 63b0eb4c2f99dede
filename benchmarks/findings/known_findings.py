"""Recordings of cells whose tuning and receptive fields are known, sorted once and kept.

`retina`: cells under white noise on a hexagonal array; `tuning`: cells with a preferred orientation on a
linear probe. In both, a third of the cells are twins: pairs at one place with nearly the same waveform, which
a sorter may take for one cell. Many cells are small.

    python -m benchmarks.findings.known_findings --cache FOLDER [--recordings 20]
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.array_recording import ArrayRecording
from benchmarks.common.kept import add_cache
from ncpgui.core.files import replaced_file
from ncpgui.core.seeds import stream
from ncpgui.core.spikes import Sorting
from ncpgui.ephys.simulated_cells import RetinaSettings, SimulationPlan, plan_simulation, spikes_at_rates
from ncpgui.ephys.simulated_traces import simulated_pieces
from ncpgui.session import store
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import sort_recording

FIRST_SEEDS = (7500, 7600)
"""Of the recordings whose figures are told, twenty from each on; those below 7500 were looked at before."""
KINDS = ("retina", "tuning")
COMMON: dict[str, Any] = {"amplitude_median_sd": 7.0, "twin_distance_sd": (5.0, 12.0), "n_twins": 3}
SETTINGS = {
    "retina": RetinaSettings(duration_s=100.0, probe="hex19", n_cells=16, **COMMON),
    "tuning": RetinaSettings(duration_s=120.5, probe="linear-16-25", n_cells=16, **COMMON),
}
N_ORIENTATIONS, TRIAL_S, START_S = 12, 1.0, 0.5
BASE_HZ, PEAK_HZ, CONCENTRATION = (0.5, 3.0), (12.0, 40.0), (1.0, 4.0)


@dataclass(frozen=True)
class KnownFindings:
    """A recording sorted once: its session beside, true spikes and what is known of the cells.

    plan : without templates' traces; orientation_rad, trial_start : (n_trials,) in [0, pi), and samples, of
    `tuning`; base_hz, peak_hz, preferred_rad, concentration : (n_cells,) of its cells
    """

    name: str
    kind: str
    seed: int
    session: Path
    truth: Sorting
    plan: SimulationPlan
    tuning: dict[str, NDArray[Any]]
    sort_s: float


def tuned_rate_hz(theta: NDArray[np.float64], tuning: dict[str, NDArray[Any]], cell: int) -> Any:
    """Rate of a cell for orientations: von Mises of twice the angle on a base."""
    preferred, k = tuning["preferred_rad"][cell], tuning["concentration"][cell]
    bump = np.exp(k * (np.cos(2 * (theta - preferred)) - 1))
    return tuning["base_hz"][cell] + tuning["peak_hz"][cell] * bump


QUICK = {
    kind: replace(settings, duration_s=40.5, probe=probe, n_cells=4, n_twins=1, amplitude_median_sd=12.0)
    for (kind, settings), probe in zip(SETTINGS.items(), ("hex7", "linear-4-25"), strict=True)
}
"""Small ones, to see that it runs."""


def planned(kind: str, seed: int, *, quick: bool = False) -> tuple[SimulationPlan, dict[str, NDArray[Any]]]:
    """Cells, spikes, and the tuning of the cells ({} of the retina)."""
    plan = plan_simulation((QUICK if quick else SETTINGS)[kind], seed=seed)
    if kind == "retina":
        return plan, {}
    rng, n_cells = stream(seed, "tuning"), len(plan.cells["unit_id"])
    n_trials = int((plan.settings.duration_s - START_S) / TRIAL_S)
    order = np.concatenate([rng.permutation(N_ORIENTATIONS) for _ in range(-(-n_trials // N_ORIENTATIONS))])[
        :n_trials
    ]
    start_s = START_S + TRIAL_S * np.arange(n_trials)
    tuning = {
        "orientation_rad": order * np.pi / N_ORIENTATIONS,
        "trial_start": np.round(start_s * plan.settings.sampling_frequency_hz).astype(np.int64),
        "base_hz": rng.uniform(*BASE_HZ, n_cells),
        "peak_hz": rng.uniform(*PEAK_HZ, n_cells),
        "preferred_rad": rng.uniform(0, np.pi, n_cells),
        "concentration": rng.uniform(*CONCENTRATION, n_cells),
    }
    edges = np.concatenate([[0.0], start_s, [start_s[-1] + TRIAL_S]])
    rates = (
        np.concatenate([[tuning["base_hz"][k]], tuned_rate_hz(tuning["orientation_rad"], tuning, k)])
        for k in range(n_cells)
    )
    times, units, scale = spikes_at_rates(plan.settings, rates, edges, seed=seed)
    return replace(plan, times=times, units=units, scale=scale), tuning


def known_findings(kind: str, seed: int, cache: Path, *, quick: bool = False) -> KnownFindings:
    """Make a recording and sort it, or return what `cache` keeps of it."""
    folder = cache / f"{kind}-{'quick-' if quick else ''}{seed}"
    kept = folder / "known.pkl"
    if kept.is_file():
        with kept.open("rb") as file:
            found: KnownFindings = pickle.load(file)
        return replace(found, session=folder / "session.h5")
    folder.mkdir(parents=True, exist_ok=True)
    plan, tuning = planned(kind, seed, quick=quick)
    traces = np.concatenate(list(simulated_pieces(plan)))
    recording = ArrayRecording(
        traces, sampling_frequency_hz=plan.settings.sampling_frequency_hz, probe=plan.probe
    )
    began = time.monotonic()
    stimulus = plan.stimulus if kind == "retina" else None
    project = sort_recording(recording, SortingConfig(seed=seed), stimulus=stimulus)
    store.save(project, folder / "session.h5")
    sort_s = time.monotonic() - began
    found = KnownFindings(folder.name, kind, seed, folder / "session.h5", plan.truth, plan, tuning, sort_s)
    with replaced_file(kept) as beside, beside.open("wb") as file:
        pickle.dump(found, file)
    return found


def add_recordings(parser: argparse.ArgumentParser, *, n_draws: int) -> None:
    """Add the options that say which recordings are asked, and how many draws of each."""
    _add_seeds(parser)
    parser.add_argument("--draws", type=int, default=n_draws, help=f"of each recording  [{n_draws}]")
    add_cache(parser, "findings", "sessions")


def _add_seeds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--recordings", type=int, default=20, help="of both kinds, from each seed on  [20]")
    parser.add_argument("--seed", type=int, nargs="+", default=list(FIRST_SEEDS), help="first seeds")


def chosen_recordings(arguments: argparse.Namespace) -> Iterator[KnownFindings]:
    """The recordings of these options, one after the other; two small ones with ``--quick``."""
    firsts, each = (arguments.seed[:1], 2) if arguments.quick else (arguments.seed, arguments.recordings)
    for first in firsts:
        for number in range(each):
            kind = KINDS[number % 2]
            yield known_findings(kind, first + number, arguments.cache, quick=arguments.quick)


def main() -> None:
    """Make and sort recordings that are not kept yet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    _add_seeds(parser)
    parser.set_defaults(quick=False)
    for found in chosen_recordings(parser.parse_args()):
        print(f"{found.name}: {len(found.truth)} spikes, sorted in {found.sort_s:.0f} s", flush=True)


if __name__ == "__main__":
    from benchmarks.findings import known_findings as whole  # what is pickled is of this module, not of main

    whole.main()
