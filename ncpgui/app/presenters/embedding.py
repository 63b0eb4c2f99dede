"""Spikes of a component as points in the plane: neighbours look alike to the network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import count
from ncpgui.core.component import Component, ComponentWaveforms

MIN_OPACITY = 0.25


@dataclass(frozen=True, eq=False)
class EmbeddingView:
    """Points of the sampled spikes.

    points : (m, 2), zero mean; labels : (m,) row of `colors`, -1 = none; opacity : (m,) by
    certainty; moved : (m,) whether adopting the preview gives the spike to another unit, False where an edit
    is proposed, whose parts are told by their colours;
    selected : (m,) whether the spike is of a selected unit, all False when none is;
    certainty : (m,) P(the spike belongs to its unit), nan = unknown; units : id of each row of `colors`,
    None for one that only adopting would make; before : (m,) row of `colors_before`, the units in use.
    """

    points: NDArray[np.float32]
    labels: NDArray[np.int32]
    colors: tuple[Color, ...]
    names: tuple[str, ...]
    opacity: NDArray[np.float32]
    moved: NDArray[np.bool_]
    selected: NDArray[np.bool_]
    method: str
    certainty: NDArray[np.float32]
    units: tuple[int | None, ...]
    before: NDArray[np.int32]
    colors_before: tuple[Color, ...]
    message: str = ""

    @property
    def note(self) -> str:
        """What the points are, beside the title of the panel."""
        return f"{self.method} of {count(len(self.points), 'spike')}" if len(self.points) else ""


def _nothing(message: str) -> EmbeddingView:
    none, number, label = np.zeros(0, dtype=bool), np.zeros(0, np.float32), np.zeros(0, np.int32)
    return EmbeddingView(
        points=np.zeros((0, 2), np.float32),
        labels=label,
        colors=(),
        names=(),
        opacity=number,
        moved=none,
        selected=none,
        method="",
        certainty=number,
        units=(),
        before=label,
        colors_before=(),
        message=message,
    )


def present_embedding(workspace: Workspace, tsne: NDArray[np.float32] | None) -> EmbeddingView:
    """Points of the sorting on screen: the t-SNE if it is there already, principal components else."""
    shown, current = workspace.shown(), workspace.current()
    waveforms = workspace.waveforms()
    if shown is None or current is None or waveforms is None:
        return _nothing("Points appear when the component is sampled.")
    points = embedding_points(workspace, shown.component, waveforms, tsne)
    labels = shown.sampled_labels
    sure = np.clip(shown.probability[shown.component.sampled], 0, 1)
    opacity = MIN_OPACITY + (1 - MIN_OPACITY) * np.nan_to_num(sure) ** 2
    chosen = np.array([*map(workspace.is_chosen, shown.units), False])
    return EmbeddingView(
        points=points,
        labels=labels,
        colors=tuple(unit.color for unit in shown.units),
        names=tuple(unit.name for unit in shown.units),
        opacity=opacity.astype(np.float32),
        moved=shown.moved[shown.component.sampled] & (shown.proposal == 0),
        selected=chosen[labels],
        method="PCA" if tsne is None else "t-SNE",
        certainty=sure.astype(np.float32),
        units=tuple(unit.unit for unit in shown.units),
        before=current.sampled_labels,
        colors_before=tuple(unit.color for unit in current.units),
    )


def embedding_points(
    workspace: Workspace,
    component: Component,
    waveforms: ComponentWaveforms,
    tsne: NDArray[np.float32] | None,
) -> NDArray[np.float32]:
    """Points (m, 2) of the sampled spikes: the t-SNE if it is there already, principal components else."""
    if tsne is not None:
        return tsne
    return workspace.memo(("pca", component.id, id(waveforms)), lambda: principal_plane(waveforms.features))


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
