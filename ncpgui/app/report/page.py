"""The page of a report: HTML with its style and drawings inside, no script, nothing from a network."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

import ncpgui
from ncpgui.app.report import drawings
from ncpgui.app.report.contents import Question, Report, UnitReport
from ncpgui.app.report.style import style
from ncpgui.core.files import replaced_file
from ncpgui.core.percent import percent
from ncpgui.core.visible import visible
from ncpgui.evidence.refractory import REFRACTORY_MS
from ncpgui.findings.finding import Finding
from ncpgui.sorting.parts import parts_of_project

PACKAGES = ("numpy", "scipy", "torch", "spikeinterface", "h5py")
"""Whose versions are told."""
FIELD_NAMES = ("x_px", "y_px", "size_px", "polarity")


def write_report(report: Report, path: Path, *, replace: bool = True) -> None:
    """Write the page, swapped in whole.

    Raises
    ------
    ExportError
        It cannot be written, or is there and is not to be replaced.
    """
    with replaced_file(path, replace=replace) as beside:
        beside.write_text(page(report), encoding="utf-8")


def page(report: Report) -> str:
    """The whole page."""
    body = (
        _head(report),
        _units(report),
        _cards(report),
        _questions(report),
        _decisions(report),
        _made_with(report),
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{_text(report.name)}: report</title><style>{style()}</style></head><body>"
        f"{''.join(body)}</body></html>\n"
    )


def _head(report: Report) -> str:
    project = report.project
    recording = project.recording
    n_open = len(report.questions)
    facts = {
        "recording": recording.path or "in memory",
        "length": f"{project.spikes.duration_s:.1f} s, {recording.n_channels} channels, "
        f"{recording.sampling_frequency_hz:g} Hz",
        "spikes": f"{len(project.spikes)}, {report.n_unassigned} of them in no unit",
        "units": f"{len(report.units)}",
        "questions": f"{n_open} open, {report.n_settled} with one sorting that is 95 % probable or more",
        "decisions": f"{len(report.decisions)}",
        "stimulus": "none" if project.stimulus is None else f"{len(project.stimulus.frames)} frames",
        "made": datetime.now(timezone.utc).isoformat(timespec="minutes"),
    }
    parts = parts_of_project(project)
    if parts is not None:
        facts["units measured on"] = f"{parts.words}, spread over the recording"
    if project.left_out is not None and project.left_out.sentences:
        facts["left out"] = "; ".join(project.left_out.sentences)
    return (
        f"<h1>{_text(report.name)}</h1><p class=muted>Spike sorting with its probabilities, by ncpgui "
        f"{ncpgui.__version__}</p><div class=top>{_list(facts)}"
        f"<div>{drawings.probe_map(project.probe, report.units)}</div></div>"
    )


def _units(report: Report) -> str:
    rates = [unit.findings["rate_hz"] for unit in report.units if "rate_hz" in unit.findings]
    highest = max((float(one.high) for one in rates), default=0.0)
    heads = ["unit", "label", "spikes", "SNR", "neuron", "pure", "complete", "rate (Hz)", "", "sorting"]
    heads += ["field centre (px)", "size (px)", ""] if report.has_fields else []
    rows = []
    for unit in report.units:
        rate, known = unit.findings.get("rate_hz"), unit.known
        cells = [
            _name(unit),
            _text(known["label"]),
            str(known["n_spikes"]),
            f"{unit.snr:.1f}",
            *(_share(known[name]) for name in ("p_neuron", "p_pure", "p_complete")),
            _value(rate),
            "" if rate is None else drawings.interval(*_three(rate), (0.0, highest)),
            "" if rate is None else _share(float(rate.from_sorting)),
        ]
        if report.has_fields:
            x, y, size, polarity = (unit.findings.get(name) for name in FIELD_NAMES)
            sign = math.nan if polarity is None else float(polarity.mean)
            place = f"{_value(x)}, {_value(y)}" if _is_known(x) and _is_known(y) else "not clear"
            cells += [place, _value(size), "" if math.isnan(sign) else ("ON" if sign > 0 else "OFF")]
        rows.append(cells)
    about = (
        "<p>P(neuron): it is one or more cells and not noise. P(pure): hardly a spike of it is of another "
        "cell. P(complete): hardly a spike of its cell is elsewhere. Findings have their interval of "
        f"{report.level:.0%} over {report.n_draws} draws of the whole sorting; <i>sorting</i> is the part of "
        "their variance that is due to sorting, the rest is due to the data. They hold if the unit is a "
        "neuron.</p>"
    )
    if not report.units:
        about = "<p>No spike is in a unit.</p>"
    return f"<h2>Units and findings</h2>{about}{_table(heads, rows, left=(0, 1))}"


def _cards(report: Report) -> str:
    return (
        "<h2>Waveforms and correlograms</h2><p>Mean waveforms of sampled spikes around the main contact; "
        f"the bar is {drawings.SCALE_SD:g} noise sd.</p>"
        f"<div class=cards>{''.join(_card(report, unit) for unit in report.units)}</div>"
    )


def _card(report: Report, unit: UnitReport) -> str:
    picture = drawings.waveforms(report.project.probe, unit) or "<small>no waveforms are kept</small>"
    histogram = drawings.histogram(unit.correlogram, unit, report.edges_ms)
    open_in = [one for one in report.questions if unit.id in one.units]
    question = "<span class=open>open question</span>" if open_in else "<small>settled</small>"
    low, high = REFRACTORY_MS
    close = f"{unit.close} pairs of spikes {low:g} to {high:g} ms apart, {unit.by_chance:.1f} by chance"
    return (
        f"<section class=card><header><h3>{_name(unit)} <small>contact {unit.known['channel']}</small></h3>"
        f"{question}</header><div class=pictures>{picture}{histogram}</div><small>{close}</small>"
        f"{f'<p>{_text(unit.note)}</p>' if unit.note else ''}</section>"
    )


def _questions(report: Report) -> str:
    if not report.questions:
        about = "<p>No question is open: one sorting of each question is 95 % probable or more.</p>"
        return f"<h2>Open alternatives</h2>{about}"
    parts = [
        "<p>Components whose most probable sorting is less than 95 % probable. First those whose answer is "
        "expected to put most spikes right.</p>"
    ]
    parts += [_question(one) for one in report.questions]
    return f"<h2>Open alternatives</h2>{''.join(parts)}"


def _question(one: Question) -> str:
    rows = [
        [_mass(alternative.mass, alternative.mass_se), str(alternative.n_units), _text(alternative.words)]
        for alternative in one.alternatives
    ]
    units = ", ".join(map(str, one.units)) or "none"
    title = (
        f"<h3>Units {units} <small>contact {one.channel}, {one.n_spikes} spikes; an answer is expected to "
        f"put {one.gain.gained:.0f} spikes right</small></h3>"
    )
    return title + _table(["probability", "units", "against the sorting in use"], rows, left=(2,))


def _decisions(report: Report) -> str:
    if not report.decisions:
        return "<h2>Decisions</h2><p>Nothing was decided: the sorting is that of the posterior.</p>"
    items = "".join(f"<li>{_text(one.words)} <small>{one.by}</small></li>" for one in report.decisions)
    return f"<h2>Decisions</h2><ol>{items}</ol>"


def _made_with(report: Report) -> str:
    project = report.project
    versions = {"ncpgui": ncpgui.__version__, "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    settings = {name: str(value) for name, value in project.settings.items()}
    fingerprint = {"model": project.model, "fingerprint of the recording": project.recording.fingerprint}
    return (
        f"<h2>Settings and versions</h2>{_list(fingerprint)}<h3>Settings</h3>{_list(settings)}"
        f"<h3>Versions</h3>{_list(versions)}"
    )


def _name(unit: UnitReport) -> str:
    color = f"background:var(--u{unit.color.index % 10})"
    return f'<span class=swatch style="{color}"></span>{unit.id}'


def _mass(mass: float, error: float) -> str:
    return _share(mass) if math.isnan(error) or error <= 0 else f"{_share(mass)} ± {100 * error:.0f}"


def _share(value: float) -> str:
    return escape(percent(value))


def _three(one: Finding) -> tuple[float, float, float]:
    return float(one.low), float(one.high), float(one.mean)


def _is_known(one: Finding | None) -> bool:
    return one is not None and bool(np.isfinite(one.mean).all())


def _value(one: Finding | None) -> str:
    """A number with its interval, as many digits as the interval allows."""
    if one is None or not _is_known(one):
        return "–"
    low, high, mean = _three(one)
    width = high - low
    digits = 1 if not width > 0 else int(np.clip(1 - math.floor(math.log10(width)), 0, 3))
    return f"{mean:.{digits}f} <small>({low:.{digits}f} to {high:.{digits}f})</small>"


def _text(words: object) -> str:
    return escape(visible(str(words)))


def _list(facts: dict[str, str]) -> str:
    items = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in facts.items())
    return f"<dl>{items}</dl>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: Sequence[int] = ()) -> str:
    """A table; cells are HTML."""
    sides = ["l" if k in left else "" for k in range(len(heads))]
    head = "".join(f'<th class="{side}">{_text(one)}</th>' for one, side in zip(heads, sides, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f'<td class="{side}">{cell}</td>' for cell, side in zip(row, sides, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
