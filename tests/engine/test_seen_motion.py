"""Motion of spikes along the contacts is measured, and told where a model knows less of it."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui import engine
from ncpgui.engine.seen_motion import known_motion_um, wandered_um

CONTACTS = np.stack([np.zeros(10), 20.0 * np.arange(10)], axis=1)


def moving(reach_um: float, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Spikes of one cell that goes from 40 µm along ten contacts at 20 µm, and their times."""
    rng = np.random.default_rng(0)
    times = np.sort(rng.uniform(0, 100, n))
    depth = 40 + reach_um * times / 100
    near = 1 / (1 + ((CONTACTS[:, 1] - depth[:, None]) / 25) ** 2)
    shape = -30 * np.exp(-((np.arange(32) - 11) ** 2) / 8)
    return near[:, None, :] * shape[:, None] + rng.standard_normal((n, 32, 10)), times


@pytest.mark.parametrize("reach_um", [0.0, 40.0, 80.0])
def test_spikes_wander_as_far_as_their_cell_goes_from_the_first_window_to_the_last(reach_um):
    waveforms, times = moving(reach_um)
    assert wandered_um(waveforms, CONTACTS, times) == pytest.approx(0.9 * reach_um, abs=8)


def test_few_spikes_and_single_contacts_say_nothing():
    waveforms, times = moving(80.0)
    assert wandered_um(waveforms[::3], CONTACTS, times[::3]) == 0
    assert wandered_um(waveforms[..., :1], CONTACTS[:1], times) == 0


def test_what_a_model_knows_is_in_its_card():
    def card(**options: object) -> dict:
        return {"training": {"data": {"options": options}}}

    drift = {"drift_um": [1, 16]}
    assert known_motion_um(card(motion={"p_moving": 0.5, "reach_um": [5, 50]}, units=drift)) == 50
    assert known_motion_um(card(motion={"p_moving": 0.0, "reach_um": [5, 50]}, units=drift)) == 16
    assert known_motion_um({}) is None


@pytest.mark.parametrize(("reach_um", "told"), [(100.0, True), (20.0, False)])
def test_motion_beyond_what_the_model_knows_is_said_with_both_figures(reach_um, told):
    waveforms, times = moving(reach_um, n=220)
    found = engine.cluster(waveforms, channel_positions=CONTACTS, times_s=times, samples=2, beam=0)
    notes = [note for note in found.notes if "wander" in note]
    assert len(notes) == told
    if told:
        assert "knows tissue that moves by up to 50 µm" in notes[0]
        assert 75 < float(notes[0].split("by about ")[1].split(" µm")[0]) < 105
