"""Draw what the cells of reservoirs look like to contacts, beside published ranges.

Writes ``docs/method/reservoir.md`` and ``docs/figures/reservoir.png``, with the parametric and the
biophysical cells side by side. Every cell is seen from ten directions; `measured` says what is measured.

    python scripts/draw_reservoir.py [--reservoir resources/template_reservoir.npz] [--templates PNG]

--templates also draws thirty random templates of the biophysical cells on a hexagonal array and a tetrode.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

from build_template_reservoir import RATE_HZ, seen, trough_to_peak_ms  # noqa: E402
from marked_table import with_table  # noqa: E402

from benchmarks.common.report import SEED, Origin, made_by  # noqa: E402

Array = NDArray[np.float64]
FIGURE = ROOT / "docs" / "figures" / "reservoir.png"
PAGE = ROOT / "docs" / "method" / "reservoir.md"
RESULT = ROOT / "benchmarks" / "results" / "reservoir.json"
BEGIN = "<!-- measured: from scripts/draw_reservoir.py -->\n"
END = "<!-- end of measured -->\n"
COLORS = {"parametric": "#0072B2", "biophysical": "#D55E00"}  # Okabe and Ito
NEAR_UM, N_DIRECTIONS = 15.0, 10


@dataclass(frozen=True)
class Quantity:
    """A histogram between `edges`, in the unit of `label`; `about` and the page say what is shaded."""

    name: str
    label: str
    edges: tuple[float, float]
    shaded: tuple[float, float] | None
    about: str


QUANTITIES = (
    Quantity(
        "duration", "trough to peak (ms)", (-0.025, 1.225), (0.4, 0.5), "shaded: limit of narrow and wide"
    ),
    Quantity("asymmetry", "peak after the trough / trough", (0.0, 1.5), None, ""),
    Quantity(
        "decay", "distance for a fall by e (µm)", (0.0, 80.0), (21.6, 43.3), "shaded: dipole to monopole"
    ),
    Quantity("speed", "speed along the axon (m/s)", (0.0, 3.0), (0.48, 1.6), "shaded: human ganglion cells"),
    Quantity("extent", "radius above a fifth of the trough (µm)", (0.0, 150.0), None, ""),
    Quantity("lead", "bump before the trough / trough", (0.0, 1.0), None, ""),
)


def directions(n: int, rng: np.random.Generator) -> Array:
    """Unit vectors, uniform on the sphere: (n, 3)."""
    vectors = rng.normal(size=(n, 3))
    unit: Array = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def along_axon(position: Array, waveform: Array) -> float:
    """Speed between the fifth and the last source of a parametric cell, m/s; nan where the axon is weak."""
    grid = np.arange(0, waveform.shape[1] - 1, 0.05)
    if np.abs(waveform[4]).max() < 0.05:
        return float("nan")
    at = [grid[np.argmin(np.interp(grid, np.arange(waveform.shape[1]), waveform[i]))] for i in (4, 6)]
    way = np.linalg.norm(np.diff(position[4:7], axis=0), axis=1).sum()
    late_ms = (at[1] - at[0]) * 1e3 / RATE_HZ
    return float(1e-3 * way / late_ms) if late_ms > 0 else float("nan")


def measured(file: dict[str, NDArray[Any]], rng: np.random.Generator) -> dict[str, Array]:
    """Quantities of all cells of a file, those at contacts once per direction.

    duration, asymmetry, lead : at 15 um from the soma: time from trough to the highest point after it, that
        point over the trough, and the highest point before it over the trough
    positive : 1 where the largest deflection, seen from 15 um, is the positive one before or after
    decay : distance over which the trough falls by e from 20 to 80 um, by a line through its logarithm
    speed, extent : of the cell, as its builder measured them
    """
    rows: dict[str, list[float]] = {
        name: [] for name in ("duration", "asymmetry", "lead", "positive", "decay", "speed")
    }
    far = np.array([20.0, 30.0, 40.0, 55.0, 80.0])
    for index in range(len(file["is_test"])):
        position = file["source_position"][index].astype(float)
        waveform = file["source_waveform"][index].astype(float)
        shape = (float(file["softening_um"][index]), float(file["falloff"][index]))
        for direction in directions(N_DIRECTIONS, rng):
            potential = seen(position, waveform, *shape, np.outer([NEAR_UM, *far], direction))
            near, depth = potential[0], -potential.min(axis=1)
            trough = int(np.argmin(near))
            rows["duration"].append(trough_to_peak_ms(near))
            rows["asymmetry"].append(float(near[trough:].max() / depth[0]))
            rows["lead"].append(float(near[: trough + 1].max() / depth[0]))
            rows["positive"].append(float(near.max() > depth[0]))
            slope = np.polyfit(far, np.log(depth[1:]), 1)[0]
            rows["decay"].append(float(-1 / slope) if slope < 0 else np.inf)
        biophysical = "axon_speed_m_s" in file
        rows["speed"].append(
            float(file["axon_speed_m_s"][index]) if biophysical else along_axon(position, waveform)
        )
    return {**{name: np.array(row) for name, row in rows.items()}, "extent": file["extent_um"].astype(float)}


def of_both_kinds(path: Path) -> dict[str, dict[str, NDArray[Any]]]:
    """Parametric and biophysical cells of a file, each as a file of its own would be."""
    with np.load(path) as file:
        arrays = {name: array for name, array in file.items() if array.ndim}
    is_parametric = arrays["kind"] == "parametric"
    return {
        "parametric": {n: a[is_parametric] for n, a in arrays.items() if n != "axon_speed_m_s"},
        "biophysical": {n: a[~is_parametric] for n, a in arrays.items()},
    }


def draw_histograms(values: dict[str, dict[str, Array]], path: Path) -> None:
    """One panel per quantity, both kinds of cells as outlines of equal area."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(11, 6), layout="constrained")
    for axis, quantity in zip(axes.flat, QUANTITIES, strict=True):
        _histogram(axis, quantity, values)
    axes.flat[0].legend(frameon=False, loc="upper right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Description": made_by(Origin(SEED))})
    plt.close(figure)


