"""Do units hide a second cell: fitted on units whose cells are known, and how often it comes true.

    python -m benchmarks.probabilities.second_cells [--recordings tetrode ...] [--twins 4] [--seed 7100]

Units are those of the development recordings (`sampled_recordings.py`), merges that were planted in them, and
those of recordings of twins (`twins.py`), as matching finds them. A unit is of two cells if 15 % or more of
its spikes are of a second one. Weights are those of `sorting/second_cells.py`; figures of the table are of
recordings that were left out of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.probabilities.neuron_probability import reliability
from benchmarks.probabilities.sampled_recordings import (
    Draws,
    add_recordings,
    asked_recordings,
    sampled_recording,
    spikes_of_cells,
)
from benchmarks.recordings.twins import PROBES, made
from benchmarks.recordings.unit_scores import calibration_error
from ncpgui.core.seeds import stream_seed
from ncpgui.core.two_laws import LEAST_SHARE
from ncpgui.engine import in_white_noise
from ncpgui.ephys.readers import recording_of
from ncpgui.evidence.hidden_trains import hidden_train_nats
from ncpgui.sorting.component_posterior import sample_components
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.found_units import FoundUnits
from ncpgui.sorting.pipeline import find_units
from ncpgui.sorting.second_cells import (
    LEAST_P,
    NATS,
    NATS_A_BIC,
    NATS_A_SHARE,
    NATS_A_TIME,
    quantities,
)

SEED = 7100
PENALTY = 3.0
"""Inverse strength of the penalty on weights of quantities as they are given to the fit."""
SCALE = np.array([40.0, 1.0, 0.1])
UNKNOWN = 0.3
"""Units with a larger part of spikes of other cells, or of none, are left out."""


@dataclass(frozen=True)
class Row:
    """A unit. recording : it is of; quantities : (3,); is_two : whether it is of two cells."""

    recording: str
    quantities: NDArray[np.float64]
    is_two: bool


def rows_of(name: str, units: FoundUnits, sampled: Draws, truth: NDArray[np.bool_]) -> Iterator[Row]:
    """Units of components; truth : (n, n_cells) whether each spike is one of each cell."""
    for component, kept in sampled.values():
        unit = units.unit[component.spike_ids]
        white = in_white_noise(kept.waveforms)
        for one in np.unique(unit[unit >= 0]).tolist():
            points = np.flatnonzero(unit[component.sampled] == one)
            ids = component.spike_ids[component.sampled[points]]
            times = hidden_train_nats(
                units.matched.fired[component.spike_ids[unit == one]], units.sampling_frequency_hz
            )
            found = quantities(white[points], times)
            counts = np.sort(truth[ids].sum(axis=0))[::-1]
            known = int(counts[:2].sum())
            if found is not None and abs(1 - known / len(ids)) < UNKNOWN:
                yield Row(name, found[0], bool(counts[1] >= LEAST_SHARE * known))


def of_twins(n: int, seed: int) -> Iterator[Row]:
    """Units of recordings of twins on each probe."""
    for number in range(n):
        for probe in PROBES:
            recording, cells, _ = made(probe, stream_seed(seed, "recording", number))
            with closing(find_units(recording_of(recording), SortingConfig())) as found:
                sampled, _ = sample_components(found, found.draws)
                truth, _ = spikes_of_cells(found.units.matched.sample_index, cells)
                yield from rows_of(f"twins, {probe}, {number}", found.units, sampled, truth)


def fitted(x: NDArray[np.float64], y: NDArray[np.bool_]) -> LogisticRegression:
    """Weights of the quantities."""
    return LogisticRegression(C=PENALTY, max_iter=1000).fit(x / SCALE, y)


def main() -> None:
    """Print the tables and keep them."""
    parser = options(__doc__)
    add_recordings(parser)
    parser.add_argument("--twins", type=int, default=4, help="recordings of twins on each probe  [4]")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of these  [{SEED}]")
    arguments = parser.parse_args()
    device = begin(arguments)
    arguments.development = True
    rows: list[Row] = list(of_twins(1 if arguments.quick else arguments.twins, arguments.seed))
    for name, truth in asked_recordings(arguments).items():
        recording = sampled_recording(name, truth, arguments.cache, by_any_source=True)
        for kind, some in (("", recording.whole), (", merged", recording.planted)):
            rows += rows_of(name + kind, some.units, some.sampled, recording.truth)
    x, y = np.stack([row.quantities for row in rows]), np.array([row.is_two for row in rows])
    of = np.array([row.recording.removesuffix(", merged") for row in rows])
    p = np.zeros(len(rows))
    for name in np.unique(of):
        here = of == name
        p[here] = fitted(x[~here], y[~here]).predict_proba(x[here] / SCALE)[:, 1]
    model = fitted(x, y)
    weights = model.coef_[0] / SCALE
    shown = [
        {"weight of": "nothing", "fitted": float(model.intercept_[0]), "in use": NATS},
        *(
            {"weight of": name, "fitted": float(weight), "in use": used}
            for name, weight, used in zip(
                ("BIC", "times, nats", "share"),
                weights,
                (NATS_A_BIC, NATS_A_TIME, NATS_A_SHARE),
                strict=True,
            )
        ),
    ]
    asked = p >= LEAST_P
    said = {
        "units": len(rows),
        "of two cells": int(y.sum()),
        "asked about": int(asked.sum()),
        "of these of two": int(y[asked].sum()),
        "ECE": calibration_error(p, y, n_bins=10),
    }
    bins = reliability(p, y)
    page = f"""
# Do units hide a second cell?

Units of {len(np.unique(of))} recordings as matching finds them; of two cells where {LEAST_SHARE:.0%} of the
spikes or more
are of a second one. Probabilities are of recordings that were left out of the fit. Asked about: P of
{LEAST_P:g} and more.

{table([said])}

{table(bins)}

{table(shown)}
"""
    print(page)
    origin = Origin(arguments.seed, SortingConfig().posterior_samples, models={"spikes": "spikes"})
    keep(
        "second_cells",
        {"rows": [said], "bins": bins, "weights": shown},
        page=f"{page}\n{where(device)}\n",
        origin=origin,
        folder=arguments.out,
    )


if __name__ == "__main__":
    main()
