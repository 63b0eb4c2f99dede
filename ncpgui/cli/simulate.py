"""``ncpgui simulate``: recordings with known spikes."""

from __future__ import annotations

from pathlib import Path

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import progress_report, tell
from ncpgui.core.counted import count


@command(
    short_help="Simulate a recording on an electrode array, with its true spikes.",
    epilog=examples(
        "ncpgui simulate --out simulated --duration 60 --probe tetrode --cells 3",
    ),
)
@click.option("--out", type=options.PATH, required=True, metavar="DIR", help="Folder to write.")
@click.option(
    "--duration",
    type=options.Between(min=0, min_open=True),
    metavar="S",
    show_default="100",
    help="Seconds.",
)
@click.option("--probe", metavar="NAME|FILE", show_default="hex49", help="Array, by name or probe file.")
@click.option(
    "--cells",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="two for three contacts",
    help="Number of cells.",
)
@click.option(
    "--rate",
    type=options.Between(min=0, min_open=True),
    metavar="HZ",
    show_default="9",
    help="Mean firing rate.",
)
@click.option("--settings", type=options.PATH, metavar="FILE.toml", help="Every setting of the simulation.")
@click.option("--overwrite", is_flag=True, help="Replace DIR if it holds a simulation.")
@options.seed
def simulate(
    out: Path,
    duration: float | None,
    probe: str | None,
    cells: int | None,
    rate: float | None,
    settings: Path | None,
    overwrite: bool,
    seed: int,
) -> None:
    """Simulate retina-like cells under white noise on an electrode array, with their true spikes.

    DIR opens with 'ncpgui sort' and in the application; truth.npz in it holds the spikes.
    """
    options.check_new_folder(out, overwrite, ours="recording.json")

    from ncpgui.ephys.simulation import RetinaSettings, simulate_to_folder

    given = {"duration_s": duration, "probe": probe, "n_cells": cells, "mean_rate_hz": rate}
    chosen = options.read_settings(RetinaSettings, settings, given)
    with progress_report("simulate") as progress:
        made = simulate_to_folder(chosen, out, seed=seed, progress=progress)
    tell(
        f"{count(len(made.truth.unit_ids), 'cell')}, {count(len(made.truth), 'spike')}, "
        f"{count(made.recording.n_channels, 'channel')}, {made.settings.duration_s:g} s; wrote {out}"
    )
