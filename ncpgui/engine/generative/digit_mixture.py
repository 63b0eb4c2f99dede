"""Clusters of handwritten digits (Pakman et al., ICML 2020, sec. 5, "MNIST digits").

    alpha ~ Exp(1) or fixed;  c_1:N ~ CRP_10(alpha), truncated at 10 clusters
    l_k ~ Unif[0, 9] without replacement;  x_i ~ Unif[images of the digit l_{c_i}]

The likelihood has no formula, and needs none: labelled samples are all that training asks for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ncpgui.core.config import check_numbers
from ncpgui.engine.generative.batch import Batch, largest, shortened
from ncpgui.engine.generative.digit_images import N_CLASSES, load_digits
from ncpgui.engine.generative.partition_priors import CRP
from ncpgui.engine.generative.template_reservoir import Split


@dataclass(frozen=True)
class DigitMixtureSettings:
    """Numbers and data of the model.

    alpha : concentration, or its mean when alpha_drawn
    alpha_drawn : alpha ~ Exp(mean alpha) for each dataset, as in the paper; else fixed
    mnist_folder : where MNIST's own files lie; empty for the 8 x 8 digits of scikit-learn
    shared_labels : all datasets of a batch share one label vector, as in the paper
    deformed : images of the training split are slightly turned, scaled, sheared and moved each time they are
        drawn, and their ink varies. The 1400 small digits are otherwise soon known by heart
    """

    alpha: float = 1.0
    alpha_drawn: bool = True
    mnist_folder: str = ""
    shared_labels: bool = False
    deformed: bool = False

    def __post_init__(self) -> None:
        check_numbers(self, positive=("alpha",))


class DigitMixture:
    """Draws datasets of images; see the module.

    Parameters
    ----------
    split : "train", or "test" for images that training never sees

    Raises
    ------
    InputError
        The images cannot be read; see `load_digits`.
    """

    def __init__(self, settings: DigitMixtureSettings | None = None, split: Split = "train") -> None:
        self.settings = settings or DigitMixtureSettings()
        self.prior = CRP(self.settings.alpha, self.settings.alpha_drawn, k_max=N_CLASSES)
        digits = load_digits(self.settings.mnist_folder, split)
        classes = torch.from_numpy(digits.classes.astype("int64"))
        self._images = torch.from_numpy(digits.images.copy())[classes.argsort(stable=True)]
        self._n_images = torch.bincount(classes, minlength=N_CLASSES)  # of each digit
        self._white = digits.white
        self._deformed = self.settings.deformed and split == "train"

    @property
    def image_size(self) -> tuple[int, int]:
        """Height and width of the images, pixels."""
        return self._images.shape[1], self._images.shape[2]

    @torch.no_grad()
    def sample(self, n_datasets: int, n_points: int | tuple[int, int], generator: torch.Generator) -> Batch:
        """See `GenerativeModel`: points (images (B, N, H, W) float32,), 0 is paper and 1 full ink."""
        s, device = self.settings, generator.device
        labels = self.prior.sample(1 if s.shared_labels else n_datasets, largest(n_points), generator)
        labels = labels.expand(n_datasets, -1)
        digit_of_cluster = torch.rand(n_datasets, N_CLASSES, generator=generator, device=device).argsort(1)
        images = self._drawn(digit_of_cluster.gather(1, labels), generator)
        return Batch((images,), shortened(labels, n_points, generator))

    def describe(self) -> dict[str, Any]:
        """See `GenerativeModel`."""
        height, width = self.image_size
        data = hashlib.sha256(self._images.cpu().numpy().tobytes()).hexdigest()
        return {"input": {"kind": "images", "height": height, "width": width}, "data_sha256": data}

    def _drawn(self, digits: Tensor, generator: torch.Generator) -> Tensor:
        """An image of each of the digits (B, N), uniformly from all of its class: (B, N, H, W)."""
        if self._images.device != digits.device:
            self._images, self._n_images = (t.to(digits.device) for t in (self._images, self._n_images))
        start = self._n_images.cumsum(0) - self._n_images  # the images lie in order of their class
        uniform = torch.rand(
            digits.shape, generator=generator, device=digits.device, dtype=torch.float64
        )  # in float32 it rounds to 1 times the class size now and then
        which = start[digits] + (uniform * self._n_images[digits]).long()
        images = self._images[which].float() / self._white
        return _deformed(images, generator) if self._deformed else images


def _deformed(images: Tensor, generator: torch.Generator) -> Tensor:
    """Images (B, N, H, W), each under an affine map near the identity and with its own amount of ink."""
    shape, device = (*images.shape[:2], 6), images.device
    off = torch.randn(shape, generator=generator, device=device).flatten(0, 1)
    identity = torch.tensor([1.0, 0, 0, 0, 1.0, 0], device=device)
    spread = torch.tensor([0.08, 0.12, 0.08, 0.12, 0.08, 0.08], device=device)
    maps = (identity + spread * off).unflatten(1, (2, 3))
    flat = images.flatten(0, 1)[:, None]
    places = nn.functional.affine_grid(maps, list(flat.shape), align_corners=False)
    moved = nn.functional.grid_sample(flat, places, align_corners=False).view_as(images)
    ink = torch.randn(images.shape[:2], generator=generator, device=device)[..., None, None]
    return (moved * (1 + 0.15 * ink)).clamp(0, 1)
