"""``ncpgui models``: the networks that are shipped, how well they scored, and what lies between two."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from ncpgui.cli import options
from ncpgui.cli.commands import Command, examples
from ncpgui.cli.terminal import echo, print_json, print_table, progress_report, tell
from ncpgui.core.errors import InputError


@click.group(
    invoke_without_command=True, short_help="List the shipped models and how well they scored; mix two."
)
@options.as_json
@click.pass_context
def models(ctx: click.Context, as_json: bool) -> None:
    """List the shipped models with what they were trained on and their scores."""
    if ctx.invoked_subcommand is None:
        _list(as_json)


@models.command(
    cls=Command,
    short_help="Write a model whose weights lie between those of two.",
    epilog=examples("ncpgui models mix spikes runs/mine.safetensors --share 0.3 --out mixed.safetensors"),
)
@click.argument("first", metavar="NAME|FILE")
@click.argument("second", metavar="NAME|FILE")
@click.option(
    "--share",
    type=options.Between(0, 1),
    default=0.5,
    show_default=True,
    metavar="P",
    help="Share of the second model; with 0.5 every weight is the mean of both.",
)
@click.option("--out", type=options.PATH, required=True, metavar="FILE.safetensors", help="The new model.")
def mix(first: str, second: str, share: float, out: Path) -> None:
    """Write a model whose weights lie between those of two models of one architecture.

    A mixture of a model and the model that its training started from often suits other data better than both.
    The card says what was mixed, and how well it scores on the held-out data of the first.
    """
    if out.suffix != ".safetensors":
        raise InputError(f"--out {out} must end in .safetensors; its card goes beside it, as .json")
    there = next((path for path in (out, out.with_suffix(".json")) if path.exists()), None)
    if there is not None:
        raise InputError(f"{there} exists; give another name with --out, or remove it")
    options.check_output_place(out)

    from ncpgui.engine.mixed_model import mix_models

    command = shlex.join(["ncpgui", *sys.argv[1:]])
    with progress_report("mix") as progress:
        card = mix_models(first, second, out=out, share=share, command=command, progress=progress)
    tell(f"wrote {out}; held-out scores: {_scores(card)}")


def _list(as_json: bool) -> None:
    from ncpgui import engine

    cards = engine.models()
    default = engine.default_model()
    if as_json:
        print_json([{**card, "default": card["name"] == default} for card in cards])
        return
    if not cards:
        echo("no models are shipped with this installation; train one with 'ncpgui train spikes'")
        return
    rows = [
        [
            f"{card['name']}{' (default)' if card['name'] == default else ''}",
            str(card.get("input", {}).get("kind", "spikes")),
            str(card.get("architecture", {}).get("network", "")),
            f"{card.get('n_parameters', 0):,}",
            f"{_minutes(card):.0f} min",
            _scores(card),
        ]
        for card in cards
    ]
    print_table(["model", "clusters", "network", "parameters", "training", "held-out scores"], rows)


def _minutes(card: dict[str, Any]) -> float:
    """Wall clock of the training, with that of the models it began from."""
    return float(card.get("minutes", 0)) + (_minutes(card["started_from"]) if "started_from" in card else 0)


def _scores(card: dict[str, Any]) -> str:
    scores = card.get("scores", {})
    return ", ".join(
        f"{name} {value:.3g}"
        for name, value in scores.items()
        if isinstance(value, float) and name != "minutes"
    )
