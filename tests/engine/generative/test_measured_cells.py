"""Measured cells and noise take the place of the drawn ones, and change nothing where there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.measured_noise import MeasuredNoise
from ncpgui.core.resources import resource
from ncpgui.engine.generative.batch import Batch
from ncpgui.engine.generative.measured_cells import reservoir_of, with_shipped_cells
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.generative.spike_noise import NoiseSettings, draw_noise
from ncpgui.engine.generative.template_reservoir import TemplateReservoir

TIME = np.arange(64) - 22.0
SQUARE = np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0], [30.0, 30.0]])


def templates(n: int) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Spikes of different widths and fall-off on four contacts."""
    found = []
    for i in range(n):
        spike = -np.exp(-0.5 * (TIME / (2 + 0.2 * i)) ** 2) + 0.3 * np.exp(-0.5 * ((TIME - 12) / 5) ** 2)
        found.append((np.outer(10 * spike, [1.0, 0.3 + 0.01 * i, 0.4, 0.2]), SQUARE, 0.01))
    return found


def noise(decay: float = 0.6) -> MeasuredNoise:
    return MeasuredNoise(decay ** np.arange(64.0), np.zeros(0), np.zeros(0), 0.4, 50.0)


def draw(options: dict[str, object], seed: int = 3) -> Batch:
    return (
        GenerativeSettings("spikes", options).build("test").sample(3, 40, torch.Generator().manual_seed(seed))
    )


def same(one: Batch, other: Batch) -> bool:
    pairs = zip((*one.points, one.labels), (*other.points, other.labels), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def test_each_template_is_made_again_by_its_cell() -> None:
    cells, errors = reservoir_of(templates(3))
    assert max(errors) < 0.03
    assert len(cells) == 3
    assert cells.source_waveform.abs().amax(dim=(1, 2)).tolist() == pytest.approx([1.0] * 3)
    # Trough to peak of about 12 samples, 0.6 ms, as the spikes were made.
    assert cells.trough_to_peak_ms.tolist() == pytest.approx([0.6] * 3, abs=0.06)


@pytest.mark.parametrize(("n", "n_test"), [(2, 1), (9, 1), (30, 3)])
def test_one_in_ten_is_kept_for_test_and_one_at_least(n: int, n_test: int) -> None:
    cells, _ = reservoir_of(templates(n))
    assert int(cells.is_test.sum()) == n_test
    assert torch.equal(cells.is_test, reservoir_of(templates(n))[0].is_test)
    assert not reservoir_of(templates(n), keep_test=False)[0].is_test.any()


def test_a_file_holds_measured_and_shipped_cells_in_the_share_that_was_asked_for(
    reservoir: TemplateReservoir, tmp_path: Path
) -> None:
    cells, _ = reservoir_of(templates(20))
    together, copies = with_shipped_cells(cells, 0.4)
    assert len(together) == 20 + len(reservoir)
    together.save(tmp_path / "mine.npz", copies=copies)
    back = TemplateReservoir.load(tmp_path / "mine.npz")
    train = back.subset("train")
    measured = (train.source_position[:, 7:] != 0).any(dim=(1, 2)) | (train.softening_um == 6)
    shipped = len(reservoir.subset("train"))
    assert (len(train) - shipped) / len(train) == pytest.approx(0.4, abs=0.005)
    assert measured[: len(train) - shipped].all()
    # The first cell is there as often as it counts, as it was but for the rounding to float16.
    times = int(copies[0])
    first = back.source_waveform[:times]
    assert torch.equal(first, first[:1].expand(times, -1, -1))
    assert torch.allclose(first[0], cells.source_waveform[0], atol=5e-4)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.npz"]


def test_a_share_of_one_leaves_the_shipped_cells_out() -> None:
    cells, _ = reservoir_of(templates(3))
    together, copies = with_shipped_cells(cells, 1.0)
    assert together is cells
    assert copies.tolist() == [1, 1, 1]


def test_the_shipped_reservoir_named_as_a_file_gives_the_same_draws_to_the_last_bit() -> None:
    plain = draw({})
    assert same(plain, draw({"reservoir": None, "noise": {"measured": None}}))
    assert same(plain, draw({"reservoir": str(resource("template_reservoir.npz"))}))


def test_spikes_of_measured_cells_and_noise_are_drawn(tmp_path: Path) -> None:
    cells, _ = reservoir_of(templates(6))
    cells.save(tmp_path / "mine.npz", copies=np.ones(6, dtype=np.int64))
    noise().save(tmp_path / "noise.npz")
    mine = {"reservoir": str(tmp_path / "mine.npz"), "noise": {"measured": str(tmp_path / "noise.npz")}}
    batch = draw(mine)
    assert torch.isfinite(batch.points[0]).all()
    assert same(batch, draw(mine))
    described = GenerativeSettings("spikes", mine).build().describe()
    assert described["noise_sha256"] == MeasuredNoise.load(tmp_path / "noise.npz").sha256
    assert described["data_sha256"] == TemplateReservoir.load(tmp_path / "mine.npz").sha256


def test_drawn_noise_has_the_measured_correlations() -> None:
    positions = torch.from_numpy(SQUARE).float()[None].expand(2, -1, -1)
    settings = NoiseSettings(white_part=(0.01, 0.01))
    generator = torch.Generator().manual_seed(0)
    drawn = draw_noise(settings, positions, torch.ones(2, 4, dtype=torch.bool), 36, generator, noise())
    sample = drawn.sample(20_000, generator)[0]
    lag = torch.arange(1, 6)
    got = torch.stack([(sample[:, 10] * sample[:, 10 + int(k)]).mean() for k in lag])
    assert torch.allclose(got, 0.99 * 0.6**lag, atol=0.02)
    between = (sample[:, 20, 0] * sample[:, 20, 1]).mean()
    assert float(between) == pytest.approx(0.4 * np.exp(-30 / 50), abs=0.025)


def test_settings_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"options of 'spikes'.reservoir must be of type str, got 3"):
        GenerativeSettings("spikes", {"reservoir": 3})
    with pytest.raises(InputError, match=r"setting 'noise.measured' must be the path of a file, got ''"):
        GenerativeSettings("spikes", {"noise": {"measured": ""}})
    noise().save(tmp_path / "noise.npz")
    finite = GenerativeSettings("finite-spikes", {"noise": {"measured": str(tmp_path / "noise.npz")}})
    with pytest.raises(InputError, match="is for the generative model 'spikes' only"):
        finite.build()
    with pytest.raises(InputError, match=r"nowhere\.npz is not a template reservoir: .*No such file"):
        GenerativeSettings("spikes", {"reservoir": str(tmp_path / "nowhere.npz")}).build()


def test_a_run_from_before_there_were_such_files_goes_on() -> None:
    from ncpgui.core.config import to_dict
    from ncpgui.engine.training.config import TrainConfig, differences

    before = to_dict(TrainConfig())
    del before["data"]["options"]["reservoir"]
    del before["data"]["options"]["noise"]["measured"]
    assert differences(before, TrainConfig()) == []
