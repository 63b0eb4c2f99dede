"""The way of the tissue is found from spikes, whatever it does; where it stays, time is what is left."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse.csgraph import floyd_warshall
from scipy.stats import spearmanr

from ncpgui.core.errors import InputError
from ncpgui.engine.networks import seen_way
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.networks.seen_way import along_way, part_of_time

N = 600


def zigzag(part: np.ndarray) -> np.ndarray:
    """Two and a half times to and fro, 0 .. 1."""
    return np.abs(2 * ((2.5 * part + 0.2) % 1) - 1)


def jumps(part: np.ndarray) -> np.ndarray:
    """Three levels, of which the last is between the others."""
    return np.select([part < 0.3, part < 0.65], [0.0, 1.0], 0.5)


def spikes(way, n_units: int = 3, reach: float = 6.0, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores (1, N, 4) in white noise of units that move together along a curve, and seconds (1, N)."""
    rng = np.random.default_rng(seed)
    seconds = np.sort(rng.uniform(0, 90, N))
    place = way(seconds / 90) * np.pi / 2
    unit = rng.integers(n_units, size=N)
    home, size = rng.normal(0, 8, (n_units, 4)), rng.uniform(0.7, 1.3, n_units)
    bent = reach * np.column_stack([np.cos(place), np.sin(place), np.zeros((N, 2))])
    x = home[unit] + size[unit, None] * bent + rng.normal(size=(N, 4))
    return torch.from_numpy(x)[None].float(), torch.from_numpy(seconds)[None]


