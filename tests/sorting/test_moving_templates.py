"""Templates that follow the tissue: what each place lends to the others, and a moving cell found whole."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.motion import Places
from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.moving_templates import (
    MovingBank,
    MovingSums,
    depth_of,
    known_best,
    kriging_weights,
    smoothed,
)
from ncpgui.sorting.peeling import CleanedSums

RATE_HZ = 20_000.0
N_SAMPLES = 20 * int(RATE_HZ)
N_CONTACTS = 10
PLACES_UM = np.column_stack([np.zeros(N_CONTACTS), 20.0 * np.arange(N_CONTACTS)])


def two_places(displacement_um: float, n_samples: int = N_SAMPLES) -> Places:
    """The first and last quarter at 0, the middle half displaced."""
    first, last = n_samples // 4, 3 * n_samples // 4
    stretches = np.array([[0, first], [first, last], [last, n_samples]])
    return Places(stretches, np.array([0, 1, 0]), np.array([[0.0], [displacement_um]]), np.zeros(1))


def test_a_place_with_many_spikes_believes_itself_and_one_without_any_its_neighbours() -> None:
    weights = kriging_weights(np.array([0.0, 4.0, 8.0]), np.array([10_000.0, 0.0, 10_000.0]), power=1.0)
    assert weights.sum(axis=1) == pytest.approx([1, 1, 1])
    assert weights[0] == pytest.approx([1, 0, 0], abs=0.01)
    assert weights[1] == pytest.approx([0.5, 0, 0.5], abs=0.01)


def test_places_of_one_displacement_share_their_spikes_in_proportion() -> None:
    """A far greater power than noise, and the very same place: the mean over all spikes."""
    weights = kriging_weights(np.array([5.0, 5.0]), np.array([30.0, 10.0]), power=1e4)
    assert weights == pytest.approx(np.array([[0.75, 0.25], [0.75, 0.25]]), abs=1e-6)


def test_weak_templates_of_few_spikes_are_nearly_one_mean() -> None:
    weights = kriging_weights(np.array([0.0, 30.0]), np.array([5.0, 5.0]), power=1e-4)
    assert weights == pytest.approx(np.full((2, 2), 0.5), abs=0.01)


def one_cell(at_um: np.ndarray) -> np.ndarray:
    """Templates of a cell at 90 µm and that much further, on contacts 20 µm apart: (P, 1, 40, C)."""
    depth = 90 + at_um[:, None] - PLACES_UM[None, :, 1]
    return 6 * np.exp(-0.5 * (depth / 25) ** 2)[:, None, None] * np.sin(np.arange(40) / 6)[:, None]


def places_at(at_um: np.ndarray) -> Places:
    n = len(at_um)
    stretches = 100 * np.column_stack([np.arange(n), np.arange(1, n + 1)])
    return Places(stretches, np.arange(n), at_um[:, None], np.zeros(1))


def test_places_lend_each_other_spikes_and_one_place_is_left_alone() -> None:
    """Eight spikes at each of seven places: 56 spikes would leave 0.38 of the error of eight."""
    rng = np.random.default_rng(0)
    at_um = np.linspace(0, 30, 7)
    truth = one_cell(at_um)
    means = (truth + rng.normal(0, 8**-0.5, truth.shape)).astype(np.float32)
    found = smoothed(means, np.full((7, 1), 8.0), places_at(at_um), PLACES_UM)
    assert (found - truth).std() < 0.6 * (means - truth).std()
    assert (smoothed(means[:1], np.full((1, 1), 8.0), Places.one(100), PLACES_UM) == means[:1]).all()


def test_a_template_goes_with_the_tissue_to_where_it_has_no_spikes() -> None:
    truth = one_cell(np.array([0.0, 20.0]))
    means = truth.astype(np.float32).copy()
    means[1] = 0
    found = smoothed(means, np.array([[100.0], [0.0]]), places_at(np.array([0.0, 20.0])), PLACES_UM)
    assert ((found[1] - truth[1]) ** 2).sum() < 0.02 * (truth[1] ** 2).sum()
    assert ((found[0] - truth[1]) ** 2).sum() > 0.25 * (truth[1] ** 2).sum()


def test_distances_side_by_side_are_means_over_time_of_those_at_each_place() -> None:
    waveforms = np.zeros((2, 2, 3, 1), np.float32)
    waveforms[0, 0, 1], waveforms[1, 0, 1] = 2.0, 4.0
    bank = MovingBank(waveforms, n_before=1, share=np.array([0.75, 0.25]))
    side = bank.side_by_side
    assert side.shape == (2, 3, 2)
    assert ((side[0] - side[1]) ** 2).sum() == pytest.approx(0.75 * 4 + 0.25 * 16)
    assert bank.usual.waveforms[0, 1, 0] == 2.0


FIRST_CHANNEL = np.zeros((2, 1), np.int32)


def test_waveforms_are_summed_near_where_a_template_is_seen_at_any_place() -> None:
    """Contacts 40 um apart: at most 100 um away are those two further on."""
    waveforms = np.zeros((2, 3, 4, 12), np.float32)
    waveforms[0, 0, 1, 5] = waveforms[1, 0, 1, 6] = 2.0
    waveforms[0, 1, 1, 11] = 2.0
    bank = MovingBank(waveforms, 1, np.array([0.5, 0.5]))
    near = bank.channels_near(np.column_stack([np.zeros(12), 40.0 * np.arange(12)]))
    assert near.tolist() == [[3, 4, 5, 6, 7, 8], [9, 10, 11, -1, -1, -1], [-1] * 6]


def test_sums_of_joined_units_stay_at_their_places_and_come_at_the_time_of_the_partner() -> None:
    first, second = (CleanedSums(np.zeros((2, 1, 4)), np.zeros(2), FIRST_CHANNEL) for _ in range(2))
    first.waveforms[1, 0, 1], first.amplitude[1] = 6.0, 2.0
    second.waveforms[0, 0, 2], second.amplitude[0] = 5.0, 1.0
    lag = np.array([[0, 1], [-1, 0]])  # the second begins one sample later
    joined = MovingSums([first, second]).joined(np.array([0, 0]), lag)
    assert joined.of_place[0].waveforms[0, 0].tolist() == [0, 0, 6, 0]
    assert joined.of_place[1].waveforms[0, 0].tolist() == [0, 0, 5, 0]
    assert joined.of_place[0].amplitude.tolist() == [2, 0]
    assert not joined.of_place[0].waveforms[1].any()


def cell(depth_um: float, height: float, width: float) -> np.ndarray:
    time = np.arange(60) - 20
    shape = -np.exp(-((time / width) ** 2)) + 0.35 * np.exp(-(((time - 2.5 * width) / (2 * width)) ** 2))
    return height * shape[:, None] * np.exp(-np.abs(PLACES_UM[:, 1] - depth_um) / 18)


def test_cells_that_the_tissue_moves_by_two_contacts_are_units_for_the_whole_time() -> None:
    """The first cell moves to where the second was: templates that stand still mix them."""
    rng = np.random.default_rng(3)
    places = two_places(40.0)
    cells = ((60.0, 13, 4), (100.0, 12, 4.5))
    traces = rng.normal(0, 1, (N_SAMPLES, N_CONTACTS))
    trains = [np.sort(rng.permutation(N_SAMPLES // 60 - 4)[:600]) * 60 + 90 for _ in cells]
    for spikes, (depth, height, width) in zip(trains, cells, strict=True):
        moved = places.of(spikes)
        for spike, place in zip(spikes, moved, strict=True):
            traces[spike - 20 : spike + 40] += cell(depth + 40 * place, height, width)
    pre = preprocess(
        ArrayRecording((traces * 50).astype(np.int16), sampling_frequency_hz=RATE_HZ, probe=Probe(PLACES_UM))
    )
    proposed = np.concatenate([train[::2] for train in trains])
    unit = np.repeat([0, 1], [len(train[::2]) for train in trains])
    found = match_units(pre, proposed, unit, places=places)
    assert found.n_units == 2
    for true in trains:
        best = 0.0
        for k in range(2):
            near = np.abs(found.sample_index[found.unit == k][:, None] - true[None]) <= 6
            best = max(best, min(near.any(axis=0).mean(), near.any(axis=1).mean()))
        assert best > 0.97
    main = np.abs(found.bank.waveforms).max(axis=1).argmax(axis=1)
    assert sorted(main.tolist()) in ([3, 5], [5, 7])  # both places have half of the time


def test_the_mean_that_tells_most_of_a_template_is_that_of_its_place_or_one_moved_from_another() -> None:
    """A template of power 100 on one contact; a move of 8 um costs 2 * 3 * (1 - e^-0.5)."""
    waveforms = np.full((2, 1, 10, 1), 10.0, np.float32)
    n = np.array([[1000], [4]])
    found = known_best(waveforms, n, np.array([[0.0], [8.0]]))
    power = 0.03 * (100 - 2 / 1004)  # less the noise of the means: two places over all spikes
    moved = 2 * power * (1 - np.exp(-0.5))
    assert found == pytest.approx(np.array([[1 / 1000], [min(1 / 4, 1 / 1000 + moved)]]), rel=1e-5)
    near = known_best(waveforms, n, np.array([[0.0], [1.0]]))
    assert near[1, 0] == pytest.approx(1 / 1000 + 2 * power * (1 - np.exp(-1 / 128)), rel=1e-5)
    none = known_best(waveforms, np.array([[0], [0]]), np.array([[0.0], [0.0]]))
    assert none == pytest.approx(np.full((2, 1), 1000.0))


def test_the_power_of_a_template_is_that_of_its_four_largest_channels_of_each_place_by_its_spikes() -> None:
    """Means of 10, 8, 6, 4 and 2 at the first place, 0 at the second, which has a quarter of the spikes."""
    waveforms = np.zeros((2, 1, 10, 5), np.float32)
    waveforms[0, 0] = [10, 8, 6, 4, 2]
    far = known_best(waveforms, np.array([[3000], [1000]]), np.array([[0.0], [1e3]]))
    assert far == pytest.approx(np.array([[1 / 3000], [1 / 1000]]))
    moved = known_best(waveforms, np.array([[3_000_000], [0]]), np.array([[0.0], [8.0]]))[1, 0]
    power = 0.03 * (100 + 64 + 36 + 16) / 4
    assert moved == pytest.approx(2 * power * (1 - np.exp(-0.5)), rel=1e-3)


def test_the_depth_of_a_unit_is_that_of_the_channel_where_it_is_largest_over_all_its_spikes() -> None:
    means = np.zeros((2, 1, 4, 3), np.float32)
    means[0, 0, 1] = [9, 0, 0]
    means[1, 0, 1] = [0, 0, 5]
    depth = np.array([0.0, 20.0, 40.0])
    assert depth_of(means, np.array([[1.0], [1.0]]), depth).tolist() == [0]
    assert depth_of(means, np.array([[1.0], [2.0]]), depth).tolist() == [40]
    means[0, 0, 2] = [-4, 0, 0]  # from trough to peak
    assert depth_of(means, np.array([[1.0], [2.0]]), depth).tolist() == [0]


def test_amplitudes_count_the_spikes_of_each_place_and_means_are_of_amplitude_1() -> None:
    first, second = (CleanedSums(np.zeros((2, 1, 4)), np.zeros(2), FIRST_CHANNEL) for _ in range(2))
    first.waveforms[0], first.amplitude[0] = 6.0, 2.0
    sums = MovingSums([first, second])
    assert sums.n_spikes.tolist() == [[2, 0], [0, 0]]
    assert first.means()[:, 0, 0].tolist() == [3, 0]
    bank = MovingBank(np.zeros((2, 3, 4, 1), np.float32), 1, np.array([0.5, 0.5]))
    assert [one.waveforms.shape for one in MovingSums.none_yet(bank, np.zeros((1, 2))).of_place] == [
        (3, 1, 4)
    ] * 2
    assert bank.n_units == 3
