"""``ncpgui train``: fit a network for one's own probe and preparation."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from ncpgui.cli import options
from ncpgui.cli.terminal import progress_report
from ncpgui.core.errors import InputError


@click.command()
@click.argument("config", metavar="NAME|CONFIG.toml")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="Wall-clock length of the run.")
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped.")
@options.device
@click.option(
    "--out",
    type=options.PATH,
    default=Path("runs"),
    show_default=True,
    metavar="DIR",
    help="Where the model goes.",
)
@click.option("--seed", type=int, default=None, help="Seed of the weights and of all data.")
def train(config: str, minutes: float | None, resume: bool, device: str, out: Path, seed: int | None) -> None:
    """Train the network of a preset, or of a TOML file with the settings of a run.

    The model is written to DIR/NAME.safetensors with its card DIR/NAME.json each time held-out data
    score better; Ctrl-C stops the run and --resume goes on.
    """
    from ncpgui.engine.device import resolve_device
    from ncpgui.engine.training.config import load_config
    from ncpgui.engine.training.loop import train as train_network

    settings = load_config(config)
    if minutes is not None:
        settings = replace(settings, minutes=minutes)
    if seed is not None:
        settings = replace(settings, seed=seed)
    target = resolve_device(device)
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file; give a folder for the model")
    options.check_output_place(out)
    out.mkdir(exist_ok=True)
    weights = out / f"{Path(config).stem}.safetensors"
    command = " ".join(["ncpgui", *sys.argv[1:]])
    click.echo(f"training '{weights.stem}' on {target} for {settings.minutes:g} minutes", err=True)
    with progress_report("train") as progress:
        for step in train_network(settings, out=weights, device=target, resume=resume, command=command):
            words = f"step {step.step}  {step.loss:.4f} nats a spike  accuracy {step.accuracy:.3f}"
            progress(round(1000 * min(step.minutes, settings.minutes)), round(1000 * settings.minutes), words)
            if step.validation is not None:
                click.echo(f"step {step.step}: {step.validation}", err=True)
    click.echo(f"wrote {weights}", err=True)
