"""Whether two parts of some spikes respond to white noise as one cell does: by spike-triggered averages.

Let x_1 and x_2 be the averages of two parts, an element for each lag and pixel. White noise says exactly what
chance does to them: with c_j(t) spikes of part j in frame t, n_j of them, over F frames, the noise of x_i and
x_j has in each element the covariance sum_t c_i(t) c_j(t) / (n_i n_j) - 1 / F. Frames in which both parts
fire are in it. The fields a_1 and a_2 have in each element the prior

    a_1, a_2 ~ N(0, v [[g_1^2, r g_1 g_2], [r g_1 g_2, g_2^2]]),   g_2 / g_1 = e^gain, g_1 g_2 = 1.

One cell has r = 1: fields of one shape, up to the gain. Of two cells every r from -1 to 1 is as probable:
ON and OFF, neighbours whose fields overlap, fields that are nearly the same. They are the same with the
probability 1 / (1 + k^2), where the field has k pixels: all fields of a single pixel have one shape.

The spikes of a burst have another gain, and come later. If they come a part d of a frame later, their field
is (1 - d) a(lag) + d a(lag - 1), wherever in a frame they are fired. So the other part is mixed like that
before the two are compared. Gains and delays are summed over, alike for one cell and for two.

The variance v of an element comes from both averages, whatever their signs (`variances`). It is zero where
there is no field; such elements say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.heaps import MOST_NATS
from ncpgui.evidence.white_noise import N_LAGS, WhiteNoise

FEWEST = 20
"""Spikes of either part during the stimulus."""
CLEAR_SD = 6.0
"""Energy of averages around a pixel, from which on there is a field: above that of noise, in sd of it."""
GAIN_SD = 0.5
"""Of the log ratio of the gains of two parts."""
P_IN_TIME = 0.5
"""Parts without a delay; all others, up to a frame either way, are as probable as each other."""
APART = np.array([0.01, 0.03, 0.1, 0.35, 0.8, 1.2, 1.6, 1.9])
"""1 - r of two cells ..."""
P_APART = np.diff([0.0, 0.02, 0.06, 0.2, 0.6, 1.0, 1.4, 1.8, 2.0]) / 2
"""... and the part that each has of those from 0 to 2."""
P_MIXED = 0.2
"""One cell whose parts have `APART[0]`: some spikes are of another one, or its field has moved."""
LEVELS = 6
"""Powers of two below the largest variance that are told apart; what is smaller says nothing."""
COARSE, FINE = 0.25, 0.05
"""Steps of log gain: fine ones where many spikes tell gains apart. Those of the delay are alike."""
_MOST_GAIN = 1.5

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Responses:
    """Spikes during white noise.

    noise : the frames, or the part of them in which the spikes have fields; frame : (n,) on screen at each of
    them, -1 = none
    """

    noise: WhiteNoise
    frame: NDArray[np.int64]
    _averages: dict[bytes, tuple[Floats, Floats | None]] = field(default_factory=dict, repr=False)

    @staticmethod
    def during(noise: WhiteNoise, sample_index: NDArray[np.integer]) -> Responses:
        """Spikes fired at (n,) samples of the recording."""
        return Responses(noise, noise.stimulus.frame_at(sample_index))

    def of(self, rows: NDArray[np.integer]) -> Responses:
        """Some of the spikes."""
        return Responses(self.noise, self.frame[rows])

    def near_fields(self, groups: Iterable[NDArray[np.bool_]]) -> Responses | None:
        """The same spikes, with the rectangle of the frames in which groups of them, (n,) bool, have fields.

        None where no group has one: the stimulus says nothing of these spikes.
        """
        seen = np.zeros(self.noise.frames.shape[1:], dtype=np.bool_)
        for group in groups:
            counts = self.noise.counts(self.frame[group])
            if counts.sum() >= FEWEST:
                energy = self.noise.average(counts)[1:] ** 2 / _noise([counts])[0, 0]
                seen |= _clear(energy - 1, n_averages=1)
        if not seen.any():
            return None
        rows, columns = (np.flatnonzero(seen.any(axis=axis)) for axis in (1, 0))
        around = [slice(max(0, int(one[0]) - 1), int(one[-1]) + 2) for one in (rows, columns)]
        return Responses(self.noise.part(*around), self.frame)

    def two_cells_nats(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
        """Log likelihood ratio of two sets of the spikes, (n,) bool, two cells against one.

        0 where either has too few spikes, or neither a field.
        """
        (one, its_average), (other, other_average) = self._average(first), self._average(second)
        if its_average is None or other_average is None:
            return 0.0
        pair = compared([one, other], [its_average, other_average])
        return 0.0 if pair is None else pair.two_cells_nats()

    def _average(self, part: NDArray[np.bool_]) -> tuple[Floats, Floats | None]:
        """Spikes of a part in each frame, and their average, None of too few; the same ones once."""
        key = part.tobytes()
        if key not in self._averages:
            counts = self.noise.counts(self.frame[part])
            enough = counts.sum() >= FEWEST
            self._averages[key] = counts, self.noise.average(counts) if enough else None
        return self._averages[key]


@dataclass(frozen=True, eq=False)
class Pair:
    """What two averages say together: elements of about the same variance v are one level.

    variance : (B,) v of each level; n_elements : (B,)
    products : (B, 4, 4), sums over the elements of the products of x_1, x_1 at the lag before, x_2, x_2 at
        the lag before; noise : (4, 4), what chance makes of each element's
    n_pixels : in which there is a field
    """

    variance: Floats
    n_elements: Floats
    products: Floats
    noise: Floats
    n_pixels: int

    def two_cells_nats(self) -> float:
        """Log likelihood ratio, two cells against one, at most `MOST_NATS` either way."""
        shared = self.overlap_nats(np.concatenate([[1.0], 1 - APART]))
        one = np.logaddexp(shared[0] + np.log1p(-P_MIXED), shared[1] + np.log(P_MIXED))
        p_same = 1 / (1 + self.n_pixels**2)
        two = np.logaddexp.reduce([one + np.log(p_same), *(shared[1:] + np.log(P_APART) + np.log1p(-p_same))])
        return float(np.clip(two - one, -MOST_NATS, MOST_NATS))

    def overlap_nats(self, overlaps: Floats) -> Floats:
        """Log likelihood of each r, (R,), but for a constant: gains and delays are summed over.

        Fields that have nothing in common have no delay either, so that all delays are compared with r = 0:
        the elements of a mixed average are not independent, but their ratio to r = 0 hardly knows of it.
        """
        gain, delay = self._grid()
        share = np.where(np.abs(delay) == 1, 0.5, 1.0)  # the trapezoidal rule
        share[len(delay) // 2] = 0
        share *= (1 - P_IN_TIME) / share.sum()
        share[len(delay) // 2] = P_IN_TIME
        log_p = -0.5 * (gain[:, None] / GAIN_SD) ** 2 + np.log(share)
        apart = self.likelihood(gain, delay, np.zeros(1))
        ratio = self.likelihood(gain, delay, overlaps) - apart + apart[:, [len(delay) // 2]]
        told = ratio + (log_p - np.logaddexp.reduce(log_p, axis=None))[:, :, None]
        return np.asarray(np.logaddexp.reduce(told.reshape(-1, len(overlaps)), axis=0))

    def likelihood(self, gain: Floats, delay: Floats, overlap: Floats) -> Floats:
        """Log density of the averages, the second a delay later than the first, but for a constant.

        gain : (G,) log g_2 / g_1; delay : (D,) frames; overlap : (R,). Returns (G, D, R)
        """
        mixed = np.zeros((len(delay), 2, 4))
        later, sooner = np.maximum(delay, 0), np.maximum(-delay, 0)
        mixed[:, 0, 0], mixed[:, 0, 1] = 1 - later, later
        mixed[:, 1, 2], mixed[:, 1, 3] = 1 - sooner, sooner
        noise = np.einsum("dai,ij,dbj->abd", mixed, self.noise, mixed)[..., None]
        squares = np.einsum("dai,Lij,dbj->Labd", mixed, self.products, mixed)[..., None]
        result = np.zeros((len(gain), len(delay), len(overlap)))
        for variance, n_elements, square in zip(self.variance, self.n_elements, squares, strict=True):
            first = noise[0, 0] + variance * np.exp(-gain)[:, None, None]
            second = noise[1, 1] + variance * np.exp(gain)[:, None, None]
            both = noise[0, 1] + variance * overlap
            determinant = first * second - both**2
            error = second * square[0, 0] + first * square[1, 1] - 2 * both * square[0, 1]
            result -= 0.5 * (n_elements * np.log(determinant) + error / determinant)
        return result

    def _grid(self) -> tuple[Floats, Floats]:
        """Log gains and delays, as close to each other as the averages can tell apart; zero is among them."""
        of_difference = self.noise[0, 0] + self.noise[2, 2] - 2 * self.noise[0, 2]
        told = float((self.n_elements * self.variance).sum() / max(of_difference, 1e-300))
        step = float(np.clip(1.5 / np.sqrt(max(told, 1e-12)), FINE, COARSE))
        n_gains, n_delays = int(np.ceil(_MOST_GAIN / step)), int(np.ceil(1 / step))
        return np.linspace(-_MOST_GAIN, _MOST_GAIN, 2 * n_gains + 1), np.linspace(-1, 1, 2 * n_delays + 1)


def compared(counts: list[Floats], averages: list[Floats]) -> Pair | None:
    """What the averages of two parts say together; None where neither has a field.

    counts, averages : (F,) and (N_LAGS + 1, H, W) of either part, as `WhiteNoise` has them
    """
    covariance = _noise(counts)
    n_spikes = np.array([count.sum() for count in counts])
    excess = [one[1:] ** 2 - covariance[2 * k, 2 * k] for k, one in enumerate(averages)]
    clear = _clear(sum(one / covariance[2 * k, 2 * k] for k, one in enumerate(excess)), n_averages=2)
    if not clear.any():
        return None
    variance = variances(np.tensordot(n_spikes / n_spikes.sum(), np.stack(excess), axes=1), clear)
    largest = variance.max()
    if largest <= 0:
        return None
    level = np.rint(np.log2(np.maximum(variance / largest, 2.0**-LEVELS))).astype(int)
    values = np.stack([averages[0][1:], averages[0][:-1], averages[1][1:], averages[1][:-1]])
    kept = [level == -k for k in range(LEVELS)]
    kept = [one for one in kept if one.any()]
    of_level = [values[:, one] for one in kept]
    return Pair(
        variance=np.array([variance[one].mean() for one in kept]),
        n_elements=np.array([one.sum() for one in kept], dtype=np.float64),
        products=np.stack([one @ one.T for one in of_level]),
        noise=covariance,
        n_pixels=int(clear.sum()),
    )


def variances(excess: Floats, clear: NDArray[np.bool_]) -> Floats:
    """Prior variance of the field at each lag and pixel: (N_LAGS, H, W), zero where there is none.

    How much a pixel has over all lags, as its neighbourhood says, times how much a lag has over all pixels.

    excess : (N_LAGS, H, W) squares of averages without what is noise; clear : (H, W) where there is a field
    """
    pixel = np.where(clear, np.maximum(_around(excess.sum(axis=0)) / _around(np.ones(clear.shape)), 0), 0)
    lag = np.maximum(excess[:, clear].sum(axis=1), 0)
    return np.asarray(lag[:, None, None] * pixel / max(lag.sum(), 1e-300))


def _noise(counts: list[Floats]) -> Floats:
    """Covariance of the noise of each average at a lag and at the one before: (2 J, 2 J).

    A thousandth of what single spikes have is added, since parts that fire in the same frames have no other.
    """
    rows, alone = [], []
    for count in counts:
        share = count / count.sum()
        rows += [share, np.append(0.0, share[:-1])]
        alone += [1 / count.sum()] * 2
    stacked = np.stack(rows)
    return np.asarray(stacked @ stacked.T - 1 / stacked.shape[1] + np.diag(alone) / 1000)


def _clear(excess: Floats, *, n_averages: int) -> NDArray[np.bool_]:
    """Pixels (H, W) around which averages have more energy than noise has.

    excess : (N_LAGS, H, W) squares of averages in variances of their noise, less one, summed over averages
    """
    n_elements = n_averages * N_LAGS * _around(np.ones(excess.shape[1:]))
    return np.asarray(_around(excess.sum(axis=0)) > CLEAR_SD * np.sqrt(2 * n_elements))


def _around(values: Floats) -> Floats:
    """Sums over the eight neighbours of each pixel and itself: (H, W)."""
    padded = np.pad(values, 1)
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    return np.asarray(rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:])
