"""Templates for export: means of sampled spikes, contact by contact, at the rate of the recording."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.export.templates import resample_templates, templates_from_waveforms
from tests.tiny_project import tiny_project


def troughs(units: list[int], **changes: object) -> list[list[float]] | None:
    """Troughs of templates, of spikes that are -10 deep in the first cluster, -20 in the second."""
    project = replace(tiny_project({0: [[0, 0, 1]], 2: [[0, 1]]}), **changes)  # type: ignore[arg-type]
    found = templates_from_waveforms(project, np.array(units))
    return None if found is None else found[:, TROUGH_SAMPLE].tolist()


def test_templates_are_means_of_the_spikes_of_a_unit_on_the_contacts_of_their_component() -> None:
    assert troughs([4, 4, 4, 7, 7]) == [[pytest.approx(-40 / 3), 0, 0], [0, 0, -15]]


def test_a_unit_of_several_components_has_a_mean_on_the_contacts_of_each() -> None:
    assert troughs([4, 7, 4, 4, 7]) == [[-15, 0, -10], [-10, 0, -20]]


def test_spikes_of_no_unit_do_not_count_and_a_unit_without_waveforms_is_0() -> None:
    assert troughs([4, -1, -1, 7, -1]) == [[-10, 0, 0], [0, 0, -10]]
    waveforms = tiny_project({0: [[0, 0, 1]], 2: [[0, 1]]}).waveforms
    assert troughs([4, 4, 4, 7, 7], waveforms={2: waveforms[2]}) == [[0, 0, 0], [0, 0, -15]]
    assert troughs([4] * 5, waveforms={}) is None


def test_at_another_rate_templates_last_as_long_and_stay_where_they_are_known() -> None:
    wave = np.arange(32.0)[None, :, None]
    assert np.array_equal(resample_templates(wave, 20_000.0)[0, :, 0], np.arange(32, dtype=np.float32))
    faster = resample_templates(wave, 40_000.0)[0, :, 0]
    assert faster[:63] == pytest.approx(np.arange(63) / 2, abs=1e-5)
    assert faster[63] == pytest.approx(31)  # past the last sample there is nothing
    assert resample_templates(wave, 10_000.0)[0, :, 0] == pytest.approx(np.arange(0.0, 32, 2), abs=1e-5)
    assert resample_templates(wave, 100.0).shape == (1, 2, 1)
    assert resample_templates(np.zeros((0, 32, 3)), 40_000.0).shape == (0, 32, 3)
