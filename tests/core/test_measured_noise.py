"""Noise files come back as they were; what no noise can be is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.measured_noise import MeasuredNoise, smallest_eigenvalue


def noise(decay: float = 0.5, shared: float = 0.5, length: float = 40.0) -> MeasuredNoise:
    """An AR(1) process, whose autocorrelation is decay^lag."""
    return MeasuredNoise(decay ** np.arange(64.0), np.array([20.0]), np.array([0.3]), shared, length)


def rewritten(path: Path, **changes: object) -> Path:
    """The file with other arrays."""
    with np.load(path) as file:
        arrays = {**file, **changes}
    np.savez(path, **{name: value for name, value in arrays.items() if value is not None})
    return path


def test_a_file_comes_back_with_its_digest(tmp_path: Path) -> None:
    noise().save(tmp_path / "noise.npz")
    back = MeasuredNoise.load(tmp_path / "noise.npz")
    assert np.array_equal(back.autocorrelation, noise().autocorrelation)
    assert (back.shared_part, back.length_um) == (0.5, 40.0)
    assert (back.distance_um.tolist(), back.correlation.tolist()) == ([20.0], [0.3])
    assert len(back.sha256) == 64
    assert [path.name for path in tmp_path.iterdir()] == ["noise.npz"]


def test_the_average_lies_between() -> None:
    mean = MeasuredNoise.average([noise(0.4, 0.2, 20.0), noise(0.6, 0.6, 80.0)])
    assert mean.autocorrelation[:3] == pytest.approx([1.0, 0.5, 0.26])
    assert mean.shared_part == pytest.approx(0.4)
    assert mean.length_um == pytest.approx(40.0)
    assert mean.distance_um.tolist() == [20.0, 20.0]


def test_what_no_covariance_can_be_is_refused() -> None:
    values = np.zeros(64)
    values[:2] = 1.0, 0.6  # of an MA(1) process 0.5 is the most
    with pytest.raises(InputError, match=r"positive definite.*has 1 there and -0\.2 as its smallest"):
        MeasuredNoise(values, np.zeros(0), np.zeros(0), 0.5, 40.0)
    with pytest.raises(InputError, match=r"positive definite.*has 2 there"):
        MeasuredNoise(2 * noise().autocorrelation, np.zeros(0), np.zeros(0), 0.5, 40.0)
    with pytest.raises(InputError, match=r"at least 36 lags at 20 kHz, got an array of shape \(10,\)"):
        MeasuredNoise(values[:10], np.zeros(0), np.zeros(0), 0.5, 40.0)
    values[7] = np.nan
    with pytest.raises(InputError, match="at lag 7 it is nan"):
        MeasuredNoise(values, np.zeros(0), np.zeros(0), 0.5, 40.0)
    with pytest.raises(InputError, match=r"0 <= shared_part < 1.*got 1\.0 and 40\.0"):
        noise(shared=1.0)


def test_other_files_are_refused_with_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "noise.npz"
    noise().save(path)
    with pytest.raises(InputError, match=r"sampled at 20000 Hz, that of .*noise\.npz is at 30000 Hz"):
        MeasuredNoise.load(rewritten(path, sampling_frequency_hz=np.array(30_000.0)))
    noise().save(path)
    with pytest.raises(InputError, match="of version 9, newer than this program knows"):
        MeasuredNoise.load(rewritten(path, version=np.array(9)))
    noise().save(path)
    with pytest.raises(InputError, match="is not noise that 'ncpgui templates build' wrote"):
        MeasuredNoise.load(rewritten(path, autocorrelation=None))
    noise().save(path)
    with pytest.raises(InputError, match=r"its format is not 'ncpgui"):
        MeasuredNoise.load(rewritten(path, format=np.array("templates")))
    for content in (b"", b"PK\x03\x04 cut off", b"words"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is not noise that"):
            MeasuredNoise.load(path)
    with pytest.raises(InputError, match="No such file"):
        MeasuredNoise.load(tmp_path / "nowhere.npz")
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(InputError, match="is not noise that"):
        MeasuredNoise.load(tmp_path / "array.npy")


def test_noise_at_the_limits_of_what_it_can_be_is_taken_and_beyond_them_refused() -> None:
    assert noise(shared=0.0, length=1e-3).length_um == 1e-3
    for shared, length in ((-0.1, 40.0), (0.5, 0.0), (0.5, np.inf), (np.nan, 40.0)):
        with pytest.raises(InputError, match="0 <= shared_part < 1 and a finite length_um above 0"):
            noise(shared=shared, length=length)
    lags = 0.5 ** np.arange(36.0)
    assert MeasuredNoise(lags, np.zeros(0), np.zeros(0), 0.5, 40.0).autocorrelation.shape == (36,)
    with pytest.raises(InputError, match="at least 36 lags"):
        MeasuredNoise(lags[:35], np.zeros(0), np.zeros(0), 0.5, 40.0)
    with pytest.raises(InputError, match="at least 36 lags"):
        MeasuredNoise(lags[None], np.zeros(0), np.zeros(0), 0.5, 40.0)


def test_ones_on_the_diagonal_may_be_rounded_by_a_millionth() -> None:
    for off, fits in ((5e-7, True), (-5e-7, True), (2e-6, False)):
        values = 0.5 ** np.arange(40.0)
        values[0] += off
        if fits:
            MeasuredNoise(values, np.zeros(0), np.zeros(0), 0.5, 40.0)
        else:
            with pytest.raises(InputError, match="ones on its diagonal"):
                MeasuredNoise(values, np.zeros(0), np.zeros(0), 0.5, 40.0)


def test_the_covariance_that_just_has_an_inverse_is_taken() -> None:
    """Of a pair of neighbours the eigenvalues are 1 - r and 1 + r."""
    assert smallest_eigenvalue(np.array([1.0, 0.3])) == pytest.approx(0.7)
    assert smallest_eigenvalue(np.array([1.0, -0.3])) == pytest.approx(0.7)
    assert smallest_eigenvalue(np.array([1.0])) == 1
    same = np.ones(36)
    with pytest.raises(InputError, match="positive definite"):
        MeasuredNoise(same, np.zeros(0), np.zeros(0), 0.5, 40.0)
