"""Draws the units of a dataset: which cells, where, how large, and never two the same.

Units are placed so that their largest trough lies on the main channel. A known share are near
neighbours of another unit (the same cell a few µm away, or another cell in the same place, of
equal amplitude), because those are what sorters merge; a pair closer than a minimum distance in
whitened noise could not be told apart, and is one unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.engine.generative.motion import MotionSettings, Way, draw_way, straight
from ncpgui.engine.generative.placed_cells import (
    UPSAMPLING,
    PlacedCells,
    TemplateCutter,
    first,
    joined,
    rows,
    upsampled,
)
from ncpgui.engine.generative.spike_noise import SpikeNoise, uniform
from ncpgui.engine.generative.template_reservoir import TemplateReservoir, random_rotations

_FOUNDER_CANDIDATES, _FOUNDERS_KEPT, _NEAR_CANDIDATES = 6, 2, 4
_TROUGH_REACH = 6  # samples about the trough sample in which troughs of all channels lie


@dataclass(frozen=True)
class UnitSettings:
    """How units are drawn; ranges are drawn from per unit unless said otherwise.

    amplitude_sd : trough on the main channel in noise sd, log-uniform
    small_amplitude_sd, p_small : the same for the share of units that are small
    p_near : probability that a further unit is a near neighbour of an existing one
    near_distance_um : between a near neighbour and its model, log-uniform
    near_amplitude, far_amplitude, p_near_amplitude : factor on the amplitude of a near neighbour:
        nearly equal with this probability, otherwise from the wider range
    p_one_type : share of datasets whose cells are all of one type: one cell, at several places
    p_alike, alike_amplitude : share of datasets whose units are of nearly the same amplitude: that of one
        unit times this
    p_closest : probability that it is the closest allowed of several that were drawn
    min_distance_sd : smallest distance between templates of a dataset, in whitened noise sd
    p_apart, apart_sd : share of datasets whose units are all far apart, and their smallest distance
    min_main_ratio : main-channel trough over the largest trough on any channel
    max_positive_ratio : largest positive peak on any channel over the trough on the main channel
    depth_um : distance of somata from the plane of contacts, log-uniform
    lateral_spread : sd of the somata's places in the plane, over the contact pitch
    p_drift : share of datasets that drift straight on; drift_um : how far, all units alike
    """

    amplitude_sd: tuple[float, float] = (3.5, 30.0)
    small_amplitude_sd: tuple[float, float] = (3.5, 7.0)
    p_small: float = 0.5
    p_near: float = 0.45
    near_distance_um: tuple[float, float] = (3.0, 25.0)
    near_amplitude: tuple[float, float] = (0.9, 1.1)
    far_amplitude: tuple[float, float] = (0.6, 1.5)
    p_near_amplitude: float = 0.7
    p_one_type: float = 0.35
    p_alike: float = 0.35
    alike_amplitude: tuple[float, float] = (0.75, 1.35)
    p_closest: float = 0.6
    min_distance_sd: tuple[float, float] = (1.5, 2.5)
    p_apart: float = 0.0
    apart_sd: tuple[float, float] = (5.0, 15.0)
    min_main_ratio: float = 0.9
    max_positive_ratio: float = 1.1
    depth_um: tuple[float, float] = (6.0, 50.0)
    lateral_spread: float = 0.35
    p_drift: float = 0.45
    drift_um: tuple[float, float] = (1.0, 16.0)


class Units(NamedTuple):
    """Templates of B datasets: K units, then P background cells.

    templates : (T * UPSAMPLING, B, K + P, V, C) float32, at the V places of `way`; units in noise sd,
        background cells with a largest trough of 1; zero at both ends
    trough_sample : where the troughs lie, in samples (before upsampling)
    same_as : (B, K) int64, the unit itself, or an earlier one from which it cannot be told apart
    amplitude : (B, K) float32, main-channel trough in noise sd
    way : how the cells move
    """

    templates: Tensor
    trough_sample: int
    same_as: Tensor
    amplitude: Tensor
    way: Way

    def depths(self) -> tuple[Tensor, Tensor]:
        """Main-channel trough at each place, over that where the cell was drawn, and over the deepest of all.

        Both (B, K + P, V) float32.
        """
        reach = _TROUGH_REACH * UPSAMPLING
        middle = self.trough_sample * UPSAMPLING
        trough = -self.templates[middle - reach : middle + reach + 1].amin(0).clamp(max=0)
        main, n_units = trough[..., 0], self.amplitude.shape[1]
        amplitude = torch.nn.functional.pad(self.amplitude, (0, main.shape[1] - n_units), value=1.0)
        return main / amplitude[..., None], main / trough.amax(-1).clamp(min=1e-6)


def draw_units(
    settings: UnitSettings,
    reservoir: TemplateReservoir,
    noise: SpikeNoise,
    positions: Tensor,
    channel_mask: Tensor,
    n_units: int,
    n_background: int,
    generator: torch.Generator,
    motion: MotionSettings | None = None,
    told: Tensor | None = None,
) -> Units:
    """Draw `n_units` units and `n_background` background cells for each dataset.

    Parameters
    ----------
    noise : its time covariance spans the window, centred on the trough's, in which units are compared
    positions : (B, C, 2) float32, µm, main channel first
    channel_mask : (B, C) bool
    motion : takes the place of the drift of `settings` where it moves anything
    told : (B,) bool, datasets that tell their times; all when left out
    """
    cut = TemplateCutter(reservoir, positions, channel_mask)
    one_type = _some(settings.p_one_type, len(positions), generator)
    founders = _founders(settings, cut, n_units, one_type, generator)
    near = _near_neighbours(settings, cut, first(founders), one_type, generator)
    candidates = joined(near, founders, dim=2)
    raw = cut.raw(candidates)
    fits = _fits(raw, settings)
    aligned, depth = cut.aligned(raw, raw)
    scaled = aligned * (candidates.amplitude / depth)[..., None, None]
    distance = _distances(scaled, noise, reservoir.trough_sample)
    n_datasets = len(positions)
    is_near = torch.rand(n_datasets, n_units, generator=generator, device=generator.device) < settings.p_near
    is_near[:, 0] = False
    minimum = uniform(settings.min_distance_sd, (n_datasets,), generator)
    if settings.p_apart:
        apart = _some(settings.p_apart, n_datasets, generator)[:, 0, 0]
        minimum = torch.where(apart, uniform(settings.apart_sd, (n_datasets,), generator), minimum)
        is_near = is_near & ~apart[:, None]
    preference = fits.float() + 0.01 * torch.rand(fits.shape, generator=generator, device=generator.device)
    preference[:, :, :_NEAR_CANDIDATES] += torch.where(is_near, 2.0, -4.0)[..., None]
    closest = (
        torch.rand(n_datasets, n_units, generator=generator, device=generator.device) < settings.p_closest
    )
    chosen, same_as = _choose(distance, preference, minimum, closest & is_near)
    units = candidates.pick(chosen[..., None])
    background = _background(settings, cut, n_background, generator)
    both = joined(units, background, dim=1)
    if motion is not None and motion.p_moving:
        way = draw_way(motion, n_datasets, generator, told)
    else:
        way = _straight_drift(settings, n_datasets, generator)
    templates = _along(way, cut, both, n_units)
    return Units(templates, reservoir.trough_sample, same_as, units.amplitude[:, :, 0], way)


def _fits(raw: Tensor, settings: UnitSettings) -> Tensor:
    """Whether the main channel has the largest trough, and a trough rather than a peak: (B, K, J)."""
    trough = -raw.amin(dim=-2)
    main = trough[..., 0]
    is_main = main >= settings.min_main_ratio * trough.amax(dim=-1)
    return is_main & (raw.amax(dim=(-2, -1)) <= settings.max_positive_ratio * main)


def _some(share: float, n_datasets: int, generator: torch.Generator) -> Tensor:
    """Which datasets are of a kind: (B, 1, 1) bool. Where none are, nothing is drawn."""
    if not share:
        return torch.zeros(n_datasets, 1, 1, dtype=torch.bool, device=generator.device)
    return torch.rand(n_datasets, 1, 1, generator=generator, device=generator.device) < share


def _random_places(
    settings: UnitSettings, spread_um: Tensor, shape: tuple[int, int, int], generator: torch.Generator
) -> Tensor:
    """Somata around the main contact, on either side of the plane: (B, K, J, 3) µm."""
    place = torch.randn(*shape, 3, generator=generator, device=generator.device)
    place[..., :2] *= spread_um[:, None, None, None]
    place[..., 2] = place[..., 2].sign() * uniform(settings.depth_um, shape, generator, log=True)
    return place


def _founders(
    settings: UnitSettings, cut: TemplateCutter, n_units: int, one_type: Tensor, generator: torch.Generator
) -> PlacedCells:
    """Units drawn on their own: the best of several places each, (B, K, _FOUNDERS_KEPT)."""
    n_datasets, device = len(cut.mask), generator.device
    shape = (n_datasets, n_units, _FOUNDER_CANDIDATES)
    small = torch.rand(n_datasets, n_units, 1, generator=generator, device=device) < settings.p_small
    amplitude = torch.where(
        small,
        uniform(settings.small_amplitude_sd, (n_datasets, n_units, 1), generator, log=True),
        uniform(settings.amplitude_sd, (n_datasets, n_units, 1), generator, log=True),
    )
    alike = _some(settings.p_alike, n_datasets, generator)
    if alike.any():
        factor = uniform(settings.alike_amplitude, amplitude.shape, generator)
        nearly_one = (amplitude[:, :1] * factor).clamp(*settings.amplitude_sd)
        amplitude = torch.where(alike, nearly_one, amplitude)
    cell = torch.randint(len(cut.reservoir), shape, generator=generator, device=device)
    place = _random_places(settings, settings.lateral_spread * cut.pitch_um, shape, generator)
    rotation = random_rotations(shape, generator)
    cells = PlacedCells(
        torch.where(one_type, cell[:, :1, :1], cell),
        place,
        torch.where(one_type[..., None, None], rotation[:, :1, :1], rotation),
        amplitude.expand(shape),
    )
    fits = _fits(cut.raw(cells), settings)
    best = (fits.float() + 0.5 * torch.rand(shape, generator=generator, device=device)).topk(
        _FOUNDERS_KEPT, dim=2
    )
    return cells.pick(best.indices)


def _near_neighbours(
    settings: UnitSettings,
    cut: TemplateCutter,
    founders: PlacedCells,
    one_type: Tensor,
    generator: torch.Generator,
) -> PlacedCells:
    """Candidates near another unit's founder: (B, K, _NEAR_CANDIDATES), of no meaning for unit 0."""
    n_datasets, n_units = founders.cell.shape[:2]
    shape, device = (n_datasets, n_units, _NEAR_CANDIDATES), generator.device
    order = torch.arange(n_units, device=device)
    model = (torch.rand(n_datasets, n_units, 1, generator=generator, device=device) * order[:, None]).long()
    root = PlacedCells(
        *(
            rows(field[:, :, 0], model[..., 0])[:, :, None].expand(*shape, *field.shape[3:])
            for field in founders
        )
    )
    direction = torch.randn(*shape, 3, generator=generator, device=device)
    step = uniform(settings.near_distance_um, shape, generator, log=True)
    place = root.position + direction / direction.norm(dim=-1, keepdim=True) * step[..., None]
    kind = torch.rand(shape, generator=generator, device=device)
    other_cell = (kind < 0.35) & ~one_type  # another cell in almost the same place
    turned = (kind >= 0.35) & (kind < 0.55) & ~one_type  # the same cell, turned
    cell = torch.where(
        other_cell, torch.randint(len(cut.reservoir), shape, generator=generator, device=device), root.cell
    )
    rotation = torch.where(
        (other_cell | turned)[..., None, None], random_rotations(shape, generator), root.rotation
    )
    equal = torch.rand(shape, generator=generator, device=device) < settings.p_near_amplitude
    factor = torch.where(
        equal,
        uniform(settings.near_amplitude, shape, generator),
        uniform(settings.far_amplitude, shape, generator),
    )
    return PlacedCells(cell, place, rotation, (root.amplitude * factor).clamp(*settings.amplitude_sd))


