"""``ncpgui info``: what a session holds."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.resuming import left_beside
from ncpgui.cli.terminal import count, echo, percent, print_json, print_table
from ncpgui.core.errors import ExportError, SessionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncpgui.core.project import Project


MOST = 4
"""Numbers of units in a row, and ids in a list."""
COLUMNS = {
    "contact": "on which the spikes of the component are largest",
    "units": "ids of its units, before curation",
    "spikes": "of the component",
    "sampled": "of these spikes, those whose sorting was drawn; the others follow them",
    "number of units (probability)": "how many neurons the spikes are of",
    "ambiguity": "spikes times entropy (nats) of the sortings: how much a decision there would settle",
}


@command(
    short_help="Tell what a session holds, and how sure it is of them.",
    epilog=examples(
        "ncpgui info session.h5",
        "ncpgui info session.h5 --json",
    ),
)
@click.argument("session", type=options.PATH, metavar="SESSION.h5")
@options.as_json
def info(session: Path, as_json: bool) -> None:
    """Tell what SESSION.h5 holds: recording, settings, units, and how sure it is of them."""
    from ncpgui.session.decided import fold_journal
    from ncpgui.session.session_file import open_session

    unfinished = None
    with suppress(ExportError):  # what lies there is not ncpgui's
        unfinished = left_beside(session)
    if unfinished is not None and not unfinished.n_steps:
        unfinished = None
    if unfinished is not None and not session.exists():
        raise SessionError(
            f"{session} is not written yet: {unfinished.words}; the command that began it goes on with "
            "--resume"
        )
    opened = open_session(session, read_only=True, waveforms=False)
    if opened.journal_entries and fold_journal(session):
        opened = open_session(session, read_only=True, waveforms=False)
    values = describe(opened.project)
    values["actions_since_saved"] = len(opened.journal_entries)
    values["unfinished_steps"] = 0 if unfinished is None else unfinished.n_steps
    if as_json:
        print_json(values)
        return
    recording = values["recording"]
    lines = {
        "recording": f"{recording['path'] or 'in memory'}{'' if recording['found'] else '  (not found)'}",
        "length": f"{recording['duration_s']:.1f} s, {recording['n_channels']} channels, "
        f"{recording['sampling_frequency_hz']:g} Hz",
        "spikes": f"{values['n_spikes']}, {values['n_unassigned']} of them unassigned",
        "units": f"{values['n_units']} before curation",
        "model": values["model"],
        "stimulus": values["stimulus"] or "none",
        "actions": f"{values['n_actions']} saved, {values['actions_since_saved']} since",
    }
    if note := options.beam_note(opened.project):
        lines["sampler"] = note
    if recording["clock"]:
        lines["times"] = recording["clock"]
    if recording["n_segments"] > 1:
        lines["segments"] = f"{recording['n_segments']}, joined end to end"
    if part := _part(recording):
        lines["part"] = part
    if unfinished is not None:
        lines["stopped"] = f"{unfinished.words}; the command that began it goes on with --resume"
    for name, value in lines.items():
        echo(f"{name + ':':<11}{value}")
    echo()
    print_table("", list(COLUMNS), rows_of(values["components"]))
    echo()
    for name, meaning in COLUMNS.items():
        echo(f"{name}: {meaning}")
    for line in _not_sampled(values["waiting"]):
        echo(line)


def rows_of(components: list[dict[str, Any]]) -> list[list[str]]:
    """Rows of the table of components, in their order; rows that look the same are one, with their number."""
    rows = Counter(
        (
            str(component["contact"]),
            _some(component["unit_ids"]),
            str(component["n_spikes"]),
            str(component["n_sampled"]),
            _numbers_of_units(component["alternatives"]),
            f"{component['ambiguity'] + 0.0:.0f}",
        )
        for component in components
    )
    return [
        [f"{contact} ({n} times)" if n > 1 else contact, *others] for (contact, *others), n in rows.items()
    ]


def _numbers_of_units(alternatives: list[dict[str, Any]]) -> str:
    """How probable each number of units is, of all alternatives that have it; the likeliest few."""
    masses: Counter[int] = Counter()
    for alternative in alternatives:
        masses[alternative["n_units"]] += alternative["mass"]
    return ", ".join(f"{n} ({percent(mass)})" for n, mass in masses.most_common(MOST))


def _not_sampled(waiting: list[dict[str, Any]]) -> list[str]:
    """A line for each reason why components were not sampled."""
    by_reason: dict[str, list[dict[str, Any]]] = {}
    for one in waiting:
        if one["failed"]:
            by_reason.setdefault(one["failed"], []).append(one)
    return [
        f"not sampled: {count(sum(one['n_spikes'] for one in some), 'spike')} around "
        f"{'contact' if len(some) == 1 else 'contacts'} {_some([one['contact'] for one in some])}: {reason}"
        for reason, some in by_reason.items()
    ]


def _part(recording: dict[str, Any]) -> str:
    """What of the recording was sorted, '' when all of it."""
    words = []
    if recording["stream"]:
        words.append(f"stream {recording['stream']}")
    if recording["time_range_s"]:
        start, end = recording["time_range_s"]
        words.append(f"{start:g} to {end:g} s")
    if recording["bad_channels"]:
        words.append(f"without channels {_some(recording['bad_channels'])}")
    return ", ".join(words)


def _units(unit_of_spike: NDArray[np.int64]) -> list[int]:
    """Units of some spikes, each once."""
    return sorted({unit for unit in unit_of_spike.tolist() if unit >= 0})


def _some(units: list[int]) -> str:
    return ", ".join(map(str, units[:MOST])) + (" …" if len(units) > MOST else "")


def describe(project: Project) -> dict[str, Any]:
    """Return what a project holds as plain values; components by falling ambiguity."""
    reference = project.recording
    spikes_of = Counter(project.unit_of_spike.tolist())
    unassigned = spikes_of.pop(-1, 0)
    stimulus = project.stimulus
    return {
        "recording": {
            "path": reference.path,
            "found": bool(reference.path) and Path(reference.path).exists(),
            "stream": reference.options.get("stream"),
            "time_range_s": reference.options.get("time_range_s"),
            "bad_channels": reference.options.get("bad_channels", []),
            "n_channels": reference.n_channels,
            "sampling_frequency_hz": reference.sampling_frequency_hz,
            "n_samples": reference.n_samples,
            "duration_s": reference.n_samples / reference.sampling_frequency_hz,
            "clock": reference.clock_words,
            "stretches_s": reference.clock.stretches_s(reference.n_samples).tolist(),
            "n_segments": reference.clock.n_segments,
        },
        "n_spikes": len(project.spikes),
        "n_unassigned": unassigned,
        "n_units": len(spikes_of),
        "model": project.model,
        "settings": project.settings,
        "stimulus": f"{len(stimulus.frames)} frames" if stimulus is not None else None,
        "n_actions": len(project.history),
        "waiting": [
            {
                "id": one.id,
                "contact": one.channel,
                "n_spikes": len(one.spike_ids),
                "failed": project.failed.get(one.id, ""),
            }
            for one in project.waiting
        ],
        "components": [
            {
                "id": component.id,
                "contact": component.channel,
                "contacts": component.contacts.tolist(),
                "unit_ids": _units(project.unit_of_spike[component.spike_ids]),
                "n_spikes": len(component.spike_ids),
                "n_sampled": len(component.sampled),
                "entropy_nats": component.entropy_nats,
                "ambiguity": component.ambiguity,
                "sampler": component.posterior.sampler,
                "alternatives": [
                    {
                        "n_units": a.n_units,
                        "mass": a.mass,
                        "mass_se": None if isnan(a.mass_se) else a.mass_se,
                        "by_evidence": a.by_evidence,
                    }
                    for a in component.alternatives
                ],
            }
            for component in sorted(project.components, key=lambda component: -component.ambiguity)
        ],
    }
