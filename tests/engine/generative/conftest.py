"""The shipped reservoir, read once."""

from __future__ import annotations

import pytest
import torch

from ncpgui.engine.generative.spike_mixture import SpikeMixture, SpikeMixtureSettings
from ncpgui.engine.generative.template_reservoir import TemplateReservoir


@pytest.fixture(scope="session")
def reservoir() -> TemplateReservoir:
    return TemplateReservoir.load()


@pytest.fixture(scope="session")
def model(reservoir: TemplateReservoir) -> SpikeMixture:
    return SpikeMixture(SpikeMixtureSettings(), reservoir.subset("train"))


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)