def _background(
    settings: UnitSettings, cut: TemplateCutter, n_cells: int, generator: torch.Generator
) -> PlacedCells:
    """Cells anywhere around the contacts, for collisions and multi-unit noise: (B, P, 1)."""
    shape = (len(cut.mask), n_cells, 1)
    return PlacedCells(
        torch.randint(len(cut.reservoir), shape, generator=generator, device=generator.device),
        _random_places(settings, 1.2 * cut.pitch_um, shape, generator),
        random_rotations(shape, generator),
        torch.ones(shape, device=generator.device),
    )


def _distances(templates: Tensor, noise: SpikeNoise, trough_sample: int) -> Tensor:
    """Distances between all candidates in whitened noise: (B, K, J, K, J)."""
    n_datasets, n_units, n_candidates, _, n_channels = templates.shape
    window = noise.time.shape[1]
    start = trough_sample - TROUGH_SAMPLE - (window - N_SAMPLES) // 2
    flat = templates[..., start : start + window, :].reshape(n_datasets, -1, window, n_channels)
    white = noise.whiten(flat).reshape(n_datasets, n_units * n_candidates, -1)
    distance = torch.cdist(white, white)
    return distance.view(n_datasets, n_units, n_candidates, n_units, n_candidates)


def _choose(distance: Tensor, preference: Tensor, minimum: Tensor, closest: Tensor) -> tuple[Tensor, Tensor]:
    """Take for each unit the preferred candidate that is far enough from the units before it.

    Parameters
    ----------
    distance : (B, K, J, K, J) float32
    preference : (B, K, J) float32
    minimum : (B,) float32
    closest : (B, K) bool, whether candidates close to another unit are preferred

    Returns
    -------
    chosen : (B, K) int64, candidate of each unit
    same_as : (B, K) int64, see `Units`
    """
    n_datasets, n_units, n_candidates = preference.shape
    device = preference.device
    chosen = torch.zeros(n_datasets, n_units, dtype=torch.int64, device=device)
    same_as = torch.arange(n_units, device=device).repeat(n_datasets, 1)
    chosen[:, 0] = preference[:, 0].argmax(dim=1)
    for k in range(1, n_units):
        taken = chosen[:, None, :k, None].expand(-1, n_candidates, -1, -1)
        to_earlier = distance[:, k, :, :k].gather(3, taken)[..., 0]  # (B, J, k)
        clearance = to_earlier.amin(dim=2)
        score = preference[:, k] - 0.05 * closest[:, k, None] * clearance.clamp_max(20.0)
        far = clearance >= minimum[:, None]
        chosen[:, k] = torch.where(far, 100 + score, clearance).argmax(dim=1)
        row = rows(to_earlier, chosen[:, k : k + 1])[:, 0]
        nearest = row.argmin(dim=1, keepdim=True)
        distinct = row.gather(1, nearest)[:, 0] >= minimum
        same_as[:, k] = torch.where(distinct, same_as[:, k], same_as.gather(1, nearest)[:, 0])
    return chosen, same_as


def _straight_drift(settings: UnitSettings, n_datasets: int, generator: torch.Generator) -> Way:
    drifts = torch.rand(n_datasets, generator=generator, device=generator.device) < settings.p_drift
    direction = torch.randn(n_datasets, 3, generator=generator, device=generator.device)
    step = uniform(settings.drift_um, (n_datasets,), generator) * drifts
    return straight(direction / direction.norm(dim=-1, keepdim=True), step)


def _along(way: Way, cut: TemplateCutter, cells: PlacedCells, n_units: int) -> Tensor:
    """Upsampled templates at the places of the way, all scaled and aligned alike: see `Units`."""
    start = cut.raw(cells)
    moved = [
        cut.raw(cells._replace(position=cells.position + offset[:, None, None]))
        for offset in way.offset.unbind(1)
    ]
    raw = torch.cat(moved, dim=2)
    aligned, depth = cut.aligned(raw, start.expand_as(raw))
    largest = (-start.amin(dim=-2)).amax(dim=-1).clamp_min(1e-9).expand_as(depth)
    depth = torch.cat([depth[:, :n_units], largest[:, n_units:]], dim=1)
    return upsampled(aligned * (cells.amplitude / depth)[..., None, None])
