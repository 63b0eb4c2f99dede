"""``ncpgui export``: a session in, spike trains for other tools out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ncpgui.cli import options

if TYPE_CHECKING:
    from ncpgui.export.bundle import ExportBundle

FORMATS = ("phy", "spikeinterface", "npz", "csv")


@click.command()
@click.argument("session", type=options.PATH)
@click.option("--format", "format_", type=click.Choice(FORMATS), required=True, help="What is to read it.")
@click.option("--out", type=options.PATH, required=True, metavar="PATH", help="Folder (npz, csv: file) to write.")
@click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="P",
    help="Leave out spikes that belong to their unit with less.",
)
def export(session: Path, format_: str, out: Path, min_probability: float) -> None:
    """Write the units of SESSION.h5, as curated, for other tools.

    An older export at PATH is replaced unless somebody changed it since.
    """
    options.check_output_place(out)

    from ncpgui.export import registry

    bundle = bundle_of_session(session, min_probability)
    place = registry.export(bundle, format_, out)
    click.echo(f"wrote {place}: {len(bundle.sorting)} spikes of {len(bundle.unit_ids)} units", err=True)


def bundle_of_session(session: Path, min_probability: float) -> ExportBundle:
    """Gather what is exported of a session: the sorting after every action of its history and journal."""
    from ncpgui.curation.clustering import Clustering
    from ncpgui.curation.history import History
    from ncpgui.export.from_project import bundle_of
    from ncpgui.session.session_file import open_session

    with open_session(session, read_only=True) as opened:
        project, entries = opened.project, opened.journal_entries
    history = History(Clustering(project.unit_of_spike, project.probability))
    history.replay([*project.history, *entries])
    clustering, labels = history.clustering, history.labels
    return bundle_of(
        project,
        unit_of_spike=clustering.unit_of_spike,
        probability=clustering.probability,
        labels=labels.as_dict(int(unit) for unit in clustering.unit_ids),
        accepted=labels.locked,
        min_probability=min_probability,
    )
