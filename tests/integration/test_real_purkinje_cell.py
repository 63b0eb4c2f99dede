"""One neuron, recorded cell-attached: what a filter makes of its spikes is no neuron beside it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.project import Project
from ncpgui.ephys.readers import open_recording
from ncpgui.evidence.echoes import locked
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.neuron_probability import GOOD_FROM
from ncpgui.sorting.pipeline import sort_recording

pytestmark = [pytest.mark.slow, pytest.mark.shared_data, pytest.mark.timeout(900)]

DATA = Path(os.environ.get("NCPGUI_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
RATE_HZ = 15_000.0


@pytest.fixture(scope="module", params=["neg", "both"])
def project(request: pytest.FixtureRequest) -> Project:
    path = DATA / "purkinje" / "purkinje_cell_attached.raw"
    if not path.exists():
        pytest.skip("the Purkinje cell is not beside the checkout (set NCPGUI_SHARED_DATA)")
    recording = open_recording(path, sampling_frequency=RATE_HZ, n_channels=1, dtype="float32")
    return sort_recording(recording, SortingConfig(peak_sign=request.param, posterior_samples=64))


def test_no_two_units_that_are_called_good_are_a_neuron_and_its_echo(project: Project) -> None:
    units = project.unit_of_spike
    assert project.p_neuron is not None
    good = [k for k in range(int(units.max()) + 1) if project.p_neuron[units == k].mean() >= GOOD_FROM]
    trains = [project.spikes.sample_index[units == k] for k in good]
    assert max(map(len, trains)) > 550
    for train in trains:
        for other in trains:
            found = None
            if train is not other:
                found = locked(
                    train, other, sampling_frequency_hz=RATE_HZ, n_samples=project.recording.n_samples
                )
            assert found is None or found.p_echo < 0.5


def test_its_echoes_are_asked_about_with_it_and_are_in_no_unit(project: Project) -> None:
    (component,) = (one for one in project.components if one.echoes)
    pair = component.echoes[0]
    assert len(pair.spikes) > 250
    assert pair.probability > 0.95
    first = component.alternatives[0]
    assert first.mass_without_echoes == pytest.approx(0, abs=0.01)
    assert (project.unit_of_spike[component.spike_ids[pair.spikes]] == -1).all()
    assert np.mean(project.unit_of_spike[component.spike_ids[pair.sources]] >= 0) > 0.99
