"""Units found in coloured noise and, of the same cells, in white noise: rows, sums, and the loop over both.

What `mearec.py` and `coloured_probes.py` have in common: their recordings are of other generators.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchmarks.common.report import Origin, add_keep_others, begin, keep_rows, options, table, where
from benchmarks.recordings.coloured_noise import LONG
from benchmarks.recordings.peers import add_sorters
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

Row = dict[str, Any]
NOISES = {"coloured": True, "white": False}


def pair_options(description: str | None, names: Iterable[str], seconds: float) -> argparse.ArgumentParser:
    """Options that choose recordings, kinds of noise and sorters; names : of the recordings."""
    parser = options(description)
    add_sorters(parser)
    parser.add_argument("--probes", nargs="+", choices=names, default=list(names))
    parser.add_argument("--noises", nargs="+", choices=NOISES, default=list(NOISES))
    parser.add_argument("--seconds", type=float, default=seconds, help=f"[{seconds:g}]")
    add_keep_others(parser)
    return parser


def run_pairs(
    name: str,
    probes: Iterable[str],
    row_of: Callable[[str, str, str], Row],
    page_of: Callable[[list[Row]], str],
    arguments: argparse.Namespace,
    *,
    seed: int,
) -> None:
    """Print the table of a benchmark and keep it, each row as soon as it is made.

    row_of : of a probe, a kind of noise and a sorter
    """
    device = begin(arguments)
    made: list[Row] = []
    origin = Origin(seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    how: dict[str, Any] = {"origin": origin, "place": where(device), "arguments": arguments}
    kept = partial(keep_rows, name, made, ("probe", "noise", "sorter"), page_of, **how)
    for probe in probes:
        for noise in arguments.noises:
            for sorter in arguments.sorters:
                made.append(row_of(probe, noise, sorter))
                print({key: value for key, value in made[-1].items() if key not in LONG[:2]}, flush=True)
                kept()
    print(kept())


def sums(rows: list[Row]) -> list[Row]:
    """Sums of each sorter in each kind of noise."""
    likely = ("false, P(neuron) >= 0.5", "extra, P(neuron) >= 0.5")
    totals = ("cells", "found", "units", "false", *likely, "CPU s")
    some: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        some.setdefault((row["sorter"], row["noise"]), []).append(row)
    return [
        {
            "sorter": sorter,
            "noise": noise,
            "recordings": len(of_both),
            **{key: sum(row[key] for row in of_both) for key in totals},
        }
        for (sorter, noise), of_both in some.items()
    ]


def tables(rows: list[Row]) -> str:
    """What the counts are, their sums, and the table of all recordings."""
    shown = [{key: value for key, value in row.items() if key not in LONG} for row in rows]
    return f"""Found: true cells that a unit agrees with by 0.8. False: units that are no cell's.
Extra: units of cells that are no true cell's match. Other sorters say no P(neuron): none of their units
counts there.

{table(sums(rows))}

## Each recording

{table(shown)}
"""
