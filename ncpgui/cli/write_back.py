"""``ncpgui write-back``: what was decided in a review, written into the folder that it reviews."""

from __future__ import annotations

from pathlib import Path

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import tell


@command(
    "write-back",
    short_help="Write the decisions of a review into the folder that it reviews.",
    epilog=examples("ncpgui review kilosort_output --out review.h5", "ncpgui write-back review.h5"),
)
@options.session
def write_back(session: Path) -> None:
    """Write what was decided in SESSION.h5 into the folder that it reviews.

    In a folder of Phy or Kilosort, spike_clusters.npy and the tables of clusters are replaced; the old files
    are kept in before-ncpgui inside. For SpikeInterface and NWB, a curation JSON is written. Nothing is
    written into a folder whose spikes or clusters somebody changed since the review.
    """
    from ncpgui.export.phy_back import write_back as written
    from ncpgui.session.decided import read_decided

    opened = read_decided(session, waveforms=False)
    tell(written(opened.project, opened.decisions).words)
