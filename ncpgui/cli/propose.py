"""``ncpgui propose``: the questions of a review as propositions that phy shows."""

from __future__ import annotations

from pathlib import Path

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import tell
from ncpgui.core.counted import count


@command(
    short_help="Write the questions of a review as propositions for phy.",
    epilog=examples("ncpgui review kilosort_output --out review.h5", "ncpgui propose review.h5"),
)
@options.session
@click.option(
    "--out",
    type=options.PATH,
    metavar="FILE",
    show_default="curation.json in the folder that is reviewed",
    help="File to write.",
)
def propose(session: Path, out: Path | None) -> None:
    """Write the merges that SESSION.h5 asks about as propositions, where phy 2.2 looks for them.

    Each proposition has the units that may be one neuron, and the probability. The file is a curation of
    SpikeInterface (format 2). A file that another program wrote is not replaced. 'ncpgui read-back' reads
    what was decided in phy.
    """
    from ncpgui.export.propositions import write_propositions
    from ncpgui.session.decided import read_decided

    place, n = write_propositions(read_decided(session, waveforms=False).as_it_stands, out)
    tell(f"wrote {count(n, 'proposition')} to {place}")
