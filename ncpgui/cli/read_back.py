"""``ncpgui read-back``: what was decided in phy or in SpikeInterface, taken over into the session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import notes, tell
from ncpgui.core.counted import count


@command(
    "read-back",
    short_help="Take over what was decided in phy or SpikeInterface.",
    epilog=examples("ncpgui read-back review.h5", "ncpgui read-back review.h5 curation.json"),
)
@options.session
@click.argument("file", type=options.PATH, metavar="[CURATION.json]", required=False)
def read_back(session: Path, file: Path | None) -> None:
    """Take over into SESSION.h5 what was decided elsewhere about the units that it reviews.

    From a folder of Phy or Kilosort, the command takes the clusters and labels as they are now, and the
    propositions ('ncpgui propose') that were accepted or rejected. From an analyzer, it takes the curation
    that spikeinterface-gui saved. CURATION.json is any curation of SpikeInterface (format 1 or 2, or a list
    of steps) of the same units. Each change becomes an edit in the history of the session, which can be
    undone. A change is refused if the same unit was changed here in another way.
    """
    from ncpgui.export.read_back import decided_elsewhere
    from ncpgui.export.read_back import read_back as taken
    from ncpgui.session.decided import decided
    from ncpgui.session.session_file import open_session

    with open_session(session, waveforms=False) as opened:
        found = decided(opened.project, opened.journal_entries)
        elsewhere = decided_elsewhere(opened.project, file)
        notes(*elsewhere.notes)
        done = taken(opened.project, found.history, elsewhere)
        if done:
            n_before = len(opened.project.history) + len(opened.journal_entries)
            history = (*opened.project.history, *opened.journal_entries, *found.history.entries[n_before:])
            opened.save(replace(opened.project, history=history))
    tell(f"{count(len(done), 'edit')} taken over from {elsewhere.source}")
    for words in done:
        tell(f"  {words}")
