"""A folder that Phy opens: params.py, .npy and .tsv (phylib 2.7, `TemplateModel`).

Besides what Phy needs, it holds what we know of uncertainty where Phy shows it: each
``spike_NAME.npy`` becomes a scatter view, each ``cluster_NAME.tsv`` a column. Every cluster is in
every table, because SpikeInterface drops the spikes of clusters that are missing from one. Units whose ids
are text, negative or larger than `LARGEST_CLUSTER` are clusters with other numbers, and ``unit_name`` has
the ids.
Templates are in noise sd; the whitening matrix (1 / noise sd) brings them to the recording's unit.
Phy counts samples: where the clock of the recording says other seconds, ``spike_times_s.npy`` has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import ExportError
from ncpgui.core.given import number_of
from ncpgui.core.unit_table import UnitTable
from ncpgui.export.bundle import NUMBERS, TEXT_NAME, WORDS, ExportBundle
from ncpgui.export.csv import write_columns
from ncpgui.export.destination import SECONDS, exported_folder
from ncpgui.export.features import SpikeFeatures
from ncpgui.export.raw_file import RawFile, raw_file
from ncpgui.export.unit_ids import INT64, LARGEST_CLUSTER, UnitIds, unit_ids


def export_phy(bundle: ExportBundle, path: Path, *, replace: bool = True) -> Path:
    """Write the folder `path`.

    Raises
    ------
    ExportError
        There is only one spike (Phy cannot open that), or the folder cannot be written.
    """
    if len(bundle.sorting) < 2:
        raise ExportError("Phy cannot open a folder with a single spike; export it as npz or csv")
    with exported_folder(path) as folder:
        raw = _write_params(folder, bundle, path.resolve())
        _write_spikes(folder, bundle)
        _write_channels(folder, bundle, raw)
        if bundle.templates is not None:
            _write_templates(folder, bundle.templates)
        if bundle.features is not None:
            _write_features(folder, bundle.features)
        _write_tables(folder, bundle.units, clusters_of(bundle))
    return path


def _write_params(folder: Path, bundle: ExportBundle, destination: Path) -> RawFile | None:
    """``params.py`` as literals, and the files that it names; a path is relative in or beside the folder."""
    comments: list[str] = []
    if bundle.copy_traces is not None:
        raw: RawFile | None = bundle.copy_traces(folder)
        assert raw is not None
        dat_path = [raw.path.name]
        comments = [f"# {raw.path.name}: {raw.about}"]
    else:
        raw = raw_file(bundle.recording)
        dat_path = [] if raw is None else [_data_path(file, destination) for file in raw.paths]
        if raw is None:
            comments = [f"# no raw binary file of the recording was found at {bundle.recording.path!a}"]
    if bundle.has_own_times:
        comments.append(f"# Phy counts time from the first sample; the recording's seconds are in {SECONDS}")
    lines = [
        *comments,
        f"dat_path = {dat_path!a}",
        f"n_channels_dat = {bundle.recording.n_channels if raw is None else raw.n_channels}",
        f"dtype = {('int16' if raw is None else raw.dtype)!a}",
        f"offset = {0 if raw is None else raw.offset}",
        f"sample_rate = {float(bundle.sorting.sampling_frequency_hz)!r}",
        "hp_filtered = False",
    ]
    (folder / "params.py").write_text("\n".join(lines) + "\n", encoding="ascii")
    return raw


def _data_path(file: Path, destination: Path) -> str:
    """Relative for a recording beside the folder, so that both can be moved together."""
    path = file.resolve()
    return f"../{path.name}" if path.parent == destination.parent else str(path)


def _write_spikes(folder: Path, bundle: ExportBundle) -> None:
    sorting = bundle.sorting
    np.save(folder / "spike_times.npy", sorting.sample_index)
    np.save(folder / "spike_clusters.npy", clusters_of(bundle).number[bundle.unit_index].astype(np.int32))
    np.save(folder / "spike_templates.npy", bundle.unit_index.astype(np.int32))
    np.save(folder / "amplitudes.npy", np.abs(bundle.amplitude).astype(np.float64))
    if sorting.probability is not None:
        np.save(folder / "spike_probability.npy", sorting.probability.astype(np.float32))
    if bundle.has_own_times:
        np.save(folder / SECONDS, bundle.time_s)
    if sorting.entropy is not None:
        np.save(folder / "spike_entropy.npy", sorting.entropy.astype(np.float32))


def _write_channels(folder: Path, bundle: ExportBundle, raw: RawFile | None) -> None:
    probe = bundle.probe
    assert probe.shank is not None
    columns = range(probe.n_channels) if raw is None or raw.columns is None else raw.columns
    np.save(folder / "channel_map.npy", np.array(columns, dtype=np.int32))
    np.save(folder / "channel_positions.npy", probe.positions_um)
    np.save(folder / "channel_shanks.npy", probe.shank.astype(np.int32))
    noise = np.where(bundle.noise_sd > 0, bundle.noise_sd, 1.0).astype(np.float64)
    np.save(folder / "whitening_mat.npy", np.diag(1 / noise))
    np.save(folder / "whitening_mat_inv.npy", np.diag(noise))


def _write_templates(folder: Path, templates: NDArray[np.float32]) -> None:
    """``templates.npy``; phylib drops axes of length 1, so a lone unit gets an empty second template."""
    templates = np.pad(templates, ((0, len(templates) == 1), (0, 0), (0, 0)))
    np.save(folder / "templates.npy", templates.astype(np.float32))
    np.save(folder / "similar_templates.npy", cosine_similarity(templates))


def _write_features(folder: Path, features: SpikeFeatures) -> None:
    """``pc_features.npy`` (n, 3, C) and ``pc_feature_ind.npy`` (n_templates, C), of every spike.

    Phy puts spikes that have none at the origin, where its lasso would split them.
    """
    channels = np.pad(features.channels, ((0, len(features.channels) == 1), (0, 0)), mode="edge")
    np.save(folder / "pc_features.npy", features.values)
    np.save(folder / "pc_feature_ind.npy", channels.astype(np.int32))


def cosine_similarity(templates: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosine of the angle between templates, (n, n); 0 with an empty one, 1 with itself."""
    flat = templates.reshape(len(templates), -1).astype(np.float64)
    norm = np.linalg.norm(flat, axis=1, keepdims=True)
    unit = flat / np.where(norm > 0, norm, 1.0)
    similarity = np.clip(unit @ unit.T, -1.0, 1.0)
    np.fill_diagonal(similarity, 1.0)
    return similarity.astype(np.float32)


