"""``ncpgui info``: what a session holds."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.resuming import left_beside
from ncpgui.cli.terminal import echo, percent, print_explained, print_json
from ncpgui.core.counted import FEW, count, few
from ncpgui.core.errors import ExportError, SessionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncpgui.core.component import Component
    from ncpgui.core.project import Project
    from ncpgui.curation.curated_sorting import CuratedSorting
    from ncpgui.evidence.gain import Gain


LEAST_OTHER = 0.005
"""Probability of other sortings from which on it is told."""
COLUMNS = {
    "contact": "where the spikes of the component (units that may be one neuron) are largest",
    "units": "ids of its units",
    "spikes": "number of spikes of the component",
    "sampled": "how many of these spikes were sampled; each other one was assigned afterwards",
    "number of units (probability)": "how many neurons the spikes are of",
    "gain": "how many spikes an answer is expected to put right",
    "note": "mua: no sorting settles it; more than one spike in ten would be wrong whichever is right",
}


UNITS = {
    "unit": "its id",
    "spikes": "number of spikes of the unit",
    "label": "yours, else good, mua or noise by P(neuron) and P(pure)",
    "neuron": "P(it is one or more cells, and not noise)",
    "pure": "P(hardly a spike of it is of another cell)",
    "complete": "P(hardly a spike of its cell is elsewhere)",
    "exists": "P(pure and complete at once)",
    "false": "expected share of its spikes that are of another cell",
    "missed": "expected share of its cell's spikes that are elsewhere",
}


@command(
    short_help="Say what a session holds, and how probable its units are.",
    epilog=examples(
        "ncpgui info session.h5",
        "ncpgui info session.h5 --json",
    ),
)
@options.session
@options.as_json
def info(session: Path, as_json: bool) -> None:
    """Tell what SESSION.h5 holds: recording, settings, units, and how sure it is of them."""
    from ncpgui.session.decided import read_decided
    from ncpgui.session.session_file import open_session
    from ncpgui.sorting.parts import parts_of_project

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
    decided = read_decided(session, waveforms=False)
    opened = open_session(session, read_only=True, waveforms=False)
    values = describe(decided.as_it_stands, decided.decisions)
    values["n_actions"] = len(opened.project.history)
    values["actions_since_saved"] = len(opened.journal_entries)
    parts = parts_of_project(decided.project)
    values["measured_on_s"] = None if parts is None else parts.seconds
    values["unfinished_steps"] = 0 if unfinished is None else unfinished.n_steps
    if as_json:
        print_json(values)
        return
    recording = values["recording"]
    lines = {
        "recording": _where(recording),
        "length": f"{recording['duration_s']:.1f} s, {recording['n_channels']} channels, "
        f"{recording['sampling_frequency_hz']:g} Hz",
        "spikes": f"{values['n_spikes']}, {values['n_unassigned']} of them unassigned",
        "units": f"{values['n_units']}, as they stand",
        "model": values["model"] or "none: the posterior is sampled from raw data",
        "stimulus": values["stimulus"] or "none",
        "actions": f"{values['n_actions']} saved, {values['actions_since_saved']} since",
    }
    if note := options.beam_note(decided.project):
        lines["sampler"] = note
    if recording["clock"]:
        lines["times"] = recording["clock"]
    if recording["n_segments"] > 1:
        lines["segments"] = f"{recording['n_segments']}, joined end to end"
    if part := _part(recording):
        lines["part"] = part
    if parts is not None:
        lines["measured"] = f"units on {parts.words}, spread over the recording"
    if unfinished is not None:
        lines["stopped"] = f"{unfinished.words}; the command that began it goes on with --resume"
    for name, value in lines.items():
        echo(f"{name + ':':<11}{value}")
    left_out = decided.project.left_out
    for number, sentence in enumerate(() if left_out is None else left_out.sentences):
        echo(f"{'' if number else 'left out:':<11}{sentence}")
    echo()
    if values["components"] or recording["has_traces"]:
        print_explained(COLUMNS, rows_of(values["components"]))
    print_explained(UNITS, unit_rows(values["units"]))
    for line in _not_sampled(values["waiting"]):
        echo(line)


def _where(recording: dict[str, Any]) -> str:
    """Where the recording is, in words."""
    if not recording["has_traces"]:
        return "none: the sorting was opened without its raw data"
    return f"{recording['path'] or 'in memory'}{'' if recording['found'] else '  (not found)'}"


def rows_of(components: list[dict[str, Any]]) -> list[list[str]]:
    """Rows of the table of components, in their order; rows that look the same are one, with their number."""
    rows = Counter(
        (
            str(component["contact"]),
            few(component["unit_ids"]),
            str(component["n_spikes"]),
            str(component["n_sampled"]),
            _numbers_of_units(component["alternatives"]),
            f"{component['expected_gain'] + 0.0:.0f}",
            "mua" if component["is_beyond_cards"] else "",
        )
        for component in components
    )
    return [
        [f"{contact} ({n} times)" if n > 1 else contact, *others] for (contact, *others), n in rows.items()
    ]


def unit_rows(units: list[dict[str, Any]]) -> list[list[str]]:
    """Rows of the table of units; a dash for what is not known."""
    from ncpgui.evidence.units import NUMBERS

    return [
        [
            str(unit["id"]),
            str(unit["n_spikes"]),
            unit["label"],
            *("-" if isnan(unit[name]) else percent(unit[name]) for name in NUMBERS),
        ]
        for unit in units
    ]


def _numbers_of_units(alternatives: list[dict[str, Any]]) -> str:
    """How probable each number of units is, of all alternatives that have it; the likeliest few."""
    masses: Counter[int] = Counter()
    for alternative in alternatives:
        masses[alternative["n_units"]] += alternative["mass"]
    told = [f"{n} ({percent(mass)})" for n, mass in masses.most_common(FEW) if mass > 0]
    rest = 1 - sum(masses.values())
    return ", ".join([*told, *([f"other ({percent(rest)})"] if rest > LEAST_OTHER else [])])


def _not_sampled(waiting: list[dict[str, Any]]) -> list[str]:
    """A line for each reason why components were not sampled."""
    by_reason: dict[str, list[dict[str, Any]]] = {}
    for one in waiting:
        if one["failed"]:
            by_reason.setdefault(one["failed"], []).append(one)
    return [
        f"not sampled: {count(sum(one['n_spikes'] for one in some), 'spike')} around "
        f"{'contact' if len(some) == 1 else 'contacts'} {few([one['contact'] for one in some])}: {reason}"
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
        words.append(f"without channels {few(recording['bad_channels'])}")
    return ", ".join(words)


def _gain(project: Project, component: Component, units: NDArray[np.int64]) -> Gain:
    """What an answer is expected to gain, given the sorting as it stands: (n_spikes,) units."""
    import numpy as np

    from ncpgui.evidence.units import component_gain

    _, labels = np.unique(np.append(-1, units[component.spike_ids[component.sampled]]), return_inverse=True)
    return component_gain(project, component, labels.reshape(-1)[1:] - 1)


def _label_gains(project: Project, decisions: CuratedSorting) -> dict[int, float]:
    """Spikes that labels of units are expected to put right, by component: of units without a label."""
    import numpy as np

    from ncpgui.evidence.gain import label_gain
    from ncpgui.export.from_project import main_components

    units = decisions.unit_of_spike
    found: dict[int, float] = {}
    for unit, home in main_components(project, units).items():
        is_open = unit not in decisions.accepted and decisions.labels.get(unit, "unsorted") == "unsorted"
        component = project.component(home)
        if not is_open or component is None or project.p_neuron is None:
            continue
        p_neuron = project.p_neuron[component.spike_ids[units[component.spike_ids] == unit]]
        gain = float(label_gain(p_neuron.mean(dtype=np.float64), len(p_neuron)))
        found[home] = found.get(home, 0.0) + gain
    return found


def describe(project: Project, decisions: CuratedSorting) -> dict[str, Any]:
    """Return what a project holds as plain values; components in the order of questions.

    project : with its components given what was decided; decisions : its sorting as it stands
    """
    from ncpgui.evidence.proposed import answered
    from ncpgui.evidence.units import NUMBERS, project_numbers
    from ncpgui.export.from_project import project_table

    reference, units = project.recording, decisions.unit_of_spike
    gains = {one.id: _gain(project, one, units) for one in project.components}
    by_label = _label_gains(project, decisions)
    total = {one.id: gains[one.id].gained + by_label.get(one.id, 0.0) for one in project.components}
    numbers = project_numbers(project, units, decisions.probability, decided=decisions.decided)
    table = project_table(project, units, numbers, decisions.labels)
    stimulus = project.stimulus
    return {
        "recording": {
            "path": reference.path,
            "has_traces": reference.has_traces,
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
        "n_unassigned": int((units < 0).sum()),
        "n_units": len(table),
        "model": project.model,
        "settings": project.settings,
        "stimulus": f"{len(stimulus.frames)} frames" if stimulus is not None else None,
        "left_out": None if project.left_out is None else project.left_out.told(),
        "n_actions": len(project.history),
        "proposals": [
            {
                "source": one.proposal.source,
                "kind": one.proposal.kind,
                "unit_ids": list(one.proposal.units),
                "label": one.proposal.label,
                "probability": one.probability,
            }
            for one in answered(project)
        ],
        "waiting": [
            {
                "id": one.id,
                "contact": one.channel,
                "n_spikes": len(one.spike_ids),
                "failed": project.failed.get(one.id, ""),
            }
            for one in project.waiting
        ],
        "units": [
            {
                "id": unit,
                "n_spikes": int(table["n_spikes"][row]),
                "label": str(table["label"][row]),
                **{name: float(table[name][row]) for name in NUMBERS},
            }
            for row, unit in enumerate(table.ids.tolist())
        ],
        "components": [
            {
                "id": component.id,
                "contact": component.channel,
                "contacts": component.contacts.tolist(),
                "unit_ids": sorted(set(units[component.spike_ids].tolist()) - {-1}),
                "n_spikes": len(component.spike_ids),
                "n_sampled": len(component.sampled),
                "expected_gain": total[component.id],
                "expected_wrong_after": gains[component.id].left,
                "is_beyond_cards": gains[component.id].is_settled_by_no_card,
                "sampler": component.posterior.sampler,
                "alternatives": [
                    {
                        "n_units": a.n_units,
                        "mass": a.mass,
                        "mass_se": a.mass_se,
                        "by_evidence": a.by_evidence,
                    }
                    for a in component.alternatives
                ],
            }
            for component in sorted(
                project.components,
                key=lambda one: (gains[one.id].is_settled_by_no_card, -total[one.id]),
            )
        ],
    }
