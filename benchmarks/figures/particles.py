"""Tracks of particles, one of which is seen at a time, and samples of who was seen (paper, SM F)."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from ncpgui.core.errors import InputError
from ncpgui.engine.generative.particle_tracks import ParticleTracks
from ncpgui.engine.networks.npt import FadingNetwork
from ncpgui.engine.sampling.tracking import track_samples

from .base import INK, SOFT, Made, Source, canvas, colour, data_of
from .partitions import Labels, in_colours_of, most_probable_first

MODELS = ("particles",)

DATASET, N_POINTS = 30, 40
"""Seed of the dataset, drawn by the generative model; chosen for how much can be doubted in it."""
N_SHOWN = 3

Array = NDArray[np.floating]


def make(source: Source) -> Made:
    """Draw samples of one dataset, and compare their probabilities with the exact ones."""
    checkpoint = source.load("particles")
    network, model = checkpoint.network, data_of(checkpoint)
    if not isinstance(network, FadingNetwork) or not isinstance(model, ParticleTracks):
        raise InputError("model 'particles' was not trained to follow tracks")
    batch = model.sample(1, N_POINTS, torch.Generator().manual_seed(DATASET))
    (x, times), truth = (array[0] for array in batch.points), batch.labels[0].numpy()
    n_draws = source.amount(4000, 400)
    with torch.inference_mode():
        encoding = network.encode(*batch.points)
    samples = track_samples(network, encoding, n_samples=n_draws, seed=source.seed)
    _, place = np.unique(samples.labels, axis=0, return_index=True)
    found = most_probable_first(samples.labels[place], samples.log_prob[place])

    def log_joint(labels: Labels) -> Array:
        return model.log_joint(x, times, torch.from_numpy(labels.astype(np.int64))).numpy()

    # Normalised over what was drawn: the weights of importance sampling have too long a tail here.
    log_drawn = float(np.logaddexp.reduce(log_joint(found.labels)))
    q, p = np.exp(found.log_q), np.exp(log_joint(found.labels) - log_drawn)
    p_truth = float(np.exp(log_joint(truth[None]) - log_drawn)[0])

    figure = canvas(4.5)
    axes = figure.subplots(2, N_SHOWN + 1, sharex=True, sharey="row")
    # in the colours of the most probable sample, as the others are
    _tracks(axes[:, 0], times.numpy(), x.numpy(), in_colours_of(found.labels[0], truth), found.labels[0])
    axes[0, 0].set_title("truth")
    axes[0, 0].set_title(f"exact {p_truth:.3f}", loc="right", fontsize=9.5, fontweight="normal", color=SOFT)
    for i in range(N_SHOWN):
        number = in_colours_of(found.labels[0], found.labels[i])
        _tracks(axes[:, i + 1], times.numpy(), x.numpy(), number, found.labels[0])
        axes[0, i + 1].set_title(f"{q[i]:.3f}")
        axes[0, i + 1].set_title(
            f"exact {p[i]:.3f}", loc="right", fontsize=9.5, fontweight="normal", color=SOFT
        )
    for ax, name in zip(axes[:, 0], "xy", strict=True):
        ax.set_ylabel(name)
    figure.supxlabel("time", fontsize=10)
    is_truth = (found.labels == truth).all(1)
    measured = {
        "n_points": N_POINTS,
        "n_tracks": int(truth.max()) + 1,
        "n_shown": N_SHOWN,
        "n_draws": n_draws,
        "n_different": len(q),
        "q": q[:N_SHOWN].tolist(),
        "exact": p[:N_SHOWN].tolist(),
        "q_shown": float(q[:N_SHOWN].sum()),
        "exact_shown": float(p[:N_SHOWN].sum()),
        "exact_truth": p_truth,
        "truth": f"number {int(is_truth.argmax()) + 1} of them" if is_truth.any() else "not among them",
        "q_drawn": float(q.sum()),
        "tv_drawn": float(np.abs(q / q.sum() - p).sum() / 2),
        "best": f"number {int(p.argmax()) + 1}",
        "ari": float(np.mean([adjusted_rand_score(row, truth) for row in samples.labels[:200]])),
        "k": [float(samples.n_clusters.mean()), float(samples.n_clusters.std())],
    }
    return Made(figure, measured)


def _tracks(axes: Array, times: Array, x: Array, number: Labels, reference: Labels) -> None:
    """Draw both coordinates against time, a line a track; sightings not as in `reference` are encircled."""
    different = number != reference
    for ax, place in zip(axes, x.T, strict=True):
        for k in np.unique(number):
            seen = number == k
            ax.plot(times[seen], place[seen], color=colour(k), linewidth=1.1, alpha=0.75, zorder=2)
        ax.scatter(
            times, place, c=[colour(k) for k in number], s=16, edgecolors="white", linewidths=0.4, zorder=3
        )
        ax.scatter(
            times[different],
            place[different],
            s=75,
            facecolors="none",
            edgecolors=INK,
            linewidths=1.0,
            linestyles=[(0, (1, 1.6))],
            zorder=4,
        )
