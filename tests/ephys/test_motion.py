"""Where motion is looked for, what is said where it is not, and a drift that was put in, found."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from spikeinterface.core import BaseRecording, NumpyRecording

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.errors import InputError
from ncpgui.core.motion import MOTION_PRESETS, Motion
from ncpgui.core.probe import Probe, longer_axis
from ncpgui.ephys import motion as rules
from ncpgui.ephys import spikeinterface_adapter
from ncpgui.ephys.band_pass import _SideBySideSegment
from ncpgui.ephys.motion import deepest_contacts, motion_of, pitch_along_um, why_not_seen
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.sorting.config import SortingConfig

RATE_HZ = 20_000.0
COLUMN_UM = np.column_stack([np.zeros(16), 20.0 * np.arange(16)])


def hidden(places_um: np.ndarray, *, shank: np.ndarray | None = None, **other: float | bool) -> str:
    settings = {"duration_s": 60.0, "asked": False} | other
    return why_not_seen(Probe(places_um, shank), np.arange(len(places_um)), **settings)


def test_sixteen_contacts_in_a_close_column_show_motion() -> None:
    assert hidden(COLUMN_UM) == ""
    assert hidden(2 * COLUMN_UM) == ""  # 40 µm apart
    assert hidden(COLUMN_UM[:, ::-1]) == ""  # along x


@pytest.mark.parametrize(
    ("places_um", "duration_s", "said"),
    [
        (COLUMN_UM[:15], 60.0, "a probe of 15 contacts does not show it, it takes 16"),
        (
            2.1 * COLUMN_UM,
            60.0,
            "contacts 42 µm apart along the probe do not show it, it takes 40 µm or less",
        ),
        (COLUMN_UM, 15.0, "15 s are too short, it takes 20 s"),
    ],
)
def test_what_cannot_show_motion_is_said(places_um: np.ndarray, duration_s: float, said: str) -> None:
    assert hidden(places_um, duration_s=duration_s) == said


def test_shanks_may_move_each_on_its_own() -> None:
    assert "2 shanks" in hidden(COLUMN_UM, shank=np.repeat([0, 1], 8))


def test_the_axis_is_the_longer_one_and_columns_that_are_staggered_count_together() -> None:
    staggered = np.concatenate([COLUMN_UM, COLUMN_UM + np.array([32, 10])])
    assert longer_axis(staggered) == 1
    assert longer_axis(staggered[:, ::-1]) == 0
    four = np.concatenate([staggered + np.array([apart, 0]) for apart in (0, 1e4, 2e4, 3e4)])
    assert longer_axis(four) == 0
    assert longer_axis(four, np.repeat(np.arange(4), len(staggered))) == 1  # each shank is upright
    assert pitch_along_um(staggered) == 10.0
    assert pitch_along_um(staggered[:, ::-1]) == 10.0


def quiet(places_um: np.ndarray, seconds: float) -> Preprocessed:
    rng = np.random.default_rng(0)
    traces = rng.normal(0, 50, (round(seconds * RATE_HZ), len(places_um))).astype(np.int16)
    return preprocess(ArrayRecording(traces, sampling_frequency_hz=RATE_HZ, probe=Probe(places_um)))


def test_off_and_a_tetrode_say_why_without_an_estimate() -> None:
    pre = quiet(np.array([[0.0, 0.0], [25, 0], [0, 25], [25, 25]]), 1.0)
    assert motion_of(pre, "off").reason == "Motion was not looked for: it is set to off."
    found = motion_of(pre)
    assert found.reason == "Motion was not looked for: a probe of 4 contacts does not show it, it takes 16."
    assert not found.applied
    assert found.displacement_um.size == 0


def test_the_compiled_search_for_spikes_is_kept_before_motion_is_the_first_to_use_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is compiled when it is first used, 5 s; one that is compiled already cannot be kept."""
    order: list[str] = []

    def detected(*_: object, **__: object) -> None:
        order.append("searched")
        raise StopIteration

    monkeypatch.setattr(spikeinterface_adapter, "_keep_compiled", lambda: order.append("kept"))
    monkeypatch.setattr("spikeinterface.preprocessing.compute_motion", detected)
    with pytest.raises(StopIteration):
        motion_of(quiet(COLUMN_UM, 21.0))
    assert order == ["kept", "searched"]


