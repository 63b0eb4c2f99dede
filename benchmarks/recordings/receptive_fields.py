"""Clear receptive fields that each sorter finds on a simulated retina, and which of them the others find too.

    python -m benchmarks.recordings.receptive_fields [--development] [--sorters NAME ...] [--cache DIR]

The paper (SM E) counts units with a clear receptive field on 49 channels of a retina that saw white noise:
103 of its own, 72 of Kilosort, 48 and 17 of them found by that one alone. Here the retina is simulated
(`ncpgui.ephys.retina`), so that the true fields are known too: a clear field is right where the field of the
true spikes of a cell is at its place with its time course (`field_matching`). A split cell counts once.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import probeinterface

from benchmarks.common.kept import made_once
from benchmarks.common.report import Origin, begin, keep, keep_picture, options, picture_link, table, where
from benchmarks.recordings.field_matching import Field, clear_fields, distinct, matches
from benchmarks.recordings.peers import add_sorters, asked_of, parsed
from benchmarks.recordings.sorted_apart import OnDisk, sorted_apart
from ncpgui.core.config import to_dict
from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.simulation import RetinaSettings, simulate_to_folder
from ncpgui.sorting.first_pass import PROPOSING_DRAWS

SETTINGS = RetinaSettings(duration_s=240.0, n_cells=60, amplitude_median_sd=6.0, min_amplitude_sd=2.5)
"""Many cells are small: of large ones every sorter finds all."""
QUICK = RetinaSettings(duration_s=60.0, probe="tetrode", n_cells=3, n_twins=0, min_amplitude_sd=8.0)
SEED, DEVELOPMENT_SEED = 1, 101
PAPER = {"ours": 103, "ours alone": 48, "theirs": 72, "theirs alone": 17}


def made(settings: RetinaSettings, seed: int, cache: Path) -> tuple[OnDisk, Stimulus, list[Field]]:
    """Return the recording, its stimulus and the true cells' clear fields, from `cache` if it is there."""
    about = {"retina": to_dict(settings), "seed": seed}
    place = cache / f"retina-{settings.probe}-{seed}"

    def make() -> None:
        shutil.rmtree(place, ignore_errors=True)
        simulate_to_folder(settings, place, seed=seed)

    made_once(place.with_suffix(".json"), about, make)
    probe = probeinterface.read_probeinterface(place / simulated_folder.PROBE).probes[0]
    recording = OnDisk(
        place / simulated_folder.TRACES, settings.sampling_frequency_hz, settings.gain_uv, probe, about
    )
    stimulus = simulated_folder.load_stimulus(place)
    truth, _ = simulated_folder.read_truth(place)
    assert stimulus is not None
    return recording, stimulus, clear_fields(stimulus, truth.sample_index, truth.unit_id)


def compared(ours: list[Field], theirs: list[Field]) -> dict[str, int]:
    """Count fields: of both, and of each alone."""
    both = len(matches(ours, theirs))
    return {"both": both, "ours alone": len(ours) - both, "theirs alone": len(theirs) - both}


def main() -> int:
    """Print the tables, keep them, and draw the figure."""
    parser = options(__doc__)
    add_sorters(parser)
    arguments = parsed(parser)
    device = begin(arguments)
    settings, seed = SETTINGS, DEVELOPMENT_SEED if arguments.development else SEED
    if arguments.quick:
        settings, seed = QUICK, 901
    recording, stimulus, true = made(settings, seed, arguments.cache)
    fields: dict[str, list[Field]] = {}
    rows: list[dict[str, Any]] = []
    for sorter in arguments.sorters:
        called, given = asked_of(sorter)
        found = sorted_apart(called, recording, arguments.cache / "found", given)
        clear = clear_fields(stimulus, found.sample_index, found.unit)
        fields[sorter] = distinct(clear)
        row = {
            "sorter": sorter,
            "units": found.n_units,
            "with a clear field": len(clear),
            "distinct": len(fields[sorter]),
            "of true cells": len(matches(fields[sorter], true)),
            "CPU s": round(found.cpu_s),
            "failure": found.failure or "",
        }
        rows.append(row)
        print(table([row]), flush=True)
    first = arguments.sorters[0]
    pairs = [{"sorter": name, **compared(fields[first], fields[name])} for name in arguments.sorters[1:]]
    name = "receptive_fields_development" if arguments.development else "receptive_fields"
    page = _page(rows, pairs, settings, len(true), first, picture=picture_link(name, arguments.out))
    page += f"\n{where(device)}\n"
    origin = Origin(seed, PROPOSING_DRAWS, {"spikes": "spikes"})
    content = {"cells": settings.n_cells, "true fields": len(true), "rows": rows, "pairs": pairs}
    keep(name, content, page=page, origin=origin, folder=arguments.out)
    if arguments.out is not None:
        from benchmarks.figures import fields_found  # the extra 'figures' is wanted for the picture only

        keep_picture(name, lambda: fields_found.draw(fields, first, PAPER), origin, arguments.out)
    return 0


def _page(
    rows: list[dict[str, Any]],
    pairs: list[dict[str, Any]],
    settings: RetinaSettings,
    n_true: int,
    first: str,
    *,
    picture: str,
) -> str:
    told = {key: value for key, value in asdict(settings).items() if value is not None}
    return f"""
# Receptive fields found by each sorter

A simulated retina: {told["n_cells"]} cells on `{told["probe"]}`, {told["duration_s"]:g} s of white noise,
median trough {told["amplitude_median_sd"]:g} noise sd. {n_true} of the cells have a clear field, measured
from their true spikes. Clear: three or more touching pixels of one sign reach 5 sd of the noise of the mean.
Two fields are of one cell where their centres and their time courses agree. Distinct: a cell that was split
counts once. Of true cells: matched with the field of a cell's true spikes.

{table(rows)}

Fields that {first} and another sorter found both, and that one of them found alone:

{table(pairs)}

![Venn diagrams of the fields, and the fields]({picture})

The paper counts 103 clear fields of its own and 72 of Kilosort on 20 minutes of a real retina, 48 and 17 of
them found by one alone.
"""


if __name__ == "__main__":
    sys.exit(main())
