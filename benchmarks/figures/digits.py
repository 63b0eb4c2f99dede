"""Samples of the clusters of 20 handwritten digits that training never saw (paper, Fig. mnist)."""

from __future__ import annotations

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.engine.diagnostics.posteriors import posterior_of
from ncpgui.engine.generative.digit_mixture import DigitMixture

from .base import INK, SOFT, Made, Source, canvas, colour, data_of
from .partitions import Labels, distinct_samples, in_colours_of

MODELS = ("digits",)

DATASET, N_POINTS = 163, 20
"""Seed of the dataset, drawn from the test images; chosen for images unlike others of their digit."""
N_SHOWN = 5

Images = NDArray[np.floating]


def make(source: Source) -> Made:
    """Draw samples of one dataset of test images."""
    checkpoint = source.load("digits")
    posterior = posterior_of(checkpoint.network)
    data = data_of(checkpoint, **({"mnist_folder": source.mnist_folder} if source.mnist_folder else {}))
    assert isinstance(data, DigitMixture)
    trained = (checkpoint.card["input"]["height"], checkpoint.card["input"]["width"])
    if data.image_size != trained:
        raise InputError(
            f"model 'digits' was trained on images of {trained[0]} x {trained[1]} pixels, the data have "
            f"{data.image_size[0]} x {data.image_size[1]}; give --models a folder with a model of such images"
        )
    batch = data.sample(1, N_POINTS, torch.Generator().manual_seed(DATASET))
    by_digit = batch.labels[0].argsort(stable=True)  # in the order of the truth, so that errors stand out
    points, truth = (batch.points[0][:, by_digit],), canonical(batch.labels[0][by_digit].numpy())
    found = distinct_samples(posterior, points, n_draws=source.amount(1000, 200), seed=source.seed)
    images, q = points[0][0].numpy(), np.exp(found.log_q)

    figure = canvas(3.05)
    ax = figure.subplots()
    _row(ax, images, 0, None, None)
    for i, labels in enumerate(found.labels[:N_SHOWN]):
        _row(ax, images, i + 1, in_colours_of(found.labels[0], labels), found.labels[0])
        ax.text(-0.62, i + 1.35, f"{q[i]:.3f}", ha="right", va="center", fontweight="bold")
    ax.text(-0.62, 0, "images", ha="right", va="center")
    _truth(ax, truth)
    ax.set(xlim=(-2.0, N_POINTS - 0.4), ylim=(N_SHOWN + 0.9, -0.5), aspect="equal")
    ax.set_axis_off()
    place = [i for i, row in enumerate(found.labels) if (row == truth).all()]
    measured = {
        "n_points": N_POINTS,
        "n_digits": int(truth.max()) + 1,
        "origin": " of MNIST" if data.settings.mnist_folder else " (scikit-learn's)",
        "side": data.image_size[0],
        "n_shown": N_SHOWN,
        "n_different": len(q),
        "q": q[:N_SHOWN].tolist(),
        "q_shown": float(q[:N_SHOWN].sum()),
        "truth": f"number {place[0] + 1} of all that were drawn, with q = {q[place[0]]:.3f}"
        if place
        else "not among those drawn",
        "ari": [adjusted_rand_score(row, truth) for row in found.labels[:N_SHOWN]],
        "scores": checkpoint.card["scores"],
        "validate_points": checkpoint.card["training"]["validate_points"],
    }
    return Made(figure, measured)


def _row(ax: Axes, images: Images, row: int, number: Labels | None, reference: Labels | None) -> None:
    """Draw a row of images, in the colours of their clusters; a dotted frame where not as in `reference`."""
    top = row + (0.35 if row else 0.0)  # the observations stand apart
    for i, image in enumerate(images):
        ink = INK if number is None else colour(number[i])
        rgba = np.empty((*image.shape, 4))
        rgba[..., :3] = to_rgb(ink)
        rgba[..., 3] = image
        ax.add_patch(Rectangle((i - 0.45, top - 0.45), 0.9, 0.9, color=ink, alpha=0.09, linewidth=0))
        ax.imshow(
            rgba, extent=(i - 0.45, i + 0.45, top + 0.45, top - 0.45), interpolation="nearest", zorder=2
        )
        if number is not None and reference is not None and number[i] != reference[i]:
            frame = Rectangle((i - 0.47, top - 0.47), 0.94, 0.94, fill=False, edgecolor=INK, zorder=3)
            frame.set(linewidth=1.2, linestyle=(0, (1, 1.4)))
            ax.add_patch(frame)


def _truth(ax: Axes, truth: Labels) -> None:
    """Draw a line below all images of one digit, which lie side by side."""
    for k in range(int(truth.max()) + 1):
        (place,) = np.nonzero(truth == k)
        ax.plot([place[0] - 0.4, place[-1] + 0.4], [0.66, 0.66], color=SOFT, linewidth=1.4)
