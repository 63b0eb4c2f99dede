"""Build ``resources/template_reservoir.npz``: parametric cells seen by extracellular contacts.

A cell is at most seven current sources: the soma, two dendritic sources that carry the return
current and a weak active spike, an axon initial segment and three points along an axon on which
the spike travels at 0.3-1.5 m/s. Each source has a position (µm, soma at the origin) and a waveform
that already holds its strength and delay. A contact at distance d_i of source i sees

    sum_i waveform_i(t) / (d_i^2 + softening^2)^(falloff / 2)

so the cell can be cut out for contacts anywhere. Waveforms are built at 100 kHz, band-passed as a
recording would be, and kept at 20 kHz. Everything follows from the seed.

    python scripts/build_template_reservoir.py [--n-cells 3000] [--seed 0] [--out FILE]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt

Array = NDArray[np.float64]

RATE_HZ, FINE_HZ = 20_000, 100_000
N_SAMPLES, TROUGH = 64, 22  # room for shifts around the 32 samples that a network sees
N_SOURCES = 7
TEST_SHARE = 0.15
TIME_MS = (
    (np.arange(N_SAMPLES * FINE_HZ // RATE_HZ + 400) - 200 - TROUGH * FINE_HZ // RATE_HZ) * 1e3 / FINE_HZ
)


@dataclass(frozen=True)
class Shape:
    """The somatic spike of a cell, times in ms, amplitudes relative to a trough of -1."""

    bump: float
    bump_lead: float
    bump_width: float
    fall_width: float
    rise_width: float
    peak: float
    trough_to_peak: float
    peak_rise: float
    peak_fall: float


KINDS = ("narrow", "regular", "wide", "triphasic", "axonal")
KIND_SHARE = (0.25, 0.35, 0.12, 0.16, 0.12)
TROUGH_TO_PEAK_MS = {
    "narrow": (0.08, 0.35),
    "regular": (0.3, 0.8),
    "wide": (0.6, 1.15),
    "triphasic": (0.15, 0.6),
    "axonal": (0.07, 0.4),
}
BUMP = {
    "narrow": (0.0, 0.25),
    "regular": (0.0, 0.2),
    "wide": (0.0, 0.15),
    "triphasic": (0.25, 0.7),
    "axonal": (0.4, 1.2),
}


def draw_shape(kind: str, rng: np.random.Generator) -> Shape:
    """Draw the somatic spike of one kind of cell."""
    trough_to_peak = rng.uniform(*TROUGH_TO_PEAK_MS[kind])
    fall = rng.uniform(0.04, 0.16) * (0.7 if kind in ("narrow", "axonal") else 1.0)
    rise = min(rng.uniform(0.04, 0.3), 0.5 * trough_to_peak)
    return Shape(
        bump=rng.uniform(*BUMP[kind]),
        bump_lead=fall * rng.uniform(2.2, 3.5),
        bump_width=rng.uniform(0.05, 0.15),
        fall_width=fall,
        rise_width=rise,
        peak=rng.uniform(0.08, 0.9) if kind != "wide" else rng.uniform(0.05, 0.4),
        trough_to_peak=trough_to_peak,
        peak_rise=max(0.03, trough_to_peak * rng.uniform(0.25, 0.5)),
        peak_fall=trough_to_peak * rng.uniform(0.4, 1.2),
    )


def two_sided_gaussian(t: Array, left: float, right: float) -> Array:
    """Bell of height 1 at 0 with a width on each side."""
    return np.exp(-0.5 * (t / np.where(t < 0, left, right)) ** 2)


def spike(shape: Shape, *, delay: float = 0.0, stretch: float = 1.0) -> Array:
    """Waveform of a spike on `TIME_MS`, trough near -1 at `delay` ms, stretched in time."""
    t = (TIME_MS - delay) / stretch
    trough = two_sided_gaussian(t, shape.fall_width, shape.rise_width)
    peak = two_sided_gaussian(t - shape.trough_to_peak, shape.peak_rise, shape.peak_fall)
    bump = two_sided_gaussian(t + shape.bump_lead, 1.4 * shape.bump_width, shape.bump_width)
    return shape.bump * bump - trough + shape.peak * peak


def random_direction(rng: np.random.Generator) -> Array:
    direction = rng.normal(size=3)
    return direction / np.linalg.norm(direction)


@dataclass(frozen=True)
class Cell:
    """Sources of one cell: positions (N_SOURCES, 3) µm, waveforms (N_SOURCES, n) at 100 kHz."""

    position: Array
    waveform: Array
    softening_um: float
    falloff: float


def draw_cell(rng: np.random.Generator) -> Cell:
    """Draw the sources of one cell."""
    kind = rng.choice(KINDS, p=KIND_SHARE)
    shape = draw_shape(kind, rng)
    size = np.exp(rng.uniform(np.log(0.35), np.log(2.2)))  # of the whole cell: thin cells to giant ones
    dendrite, axon = random_direction(rng), random_direction(rng)
    position = np.zeros((N_SOURCES, 3))
    waveform = np.zeros((N_SOURCES, len(TIME_MS)))
    waveform[0] = spike(shape)
    reach = 0.0
    for i in (1, 2):
        step = rng.uniform(20, 70) * size
        reach += step
        position[i] = dendrite * reach + rng.normal(size=3) * 0.2 * step
        delay = reach / 1000 / rng.uniform(0.25, 0.8)  # back-propagation, m/s; µm / 1000 = mm
        passive = -spike(shape, delay=0.5 * delay, stretch=rng.uniform(1.2, 1.8))
        active = spike(shape, delay=delay, stretch=rng.uniform(1.1, 1.6))
        strength = rng.uniform(0.1, 0.7) / i
        waveform[i] = strength * (rng.uniform(0.2, 1.0) * passive + rng.uniform(0.0, 1.0) * active)
    thin = draw_shape("axonal", rng)
    axon_strength = rng.uniform(0.3, 1.0) if kind == "axonal" else rng.uniform(0.0, 0.45)
    velocity = rng.uniform(0.3, 1.5)
    reach = rng.uniform(10, 35)
    position[3] = axon * reach
    waveform[3] = rng.uniform(0.1, 0.6) * spike(thin, delay=-rng.uniform(0.0, 0.15))
    for i in (4, 5, 6):
        step = rng.uniform(20, 60)
        reach += step
        axon = axon + 0.4 * random_direction(rng)
        axon /= np.linalg.norm(axon)
        position[i] = position[i - 1] + axon * step
        waveform[i] = axon_strength * spike(thin, delay=reach / 1000 / velocity)
    softening = rng.uniform(2, 14) * np.sqrt(size)
    return Cell(position, waveform, softening, rng.uniform(1.0, 2.4))


def recorded(waveform: Array, rng: np.random.Generator) -> Array:
    """Band-pass as a recording would, taper the ends, keep 20 kHz with the soma's trough at `TROUGH`."""
    low, high = rng.uniform(100, 450), rng.uniform(5000, 9000)
    filtered = sosfiltfilt(butter(1, [low, high], "bandpass", fs=FINE_HZ, output="sos"), waveform, axis=1)
    step = FINE_HZ // RATE_HZ
    trough = 100 + int(np.argmin(filtered[0, 100:-200]))
    start = trough - TROUGH * step
    index = np.clip(start + step * np.arange(N_SAMPLES), 0, waveform.shape[1] - 1)
    ramp = np.minimum(1.0, np.minimum(np.arange(N_SAMPLES), np.arange(N_SAMPLES)[::-1]) / 5.0)
    sampled: Array = filtered[:, index] * (0.5 - 0.5 * np.cos(np.pi * ramp))
    return sampled


