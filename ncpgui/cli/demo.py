"""``ncpgui demo``: a simulated array, sorted with the shipped model and shown."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli import options
from ncpgui.cli.terminal import print_json, print_table, progress_report
from ncpgui.core.errors import InputError

if TYPE_CHECKING:
    from ncpgui.app.demo import DemoResult


@click.command()
@click.option(
    "--headless", is_flag=True, help="No window: write a picture of it, a Phy folder and the score."
)
@click.option(
    "--out",
    type=options.PATH,
    default=Path("demo-out"),
    show_default=True,
    metavar="DIR",
    help="Folder to write.",
)
@click.option(
    "--duration", type=click.FloatRange(min=5), default=60.0, show_default=True, metavar="S", help="Seconds."
)
@options.seed
@options.model
@options.device
@options.as_json
def demo(
    headless: bool, out: Path, duration: float, seed: int, model: str | None, device: str, as_json: bool
) -> int:
    """Simulate a 49-channel hexagonal array on a retina, sort it, and show it.

    DIR gets the recording with its true spikes, session.h5, phy/ and score.json; with --headless also
    screenshot.png. Without it the window opens, on the session of an earlier demo if DIR has one.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file; give a folder")
    session = out / "session.h5"
    if headless or not session.is_file():
        options.check_output_place(out)
        out.mkdir(exist_ok=True)
        result = _sorted(out, duration, seed, model, device, headless)
        if as_json:
            print_json(result.score)
        else:
            _print_score(result.score)
            click.echo(f"wrote {out}: {', '.join(sorted(path.name for path in out.iterdir()))}", err=True)
    if headless:
        return 0

    from ncpgui.gui.application import run

    return run(session) or 0


def _sorted(
    out: Path, duration: float, seed: int, model: str | None, device: str, headless: bool
) -> DemoResult:
    from ncpgui.app.demo import DemoSettings, run_demo

    with progress_report("demo") as progress:
        result = run_demo(out, DemoSettings(duration, seed, model, device), progress=progress)
    if headless:
        save_picture(result.session, out / "screenshot.png")
    return result


def save_picture(session: Path, path: Path) -> None:
    """Write a picture of the real window, drawn without a display, showing the most ambiguous group."""
    if sys.platform.startswith("linux") or "QT_QPA_PLATFORM" in os.environ:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

    from ncpgui.gui.screenshot import save_screenshot

    save_screenshot(session, path)


def _print_score(score: dict[str, Any]) -> None:
    everything, clear = score["summary"], score["summary_clear"]
    rows = [
        [
            name,
            str(values["true_units"]),
            str(values["well_detected"]),
            f"{values['mean_accuracy']:.2f}",
        ]
        for name, values in (("all true units", everything), ("of 6 noise sd and more", clear))
    ]
    print_table("", ["", "true units", "at accuracy >= 0.8", "mean accuracy"], rows)
    click.echo(
        f"{everything['found_units']} units found, {everything['false_units']} of them false, "
        f"{everything['overmerged_units']} merged; mean AMI of a channel {score['mean_ami']:.2f}; "
        f"{score['n_ambiguous_groups']} channels have more than one likely sorting"
    )
    click.echo(", ".join(f"{stage} {seconds:.0f} s" for stage, seconds in score["seconds"].items()))
