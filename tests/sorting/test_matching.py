"""Matching on made traces: what proposals missed is found, what they split is joined, what is none goes."""

from __future__ import annotations

import tempfile

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.sorting import fitting
from ncpgui.sorting.chance_spikes import fit_none
from ncpgui.sorting.fitting import moved
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.spike_probability import spike_probability
from tests.sorting.two_units import SLOW, two_units

RATE_HZ = 20_000.0
N_SAMPLES = 20 * int(RATE_HZ)
PLACES_UM = np.column_stack([np.zeros(6), 25.0 * np.arange(6)])


def cell(contact: float, height: float, width: float) -> np.ndarray:
    """A trough that decays along the probe: (60, 6), its sample 20 is the trough."""
    time = np.arange(60) - 20
    shape = -np.exp(-((time / width) ** 2)) + 0.35 * np.exp(-(((time - 2.5 * width) / (2 * width)) ** 2))
    return height * shape[:, None] * np.exp(-np.abs(np.arange(6) - contact) / 0.8)


CELLS = (cell(1.0, 14, 3), cell(1.6, 12, 5), cell(4.2, 11, 4))


@pytest.fixture(scope="module")
def truth() -> list[np.ndarray]:
    """Spikes of three cells, at least 3 ms apart in each; those of the first two often collide."""
    rng = np.random.default_rng(0)
    trains = [np.sort(rng.permutation(N_SAMPLES // 60 - 4)[:n]) * 60 + 90 for n in (700, 500, 400)]
    trains[1][:200] = trains[0][:200] + rng.integers(-12, 13, 200)
    trains[1] = np.sort(trains[1])
    trains[1] = trains[1][np.diff(trains[1], prepend=-1000) > 60]
    return trains


@pytest.fixture(scope="module")
def filtered(truth: list[np.ndarray]) -> Preprocessed:
    rng = np.random.default_rng(1)
    traces = rng.normal(0, 1, (N_SAMPLES, 6))
    for spikes, shape in zip(truth, CELLS, strict=True):
        amplitudes = rng.normal(1, 0.05, len(spikes))
        for spike, amplitude in zip(spikes, amplitudes, strict=True):
            traces[spike - 20 : spike + 40] += amplitude * shape
    recording = ArrayRecording(
        (traces * 50).astype(np.int16), sampling_frequency_hz=RATE_HZ, probe=Probe(PLACES_UM)
    )
    return preprocess(recording)


@pytest.fixture(scope="module")
def matched(filtered: Preprocessed, truth: list[np.ndarray]) -> Matched:
    """From proposals with the first cell in two halves, a third of the second, and forty times of noise."""
    rng = np.random.default_rng(2)
    first, second, third = truth
    noise = np.sort(rng.integers(100, N_SAMPLES - 100, 40))
    proposals = [first[::2], first[1::2], second[::3], third, noise]
    unit = np.repeat(np.arange(5), [len(spikes) for spikes in proposals])
    return match_units(filtered, np.concatenate(proposals), unit)


def hits(found: np.ndarray, true: np.ndarray, within: int = 6) -> tuple[float, float]:
    """Recall and precision of a train."""
    near = np.abs(found[:, None] - true[None]) <= within
    return near.any(axis=0).mean(), near.any(axis=1).mean()


def test_each_cell_is_one_unit_with_its_spikes_in_collisions_too(
    matched: Matched, truth: list[np.ndarray]
) -> None:
    assert matched.n_units == 3
    for true in truth:
        scores = [hits(matched.sample_index[matched.unit == unit], true) for unit in range(3)]
        recall, precision = max(scores)
        assert recall > 0.97
        assert precision > 0.97


def test_spikes_are_in_order_and_their_amplitudes_are_those_that_were_drawn(matched: Matched) -> None:
    assert (np.diff(matched.sample_index) >= 0).all()
    assert matched.amplitude.mean() == pytest.approx(1.0, abs=0.05)
    assert 0.04 < matched.amplitude.std() < 0.12  # 0.05 drawn, and noise


def test_templates_are_what_was_put_in_but_for_filter_and_whitening(matched: Matched) -> None:
    """The main contact of each, and hardly anything on the far end of the probe."""
    size = np.abs(matched.bank.waveforms).max(axis=1)
    assert sorted(size.argmax(axis=1).tolist()) == [1, 2, 4]
    assert size[size.argmax(axis=1) == 1, 5].max() < 1.0


def test_spikes_of_cells_apart_are_sure(matched: Matched) -> None:
    none = fit_none(matched, duration_s=N_SAMPLES / RATE_HZ)
    assert np.quantile(spike_probability(matched, none), 0.05) > 0.99
    assert (none.share < 0.02).all()


def test_the_same_proposals_give_the_same_units(
    filtered: Preprocessed, matched: Matched, truth: list[np.ndarray]
) -> None:
    unit = np.repeat(np.arange(3), [len(spikes) for spikes in truth])
    one, two = (match_units(filtered, np.concatenate(truth), unit, n_rounds=1) for _ in range(2))
    assert one.sample_index.tolist() == two.sample_index.tolist()
    assert one.unit.tolist() == two.unit.tolist()
    assert abs(len(one.unit) - len(matched.unit)) < 30


@pytest.mark.parametrize(
    "matcher",
    [
        pytest.param("tdc-peeler", marks=[pytest.mark.slow, pytest.mark.timeout(600)]),  # compiles
        "circus-omp",
    ],
)
def test_other_matchers_find_the_cells_too(
    filtered: Preprocessed, truth: list[np.ndarray], matcher: str
) -> None:
    """From half of the spikes of each cell."""
    unit = np.repeat(np.arange(3), [len(spikes[::2]) for spikes in truth])
    half = np.concatenate([spikes[::2] for spikes in truth])
    found = match_units(filtered, half, unit, n_rounds=1, matcher=matcher)
    assert found.n_units == 3
    for true in truth:
        scores = [hits(found.sample_index[found.unit == unit], true) for unit in range(3)]
        assert max(scores)[0] > 0.8


def test_without_a_matcher_no_spike_is_added(filtered: Preprocessed, truth: list[np.ndarray]) -> None:
    unit = np.repeat(np.arange(3), [len(spikes[::2]) for spikes in truth])
    half = np.concatenate([spikes[::2] for spikes in truth])
    told: list[tuple[float, str]] = []
    found = match_units(
        filtered,
        half,
        unit,
        n_rounds=2,
        matcher="none",
        progress=lambda done, total, message="": told.append((done / total, message)),
    )
    assert [(share, words) for share, words in told if words in ("matching templates", "joining units")] == [
        (pytest.approx(share, abs=1e-3), words)
        for share, words in zip(
            (0, 1 / 6, 3 / 6, 4 / 6), 2 * ["matching templates", "joining units"], strict=True
        )
    ], "two rounds of three steps"
    assert 0.95 * len(half) < len(found.unit) <= len(half)
    assert (np.abs(found.sample_index[:, None] - half[None]).min(axis=1) <= 12).all()


def test_units_are_left_apart_where_nothing_joins_them(
    filtered: Preprocessed, truth: list[np.ndarray]
) -> None:
    first = truth[0]
    unit = np.arange(len(first)) % 2
    found = match_units(
        filtered, first, unit, n_rounds=1, join=lambda matched, **_: np.arange(matched.n_units)
    )
    assert found.n_units == 2


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_any_number_of_jobs_gives_the_same_spikes(
    filtered: Preprocessed, truth: list[np.ndarray], n_jobs: int
) -> None:
    unit = np.repeat(np.arange(3), [len(spikes) for spikes in truth])
    one, many = (
        match_units(filtered, np.concatenate(truth), unit, n_rounds=1, n_jobs=jobs) for jobs in (1, n_jobs)
    )
    assert one.sample_index.tolist() == many.sample_index.tolist()
    assert one.unit.tolist() == many.unit.tolist()
    assert one.gain.tolist() == many.gain.tolist()


def test_matching_keeps_no_second_copy_of_the_traces(
    filtered: Preprocessed, truth: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*_: object, **__: object) -> None:
        raise AssertionError("a temporary file is opened")

    monkeypatch.setattr(tempfile, "TemporaryFile", opened)
    assert match_units(filtered, truth[0], np.zeros(len(truth[0]), np.int64)).n_units == 1


def test_a_spike_at_the_border_of_two_pieces_is_fitted_as_any_other(
    filtered: Preprocessed, truth: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    spikes = truth[2]
    unit = np.zeros(len(spikes), np.int64)
    whole = match_units(filtered, spikes, unit, n_rounds=1, matcher="none")
    border = int(spikes[len(spikes) // 9])
    monkeypatch.setattr(fitting, "PIECE_S", border / RATE_HZ)
    cut = match_units(filtered, spikes, unit, n_rounds=1, matcher="none")
    assert border in cut.sample_index
    assert cut.sample_index.tolist() == whole.sample_index.tolist()
    np.testing.assert_allclose(cut.amplitude, whole.amplitude, atol=1e-3)


def test_no_proposals_give_no_units(filtered: Preprocessed) -> None:
    found = match_units(filtered, np.array([5000, 9000]), np.array([-1, -1]))
    assert found.n_units == 0
    assert len(found.unit) == 0


@pytest.mark.parametrize(("n_own", "first", "second"), [(0, 700, 0), (20, 600, 120)])
def test_no_spike_moves_to_a_template_that_none_was_found_with(n_own: int, first: int, second: int) -> None:
    """A hundred spikes of the first fit the second better: without spikes that has no mean, and goes."""
    side = np.r_[np.full(600, -1.0), np.full(100, 6.0), np.full(n_own, 6.0)]
    is_second = np.arange(700 + n_own) >= 700
    spikes = moved(two_units(side, is_second, SLOW[: len(side)], apart=5.0), RATE_HZ)
    assert np.bincount(spikes.unit, minlength=2).tolist() == [first, second]
