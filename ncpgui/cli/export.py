"""``ncpgui export``: a session in, spike trains for other tools out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ncpgui.cli import options
from ncpgui.cli.terminal import count
from ncpgui.core.errors import ExportError

if TYPE_CHECKING:
    from ncpgui.export.bundle import ExportBundle

FORMATS = ("phy", "spikeinterface", "npz", "csv")


@click.command(short_help="Write the units of a session for other tools.")
@click.argument("session", type=options.PATH, metavar="SESSION.h5")
@click.option("--format", "format_", type=click.Choice(FORMATS), required=True, help="What is to read it.")
@click.option(
    "--out", type=options.PATH, required=True, metavar="PATH", help="Folder (npz, csv: file) to write."
)
@click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="P",
    help="Leave out spikes that belong to their unit with less.",
)
@click.option("--overwrite", is_flag=True, help="Replace PATH if it is a file.")
def export(session: Path, format_: str, out: Path, min_probability: float, overwrite: bool) -> None:
    """Write the units of SESSION.h5, as curated, for other tools.

    phy and spikeinterface make a folder; an older export there is replaced unless somebody changed it
    since. npz makes one file with everything, posterior samples included; csv makes a table of spikes
    and, beside it, PATH_units.csv.
    """
    options.check_output_place(out)

    from ncpgui.export import registry

    suffix = registry.export_format(format_).suffix
    file = out if out.suffix == suffix else out.with_name(out.name + suffix)
    if suffix and file.exists() and not overwrite:
        raise ExportError(f"{file} exists; give another name, or --overwrite to replace it")
    bundle = bundle_of_session(session, min_probability)
    place = registry.export(bundle, format_, out)
    spikes, units = count(len(bundle.sorting), "spike"), count(len(bundle.unit_ids), "unit")
    click.echo(f"wrote {place}: {spikes} of {units}", err=True)


def bundle_of_session(session: Path, min_probability: float) -> ExportBundle:
    """Gather what is exported of a session: the sorting after every action of its history and journal."""
    from ncpgui.curation.clustering import Clustering
    from ncpgui.curation.history import History
    from ncpgui.export.from_project import bundle_of
    from ncpgui.session.session_file import open_session

    with open_session(session, read_only=True) as opened:
        project, entries = opened.project, opened.journal_entries
    history = History(Clustering(project.unit_of_spike, project.probability), project.groups)
    history.replay([*project.history, *entries])
    clustering, labels = history.clustering, history.labels
    return bundle_of(
        replace(project, groups=history.posteriors.groups),
        unit_of_spike=clustering.unit_of_spike,
        probability=clustering.probability,
        labels=labels.as_dict(int(unit) for unit in clustering.unit_ids),
        accepted=labels.locked,
        min_probability=min_probability,
    )
