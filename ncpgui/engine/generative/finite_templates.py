"""A finite set of spike templates on one layout of contacts, with one noise: what `finite_spikes` draws from.

Cells are placed once, as `unit_templates` places them; each template is seen in every orientation that maps
the layout onto itself, and each of these at a few sub-sample shifts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from ncpgui.core.config import check_numbers
from ncpgui.core.errors import InputError
from ncpgui.core.seeds import stream_seed
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.engine.generative.placed_cells import UPSAMPLING
from ncpgui.engine.generative.spike_noise import NoiseSettings, SpikeNoise, draw_noise
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from ncpgui.engine.generative.unit_templates import UnitSettings, draw_units

_Points = tuple[tuple[float, float], ...]

_HEIGHT = 0.75**0.5

LAYOUTS: dict[str, _Points] = {
    "hex7": (
        (0.0, 0.0), (1.0, 0.0), (0.5, _HEIGHT), (-0.5, _HEIGHT),
        (-1.0, 0.0), (-0.5, -_HEIGHT), (0.5, -_HEIGHT),
    ),
    "tetrode": ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)),
    "linear": ((0.0, 0.0), (0.0, 1.0), (0.0, -1.0), (0.0, 2.0), (0.0, -2.0), (0.0, 3.0), (0.0, -3.0)),
    "stereotrode": ((0.0, 0.0), (1.0, 0.0)),
    "single": ((0.0, 0.0),),
}  # fmt: skip
"""Contacts at pitch 1, main channel first, in the order in which `contact_layouts` has them."""

MOST_SHIFTS = 2 * UPSAMPLING + 1


@dataclass(frozen=True)
class FiniteSpikesSettings:
    """Every number of the model; templates and noise are drawn once, from `seed`.

    layout, pitch_um : contacts, of `LAYOUTS`, and the distance between neighbours
    n_templates : placements of cells, each with its amplitude
    main_channel_stays : orientations are the symmetries of the layout that leave the main channel in its
        place (hexagon 12, square 2); false for all (square 8), which makes templates that are deepest on
        another contact than the first
    n_shifts : of a spike in time, in steps of 1/6 sample around its trough
    k_rate, k_max, gamma : MFM prior of the clustering: K ~ 1 + Poisson, truncated, Dirichlet(gamma)
    seed : of the cells, their places and amplitudes, and of the noise
    units, noise : how they are drawn, as in `SpikeMixtureSettings`; there is no drift
    """

    layout: str = "hex7"
    pitch_um: float = 30.0
    n_templates: int = 957
    main_channel_stays: bool = True
    n_shifts: int = 5
    k_rate: float = 2.0
    k_max: int = 12
    gamma: float = 1.0
    seed: int = 0
    units: UnitSettings = field(
        default_factory=lambda: UnitSettings(p_drift=0.0, p_one_type=0.0, p_alike=0.0)
    )
    noise: NoiseSettings = field(default_factory=NoiseSettings)

    def __post_init__(self) -> None:
        check_numbers(self, positive=("pitch_um", "n_templates", "k_rate", "k_max", "gamma"))
        for settings in (self.units, self.noise):
            check_numbers(settings)
        if self.layout not in LAYOUTS:
            raise InputError(f"setting 'layout' must be one of {', '.join(LAYOUTS)}, got '{self.layout}'")
        if not (self.n_shifts % 2 and self.n_shifts <= MOST_SHIFTS):
            raise InputError(
                f"setting 'n_shifts' must be odd and at most {MOST_SHIFTS} (a sample to either side), "
                f"got {self.n_shifts}"
            )
        if self.units.p_drift:
            raise InputError(
                f"setting 'units.p_drift' must be 0, got {self.units.p_drift}: the templates of a finite set "
                "do not drift"
            )


@dataclass(frozen=True)
class FiniteTemplates:
    """The means that a spike can have, and the noise around them.

    means : (n_templates * n_orientations, n_shifts, 32, C) float32, noise sd, main channel first
    noise : covariances of one dataset, (1, ...), over 32 samples and these contacts
    positions : (C, 2) float32, µm relative to the main channel
    source : digest of the reservoir, empty where there is none

    Raises
    ------
    InputError
        Shapes that do not fit, or a value that is not finite.
    """

    means: Tensor
    noise: SpikeNoise
    positions: Tensor
    source: str = ""

    def __post_init__(self) -> None:
        n_channels = len(self.positions)
        if self.means.ndim != 4 or self.means.shape[2:] != (N_SAMPLES, n_channels) or not len(self.means):
            raise InputError(
                f"templates must be (templates, shifts, {N_SAMPLES}, {n_channels} contacts), "
                f"got {tuple(self.means.shape)}"
            )
        space, time = tuple(self.noise.space.shape), tuple(self.noise.time.shape)
        if (time, space) != ((1, N_SAMPLES, N_SAMPLES), (1, n_channels, n_channels)):
            raise InputError(
                f"noise covariances must be (1, {N_SAMPLES}, {N_SAMPLES}) in time and "
                f"(1, {n_channels}, {n_channels}) in space, got {time} and {space}"
            )
        if not bool(torch.isfinite(self.means).all()):
            raise InputError("templates hold values that are not finite; leave these templates out")

    def to(self, device: torch.device) -> FiniteTemplates:
        """Return the set on `device`."""
        noise = SpikeNoise(*(tensor.to(device) for tensor in self.noise))
        return replace(self, means=self.means.to(device), noise=noise, positions=self.positions.to(device))


@torch.no_grad()
def draw_templates(settings: FiniteSpikesSettings, reservoir: TemplateReservoir) -> FiniteTemplates:
    """Draw the set from `settings.seed`; the noise does not depend on the reservoir's cells."""
    positions = settings.pitch_um * torch.tensor(LAYOUTS[settings.layout])
    mask = torch.ones(1, len(positions), dtype=torch.bool)
    noise = draw_noise(settings.noise, positions[None], mask, N_SAMPLES, _generator(settings, "noise"))
    units = draw_units(
        settings.units,
        reservoir,
        noise,
        positions[None],
        mask,
        settings.n_templates,
        0,
        _generator(settings, "templates"),
    )
    fine = units.templates[:, 0, :, 0].transpose(0, 1)  # at the start of a drift that there is not
    turns = layout_symmetries(positions)
    if settings.main_channel_stays:
        turns = turns[turns[:, 0] == 0]
    shifted = at_shifts(fine, units.trough_sample * UPSAMPLING, settings.n_shifts)
    return FiniteTemplates(in_orientations(shifted, turns), noise, positions, reservoir.sha256)


