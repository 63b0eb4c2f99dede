"""Which spikes of the component on screen lie inside the lasso: of all of them, not only of the drawn ones.

Where spikes have the coordinates of the plane, the polygon decides for each. In planes of the sampled spikes
(the embedding, depth, features without a cache of coordinates), a spike that was not sampled follows the
sampled one that is most similar: the nearest in the principal components of the waveforms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.lasso import Lasso
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.amplitudes import Height, time_plane
from ncpgui.app.presenters.embedding import embedding_axes, embedding_points
from ncpgui.app.presenters.features import feature_plane
from ncpgui.app.words import count, thousands
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.errors import CurationError
from ncpgui.core.polygon import inside_polygon

AT_ONCE = 4096
"""Spikes whose distances to all sampled ones are in memory at a time."""
AROUND = 0.9
"""Share of the spikes inside a lasso that are of the one unit that it is around."""
KEYS = "K shows the split · Esc clears"


@dataclass(frozen=True, eq=False)
class Inside:
    """Spikes of a component inside a lasso.

    inside : (n,) bool, of all spikes; n_following : those of the units asked about that are not in the plane
    """

    inside: NDArray[np.bool_]
    n_following: int = 0


def units_to_split(workspace: Workspace, lasso: Lasso, tsne: NDArray[np.float32] | None) -> tuple[int, ...]:
    """The selected units; the one that the lasso is around, where it holds no spike of these.

    Raises
    ------
    CurationError
        The points under the lasso were replaced.
    """
    current, selected = workspace.in_use(), workspace.selected
    assert current is not None
    positions, points = plane_points(workspace, lasso, tsne)
    inside = current.labels[positions[inside_polygon(points, lasso.corners)]]
    n_inside = np.bincount(inside[inside >= 0], minlength=len(current.units))
    chosen = [row for row, unit in enumerate(current.units) if unit.unit in selected]
    if not n_inside.any() or n_inside[chosen].any():
        return selected
    most = int(n_inside.argmax())
    around = current.units[most].unit
    return selected if around is None or n_inside[most] < AROUND * n_inside.sum() else (around,)


def spikes_inside(
    workspace: Workspace, lasso: Lasso, tsne: NDArray[np.float32] | None, units: tuple[int, ...]
) -> Inside:
    """Spikes of the component on screen inside the lasso; those of other units than `units` may be left out.

    Raises
    ------
    CurationError
        Spikes of these units were not sampled, and nothing tells which of the sampled ones they are like.
    """
    current = workspace.in_use()
    assert current is not None
    component = current.component
    positions, points = plane_points(workspace, lasso, tsne)
    inside = np.zeros(len(component.spike_ids), dtype=bool)
    inside[positions] = inside_polygon(points, lasso.corners)
    rows = [row for row, unit in enumerate(current.units) if unit.unit in units]
    missing = np.isin(current.labels, rows)
    missing[positions] = False
    if not missing.any():
        return Inside(inside)
    waveforms = workspace.waveforms(component.id)
    if waveforms is None or waveforms.coordinates is None:
        raise CurationError(
            f"{count(int(missing.sum()), 'spike')} of the selected units "
            f"{'was' if missing.sum() == 1 else 'were'} not sampled, and there are no coordinates of them in "
            "this plane; use View > Read all spikes, or draw the lasso in Over time, by amplitude, or in "
            "Features with amplitude and time"
        )
    sampled = component.sampled[np.isin(current.labels[component.sampled], rows)]
    follow = np.flatnonzero(missing)
    inside[follow] = inside[sampled[nearest(waveforms, sampled, follow)]] if len(sampled) else False
    return Inside(inside, len(follow))


def nearest(
    waveforms: ComponentWaveforms, sampled: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Which of the `sampled` positions each of the `others` is nearest to: (k,) rows of `sampled`."""
    assert waveforms.coordinates is not None
    known = waveforms.coordinates[sampled].astype(np.float32)
    half = (known**2).sum(axis=1) / 2
    found = np.zeros(len(others), np.int64)
    for begin in range(0, len(others), AT_ONCE):
        some = waveforms.coordinates[others[begin : begin + AT_ONCE]].astype(np.float32)
        found[begin : begin + AT_ONCE] = (half - some @ known.T).argmin(axis=1)
    return found


def plane_points(
    workspace: Workspace, lasso: Lasso, tsne: NDArray[np.float32] | None
) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
    """Positions (m,) of spikes in the component on screen, and coordinates (m, 2) of the lasso's plane."""
    project, current = workspace.state.project, workspace.in_use()
    assert project is not None
    assert current is not None
    component = current.component
    if lasso.plane == "features":
        plane = feature_plane(workspace, project, component, *lasso.axes)
        _still_there(lasso, plane.names)
        return plane.positions, plane.of_all()
    if lasso.plane == "over time":
        found = time_plane(workspace, project, current, cast("Height", lasso.axes[1]))
        if found is None:
            return np.zeros(0, np.int64), np.zeros((0, 2))
        return found.positions, found.of_all()
    waveforms = workspace.waveforms(component.id)
    if waveforms is None:
        return np.zeros(0, np.int64), np.zeros((0, 2))
    tsne = under_lasso(lasso, tsne)
    _still_there(lasso, embedding_axes(tsne))
    return component.sampled, embedding_points(workspace, component, waveforms, tsne)


def _still_there(lasso: Lasso, axes: tuple[str, str]) -> None:
    if axes != lasso.axes:
        raise CurationError("the points under the lasso were replaced by others; draw it again")


def under_lasso(lasso: Lasso | None, tsne: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    """The t-SNE, or None while a lasso is drawn around principal components, which stay under it."""
    if lasso is not None and lasso.plane == "embedding" and lasso.axes == embedding_axes(None):
        return None
    return tsne


def present_lasso(workspace: Workspace, tsne: NDArray[np.float32] | None) -> str:
    """What the lasso holds and what can be done with it, in one line; '' without one."""
    lasso = workspace.lasso
    if lasso is None:
        return ""
    if workspace.proposal is not None:
        return "K or Enter does the split · Esc leaves it"
    if not lasso.is_closed:
        return "Lasso: Ctrl+click sets more corners · Esc clears"
    current = workspace.in_use()
    assert current is not None
    try:
        units = units_to_split(workspace, lasso, tsne)
        found = spikes_inside(workspace, lasso, tsne, units)
    except CurationError as error:
        return f"Lasso: {error} · Esc clears"
    if not units:
        return "Lasso: select the units that it is to split · Esc clears"
    rows = [row for row, unit in enumerate(current.units) if unit.unit in units]
    own = np.isin(current.labels, rows)
    n_inside, n = int((found.inside & own).sum()), int(own.sum())
    names = " + ".join(map(str, units))
    return f"Lasso: {thousands(n_inside)} of {count(n, 'spike')} of {names} inside · {KEYS}"
