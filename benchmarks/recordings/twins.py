"""Recordings of twins: pairs of cells that are hardly apart, and whose spikes are told apart one by one.

    python -m benchmarks.recordings.twins [--recordings 10] [--seed 0] [--probes hexagon linear tetrode]

Of each pair the second cell lies beside the first, so far off that their templates differ by 3 to 6 noise sd.
Wrong spikes are those of a true cell that are not in its unit, and those of its unit that are not of the
cell. They are counted of twins and of other cells, for several ways to say which unit a spike is of: that of
matching, that of draws (in the alternative of the same structure as matching's, or in the most probable one),
and what is in use.
"""

from __future__ import annotations

import argparse
import contextlib
import warnings
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
import probeinterface
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, BaseSorting
from spikeinterface.core.generate import generate_templates

from benchmarks.common.report import SEED, Origin, add_jobs, begin, keep, options, side_by_side, table
from benchmarks.recordings.generator import (
    MS_AFTER,
    MS_BEFORE,
    as_counts,
    cells_firing,
    in_memory,
    noise_on,
    shapes_of_cells,
    wired,
    with_spikes,
)
from benchmarks.recordings.ground_truth import hexagon
from ncpgui.analysis.comparison import compare
from ncpgui.core.alternatives import same_sorting
from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.core.spikes import Sorting
from ncpgui.ephys.readers import recording_of
from ncpgui.sorting.component_alternatives import build_alternatives
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.pipeline import find_units, project_of, shown_first

Floats = NDArray[np.float64]
RATE_HZ, DURATION_S = 20_000.0, 120.0
N_SAMPLES = round(RATE_HZ * DURATION_S)
NOISE_UV = 7.0
APART_SD = (3.0, 6.0)
FIRING_HZ = (2.0, 8.0)
ALPHA_UV = (120.0, 450.0)
AMPLITUDE_SD = 0.05
PROBES = {
    "hexagon": (lambda: hexagon(3), 3, 2),
    "linear": (lambda: probeinterface.generate_linear_probe(8, ypitch=25), 3, 2),
    "tetrode": (lambda: probeinterface.generate_tetrode(r=17.7), 1, 2),
}
"""Contacts, pairs of twins, and other cells."""


def made(probe_name: str, seed: int) -> tuple[BaseRecording, BaseSorting, int]:
    """Recording, true spikes, and how many of the cells are twins: the first ones, two by two."""
    make, n_pairs, n_others = PROBES[probe_name]
    probe = wired(make())
    rng = stream(seed, "twins", probe_name)
    templates: list[Floats] = []
    for pair in range(n_pairs + n_others):
        one = _Cell(probe.contact_positions, rng)
        templates.append(one.template())
        if pair < n_pairs:
            templates.append(one.twin(float(rng.uniform(*APART_SD))))
    firing_hz = np.exp(rng.uniform(*np.log(FIRING_HZ), len(templates)))
    cells = cells_firing(firing_hz, RATE_HZ, DURATION_S, stream_seed(seed, "spikes", probe_name))
    noise = noise_on(probe, RATE_HZ, DURATION_S, NOISE_UV, stream_seed(seed, "noise", probe_name))
    sizes = rng.normal(1, AMPLITUDE_SD, cells.count_total_num_spikes())
    traces = with_spikes(noise, cells, np.stack(templates), sizes).get_traces()
    return in_memory(as_counts(traces), RATE_HZ, probe), cells, 2 * n_pairs


class _Cell:
    """A cell of SpikeInterface's generator near the contacts."""

    def __init__(self, contacts: Floats, rng: np.random.Generator) -> None:
        self._contacts, self._rng = contacts, rng
        self._place = np.r_[
            contacts[rng.integers(len(contacts))] + rng.uniform(-10, 10, 2), rng.uniform(8, 30)
        ]
        alpha = np.exp(rng.uniform(*np.log(ALPHA_UV), 1))
        self._shape = shapes_of_cells(1, rng) | {"alpha": alpha}

    def template(self, away_um: Floats | float = 0.0) -> Floats:
        """Template (T, C), uV, of the cell when it is moved."""
        place = (self._place + away_um)[None]
        place[:, 2] = np.abs(place[:, 2]) + 1
        found = generate_templates(
            self._contacts, place, RATE_HZ, MS_BEFORE, MS_AFTER, unit_params=self._shape, seed=0
        )
        return np.asarray(found[0])

    def twin(self, apart_sd: float) -> Floats:
        """Template of a cell beside it, so far apart."""
        own, way = self.template(), self._rng.normal(size=3) * [1, 1, 0.3]
        way /= np.linalg.norm(way)
        low, high = 0.0, 30.0
        for _ in range(30):
            middle = (low + high) / 2
            is_near = np.linalg.norm(self.template(middle * way) - own) < apart_sd * NOISE_UV
            low, high = (middle, high) if is_near else (low, middle)
        return self.template(low * way)