def seen(cell_position: Array, waveform: Array, softening: float, falloff: float, contacts: Array) -> Array:
    """Potential at contacts (C, 3) µm: (C, N_SAMPLES)."""
    distance2 = ((contacts[:, None] - cell_position) ** 2).sum(-1) + softening**2
    potential: Array = distance2 ** (-falloff / 2) @ waveform
    return potential


def trough_to_peak_ms(waveform: Array) -> float:
    """Time from the trough to the highest point after it, on a grid eight times finer."""
    grid = np.arange(0, N_SAMPLES - 1, 0.125)
    fine = np.interp(grid, np.arange(N_SAMPLES), waveform)
    trough = int(np.argmin(fine))
    return float(np.argmax(fine[trough:]) * 0.125 * 1000 / RATE_HZ)


def plane_of_contacts(height_um: float = 10.0, half_um: float = 240.0, pitch_um: float = 12.0) -> Array:
    axis = np.arange(-half_um, half_um + 1, pitch_um)
    x, y = np.meshgrid(axis, axis)
    return np.column_stack([x.ravel(), y.ravel(), np.full(x.size, height_um)])


def extent_um(potential: Array, pitch_um: float = 12.0) -> float:
    """Radius of the disc as large as the region above a fifth of the largest trough."""
    trough = -potential.min(axis=1)
    return float(np.sqrt((trough > 0.2 * trough.max()).sum() * pitch_um**2 / np.pi))


def build(n_cells: int, seed: int) -> dict[str, NDArray[np.generic]]:
    """Draw cells until `n_cells` lie in the ranges that electrodes see."""
    rng = np.random.default_rng(seed)
    plane = plane_of_contacts()
    near = np.array([[0.0, 0.0, 10.0]])
    kept: dict[str, list[object]] = {
        name: [] for name in
        ("source_position", "source_waveform", "softening_um", "falloff", "trough_to_peak_ms", "extent_um")
    }  # fmt: skip
    while len(kept["falloff"]) < n_cells:
        cell = draw_cell(rng)
        waveform = recorded(cell.waveform, rng)
        at_soma = seen(cell.position, waveform, cell.softening_um, cell.falloff, near)[0]
        duration = trough_to_peak_ms(at_soma)
        extent = extent_um(seen(cell.position, waveform, cell.softening_um, cell.falloff, plane))
        trough_is_central = abs(int(np.argmin(at_soma)) - TROUGH) <= 5
        if not (0.1 <= duration <= 1.2 and 10 <= extent <= 150 and trough_is_central):
            continue
        waveform = waveform / np.abs(waveform).max()
        values = (cell.position, waveform, cell.softening_um, cell.falloff, duration, extent)
        for name, value in zip(kept, values, strict=True):
            kept[name].append(value)
    arrays: dict[str, NDArray[np.generic]] = {k: np.asarray(v, dtype=np.float16) for k, v in kept.items()}
    arrays["is_test"] = rng.random(n_cells) < TEST_SHARE
    arrays["trough_sample"] = np.array(TROUGH)
    return arrays


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--n-cells", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    default = Path(__file__).resolve().parents[1] / "resources" / "template_reservoir.npz"
    parser.add_argument("--out", type=Path, default=default)
    arguments = parser.parse_args()
    arrays = build(arguments.n_cells, arguments.seed)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(arguments.out, **arrays)  # type: ignore[arg-type]
    size = arguments.out.stat().st_size / 1e6
    n_test = int(arrays["is_test"].sum())
    print(f"{arguments.out}: {arguments.n_cells} cells, {n_test} for testing, {size:.1f} MB")


if __name__ == "__main__":
    main()
