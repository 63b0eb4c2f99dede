"""Spikes whose posteriors are uncertain."""

from __future__ import annotations

from ncpgui.engine.generative.finite_spikes import FiniteSpikes
from ncpgui.engine.generative.finite_templates import FiniteSpikesSettings
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from ncpgui.engine.generative.unit_templates import UnitSettings


def drawn_faint_spikes() -> FiniteSpikes:
    """Spikes of a single wire that are hardly told apart."""
    faint = UnitSettings(
        p_drift=0.0, p_one_type=0.0, p_alike=0.0, amplitude_sd=(1.0, 4.0), small_amplitude_sd=(1.0, 4.0)
    )
    settings = FiniteSpikesSettings(layout="single", n_templates=6, units=faint)
    return FiniteSpikes.drawn(settings, TemplateReservoir.load())
