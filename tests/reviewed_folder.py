"""Small Phy folders, without traces, that are reviewed and written back to: no sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.project import Project
from ncpgui.core.spikes import SpikeEvents
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.ephys.given_folder import open_given
from ncpgui.ephys.phy_folder import read_phy_folder
from ncpgui.ephys.sorting_readers import _file_digest, _opened, digest_of
from tests.session.conftest import build

RATE = 20_000.0
N_SAMPLES = 4000


def digest_now(given: GivenSorting) -> str:
    """What `GivenSorting.digest` would be if its folder were read now."""
    if given.kind == PHY:
        phy = read_phy_folder(Path(given.path))
        return digest_of(phy.times, phy.clusters)
    return _file_digest(_opened(Path(given.path))[0])


def write_folder(folder: Path, clusters: list[int], *, times: list[int] | None = None) -> Path:
    """A folder with a spike every 100 samples, in these clusters."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(
        folder / "spike_times.npy", 100 * (1 + np.arange(len(clusters))) if times is None else np.array(times)
    )
    np.save(folder / "spike_clusters.npy", np.array(clusters, np.int32))
    np.save(folder / "spike_templates.npy", np.array(clusters, np.uint32))
    (folder / "params.py").write_text(f"sample_rate = {RATE}\n")
    return folder


def reviewed(folder: Path) -> Project:
    """A project that reviews the folder."""
    recording = ArrayRecording(
        np.zeros((N_SAMPLES, 3), np.int16), sampling_frequency_hz=RATE, probe=build(n_spikes=0).probe
    )
    opened = open_given(folder, recording)
    sorting = opened.sorting
    n = len(sorting)
    return replace(
        build(n_spikes=0),
        spikes=SpikeEvents(sorting.sample_index, np.zeros(n), np.zeros(n), RATE, N_SAMPLES),
        unit_of_spike=sorting.unit_id,
        probability=np.ones(n, np.float32),
        given=opened.given,
        components=(),
    )


def decided(
    project: Project,
    merges: Mapping[int, tuple[int, ...]] | None = None,
    labels: Mapping[int, str] | None = None,
    **words: dict[int, str],
) -> CuratedSorting:
    """CuratedSorting of a person: units joined into new ones (or out of all, -1), labels, tags and notes."""
    units = project.unit_of_spike.copy()
    for new, parts in (merges or {}).items():
        units[np.isin(units, parts)] = new
    told = {int(unit): "unsorted" for unit in np.unique(units[units >= 0])}
    told |= {unit: label for unit, label in project.given_labels.items() if unit in told} | dict(labels or {})
    return CuratedSorting(units, np.ones(len(units), np.float32), told, frozenset(), units, **words)


def clusters_of(folder: Path) -> list[int]:
    """Cluster of each spike of the folder."""
    values: list[int] = np.load(folder / "spike_clusters.npy").ravel().tolist()
    return values


def cells(file: Path, column: str, *, delimiter: str = "\t") -> dict[int, str]:
    """Cells of a column by cluster."""
    header, *rows = [line.split(delimiter) for line in file.read_text().splitlines()]
    place = header.index(column)
    return {int(row[header.index("cluster_id")]): row[place] for row in rows}
