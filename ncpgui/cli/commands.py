"""Commands whose help is read at a glance: many options stand in groups, defaults are shown one way."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import click

HELP = ("-h", "--help")
"""Options that ask for help."""
GROUPED_FROM = 10
"""Options from which the help of a command has them in groups."""
GROUPS = {
    "Recording": (
        *("recording", "recordings", "probe", "sampling_frequency", "n_channels", "dtype", "stream"),
        *("time_range_s", "bad_channels", "blank_nan", "stimulus"),
    ),
    "Spikes and units": ("threshold_sd", "peak_sign", "motion", "matcher", "settings"),
    "Posterior": ("no_firing_times", "sampler", "beam", "model", "seed"),
    "Data and weights": ("start_from", "reservoir", "noise", "share", "min_spikes"),
    "Length": ("minutes", "steps"),
    "Speed": ("device", "jobs", "parallel", "dask"),
    "Result": ("out", "overwrite", "resume", "tensorboard", "evaluate"),
}
"""Headings of groups, with the names of their options in Python."""
_TOLD = re.compile(r"\[default: \((.*?)\)(?=[\];])")


class Command(click.Command):
    """A command with grouped options."""

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Names of the option for help, in whichever context the command is looked at first."""
        return list(HELP)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings, those without one first."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        is_grouped = len(options) >= GROUPED_FROM
        for option in options:
            fits = (one for one, names in GROUPS.items() if is_grouped and option.name in names)
            record = help_record(option, ctx)
            if record is not None:
                groups.setdefault(next(fits, "Options"), []).append(record)
        others = groups.pop("Options")
        order = [heading for heading in GROUPS if heading in groups]
        for heading, records in [*((heading, groups[heading]) for heading in order), ("Options", others)]:
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


command = partial(click.command, cls=Command)


def help_record(option: click.Option, ctx: click.Context) -> tuple[str, str] | None:
    """Names of an option and its help; a default that is told in words looks as one that is a value."""
    record: Any = option.get_help_record(ctx)
    return None if record is None else (record[0], _TOLD.sub(r"[default: \1", record[1]))


def examples(*lines: str) -> str:
    """The end of the help of a command: lines to copy."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
