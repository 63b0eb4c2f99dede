"""Extracellular spikes of simulated cells: soma, axon with conduction delay, return current.

A small physical description that is independent of the template reservoir that networks are
trained on: each contact sees the soma's current, whose waveform widens with distance, the axon's
triphasic wave passing by with its delay, and a slow positive return current of the dendrites.
Everything is a smooth function of time, so that spikes can fall between samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

AXON_STEP_UM = 12.0
AXON_LENGTH_UM = 420.0
AXON_START_UM = 25.0


@dataclass(frozen=True)
class SpikeShape:
    """What sets the waveform of one cell; times in ms, lengths in µm, the trough of the soma is 1.

    rise_ms, fall_ms : sd of the trough before and after its minimum; hump, hump_ms : the positive
    phase after it; onset : capacitive positive phase before it; decay_um : distance at which the
    soma's amplitude halves; widening : growth of all times per 100 µm of distance;
    axon : amplitude of the axon beside the soma's; velocity_um_per_ms, angle_rad : conduction;
    dendrite : amplitude of the return current.
    """

    rise_ms: float
    fall_ms: float
    hump: float
    hump_ms: float
    onset: float
    decay_um: float
    widening: float
    axon: float
    axon_ms: float
    velocity_um_per_ms: float
    angle_rad: float
    dendrite: float
    depth_um: float


def draw_shape(rng: np.random.Generator, *, axon_angle_rad: float) -> SpikeShape:
    """Draw a cell; axons leave in about the same direction, as towards the optic disc."""
    rise = rng.uniform(0.07, 0.15)
    return SpikeShape(
        rise_ms=rise,
        fall_ms=rise * rng.uniform(0.9, 1.5),
        hump=rng.uniform(0.1, 0.5),
        hump_ms=rng.uniform(0.18, 0.5),
        onset=rng.uniform(0.0, 0.25),
        decay_um=rng.uniform(16.0, 34.0),
        widening=rng.uniform(0.2, 0.6),
        axon=rng.uniform(0.05, 0.3),
        axon_ms=rng.uniform(0.06, 0.1),
        velocity_um_per_ms=rng.uniform(500.0, 1100.0),
        angle_rad=axon_angle_rad + rng.normal(0.0, 0.25),
        dendrite=rng.uniform(0.0, 0.12),
        depth_um=rng.uniform(6.0, 22.0),
    )


def potential(shape: SpikeShape, offsets_um: Array, time_ms: Array) -> Array:
    """Potential at contacts (C, 2) relative to the soma, at times (T,): (T, C), soma trough near -1."""
    distance = np.hypot(np.hypot(offsets_um[:, 0], offsets_um[:, 1]), shape.depth_um)
    stretch = 1 + shape.widening * distance / 100
    local = time_ms[:, None] / stretch
    result = _fall_off(distance, shape.decay_um) * _soma(shape, local)
    result += _axon(shape, offsets_um, time_ms)
    slow = np.exp(-0.5 * ((time_ms[:, None] - 0.1) / 0.3) ** 2)
    return result + shape.dendrite * _fall_off(distance, 2.5 * shape.decay_um) * slow * (distance > 40)


def _soma(shape: SpikeShape, t: Array) -> Array:
    width = np.where(t < 0, shape.rise_ms, shape.fall_ms)
    trough = -np.exp(-0.5 * (t / width) ** 2)
    before = shape.onset * np.exp(-0.5 * ((t + 2.6 * shape.rise_ms) / shape.rise_ms) ** 2)
    later = np.clip(t - shape.fall_ms, 0, None) / shape.hump_ms
    return trough + before + shape.hump * later * np.exp(1 - later)


def _axon(shape: SpikeShape, offsets_um: Array, time_ms: Array) -> Array:
    along = np.arange(AXON_START_UM, AXON_LENGTH_UM, AXON_STEP_UM)
    direction = np.array([np.cos(shape.angle_rad), np.sin(shape.angle_rad)])
    gap = offsets_um[:, None, :] - along[None, :, None] * direction
    distance = np.hypot(np.hypot(gap[..., 0], gap[..., 1]), shape.depth_um)
    weight = _fall_off(distance, 9.0) * AXON_STEP_UM / 20
    t = (time_ms[:, None] - along / shape.velocity_um_per_ms) / shape.axon_ms
    wave = 0.4 * _bell(t + 2.2) - _bell(t) + 0.45 * _bell(t - 2.4)
    return shape.axon * wave @ weight.T


def _bell(x: Array) -> Array:
    return np.exp(-0.5 * x**2)


def _fall_off(distance_um: Array, half_um: float) -> Array:
    return 1 / (1 + (distance_um / half_um) ** 2.2)
