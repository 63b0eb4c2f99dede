"""Cables become few sources that make the same potential, in a file that the reservoir reads."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from tests.loose_modules import ROOT, script


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return script("build_biophysical_reservoir")


def branched_cell(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A soma and six straight neurites of 25 segments, along which a biphasic current travels."""
    rng = np.random.default_rng(seed)
    time = np.arange(64) - 22.0
    position, current = [np.zeros(3)], [-10 * np.exp(-0.5 * (time / 3) ** 2)]
    for _ in range(6):
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        for step in range(25):
            away = 8.0 + 8.0 * step
            late = (time - away / 25) / 4
            position.append(away * direction)
            current.append(-late * np.exp(-0.5 * late**2) * np.exp(-away / 80))
    return np.array(position), np.array(current)


def potential(
    position: np.ndarray, current: np.ndarray, contacts: np.ndarray, softening: float
) -> np.ndarray:
    distance2 = ((contacts[:, None] - position) ** 2).sum(-1) + softening**2
    return distance2**-0.5 @ current


def test_few_sources_make_the_potential_of_all(build: ModuleType) -> None:
    """151 become 24: of contacts that the fit did not see half differ by < 1 %, nine in ten by < 3 %."""
    position, current = branched_cell()
    few_position, few_current = build.merged_sources(position, current, 8.0)
    assert few_position.shape == (24, 3)
    assert few_current.shape == (24, 64)
    contacts = build.cloud_of_contacts(500, np.random.default_rng(99), reach=(10.0, 100.0))
    wanted = potential(position, current, contacts, 8.0)
    got = potential(few_position, few_current, contacts, 8.0)
    error = np.linalg.norm(got - wanted, axis=1) / np.linalg.norm(wanted, axis=1)
    assert np.median(error) < 0.01
    assert np.quantile(error, 0.9) < 0.03


def test_few_sources_stay_as_they_are(build: ModuleType) -> None:
    """Nothing is to be replaced in a cell of four segments; silent sources follow."""
    position, current = branched_cell()
    keep = [0, 5, 40, 90]
    few_position, few_current = build.merged_sources(position[keep], current[keep], 6.0)
    order = [int(np.argmin(((few_position[:4] - place) ** 2).sum(-1))) for place in position[keep]]
    assert sorted(order) == [0, 1, 2, 3]
    assert order[0] == 0
    assert np.allclose(few_position[order], position[keep])
    assert np.abs(few_current[order] - current[keep]).max() < 0.02
    assert not few_current[4:].any()


def test_a_file_of_both_kinds_is_read_back_with_its_splits(
    build: ModuleType, reservoir: TemplateReservoir, tmp_path: Path
) -> None:
    cells = made_cells(build, n_cells=3)
    with np.load(ROOT / "resources" / "template_reservoir.npz") as file:
        shipped = dict(file)
    np.savez_compressed(tmp_path / "both.npz", **build.joined(cells, shipped))
    both = TemplateReservoir.load(tmp_path / "both.npz")
    assert len(both) == 3 + len(reservoir)
    assert both.is_test[:3].tolist() == [False, True, False]
    assert torch.equal(both.is_test[3:], reservoir.is_test)
    with np.load(tmp_path / "both.npz") as file:
        assert file["kind"].tolist() == ["small", "ganglion", "pyramidal", *shipped["kind"].tolist()]


def made_cells(build: ModuleType, n_cells: int) -> dict[str, np.ndarray]:
    """The arrays of a file with cells like `branched_cell`."""
    parts = [build.merged_sources(*branched_cell(seed), 8.0) for seed in range(n_cells)]
    return {
        "source_position": np.array([position for position, _ in parts], dtype=np.float16),
        "source_waveform": np.array([waveform for _, waveform in parts], dtype=np.float16),
        **{name: np.ones(n_cells, dtype=np.float16) for name in build.PER_CELL[2:]},
        "kind": np.array(["small", "ganglion", "pyramidal"][:n_cells]),
        "is_test": np.arange(n_cells) == 1,
        "trough_sample": np.array(22),
    }  # fmt: skip


def test_joined_reservoirs_keep_cells_splits_and_templates(
    build: ModuleType, reservoir: TemplateReservoir, tmp_path: Path, generator: torch.Generator
) -> None:
    np.savez(tmp_path / "cells.npz", **made_cells(build, n_cells=3))
    cells = TemplateReservoir.load(tmp_path / "cells.npz")
    both = TemplateReservoir.joined([reservoir, cells])
    for split in ("train", "test"):
        assert len(both.subset(split)) == len(reservoir.subset(split)) + len(cells.subset(split))
    contacts = 40 * torch.randn(5, 3, generator=generator)
    for cell, source, place in ((7, reservoir, 7), (1, cells, len(reservoir) + 1)):
        wanted = source.templates(torch.tensor(cell), torch.zeros(3), torch.eye(3), contacts)
        got = both.templates(torch.tensor(place), torch.zeros(3), torch.eye(3), contacts)
        assert torch.allclose(got, wanted, atol=1e-6)
    assert both.sha256 not in (reservoir.sha256, cells.sha256)


def test_reservoirs_of_other_lengths_are_not_joined(reservoir: TemplateReservoir) -> None:
    shorter = TemplateReservoir(
        reservoir.source_position, reservoir.source_waveform[..., :40], reservoir.softening_um,
        reservoir.falloff, reservoir.trough_to_peak_ms, reservoir.extent_um, reservoir.is_test, 22, "",
    )  # fmt: skip
    with pytest.raises(InputError, match=r"one length .* are \[\(40, 22\), \(64, 22\)\]"):
        TemplateReservoir.joined([reservoir, shorter])
    with pytest.raises(InputError, match="are \\[\\]"):
        TemplateReservoir.joined([])


def test_a_cell_of_a_seed_is_one_spike_and_the_same_each_time(build: ModuleType) -> None:
    pytest.importorskip("neuron", reason="NEURON is not installed: it is in the extra .[simulate]")
    first, again = (build.one_cell(seed=3, index=1) for _ in range(2))
    position, waveform, _, falloff, duration, extent, kind, *_ = first.values
    assert np.array_equal(position, again.values[0])
    assert np.array_equal(waveform, again.values[1])
    assert falloff == 1.0
    assert 0.1 <= duration <= 1.2
    assert 10 <= extent <= 150
    assert kind in sys.modules["cable_cells"].KINDS


def test_currents_of_a_spike_sum_to_zero(build: ModuleType) -> None:
    """What enters a cell leaves it, once the pulse is over."""
    pytest.importorskip("neuron", reason="NEURON is not installed: it is in the extra .[simulate]")
    cables = sys.modules["cable_cells"]
    rng = np.random.default_rng(1)
    while True:
        try:
            _, spike = cables.draw_spike("small", rng)
            break
        except cables.NoSpikeError:
            continue
    assert np.abs(spike.current.sum(axis=0)).max() < 1e-9 * np.abs(spike.current).max()
