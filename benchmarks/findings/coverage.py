"""Do intervals of findings cover the truth? Recordings of cells whose tuning and fields are known.

    python -m benchmarks.findings.coverage [--recordings 20] [--seed 7500 7600] [--draws 100] [--cache FOLDER]

Each finding is asked of draws of the whole sorting (`ncpgui.propagate`), and of the one sorting in use by
bootstrap alone. Both have intervals of 90 %; the truth is that of the true cell with which the unit in use
agrees most, by half at least. Decoding of the orientation of a trial: the mean over draws of what each tells
(soft), the sorting in use (hard), and crossings of a threshold, channel by channel.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.report import Origin, begin, keep, options, table
from benchmarks.findings.known_findings import (
    N_ORIENTATIONS,
    TRIAL_S,
    KnownFindings,
    add_recordings,
    chosen_recordings,
    tuned_rate_hz,
)
from ncpgui.analysis.comparison import compare
from ncpgui.core.seeds import stream
from ncpgui.core.spikes import Sorting
from ncpgui.engine import default_model
from ncpgui.ephys import retina
from ncpgui.ephys.simulated_cells import in_sorting_band
from ncpgui.ephys.simulated_traces import simulated_pieces
from ncpgui.findings.analyses import Rates, ReceptiveFields, Tuning
from ncpgui.findings.draws import Draws, draws
from ncpgui.findings.finding import Finding
from ncpgui.findings.population import Decoding
from ncpgui.findings.propagate import propagate

Floats = NDArray[np.float64]
LEVEL = 0.9
AGREES = 0.5
BOOTSTRAPS, FIELD_BOOTSTRAPS = 100, 40
N_FRAMES = 120_000
"""Of the stimulus that says how often a cell of the retina fires on average."""
SNR_EDGES = (0.0, 6.0, 8.0, 12.0, np.inf)
THRESHOLD_SD, DEAD_MS = 4.5, 1.0
QUANTITIES = ("rate", "field centre", "preferred orientation", "tuning width")


def truths(known: KnownFindings) -> dict[str, Floats]:
    """What is true of each cell: (n_cells,) by the names of results."""
    return _of_retina(known) if known.kind == "retina" else _of_tuning(known)


def _of_retina(known: KnownFindings) -> dict[str, Floats]:
    plan, rng = known.plan, stream(known.seed, "long stimulus")
    fields, courses = plan.receptive_fields, plan.cells["time_course"]
    drive = np.concatenate(
        [
            (rng.integers(0, 2, (12_000, fields[0].size), dtype=np.int8) * 2.0 - 1)
            @ fields.reshape(len(fields), -1).T
            for _ in range(N_FRAMES // 12_000)
        ]
    )
    gain, rates = plan.settings.response_gain, []
    for cell, mean_hz in enumerate(plan.cells["rate_hz"]):
        filtered = np.convolve(drive[:, cell], courses[cell])[: len(drive)]
        rates.append(np.minimum(mean_hz * np.exp(gain * filtered - 0.5 * gain**2), retina.MAX_RATE_HZ))
    centre = plan.cells["field_centre_px"]
    return {
        "rate_hz": np.array([with_dead_time(one).mean() for one in rates]),
        "x_px": centre[:, 0],
        "y_px": centre[:, 1],
    }


def _of_tuning(known: KnownFindings) -> dict[str, Floats]:
    n_cells = len(known.plan.cells["unit_id"])
    shown = known.tuning["orientation_rad"]
    fine = np.linspace(0, np.pi / 2, 20_000)
    means, widths = [], []
    for cell in range(n_cells):
        means.append(with_dead_time(tuned_rate_hz(shown, known.tuning, cell)).mean())
        away = with_dead_time(tuned_rate_hz(known.tuning["preferred_rad"][cell] + fine, known.tuning, cell))
        base = with_dead_time(np.array([known.tuning["base_hz"][cell]]))[0]
        widths.append(np.degrees(fine[(away - base > (away[0] - base) / 2).sum() - 1]))
    return {
        "mean_hz": np.array(means),
        "peak": np.degrees(known.tuning["preferred_rad"]),
        "width": np.array(widths),
    }


def with_dead_time(rate_hz: Floats) -> Floats:
    """Rate of spikes that keep the dead time of the simulation."""
    return np.asarray(rate_hz / (1 + rate_hz * retina.REFRACTORY_MS / 1000))


QUANTITY_OF = {
    **dict.fromkeys(("rate_hz", "mean_hz"), "rate"),
    **dict.fromkeys(("x_px", "y_px"), "field centre"),
    "peak": "preferred orientation",
    "width": "tuning width",
}
"""Results that are looked at, and the row of the table that each belongs to."""


def covers(one: Finding, truth: float, period: float | None) -> bool:
    """Whether an interval has the truth in it."""
    turns = truth + (np.zeros(1) if period is None else period * np.arange(-1, 2))
    return bool(((float(one.low) <= turns) & (turns <= float(one.high))).any())


def analyses(known: KnownFindings) -> list[Any]:
    """What is asked of a recording."""
    if known.kind == "retina":
        return [Rates(), ReceptiveFields(known.plan.stimulus)]
    return [tuning_of(known)]


def tuning_of(known: KnownFindings) -> Tuning:
    """Tuning to orientation, in degrees."""
    starts = known.tuning["trial_start"] / known.truth.sampling_frequency_hz
    return Tuning(starts, TRIAL_S, np.degrees(known.tuning["orientation_rad"]), 180.0)


def rows_of(known: KnownFindings, made: Draws) -> list[dict[str, Any]]:
    """One row for each finding of each unit that has a true cell."""
    true = truths(known)
    in_use = made.in_use
    single = in_use.select_units(in_use.unit_ids)
    single.set_property("missed_per_found", np.zeros(len(in_use.unit_ids)))
    spikes = made.posterior.project.spikes
    compared = compare(
        Sorting(spikes.sample_index, made.posterior.in_use, spikes.sampling_frequency_hz, spikes.n_samples),
        known.truth,
        window_ms=0.4,
    )
    cell_of = {
        int(unit): (int(cell), float(accuracy))
        for cell, unit, accuracy in zip(
            compared.true_ids, compared.best_match, compared.accuracy, strict=True
        )
        if unit >= 0 and accuracy >= AGREES
    }
    twin_of = known.plan.cells["twin_of"]
    twins = set(np.flatnonzero(twin_of >= 0).tolist()) | set(twin_of[twin_of >= 0].tolist())
    rows = []
    for analysis in analyses(known):
        n_again = FIELD_BOOTSTRAPS if isinstance(analysis, ReceptiveFields) else BOOTSTRAPS
        soft = propagate(made, analysis, level=LEVEL, bootstraps=n_again)
        hard = propagate([single], analysis, level=LEVEL, bootstraps=n_again)
        for (unit, name), one in soft.items():
            if name not in true or unit not in cell_of or (unit, name) not in hard:
                continue
            cell, agreement = cell_of[unit]
            truth, period = float(true[name][cell]), analysis.periods.get(name)
            other = hard[unit, name]
            if not np.isfinite([one.low, one.high, other.low, other.high]).all():
                continue
            rows.append(
                {
                    "recording": known.name,
                    "unit": int(unit),
                    "quantity": QUANTITY_OF[name],
                    "name": name,
                    "snr": float(known.plan.cells["amplitude_sd"][cell]),
                    "is_twin": cell in twins,
                    "agreement": agreement,
                    "p_there": one.p_there,
                    "truth": truth,
                    "mean": float(one.mean),
                    "low": float(one.low),
                    "high": float(one.high),
                    "from_sorting": float(one.from_sorting),
                    "covers": covers(one, truth, period),
                    "low of one sorting": float(other.low),
                    "high of one sorting": float(other.high),
                    "one sorting covers": covers(other, truth, period),
                }
            )
    return rows


def decoded(known: KnownFindings, made: Draws) -> dict[str, Any]:
    """Share of trials whose orientation is told: by draws, by the sorting in use, by crossings."""
    n = len(known.tuning["orientation_rad"]) // N_ORIENTATIONS * N_ORIENTATIONS
    starts = known.tuning["trial_start"][:n] / known.truth.sampling_frequency_hz
    of_trial = np.round(known.tuning["orientation_rad"][:n] * N_ORIENTATIONS / np.pi).astype(int)
    decoding = Decoding(starts, TRIAL_S, of_trial, n_folds=min(5, n // N_ORIENTATIONS))
    told = {
        "soft": np.mean([decoding.probabilities(decoding.counts(one)) for one in made[:20]], axis=0),
        "hard": decoding.probabilities(decoding.counts(made.in_use)),
        "crossings": decoding.probabilities(crossings(known, starts)),
    }
    return {
        "recording": known.name,
        **{name: float((p.argmax(axis=1) == of_trial).mean()) for name, p in told.items()},
        **{
            f"{name} nats": float(-np.log(np.maximum(p[np.arange(n), of_trial], 1e-6)).mean())
            for name, p in told.items()
        },
    }


def crossings(known: KnownFindings, starts_s: Floats) -> Floats:
    """Crossings of a threshold in each trial: (n_trials, n_channels)."""
    rate = known.truth.sampling_frequency_hz
    traces = np.concatenate(list(simulated_pieces(known.plan))).astype(np.float32)
    dead = round(DEAD_MS * rate / 1000)
    columns = []
    for channel in traces.T:
        filtered = in_sorting_band(channel[:, None], rate)[:, 0]
        below = filtered < -THRESHOLD_SD * np.median(np.abs(filtered)) / 0.6745
        begins = np.flatnonzero(below[1:] & ~below[:-1])
        kept = begins[np.diff(begins, prepend=-dead) >= dead]
        ends = np.searchsorted(kept / rate, [starts_s, starts_s + TRIAL_S])
        columns.append(ends[1] - ends[0])
    return np.array(columns, dtype=np.float64).T


def shares(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Table: how often intervals cover the truth, by quantity, and by SNR of the cell."""
    kept = list(rows)
    bins = list(pairwise(SNR_EDGES))
    found = []
    for quantity in QUANTITIES:
        of_it = [row for row in kept if row["quantity"] == quantity]
        groups = {"all": of_it, "twins": [row for row in of_it if row["is_twin"]]}
        for low, high in bins:
            words = f"SNR {low:g} to {high:g}" if np.isfinite(high) else f"SNR from {low:g}"
            groups[words] = [row for row in of_it if low <= row["snr"] < high]
        for name, some in groups.items():
            if some:
                n = len(some)
                cover = float(np.mean([row["covers"] for row in some]))
                found.append(
                    {
                        "finding": quantity,
                        "units": name,
                        "n": n,
                        "draws cover": cover,
                        "one sorting covers": float(np.mean([row["one sorting covers"] for row in some])),
                        "error": float(np.sqrt(max(cover * (1 - cover), 0.01) / n)),
                        "width over that of one sorting": float(
                            np.median(
                                [
                                    (row["high"] - row["low"])
                                    / max(row["high of one sorting"] - row["low of one sorting"], 1e-9)
                                    for row in some
                                ]
                            )
                        ),
                    }
                )
    return found


