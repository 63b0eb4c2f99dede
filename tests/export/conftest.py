"""A small sorting with everything an exporter may write, values known by hand."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.core.spikes import Sorting
from ncpgui.core.unit_table import UnitTable
from ncpgui.export.bundle import ExportBundle

N_CHANNELS, N_TIMES = 3, 40
UNITS = (2, 5, 40)
"""Ids with gaps, as after merges."""


def build(
    *, n_spikes: int = 300, units: tuple[int, ...] = UNITS, n_channels: int = N_CHANNELS, recording: str = ""
) -> ExportBundle:
    """Spikes in turn to each unit, three spikes at every sample so that ties are the rule."""
    index = (np.arange(n_spikes) * 7 + np.arange(n_spikes) // len(units)) % len(units)
    unit = np.array(units)[index]
    t = np.arange(N_TIMES)[:, None] - 15.0
    templates = np.stack(
        [
            -(10.0 + k) * np.exp(-((t / 3) ** 2)) * np.exp(-np.abs(np.arange(n_channels) - k % n_channels))
            for k in range(len(units))
        ]
    ).astype(np.float32)
    rows = np.arange(len(units))
    return ExportBundle(
        sorting=Sorting(
            sample_index=np.arange(n_spikes) // 3 * 100 + 50,
            unit_id=unit,
            sampling_frequency_hz=24_000.0,
            n_samples=24_000,
            probability=np.linspace(0.5, 1.0, n_spikes).astype(np.float32),
            entropy=np.linspace(0.7, 0.0, n_spikes).astype(np.float32),
            labels={units[0]: "good", units[-1]: "mua"},
            p_exists={u: 1.0 - 0.125 * k for k, u in enumerate(units)},
            main_channel={u: k % n_channels for k, u in enumerate(units)},
        ),
        numbers=UnitTable(
            np.array(units),
            {
                "p_neuron": 0.99 - rows / 4,
                "p_pure": np.full(len(units), 0.5),
                "p_complete": np.full(len(units), 0.75),
                "p_exists": 1.0 - 0.125 * rows,
                "false_positives": np.full(len(units), 0.25),
                "misses": rows / 8,
            },
        ),
        probe=Probe(np.array([[0.0, 20.0 * c] for c in range(n_channels)]), np.arange(n_channels) // 2),
        recording=RecordingReference(recording, {"dtype": "int16"}, "f", n_channels, 24_000.0, 24_000),
        amplitude=-np.linspace(5, 20, n_spikes).astype(np.float32),
        noise_sd=np.linspace(4.0, 8.0, n_channels).astype(np.float32),
        templates=templates,
        ncp={"model": "small", "components": [{"channel": 0, "p_n_units": {"2": 0.6, "3": 0.4}}]},
    )


@pytest.fixture
def make_bundle() -> Callable[..., ExportBundle]:
    """Build a bundle of `n_spikes` in `units` on `n_channels`."""
    return build


@pytest.fixture
def bundle() -> ExportBundle:
    """300 spikes of the units 2, 5 and 40 on three channels."""
    return build()


@pytest.fixture
def recorded(tmp_path: Path) -> ExportBundle:
    """The same, with its raw recording on disk."""
    path = tmp_path / "März 'raw'.dat"
    np.zeros((24_000, N_CHANNELS), np.int16).tofile(path)
    return replace(build(), recording=build(recording=str(path)).recording)


def csv_rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """Rows of a table of text."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def phylib_model(folder: Path) -> Any:
    """A folder as phy opens it."""
    from phylib.io.model import load_model

    return load_model(folder / "params.py")
