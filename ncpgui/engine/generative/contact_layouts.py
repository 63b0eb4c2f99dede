"""Neighbourhoods of contacts, as one main channel and up to eleven others see them.

A layout is a list of relative positions at pitch 1; drawing one scales it, turns it, and leaves
contacts out where an array ends or a contact is dead.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.waveform_format import MAX_CHANNELS
from ncpgui.engine.generative.spike_noise import uniform

GEOMETRY_SHARE = {
    "hex7": 0.28,
    "tetrode": 0.27,
    "linear": 0.14,
    "dense": 0.15,
    "grid": 0.06,
    "single": 0.03,
    "stereotrode": 0.02,
    "subset": 0.05,  # any of the first five, with contacts left out at random
}

_MOST_CONTACTS = {"hex7": 7, "tetrode": 4, "single": 1, "stereotrode": 2}  # of the others, MAX_CHANNELS

_Points = list[tuple[float, float]]


def most_contacts(geometries: tuple[str, ...]) -> int:
    """Contacts of the largest neighbourhood among these geometries (all when empty)."""
    return max(_MOST_CONTACTS.get(name, MAX_CHANNELS) for name in geometries or GEOMETRY_SHARE)


def draw_layouts(
    geometries: tuple[str, ...], n_datasets: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Draw one neighbourhood for each dataset.

    Parameters
    ----------
    geometries : names of `GEOMETRY_SHARE` to draw from, in their relative shares; empty for all

    Returns
    -------
    positions : (n_datasets, C, 2) float32, µm relative to the main channel, which comes first; the hexagon
        in order of angle, others by distance; zero where missing. C <= 12 is that of the largest layout
    channel_mask : (n_datasets, C) bool

    Raises
    ------
    InputError
        An unknown geometry.
    """
    names = geometries or tuple(GEOMETRY_SHARE)
    unknown = [name for name in names if name not in GEOMETRY_SHARE]
    if unknown:
        raise InputError(f"unknown geometry '{unknown[0]}'; known are {', '.join(GEOMETRY_SHARE)}")
    device = generator.device
    share = torch.tensor([GEOMETRY_SHARE[name] for name in names], device=device)
    chosen = torch.multinomial(share, n_datasets, replacement=True, generator=generator).tolist()
    draws = torch.rand(n_datasets, 16 + MAX_CHANNELS, generator=generator, device=device).cpu()
    positions = torch.zeros(n_datasets, MAX_CHANNELS, 2)
    mask = torch.zeros(n_datasets, MAX_CHANNELS, dtype=torch.bool)
    for i, which in enumerate(chosen):
        points, present = _draw(names[which], draws[i].tolist())
        positions[i, : len(points)] = torch.tensor(points)
        mask[i, : len(points)] = torch.tensor(present)
    n_channels = int(mask.any(dim=0).nonzero().max()) + 1
    positions, mask = positions[:, :n_channels], mask[:, :n_channels]
    positions = positions * mask[..., None]
    return _turned(positions, generator).to(device), mask.to(device)


def _draw(name: str, u: list[float]) -> tuple[_Points, list[bool]]:
    """Points in µm and whether each is there; `u` are uniform draws, the only randomness."""
    if name == "subset":
        others = ("hex7", "tetrode", "linear", "dense", "grid")
        points, present = _draw(others[int(u[15] * len(others))], u)
        kept = u[16 : 16 + len(points) - 1]
        return points, [True, *(here and draw < 0.6 for here, draw in zip(present[1:], kept, strict=True))]
    points, low, high = _LAYOUTS[name](u)
    pitch = low * (high / low) ** u[0]
    points = [(x * pitch, y * pitch) for x, y in points]
    present = [True] * len(points)
    if name == "hex7" and u[1] < 0.3:  # the array ends on one side, sometimes at a corner
        edge, reach = 2 * math.pi * u[2], -0.1 if u[3] < 0.7 else -0.6
        present = [x * math.cos(edge) + y * math.sin(edge) >= reach * pitch for x, y in points]
    if len(points) > 2 and u[4] < 0.08:  # a dead contact
        present[1 + int(u[5] * (len(points) - 1))] = False
    return points, present


