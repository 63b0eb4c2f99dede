"""The image encoder has the paper's sizes and looks at one image at a time."""

from __future__ import annotations

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.image_encoder import ImageEncoder

SMALL = {"height": 8, "width": 8, "kernel": 3, "padding": 1, "channels": (32, 64)}


def test_the_paper_s_convolutions_leave_320_numbers_of_28_by_28_pixels() -> None:
    encoder = ImageEncoder(height=28, width=28, h_dim=128)
    sizes = [tuple(w.shape) for name, w in encoder.mlp.named_parameters() if name.endswith("weight")]
    assert sizes == [(256, 320), (128, 256)]
    assert encoder(torch.rand(2, 3, 28, 28)).shape == (2, 3, 128)


def test_eight_by_eight_pixels_fit_with_a_padded_kernel_of_three() -> None:
    encoder = ImageEncoder(**SMALL, h_dim=16)
    assert encoder.mlp[0].in_features == 256
    assert encoder(torch.rand(4, 1, 8, 8)).shape == (4, 1, 16)


def test_height_and_width_may_differ() -> None:
    assert ImageEncoder(height=20, width=28, h_dim=8)(torch.rand(1, 2, 20, 28)).shape == (1, 2, 8)


def test_each_image_is_encoded_by_itself() -> None:
    torch.manual_seed(0)
    encoder = ImageEncoder(**SMALL, h_dim=16)
    images = torch.rand(2, 5, 8, 8)
    together = encoder(images)
    alone = encoder(images[1:, 3:4])
    torch.testing.assert_close(together[1:, 3:4], alone)
    assert (together[0, 0] - together[0, 1]).abs().max() > 1e-3


def test_gradients_reach_every_weight() -> None:
    torch.manual_seed(0)
    encoder = ImageEncoder(**SMALL, h_dim=16)
    encoder(torch.rand(2, 20, 8, 8)).square().sum().backward()
    assert all(weights.grad is not None and weights.grad.abs().sum() > 0 for weights in encoder.parameters())


def test_images_too_small_for_the_kernel_are_refused_with_the_way_out() -> None:
    with pytest.raises(InputError, match="leave nothing of images of 8 x 8 pixels; use kernel 3 and padding"):
        ImageEncoder(height=8, width=8)
