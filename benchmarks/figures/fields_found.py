"""Clear receptive fields of each sorter: Venn diagrams as in the paper (SM E), and fields side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.recordings.field_matching import Field, matches

from . import venn
from .base import FAINT, MODEL, SECOND, canvas

N_SHOWN = 18
"""Cells whose fields are shown, those found by one alone first."""


def draw(fields: Mapping[str, Sequence[Field]], ours: str, paper: Mapping[str, int]) -> Figure:
    """Draw diagrams of the paper and of each other sorter, and fields of ours beside the best other's."""
    others = [name for name in fields if name != ours]
    best = max(others, key=lambda name: len(fields[name]), default=None)
    both = paper["ours"] - paper["ours alone"]
    diagrams = [(("NCP", "Kilosort"), (paper["ours alone"], both, paper["theirs alone"]), "The paper")]
    for name in others:
        n = len(matches(fields[ours], fields[name]))
        numbers = (len(fields[ours]) - n, n, len(fields[name]) - n)
        diagrams.append(((ours, name), numbers, ""))
    columns = min(3, len(diagrams))
    lines = -(-len(diagrams) // columns)
    figure = canvas(2.3 * lines + (1.5 if best else 0.0))
    parts = figure.subfigures(2, 1, height_ratios=[2.3 * lines, 1.5]) if best else [figure]
    axes = np.atleast_1d(parts[0].subplots(lines, columns)).ravel()
    for ax in axes[len(diagrams) :]:
        ax.axis("off")
    for ax, (names, numbers, title) in zip(axes, diagrams, strict=False):
        size = 1.35 * np.sqrt(max(numbers[0] + numbers[1], numbers[1] + numbers[2], 1) / np.pi)
        venn.draw(ax, numbers, names, 1.35 * size)
        ax.set_title(title)
    if best is not None:
        _side_by_side(parts[1], fields[ours], fields[best], (ours, best))
    return figure


def in_order(first: Sequence[Field], second: Sequence[Field]) -> list[tuple[Field | None, Field | None]]:
    """Return fields by cell: of the first alone, of the second alone, of both."""
    pairs = matches(first, second)
    left, right = {i for i, _ in pairs}, {j for _, j in pairs}
    return [
        *((field, None) for i, field in enumerate(first) if i not in left),
        *((None, field) for j, field in enumerate(second) if j not in right),
        *((first[i], second[j]) for i, j in pairs),
    ]


def _side_by_side(
    part: Figure, first: Sequence[Field], second: Sequence[Field], names: tuple[str, str]
) -> None:
    shown = in_order(first, second)[:N_SHOWN]
    axes = part.subplots(2, max(len(shown), 1), squeeze=False)
    for row, name, colour in ((0, names[0], MODEL), (1, names[1], SECOND)):
        axes[row, 0].set_ylabel(name, color=colour, fontsize=8.5, rotation=0, ha="right", va="center")
        for ax, pair in zip(axes[row], shown, strict=False):
            _field(ax, pair[row], colour)


def _field(ax: Axes, field: Field | None, colour: str) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(True)
        spine.set_color(colour if field is not None else FAINT)
    ax.set_box_aspect(1)
    if field is None:
        return
    top = float(np.abs(field.spatial).max())
    ax.imshow(field.spatial, cmap="gray", vmin=-top, vmax=top, interpolation="nearest")
