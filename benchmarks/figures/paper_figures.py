"""The figures of the paper with the trained models: docs/figures/*.png and the page docs/paper_figures.md.

    python -m benchmarks.figures.paper_figures [NAME ...] [--out docs/figures] [--models trained_models]

Each figure is a file of benchmarks/figures; the words of the page are in benchmarks/figures/page.md. What was
measured is kept beside the figures, so that the page can be written again when one figure is remade.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.common.report import Origin, made_by
from benchmarks.figures.words import CARD, MEASURED, page_of
from ncpgui.core.resources import data_folder
from ncpgui.engine.networks.model_files import load_card

try:
    from benchmarks.figures import base, digits, geweke, last_point, learning, ncp_ccp, particles, samples
except ModuleNotFoundError as error:
    if error.name != "matplotlib":
        raise
    sys.exit("figures need matplotlib; get it with: pip install matplotlib")

FIGURES: dict[str, ModuleType] = {
    "samples": samples,  # sec. 5: 2D Gaussians, samples with probabilities
    "last_point": last_point,  # sec. 7: against an analytical probability
    "geweke": geweke,  # sec. 7: the number of clusters against the prior
    "learning": learning,  # SM C: NLL and its spread over orders during training
    "digits": digits,  # sec. 5: handwritten digits
    "particles": particles,  # SM F: tracks
    "ncp_ccp": ncp_ccp,  # SM A: samples of both, and clock times
}
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Make the figures asked for; 1 when a model was missing."""
    arguments = _arguments()
    source = base.Source(
        arguments.models,
        seed=arguments.seed,
        quick=arguments.quick,
        mnist_folder=arguments.mnist,
        retrain=arguments.retrain,
    )
    left_out = []
    for name in arguments.names or FIGURES:
        figure = FIGURES[name]
        missing = [model for model in figure.MODELS if not source.has(model)]
        if missing:
            print(f"{name}: left out, no model {' and '.join(missing)} in {arguments.models}")
            left_out.append(name)
            continue
        started = time.perf_counter()
        with base.style():
            made = figure.make(source)
        path = arguments.out / f"{name}.png"
        origin = Origin(
            source.seed, models={model: source.models / f"{model}.safetensors" for model in figure.MODELS}
        )
        base.save(made.figure, path, made_by=made_by(origin))
        _keep(arguments.out / MEASURED, name, made.measured, source, origin)
        print(
            f"{path}: {path.stat().st_size / 1000:.0f} kB, {time.perf_counter() - started:.0f} s", flush=True
        )
    if (arguments.out / MEASURED).is_file():
        page = arguments.out.parent / "paper_figures.md"
        page.write_text(page_of(arguments.out), encoding="utf-8")
        print(page)
    return 1 if left_out else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"figures, of {', '.join(FIGURES)}  [all]")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "figures", help="folder  [docs/figures]")
    parser.add_argument(
        "--models", type=Path, default=data_folder("trained_models"), help="folder  [the shipped models]"
    )
    parser.add_argument("--quick", action="store_true", help="few datasets and draws, for a first look")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mnist", default="", metavar="FOLDER", help="MNIST's own files, for `digits`")
    parser.add_argument("--retrain", action="store_true", help="train again for `learning`")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in FIGURES]
    if unknown:
        parser.error(f"no figure {', '.join(unknown)}; there are {', '.join(FIGURES)}")
    return arguments


def _keep(path: Path, name: str, measured: dict[str, Any], source: base.Source, origin: Origin) -> None:
    """Put what was measured for a figure among what is kept of the others."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    cards = {model: load_card(Path(file)) for model, file in origin.models.items()}
    about = {
        "quick": source.quick,
        "origin": origin.told(),
        "models": {model: {key: card.get(key) for key in CARD} for model, card in cards.items()},
    }
    kept[name] = {**measured, "about": about}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
