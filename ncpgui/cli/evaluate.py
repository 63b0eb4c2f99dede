"""``ncpgui evaluate``: is the posterior of a trained model right?"""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from ncpgui.cli import options
from ncpgui.cli.commands import command, examples
from ncpgui.cli.terminal import echo, print_json, print_table, progress_report, tell
from ncpgui.core.errors import InputError

NO_FIGURE = "no figure: matplotlib is not installed; get it with: pip install matplotlib"


@command(
    short_help="Check how far the probabilities of a trained model can be trusted.",
    epilog=examples(
        "ncpgui evaluate spikes --quick",
        "ncpgui evaluate runs/spikes.safetensors --out runs",
    ),
)
@click.argument("model", metavar="NAME|FILE")
@click.option(
    "--out",
    type=options.PATH,
    default=Path(),
    metavar="DIR",
    help="Where NAME.evaluation.json and NAME.evaluation.png go.",
    show_default="this folder",
)
@options.seed
@click.option("--quick", is_flag=True, help="About a tenth of the data, for a first look.")
@options.device
@click.option("--overwrite", is_flag=True, help="Replace the files of an earlier check.")
@options.as_json
def evaluate(
    model: str, out: Path, seed: int, quick: bool, device: str, overwrite: bool, as_json: bool
) -> None:
    """Check the posterior of a shipped model, or of a .safetensors file, on held-out data.

    The data are simulated as for the training, but from cells or images that the training did not use. The
    training did use their scores, to choose which weights to keep.

    For every model, the command measures the held-out likelihood, the dependence on the order of the points,
    the calibration of the probabilities, and the ranks of the truth among posterior draws. For models of 2D
    Gaussians the exact posterior is known; for them it also measures the distance from it, and runs Geweke's
    test, importance weights and Gibbs sampling.

    It writes NAME.evaluation.json with all figures, and NAME.evaluation.png with a picture of them.
    """
    result, wrote = evaluated(model, out, seed=seed, quick=quick, device=device, overwrite=overwrite)
    if as_json:
        print_json(result)
    else:
        print_summary(result, expected_of(model))
    tell(wrote)


def evaluation_files(out: Path, name: str) -> tuple[Path, Path]:
    """Where the figures of a model go, and their picture."""
    return out / f"{name}.evaluation.json", out / f"{name}.evaluation.png"


def evaluated(
    model: str, out: Path, *, seed: int, quick: bool, device: str, overwrite: bool
) -> tuple[dict[str, Any], str]:
    """Evaluate a model and write both files: all figures, and the line that says what was written.

    overwrite : whether files of an earlier check are replaced

    Raises
    ------
    InputError, ExportError
        `out` is a file, or cannot be written, or there are files of an earlier check in it.
    CheckpointError
        The model cannot be loaded.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file; give a folder")

    from ncpgui.core.files import finish_files, make_folder, replaced_files
    from ncpgui.engine.networks.model_files import find_model

    path = find_model(model)
    figures, picture = evaluation_files(out, path.stem)
    finish_files((figures, picture))
    options.check_free(figures, picture, overwrite=overwrite)
    options.check_output_place(figures if out.is_dir() else out)

    from ncpgui.engine.device import resolve_device
    from ncpgui.engine.diagnostics.evaluate import evaluate as run
    from ncpgui.engine.diagnostics.figure import draw_evaluation
    from ncpgui.engine.networks.checkpoint import load_checkpoint

    checkpoint = load_checkpoint(path, device=resolve_device(device))
    with progress_report("evaluate") as progress:
        result = run(
            checkpoint,
            seed=seed,
            quick=quick,
            command=shlex.join(["ncpgui", *sys.argv[1:]]),
            progress=progress,
        )
    make_folder(out)
    drawn = importlib.util.find_spec("matplotlib") is not None
    with replaced_files((figures, picture) if drawn else (figures,), replace=overwrite) as files:
        files[0].write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        if drawn:
            draw_evaluation(result, files[1])
    return result, f"wrote {figures}{f' and {picture}' if drawn else f'; {NO_FIGURE}'}"


def expected_of(model: str) -> dict[str, float]:
    """Figures of the whole check of a model, by their names, as its card has them; empty of one's own."""
    from ncpgui.engine.networks.model_files import find_model, load_card

    expected: dict[str, float] = load_card(find_model(model)).get("evaluation", {})
    return expected


def print_summary(result: dict[str, Any], expected: dict[str, float]) -> None:
    """Print the figures, each beside what the model's card expects and beside the goal of its training."""
    rows = [_cells(row, expected) for row in result["summary"]]
    print_table(["figure", "value", "expected", "goal"], rows)
    if expected:
        echo()
        echo("expected: what the full check found for this model; a quick one differs by its error")


def _cells(row: dict[str, Any], expected: dict[str, float]) -> list[str]:
    value = "-" if row["value"] is None else f"{row['value']:.3g}"
    if row["se"] is not None:
        value += f" +- {row['se']:.2g}"
    before = f"{expected[row['what']]:.3g}" if row["what"] in expected else ""
    if row["target"] is None:
        return [row["what"], value, before, ""]
    is_near = row["se"] is not None and row["value"] - 2 * row["se"] <= row["target"]
    verdict = "" if row["met"] else ", within its error" if is_near else ", not reached"
    return [row["what"], value, before, f"at most {row['target']:g}{verdict}"]
