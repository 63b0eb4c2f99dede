"""``ncpgui sort``: a recording in, a session with the posterior of every channel group out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ncpgui.cli import options
from ncpgui.cli.terminal import progress_report
from ncpgui.core.errors import InputError

if TYPE_CHECKING:
    from ncpgui.core.project import Project


@click.command()
@click.argument("recording", type=options.PATH)
@click.option("--out", type=options.PATH, required=True, metavar="SESSION.h5", help="Session to write.")
@click.option(
    "--probe", metavar="FILE|NAME", help="Probe file, or a name such as tetrode, hex49, linear-16-25."
)
@click.option("--sampling-frequency", type=float, metavar="HZ", help="Of a raw binary file.")
@click.option("--n-channels", type=int, metavar="N", help="Of a raw binary file.")
@click.option("--dtype", metavar="T", help="Of a raw binary file  [int16].")
@click.option(
    "--stimulus", type=options.PATH, metavar="FILE.npz", help="White noise: frames and trigger_sample."
)
@click.option("--settings", type=options.PATH, metavar="FILE.toml", help="Settings, see docs/parameters.md.")
@options.model
@options.device
@click.option("--seed", type=int, default=None, help="Same seed, same result  [0].")
@click.option("--overwrite", is_flag=True, help="Replace SESSION.h5 if it is there.")
def sort(
    recording: Path,
    out: Path,
    probe: str | None,
    sampling_frequency: float | None,
    n_channels: int | None,
    dtype: str | None,
    stimulus: Path | None,
    settings: Path | None,
    model: str | None,
    device: str,
    seed: int | None,
    overwrite: bool,
) -> None:
    """Sort RECORDING: a raw binary file, a simulated folder, or what SpikeInterface reads.

    The session opens in the application ('ncpgui SESSION.h5') and in 'ncpgui export'.
    """
    options.check_new_file(out, overwrite)

    from ncpgui.core.config import from_dict, read_toml
    from ncpgui.ephys.readers import load_stimulus, open_recording
    from ncpgui.session import store
    from ncpgui.sorting.config import SortingConfig
    from ncpgui.sorting.pipeline import sort_recording

    values = read_toml(settings) if settings is not None else {}
    given = {"model": model, "device": None if device == "auto" else device, "seed": seed}
    values |= {name: value for name, value in given.items() if value is not None}
    config = from_dict(SortingConfig, values)
    if stimulus is not None and not stimulus.is_file():
        raise InputError(f"stimulus {stimulus} does not exist; give an .npz with frames and trigger_sample")
    opened = open_recording(
        recording, probe=probe, sampling_frequency=sampling_frequency, n_channels=n_channels, dtype=dtype
    )
    shown = load_stimulus(stimulus or recording)
    with progress_report("sort") as progress:
        project = sort_recording(opened, config, stimulus=shown, progress=progress)
    store.save(project, out)
    click.echo(summary(project), err=True)
    for channel, reason in project.failed.items():
        click.echo(f"warning: channel {channel} was not sorted: {reason}", err=True)
    click.echo(f"wrote {out}; open it with 'ncpgui {out}'", err=True)


def summary(project: Project) -> str:
    """One line about a sorted project."""
    import numpy as np

    units = np.unique(project.unit_of_spike[project.unit_of_spike >= 0])
    ambiguous = sum(group.alternatives[0].mass < 0.9 for group in project.groups)
    return (
        f"{len(project.spikes)} spikes on {len(project.groups)} channels, {len(units)} units; "
        f"{ambiguous} channels have more than one likely sorting"
    )