def of_draws(
    component: Component, seen: ComponentWaveforms, matched: NDArray[np.int64]
) -> tuple[Alternative, ...]:
    """Alternatives as the draws have them."""
    found: tuple[Alternative, ...] = build_alternatives(
        component.posterior, component.sampled, seen.coordinates, SortingConfig(), company=matched
    )
    return found


def sortings(recording: BaseRecording, config: SortingConfig) -> Mapping[str, Sorting]:
    """Ways to say which unit each spike is of."""
    with closing(find_units(recording_of(recording), config)) as found:
        sampled, _ = sample_components(found, found.draws)
        project = project_of(found, recording_of(recording).reference)
        labels = {
            name: project.unit_of_spike.copy() for name in ("matched", "same structure", "most probable")
        }
        for component, seen in sampled.values():
            ids = component.spike_ids
            matched = np.unique(found.units.unit[ids], return_inverse=True)[1]
            drawn = of_draws(component, seen, matched)
            same = [
                one
                for one in drawn
                if same_sorting(one.labels[component.sampled], matched[component.sampled])
            ]
            for name, one in (("same structure", next(iter(same), None)), ("most probable", drawn[0])):
                if one is not None:
                    first = labels[name].max() + 1
                    labels[name][ids] = np.where(one.labels < 0, -1, one.labels + first)
        components = [component for component, _ in sampled.values()]
        labels["in use"], _ = shown_first(project.unit_of_spike, project.probability, components)
        times = found.units.matched.sample_index
        return {name: Sorting(times, units, RATE_HZ, N_SAMPLES) for name, units in labels.items()}


def score(asked: tuple[str, int], arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Wrong spikes of each way in one recording."""
    probe, number = asked
    seed = stream_seed(arguments.seed, "recording", number)
    with warnings.catch_warnings(), contextlib.suppress(ImportWarning):
        warnings.simplefilter("ignore")
        recording, cells, n_twins = made(probe, seed)
        found = sortings(recording, SortingConfig(model=arguments.model, device=arguments.device))
    events = cells.to_spike_vector()
    truth = Sorting(
        events["sample_index"].astype(np.int64), events["unit_index"].astype(np.int64), RATE_HZ, N_SAMPLES
    )
    rows = []
    for way, sorting in found.items():
        compared = compare(sorting, truth)
        units = [list(compared.found_ids).index(best) if best >= 0 else -1 for best in compared.best_match]
        right = np.array([compared.matches[i, j] if j >= 0 else 0 for i, j in enumerate(units)])
        claimed = np.array([compared.n_found[j] if j >= 0 else 0 for j in units])
        wrong = compared.n_true + claimed - 2 * right
        rows.append(
            {
                "probe": probe,
                "number": number,
                "way": way,
                "wrong of twins": int(wrong[:n_twins].sum()),
                "spikes of twins": int(compared.n_true[:n_twins].sum()),
                "twins found": int((compared.accuracy[:n_twins] >= 0.8).sum()),
                "twins": n_twins,
                "wrong of others": int(wrong[n_twins:].sum()),
                "spikes of others": int(compared.n_true[n_twins:].sum()),
                "units": len(compared.found_ids),
                "cells": len(compared.n_true),
            }
        )
    return rows


def summed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a probe and way."""
    shown = []
    for probe in dict.fromkeys(row["probe"] for row in rows):
        for way in dict.fromkeys(row["way"] for row in rows):
            some = [row for row in rows if row["probe"] == probe and row["way"] == way]
            counted = {
                name: sum(row[name] for row in some)
                for name in some[0]
                if name not in ("probe", "number", "way")
            }
            shown.append({"probe": probe, "recordings": len(some), "way": way, **counted})
    return shown


def main() -> None:
    """Make, sort, score and keep."""
    parser = options(__doc__)
    parser.add_argument("--model", default=None, help="name or file  [the default of the program]")
    parser.add_argument("--recordings", type=int, default=10, help="of each probe  [10]")
    parser.add_argument("--seed", type=int, default=SEED, help="of the recordings  [0]")
    parser.add_argument("--probes", nargs="+", choices=list(PROBES), default=list(PROBES))
    add_jobs(parser)
    arguments = parser.parse_args()
    begin(arguments)
    n = 1 if arguments.quick else arguments.recordings
    asked = [(probe, number) for number in range(n) for probe in arguments.probes]
    rows: list[dict[str, Any]] = []
    with side_by_side(arguments.jobs) as in_turn:
        for some in in_turn(partial(score, arguments=arguments), asked):
            rows += some
            print(table(some), flush=True)
    shown = summed(rows)
    print(table(shown))
    page = (
        "# Twins\n\nWrong spikes of twin cells, 3 to 6 noise sd apart, by how spikes are given to units.\n\n"
    )
    models = {} if arguments.model is None else {arguments.model: arguments.model}
    origin = Origin(arguments.seed, 0, models)
    keep(
        "twins",
        {"rows": shown, "recordings": rows},
        page=page + table(shown),
        origin=origin,
        folder=arguments.out,
    )


if __name__ == "__main__":
    main()