def _histogram(axis: Axes, quantity: Quantity, values: dict[str, dict[str, Array]]) -> None:
    edges = np.linspace(*quantity.edges, 26)
    if quantity.shaded:
        axis.axvspan(*quantity.shaded, color="0.88", zorder=0)
    for kind, of_kind in values.items():
        finite = of_kind[quantity.name][np.isfinite(of_kind[quantity.name])]
        share = np.histogram(finite.clip(*quantity.edges), edges)[0] / max(1, len(finite))
        axis.stairs(share, edges, color=COLORS[kind], label=kind, linewidth=1.6)
    axis.set_xlim(*quantity.edges)
    axis.set_xlabel(quantity.label)
    axis.set_ylabel("share")
    axis.set_title(quantity.about, fontsize=9, color="0.4")
    axis.spines[["top", "right"]].set_visible(False)


def table(values: dict[str, dict[str, Array]], n_cells: dict[str, int]) -> str:
    """Medians and 5-95 % ranges as Markdown."""
    lines = ["| | " + " | ".join(f"{kind} ({n_cells[kind]} cells)" for kind in values) + " |"]
    lines.append("|---|" + "---|" * len(values))
    for quantity in QUANTITIES:
        cells = []
        for of_kind in values.values():
            finite = of_kind[quantity.name][np.isfinite(of_kind[quantity.name])]
            low, middle, high = np.quantile(finite, [0.05, 0.5, 0.95])
            cells.append(f"{middle:.2f} ({low:.2f}–{high:.2f})")
        lines.append(f"| {quantity.label} | " + " | ".join(cells) + " |")
    shares_above = (
        ("positive", 0.5, "largest deflection positive"),
        ("lead", 0.25, "bump before the trough above a quarter of it (triphasic)"),
    )
    for name, limit, label in shares_above:
        shares = [np.mean(of_kind[name] > limit) for of_kind in values.values()]
        lines.append(f"| {label} | " + " | ".join(f"{100 * share:.0f} %" for share in shares) + " |")
    return "\n".join(lines) + "\n"


def draw_templates(file: dict[str, NDArray[Any]], path: Path, rng: np.random.Generator) -> None:
    """Thirty random cells, 8-30 um from the middle contact of a hexagon, then of a tetrode."""
    import matplotlib.pyplot as plt

    angle = np.arange(6) * np.pi / 3
    hexagon = np.concatenate([np.zeros((1, 2)), 30 * np.column_stack([np.cos(angle), np.sin(angle)])])
    tetrode = 12.5 * np.array([[-1.0, -1], [1, -1], [-1, 1], [1, 1]])
    figure, axes = plt.subplots(6, 10, figsize=(20, 13), layout="constrained")
    picks = rng.permutation(len(file["is_test"]))[:30]
    for axis in axes.flat:
        axis.set_axis_off()
    for n, index in enumerate(picks):
        for block, contacts in enumerate((hexagon, tetrode)):
            axis = axes[2 * (n // 10) + block, n % 10]
            rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            place = np.array([*rng.normal(size=2) * 8, np.exp(rng.uniform(np.log(8), np.log(30)))])
            position = file["source_position"][index].astype(float) @ rotation.T + place
            template = seen(
                position, file["source_waveform"][index].astype(float), float(file["softening_um"][index]),
                float(file["falloff"][index]), np.column_stack([contacts, np.zeros(len(contacts))]),
            )  # fmt: skip
            template = template / np.abs(template).max()
            time = np.linspace(-11, 11, template.shape[1])
            for contact, row in zip(contacts, template, strict=True):
                axis.plot(contact[0] + time, contact[1] + 18 * row, color="k", linewidth=0.9)
            axis.set_title(f"{file['kind'][index] if 'kind' in file else ''} {index}", fontsize=8)
    figure.savefig(path, dpi=70)
    plt.close(figure)


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--reservoir", type=Path, default=ROOT / "resources" / "template_reservoir.npz", metavar="FILE"
    )
    parser.add_argument("--templates", type=Path, help="picture of thirty templates")
    arguments = parser.parse_args()
    files = of_both_kinds(arguments.reservoir)
    values = {kind: measured(file, np.random.default_rng(SEED)) for kind, file in files.items()}
    draw_histograms(values, FIGURE)
    n_cells = {kind: len(file["is_test"]) for kind, file in files.items()}
    text = PAGE.read_text(encoding="utf-8")
    origin = Origin(SEED)
    told = f"{table(values, n_cells)}\n{made_by(origin)}\n"
    kept = {"origin": origin.told(), "cells": n_cells}
    RESULT.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(with_table(text, told, BEGIN, END), encoding="utf-8")
    if arguments.templates:
        draw_templates(files["biophysical"], arguments.templates, np.random.default_rng(1))


if __name__ == "__main__":
    main()