def page(
    covered: list[dict[str, Any]], decoding: list[dict[str, Any]], n_recordings: int, n_draws: int
) -> str:
    """What a person reads."""
    about = f"""# Findings with intervals

Do intervals of 90 % cover the truth? {n_recordings} simulated recordings, half of a retina under white noise
on 19 contacts, half of cells with a preferred orientation on a linear probe of 16 contacts, 16 cells each.
A third of the cells are twins, whose templates differ by 5 to 12 noise sd; half have an SNR under 7. *Draws*
are {n_draws} draws of the whole sorting with bootstrap inside, *one sorting* is bootstrap on the sorting in
use alone. A unit counts if it agrees with a true cell by half at least. *Error* is the standard error.
"""
    decoders = f"""## Decoding

Share of the trials whose orientation is told, of {N_ORIENTATIONS}, and the mean surprise at the true one:
by the mean over 20 draws (soft), by the sorting in use (hard), and by crossings of {THRESHOLD_SD} noise sd on
each channel.
"""
    return "\n".join((about, table(covered), "", decoders, table(decoding)))


def main() -> None:
    """Measure, print and keep."""
    parser = options(__doc__)
    add_recordings(parser, n_draws=100)
    arguments = parser.parse_args()
    begin(arguments)
    rows: list[dict[str, Any]] = []
    told: list[dict[str, Any]] = []
    for number, known in enumerate(chosen_recordings(arguments)):
        made = draws(known.session, arguments.draws, seed=known.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows += rows_of(known, made)
            if known.kind == "tuning":
                told.append(decoded(known, made))
        print(f"{known.name}: {len(rows)} findings", flush=True)
        covered, decoding = shares(rows), decoders(told)
        keep(  # after each recording, so that a run that is stopped has what it found
            "coverage",
            {"coverage": covered, "decoding": decoding, "recordings": told, "rows": rows},
            page=page(covered, decoding, number + 1, arguments.draws),
            origin=Origin(arguments.seed[0], models={"default": default_model()}),
            folder=arguments.out,
        )
    print(table(shares(rows)))
    print(table(decoders(told)))


def decoders(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Table: accuracy of each decoder and its surprise, the means over recordings."""
    return [
        {
            "decoder": name,
            "accuracy": float(np.mean([one[name] for one in told])),
            "nats": float(np.mean([one[f"{name} nats"] for one in told])),
        }
        for name in ("soft", "hard", "crossings")
        if told
    ]


if __name__ == "__main__":
    main()
