"""What the figures share: where models come from, one quiet style, and the colours of clusters.

Colours are those of `ncpgui.app.model.colors`, told apart with any colour vision; what is exact is dark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import NullLocator

from ncpgui.app.model.colors import LIGHT
from ncpgui.core.config import from_dict
from ncpgui.core.errors import InputError
from ncpgui.engine.diagnostics.figure import FAINT, INK, MODEL, SECOND, SOFT, STYLE
from ncpgui.engine.generative.batch import GenerativeModel
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.checkpoint import Checkpoint, load_checkpoint

__all__ = ["FAINT", "INK", "MODEL", "SECOND", "SOFT"]

WIDTH = 9.6
"""Inches; at `DOTS_PER_INCH` a figure is as wide as a page of text on a screen."""
DOTS_PER_INCH = 140
CLUSTERS = LIGHT
"""Colour of each cluster, in the order of the first one's appearance."""


@dataclass(frozen=True)
class Source:
    """Where the figures get what they show.

    models : folder of the trained models; quick : fewer datasets, for a look
    mnist_folder : MNIST's own files, for a model of 28 x 28 pixels
    retrain : train again where a training run has been kept
    """

    models: Path
    seed: int = 0
    quick: bool = False
    mnist_folder: str = ""
    retrain: bool = False

    def has(self, name: str) -> bool:
        """Whether there is such a model."""
        return (self.models / f"{name}.safetensors").is_file()

    def load(self, name: str) -> Checkpoint:
        """Load a model of the folder."""
        return load_checkpoint(self.models / f"{name}.safetensors")

    def amount(self, usual: int, quick: int) -> int:
        """A number of datasets or draws."""
        return quick if self.quick else usual


@dataclass(frozen=True)
class Made:
    """A figure, and the plain values that `page.md` says of it."""

    figure: Figure
    measured: dict[str, Any]


def data_of(checkpoint: Checkpoint, **options: Any) -> GenerativeModel:
    """Build the generative model that a network was trained on, on data that it never saw."""
    settings = from_dict(GenerativeSettings, checkpoint.card["training"]["data"], place=checkpoint.name)
    return GenerativeSettings(settings.model, {**settings.options, **options}).build("test")


def gaussian_of(checkpoint: Checkpoint) -> GaussianDPMM:
    """Build the Gaussian mixture that a network was trained on.

    Raises
    ------
    InputError
        It was trained on something else.
    """
    model = data_of(checkpoint)
    if not isinstance(model, GaussianDPMM):
        raise InputError(
            f"model '{checkpoint.name}' was trained on {type(model).__name__}, not on 2D Gaussians"
        )
    return model


def canvas(height: float, width: float = WIDTH) -> Figure:
    """Return an empty figure, in inches; to be called and drawn within `style`."""
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06))
    FigureCanvasAgg(figure)
    return figure


def style() -> Any:
    """Return the context in which figures are drawn."""
    return mpl.rc_context({**STYLE, "font.size": 10, "axes.titlesize": 10.5, "legend.fontsize": 9.5})


def save(figure: Figure, path: Path, *, made_by: str) -> None:
    """Write a figure as a PNG, which holds how it was made as its description."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with style():
        figure.savefig(
            path,
            format="png",
            dpi=DOTS_PER_INCH,
            facecolor="white",
            metadata={"Description": made_by},
            pil_kwargs={"optimize": True},
        )


def bare(ax: Axes) -> None:
    """Leave a thin frame and no ticks: a plane whose units do not matter."""
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(True)
        spine.set_color(FAINT)


def plain_ticks(axis: Axis, places: Iterable[float]) -> None:
    """Put ticks of a logarithmic axis at those of the places that it shows, as plain numbers."""
    low, high = sorted(axis.get_view_interval())
    axis.set_ticks([at for at in places if low <= at <= high])
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())


def colour(cluster: int) -> str:
    """Colour of a cluster by number; they come again after ten."""
    return CLUSTERS[cluster % len(CLUSTERS)]
