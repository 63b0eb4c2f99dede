"""Encoder of images: two convolutions and an MLP (Pakman et al., ICML 2020, SM G, "NCP: MNIST")."""

from __future__ import annotations

from torch import Tensor, nn

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.mlp import mlp


class ImageEncoder(nn.Module):
    """2 x (convolution, maximum over 2 x 2 pixels, ReLU), then an MLP.

    The defaults are the paper's for 28 x 28 pixels: [320-256-128] after the convolutions. For 8 x 8 use
    ``kernel=3, padding=1, channels=(32, 64)``, which leaves 64 x 2 x 2 = 256 numbers for the MLP.

    Parameters
    ----------
    height, width : of the images, pixels
    h_dim : size of the features
    channels : of the two convolutions
    kernel, padding : side of the convolutions and zeros around their input, pixels
    hidden : layers of the MLP between the convolutions and the features

    Raises
    ------
    InputError
        Nothing is left of images of this size after the convolutions.
    """

    def __init__(
        self,
        *,
        height: int = 28,
        width: int = 28,
        h_dim: int = 128,
        channels: tuple[int, int] = (10, 20),
        kernel: int = 5,
        padding: int = 0,
        hidden: tuple[int, ...] = (256,),
    ) -> None:
        super().__init__()
        left = [_left(_left(side, kernel, padding), kernel, padding) for side in (height, width)]
        if min(left) < 1:
            raise InputError(
                f"two convolutions of kernel {kernel} and padding {padding} leave nothing of images of "
                f"{height} x {width} pixels; use kernel 3 and padding 1"
            )
        self.convolutions = nn.Sequential(
            nn.Conv2d(1, channels[0], kernel, padding=padding),
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Conv2d(channels[0], channels[1], kernel, padding=padding),
            nn.MaxPool2d(2),
            nn.ReLU(),
        )
        self.mlp = mlp(channels[1] * left[0] * left[1], *hidden, h_dim)

    def forward(self, images: Tensor) -> Tensor:
        """Encode each image by itself: (B, N, height, width) float, 0 .. 1 -> (B, N, h_dim)."""
        n_datasets, n_points = images.shape[:2]
        maps = self.convolutions(images.flatten(0, 1)[:, None])
        return self.mlp(maps.flatten(1)).unflatten(0, (n_datasets, n_points))


def _left(side: int, kernel: int, padding: int) -> int:
    """Pixels along a side after one convolution and the maximum over pairs."""
    return (side + 2 * padding - kernel + 1) // 2
