"""``ncpgui train``: fit a network for one's own probe and preparation."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ncpgui.cli import options
from ncpgui.cli.terminal import progress_report
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.files import make_folder
from ncpgui.core.progress import Cancelled

if TYPE_CHECKING:
    import torch

    from ncpgui.engine.training.config import TrainConfig
    from ncpgui.engine.training.validation import Scores


@click.command(short_help="Train a network for your own probe and preparation.")
@click.argument("config", metavar="NAME|CONFIG.toml")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="M",
    help="Wall-clock length of the run, with what came before --resume  [90].",
)
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped.")
@click.option("--overwrite", is_flag=True, help="Start over, in place of the model that is there.")
@options.device
@click.option(
    "--out",
    type=options.PATH,
    default=Path("runs"),
    show_default=True,
    metavar="DIR",
    help="Where the model goes.",
)
@click.option("--seed", type=int, default=None, metavar="N", help="Of the weights and of all data  [0].")
@click.option(
    "--start-from", metavar="NAME|FILE", help="Begin with the weights of a model of the same architecture."
)
def train(
    config: str,
    minutes: float | None,
    resume: bool,
    overwrite: bool,
    device: str,
    out: Path,
    seed: int | None,
    start_from: str | None,
) -> None:
    """Train the network of a preset, or of a TOML file with the settings of a run.

    \b
    Presets:
      spikes             any layout of up to 7 contacts
      spikes-long        goes on from the model 'spikes' with more spikes a set
      paper-spikes-hex7  the network of the paper, 7 contacts of a hexagonal array

    The model is written to DIR/NAME.safetensors with its card DIR/NAME.json each time that held-out data
    score better. Ctrl-C stops the run; --resume goes on from when held-out data were scored last. Sort
    with it: ncpgui sort ... --model DIR/NAME.safetensors
    """  # noqa: D301  (click reads the escape)
    from ncpgui.engine.device import resolve_device
    from ncpgui.engine.training.config import load_config

    settings = load_config(config)
    if minutes is not None:
        settings = replace(settings, minutes=minutes)
    if seed is not None:
        settings = replace(settings, seed=seed)
    if start_from is not None:
        settings = replace(settings, start_from=start_from)
    target = resolve_device(device)
    weights = out / f"{Path(config).stem}.safetensors"
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file; give a folder for the model")
    if weights.exists() and not (resume or overwrite):
        raise InputError(
            f"{weights} exists; --resume goes on with that run, --overwrite starts over; or give another "
            "folder with --out"
        )
    options.check_output_place(out)
    made = not out.exists()
    make_folder(out)
    click.echo(f"training '{weights.stem}' on {target} for {settings.minutes:g} minutes", err=True)
    try:
        n_steps = _run(settings, weights, target, resume)
    except (Cancelled, KeyboardInterrupt):
        if weights.exists():
            click.echo(f"{weights} is as held-out data were scored last; go on with --resume", err=True)
        raise
    finally:
        if made:
            with suppress(OSError):  # it holds something
                out.rmdir()
    if n_steps == 0:
        raise InputError(
            f"the run in {out} has had its {settings.minutes:g} minutes already; give more with --minutes"
        )
    if not weights.exists():
        raise CheckpointError(
            "no model was written, held-out data never got a finite score; lower learning_rate"
        )
    click.echo(f"wrote {weights}; sort with it: ncpgui sort ... --model {weights}", err=True)


def _run(settings: TrainConfig, weights: Path, target: torch.device, resume: bool) -> int:
    """Iterate the training and report it; return the number of steps."""
    from ncpgui.engine.training.loop import train as train_network

    n_steps = 0
    command = " ".join(["ncpgui", *sys.argv[1:]])
    with progress_report("train") as progress:
        for step in train_network(settings, out=weights, device=target, resume=resume, command=command):
            n_steps += 1
            words = f"step {step.step}  {step.loss:.4f} nats a spike  accuracy {step.accuracy:.3f}"
            progress(round(1000 * min(step.minutes, settings.minutes)), round(1000 * settings.minutes), words)
            if step.validation is not None:
                click.echo(f"step {step.step}, held-out data: {_words(step.validation)}", err=True)
    return n_steps


def _words(scores: Scores) -> str:
    return (
        f"{scores.nll:.4f} nats a spike, adjusted Rand index {scores.ari:.3f}, "
        f"number of units off by {scores.k_error:+.2f}"
    )