def layout_symmetries(positions: Tensor) -> Tensor:
    """Permutations of contacts that leave all distances between them as they are: (n, C) int64.

    They are the orientations in which a layout, turned or mirrored, comes to lie on itself; the identity is
    the first. A template in orientation p has on contact c what it had on contact p[c].

    Parameters
    ----------
    positions : (C, 2) float32, µm

    >>> layout_symmetries(torch.tensor([[0.0, 0.0], [20.0, 0.0], [60.0, 0.0]])).tolist()
    [[0, 1, 2]]
    """
    distance = torch.cdist(positions.double(), positions.double())
    same = 1e-3 * float(distance.max()) + 1e-9
    found: list[list[int]] = [[]]
    for contact in range(len(positions)):
        found = [
            [*earlier, other]
            for earlier in found
            for other in range(len(positions))
            if other not in earlier
            and bool(((distance[other, earlier] - distance[contact, :contact]).abs() <= same).all())
        ]
    return torch.tensor(found)


def at_shifts(fine: Tensor, trough: int, n_shifts: int) -> Tensor:
    """Cut 32 samples out of upsampled templates, the trough up to (n_shifts - 1) / 2 fine steps off.

    Parameters
    ----------
    fine : (M, T * UPSAMPLING, C) float32; trough : where its troughs lie, in fine samples

    Returns
    -------
    (M, n_shifts, 32, C) float32
    """
    late = torch.arange(n_shifts) - n_shifts // 2
    sample = trough + UPSAMPLING * (torch.arange(N_SAMPLES) - TROUGH_SAMPLE)
    return fine[:, sample - late[:, None]]


def in_orientations(templates: Tensor, turns: Tensor) -> Tensor:
    """Every template in every orientation: (M, ..., C), (n, C) int64 -> (M * n, ..., C)."""
    return torch.stack([templates[..., turn] for turn in turns], dim=1).flatten(0, 1)


def _generator(settings: FiniteSpikesSettings, name: str) -> torch.Generator:
    return torch.Generator().manual_seed(stream_seed(settings.seed, "finite spikes", name))
