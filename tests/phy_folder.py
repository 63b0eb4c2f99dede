"""A Phy folder with its recording, as a sorter would leave it: small, with faults that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.sorting.planted import SAMPLING_FREQUENCY_HZ, SQUARE, Cell, planted_recording, regular_times

N_SAMPLES = 20 * 20_000
CELLS = [
    Cell([40, 15, 10, 5], regular_times(200, N_SAMPLES, 1)),
    Cell([25, 4, 16, 4], regular_times(120, N_SAMPLES, 2)),
    Cell([4, 4, 8, 30], regular_times(90, N_SAMPLES, 3)),
]
FIRST, SECOND, THIRD = (cell.times for cell in CELLS)
MERGED, HALF, OTHER_HALF, FEW = 40, 7, 12, 3
TRAINS = {
    MERGED: np.sort(np.concatenate([FIRST, SECOND])),
    HALF: THIRD[::2],
    OTHER_HALF: THIRD[1::2],
    FEW: np.array([30, 150_000, N_SAMPLES - 50]),
}
"""The first two cells are one unit, the third is two; a unit of three spikes is nothing."""
SETTINGS = {"posterior_samples": 12, "spikes_per_group": 120, "min_cluster_spikes": 10, "motion": "off"}
QUICK = "\n".join(f"{name} = {value!r}" for name, value in SETTINGS.items())


def write_phy(folder: Path, trains: dict[int, np.ndarray] = TRAINS) -> Path:
    """Write the folder, and ``recording.dat`` in it: four channels in another order, one unused, a header."""
    folder.mkdir(parents=True, exist_ok=True)
    traces = np.round(10 * planted_recording(CELLS, N_SAMPLES).array).astype("<i2")
    columns = np.array([2, 0, 1, 4])
    data = np.zeros((N_SAMPLES, 5), "<i2")
    data[:, columns] = traces
    (folder / "recording.dat").write_bytes(b"header##" + data.tobytes())
    (folder / "params.py").write_text(
        "dat_path = 'recording.dat'\nn_channels_dat = 5\ndtype = 'int16'\noffset = 8\n"
        f"sample_rate = {SAMPLING_FREQUENCY_HZ}\nhp_filtered = False\n"
    )
    times = np.concatenate(list(trains.values()))
    units = np.repeat(list(trains), [len(train) for train in trains.values()])
    order = np.argsort(times, kind="stable")
    templates = np.searchsorted(sorted(trains), units[order])
    np.save(folder / "spike_times.npy", times[order].astype(np.uint64)[:, None])
    np.save(folder / "spike_clusters.npy", units[order].astype(np.int32)[:, None])
    np.save(folder / "spike_templates.npy", templates.astype(np.uint32)[:, None])
    np.save(folder / "amplitudes.npy", np.ones(len(times)))
    np.save(folder / "channel_map.npy", columns[:, None])
    np.save(folder / "channel_positions.npy", SQUARE.positions_um)
    np.save(folder / "templates.npy", np.ones((len(trains), 20, 4), np.float32))
    table(folder / "cluster_group.tsv", {"group": {MERGED: "good", HALF: "mua"}})
    table(folder / "cluster_KSLabel.tsv", {"KSLabel": dict.fromkeys(trains, "good")})
    n_spikes = {unit: len(train) for unit, train in trains.items()}
    rate = {unit: f"{n / 20:.4f}" for unit, n in n_spikes.items()}
    group = {unit: {MERGED: "good", HALF: "mua"}.get(unit, "") for unit in trains}
    table(folder / "cluster_info.tsv", {"fr": rate, "group": group, "n_spikes": n_spikes})
    return folder


def table(file: Path, columns: dict[str, dict[int, object]]) -> None:
    """Write a table of clusters."""
    units = next(iter(columns.values()))
    lines = ["\t".join(["cluster_id", *columns])]
    lines += ["\t".join([str(unit), *(str(cells[unit]) for cells in columns.values())]) for unit in units]
    file.write_text("\n".join(lines) + "\n")


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Contents of all files of a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
