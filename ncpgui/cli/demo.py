"""``ncpgui demo``: a simulated array, sorted with the shipped model and shown."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.gui import check_display, open_window
from ncpgui.cli.terminal import echo, print_json, print_table, progress_report, tell
from ncpgui.core.counted import count
from ncpgui.core.errors import ExportError
from ncpgui.core.files import make_folder

if TYPE_CHECKING:
    from ncpgui.app.demo import DemoResult

OURS = ("recording", "session.*", "phy", "score.json", "screenshot.png", ".*")
"""What a demo leaves in its folder, as patterns; other folders are not touched."""


@command(
    short_help="Simulate an array on a retina, sort it and show it.",
    epilog=examples(
        "ncpgui demo",
        "ncpgui demo --headless --duration 30",
    ),
)
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
    "--duration", type=options.Between(min=5), default=60.0, show_default=True, metavar="S", help="Seconds."
)
@options.seed
@options.model
@options.device
@options.as_json
def demo(
    headless: bool, out: Path, duration: float, seed: int, model: str | None, device: str, as_json: bool
) -> int:
    """Simulate a 49-channel hexagonal array on a retina, sort it, and show it.

    DIR gets the recording with its true spikes, session.h5, phy/ and score.json. If DIR has an earlier demo,
    the window opens on its session. With --headless, the demo is always made anew, and screenshot.png is
    written instead of opening the window.
    """
    check_folder(out)
    if not headless:
        check_display()
    session = out / "session.h5"
    if headless or not session.is_file():
        make_folder(out)
        result = _sorted(out, duration, seed, model, device, headless)
        if as_json:
            print_json(result.score)
        else:
            _print_score(result.score)
            tell(f"wrote {out}: {', '.join(sorted(path.name for path in out.iterdir()))}")
    return 0 if headless else open_window(session)


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but an earlier demo, which is replaced.

    Raises
    ------
    ExportError
        As said, or the folder cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise ExportError(f"--out {folder} is a file; give a folder")
    options.check_output_place(folder)
    if not folder.is_dir():
        return
    options.check_output_place(folder / "recording")
    others = [p.name for p in folder.iterdir() if not any(p.match(pattern) for pattern in OURS)]
    recording = folder / "recording"
    if others or (recording.exists() and not (recording / "recording.json").is_file()):
        name = others[0] if others else "recording"
        raise ExportError(f"{folder} holds {name}, which is not of a demo; give another folder with --out")


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
    """Write a picture of the real window, drawn without a display, showing the most ambiguous component."""
    if sys.platform.startswith("linux") or "QT_QPA_PLATFORM" in os.environ:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        os.environ.setdefault("QT_FONT_DPI", "96")  # one pixel of the picture for one of the window

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
    print_table(["", "true units", "at accuracy >= 0.8", "mean accuracy"], rows)
    echo(
        f"{count(everything['found_units'], 'unit')} found, {everything['false_units']} of them false, "
        f"{everything['overmerged_units']} merged; mean AMI of a component {score['mean_ami']:.2f}; "
        f"{count(score['n_ambiguous_components'], 'component')} with more than one likely sorting"
    )
    echo(", ".join(f"{stage} {seconds:.0f} s" for stage, seconds in score["seconds"].items()))