def test_motion_is_estimated_on_the_traces_that_are_kept_and_leaves_their_contacts_where_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pre = quiet(COLUMN_UM + 7.0, 21.0)
    pre.traces(0, pre.n_samples)
    pre.in_noise_sd.set_dummy_probe_from_locations(pre.probe.positions_um + 5.0)
    filtered: list[tuple[int, int]] = []
    as_it_is = _SideBySideSegment.get_traces

    def counted(segment: _SideBySideSegment, start: int, end: int, channels: slice) -> np.ndarray:
        filtered.append((start, end))
        return as_it_is(segment, start, end, channels)

    monkeypatch.setattr(_SideBySideSegment, "get_traces", counted)
    assert "0 large spikes" in motion_of(pre).reason
    assert filtered == []
    np.testing.assert_array_equal(pre.in_noise_sd.get_channel_locations(), pre.probe.positions_um + 5.0)


def test_an_unknown_preset_is_named_with_those_that_there_are() -> None:
    with pytest.raises(
        InputError, match=r"motion must be one of 'auto', 'off', 'dredge_fast', .*, got 'dredger'"
    ):
        SortingConfig(motion="dredger")


def test_a_preset_by_name_is_taken_on_few_contacts_but_not_where_there_is_no_depth() -> None:
    assert hidden(COLUMN_UM[:4], asked=True) == ""
    assert hidden(COLUMN_UM[:1], asked=True) == "all contacts lie at one depth"


