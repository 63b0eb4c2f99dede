"""``ncpgui sort``: a recording in, a session with the posterior of every component out."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ncpgui.cli import options, resuming
from ncpgui.cli.commands import command, examples
from ncpgui.cli.sorting_options import SortingOptions, as_one, of_sampling, of_traces
from ncpgui.cli.terminal import has_a_person, notes, progress_report, tell
from ncpgui.core.counted import count
from ncpgui.core.errors import ExportError, NcpguiError, SessionError
from ncpgui.core.files import free_name
from ncpgui.core.home import expanded
from ncpgui.core.steps import NOTHING_KEPT

if TYPE_CHECKING:
    from ncpgui.core.project import Project
    from ncpgui.session.steps_folder import StepsFolder


@command(
    short_help="Sort a recording without a window.",
    epilog=examples(
        "ncpgui sort tetrode.raw --probe tetrode --n-channels 4 --sampling-frequency 20000",
        "ncpgui sort spikeglx_folder --stream imec0.ap --out session.h5",
        "ncpgui sort spikeglx_folder --time-range 0 60 --jobs 2",
    ),
)
@click.argument("recording", type=options.PATH)
@click.option(
    "--out",
    type=options.PATH,
    metavar="SESSION.h5",
    show_default="RECORDING.ncp.h5, beside it; -2 and so on where it exists",
    help="Session to write.",
)
@click.option(
    "--probe", metavar="FILE|NAME", help="Probe file, or a name such as tetrode, hex49, linear-16-25."
)
@options.of_raw("file")
@click.option(
    "--stream",
    metavar="NAME",
    help="Which set of channels, where there are several: its name or a part of it.",
)
@click.option(
    "--time-range",
    "time_range_s",
    type=float,
    nargs=2,
    metavar="FROM TO",
    help="Sort these seconds only, by the clock of the recording; exports keep its times.",
)
@click.option(
    "--bad-channels",
    metavar="N,N,...",
    help="Channels to leave out, counted from 0 in the order of the file.",
)
@click.option(
    "--threshold-sd",
    type=float,
    metavar="SD",
    show_default="4.5",
    help="Least depth of a spike, in standard deviations of the noise.",
)
@of_traces
@click.option(
    "--matcher",
    metavar="wobble|tdc-peeler|circus-omp|none",
    help="How the spikes of the units are found in the whole recording; none keeps only those that were "
    "clustered at first.",
    show_default="wobble",
)
@of_sampling
@as_one
def sort(
    recording: Path,
    out: Path | None,
    threshold_sd: float | None,
    matcher: str | None,
    chosen: SortingOptions,
    **of_recording: Any,
) -> None:
    """Sort RECORDING: a raw binary file, a simulated folder, or what SpikeInterface reads.

    A raw file needs --probe, --sampling-frequency and --n-channels. The session opens in the application
    ('ncpgui SESSION.h5') and in 'ncpgui export'.

    Steps that are done are kept in the folder SESSION.h5.steps until the session is written. When the work
    was stopped, or the machine was, the same command with --resume goes on, with the same result.
    """
    if out is None:
        out = options.default_session(recording, replaces=chosen.overwrite or chosen.resume)
    if resuming.is_finished(out, resume=chosen.resume, overwrite=chosen.overwrite):
        return
    options.check_new_session(out, chosen.overwrite, recording)

    from ncpgui.ephys.readers import load_stimulus, open_recording, stimulus_of
    from ncpgui.ephys.trace_cache import disk_note
    from ncpgui.sorting.echo_notes import echo_notes
    from ncpgui.sorting.pipeline import sort_recording
    from ncpgui.sorting.run import run_of
    from ncpgui.sorting.stimulus_notes import stimulus_notes

    config = chosen.config(threshold_sd=threshold_sd, matcher=matcher)
    opened = open_recording(recording, **of_recording)
    notes(*opened.notes, disk_note(opened.n_samples, opened.n_channels))
    shown = stimulus_of(opened, load_stimulus(chosen.stimulus or recording))
    notes(*stimulus_notes(shown, config))
    workers = chosen.workers(config)
    with resuming.kept_steps(out, run_of(opened, config), resume=chosen.resume) as steps:
        with progress_report("sort") as progress:
            project = sort_recording(
                opened,
                config,
                stimulus=shown,
                progress=progress,
                workers=workers,
                steps=steps or NOTHING_KEPT,
            )
        out = keep(project, out, steps, overwrite=chosen.overwrite)
    tell(summary(project))
    left_out = () if project.left_out is None else project.left_out.sentences
    notes(options.beam_note(project), *left_out, *echo_notes(project))
    for one in project.waiting:
        reason = project.failed.get(one.id, "not reached")
        tell(
            f"warning: the units around contact {one.channel} have no probabilities, since their spikes "
            f"were not sampled: {reason}"
        )
    tell(f"wrote {out}; open it with 'ncpgui {out}'")


def keep(project: Project, out: Path, steps: StepsFolder | None = None, *, overwrite: bool) -> Path:
    """Write the session at `out`, or where somebody at the terminal wants it instead; return where.

    What appeared at `out` since the command began is replaced if `overwrite`, and if it is a session. The
    steps that it was made of are deleted then.

    Raises
    ------
    SessionError
        `out` cannot be written and nobody is there to ask; the session is where the message says.
    """
    from ncpgui.session import store

    problem: NcpguiError
    try:
        if overwrite and out.exists():
            options.check_new_session(out, overwrite)
        store.save(project, out, session_id=None if steps is None else steps.id, replace=overwrite)
        _retire_journal(out)
        place = out
    except (SessionError, ExportError) as error:
        problem = error
        if not somebody_answers():
            keep_elsewhere(project, out, problem, steps)
        place = ask_for_place(project, out, problem)
    if steps is not None:
        steps.finish()
    return place


def somebody_answers() -> bool:
    """Whether a person is at the terminal."""
    return has_a_person(sys.stdin) and has_a_person(sys.stderr)


def ask_for_place(project: Project, out: Path, problem: NcpguiError) -> Path:
    """Ask where the session shall go until it could be written there."""
    from ncpgui.session import store

    while True:
        tell(f"error: {problem}")
        answer = click.prompt(
            "Where should the session be written?", default=str(fallbacks(out)[0]), err=True
        )
        place = expanded(answer)
        try:
            options.check_new_session(place, overwrite=False)
            store.save(project, place, replace=False)
        except NcpguiError as error:
            problem = error
        else:
            return place


def keep_elsewhere(
    project: Project, out: Path, problem: NcpguiError, steps: StepsFolder | None = None
) -> NoReturn:
    """Write the session where it can be written, and raise what says where."""
    from ncpgui.session import store

    places = fallbacks(out)
    for place in places:
        try:
            store.save(project, place, replace=False)
        except SessionError:
            continue
        if steps is not None:
            steps.finish()
        raise SessionError(f"{problem}; the session is kept in {place}; open it with 'ncpgui {place}'")
    tried = " or ".join(str(place.parent) for place in places)
    raise SessionError(f"{problem}; nor could the session be written to {tried}")


def fallbacks(out: Path) -> list[Path]:
    """Names that are free, for a session that cannot be written at `out`, the likeliest place first."""
    folders = dict.fromkeys((Path.cwd(), expanded("~"), Path(tempfile.gettempdir())))
    beside = [free_name(out)] if out.exists() else []
    return beside + [free_name(folder / out.name) for folder in folders if folder != out.resolve().parent]


def _retire_journal(session: Path) -> None:
    """Move what was done to the session that was replaced out of the way of the new one."""
    from ncpgui.session.schema import SessionPaths
    from ncpgui.session.swap import set_aside

    journal = SessionPaths.of(session).journal
    if journal.is_file():
        tell(f"warning: actions of the session that was replaced are in {set_aside(journal)}")


def summary(project: Project) -> str:
    """One line about a sorted project."""
    import numpy as np

    units = np.unique(project.unit_of_spike[project.unit_of_spike >= 0])
    ambiguous = sum(component.alternatives[0].mass < 0.9 for component in project.components)
    return (
        f"{count(len(project.spikes), 'spike')} in {count(len(project.components), 'component')}, "
        f"{count(len(units), 'unit')}; {count(ambiguous, 'component')} with more than one likely sorting"
    )
