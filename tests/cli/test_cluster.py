"""``ncpgui cluster``: the contract of its output, and files that it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.partition import canonical

from .conftest import Command

POSITIONS = {
    7: np.array([[0, 0], [30, 0], [15, 26], [-15, 26], [-30, 0], [-15, -26], [15, -26]], dtype=float),
    4: np.array([[0, 0], [50, 0], [0, 50], [50, 50]], dtype=float),
    1: np.zeros((1, 2)),
}
SAMPLES, BEAM = 20, 10


def waveforms(n_spikes: int, n_channels: int, seed: int = 0) -> np.ndarray:
    """Spikes of two cells over unit noise: (n, 32, C)."""
    rng = np.random.default_rng(seed)
    t = np.arange(32) - 11
    shape = -np.exp(-0.5 * (t / 2.0) ** 2) + 0.4 * np.exp(-0.5 * ((t - 8) / 4.0) ** 2)
    cells = [
        10 * shape[:, None] * np.exp(-0.7 * np.arange(n_channels)),
        22 * shape[:, None] * np.ones(n_channels),
    ]
    spikes = [cells[i % 2] + rng.normal(size=(32, n_channels)) for i in range(n_spikes)]
    return np.array(spikes, dtype=np.float32)


def check_contract(path: Path, n_spikes: int, samples: int, beam: int) -> None:
    """What the command promises about the arrays that it writes."""
    with np.load(path, allow_pickle=False) as file:
        result = {name: file[name] for name in file.files}
    n_alternatives = len(result["alternative_mass"])
    assert result["map_labels"].shape == (n_spikes,)
    assert result["labels"].shape == (samples, n_spikes)
    assert result["log_prob"].shape == (samples,)
    n_beam = len(result["beam_log_prob"])
    assert 1 <= n_beam <= beam
    assert result["beam_labels"].shape == (n_beam, n_spikes)
    assert (np.diff(result["beam_log_prob"]) <= 1e-9).all()
    assert result["alternatives"].shape == (n_alternatives, n_spikes)
    assert result["alternative_mass_se"].shape == (n_alternatives,)
    assert 0 < result["alternative_mass"].sum() <= 1 + 1e-9
    assert (np.diff(result["alternative_mass"]) <= 0).all()
    assert (result["alternatives"][0] == result["map_labels"]).all()
    for name in ("map_labels", "labels", "beam_labels", "alternatives"):
        assert result[name].dtype.kind == "i"
        rows = np.atleast_2d(result[name])
        assert (canonical(rows) == rows).all()  # numbered by first spike, none left out
    assert len(np.unique(result["beam_labels"], axis=0)) == n_beam
    assert len(np.unique(result["alternatives"], axis=0)) == n_alternatives
    for name in ("beam_log_prob", "alternative_mass", "alternative_mass_se"):
        assert result[name].dtype == np.float64
    assert (result["alternative_mass"] > 0).all()
    assert (result["alternative_mass_se"] >= 0).all()
    assert np.isnan(result["log_prob"]).all()  # the samples were swept
    assert result["order"].tolist() == [s % 8 for s in range(samples)]


@pytest.mark.parametrize("n_channels", [7, 4, 1])
@pytest.mark.parametrize("n_spikes", [1, 2, 20])
def test_the_posterior_holds_every_array_of_the_contract(
    ncpgui: Command, tmp_path: Path, n_spikes: int, n_channels: int
) -> None:
    np.savez(
        tmp_path / "w.npz",
        waveforms=waveforms(n_spikes, n_channels),
        channel_positions=POSITIONS[n_channels],
        channel_mask=np.ones(n_channels, bool),
        sampling_frequency=20_000.0,
    )
    ran = ncpgui(
        "cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz", "--samples", SAMPLES, "--beam", BEAM
    )
    assert (ran.code, ran.out) == (0, "")
    check_contract(tmp_path / "p.npz", n_spikes, SAMPLES, BEAM)


def test_up_to_four_alternatives_are_shown_and_the_others_counted(ncpgui: Command, tmp_path: Path) -> None:
    noise = np.random.default_rng(0).normal(0, 1, (12, 32, 1)).astype(np.float32)
    noise[:, 12] -= np.linspace(5, 25, 12)[:, None]
    np.savez(tmp_path / "w.npz", waveforms=noise)
    ran = ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz", "--samples", 60, "--beam", 20)
    with np.load(tmp_path / "p.npz") as file:
        n_ways = len(file["alternative_mass"])
    shown, _, rest = ran.err.partition("(probability): ")[2].partition(" and ")
    assert n_ways > 5
    assert shown.count("%") == 4
    assert rest.startswith(f"{n_ways - 4} more; wrote ")


@pytest.mark.slow
@pytest.mark.parametrize("n_channels", [7, 4, 1])
@pytest.mark.parametrize("n_spikes", [500, 2000])
def test_the_contract_holds_for_many_spikes_with_the_defaults(
    ncpgui: Command, tmp_path: Path, n_spikes: int, n_channels: int
) -> None:
    np.savez(
        tmp_path / "w.npz",
        waveforms=waveforms(n_spikes, n_channels),
        channel_positions=POSITIONS[n_channels],
    )
    assert ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz").code == 0
    check_contract(tmp_path / "p.npz", n_spikes, 200, 150)


def test_the_same_seed_gives_the_same_posterior_and_another_seed_another(
    ncpgui: Command, tmp_path: Path
) -> None:
    np.savez(tmp_path / "w.npz", waveforms=waveforms(20, 7))
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        arguments = ["--samples", 10, "--beam", 0, "--seed", seed]
        assert ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / name, *arguments).code == 0
    a, b, c = (np.load(tmp_path / name) for name in "abc")
    for key in a.files:
        np.testing.assert_array_equal(a[key], b[key])
    assert (a["labels"] != c["labels"]).any()
    assert a["beam_labels"].shape == (0, 20)


GOOD = waveforms(3, 4)
WITH_NAN = GOOD.copy()
WITH_NAN[1, 5, 2] = np.nan
BAD: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "times that go back",
        {"waveforms": GOOD, "times_s": [1.5, 3.5, 2.5]},
        ["times_s must not go back, but spike 2 is at 2.5 s after one at 3.5 s", "sort the spikes by time"],
    ),
    (
        "too few times",
        {"waveforms": GOOD, "times_s": [1.5, 3.5]},
        ["one time in seconds for each of 3 spikes, got shape (2,)", "or leave times_s out"],
    ),
    ("no spikes", {"waveforms": np.zeros((0, 32, 7))}, ["holds no spikes", "give at least one"]),
    ("missing key", {"spikes": GOOD}, ["has no key 'waveforms'", "it holds spikes"]),
    ("two dimensions", {"waveforms": GOOD[0]}, ["(n_spikes, n_samples, n_channels)", "(32, 4)"]),
    ("no channels", {"waveforms": GOOD[:, :, :0]}, ["(n_spikes, n_samples, n_channels)", "(3, 32, 0)"]),
    ("NaN", {"waveforms": WITH_NAN}, ["must be finite", "spike 1 holds NaN"]),
    ("text", {"waveforms": np.array(["a"])}, ["must be an array of numbers", "<U1"]),
    ("samples", {"waveforms": GOOD[:, :14]}, ["of 14 samples at 20000 Hz", "cut longer waveforms"]),
    ("frequency", {"waveforms": GOOD, "sampling_frequency": 30.0}, ["at least 5000 Hz", "got 30 Hz"]),
    ("frequency sign", {"waveforms": GOOD, "sampling_frequency": -1.0}, ["at least 5000 Hz", "got -1 Hz"]),
    ("microvolts", {"waveforms": 8 * waveforms(40, 4)}, ["must be in noise sd", "divide each channel"]),
    ("positions", {"waveforms": GOOD, "channel_positions": POSITIONS[7]}, ["(4, 2)", "(7, 2)"]),
    ("positions NaN", {"waveforms": GOOD, "channel_positions": POSITIONS[4] * np.nan}, ["finite"]),
    ("mask", {"waveforms": GOOD, "channel_mask": np.ones(7, bool)}, ["channel_mask (7,)", "(4,)"]),
    ("main missing", {"waveforms": GOOD, "channel_mask": np.arange(4) > 0}, ["main channel"]),
    ("pickles", {"waveforms": np.array([{}, []], dtype=object)}, ["pickled objects"]),
]


@pytest.mark.parametrize(("arrays", "words"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_file_that_cannot_be_used_is_refused_in_one_line(
    ncpgui: Command, tmp_path: Path, arrays: dict[str, Any], words: list[str]
) -> None:
    np.savez(tmp_path / "w.npz", **arrays)
    error = ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz").error
    assert str(tmp_path / "w.npz") in error
    assert [word for word in words if word not in error] == []
    assert not (tmp_path / "p.npz").exists()


@pytest.mark.parametrize("contents", [b"", b"not a zip", "truncated"])
def test_a_damaged_file_is_refused(ncpgui: Command, tmp_path: Path, contents: bytes | str) -> None:
    path = tmp_path / "w.npz"
    np.savez(path, waveforms=GOOD)
    path.write_bytes(path.read_bytes()[:-200] if isinstance(contents, str) else contents)
    assert "damaged or not an .npz file" in ncpgui("cluster", path, "--out", tmp_path / "p.npz").error


def test_a_file_that_is_not_there_is_said_to_be_missing(ncpgui: Command, tmp_path: Path) -> None:
    assert "does not exist" in ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz").error


def test_a_single_array_is_refused_with_the_way_out(ncpgui: Command, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", GOOD)
    assert "save it as an .npz" in ncpgui("cluster", tmp_path / "w.npy", "--out", tmp_path / "p.npz").error


def test_arrays_that_are_not_used_are_said_to_be(ncpgui: Command, tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", waveforms=GOOD, extra=np.zeros(3))
    ran = ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz", "--samples", 2, "--beam", 0)
    assert ran.code == 0
    assert "also holds extra, which is not used" in ran.err


def test_what_is_odd_about_waveforms_is_said(ncpgui: Command, tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", waveforms=1e-3 * waveforms(40, 1))
    ran = ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz", "--samples", 2, "--beam", 0)
    assert ran.code == 0
    assert "w.npz: the most similar spikes differ by 0.00" in ran.err
    assert "(but in V or mV)" in ran.err


def test_an_unknown_model_or_device_is_refused_by_name(ncpgui: Command, tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", waveforms=GOOD)
    files = (tmp_path / "w.npz", "--out", tmp_path / "p.npz")
    assert "no model 'nonesuch'" in ncpgui("cluster", *files, "--model", "nonesuch").error
    assert "unknown device 'abacus'" in ncpgui("cluster", *files, "--device", "abacus").error


def test_firing_times_weigh_the_sortings_unless_they_are_not_to(ncpgui: Command, tmp_path: Path) -> None:
    """Spikes 5 ms apart and more are of one neuron; what waveforms alone say is told beside it."""
    gaps = np.random.default_rng(0).exponential(0.005, 60) + 0.005
    np.savez(tmp_path / "w.npz", waveforms=waveforms(60, 4), times_s=np.cumsum(gaps))
    arguments = ["--samples", 20, "--beam", 0]
    ran = ncpgui("cluster", tmp_path / "w.npz", "--out", tmp_path / "p.npz", *arguments)
    assert ran.code == 0
    assert "by waveforms alone" in ran.err
    without = ncpgui(
        "cluster", tmp_path / "w.npz", "--out", tmp_path / "q.npz", "--no-firing-times", *arguments
    )
    assert "by waveforms alone" not in without.err
    given, alone = np.load(tmp_path / "p.npz"), np.load(tmp_path / "q.npz")
    np.testing.assert_array_equal(given["labels"], alone["labels"])
    np.testing.assert_allclose(given["weight_alone"], alone["weight"])
    assert given["mass_alone"].shape == given["alternative_mass"].shape
    assert "weight_alone" not in alone.files
