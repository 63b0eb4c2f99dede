"""Planted spikes are found where they are, once each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe
from ncpgui.core.progress import CancelFlag, Cancelled
from ncpgui.ephys.detection import _main_phases, detect_spikes, inverted
from ncpgui.ephys.preprocessing import Preprocessed, preprocess


def test_planted_spikes_are_found_at_their_sample_and_channel(plant):
    planted = [(1000, 0, 25), (3000, 1, 25), (5000, 2, 25), (7000, 3, 25), (9000, 0, 25)]
    events = detect_spikes(preprocess(plant(n_samples=20_000, spikes=planted)), threshold_sd=8, radius_um=100)
    assert events.channel.tolist() == [0, 1, 2, 3, 0]
    assert np.abs(events.sample_index - [1000, 3000, 5000, 7000, 9000]).max() <= 1
    assert (events.amplitude < -8).all()


def test_spike_on_several_contacts_is_found_once_on_the_deepest(plant):
    recording = plant(n_samples=10_000, spikes=[(4000, 1, 20), (4002, 0, 30), (4001, 3, 15)])
    events = detect_spikes(preprocess(recording), threshold_sd=7, radius_um=100)
    assert events.channel.tolist() == [0]


def test_spikes_on_far_contacts_are_all_found(plant):
    far = Probe(np.array([[0.0, 0.0], [500.0, 0.0]]))
    recording = plant(n_samples=10_000, spikes=[(4000, 0, 30), (4002, 1, 20)], probe=far)
    assert len(detect_spikes(preprocess(recording), threshold_sd=7, radius_um=100)) == 2


def test_shanks_do_not_silence_each_other(plant):
    shanks = Probe(np.array([[0.0, 0.0], [0.0, 0.0]]), np.array([0, 1]))
    recording = plant(n_samples=10_000, spikes=[(4000, 0, 30), (4002, 1, 20)], probe=shanks)
    assert len(detect_spikes(preprocess(recording), threshold_sd=7, radius_um=100)) == 2


@pytest.mark.parametrize("n_samples", [1000, 1701, 12_345])
def test_result_does_not_depend_on_the_pieces(plant, monkeypatch, n_samples):
    spikes = [(s, s // 700 % 4, 25) for s in range(300, 39_000, 700)]
    pre = preprocess(plant(n_samples=40_000, spikes=spikes))
    whole = detect_spikes(pre, threshold_sd=4, radius_um=100)
    pre.piece_samples = n_samples
    pieces = detect_spikes(pre, threshold_sd=4, radius_um=100)
    assert len(whole) >= 56
    for name in ("sample_index", "channel", "amplitude"):
        assert np.array_equal(getattr(pieces, name), getattr(whole, name))


def test_spikes_at_both_ends_of_the_recording_are_found(plant):
    recording = plant(n_samples=10_000, spikes=[(6, 0, 40), (9_992, 1, 40)])
    events = detect_spikes(preprocess(recording), threshold_sd=8, radius_um=100)
    assert np.abs(events.sample_index - [6, 9992]).max() <= 1


def test_no_spikes_is_an_empty_result(plant):
    events = detect_spikes(preprocess(plant(n_samples=10_000, spikes=[])), threshold_sd=30)
    assert len(events) == 0


def test_dead_channel_has_no_spikes(plant):
    recording = plant(n_samples=10_000, spikes=[(4000, 0, 30)])
    recording.array[:, 2] = 0
    events = detect_spikes(preprocess(recording), threshold_sd=3, radius_um=0)
    assert 2 not in events.channel


def test_detection_can_be_cancelled(plant):
    flag = CancelFlag()
    flag.cancel()
    with pytest.raises(Cancelled):
        detect_spikes(preprocess(plant(n_samples=5000, spikes=[])), progress=flag.guard())


def test_threshold_must_be_positive(plant):
    with pytest.raises(InputError, match="threshold_sd must be positive, got 0"):
        detect_spikes(preprocess(plant(n_samples=5000, spikes=[])), threshold_sd=0)


UP_AND_DOWN = [(1000, 0, 25), (3000, 1, -25), (5000, 2, 25), (7000, 3, -25)]
"""Depth; the second and the fourth are positive peaks."""


@pytest.mark.parametrize(
    ("peak_sign", "found"), [("neg", [1000, 5000]), ("pos", [3000, 7000]), ("both", [1000, 3000, 5000, 7000])]
)
def test_spikes_of_the_sign_asked_for_are_found(plant, peak_sign, found):
    pre = preprocess(plant(n_samples=10_000, spikes=UP_AND_DOWN))
    threshold = 6 if peak_sign == "both" else 18  # the spikes' second phases have half of their size
    events = detect_spikes(pre, threshold_sd=threshold, radius_um=100, peak_sign=peak_sign)
    assert len(events) == len(found)
    assert np.abs(events.sample_index - found).max() <= 1
    assert (events.amplitude > 0).tolist() == [sample in (3000, 7000) for sample in found]


def test_one_spike_is_found_once_with_both_signs(plant):
    """The planted spike is followed by a positive peak of half its size, 0.65 ms later."""
    pre = preprocess(plant(n_samples=10_000, spikes=[(4000, 1, 40)]))
    events = detect_spikes(pre, threshold_sd=6, exclude_ms=0.4, radius_um=100, peak_sign="both")
    assert events.channel.tolist() == [1]
    assert events.amplitude[0] < 0


def test_an_unknown_sign_is_refused(plant):
    with pytest.raises(InputError, match="peak_sign must be 'neg', 'pos' or 'both', got 'up'"):
        detect_spikes(preprocess(plant(n_samples=5000, spikes=[])), peak_sign="up")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"exclude_ms": 0.0}, "exclude_ms must be positive, got 0.0"),
        ({"threshold_sd": -1.0}, "threshold_sd must be positive, got -1.0"),
        ({"radius_um": -0.5}, "radius_um must not be negative, got -0.5"),
    ],
)
def test_windows_that_cannot_be_are_refused(settings: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        detect_spikes(cast("Preprocessed", None), **settings)


PEAK = np.dtype([("sample_index", np.int64), ("channel_index", np.int64), ("amplitude", np.float64)])


def probe_of(n_samples: int = 1000, piece_samples: int = 100) -> Preprocessed:
    """Two contacts 60 um apart at 20 kHz; nothing is filtered."""
    places = SimpleNamespace(get_channel_locations=lambda: np.array([[0.0, 0.0], [60.0, 0.0]]))
    return cast(
        "Preprocessed",
        SimpleNamespace(
            in_noise_sd=places,
            sampling_frequency_hz=20_000.0,
            n_samples=n_samples,
            piece_samples=piece_samples,
        ),
    )


def main(*peaks: tuple[int, int, float], radius_um: float = 60.0) -> list[bool]:
    return _main_phases(np.array(list(peaks), PEAK), probe_of(), radius_um).tolist()


def test_a_peak_is_a_phase_of_a_larger_one_of_the_other_sign_near_it() -> None:
    assert main((0, 0, -9.0), (30, 0, 5.0)) == [True, False]  # 1.5 ms
    assert main((0, 0, 5.0), (30, 1, -9.0)) == [False, True]  # 60 um
    assert main((0, 0, -9.0), (31, 0, 5.0)) == [True, True]
    assert main((0, 0, -9.0), (30, 1, 5.0), radius_um=59.0) == [True, True]
    assert main((0, 0, -9.0), (30, 0, -5.0)) == [True, True]
    assert main((0, 0, -9.0), (30, 0, 9.0)) == [True, False]  # of two as large the first is
    assert main((0, 0, -9.0), (10, 1, -8.0), (20, 0, 5.0)) == [True, True, False]


def hint(
    n_down: int, n_up: int, monkeypatch: pytest.MonkeyPatch, *, peak_sign: str = "neg", **options: object
) -> tuple[str, list[tuple[int, int]]]:
    """What is said of so many peaks each way in the first piece that is looked at, and which pieces are."""
    looked_at: list[tuple[int, int]] = []

    def find_peaks(_: object, start: int, stop: int, **__: object) -> np.ndarray:
        looked_at.append((start, stop))
        sizes = np.repeat([-5.0, 5.0], [n_down, n_up]) if len(looked_at) == 1 else np.zeros(0)
        found = np.zeros(len(sizes), PEAK)
        found["sample_index"], found["amplitude"] = 100 * np.arange(len(sizes)), sizes
        return found[::-1]

    monkeypatch.setattr("ncpgui.ephys.spikeinterface_adapter.find_peaks", find_peaks)
    settings = {"exclude_ms": 0.4, "radius_um": 60.0, "peak_sign": peak_sign}
    said = inverted(probe_of(950), 5.0, **settings, **options)  # type: ignore[arg-type]
    return said, looked_at


@pytest.mark.parametrize(
    ("n_down", "n_up", "is_said"), [(10, 20, True), (11, 21, False), (9, 19, False), (0, 20, True)]
)
def test_a_hint_is_given_of_twenty_spikes_on_the_other_side_that_are_twice_as_many(
    n_down: int, n_up: int, is_said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, _ = hint(n_down, n_up, monkeypatch)
    upwards = f"{n_up} of {n_up + n_down} spikes that were looked at point upwards; if the recording is inver"
    assert said.startswith(upwards) == is_said
    assert bool(said) == is_said
    turned, _ = hint(n_up, n_down, monkeypatch, peak_sign="pos")
    assert ("point downwards" in turned) == is_said
    assert hint(n_down, n_up, monkeypatch, peak_sign="pos")[0] == ""


def test_five_pieces_from_the_first_to_the_last_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hint(0, 0, monkeypatch)[1] == [(0, 100), (200, 300), (400, 500), (600, 700), (900, 950)]
    assert hint(0, 0, monkeypatch, stretches=np.array([[5, 9], [70, 80]]))[1] == [(5, 9), (70, 80)]
    assert hint(0, 99, monkeypatch, peak_sign="both") == ("", [])
