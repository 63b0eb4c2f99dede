"""Spikes of a component as points in the plane: neighbours look alike to the network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.points import NO_POINTS, SpikePoints, colors_of
from ncpgui.app.presenters.why_empty import why_no_waveforms, why_nothing
from ncpgui.app.words import count
from ncpgui.core.component import Component, ComponentWaveforms

PALE, PALE_WORDS = 0.75, "pale: its unit is uncertain"
"""Opacity below which a point is seen to be pale, and what that means."""
MIN_OPACITY = 0.25
NO_FEATURES = (
    "This map needs features of single spikes, and the folder of the sorter has none (pc_features.npy)."
)


@dataclass(frozen=True, eq=False)
class EmbeddingView:
    """The sampled spikes in a plane.

    points : their opacity follows the certainty, a ring has the colour of the unit that adopting the preview
    would take a spike from; where an edit is proposed there are none, its parts are told by their colours
    axes : names of the two coordinates
    """

    points: SpikePoints = NO_POINTS
    axes: tuple[str, str] = ("", "")
    method: str = ""
    message: str = ""

    @property
    def note(self) -> str:
        """What the points are, and what pale ones are where there are some, beside the title of the panel."""
        if not len(self.points):
            return ""
        opacity = self.points.opacity
        has_pale = opacity is not None and bool((opacity < PALE).any())
        return f"{self.method} of {count(len(self.points), 'spike')}" + (
            f" · {PALE_WORDS}" if has_pale else ""
        )


def present_embedding(workspace: Workspace, tsne: NDArray[np.float32] | None) -> EmbeddingView:
    """Points of the sorting on screen: the t-SNE if it is there already, principal components else."""
    shown = workspace.shown()
    if shown is None:
        return EmbeddingView(message=why_nothing(workspace, "Points"))
    waveforms = workspace.waveforms(shown.component.id)
    if waveforms is None:
        return EmbeddingView(message=why_no_waveforms(workspace, "Points"))
    if waveforms.features.shape[1] == 0:
        return EmbeddingView(message=NO_FEATURES)
    plane = embedding_points(workspace, shown.component, waveforms, tsne)
    sure = np.clip(shown.probability[shown.component.sampled], 0, 1)
    opacity = MIN_OPACITY + (1 - MIN_OPACITY) * np.nan_to_num(sure, nan=1.0) ** 2
    colors, current = colors_of(workspace, shown), workspace.current()
    before: tuple[Color, ...] = ()
    ring = np.full(len(plane), -1, np.int32)
    if current is not None and current.component is shown.component:
        before = colors_of(workspace, current)
        ring = _rings(shown, current, colors, before)
    points = SpikePoints(
        plane[:, 0].astype(np.float64),
        plane[:, 1].astype(np.float64),
        shown.sampled_labels,
        names=tuple(unit.name for unit in shown.units),
        colors=colors,
        units=tuple(unit.unit for unit in shown.units),
        is_selected=tuple(map(workspace.is_chosen, shown.units)),
        certainty=sure.astype(np.float32),
        opacity=opacity.astype(np.float32),
        ring=ring,
        ring_colors=(*before, None),
        spike_ids=shown.component.spike_ids[shown.component.sampled],
    )
    return EmbeddingView(points, embedding_axes(tsne), "PCA" if tsne is None else "t-SNE")


def embedding_axes(tsne: NDArray[np.float32] | None) -> tuple[str, str]:
    """Names of the coordinates of the embedding, by which a lasso knows its plane."""
    method = "PCA" if tsne is None else "t-SNE"
    return f"{method} 1", f"{method} 2"


def _rings(
    shown: ShownSorting, current: ShownSorting, colors: tuple[Color, ...], before: tuple[Color, ...]
) -> NDArray[np.int32]:
    """Ring of each sampled spike that the preview would move to a unit of another colour: row of that before.

    The row after the last one is that of spikes that have no unit now.
    """
    if not colors:
        return np.full(len(shown.sampled_labels), -1, np.int32)
    old, new = current.sampled_labels, shown.sampled_labels
    same = np.array([[color == other for other in (*before, None)] for color in colors], dtype=bool)
    ring = np.where(old < 0, len(before), old)
    leaves = shown.moved[shown.component.sampled] & (shown.proposal == 0) & (new >= 0) & ~same[new, ring]
    return np.where(leaves, ring, -1).astype(np.int32)


def embedding_points(
    workspace: Workspace,
    component: Component,
    waveforms: ComponentWaveforms,
    tsne: NDArray[np.float32] | None,
) -> NDArray[np.float32]:
    """Points (m, 2) of the sampled spikes: the t-SNE if it is there already, principal components else."""
    if tsne is not None:
        return tsne
    return workspace.state.remembered.get(
        ("pca", component.id, id(waveforms)), lambda: principal_plane(waveforms.features)
    )


def principal_plane(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """First two principal components of (m, d) features: (m, 2), in standard deviations."""
    if len(features) == 0:
        return np.zeros((0, 2), dtype=np.float32)
    centred = features - features.mean(axis=0)
    _, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    plane = centred @ vectors[:, ::-1][:, :2]
    if plane.shape[1] < 2:
        plane = np.column_stack([plane, np.zeros(len(plane))])
    return (plane / np.maximum(plane.std(axis=0), 1e-9)).astype(np.float32)
