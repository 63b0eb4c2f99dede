"""``ncpgui review``: a second opinion on another sorter's units, and decisions written back to it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli import options, resuming
from ncpgui.cli.commands import command, examples
from ncpgui.cli.proposals import proposal_lines
from ncpgui.cli.sort import keep
from ncpgui.cli.sorting_options import SortingOptions, as_one, of_sampling, of_traces
from ncpgui.cli.terminal import notes, progress_report, tell
from ncpgui.core.counted import count
from ncpgui.core.errors import InputError
from ncpgui.core.steps import NOTHING_KEPT

if TYPE_CHECKING:
    from ncpgui.core.project import Project

MAX_WARNINGS = 3


@command(
    short_help="Ask for a second opinion on another sorter's units.",
    epilog=examples(
        "ncpgui review kilosort_output --out review.h5",
        "ncpgui review phy_folder --recording recording.dat --probe probe.json",
    ),
)
@click.argument("folder", type=options.PATH)
@click.option(
    "--out",
    type=options.PATH,
    metavar="SESSION.h5",
    show_default="FOLDER.ncp.h5, beside it; -2 and so on where it exists",
    help="Session to write.",
)
@click.option(
    "--recording",
    type=options.PATH,
    metavar="PATH",
    help="The recording, if FOLDER does not say where it is.",
)
@click.option("--probe", metavar="FILE|NAME", help="Where the contacts are, as for 'ncpgui sort'.")
@options.of_raw("--recording", rate_of=", or of a FOLDER without a recording")
@click.option(
    "--stream", metavar="NAME", help="Which set of channels of the recording, or series of an NWB file."
)
@click.option(
    "--apply",
    "least",
    type=options.Between(0.5, 1, min_open=True),
    metavar="P",
    help="Use sortings of this probability and more without asking; each is an edit that can be undone.",
)
@of_traces
@of_sampling
@as_one
def review(
    folder: Path,
    out: Path | None,
    recording: Path | None,
    least: float | None,
    chosen: SortingOptions,
    **of_recording: Any,
) -> None:
    """Ask for a second opinion on the units in FOLDER, which another sorter made.

    FOLDER is of Phy or Kilosort (2 to 4), a SpikeInterface analyzer or sorting, or an NWB file with units.
    Units keep their ids and labels. The session opens in the application ('ncpgui SESSION.h5'). Its queue
    asks whether a unit is two neurons, whether two units are one neuron, and whether a unit is a neuron at
    all. FOLDER is only read. If a review was stopped, --resume goes on with the finished steps, which are in
    the folder SESSION.h5.steps.

    If the recording is missing, the session has what FOLDER has: units, times, templates, amplitudes. It can
    be curated and written back, but it has no probabilities.

    With --apply 0.9, sortings that are at least 90 % probable are used at once. They are listed, and each is
    an edit in the history of the session. The other questions stay in the queue. Questions with the badge
    "few draws" and searches by beam are never decided in this way.

    'ncpgui write-back SESSION.h5' writes what was decided into FOLDER.
    """
    if out is None:
        from ncpgui.ephys.phy_folder import phy_folder_of

        out = options.default_session(
            phy_folder_of(folder.absolute()), replaces=chosen.overwrite or chosen.resume
        )
    if resuming.is_finished(out, resume=chosen.resume, overwrite=chosen.overwrite):
        return
    options.check_new_session(out, chosen.overwrite, *([recording] if recording is not None else []))

    from ncpgui.curation.by_itself import with_probable_sortings
    from ncpgui.ephys.given_folder import open_reviewed
    from ncpgui.ephys.readers import load_stimulus
    from ncpgui.ephys.trace_cache import disk_note
    from ncpgui.sorting.echo_notes import echo_notes
    from ncpgui.sorting.parts import parts_of
    from ncpgui.sorting.review import review_recording
    from ncpgui.sorting.run import run_of
    from ncpgui.sorting.stimulus_notes import stimulus_notes

    config = chosen.config()
    traces, opened = open_reviewed(folder, recording=recording, **of_recording)
    parts = parts_of(opened.sorting, config, n_channels=traces.n_channels, n_samples=traces.n_samples)
    n_read = traces.n_samples if parts is None else parts.n_read
    notes(*traces.notes, *opened.notes, disk_note(n_read, traces.n_channels))
    shown = load_stimulus(chosen.stimulus) if chosen.stimulus is not None else None
    notes(*stimulus_notes(shown, config))
    if parts is not None and traces.reference.has_traces:
        notes(parts.note)
    workers = chosen.workers(config)
    if not traces.reference.has_traces and chosen.stimulus is not None:
        raise InputError(f"--stimulus is of no use without raw data: {traces.notes[0]}")
    together = opened.given.proposed_merges
    has_traces = traces.reference.has_traces
    run = run_of(traces, config, opened.sorting, together=together) if has_traces else None
    with ExitStack() as open_:
        steps = (
            None if run is None else open_.enter_context(resuming.kept_steps(out, run, resume=chosen.resume))
        )
        with progress_report("review") as progress:
            project = review_recording(
                traces,
                opened.sorting,
                opened.given,
                config,
                stimulus=shown,
                progress=progress,
                workers=workers,
                steps=steps or NOTHING_KEPT,
            )
        decided: tuple[str, ...] = ()
        if least is not None:
            project, decided = with_probable_sortings(project, least)
        out = keep(project, out, steps, overwrite=chosen.overwrite)
    tell(summary(project))
    if least is not None:
        tell(f"{count(len(decided), 'decision')} made without asking, at {100 * least:g} % and more")
    for words in decided:
        tell(f"  {words}")
    for line in proposal_lines(project):
        tell(line)
    notes(options.beam_note(project), *echo_notes(project))
    for warning in unknown(project):
        tell(f"warning: {warning}")
    tell(f"wrote {out}; open it with 'ncpgui {out}'")


def summary(project: Project) -> str:
    """One line about a reviewed project."""
    import numpy as np

    from ncpgui.sorting.without_traces import NO_POSTERIOR

    n_units = len(np.unique(project.unit_of_spike))
    if not project.recording.has_traces:
        return f"{count(len(project.spikes), 'spike')} of {count(n_units, 'unit')}; {NO_POSTERIOR}"
    doubtful = sum(component.alternatives[0].mass < 0.5 for component in project.components)
    return (
        f"{count(len(project.spikes), 'spike')} of {count(n_units, 'unit')} in "
        f"{count(len(project.components), 'component')}; {count(doubtful, 'component')} of which another "
        "sorting is likelier than the given one"
    )


def unknown(project: Project) -> list[str]:
    """Sentences about components whose posterior was not sampled, the first few each."""
    reasons = [project.failed.get(one.id, "not reached") for one in project.waiting]
    few = [f"a unit has no probabilities: {reason}" for reason in reasons[:MAX_WARNINGS]]
    more = len(reasons) - MAX_WARNINGS
    return few if more <= 0 else [*few, f"nor of {count(more, 'other unit')}, for similar reasons"]
