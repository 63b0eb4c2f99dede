"""``ncpgui findings``: results with intervals, and which questions would narrow them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import echo, percent, print_explained, print_json, progress_report
from ncpgui.core.errors import InputError

if TYPE_CHECKING:
    from ncpgui.core.project import Project

ANALYSES = ("rates", "fields", "tuning", "decoding")
MOST_EFFECTS = 10
COLUMNS = {
    "of": "unit",
    "finding": "what was computed",
    "in use": "with the sorting in use",
    "mean": "over draws of the whole sorting",
    "low": "lower end of the interval",
    "high": "upper end of the interval",
    "sorting": "part of the variance that comes from sorting; the rest comes from the data",
    "there": "share of the draws in which the unit is there",
}


@command(
    short_help="Results with intervals, and which questions would narrow them.",
    epilog=examples(
        "ncpgui findings session.h5",
        "ncpgui findings session.h5 --of tuning --trials trials.csv --duration 1 --period 180",
    ),
)
@options.session
@click.option(
    "--of",
    "analysis",
    type=options.Choice(ANALYSES),
    default="rates",
    show_default=True,
    help="What to compute: firing rates, receptive fields, tuning, or decoding of the stimulus.",
)
@click.option(
    "--trials",
    type=options.PATH,
    metavar="FILE.csv",
    help="tuning, decoding: a table with the columns start_s and value.",
)
@click.option(
    "--duration",
    type=options.Between(min=0, min_open=True),
    metavar="S",
    help="tuning, decoding: seconds of a trial.",
)
@click.option(
    "--period",
    type=options.Between(min=0, min_open=True),
    metavar="P",
    help="tuning: of values on a circle, such as 180 for orientations in degrees.",
)
@click.option(
    "--draws", type=click.IntRange(min=2), default=100, show_default=True, metavar="N", help="Sortings drawn."
)
@click.option(
    "--level",
    type=options.Between(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    metavar="P",
    help="Probability of the intervals.",
)
@options.seed
@options.as_json
def findings(
    session: Path,
    analysis: str,
    trials: Path | None,
    duration: float | None,
    period: float | None,
    draws: int,
    level: float,
    seed: int,
    as_json: bool,
) -> None:
    """Say what the doubt about the sorting of SESSION.h5 does to a result.

    Each result has its interval over sortings drawn from the posterior, with the bootstrap of the data
    inside each. Below the table are the questions whose answer is expected to narrow an interval most.
    """
    from ncpgui.findings.draws import draws as draw
    from ncpgui.findings.effects import effect_words, effects
    from ncpgui.findings.propagate import propagate
    from ncpgui.session.decided import read_decided

    asked = _checked(analysis, trials, duration, period)
    made = draw(read_decided(session), draws, seed)
    wanted = made.posterior.units.tolist()
    with progress_report("findings") as progress:
        found = propagate(
            made,
            _analysis(analysis, asked, period, made.posterior.project),
            units=wanted,
            seed=seed,
            level=level,
            progress=progress,
        )
    told = effects(made, found)
    rows = [{**row, "of": "all" if row["of"] is None else row["of"]} for row in found.rows()]
    if as_json:
        questions = [
            {
                "component": one.component,
                "of": "all" if one.of is None else one.of,
                "name": one.name,
                "narrows_to": one.narrows_to,
            }
            for one in told
        ]
        print_json({"draws": draws, "level": level, "findings": rows, "questions": questions})
        return
    print_explained(COLUMNS, [_row(row) for row in rows])
    for one in told[:MOST_EFFECTS]:
        echo(effect_words(one))
    if not told:
        echo("no question changes these findings: only more data would narrow their intervals")


def _checked(
    analysis: str, trials: Path | None, duration: float | None, period: float | None
) -> tuple[Any, float] | None:
    """Trials and their duration, where the analysis needs them."""
    needs = analysis in ("tuning", "decoding")
    given = {"--trials": trials, "--duration": duration}
    if needs and None in given.values():
        missing = next(name for name, value in given.items() if value is None)
        raise InputError(f"--of {analysis} needs {missing}; see 'ncpgui findings --help'")
    extra = next((name for name, value in given.items() if value is not None), None)
    if not needs and extra:
        raise InputError(
            f"{extra} is for --of tuning and --of decoding, not for --of {analysis}; leave it out"
        )
    if period is not None and analysis != "tuning":
        raise InputError(f"--period is for --of tuning, not for --of {analysis}; leave it out")
    if not needs:
        return None
    from ncpgui.findings.trials import read_trials

    assert trials is not None
    assert duration is not None
    return read_trials(trials), duration


def _analysis(name: str, asked: tuple[Any, float] | None, period: float | None, project: Project) -> Any:
    from ncpgui.findings.analyses import Rates, ReceptiveFields, Tuning
    from ncpgui.findings.population import Decoding

    if name == "rates":
        return Rates()
    if name == "fields":
        if project.stimulus is None:
            raise InputError(
                "--of fields needs white noise, and the session has no stimulus; sort with --stimulus"
            )
        return ReceptiveFields.of_project(project)
    assert asked is not None
    trials, duration_s = asked
    if name == "tuning":
        return Tuning(trials.starts_s, duration_s, trials.values, period)
    return Decoding(trials.starts_s, duration_s, trials.values)


def _row(row: dict[str, Any]) -> list[str]:
    numbers = [row[name] for name in ("in_use", "mean", "low", "high")]
    return [
        str(row["of"]),
        row["name"],
        *("-" if math.isnan(value) else f"{value:.3g}" for value in numbers),
        *("-" if math.isnan(row[name]) else percent(row[name]) for name in ("from_sorting", "p_there")),
    ]
