"""Turns a measured template into a cell of current sources, from which it can be cut for other contacts.

Two steps. The soma's place is that of the one source whose potential falls off over the contacts as the
amplitudes of the template do (a monopole with a free exponent, weak priors on what the contacts do not
tell). Then sources are set at the soma and behind the contacts that see the spike (equivalent sources
of geophysics: Dampney 1969), and their waveforms found by ridge regression: as smooth as the template,
reproduced up to its own noise, allows. Not unique, like every continuation of a field; what it predicts for
contacts between the measured ones is tested against cells that are known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.distance import cdist

Array = NDArray[np.float64]

MAX_SOURCES = 24
SOFTENING_UM = 6.0  # half the width of a usual contact, which averages the potential over itself
_USUAL_DEPTH_UM, _USUAL_FALLOFF = 20.0, 1.5
_AMPLITUDE_ERROR = 0.03  # of the largest: how well a monopole is asked to explain the amplitudes
_SEEN = 0.04  # of the largest amplitude: contacts below get no source
_NEAR = 0.1  # of the largest amplitude: contacts on which the fit is judged
_BEHIND = 1.0  # depth of the sources under contacts, at least, over the contacts' pitch
_SOMA_COSTS = 0.1  # ridge of the soma's source over that of the others
_CLOSE = 0.02  # relative error that the fit may keep where the template has no noise
_NOISE_KEPT = 0.7  # part of the noise's norm that it may keep: sources cannot follow all of it anyway
_NOISE_SPANS = 6.5  # largest minus smallest of the noise of a template, in its sd, hardly ever more


class Cell(NamedTuple):
    """One cell in the format of `TemplateReservoir`.

    source_position : (MAX_SOURCES, 3) µm, soma at the origin, contacts on the side of positive z
    source_waveform : (MAX_SOURCES, T), zero where a source is silent
    soma_um : (3,), where it lies; contacts have z = 0
    error : norm of what is missing of the template over the template's, on the contacts that see at least a
        tenth of its largest amplitude
    """

    source_position: Array
    source_waveform: Array
    softening_um: float
    falloff: float
    soma_um: Array
    error: float

    def template(self, contacts_um: Array) -> Array:
        """Potential at contacts (C, 3) µm where the soma lies at the origin: (T, C)."""
        return (_field(contacts_um, self.source_position, self.falloff) @ self.source_waveform).T


def equivalent_cell(template: Array, contacts_um: Array, *, noise_sd: float = 0.0) -> Cell:
    """Return a cell whose template at the contacts is `template`.

    Parameters
    ----------
    template : (T, C), main channel first; contacts on which it is noise alone are taken for silent
    contacts_um : (C, 2)
    noise_sd : standard error of the template's values
    """
    height = np.ptp(template, axis=0)
    sees = height > _NOISE_SPANS * noise_sd
    sees[0] = True
    template = template * sees  # what is noise alone is no part of a template
    amplitude = np.where(sees, height, 0.0)
    soma, falloff = locate(amplitude, contacts_um)
    contacts = np.pad(contacts_um, ((0, 0), (0, 1))) - soma
    sources = _places(amplitude, contacts)
    waveform = _strengths(template, contacts, sources, falloff, noise_sd)
    near = amplitude >= _NEAR * amplitude.max()
    missing = _field(contacts[near], sources, falloff) @ waveform - template[:, near].T
    error = float(np.linalg.norm(missing) / np.linalg.norm(template[:, near]))
    position, padded = np.zeros((MAX_SOURCES, 3)), np.zeros((MAX_SOURCES, len(template)))
    position[: len(sources)], padded[: len(sources)] = sources, waveform
    return Cell(position, padded, SOFTENING_UM, falloff, soma, error)


def locate(amplitude: Array, contacts_um: Array) -> tuple[Array, float]:
    """Find where a monopole lies that has these amplitudes at the contacts: (3,) µm, and its falloff.

    The depth is counted as negative: contacts lie at z = 0, on the positive side of the cell.

    Parameters
    ----------
    amplitude : (C,), the largest first; contacts_um : (C, 2)
    """
    relative = amplitude / amplitude.max()
    weight = relative**2
    start = weight @ contacts_um / weight.sum()
    spread = max(15.0, _pitch(contacts_um) / 2)

    def residuals(parameters: Array) -> Array:
        x, y, log_depth, falloff, log_height = parameters
        away = np.hypot(np.hypot(contacts_um[:, 0] - x, contacts_um[:, 1] - y), np.exp(log_depth))
        beside = np.sqrt((away**2 + SOFTENING_UM**2) / (np.exp(2 * log_depth) + SOFTENING_UM**2))
        missing = (np.exp(log_height) * beside**-falloff - relative) / _AMPLITUDE_ERROR
        prior = [
            (x - start[0]) / spread,
            (y - start[1]) / spread,
            log_depth - np.log(_USUAL_DEPTH_UM),
            (falloff - _USUAL_FALLOFF) / 0.5,
        ]
        return np.concatenate([missing, prior])

    low = [*(start - 3 * spread), np.log(6.0), 1.0, -1.0]
    high = [*(start + 3 * spread), np.log(80.0), 2.5, 4.0]
    first = [*start, np.log(_USUAL_DEPTH_UM), _USUAL_FALLOFF, 0.0]
    x, y, log_depth, falloff, _ = least_squares(residuals, first, bounds=(low, high)).x
    return np.array([x, y, -np.exp(log_depth)]), float(falloff)


def _places(amplitude: Array, contacts: Array) -> Array:
    """Soma, then behind the contacts that see the spike, the largest first: (S, 3) relative to the soma."""
    seen = np.flatnonzero(amplitude > _SEEN * amplitude.max())
    seen = seen[np.argsort(-amplitude[seen], kind="stable")][: MAX_SOURCES - 1]
    depth = contacts[0, 2]
    behind = max(depth, _BEHIND * _pitch(contacts[:, :2])) - depth
    under = np.column_stack([contacts[seen, :2], np.full(len(seen), -behind)])
    return np.concatenate([np.zeros((1, 3)), under])


def _strengths(template: Array, contacts: Array, sources: Array, falloff: float, noise_sd: float) -> Array:
    """Waveforms (S, T) of the sources, by the largest ridge that is close enough."""
    cost = np.ones(len(sources))
    cost[0] = _SOMA_COSTS
    field = _field(contacts, sources, falloff)
    height = np.linalg.norm(field, axis=0) * np.sqrt(cost)
    u, singular, vt = np.linalg.svd(field / height, full_matrices=False)
    along = u.T @ template.T
    size = np.linalg.norm(template)
    noisy = np.count_nonzero(template.any(axis=0)) * len(template)
    allowed = np.hypot(_CLOSE * size, _NOISE_KEPT * noise_sd * np.sqrt(noisy))
    waveform = np.zeros((len(sources), len(template)))
    for ridge in np.logspace(1, -6, 36):
        shrunk = singular / (singular**2 + ridge)
        waveform = (vt.T * shrunk) @ along / height[:, None]
        if np.linalg.norm(field @ waveform - template.T) <= allowed:
            break
    return waveform


def _field(contacts: Array, sources: Array, falloff: float) -> Array:
    return (cdist(contacts, sources, "sqeuclidean") + SOFTENING_UM**2) ** (-0.5 * falloff)


def _pitch(contacts_um: Array) -> float:
    """Median distance of a contact to its nearest, 0 for a single one."""
    if len(contacts_um) < 2:
        return 0.0
    gap = cdist(contacts_um, contacts_um)
    np.fill_diagonal(gap, np.inf)
    return float(np.median(gap.min(axis=1)))
