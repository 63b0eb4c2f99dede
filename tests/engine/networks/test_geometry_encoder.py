"""The encoder for any probe: missing channels say nothing, the order of the others does not matter."""

from __future__ import annotations

import pytest
import torch

from ncpgui.engine.networks.waveform_encoder import GeometryEncoder


@pytest.fixture
def case():
    torch.manual_seed(0)
    encoder = GeometryEncoder().double().eval()
    waveforms = 5 * torch.randn(1, 3, 32, 7, dtype=torch.float64)
    positions = 40 * torch.randn(1, 7, 2, dtype=torch.float64)
    positions[:, 0] = 0
    mask = torch.tensor([[True] * 5 + [False] * 2])
    return encoder, waveforms, positions, mask


def test_what_lies_in_missing_channels_changes_nothing(case):
    encoder, waveforms, positions, mask = case
    other, elsewhere = waveforms.clone(), positions.clone()
    other[..., 5:] = 99
    elsewhere[:, 5:] = 7
    torch.testing.assert_close(encoder(other, elsewhere, mask), encoder(waveforms, positions, mask))


def test_the_order_of_the_neighbours_changes_nothing(case):
    encoder, waveforms, positions, mask = case
    order = torch.tensor([0, 3, 1, 4, 2, 5, 6])
    shuffled = encoder(waveforms[..., order], positions[:, order], mask[:, order])
    torch.testing.assert_close(shuffled, encoder(waveforms, positions, mask))


def test_where_a_neighbour_lies_matters(case):
    encoder, waveforms, positions, mask = case
    moved = positions.clone()
    moved[:, 1] += 30
    assert (encoder(waveforms, moved, mask) - encoder(waveforms, positions, mask)).abs().max() > 1e-3


def test_each_spike_is_encoded_by_itself(case):
    encoder, waveforms, positions, mask = case
    together = encoder(waveforms, positions, mask)
    alone = encoder(waveforms[:, 1:2], positions, mask)
    torch.testing.assert_close(together[:, 1:2], alone)
