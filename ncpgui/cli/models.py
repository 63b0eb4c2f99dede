"""``ncpgui models``: the networks that are shipped, and how well they scored."""

from __future__ import annotations

from typing import Any

import click

from ncpgui.cli import options
from ncpgui.cli.terminal import print_json, print_table


@click.command(short_help="List the shipped models and how well they scored.")
@options.as_json
def models(as_json: bool) -> None:
    """List the shipped models with what they were trained on and their scores."""
    from ncpgui import engine

    cards = engine.models()
    default = engine.default_model()
    if as_json:
        print_json([{**card, "default": card["name"] == default} for card in cards])
        return
    if not cards:
        click.echo("no models are shipped with this installation; train one with 'ncpgui train spikes'")
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
    print_table("", ["model", "clusters", "network", "parameters", "training", "held-out scores"], rows)


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
