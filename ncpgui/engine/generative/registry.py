"""Names of generative models -> settings and constructors, for training configurations and cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ncpgui.core.config import from_dict, to_dict
from ncpgui.core.errors import InputError
from ncpgui.core.nearest import did_you_mean
from ncpgui.engine.generative.batch import GenerativeModel
from ncpgui.engine.generative.digit_mixture import DigitMixture, DigitMixtureSettings
from ncpgui.engine.generative.finite_spikes import FiniteSpikes
from ncpgui.engine.generative.finite_templates import FiniteSpikesSettings
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM, GaussianDPMMSettings
from ncpgui.engine.generative.particle_tracks import ParticleTracks, ParticleTracksSettings
from ncpgui.engine.generative.smooth_cells import smooth_cells
from ncpgui.engine.generative.spike_mixture import SpikeMixture, SpikeMixtureSettings
from ncpgui.engine.generative.template_reservoir import Split, TemplateReservoir


def _spikes(settings: SpikeMixtureSettings, split: Split) -> GenerativeModel:
    own = Path(settings.reservoir) if settings.reservoir is not None else None
    reservoir = TemplateReservoir.load(own)
    if settings.smooth_cells:
        reservoir = TemplateReservoir.joined([reservoir, smooth_cells(settings.smooth_cells)])
    return SpikeMixture(settings, reservoir.subset(split))


def _finite_spikes(settings: FiniteSpikesSettings, split: Split) -> GenerativeModel:
    return FiniteSpikes.drawn(settings, TemplateReservoir.load().subset(split))


def _gauss2d(settings: GaussianDPMMSettings, split: Split) -> GenerativeModel:
    return GaussianDPMM(settings)  # unlimited draws: nothing is held out


def _particles(settings: ParticleTracksSettings, split: Split) -> GenerativeModel:
    return ParticleTracks(settings)


MODELS: dict[str, tuple[type, Callable[[Any, Split], GenerativeModel]]] = {
    "spikes": (SpikeMixtureSettings, _spikes),
    "finite-spikes": (FiniteSpikesSettings, _finite_spikes),
    "gauss2d": (GaussianDPMMSettings, _gauss2d),
    "digits": (DigitMixtureSettings, DigitMixture),
    "particles": (ParticleTracksSettings, _particles),
}


@dataclass(frozen=True)
class GenerativeSettings:
    """Which generative model, and its options by name; those left out have the model's defaults.

    Raises
    ------
    InputError
        An unknown model, or an option that it does not have or cannot take.
    """

    model: str = "spikes"
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise InputError(
                f"unknown generative model '{self.model}'; this version has "
                f"{', '.join(sorted(MODELS))}{did_you_mean(self.model, MODELS)}"
            )
        kind: type[Any] = MODELS[self.model][0]
        settings = from_dict(kind, self.options, place=f"options of '{self.model}'")
        object.__setattr__(self, "options", to_dict(settings))  # a card shows every number

    def build(self, split: Split = "train") -> GenerativeModel:
        """Return the model on its training data, or on data that training never sees."""
        settings_type, construct = MODELS[self.model]
        return construct(from_dict(settings_type, self.options), split)