def everywhere(seconds: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(seconds, dtype=torch.bool)


def test_the_part_of_the_time_that_is_over_begins_with_the_first_point_and_ends_with_the_last() -> None:
    seconds = torch.tensor([[150.0, 100.0, 200.0, 999.0], [7.0, 7.0, 0.0, 0.0]])
    there = torch.tensor([[True, True, True, False], [True, True, False, False]])
    found = part_of_time(seconds, there)
    assert found[0, :3].tolist() == [0.5, 0.0, 1.0]
    assert found[1, :2].tolist() == [0.0, 0.0], "points of one moment"


def test_points_of_which_one_has_no_time_are_nowhere_on_the_way() -> None:
    x, seconds = spikes(zigzag)
    seconds[0, 5] = torch.nan
    assert along_way(x, seconds, everywhere(seconds)).isnan().all()
    there = everywhere(seconds)
    there[0, 5] = False
    found = along_way(x, seconds, there)
    assert not found.isnan().any()
    assert found.max() == 1


@pytest.mark.parametrize("n_units", [1, 4])
def test_the_way_is_found_though_nothing_is_clustered(n_units: int):
    x, seconds = spikes(zigzag, n_units)
    found = along_way(x, seconds, everywhere(seconds))[0].numpy()
    assert abs(spearmanr(found, zigzag(seconds[0].numpy() / 90)).statistic) > 0.9
    assert found.min() == 0
    assert found.max() == 1


@pytest.mark.parametrize("n_units", [1, 4])
def test_spikes_of_a_place_to_which_the_tissue_jumps_are_side_by_side_on_the_way(n_units: int):
    x, seconds = spikes(jumps, n_units, reach=12.0)
    found = along_way(x, seconds, everywhere(seconds))[0].numpy()
    true = jumps(seconds[0].numpy() / 90)
    levels = np.unique(true)
    middle = np.array([np.median(found[true == level]) for level in levels])
    nearest = levels[np.abs(found[:, None] - middle).argmin(axis=1)]
    assert (nearest == true).mean() > 0.9


def test_where_the_tissue_stays_the_way_is_time():
    for seed in range(5):
        x, seconds = spikes(np.zeros_like, seed=seed)
        found = along_way(x, seconds, everywhere(seconds))[0]
        torch.testing.assert_close(found, part_of_time(seconds, everywhere(seconds))[0].float())


def test_a_unit_that_falls_silent_is_no_way():
    x, seconds = spikes(np.zeros_like, n_units=4)
    loud = torch.rand(N, generator=torch.Generator().manual_seed(0)) < 0.75
    x[0, ~loud] = torch.randn(int((~loud).sum()), 4) + 30.0
    kept = loud | (seconds[0] < 45)
    x, seconds = x[:, kept], seconds[:, kept]
    found = along_way(x, seconds, everywhere(seconds))[0]
    torch.testing.assert_close(found, part_of_time(seconds, everywhere(seconds))[0].float())


@pytest.mark.parametrize("at_once", [1, 5])
def test_datasets_do_not_change_each_other_nor_does_the_order_of_points_and_padding_is_zero(
    at_once: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(seen_way, "_sets_at_once", lambda device: at_once)
    (x, seconds), (other, other_seconds) = spikes(zigzag), spikes(jumps, seed=1)
    alone = along_way(x, seconds, everywhere(seconds))[0]
    mixed = torch.randperm(N, generator=torch.Generator().manual_seed(0))
    both = torch.cat([x[:, mixed], other]), torch.cat([seconds[:, mixed], other_seconds])
    there = everywhere(both[1])
    there[1, 300:] = False
    found = along_way(*both, there)
    torch.testing.assert_close(found[0], alone[mixed])
    torch.testing.assert_close(
        found[1, :300], along_way(other[:, :300], other_seconds[:, :300], there[1:, :300])[0]
    )
    assert not found[1, 300:].any()


def test_datasets_without_times_have_no_way_and_few_points_have_time():
    x, seconds = spikes(zigzag)
    few = along_way(x[:, :50], seconds[:, :50], everywhere(seconds[:, :50]))[0]
    torch.testing.assert_close(few, part_of_time(seconds[:, :50], everywhere(seconds[:, :50]))[0].float())
    unknown = torch.full_like(seconds, torch.nan)
    assert along_way(x, unknown, everywhere(seconds)).isnan().all()


def test_some_of_very_many_points_tell_the_way(monkeypatch: pytest.MonkeyPatch):
    x, seconds = spikes(zigzag)
    monkeypatch.setattr(seen_way, "_MOST_COMPARED", 400)
    found = along_way(x, seconds, everywhere(seconds))[0].numpy()
    assert abs(spearmanr(found, zigzag(seconds[0].numpy() / 90)).statistic) > 0.9


def test_windows_are_as_far_apart_as_their_nearest_spikes():
    """Against a loop over all pairs of windows and spikes."""
    x, window = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    apart = ((x[:, None] - x) ** 2).sum(-1)
    np.fill_diagonal(apart, np.inf)

    def one_way(a: int, b: int) -> float:
        nearest = sorted(
            min(apart[i, j] for j in range(30) if window[j] == b) for i in range(30) if window[i] == a
        )
        return float(np.mean(nearest[:6]))

    windows = seen_way._Windows.of(torch.from_numpy(window)[None], torch.ones(1, 30, dtype=torch.bool))
    found = seen_way._between_windows(torch.from_numpy(apart)[None], windows)[0]
    for a in range(3):
        for b in range(3):
            own = (one_way(a, a) + one_way(b, b)) / 2
            expected = 0.0 if a == b else (one_way(a, b) + one_way(b, a)) / 2 - own
            assert float(found[a, b]) == pytest.approx(expected)


def test_paths_are_the_shortest():
    steps = np.random.default_rng(0).uniform(1, 10, (12, 12))
    steps += steps.T
    found = seen_way._shortest_paths(torch.from_numpy(steps)[None])[0].numpy()
    np.fill_diagonal(steps, 0)
    assert found == pytest.approx(floyd_warshall(steps))


def test_places_on_a_line_are_found_from_their_distances():
    true = torch.tensor([0.0, 1.0, 4.0, 9.0], dtype=torch.float64)
    squared = torch.nn.functional.pad((true[:, None] - true).square(), (0, 2, 0, 2), value=100.0)
    known = torch.arange(6) < 4  # what stands beside them changes nothing
    (found,), (size,) = seen_way._on_line(squared[None], known[None])
    found = found[:4]
    assert (found[:, None] - found).abs().numpy() == pytest.approx((true[:, None] - true).abs().numpy())
    assert float(size) == pytest.approx(float((true - true.mean()).square().sum()))


def test_knots_of_a_network_are_along_the_way_if_it_is_told_so():
    """Spikes and their times of a zigzag: at the same place of the way they have the same hats."""
    torch.manual_seed(0)
    x, seconds = spikes(zigzag)
    parts = {"components": 4, "whitened": True, "time_knots": (3, 5)}
    made = [
        ClusterAwareNCP(
            PointEncoder(n_dims=4, hidden=(8,), h_dim=6), h_dim=6, along_way=along, **parts
        ).eval()
        for along in (False, True)
    ]
    made[1].load_state_dict(made[0].state_dict())
    with torch.inference_mode():
        in_time, on_way = (of.encode(x, seconds).tables["along"][0, :, 0].numpy() for of in made)
    assert (in_time == seconds[0].numpy()).all()
    assert abs(spearmanr(on_way, zigzag(seconds[0].numpy() / 90)).statistic) > 0.9


def test_a_way_needs_times():
    with pytest.raises(InputError, match="along_way is of a network that knows time"):
        ClusterAwareNCP(PointEncoder(hidden=(8,), h_dim=6), h_dim=6, along_way=True)
