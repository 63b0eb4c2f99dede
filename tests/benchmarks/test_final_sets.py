"""Roles never mix, recordings hold what they say, and figures are right where known by hand."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.clustering import final_recordings, final_scores, final_sets
from benchmarks.clustering.final_oracle import cut_templates, most_probable_units, noise_covariance
from benchmarks.clustering.final_recordings import FinalSet, FinalSettings, sets_of_recording
from benchmarks.clustering.final_scores import Source, ece_by_chance, judged, pair_rows, row, tables
from benchmarks.clustering.final_sets import draws, given_times, own_options, sources
from benchmarks.clustering.generated_recordings import deepest
from ncpgui.core.seeds import stream
from ncpgui.engine.diagnostics.calibration import expected_calibration_error

SMALL = FinalSettings(duration_s=8.0, fewest=60, n_spikes=200)


def test_no_seed_has_two_roles():
    for n in (1, 10):
        final, development = (
            {source.seed for source in sources(role, n)} for role in ("final", "development")
        )
        assert not final & development
        assert min(development) >= 100
        assert max(development) < 9000 <= min(final)


def test_tetrodes_whose_recordings_have_one_set_and_our_own_few_kinds_have_more():
    found = [(source.place, source.motion) for source in sources("final", 3)]
    assert found.count(("tetrode", "slow")) == 12
    assert found.count(("ours", "still")) == 9
    assert found.count(("hexagon", "slow")) == 3


@pytest.mark.parametrize("n", [2226, 2967], ids=["of tetrodes four times", "of our own three times"])
def test_more_recordings_of_the_development_than_it_has_seeds_are_refused(n: int):
    with pytest.raises(ValueError, match=f"of {n} recordings of the development some would be of the end"):
        sources("development", n)


@pytest.fixture(scope="module")
def made() -> list[FinalSet]:
    return list(sets_of_recording("tetrode", "zigzag", SMALL, seed=100))


def test_sets_are_in_order_of_time_in_noise_sd_and_hold_what_is_not_scored(made: list[FinalSet]):
    assert len(made) == 1
    one = made[0]
    n_spikes = len(one.times_s)
    assert 60 <= n_spikes <= 200
    assert one.waveforms.shape == (n_spikes, 32, 4)
    assert (np.diff(one.times_s) >= 0).all()
    assert one.times_s[0] >= 0
    assert one.times_s[-1] < 8.1
    assert (one.waveforms[:, 9:14, 0].min(axis=1) < -4).all()
    assert 0 < one.known.sum() <= n_spikes
    assert (one.unit[one.known] >= 0).all()
    assert np.isin(one.oracle, one.unit[one.known]).all()


def test_the_same_seed_gives_the_same_set(made: list[FinalSet]):
    again = next(sets_of_recording("tetrode", "zigzag", SMALL, seed=100))
    assert (again.waveforms == made[0].waveforms).all()
    assert (again.unit == made[0].unit).all()


def test_amplitudes_fall_after_short_intervals_only():
    """One bursting unit that loses half of its amplitude right after a spike and has it back after 20 ms."""
    settings = FinalSettings(
        duration_s=200.0,
        p_bursting=1.0,
        burst_gap_ms=(3.0, 3.2),
        burst_loss=(0.5, 0.5),
        recovery_ms=(5.0, 5.0),
        amplitude_spread=(0.0, 0.0),
    )
    cells = final_recordings.Cells(np.zeros((1, 3)), {}, np.ones(1), np.array([5.0]), 1, np.array([0]))
    sample, unit, amplitude = final_recordings._fire(cells, settings, 20_000.0, np.random.default_rng(0))
    gap_ms = np.diff(sample) / 20
    assert (unit == 0).all()
    assert amplitude[1:][gap_ms < 5].max() < 0.95
    assert amplitude[1:][gap_ms > 30].min() > 0.999
    # 3.1 ms after a rested spike: tired by 0.7 exp(-3.1 / 5), which costs half of that
    after_rest = (gap_ms[1:] < 3.3) & (gap_ms[:-1] > 50)
    assert amplitude[2:][after_rest].mean() == pytest.approx(1 - 0.5 * 0.7 * np.exp(-0.62), abs=0.01)


@pytest.mark.parametrize("motion", ["slow", "zigzag", "sudden"])
def test_ways_lie_between_their_ends(motion: str):
    part = np.linspace(0, 1, 400, endpoint=False)
    way = final_recordings._way(motion, np.random.default_rng(3))(part)
    assert way.min() >= 0
    assert way.max() <= 1
    assert np.ptp(way) > 0.4
    jumps = np.abs(np.diff(way)).max()
    assert jumps > 0.4 if motion == "sudden" else jumps < 0.05


def test_the_deepest_of_the_spikes_that_are_there_is_the_one_detected():
    found = deepest(
        np.array([100, 200, 300]),
        np.array([98, 103, 197, 290]),
        np.array([0, 1, 2, 3]),
        np.array([4.0, 9.0, 5.0, 6.0]),
        5.0,
    )
    assert found.tolist() == [1, 2, -1]


def test_pairs_are_told_apart_by_what_the_first_alternative_says_of_them():
    """Two units of two spikes, and a spike of noise that is not scored; of four draws one joins all."""
    waveforms = np.zeros((5, 32, 1), np.float32)
    waveforms[2:4, 0] = 8.0
    one = FinalSet(
        waveforms,
        np.zeros((1, 2)),
        np.arange(5.0),
        np.array([7, 7, 3, 3, -1]),
        np.array([1, 1, 1, 1, 0], bool),
        np.array([7, 7, 3, 7, 7]),
    )
    first = np.array([0, 0, 1, 1, 2])
    samples = np.array([[0, 0, 1, 1, 2]] * 3 + [[0, 0, 0, 0, 1]])
    found = judged(Source("tetrode", "none", 100), one, first, samples)
    assert found.true_k == found.k_first == 2
    assert found.k.tolist() == [2, 2, 2, 1]
    assert found.p[found.joined].tolist() == [1.0, 1.0]
    assert found.p[~found.joined].tolist() == [0.25] * 4
    assert found.apart_sd[~found.joined].tolist() == [8.0] * 4
    assert found.ami_first == pytest.approx(1.0)
    assert found.ami_oracle < 0.9
    told = row("both", [found])
    assert told["AMI oracle"] == found.ami_oracle
    assert told["bias joined"] == pytest.approx(0.0)
    assert told["bias parted"] == pytest.approx(0.25)
    assert told["K error"] == pytest.approx(-0.25)
    pairs = {one["pairs"]: one for one in pair_rows([found])}
    assert set(pairs) == {"joined, of 2 or 3", "parted by 6 to 12 sd"}
    assert pairs["parted by 6 to 12 sd"]["ECE of all"] == pytest.approx(0.25)


def test_few_sets_have_an_error_by_chance_though_their_probabilities_are_right():
    """Two spikes that half of the draws join: of one set the error is a half whatever is true."""
    waveforms = np.zeros((2, 32, 1), np.float32)
    unit = np.array([4, 4])
    one = FinalSet(waveforms, np.zeros((1, 2)), np.arange(2.0), unit, np.ones(2, bool), unit)
    samples = np.array([[0, 0], [0, 1]] * 10)
    found = judged(Source("tetrode", "none", 100), one, samples[0], samples)
    assert found.drawn.tolist() == [[True], [False]] * 10
    alone, many = row("one", [found]), row("many", [found] * 1000)
    assert alone["ECE hard"] == alone["by chance hard"] == pytest.approx(0.5)
    assert 0 < many["by chance hard"] < 0.1
    assert many["ECE hard"] == pytest.approx(0.5)
    assert alone["by chance parted"] == ""


def some_sets(n_sets: int = 3) -> list[final_scores.Judged]:
    """Sets of three units of which half of the draws join two, at random spikes."""
    rng = np.random.default_rng(0)
    found = []
    for i in range(n_sets):
        truth = rng.integers(3, size=30)
        one = FinalSet(
            rng.normal(size=(30, 32, 1)).astype(np.float32),
            np.zeros((1, 2)),
            np.arange(30.0),
            truth,
            np.ones(30, bool),
            truth,
        )
        samples = np.where(rng.random((8, 1)) < 0.5, truth, np.minimum(truth, 1))
        samples = np.where(rng.random((8, 30)) < 0.1, rng.integers(3, size=(8, 30)), samples)
        found.append(judged(Source("tetrode", "none", 100 + i), one, truth, samples))
    return found


def test_the_error_by_chance_is_that_of_truths_that_are_drawn():
    """Against the error of each of the same drawn truths, one after the other."""
    sets = some_sets()
    p = np.concatenate([one.p for one in sets])
    some = np.concatenate([one.joined for one in sets])
    rng, errors = stream(0, "by chance"), []
    for _ in range(final_scores.N_BY_CHANCE):
        truth = np.concatenate([one.drawn[rng.integers(len(one.drawn))] for one in sets])
        errors.append(expected_calibration_error(p[some], truth[some]))
    assert ece_by_chance(p, some, sets) == pytest.approx(np.mean(errors))


def test_rows_are_by_source_motion_and_number_of_units():
    rows, _ = tables(some_sets())
    assert [row["sets"] for row in rows] == ["all foreign", "tetrode", "motion none", "3 units"]
    assert rows[0]["AMI oracle"] == pytest.approx(1.0)


def peak(width: float, n: int = 200) -> np.ndarray:
    """A trough in the middle, (n,)."""
    return -np.exp(-(((np.arange(n) - n // 2) / width) ** 2))


def test_the_oracle_knows_units_by_where_the_tissue_is():
    """Two cells of one shape, 8 and 16 sd deep, that change places: only the way tells them apart."""
    one, other = (np.stack([a * peak(5.0), b * peak(5.0)], axis=1) for a, b in ((8, 4), (16, 4)))
    cut = cut_templates(np.stack([[one, other], [other, one]]), 20_000.0)
    assert cut.shape == (2, 2, 17, 32, 2)
    assert cut[0, 0, 8, 11].tolist() == pytest.approx([-8, -4], rel=1e-3)  # as it is cut, without an error
    rng = np.random.default_rng(0)
    covariance = noise_covariance(
        rng.normal(size=(20_000, 2)).astype(np.float32), np.arange(100, 19_000), 2e4
    )
    assert covariance.diagonal().mean() == pytest.approx(1.02, abs=0.03)
    unit, way = rng.integers(2, size=200), rng.integers(2, size=200)
    waveforms = cut[way, unit, rng.integers(6, 11, 200)] + rng.normal(size=(200, 32, 2))
    said = most_probable_units(
        waveforms.astype(np.float32), cut, way.astype(float), [np.ones(1)] * 2, np.full(2, 0.5), covariance
    )
    assert (said == unit).mean() > 0.99
    halfway = most_probable_units(
        waveforms.astype(np.float32),
        cut,
        np.full(200, 0.5),
        [np.ones(1)] * 2,
        np.array([0.4, 0.6]),
        covariance,
    )
    assert (halfway == 1).all()  # the same templates: the share decides


def test_units_that_lie_together_and_clusters_that_are_no_units_home_are_counted():
    """Units 0 and 1 are joined, unit 2 is cut; a cluster of one spike is too small to count."""
    truth, first = np.repeat([0, 1, 2], 40), np.repeat([0, 0, 1], 40)
    first[100:119], first[119] = 2, 3
    one = FinalSet(
        np.random.default_rng(0).normal(size=(120, 32, 1)).astype(np.float32),
        np.zeros((1, 2)),
        np.arange(120.0),
        truth,
        np.ones(120, bool),
        np.full(120, -1),
    )
    told = row("one", [judged(Source("tetrode", "none", 100), one, first, first[None])])
    assert told["merged"] == 1
    assert told["split"] == 1


def test_draws_lose_what_they_would_if_the_truth_were_one_of_them():
    """Two of three draws are the first alternative, one has one unit, which says nothing of two (AMI 0).

    The first alternative agrees with two of three draws, and one of three pairs of draws agree.
    """
    two, one_unit = np.repeat([0, 1], 50), np.zeros(100, int)
    nothing = np.zeros((100, 32, 1), np.float32)
    one = FinalSet(nothing, np.zeros((1, 2)), np.arange(100.0), two, two >= 0, two)
    found = judged(Source("ours", "still", 100), one, two, np.array([two, two, one_unit]))
    assert found.ami_samples == pytest.approx(2 / 3)
    assert found.ami_lost == pytest.approx(2 / 3 - 1 / 3)


@pytest.mark.parametrize(("n_spikes", "n_clusters"), [(19, 1), (20, 2)])
def test_clusters_are_counted_from_as_many_spikes_on_as_the_program_asks_of_a_unit(
    n_spikes: int, n_clusters: int
):
    """20 spikes of 1000 (`core.alternatives.min_unit_size`); in what is true as in what is said."""
    labels = (np.arange(1000) < n_spikes).astype(int)
    nothing = np.zeros((1000, 32, 1), np.float32)
    one = FinalSet(nothing, np.zeros((1, 2)), np.arange(1000.0), labels, np.ones(1000, bool), labels)
    found = judged(Source("ours", "still", 100), one, labels, labels[None])
    assert found.true_k == found.k_first == found.k[0] == n_clusters
    assert found.n_merged == found.n_split == 0


@pytest.mark.parametrize(("n_lost", "n_noise", "n_clusters"), [(30, 29, 2), (30, 30, 1), (0, 60, 1)])
def test_a_cluster_that_is_mostly_noise_is_no_unit_though_spikes_of_one_are_lost_in_it(
    n_lost: int, n_noise: int, n_clusters: int
):
    """One unit of 1000 - `n_noise` spikes; the draw has `n_lost` of them in a cluster with the noise."""
    known = np.arange(1000) >= n_noise
    labels = (np.arange(1000) >= n_noise + n_lost).astype(int)
    nothing = np.zeros((1000, 32, 1), np.float32)
    unit = np.where(known, 0, -1)
    one = FinalSet(nothing, np.zeros((1, 2)), np.arange(1000.0), unit, known, unit)
    found = judged(Source("ours", "still", 100), one, labels, labels[None])
    assert found.true_k == 1
    assert found.k_first == found.k[0] == n_clusters
    assert found.n_split == n_clusters - 1


def test_draws_that_break_a_refractory_period_less_often_than_chance_are_there_more_often():
    """Spikes of one neuron, 5 ms apart and more, which six of eight draws part at random."""
    rng = np.random.default_rng(0)
    times, parted = np.cumsum(0.005 + rng.exponential(0.02, 800)), rng.integers(0, 2, 800)
    parted[0] = 0
    samples = np.array([parted] * 6 + [np.zeros(800, int)] * 2)
    nothing = np.zeros(0)
    waveforms = rng.normal(0, 1, (800, 8, 1))
    one = FinalSet(waveforms, nothing, times, np.zeros(800, int), np.ones(800, bool), nothing)
    first, drawn = given_times(one, samples, known=False)
    assert first.max() == 0
    assert drawn.shape == samples.shape
    assert drawn.max() == 0


def test_draws_are_kept_for_the_same_weights_settings_of_the_network_and_sweeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Whether knots lie along the way is in no weight."""
    asked: list[Any] = []

    def clustered(waveforms: Any, *, model: Any, samples: int, **_: Any) -> Any:
        asked.append(model)
        labels = np.full((samples, len(waveforms)), len(asked))
        return SimpleNamespace(map_labels=labels[0], labels=labels)

    monkeypatch.setattr(final_sets, "cluster", clustered)
    models = []
    for name, along_way in (("first", False), ("same", False), ("other", True)):
        models.append(tmp_path / f"{name}.safetensors")
        models[-1].write_bytes(b"the same weights")
        card = {
            "card_format": 1,
            "name": name,
            "architecture": {"network_options": {"along_way": along_way}},
        }
        models[-1].with_suffix(".json").write_text(json.dumps(card))
    none = np.zeros(3, int)
    one = FinalSet(np.zeros((3, 32, 1), np.float32), np.zeros((1, 2)), np.arange(3.0), none, none == 0, none)
    kept = [draws(one, model, 2, tmp_path / "kept", timed=True)[0].tolist() for model in models]
    assert kept == [[1, 1, 1], [1, 1, 1], [2, 2, 2]]
    assert asked == [models[0], models[2]]
    monkeypatch.setattr(final_sets, "N_SWEEPS_IN_TIME", 40)
    assert draws(one, models[0], 2, tmp_path / "kept", timed=True)[0].tolist() == [3, 3, 3]


