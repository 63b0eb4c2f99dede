"""Where waveforms go on the screen: channels one under the other, or where they are on the probe.

Rows may overlap, as in a paper figure: the largest mean spans `OVERLAP_ROWS` rows, and the rows are
as far apart as the height allows once the first and the last have room for their peaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.waveform_format import N_SAMPLES

OVERLAP_ROWS = 2.0
MARGIN_SD = 1.5
SMALLEST_SPAN_SD = 14.0
CELL_SHARE = 0.9
WIDEST_CELL_PX = 280.0


@dataclass(frozen=True, eq=False)
class WaveformLayout:
    """Channel c starts at x0[c] with its zero line at y0[c], pixels; one noise sd is `sd_px` high.

    pitch_px : of two rows, where there are some
    """

    x0: NDArray[np.float64]
    y0: NDArray[np.float64]
    sample_px: float
    sd_px: float
    pitch_px: float = 0.0

    def on(self, channels: NDArray[np.bool_]) -> WaveformLayout:
        """The places of some channels."""
        return replace(self, x0=self.x0[channels], y0=self.y0[channels])


def extents(
    means: Sequence[NDArray[np.floating]], spikes: Sequence[NDArray[np.floating]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest of each channel (C,), noise sd: of the means, and of nine in ten spikes.

    means : one (T, C) a unit; spikes : one (k, T, C) a unit; nan where they are not known
    """
    low = [np.nan_to_num(mean).min(axis=0) for mean in means]
    high = [np.nan_to_num(mean).max(axis=0) for mean in means]
    for some in map(np.nan_to_num, spikes):
        if len(some):
            low.append(_quantile(some.min(axis=1), 0.05))
            high.append(_quantile(some.max(axis=1), 0.95))
    return np.min(low, axis=0).astype(np.float64), np.max(high, axis=0).astype(np.float64)


def _quantile(values: NDArray[np.floating], share: float) -> NDArray[np.floating]:
    """`numpy.quantile` of the columns of (k, C), which takes a quarter of a millisecond for each unit."""
    ordered, place = np.sort(values, axis=0), share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return np.asarray(ordered[below] + (ordered[above] - ordered[below]) * np.float32(place - below))


def stacked(
    lowest: NDArray[np.floating], highest: NDArray[np.floating], *, width: float, top: float, height: float
) -> WaveformLayout:
    """Place the channels one under the other; lowest, highest : (C,) `extents`."""
    rows = np.arange(len(lowest), dtype=np.float64)
    y0, sd_px, pitch = _rows(rows, lowest, highest, top=top, height=height)
    return WaveformLayout(np.zeros(len(rows)), y0, width / (N_SAMPLES - 1), sd_px, pitch)


def at_contacts(
    offsets_um: NDArray[np.floating],
    lowest: NDArray[np.floating],
    highest: NDArray[np.floating],
    *,
    left: float,
    width: float,
    top: float,
    height: float,
) -> WaveformLayout:
    """Place the channels where their contacts are; offsets_um : (C, 2), upwards is positive."""
    x, y = offsets_um.astype(np.float64).T
    dx, dy = np.abs(x[:, None] - x), np.abs(y[:, None] - y)
    beside = dx[(dx > 1e-6) & (dy < dx)]
    cell_um = CELL_SHARE * float(beside.min()) if len(beside) else 0.0
    extent = float(np.ptp(x))
    scale = width / (extent + cell_um) if extent + cell_um > 0 else 0.0
    cell = min(cell_um * scale if len(beside) else width, WIDEST_CELL_PX)
    centre = left + width / 2 + (x - (x.min() + x.max()) / 2) * min(scale, (width - cell) / max(extent, 1e-6))
    below = dy[(dy > 1e-6) & (dx < max(cell_um, 1e-6))]
    pitch_um = float(below.min()) if len(below) else max(float(np.ptp(y)), 1.0)
    y0, sd_px, pitch = _rows((y.max() - y) / pitch_um, lowest, highest, top=top, height=height)
    return WaveformLayout(centre - cell / 2, y0, cell / (N_SAMPLES - 1), sd_px, pitch)


def _rows(
    rows: NDArray[np.float64],
    lowest: NDArray[np.floating],
    highest: NDArray[np.floating],
    *,
    top: float,
    height: float,
) -> tuple[NDArray[np.float64], float, float]:
    """Zero lines in pixels, pixels a noise sd, pixels a row; rows : (C,) 0 = topmost, in pitches."""
    low, high = lowest - MARGIN_SD, highest + MARGIN_SD
    per_sd = OVERLAP_ROWS / max(float(high.max() - low.min()), SMALLEST_SPAN_SD)
    above = max(float((high * per_sd - rows).max()), 0.0)
    below = max(float((-low * per_sd - (rows.max() - rows)).max()), 0.0)
    pitch = height / (float(rows.max()) + above + below)
    return top + (above + rows) * pitch, per_sd * pitch, pitch
