"""Drawings of a report, as SVG that stands in the page: probe, waveforms, correlograms, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.report.contents import UnitReport
from ncpgui.core.probe import Probe

Floats = NDArray[np.floating]
NEAR_CONTACTS = 7
SCALE_SD = 5.0
"""Length of the scale bar of waveforms, noise sd."""


def probe_map(probe: Probe, units: Sequence[UnitReport], *, width: float = 260.0) -> str:
    """Contacts, and the units at those on which they are largest; a long probe is turned on its side."""
    places = probe.drawn_positions_um.astype(np.float64)
    low, reach = places.min(axis=0), np.ptp(places, axis=0)
    is_long = reach[1] > 2 * max(reach[0], 1.0)
    if is_long:
        places, low, reach = places[:, ::-1], low[::-1], reach[::-1]
    pitch = probe.pitch_um or 30.0
    scale = (2 * width if is_long else width) / max(reach[0], pitch)
    r = float(np.clip(0.16 * pitch * scale, 2.5, 9))
    margin = 3 * r + 6
    at = (places - low) * scale + margin
    at[:, 1] = reach[1] * scale + 2 * margin - at[:, 1]  # up is up
    size = reach * scale + 2 * margin
    parts = [
        f'<circle class="contact" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"><title>contact {k}</title></circle>'
        for k, (x, y) in enumerate(at)
    ]
    seen: dict[int, int] = {}
    for unit in units:
        turn = seen.get(unit.known["channel"], 0)
        seen[unit.known["channel"]] = turn + 1
        angle = 2.4 * turn
        x, y = at[unit.known["channel"]] + r * 1.5 * np.array([np.cos(angle), np.sin(angle)])
        parts.append(
            f'<circle class="u{unit.color.index % 10}" cx="{x:.1f}" cy="{y:.1f}" r="{r * 0.8:.1f}">'
            f"<title>unit {unit.id}</title></circle>"
        )
    return _svg(size[0], size[1], parts, "Probe with its units")


def waveforms(probe: Probe, unit: UnitReport, *, width: float = 170.0, height: float = 130.0) -> str:
    """Mean waveform on the contacts around the main one, where these are; with a scale bar."""
    if unit.waveforms is None:
        return ""
    depth = np.abs(unit.waveforms).max(axis=0)
    seen = np.flatnonzero(depth > 0)
    gap = np.linalg.norm(probe.positions_um[seen] - probe.positions_um[unit.known["channel"]], axis=1)
    seen = seen[np.argsort(gap, kind="stable")[:NEAR_CONTACTS]]
    places = probe.drawn_positions_um[seen]
    low, reach = places.min(axis=0), np.maximum(np.ptp(places, axis=0), 1.0)
    n_columns, n_rows = (len(np.unique(np.round(places[:, k] / 5))) for k in (0, 1))
    box_w, box_h = min(width / n_columns, 70.0), height / max(n_rows, 1)
    left = (places[:, 0] - low[0]) / reach[0] * (width - box_w) if n_columns > 1 else np.full(len(seen), 30.0)
    top = (1 - (places[:, 1] - low[1]) / reach[1]) * (height - box_h) if n_rows > 1 else np.zeros(len(seen))
    largest = float(np.ptp(unit.waveforms[:, seen], axis=0).max())
    scale = 0.95 * box_h * (1.6 if n_rows > 2 else 1.0) / max(largest, 1e-6)
    parts = []
    for k, channel in enumerate(seen):
        trace = unit.waveforms[:, channel]
        x = left[k] + np.linspace(2, box_w - 4, len(trace))
        y = top[k] + box_h * 0.45 - trace * scale
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        main = " main" if channel == unit.known["channel"] else ""
        parts.append(f'<polyline class="wave s{unit.color.index % 10}{main}" points="{points}"/>')
    bar = SCALE_SD * scale
    foot = height + 10
    parts.append(f'<line class="axis" x1="{width}" x2="{width}" y1="{foot - bar:.1f}" y2="{foot}"/>')
    words = f"Mean waveform of unit {unit.id}; the bar is {SCALE_SD:g} noise sd"
    return _svg(width + 4, foot + 6, parts, words)


def histogram(counts: NDArray[np.integer], unit: UnitReport, edges_ms: Floats) -> str:
    """Autocorrelogram, with the time at its foot."""
    width, height, n = 150.0, 78.0, len(counts)
    most = max(int(counts.max(initial=0)), 1)
    step = width / max(n, 1)
    points = [f"0,{height:.1f}"]
    for k, count in enumerate(counts.tolist()):
        y = height - count / most * (height - 4)
        points += [f"{k * step:.1f},{y:.1f}", f"{(k + 1) * step:.1f},{y:.1f}"]
    points.append(f"{width},{height}")
    parts = [
        f'<polygon class="u{unit.color.index % 10}" points="{" ".join(points)}"/>',
        f'<line class="axis" x1="0" x2="{width}" y1="{height}" y2="{height}"/>',
    ]
    for at, anchor, value in ((0, "start", edges_ms[0]), (width, "end", edges_ms[-1])):
        parts.append(f'<text x="{at}" y="{height + 12}" text-anchor="{anchor}">{value:g} ms</text>')
    return _svg(width, height + 16, parts, f"Autocorrelogram of unit {unit.id}")


def interval(low: float, high: float, mean: float, span: tuple[float, float], *, width: float = 96.0) -> str:
    """An interval as a bar on an axis that all units share."""
    if not np.isfinite([low, high, mean]).all() or span[1] <= span[0]:
        return ""
    a, b, m = (4 + (v - span[0]) / (span[1] - span[0]) * (width - 8) for v in (low, high, mean))
    parts = [
        f'<line class="track" x1="0" x2="{width}" y1="6" y2="6"/>',
        f'<line class="bar" x1="{a:.1f}" x2="{max(b, a + 1):.1f}" y1="6" y2="6"/>',
        f'<circle class="dot" cx="{m:.1f}" cy="6" r="3"/>',
    ]
    return _svg(width, 12, parts, f"{mean:.3g}, from {low:.3g} to {high:.3g}")


def _svg(width: float, height: float, parts: Sequence[str], words: str) -> str:
    return (
        f'<svg role="img" aria-label="{escape(words)}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}">{"".join(parts)}</svg>'
    )