def _hexagon(u: list[float]) -> tuple[_Points, float, float]:
    ring = [(math.cos(i * math.pi / 3), math.sin(i * math.pi / 3)) for i in range(6)]
    return [(0.0, 0.0), *ring], 18.0, 70.0


def _tetrode(u: list[float]) -> tuple[_Points, float, float]:
    if u[6] < 0.6:  # square; a rhombus with unequal diagonals otherwise
        return _nearest([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)], 0), 12.0, 60.0
    tall = 0.6 + 0.8 * u[7]
    rhombus = [(0.0, tall / 2), (0.5, 0.0), (-0.5, 0.0), (0.0, -tall / 2)]
    return _nearest(rhombus, int(u[8] * 4)), 15.0, 60.0


def _linear(u: list[float]) -> tuple[_Points, float, float]:
    n_contacts = 7 if u[6] < 0.5 else 3 + int(u[7] * (MAX_CHANNELS - 2))
    column = [(0.0, float(i)) for i in range(n_contacts)]
    main = n_contacts // 2 if u[9] < 0.7 else int(u[8] * n_contacts)
    return _nearest(column, main), 12.0, 60.0


def _dense(u: list[float]) -> tuple[_Points, float, float]:
    """Columns of contacts: two (aligned or staggered), or the four of a Neuropixels probe."""
    width = 0.6 + 1.4 * u[6]
    if u[7] < 0.35:
        grid = [(width * (i % 2), float(i // 2)) for i in range(16)]
    elif u[7] < 0.7:
        grid = [(width * (i % 2), i / 2) for i in range(16)]
    else:
        x = (0.8, 2.4, 0.0, 1.6)  # 16, 48, 0, 32 µm at a row pitch of 20 µm
        grid = [(x[i % 4], float(i // 2)) for i in range(16)]
    n_contacts = 7 + int(u[10] * (MAX_CHANNELS - 6))
    return _nearest(grid, 6 + int(4 * u[8]) if u[9] < 0.85 else 0)[:n_contacts], 15.0, 35.0


def _grid(u: list[float]) -> tuple[_Points, float, float]:
    """Square array: the main contact with its eight neighbours, or some of the next ones as well."""
    square = [(float(i % 5), float(i // 5)) for i in range(25)]
    main = 12 if u[9] < 0.7 else int(25 * u[8])
    return _nearest(square, main)[: 9 if u[6] < 0.7 else MAX_CHANNELS], 15.0, 60.0


def _single(u: list[float]) -> tuple[_Points, float, float]:
    return [(0.0, 0.0)], 20.0, 20.0


def _stereotrode(u: list[float]) -> tuple[_Points, float, float]:
    return [(0.0, 0.0), (1.0, 0.0)], 15.0, 60.0


_LAYOUTS: dict[str, Callable[[list[float]], tuple[_Points, float, float]]] = {
    "hex7": _hexagon, "tetrode": _tetrode, "linear": _linear, "dense": _dense, "grid": _grid,
    "single": _single, "stereotrode": _stereotrode,
}  # fmt: skip


def _nearest(points: _Points, main: int) -> _Points:
    """Points relative to the main one, nearest first."""
    x0, y0 = points[main]
    return sorted(((x - x0, y - y0) for x, y in points), key=lambda point: math.hypot(*point))


def _turned(positions: Tensor, generator: torch.Generator) -> Tensor:
    """Turn each layout: by quarter turns for half of them, by any angle for the rest."""
    n = len(positions)
    any_angle = uniform((0.0, 2 * math.pi), (n,), generator)
    quarter = (any_angle / (math.pi / 2)).floor() * (math.pi / 2)
    free = torch.rand(n, generator=generator, device=generator.device) < 0.5
    angle = torch.where(free, any_angle, quarter).cpu()
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], -1).view(n, 2, 2)
    return positions @ turn.mT
