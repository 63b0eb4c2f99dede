"""Single spikes: where they are read off a template, what noise a detected one has, what is cut out of it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.engine.generative.placed_cells import UPSAMPLING
from ncpgui.engine.generative.spike_rendering import MARGIN, TROUGH, WINDOW, detected_noise, render, window

T = torch.arange(WINDOW) - TROUGH
TROUGH_OF_TEMPLATES = 40
N_FINE = UPSAMPLING * 100


def one(value: float) -> torch.Tensor:
    return torch.tensor([[value]])


def templates() -> SimpleNamespace:
    """Of two datasets, three cells, two places and two channels; the value says where it was read."""
    fine = torch.arange(N_FINE, dtype=torch.float32)[:, None, None, None, None]
    dataset = torch.arange(2)[:, None, None, None]
    row = torch.arange(3)[:, None, None]
    place = torch.arange(2)[:, None]
    channel = torch.arange(2)
    values = fine + 1e3 * channel + 2e3 * place + 1e4 * row + 1e5 * dataset
    return SimpleNamespace(templates=values, trough_sample=TROUGH_OF_TEMPLATES)


def rendered(*, row: int = 0, amplitude: float = 1, shift: float = 0, stretch: float = 1, place: float = 0):
    """(WINDOW, 2) of dataset 0 and of dataset 1."""
    both = [torch.full((2, 1), value, dtype=torch.float32) for value in (amplitude, shift, stretch, place)]
    return render(templates(), torch.full((2, 1), row), *both)[:, 0]  # type: ignore[arg-type]


def test_a_spike_is_its_template_with_the_trough_at_its_place() -> None:
    first, second = rendered(row=2)
    right = (UPSAMPLING * (TROUGH_OF_TEMPLATES + T)).float() + 2e4
    assert torch.equal(first[:, 0], right)
    assert torch.equal(first[:, 1], right + 1e3)
    assert torch.equal(second, first + 1e5)


def test_a_late_spike_is_read_earlier_and_a_wide_one_more_slowly_around_its_trough() -> None:
    late = rendered(shift=0.5)[0, :, 0]
    assert torch.equal(late, (UPSAMPLING * (TROUGH_OF_TEMPLATES + T) - UPSAMPLING // 2).float())
    wide = rendered(stretch=2.0)[0, :, 0]
    assert torch.equal(wide, (UPSAMPLING * TROUGH_OF_TEMPLATES + UPSAMPLING // 2 * T).float())
    assert wide[TROUGH] == UPSAMPLING * TROUGH_OF_TEMPLATES


def test_beyond_a_template_its_ends_go_on() -> None:
    early = rendered(shift=-1000.0)[0, :, 0]
    assert (early == N_FINE - 1).all()
    assert (rendered(shift=1000.0)[0, :, 0] == 0).all()


@pytest.mark.parametrize("place", [0.0, 0.25, 1.0])
def test_a_cell_between_two_places_is_between_its_templates(place: float) -> None:
    there = rendered(place=place)[0, :, 0]
    assert torch.allclose(there, rendered()[0, :, 0] + 2e3 * place)


def test_the_amplitude_is_a_factor() -> None:
    assert torch.equal(rendered(amplitude=0.5), 0.5 * rendered())


class Quiet:
    """Noise of nought; correlations are 0.5^lag in time, and 0.25 with the other channel."""

    def __init__(self) -> None:
        lag = (torch.arange(WINDOW)[:, None] - torch.arange(WINDOW)).abs()
        self.time = (0.5**lag)[None].float()
        self.space = torch.tensor([[[1.0, 0.25], [0.25, 1.0]]])

    def sample(self, n_points: int, generator: torch.Generator) -> torch.Tensor:
        return torch.zeros(1, n_points, WINDOW, 2)


def test_a_detected_spike_has_noise_that_takes_it_over_the_threshold() -> None:
    n = 4000
    generator = torch.Generator().manual_seed(0)
    trough = torch.full((1, n), -3.0)
    found = detected_noise(Quiet(), trough, one(4.0), generator)[0]  # type: ignore[arg-type]
    crossing = found[:, TROUGH, 0]
    assert (crossing <= -1.0).all()
    # of a standard normal below -1: uniform as a share of P(below -1), mean -exp(-1/2) / sqrt(2 pi) / P
    share = torch.special.ndtr(crossing.double()) / torch.special.ndtr(torch.tensor(-1.0).double())
    assert float(share.mean()) == pytest.approx(0.5, abs=4 * 0.2887 / n**0.5)
    assert float(share.var()) == pytest.approx(1 / 12, rel=0.1)
    assert float(crossing.mean()) == pytest.approx(-1.525, abs=4 * 0.45 / n**0.5)


def test_noise_beside_the_trough_follows_as_far_as_it_goes_with_it() -> None:
    found = detected_noise(Quiet(), torch.full((1, 5), -3.0), one(4.0), torch.Generator().manual_seed(0))[0]  # type: ignore[arg-type]
    crossing = found[:, TROUGH, 0]
    assert torch.allclose(found[:, TROUGH + 2, 0], 0.25 * crossing)
    assert torch.allclose(found[:, TROUGH - 1, 1], 0.125 * crossing)


def test_noise_that_is_there_already_counts() -> None:
    noise = Quiet()
    noise.sample = lambda n, generator: torch.full((1, n, WINDOW, 2), 7.0)  # type: ignore[method-assign]
    found = detected_noise(noise, torch.full((1, 5), -3.0), one(4.0), torch.Generator().manual_seed(0))[0]  # type: ignore[arg-type]
    quiet = detected_noise(Quiet(), torch.full((1, 5), -3.0), one(4.0), torch.Generator().manual_seed(0))[0]  # type: ignore[arg-type]
    assert torch.allclose(found[:, TROUGH, 0], quiet[:, TROUGH, 0], atol=1e-5)
    assert torch.allclose(found[:, TROUGH + 1, 0], 7 + 0.5 * (quiet[:, TROUGH, 0] - 7), atol=1e-5)


def test_a_window_is_cut_around_the_trough_late_by_what_is_asked_for() -> None:
    spikes = torch.arange(2 * WINDOW, dtype=torch.float32).view(1, 2, WINDOW, 1) + torch.tensor([0.0, 0.5])
    cut = window(spikes, torch.tensor([[0, -MARGIN]]))
    assert cut.shape == (1, 2, N_SAMPLES, 2)
    assert torch.equal(cut[0, 0, :, 0], torch.arange(MARGIN, MARGIN + N_SAMPLES).float())
    assert torch.equal(cut[0, 1, :, 1], torch.arange(N_SAMPLES) + WINDOW + 0.5)
    assert float(cut[0, 0, TROUGH_SAMPLE, 0]) == TROUGH