def clusters_of(bundle: ExportBundle) -> UnitIds:
    """Cluster of each unit, and what it is called where that is no cluster that phy can hold."""
    return unit_ids(bundle.unit_ids, bundle.unit_names, least=0, most=LARGEST_CLUSTER)


def _write_tables(folder: Path, units: UnitTable, clusters: UnitIds) -> None:
    columns: dict[str, Sequence[object]] = {"group": units["label"].tolist()}
    if clusters.name is not None:
        columns[TEXT_NAME] = clusters.name
    for name, values in units.some("p_exists", "probability", *NUMBERS).items():
        columns[name] = _decimals(values, 4)
    words = units.some("sampler", *WORDS)
    columns.update({name: cells.tolist() for name, cells in words.items() if name not in columns})
    for name, cells in columns.items():
        write_columns(
            folder / f"cluster_{name}.tsv", {"cluster_id": clusters.number, name: cells}, delimiter="\t"
        )
    info: dict[str, Iterable[object]] = {
        "cluster_id": clusters.number,
        "amp": _decimals(units["amplitude_sd"], 3),
        "ch": units["channel"],
        "depth": _decimals(units["depth_um"], 3),
        "fr": _decimals(units["rate_hz"], 4),
        "n_spikes": units["n_spikes"],
        "sh": units["shank"],
        **{name: cells for name, cells in columns.items() if _can_be_read(cells)},
    }
    write_columns(folder / "cluster_info.tsv", info, delimiter="\t")


def _can_be_read(cells: Sequence[object]) -> bool:
    """Whether SpikeInterface can read a column of ``cluster_info.tsv``: digits are numbers there."""
    numbers = (number_of(cell) for cell in cells if isinstance(cell, str))
    return all(number is None or number <= INT64.max for number in numbers)


def _decimals(values: NDArray[np.floating], n: int) -> list[str]:
    return [f"{value:.{n}f}" for value in values]
