"""``ncpgui export``: a session in, spike trains for other tools out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import progress_report, tell
from ncpgui.core.counted import count

if TYPE_CHECKING:
    from ncpgui.export.whole_project import Exported

FORMATS = ("phy", "spikeinterface", "nwb", "mat", "npz", "csv")


@command(
    short_help="Write the units of a session for other tools.",
    epilog=examples(
        "ncpgui export session.h5 --format phy",
        "ncpgui export session.h5 --format nwb --out units.nwb --min-probability 0.9",
    ),
)
@options.session
@click.option(
    "--format",
    "format_",
    type=options.Choice(FORMATS),
    required=True,
    help="The program or format to write for.",
)
@click.option(
    "--out",
    type=options.PATH,
    metavar="PATH",
    show_default="SESSION_phy, SESSION.nwb and so on, beside the session",
    help="Folder (phy, spikeinterface) or file to write.",
)
@click.option(
    "--min-probability",
    type=options.Between(0, 1),
    default=0.0,
    show_default=True,
    metavar="P",
    help="Leave out spikes that belong to their unit with a lower probability.",
)
@click.option(
    "--copy-traces",
    is_flag=True,
    help="phy: copy the traces into the folder (recording.dat), so that phy shows them wherever it is.",
)
@click.option("--overwrite", is_flag=True, help="Replace PATH if it is a file.")
def export(
    session: Path, format_: str, out: Path | None, min_probability: float, copy_traces: bool, overwrite: bool
) -> None:
    """Write the units of SESSION.h5, as curated, for other tools.

    phy and spikeinterface make a folder. An older export there is replaced, unless somebody changed it
    since. Phy shows the traces of one raw binary file; for other recordings, use --copy-traces. nwb makes an
    NWB file (it needs the extra 'nwb'), mat a file for MATLAB, and npz a file with everything, posterior
    samples included. csv makes a table of spikes and, beside it, PATH_units.csv. Waveforms that are not in
    the cache beside the session are read from the recording. If they cannot be read, the export is written
    without them, and the command says so.
    """
    from ncpgui.export import registry

    if out is None:
        out = registry.default_place(session, format_)
    options.check_output_place(out)
    options.check_free(*registry.export_format(format_).in_the_way(out), overwrite=overwrite)
    exported = _export_session(session, format_, out, min_probability, copy_traces, overwrite)
    spikes, units = count(exported.n_spikes, "spike"), count(exported.n_units, "unit")
    tell(f"wrote {exported.path}: {spikes} of {units}")
    for part in exported.left_out:
        tell(f"left out: {part}")


def _export_session(
    session: Path, format_: str, out: Path, min_probability: float, copy_traces: bool, overwrite: bool
) -> Exported:
    """Export the sorting of a session after every action of its history and journal."""
    from ncpgui.export.whole_project import export_project
    from ncpgui.session.decided import read_decided

    opened = read_decided(session)
    with progress_report("export") as progress:
        return export_project(
            opened.as_it_stands,
            opened.decisions,
            format_,
            out,
            min_probability=min_probability,
            copy_traces=copy_traces,
            replace_files=overwrite,
            progress=progress,
        )
