"""``ncpgui write-back``: what was decided in a review, written into the folder that it reviews."""

from __future__ import annotations

from pathlib import Path

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import echo


@command(
    "write-back",
    short_help="Write the decisions of a review into the folder that it reviews.",
    epilog=examples("ncpgui review kilosort_output --out review.h5", "ncpgui write-back review.h5"),
)
@click.argument("session", type=options.PATH, metavar="SESSION.h5")
def write_back(session: Path) -> None:
    """Write what was decided in SESSION.h5 into the folder that it reviews.

    In a folder of Phy or Kilosort these are spike_clusters.npy and the tables of clusters; the files that are
    replaced are kept in its folder before-ncpgui. For SpikeInterface and NWB it is a curation JSON. A folder
    that somebody changed since it was reviewed is left alone.
    """
    from ncpgui.export.phy_back import write_back as written
    from ncpgui.session.decided import read_decided

    opened = read_decided(session, waveforms=False)
    echo(written(opened.project, opened.decisions).words, err=True)
