"""``ncpgui train``: fit a network for one's own probe and preparation."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from ncpgui.cli import options
from ncpgui.cli.commands import Command, examples
from ncpgui.cli.evaluate import evaluated, evaluation_files, print_summary
from ncpgui.cli.terminal import has_a_person, progress_report, tell
from ncpgui.core.errors import CheckpointError, InputError
from ncpgui.core.files import make_folder
from ncpgui.core.progress import CancelFlag, Cancelled, silent

if TYPE_CHECKING:
    from ncpgui.engine.training.config import TrainConfig
    from ncpgui.engine.training.loop import TrainStep
    from ncpgui.engine.training.processes import Processes


class _WithPresets(Command):
    """A command whose help ends with the presets that there are."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of presets, and the examples."""
        from ncpgui.engine.training.presets import PRESETS

        with formatter.section("Presets"):
            formatter.write_dl([(name, preset.about) for name, preset in PRESETS.items()])
        super().format_epilog(ctx, formatter)


@click.command(
    cls=_WithPresets,
    short_help="Train a network for your own probe and preparation.",
    epilog=examples(
        "ncpgui train spikes --minutes 90",
        "ncpgui train spikes --resume --minutes 180",
    ),
)
@click.argument("config", metavar="NAME|CONFIG.toml")
@click.option(
    "--minutes",
    type=options.Between(min=0, min_open=True),
    metavar="M",
    help="Wall-clock length of the run, with what came before --resume.",
    show_default="as the preset says",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="N",
    help="Length of the run in steps, not in minutes.",
)
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped.")
@click.option("--overwrite", is_flag=True, help="Start over, and replace the model that is there.")
@click.option("--tensorboard", is_flag=True, help="Write the curves to DIR/NAME.tensorboard too.")
@click.option(
    "--evaluate",
    type=options.Choice(["quick", "full"]),
    help="Evaluate the finished model too, as 'ncpgui evaluate' does.",
)
@options.device
@click.option(
    "--out",
    type=options.PATH,
    default=Path("runs"),
    show_default=True,
    metavar="DIR",
    help="Where the model goes.",
)
@click.option("--seed", type=int, metavar="N", show_default="0", help="Seed of the weights and of all data.")
@click.option("--start-from", metavar="NAME|FILE", help="Begin with the weights of a model.")
@click.option(
    "--reservoir",
    type=options.PATH,
    metavar="FILE.npz",
    help="Your own cells, from 'ncpgui templates build'.",
)
@click.option("--noise", type=options.PATH, metavar="FILE.npz", help="Your own noise, from the same command.")
def train(
    config: str,
    minutes: float | None,
    steps: int | None,
    resume: bool,
    overwrite: bool,
    tensorboard: bool,
    evaluate: str | None,
    device: str,
    out: Path,
    seed: int | None,
    start_from: str | None,
    reservoir: Path | None,
    noise: Path | None,
) -> None:
    """Train the network of a preset, or of a TOML file with the settings of a run.

    The model is written to DIR/NAME.safetensors with its card DIR/NAME.json each time that held-out data
    score better. Ctrl-C stops the run after the step that it is at; --resume goes on from there, or, when
    the run was killed, from at most a minute before. Sort with the model: ncpgui sort ... --model
    DIR/NAME.safetensors

    On several GPUs: torchrun --nproc_per_node=2 -m ncpgui train NAME
    """
    from ncpgui.engine.training.presets import load_config
    from ncpgui.engine.training.processes import joined

    if minutes is not None and steps is not None:
        raise click.UsageError("--minutes and --steps both say how long a run is; give one of them")
    settings = load_config(config, start_from=start_from)
    if minutes is not None:
        settings = replace(settings, minutes=minutes, steps=0)
    if steps is not None:
        settings = replace(settings, steps=steps)
    if seed is not None:
        settings = replace(settings, seed=seed)
    if reservoir is not None or noise is not None:
        settings = _on_own_spikes(settings, reservoir, noise)
    weights = out / f"{Path(config).stem}.safetensors"
    replaces = resume or overwrite
    length = f"{settings.steps} steps" if settings.steps else f"{settings.minutes:g} minutes"
    with joined(device) as processes:
        if not processes.is_first:
            _run(settings, weights, processes, resume=resume, tensorboard=False)
            return
        if evaluate is not None:
            options.check_free(*evaluation_files(out, weights.stem), overwrite=replaces)
        with _checked_folder(weights, replaces=replaces):
            shared = f" in {processes.count} processes" if processes.count > 1 else ""
            tell(f"training '{weights.stem}' on {processes.device}{shared} for {length}")
            n_steps = _run(settings, weights, processes, resume=resume, tensorboard=tensorboard)
        if n_steps == 0:
            raise InputError(
                f"the run in {out} has had its {length} already; give more with --minutes or --steps"
            )
        if not weights.exists():
            raise CheckpointError(
                "no model was written, held-out data never got a finite score; lower learning_rate"
            )
        if settings.temperature_datasets:
            _calibrate(settings, weights)
        use = f"; sort with it: ncpgui sort ... --model {weights}" if settings.noun == "spike" else ""
        tell(f"wrote {weights}{use}")
        if evaluate is not None:
            result, wrote = evaluated(
                str(weights), out, seed=0, quick=evaluate == "quick", device=device, overwrite=replaces
            )
            print_summary(result, expected={})
            tell(wrote)


