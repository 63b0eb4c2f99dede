"""``ncpgui templates``: cells and noise of one's own recordings, for a training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ncpgui.cli import options
from ncpgui.cli.commands import Command, examples
from ncpgui.cli.terminal import echo, notes, progress_report, tell
from ncpgui.core.counted import count
from ncpgui.core.errors import ExportError, InputError
from ncpgui.core.files import finish_files, make_folder

if TYPE_CHECKING:
    from ncpgui.core.spikes import Sorting
    from ncpgui.ephys.recording import Recording
    from ncpgui.sorting.own_templates import BuiltTemplates


@click.group(
    invoke_without_command=True,
    short_help="Measure templates and noise of your recordings, to train on them.",
)
@click.pass_context
def templates(ctx: click.Context) -> None:
    """Measure templates and noise of your own sorted recordings, for 'ncpgui train --reservoir --noise'."""
    if ctx.invoked_subcommand is None:
        for line in ctx.get_help().splitlines():
            echo(line)


@templates.command(
    cls=Command,
    short_help="Write a reservoir of cells and the noise.",
    epilog=examples(
        "ncpgui templates build phy_folder --out mine",
        "ncpgui train spikes-long --reservoir mine/reservoir.npz --noise mine/noise.npz",
    ),
)
@click.argument("sortings", metavar="SORTING...", nargs=-1, required=True, type=options.PATH)
@click.option(
    "--out",
    type=options.PATH,
    required=True,
    metavar="DIR|FILE.npz",
    help="DIR/reservoir.npz and DIR/noise.npz; or FILE.npz and FILE_noise.npz.",
)
@click.option(
    "--recording",
    "recordings",
    type=options.PATH,
    multiple=True,
    metavar="PATH",
    help="The recording of a SORTING that does not name it; once for each SORTING, in their order.",
)
@click.option("--probe", metavar="FILE|NAME", help="Where the contacts of a --recording are.")
@options.of_raw("--recording")
@click.option(
    "--share",
    type=options.Between(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    metavar="P",
    help="Share of the training's cells that are yours. The others are shipped, so that few units suffice.",
)
@click.option(
    "--min-spikes",
    type=click.IntRange(min=10),
    default=50,
    show_default=True,
    metavar="N",
    help="Leave out units with fewer spikes.",
)
@options.seed
@click.option("--overwrite", is_flag=True, help="Replace the files if they are there.")
def build(
    sortings: tuple[Path, ...],
    out: Path,
    recordings: tuple[Path, ...],
    share: float,
    min_spikes: int,
    seed: int,
    overwrite: bool,
    **of_recording: Any,
) -> None:
    """Measure the units of each SORTING and the noise between their spikes.

    A SORTING is a Phy or Kilosort folder, a SpikeInterface analyzer or a folder of 'ncpgui simulate', which
    know their recording, or a SpikeInterface sorting with --recording. Traces are filtered as for sorting.
    Units are left out if they are labelled noise or mua, have few spikes, or are less than 4 standard
    deviations of the noise deep. One unit in ten is kept for tests.

    Train on the files: ncpgui train spikes-long --reservoir DIR/reservoir.npz --noise DIR/noise.npz
    """
    reservoir, noise = _places(out, overwrite)
    if recordings and len(recordings) != len(sortings):
        raise InputError(
            f"--recording must be given once for each sorting, got {count(len(recordings), 'recording')} for "
            f"{count(len(sortings), 'sorting')}; leave it out where the sortings know their recordings"
        )
    if not recordings and any(value is not None for value in of_recording.values()):
        raise InputError(
            "--probe, --sampling-frequency, --n-channels and --dtype describe a --recording, which is "
            "missing; give it"
        )

    from ncpgui.sorting.own_templates import build_templates

    opened = [
        _opened(sorting, recordings[i] if recordings else None, of_recording)
        for i, sorting in enumerate(sortings)
    ]
    with progress_report("templates") as progress:
        made = not out.exists() and reservoir.parent == out
        if made:
            make_folder(out)
        try:
            built = build_templates(
                opened,
                reservoir=reservoir,
                noise=noise,
                share=share,
                min_spikes=min_spikes,
                seed=seed,
                replace_files=overwrite,
                progress=progress,
            )
        except BaseException:
            if made and not any(out.iterdir()):
                out.rmdir()
            raise
    for line in _report(built):
        tell(line)
    tell(f"wrote {reservoir} and {noise}")
    tell(f"train on them: ncpgui train spikes-long --reservoir {reservoir} --noise {noise}")


def _places(out: Path, overwrite: bool) -> tuple[Path, Path]:
    """Where reservoir and noise go, checked before the work."""
    if out.suffix == ".npz":
        files = out, out.with_name(f"{out.stem}_noise.npz")
    else:
        if out.exists() and not out.is_dir():
            raise ExportError(
                f"cannot write {out}: it is a file, but no .npz; give a folder, or a name in .npz"
            )
        files = out / "reservoir.npz", out / "noise.npz"
    finish_files(files)
    options.check_free(*files, overwrite=overwrite)
    options.check_output_place(files[0] if out.is_dir() else out)
    for file in files:
        if file.exists():
            options.check_output_file(file)
    return files


def _opened(sorting: Path, recording: Path | None, raw: dict[str, Any]) -> tuple[Recording, Sorting]:
    """A sorting and its recording, which must fit each other."""
    from ncpgui.ephys.readers import open_recording, open_sorting
    from ncpgui.ephys.sorted_recording import recording_of_sorting

    traces = open_recording(recording, **raw) if recording else recording_of_sorting(sorting)
    notes(*traces.notes)
    spikes = open_sorting(sorting, n_samples=traces.n_samples)
    if abs(spikes.sampling_frequency_hz - traces.sampling_frequency_hz) > 1e-3 * traces.sampling_frequency_hz:
        raise InputError(
            f"{sorting} is of a recording at {spikes.sampling_frequency_hz:g} Hz, but "
            f"{traces.reference.path} is at {traces.sampling_frequency_hz:g} Hz; give its own with "
            "--recording"
        )
    return traces, spikes


def _report(built: BuiltTemplates) -> list[str]:
    """Lines that tell what was measured."""
    shipped = ""
    if built.n_shipped:
        shipped = (
            f", beside {built.n_shipped} shipped ones; {built.share:.0%} of a training's draws are yours"
        )
    left_out = [f"left out: {count(n, 'unit')} {reason}" for reason, n in sorted(built.left_out.items())]
    median, largest = built.error
    noise = built.noise
    return [
        f"{count(built.n_cells, 'cell')}, {built.n_test} of them for test{shipped}",
        *left_out,
        f"sources reproduce the templates to {median:.1%} (median; {largest:.1%} at most); a unit is seen by "
        f"{built.contacts:g} contacts, {built.pitch_um:.0f} µm apart",
        f"noise: correlation {noise.shared_part:.2f} exp(-d / {noise.length_um:.0f} µm) between contacts, "
        f"{noise.autocorrelation[1]:.2f} after one sample of 20 kHz",
    ]
