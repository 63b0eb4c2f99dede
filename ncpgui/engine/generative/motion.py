"""How cells move against the contacts: all units of a dataset together, along one direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ncpgui.core.config import check_numbers
from ncpgui.engine.generative.spike_noise import uniform

_GRID = 128  # times at which the way is drawn
_JUMP = 2  # of the kinds of `_shares`
_ROUGH = 9  # points of the small irregular motion beside the large one


@dataclass(frozen=True)
class MotionSettings:
    """How datasets move, instead of `UnitSettings.p_drift`; ranges are drawn from per dataset.

    p_moving : share of datasets that move; 0 leaves the straight drift of the units' settings
    p_moving_untold : the same of those that do not tell their times; None for as many
    reach_um : from one end of the way to the other
    p_in_plane : share of them that move in the plane of the contacts
    p_jumping : share of them that jump between places whatever else was drawn, beside the quarter that does
    n_places : places of the way at which templates are computed; those between are interpolated
    off_main_part : of the spikes that are deeper on another contact, those that are in the set all the same
    """

    p_moving: float = 0.0
    p_moving_untold: float | None = None
    reach_um: tuple[float, float] = (2.0, 40.0)
    p_in_plane: float = 0.8
    p_jumping: float = 0.0
    n_places: int = 6
    off_main_part: float = 0.05

    def __post_init__(self) -> None:
        check_numbers(self)


class Way(NamedTuple):
    """Where the cells of each dataset are over time.

    offset : (B, V, 3) float32, µm, at equidistant places of the way
    place : (B, _GRID) float32, 0 .. V - 1, at equidistant times
    """

    offset: Tensor
    place: Tensor

    def at(self, part: Tensor) -> Tensor:
        """Place at parts (B, N) of the time, 0 .. 1: (B, N) float32."""
        at = part * (self.place.shape[1] - 1)
        before = at.floor().long().clamp(max=self.place.shape[1] - 2)
        low, high = self.place.gather(1, before), self.place.gather(1, before + 1)
        return low + (high - low) * (at - before)


def straight(direction: Tensor, step_um: Tensor) -> Way:
    """Go straight on by steps (B,) µm along directions (B, 3) of length 1, at constant speed."""
    offset = torch.stack([torch.zeros_like(direction), direction * step_um[:, None]], dim=1)
    place = torch.linspace(0, 1, _GRID, device=direction.device).expand(len(direction), -1)
    return Way(offset, place)


def draw_way(
    settings: MotionSettings, n_datasets: int, generator: torch.Generator, told: Tensor | None = None
) -> Way:
    """Draw slow waves, zigzags, jumps or settling, each with a small irregular motion; or none.

    told : (B,) bool, datasets that tell their times; all when left out
    """
    s, device = settings, generator.device
    p_moving = torch.full((n_datasets,), s.p_moving, device=device)
    if told is not None and s.p_moving_untold is not None:
        p_moving = torch.where(told, p_moving, s.p_moving_untold)
    moves = torch.rand(n_datasets, generator=generator, device=device) < p_moving
    direction = torch.randn(n_datasets, 3, generator=generator, device=device)
    flat = torch.rand(n_datasets, generator=generator, device=device) < s.p_in_plane
    direction[:, 2] *= ~flat
    direction = direction / direction.norm(dim=1, keepdim=True)
    reach = uniform(s.reach_um, (n_datasets,), generator) * moves
    share = _shares(n_datasets, s.p_jumping, generator)
    home = torch.rand(n_datasets, 1, generator=generator, device=device)  # where the cells were drawn
    steps = torch.linspace(0, 1, s.n_places, device=device) - home
    offset = direction[:, None] * (reach[:, None] * steps)[..., None]
    return Way(offset, share * (s.n_places - 1))


def _shares(n_datasets: int, p_jumping: float, generator: torch.Generator) -> Tensor:
    """How much of the way is behind the cells at each time: (B, _GRID), 0 .. 1."""
    device, column = generator.device, (n_datasets, 1)
    time = torch.linspace(0, 1, _GRID, device=device)
    phase = uniform((0.0, 1.0), column, generator)
    slow = 0.5 + 0.5 * torch.sin(2 * math.pi * (uniform((0.25, 1.0), column, generator) * time + phase))
    turns = uniform((0.5, 4.0), column, generator) * time + phase
    zigzag = (2 * (turns - turns.floor()) - 1).abs()
    jumps = (time >= torch.rand(n_datasets, 3, 1, generator=generator, device=device)).sum(1)
    level = torch.rand(n_datasets, 4, generator=generator, device=device)
    jump = level.gather(1, jumps)
    settling = torch.exp(-time / uniform((0.05, 0.5), column, generator, log=True))
    kind = torch.randint(4, column, generator=generator, device=device)
    if p_jumping:  # no number is drawn for it otherwise: runs of before draw what they drew
        jumping = torch.rand(column, generator=generator, device=device) < p_jumping
        kind = kind.masked_fill(jumping, _JUMP)
    share = torch.stack([slow, zigzag, jump, settling]).gather(0, kind.expand(-1, _GRID)[None])[0]
    low, high = share.amin(1, keepdim=True), share.amax(1, keepdim=True)
    share = (share - low) / (high - low).clamp(min=1e-6)
    rough = torch.randn(n_datasets, 1, _ROUGH, generator=generator, device=device) * 0.05
    rough = torch.nn.functional.interpolate(rough, size=_GRID, mode="linear", align_corners=True)[:, 0]
    return (share + rough).clamp(0, 1)