@pytest.mark.parametrize(
    ("asked", "n_contacts", "taken"),
    [
        ("auto", 16, "dredge_fast"),
        ("auto", 4, None),
        ("kilosort_like", 4, "kilosort_like"),
        ("dredge", 1, None),
    ],
)
def test_what_is_asked_for_by_name_is_taken_where_it_is_possible_and_auto_where_it_is_sensible(
    asked: str, n_contacts: int, taken: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two contacts are a depth apart at least; sixteen show motion by themselves."""
    estimated: list[str] = []

    def estimate(pre: object, preset: str, axis: int) -> Motion:
        estimated.append(preset)
        return Motion(axis=axis, preset=preset)

    monkeypatch.setattr("ncpgui.ephys.motion._estimated", estimate)
    probe = Probe(COLUMN_UM[:n_contacts])
    pre = SimpleNamespace(
        probe=probe, good_channels=np.arange(n_contacts), n_samples=30 * 20_000, sampling_frequency_hz=2e4
    )
    found = motion_of(cast("Preprocessed", pre), asked)
    assert estimated == ([] if taken is None else [taken])
    assert found.reason.startswith("Motion was not looked for: " if taken is None else "Motion could not be")


def at_hand(n_samples: int = 480_000, **others: object) -> Preprocessed:
    """Sixteen contacts whose traces nobody reads."""
    of = {"probe": Probe(COLUMN_UM), "good_channels": np.arange(16), "in_noise_sd": None}
    of |= {"n_samples": n_samples, "sampling_frequency_hz": RATE_HZ} | others
    return cast("Preprocessed", SimpleNamespace(**of))


def moving(range_um: float, n_peaks: int = 500, **others: object) -> Motion:
    time = np.arange(n_peaks) / 10
    way = np.repeat([[0.0], [range_um]], 10, axis=0)
    options = {"peak_time_s": time, "peak_depth_um": time + 7} | others
    return Motion(np.arange(20.0), np.array([100.0]), way, **options)


@pytest.mark.parametrize(
    ("range_um", "applied", "said"),
    [
        (5.0, False, "The tissue moved over 5 µm along the probe; up to 5 µm are left alone."),
        (5.5, True, "The tissue moved over 6 µm along the probe; templates follow it."),
    ],
)
def test_motion_over_more_than_five_micrometres_counts(
    range_um: float, applied: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = moving(range_um)
    monkeypatch.setattr(spikeinterface_adapter, "estimated_motion", lambda *_: found)
    judged = motion_of(at_hand())
    assert (judged.applied, judged.reason) == (applied, said)


def test_fewer_than_500_large_spikes_show_no_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spikeinterface_adapter, "estimated_motion", lambda *_: moving(50.0, n_peaks=499))
    judged = motion_of(at_hand())
    assert judged.reason == "Motion was not looked for: 499 large spikes are too few, it takes 500."
    assert judged.displacement_um.size == 0


@pytest.mark.parametrize(("n_peaks", "kept"), [(20_000, 20_000), (20_001, 10_001), (40_001, 13_334)])
def test_every_second_or_third_of_very_many_spikes_is_shown(
    n_peaks: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spikeinterface_adapter, "estimated_motion", lambda *_: moving(50.0, n_peaks=n_peaks))
    judged = motion_of(at_hand())
    assert len(judged.peak_time_s) == len(judged.peak_depth_um) == kept
    step = -(-n_peaks // 20_000)
    assert judged.peak_depth_um[1] == pytest.approx(7 + step / 10)


def test_spikes_that_are_given_are_asked_where_traces_show_none_and_those_are_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[int]] = []
    traces = np.zeros((24_000, 16), np.float32)

    def by_spikes(_: object, __: object, preset: str, axis: int, inside: np.ndarray, *___: object) -> Motion:
        asked.append(inside[[0, -1]].tolist())
        return moving(30.0)

    few = Motion(reason="few.")
    monkeypatch.setattr(rules, "_estimated", lambda *_: few)
    monkeypatch.setattr(spikeinterface_adapter, "motion_of_spikes", by_spikes)
    pre = at_hand(
        24_000,
        sampling_frequency_hz=1e3,
        piece_samples=24_000,
        padded_traces=lambda start, stop: np.pad(traces, ((6, 6), (0, 0)))[start + 6 : stop + 6],
    )
    times = np.arange(500) - 1
    assert motion_of(pre, given=times[:499]) == few
    assert motion_of(pre, given=times).reason == (
        "The tissue moved over 30 µm along the probe; templates follow it"
        " (by the places of the spikes that were given)."
    )
    motion_of(pre, given=np.append(times, [23_999, 24_000]))
    assert asked == [[0, 498], [0, 23_999]]  # those outside of the recording are not looked at
    monkeypatch.setattr(spikeinterface_adapter, "motion_of_spikes", lambda *_: Motion(preset="dredge"))
    assert motion_of(pre, given=times) == few


@pytest.mark.slow
def test_a_recording_without_large_spikes_says_so() -> None:
    found = motion_of(quiet(COLUMN_UM, 21.0))
    assert found.reason == "Motion was not looked for: 0 large spikes are too few, it takes 500."
    assert not found.applied


def drifting(step_um: float, times: list[int] | None = None) -> Preprocessed:
    """24 s on one column: sixteen cells, 20 µm apart and a little more, jump by `step_um` after 12 s.

    times : takes the samples of all spikes
    """
    rng = np.random.default_rng(1)
    n_samples = round(24 * RATE_HZ)
    traces = rng.normal(0, 1, (n_samples, 16)).astype(np.float32)
    time = np.arange(40) - 13
    shape = -np.exp(-((time / 3) ** 2)) + 0.3 * np.exp(-(((time - 8) / 6) ** 2))
    for depth in rng.uniform(20, 280, 16):
        height = rng.uniform(15, 40)
        for spike in np.sort(rng.permutation(n_samples // 60 - 2)[:200]) * 60 + 60:
            place = depth + (step_um if spike > n_samples // 2 else 0.0)
            if times is not None:
                times.append(int(spike))
            traces[spike - 13 : spike + 27] += np.outer(
                height * shape, np.exp(-np.abs(COLUMN_UM[:, 1] - place) / 20)
            )
    return preprocess(
        ArrayRecording((traces * 50).astype(np.int16), sampling_frequency_hz=RATE_HZ, probe=Probe(COLUMN_UM)),
        reference="none",
    )


@pytest.mark.slow
def test_spikes_that_are_given_show_motion_where_too_few_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[int] = []
    pre = drifting(20.0, times)
    few = "Motion was not looked for: 3 large spikes are too few, it takes 500."
    monkeypatch.setattr(rules, "_estimated", lambda _, __, axis: Motion(axis=axis, reason=few))
    assert motion_of(pre).reason == few
    assert motion_of(pre, given=np.arange(499)).reason == few
    found = motion_of(pre, given=np.sort(times))
    assert found.applied
    assert found.range_um == pytest.approx(20.0, abs=6.0)
    assert found.reason.endswith("templates follow it (by the places of the spikes that were given).")


def test_a_given_spike_is_at_the_good_contact_where_the_traces_are_deepest_near_it() -> None:
    traces = np.zeros((10_000, 4))
    traces[3_005, 1], traces[3_000, 2], traces[7_000, 3], traces[9_990, 0] = -9, -5, 8, -4
    pre = SimpleNamespace(
        good_channels=np.array([0, 1, 3]),
        n_samples=10_000,
        sampling_frequency_hz=RATE_HZ,
        piece_samples=4_000,
        padded_traces=lambda start, stop: np.pad(traces, ((10, 10), (0, 0)))[start + 10 : stop + 10],
    )
    at = np.array([3_000, 7_000, 9_991])
    deepest = partial(deepest_contacts, cast("Preprocessed", pre), at)
    assert deepest()[0].tolist() == [1, 0, 0]  # of contacts 0, 1, 3; nothing is negative near the second
    assert deepest()[1].tolist() == [9, 0, 4]
    assert deepest(peak_sign="pos")[0].tolist() == [0, 2, 0]
    assert deepest(peak_sign="both")[0].tolist() == [1, 2, 0]


@pytest.mark.parametrize(("away", "found"), [(1, [1, 9.0]), (2, [0, 0.0])])
def test_one_sample_on_either_side_is_looked_at_however_slowly_traces_were_sampled(
    away: int, found: list[float]
) -> None:
    traces = np.zeros((100, 2))
    traces[50 + away, 1] = -9
    pre = SimpleNamespace(
        good_channels=np.arange(2),
        n_samples=100,
        sampling_frequency_hz=1_000.0,
        piece_samples=100,
        padded_traces=lambda start, stop: np.pad(traces, ((5, 5), (0, 0)))[start + 5 : stop + 5],
    )
    channel, height_sd = deepest_contacts(cast("Preprocessed", pre), np.array([50]))
    assert [channel[0], height_sd[0]] == found


def test_contacts_a_twentieth_of_a_micrometre_apart_are_at_one_depth() -> None:
    places_um = np.array([[0, 0], [30, 0.04], [0, 20], [30, 20.04], [0, 40.0]])
    assert pitch_along_um(places_um) == 20


@pytest.mark.parametrize(
    ("n_stretches", "samples_each"), [(1, 60_000), (2, 30_000), (300, 200), (301, 200), (600, 200)]
)
def test_of_stretches_a_minute_together_is_looked_at_and_a_fifth_of_a_second_of_each(
    n_stretches: int, samples_each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def estimate(_: object, __: str, ___: int, traces: BaseRecording) -> Motion:
        seen.append(traces.get_num_samples())
        return moving(9.0)

    monkeypatch.setattr(rules, "_estimated", estimate)
    length = 240_000
    first = np.arange(n_stretches) * (length // n_stretches)
    stretches = np.column_stack([first, first + length // n_stretches])
    recording = NumpyRecording(np.zeros((length, 16), np.float32), sampling_frequency=1e3)
    motion_of(at_hand(length, sampling_frequency_hz=1e3, in_noise_sd=recording), stretches=stretches)
    assert seen == [n_stretches * samples_each]


def test_what_was_found_in_stretches_has_the_times_of_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two stretches of a second, at 0 and at 50 s: half a second of the second one is 50.5 s."""

    def estimate(*_: object) -> Motion:
        times = np.array([-0.1, 0.5, 1.0, 1.5, 2.5])
        return replace(moving(9.0), time_s=times, peak_time_s=times[:4])

    monkeypatch.setattr(rules, "_estimated", estimate)
    stretches = np.array([[0, 1000], [50_000, 51_000]])
    recording = NumpyRecording(np.zeros((60_000, 16), np.float32), sampling_frequency=1e3)
    pre = at_hand(60_000, sampling_frequency_hz=1e3, in_noise_sd=recording)
    found = rules._in_stretches(pre, "rigid_fast", 1, stretches)
    assert found.time_s == pytest.approx([-0.1, 0.5, 50, 50.5, 51.5])
    assert found.peak_time_s == pytest.approx([-0.1, 0.5, 50, 50.5])


def test_a_long_recording_is_compared_with_itself_in_stretches() -> None:
    """All seconds with all others take memory and time with the square of the length."""
    of = partial(spikeinterface_adapter.motion_settings, direction="y", reach_um=400.0)
    stretches = {"batching_mode": "online", "chunk_len_s": 300}
    assert of("dredge_fast", duration_s=600.0) == {"direction": "y", "rigid": True}
    assert of("dredge_fast", duration_s=601.0) == {"direction": "y", "rigid": True, **stretches}
    assert of("dredge", duration_s=7200.0) == {"direction": "y", "rigid": True, **stretches}
    assert of("rigid_fast", duration_s=7200.0) == {"direction": "y", "rigid": True}  # knows no stretches


LONG = """
import json, resource, sys
import numpy as np
from spikeinterface.core import NumpyRecording
from spikeinterface.sortingcomponents.motion import estimate_motion
from ncpgui.ephys.spikeinterface_adapter import motion_settings

seconds, rng = 1440, np.random.default_rng(0)
recording = NumpyRecording([np.broadcast_to(np.zeros((1, 32), np.float32), (seconds * 100, 32))], 100.0)
recording.set_dummy_probe_from_locations(np.column_stack([np.zeros(32), 20.0 * np.arange(32)]))
time = np.sort(rng.uniform(0, seconds, 150 * seconds))
way = lambda time: 15 * np.sin(2 * np.pi * time / 600) + np.where(time > 800, 12.0, 0.0)
peaks = np.zeros(len(time), [("sample_index", int), ("channel_index", int), ("amplitude", float),
                             ("segment_index", int)])
peaks["sample_index"], peaks["amplitude"] = time * 100, -rng.uniform(8, 60, len(time))
places = np.zeros(len(time), [("x", float), ("y", float)])
of_unit = rng.uniform(0, 620, 45)[rng.integers(0, 45, len(time))]
places["y"] = of_unit + rng.normal(0, 3, len(time)) + way(time)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
settings = motion_settings("dredge_fast", direction="y", reach_um=620.0, duration_s=seconds)
found = estimate_motion(recording, peaks, places, method="dredge_ap", **settings)
off = found.displacement[0][:, 0] - way(found.temporal_bins_s[0])
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps({"sd_um": float(off.std()), "MiB": grown / 1024}))
"""


@pytest.mark.slow
def test_the_way_of_a_long_recording_is_found_in_little_memory() -> None:
    """As a whole these 24 minutes take 1000 MiB, in stretches of five minutes 300 or less."""
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["sd_um"] < 1.0  # a wave of 30 µm and a jump of 12 µm, over four borders of stretches
    assert found["MiB"] < 500


@pytest.fixture(scope="module")
def jumping() -> Preprocessed:
    return drifting(20.0)


@pytest.mark.slow
@pytest.mark.parametrize("preset", MOTION_PRESETS)
def test_every_preset_sees_a_jump(jumping: Preprocessed, preset: str) -> None:
    found = motion_of(jumping, preset)
    assert found.applied
    assert found.preset == preset
    assert found.range_um == pytest.approx(20.0, abs=8.0)


@pytest.mark.slow
def test_a_jump_is_found_with_its_size_and_its_time(jumping: Preprocessed) -> None:
    found = motion_of(jumping)
    assert found.applied
    assert found.preset == "dredge_fast"
    late, early = found.time_s > 13, found.time_s < 11
    step = np.median(found.displacement_um[late], axis=0) - np.median(found.displacement_um[early], axis=0)
    assert step == pytest.approx(20.0, abs=3.0)
    assert (
        found.reason == f"The tissue moved over {found.range_um:.0f} µm along the probe; templates follow it."
    )
    assert len(found.peak_time_s) == len(found.peak_depth_um) > 1000
    assert (np.diff(found.peak_time_s) >= 0).all()


@pytest.mark.slow
def test_tissue_that_stands_still_is_left_alone() -> None:
    found = motion_of(drifting(0.0))
    assert not found.applied
    assert found.range_um <= rules.MIN_RANGE_UM
    assert "up to 5 µm are left alone" in found.reason


@pytest.mark.slow
def test_traces_moved_back_look_as_if_the_tissue_had_stayed() -> None:
    """The depth profile of the noise-free mean square is the same before and after the jump."""
    pre = drifting(20.0)
    time = np.arange(24) + 0.5
    known = Motion(time, np.array([150.0]), np.where(time < 12, 0.0, 20.0)[:, None], applied=True)
    half = pre.n_samples // 2
    steady = pre.moved_back(known)

    def profile(traces: Preprocessed, start: int) -> np.ndarray:
        return np.asarray((traces.traces(start, start + half) ** 2).mean(axis=0))[2:-2]

    def likeness(traces: Preprocessed) -> float:
        return float(np.corrcoef(profile(traces, 0), profile(traces, half))[0, 1])

    assert likeness(steady) > 0.95 > likeness(pre)
    assert steady.noise_sd[8] < pre.noise_sd[8] * 1.05
