"""Templates, amplitudes and features of a Phy or Kilosort folder, for looking at it without its recording."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import RecordingError
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.numpy_files import read_npy
from ncpgui.core.partition import rows_of_clusters
from ncpgui.core.waveform_format import N_SAMPLES
from ncpgui.ephys.phy_folder import array
from ncpgui.ephys.waveforms import CutPlan, cut_plan, resampled

log = logging.getLogger(__name__)

MOST_FEATURED = 200_000
"""Spikes whose features are kept, evenly through the recording: the file has gigabytes of them."""
UNIT_NORM = 2.0
"""Templates of Kilosort have a norm of one, and amplitudes make them as high as spikes; those of other
programs are as high as spikes already, and are larger than this."""


def read_phy_shapes(
    folder: Path, rows: NDArray[np.int64], *, n_contacts: int, sampling_frequency_hz: float
) -> GivenShapes:
    """What a folder keeps of the shapes of some of its spikes.

    rows : (n,) places of the spikes among those of the files

    Raises
    ------
    RecordingError
        There are no templates, or the files do not fit each other.
    """
    if not (folder / "templates.npy").is_file():
        raise RecordingError(f"{folder} has no templates.npy, and without it there are no waveforms")
    template = _of_spikes(folder, rows, "spike_templates.npy", "spike_clusters.npy").astype(np.int64)
    own = _own_templates(folder)
    templates, in_noise_sd = _on_all_contacts(own, folder, n_contacts)
    if template.min(initial=0) < 0 or template.max(initial=-1) >= len(templates):
        raise RecordingError(
            f"{folder}: a spike is of template {template.max(initial=-1)}, templates.npy has "
            f"{len(templates)}; the folder is damaged, export it again"
        )
    scale = _scale(folder, rows, template, own)
    featured, features, feature_contacts = _features(folder, rows, len(templates), n_contacts)
    return GivenShapes(
        _at_20_khz(templates, cut_plan(sampling_frequency_hz)),
        template,
        scale,
        featured,
        features,
        feature_contacts,
        in_noise_sd,
    )


def _of_spikes(folder: Path, rows: NDArray[np.int64], *names: str) -> NDArray[np.floating]:
    """Numbers of some spikes in the first of the files that is there."""
    name = next((name for name in names if (folder / name).is_file()), names[0])
    values = array(folder / name)
    if len(values) <= rows.max(initial=-1) or not np.isfinite(values).all():
        raise RecordingError(
            f"{folder / name} has {len(values)} numbers; some are NaN or infinite, or they are too few for "
            "the spikes; the folder is damaged, export it again"
        )
    return np.asarray(values[rows], np.float64)


def _own_templates(folder: Path) -> NDArray[np.float32]:
    """Templates (K, T, L) as the sorter keeps them."""
    values: NDArray[np.float32] = array(folder / "templates.npy", flat=False).astype(np.float32)
    if values.ndim != 3 or 0 in values.shape[1:] or not np.isfinite(values).all():
        raise RecordingError(
            f"{folder / 'templates.npy'} holds no templates: {values.shape}; export it again"
        )
    return values


def _on_all_contacts(
    values: NDArray[np.float32], folder: Path, n_contacts: int
) -> tuple[NDArray[np.float32], bool]:
    """Templates (K, T, C) on all contacts, in noise sd if the whitening of the sorter is known."""
    columns = _columns(folder, "template_ind.npy", "templates_ind.npy", like=values, n_contacts=n_contacts)
    if columns is None:
        raise RecordingError(
            f"{folder / 'templates.npy'} has {values.shape[2]} of {n_contacts} contacts, and no "
            "templates_ind.npy of its shape says which; export the sorting again"
        )
    dense = np.zeros((*values.shape[:2], n_contacts), np.float32)
    for row, own in enumerate(columns):
        known = (own >= 0) & (own < n_contacts)
        dense[row][:, own[known]] = values[row][:, known]
    back = _unwhitening(folder, n_contacts)
    if back is None:
        return dense, False
    noise = np.sqrt((back**2).sum(axis=0))
    return dense @ (back / np.where(noise > 0, noise, 1)).astype(np.float32), True


def _columns(
    folder: Path, *names: str, like: NDArray[np.floating], n_contacts: int
) -> NDArray[np.int64] | None:
    """Contacts (K, L) of templates or features: those of a file of this shape, else all of them, in order.

    None where no such file says which of the contacts they have.
    """
    for name in names:
        if (folder / name).is_file():
            columns = array(folder / name, flat=False)
            if columns.shape != (len(like), like.shape[2]):
                break
            return np.where(np.isfinite(columns), columns, -1).astype(np.int64)
    return np.tile(np.arange(n_contacts), (len(like), 1)) if like.shape[2] == n_contacts else None


def _unwhitening(folder: Path, n_contacts: int) -> NDArray[np.float64] | None:
    """Matrix that turns whitened traces into raw ones; None where the folder has none that whitens."""
    for name, inverts in (("whitening_mat_inv.npy", False), ("whitening_mat.npy", True)):
        if not (folder / name).is_file():
            continue
        matrix = array(folder / name, flat=False).astype(np.float64)
        if matrix.shape != (n_contacts, n_contacts) or not np.isfinite(matrix).all():
            continue
        if np.array_equal(matrix, np.eye(n_contacts)):  # written by programs that do not whiten
            return None
        try:
            return np.asarray(np.linalg.inv(matrix) if inverts else matrix, np.float64)
        except np.linalg.LinAlgError:
            continue
    return None


def _scale(
    folder: Path, rows: NDArray[np.int64], template: NDArray[np.int64], own: NDArray[np.float32]
) -> NDArray[np.float32]:
    """By how much the template of each spike is multiplied; own : templates as the sorter keeps them."""
    if not (folder / "amplitudes.npy").is_file():
        return np.ones(len(rows), np.float32)
    amplitude = _of_spikes(folder, rows, "amplitudes.npy")
    used = np.unique(template)
    norm = np.sqrt((own[used].astype(np.float64) ** 2).sum(axis=(1, 2)))
    if len(norm) and np.median(norm) > UNIT_NORM:
        usual = np.ones(len(own))
        members = rows_of_clusters(template, len(own))
        for one in used:
            usual[one] = np.median(amplitude[members[one]]) or 1.0
        amplitude = amplitude / usual[template]
    return amplitude.astype(np.float32)


def _features(
    folder: Path, rows: NDArray[np.int64], n_templates: int, n_contacts: int
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    """Spikes of the project that have principal components, these (m, P, L), and their contacts (K, L)."""
    none = np.zeros(0, np.int64), np.zeros((0, 0, 0), np.float32), np.zeros((n_templates, 0), np.int64)
    if not (folder / "pc_features.npy").is_file():
        return none
    try:
        values = read_npy(folder / "pc_features.npy", mapped=True)
    except (OSError, ValueError) as error:
        raise RecordingError(f"{folder / 'pc_features.npy'} cannot be read: {error}") from error
    shape = np.zeros((n_templates, 0, values.shape[2] if values.ndim == 3 else 0))
    contacts = _columns(folder, "pc_feature_ind.npy", like=shape, n_contacts=n_contacts)
    if values.ndim != 3 or contacts is None:
        log.warning(
            "%s, of the shape %s, is not used: no pc_feature_ind.npy that fits says of which contacts it is",
            folder / "pc_features.npy",
            values.shape,
        )
        return none
    place = rows  # of each spike of the project among the features; -1 = none
    if (folder / "pc_feature_spike_ids.npy").is_file():
        known = array(folder / "pc_feature_spike_ids.npy")
        at = np.full(int(rows.max(initial=-1)) + 1, -1, np.int64)
        there = np.flatnonzero((known >= 0) & (known < len(at)))
        at[known[there].astype(np.int64)] = there
        place = at[rows]
    chosen = np.flatnonzero((place >= 0) & (place < len(values)))
    if len(chosen) > MOST_FEATURED:
        chosen = chosen[np.arange(MOST_FEATURED) * len(chosen) // MOST_FEATURED]
    features = np.nan_to_num(np.asarray(values[place[chosen]], np.float32))
    return chosen, features, contacts


def _at_20_khz(templates: NDArray[np.float32], plan: CutPlan) -> NDArray[np.float32]:
    """Templates (K, 32, C), the trough of the largest contact where networks expect it."""
    n, n_times, n_contacts = templates.shape
    padded = np.pad(templates, [(0, 0), (plan.window, plan.window), (0, 0)])
    found = np.zeros((n, N_SAMPLES, n_contacts), np.float32)
    for row in range(n):
        main = int(np.ptp(templates[row], axis=0).argmax()) if n_times else 0
        trace = templates[row][:, main]
        is_positive = bool(trace.max(initial=0) > -trace.min(initial=0))
        trough = int(trace.argmax() if is_positive else trace.argmin()) + plan.window
        window = padded[row, trough - plan.before : trough + plan.after + 1]
        order = [main, *(c for c in range(n_contacts) if c != main)]
        found[row][:, order] = resampled(
            window[None][:, :, order], plan, is_positive=np.array([is_positive])
        )[0]
    return found