def _on_own_spikes(settings: TrainConfig, reservoir: Path | None, noise: Path | None) -> TrainConfig:
    """Put files of ``ncpgui templates build`` into the options of the spike model.

    They are read once, so that what is wrong with them is said before the run begins.
    """
    if settings.data.model != "spikes":
        raise InputError(
            f"--reservoir and --noise are for the generative model 'spikes', this run has "
            f"'{settings.data.model}'; leave them out, or train 'spikes'"
        )
    chosen = dict(settings.data.options)
    if reservoir is not None:
        chosen["reservoir"] = str(reservoir)
    if noise is not None:
        chosen["noise"] = {**chosen["noise"], "measured": str(noise)}
    data = replace(settings.data, options=chosen)
    data.build("train")
    return replace(settings, data=data)


def _run(
    settings: TrainConfig, weights: Path, processes: Processes, *, resume: bool, tensorboard: bool
) -> int:
    """Iterate the training and report it; return the number of steps."""
    from ncpgui.engine.training.event_log import EventLog, log_folder, require_tensorboard
    from ncpgui.engine.training.loop import train as train_network
    from ncpgui.engine.training.resume import resume_path

    if tensorboard:
        require_tensorboard()
    n_steps, log, report = 0, None, _Report(settings)
    with ExitStack() as stack:
        flag = stack.enter_context(_stopping_between_steps())
        shown = stack.enter_context(progress_report("train")) if processes.is_first else silent
        progress = flag.guard(shown)
        steps = train_network(
            settings,
            out=weights,
            processes=processes,
            resume=resume,
            command=" ".join(["ncpgui", *sys.argv[1:]]),
            progress=flag.guard(),
        )
        stack.enter_context(closing(steps))
        try:
            for step in steps:
                n_steps += 1
                if processes.is_first and tensorboard:
                    if log is None:
                        log = EventLog(log_folder(weights), first_step=step.step)
                        stack.callback(log.close)
                    log.write(step)
                if processes.is_first and step.validation is not None:
                    tell(report.of_validation(step))
                progress(*report.of_step(step))
        except (Cancelled, KeyboardInterrupt):
            steps.close()  # which saves the state
            if processes.is_first and resume_path(weights).exists():
                tell(f"stopped; the run in {weights.parent} goes on with --resume")
            raise
    return n_steps


def _calibrate(settings: TrainConfig, weights: Path) -> None:
    """Fit the temperature of the finished model, and say what it is."""
    from ncpgui.engine.calibrated_model import calibrate_model

    with progress_report("calibrate") as progress:
        fit = calibrate_model(weights, settings, progress=progress)
    tell(f"temperature {fit.temperature:.2f}: probabilities come true best there")


class _Report:
    """Words for people: what a step did, beside the last scores on held-out data."""

    def __init__(self, settings: TrainConfig) -> None:
        self._settings = settings
        self._held_out = ""

    def of_step(self, step: TrainStep) -> tuple[int, int, str]:
        """Return how much is done, of how much, and the line."""
        settings = self._settings
        parts = [f"step {step.step}", f"{step.loss:.4f} nats a {settings.noun}"]
        if step.accuracy is not None:
            parts.append(f"accuracy {step.accuracy:.3f}")
        if self._held_out:
            parts.append(self._held_out)
        if not has_a_person(sys.stderr):  # the bar tells the time itself
            parts.append(f"{_duration(step.minutes_left)} left")
        done, total = 1000 * min(step.minutes, settings.minutes), 1000 * settings.minutes
        if settings.steps:
            done, total = step.step, settings.steps
        return round(done), round(total), "  ".join(parts)

    def of_validation(self, step: TrainStep) -> str:
        """Return the line about held-out data, and keep them for the lines of steps to come."""
        scores = step.validation
        assert scores is not None
        self._held_out = f"held out {scores.nll:.4f}, ARI {scores.ari:.3f}"
        return (
            f"step {step.step}, held-out data: {scores.nll:.4f} nats a {self._settings.noun}, adjusted Rand "
            f"index {scores.ari:.3f}, number of clusters off by {scores.k_error:+.2f}"
        )


def _duration(minutes: float) -> str:
    """Minutes in words: "45 s", "12 min", "3 h 05 min"."""
    if minutes < 1:
        return f"{60 * minutes:.0f} s"
    whole = round(minutes)
    return f"{whole // 60} h {whole % 60:02d} min" if whole >= 60 else f"{whole} min"


@contextmanager
def _stopping_between_steps() -> Iterator[CancelFlag]:
    """Ctrl-C and SIGTERM set a flag, so that a step is never left half done; a second Ctrl-C acts at once."""
    flag = CancelFlag()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(signum: int, frame: FrameType | None) -> None:
        flag.cancel()
        signal.signal(signal.SIGINT, before[signal.SIGINT])

    for number in before:
        signal.signal(number, stop)
    try:
        yield flag
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _checked_folder(weights: Path, *, replaces: bool) -> Iterator[None]:
    """Make the folder of a run, unless it holds another run; it is gone again if nothing was written."""
    from ncpgui.engine.training.resume import resume_path

    out = weights.parent
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file; give a folder for the model")
    there = [path for path in (weights, resume_path(weights)) if path.exists()]
    if there and not replaces:
        raise InputError(
            f"{there[0]} exists; --resume goes on with that run, --overwrite starts over; or give another "
            "folder with --out"
        )
    options.check_output_place(out)
    made = not out.exists()
    make_folder(out)
    try:
        yield
    finally:
        if made:
            with suppress(OSError):  # it holds something
                out.rmdir()
