"""``ncpgui report``: what a session says, as one page for a browser."""

from __future__ import annotations

from pathlib import Path

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import progress_report, tell
from ncpgui.core.counted import count


@command(
    short_help="Write a session as one page: units, findings with intervals, decisions.",
    epilog=examples(
        "ncpgui report session.h5",
        "ncpgui report session.h5 --out report.html --draws 200",
    ),
)
@options.session
@click.option(
    "--out",
    type=options.PATH,
    metavar="FILE.html",
    show_default="SESSION_report.html, beside the session",
    help="Page to write.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    default=50,
    show_default=True,
    metavar="N",
    help="Sortings drawn for the intervals of findings.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE.html if it is there.")
@options.seed
def report(session: Path, out: Path | None, draws: int, overwrite: bool, seed: int) -> None:
    """Write what SESSION.h5 holds as one page that any browser shows and prints, without a network.

    It has the probe, the units with waveforms, correlograms and probabilities, findings with their
    intervals, the alternatives that are still open, the decisions that were made, settings and versions.
    Findings are firing rates, and receptive fields if white noise was shown.
    """
    from ncpgui.app.report.contents import report_of
    from ncpgui.app.report.page import write_report
    from ncpgui.session.decided import read_decided

    if out is None:
        out = session.parent / f"{session.name.split('.')[0]}_report.html"
    options.check_output_place(out)
    options.check_output_file(out, session)
    options.check_free(out, overwrite=overwrite)
    decided = read_decided(session)
    with progress_report("report") as progress:
        told = report_of(decided, name=session.name, n_draws=draws, seed=seed, progress=progress)
        write_report(told, out, replace=overwrite)
    size = out.stat().st_size / 1e6
    tell(
        f"wrote {out}: {count(len(told.units), 'unit')}, {count(len(told.questions), 'open question')}, "
        f"{size:.1f} MB"
    )