def test_our_own_sets_are_as_the_training_draws_them_and_as_the_generator_does_by_default():
    still, moving = (own_options(f"as trained, {motion}") for motion in ("still", "moving"))
    assert still["motion"]["p_moving"] == 0
    assert moving["motion"]["p_moving"] == 1
    assert still["k_rate"] == moving["k_rate"] == 1.0
    assert still["times"]["p_tiring"] == 0.7
    assert "k_rate" not in own_options("still")
    assert {own_options(name)["times"]["p_told"] for name in final_scores.OWN} == {1.0}


def test_noise_in_our_own_sets_is_there_and_not_scored(monkeypatch: pytest.MonkeyPatch):
    """Half of the spikes are a cluster of noise; a unit of one spike of 300 is too small to be scored."""
    options = {"p_noise_cluster": 1.0, "noise_part": [0.5, 0.5], "k_max": 1, "times": {"p_told": 1.0}}
    monkeypatch.setattr(final_sets, "own_options", lambda motion: options)
    one = final_sets.sets_of(Source("ours", "still", 100), 1, FinalSettings(n_spikes=300))[0]
    assert one.waveforms.shape[0] == 300
    assert 100 < one.known.sum() < 200
    assert (one.unit[~one.known] == -1).all()
    assert one.n_units == 1
    few = (np.zeros((300, 32, 1)), np.zeros((1, 2)), np.ones(1, bool), np.arange(300.0))
    small = final_sets._own_set((*few, np.arange(300) // 299, np.zeros(300, bool)), FinalSettings())
    assert small.known.sum() == 299


def test_the_oracle_of_our_own_sets_is_told_the_units_of_other_spikes_and_says_nothing_of_noise():
    """Two units 8 noise sd apart and noise; an oracle that was asked already is not asked again."""
    rng = np.random.default_rng(0)
    unit = np.repeat([5, 9, -1], 40)
    waveforms = rng.normal(size=(120, 32, 1)).astype(np.float32)
    waveforms[unit == 9, 10] += 8
    places, nobody = np.zeros((1, 2)), np.full(120, -1)
    one = FinalSet(waveforms, places, np.arange(120.0), unit, unit >= 0, nobody)
    told = final_sets.with_oracle(one)
    assert told.oracle.tolist() == [0] * 40 + [1] * 40 + [-1] * 40
    assert one.oracle.tolist() == nobody.tolist()
    asked = one._replace(oracle=unit)
    assert final_sets.with_oracle(asked) is asked


def test_sets_of_our_own_are_kept_for_the_same_settings_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made: list[float] = []

    def sets_of(source: Source, *_: Any) -> list[FinalSet]:
        made.append(own_options_now["k_rate"])
        few = np.zeros(3, int)
        return [FinalSet(np.zeros((3, 32, 1)), np.zeros((1, 2)), np.arange(3.0), few, few == 0, few - 1)]

    own_options_now = {"k_rate": 2.0}
    monkeypatch.setattr(final_sets, "sets_of", sets_of)
    monkeypatch.setattr(final_sets, "own_options", lambda motion: own_options_now)
    for k_rate in (2.0, 2.0, 1.0):
        own_options_now["k_rate"] = k_rate
        final_sets._kept_sets(Source("ours", "still", 100), 1, tmp_path)
    assert made == [2.0, 1.0]
