"""Build a reservoir of biophysical cells: cables whose membrane currents are the sources.

``cable_cells.py`` draws a cell and lets NEURON compute one spike of it (the extra ``.[simulate]``).
The membrane current of each segment is a point source in a homogeneous medium, so a contact at distance
d_i of segment i sees, but for a factor,

    sum_i current_i(t) / sqrt(d_i^2 + softening^2)

(point-source approximation, Holt & Koch 1999; Gold et al. 2006 use its sibling of line sources), which is
the form of ``build_template_reservoir.py`` with a falloff of 1. The softening is the soma's radius, as a
contact lies outside the soma, and 6 um at least, as a contact of finite size averages the potential
beside a thin neurite. The currents are band-passed as a recording would be and kept at 20 kHz; then the
100-300 segments are replaced by `N_SOURCES` sources that make the same potential.

Cells whose spike seen 10 um from the soma lies outside the ranges of ``build_template_reservoir.py``
(trough to peak 0.1-1.2 ms, extent 10-150 um), that make a trough of less than 15 uV there or a peak of
nearly its size, or that do not give exactly one spike, are drawn again.
Cell n of a seed is the same whatever the number of cells and of jobs. The ranges of sizes, densities and
temperatures stand in ``cable_cells.py``; docs/method/reservoir.md compares the result with published figures.

    python scripts/build_biophysical_reservoir.py --out FILE [--n-cells 1000] [--seed 0] [--jobs 1]
        [--add OTHER]

With --add the cells of another reservoir file follow those of this one, each keeping its part in training
or test: ``--add resources/template_reservoir.npz`` gives one file with both kinds.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

sys.path.insert(0, str(Path(__file__).resolve().parent))

from build_template_reservoir import (
    TEST_SHARE,
    TROUGH,
    extent_um,
    plane_of_contacts,
    recorded,
    seen,
    trough_to_peak_ms,
)
from cable_cells import KIND_SHARE, KINDS, NoSpikeError, draw_spike

Array = NDArray[np.float64]
Arrays = dict[str, NDArray[np.generic]]

N_SOURCES = 24
N_CLOUD = 800
FAR_WEIGHT = 0.7
RIDGE = 1e-5
MIN_SOFTENING_UM = 6.0  # half the width of a usual contact
UV_PER_NA_PER_UM = 1e3 / (4 * np.pi * 0.3)  # in tissue of 0.3 S/m
MIN_TROUGH_UV = 15.0
MAX_PEAK = 0.9  # over the trough, beside the soma
PER_CELL = (
    "source_position",
    "source_waveform",
    "softening_um",
    "falloff",
    "trough_to_peak_ms",
    "extent_um",
    "kind",
    "axon_speed_m_s",
    "trough_uv",
)


def merged_sources(
    position: Array, waveform: Array, softening_um: float, n_sources: int = N_SOURCES
) -> tuple[Array, Array]:
    """Replace many point sources by few that make nearly the same potential 10 um from the soma and beyond.

    Orthogonal matching pursuit: the soma, then one after the other the place among the sources from which
    most of the potential that is still missing at a cloud of points around the cell can be made; then the
    waveforms at these places by ridge regression.

    Parameters
    ----------
    position : (n, 3) um, the soma first; waveform : (n, n_steps)

    Returns
    -------
    position : (n_sources, 3), waveform : (n_sources, n_steps); zero where n < n_sources
    """
    cloud = cloud_of_contacts(N_CLOUD, np.random.default_rng(0))
    field = 1.0 / np.sqrt(cdist(cloud, position) ** 2 + softening_um**2)  # (N_CLOUD, n)
    wanted = field @ waveform
    # What is far counts less than what is near, but more than by its size.
    scale = np.linalg.norm(wanted, axis=1, keepdims=True) ** FAR_WEIGHT
    field, wanted = field / scale, wanted / scale
    chosen = _chosen(field, wanted, min(n_sources, len(position)))
    used = field[:, chosen]
    height = np.linalg.norm(used, axis=0)
    used = used / height
    gram = used.T @ used + RIDGE * np.eye(len(chosen))
    few_positions, few_waveforms = np.zeros((n_sources, 3)), np.zeros((n_sources, waveform.shape[1]))
    few_positions[: len(chosen)] = position[chosen]
    few_waveforms[: len(chosen)] = np.linalg.solve(gram, used.T @ wanted) / height[:, None]
    return few_positions, few_waveforms


def _chosen(field: Array, wanted: Array, n_sources: int) -> list[int]:
    """Columns of `field` (points, n), column 0 first, that explain `wanted` (points, n_steps) best."""
    left, missing = field.copy(), wanted.copy()
    height = np.linalg.norm(field, axis=0)
    chosen, best = [], 0
    while True:
        chosen.append(best)
        axis = left[:, best] / np.linalg.norm(left[:, best])
        missing -= np.outer(axis, axis @ missing)
        left -= np.outer(axis, axis @ left)
        if len(chosen) == n_sources:
            return chosen
        remaining = np.linalg.norm(left, axis=0)
        fresh = remaining > 1e-4 * height
        fresh[chosen] = False
        if not fresh.any():
            return chosen
        gain = np.linalg.norm(left.T @ missing, axis=1) / np.where(fresh, remaining, np.inf)
        best = int(gain.argmax())


def cloud_of_contacts(n: int, rng: np.random.Generator, reach: tuple[float, float] = (10.0, 110.0)) -> Array:
    """Draw points around the soma, uniform in direction and log-uniform in distance: (n, 3) um."""
    direction = rng.normal(size=(n, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    distance: Array = np.exp(rng.uniform(np.log(reach[0]), np.log(reach[1]), size=(n, 1)))
    return direction * distance


class Cell(NamedTuple):
    """What the file holds of a cell, in the order of `PER_CELL`, and why earlier draws were not kept."""

    values: tuple[object, ...]
    refused: Counter[str]


def one_cell(seed: int, index: int) -> Cell:
    """Draw cell `index` of a seed, again and again until it is good."""
    rng = np.random.default_rng([seed, index])
    near, plane = np.array([[0.0, 0.0, 10.0]]), plane_of_contacts()
    refused: Counter[str] = Counter()
    while True:
        kind = str(rng.choice(KINDS, p=KIND_SHARE))
        try:
            tree, spike = draw_spike(kind, rng)
        except NoSpikeError as error:
            refused[str(error)] += 1
            continue
        softening = max(MIN_SOFTENING_UM, tree.soma_radius_um)
        position, waveform = merged_sources(spike.position, recorded(spike.current, rng), softening)
        at_soma = seen(position, waveform, softening, 1.0, near)[0]
        duration = trough_to_peak_ms(at_soma)
        extent = extent_um(seen(position, waveform, softening, 1.0, plane))
        trough_is_central = abs(int(np.argmin(at_soma)) - TROUGH) <= 5
        if not (0.1 <= duration <= 1.2 and 10 <= extent <= 150 and trough_is_central):
            refused["outside the ranges"] += 1
            continue
        trough_uv = -UV_PER_NA_PER_UM * at_soma.min()
        if trough_uv < MIN_TROUGH_UV:
            refused["too small to be seen"] += 1
            continue
        if at_soma.max() > MAX_PEAK * -at_soma.min():
            refused["peak larger than the trough"] += 1
            continue
        waveform = waveform / np.abs(waveform).max()
        values = (
            position,
            waveform,
            softening,
            1.0,
            duration,
            extent,
            kind,
            spike.axon_speed_m_s(),
            trough_uv,
        )
        return Cell(values, refused)


def build(n_cells: int, seed: int, jobs: int = 1) -> tuple[Arrays, Counter[str]]:
    """Draw `n_cells` cells in `jobs` processes: the arrays of the file, and why others were drawn again."""
    columns: list[list[object]] = [[] for _ in PER_CELL]
    refused: Counter[str] = Counter()
    start = time.monotonic()
    for done, cell in enumerate(_cells(n_cells, seed, jobs), 1):
        for column, value in zip(columns, cell.values, strict=True):
            column.append(value)
        refused += cell.refused
        if done % max(1, n_cells // 50) == 0 or done == n_cells:
            each = (time.monotonic() - start) / done
            left = each * (n_cells - done) / 60
            print(f"{done} of {n_cells} cells, {each:.2f} s each, {left:.1f} min left", flush=True)
    arrays: Arrays = {
        name: np.array(column) if name == "kind" else np.asarray(column, dtype=np.float16)
        for name, column in zip(PER_CELL, columns, strict=True)
    }
    arrays["is_test"] = np.random.default_rng([seed, 2**31]).random(n_cells) < TEST_SHARE
    arrays["trough_sample"] = np.array(TROUGH)
    return arrays, refused


def _cells(n_cells: int, seed: int, jobs: int) -> Iterator[Cell]:
    """Cells in order of their index."""
    if jobs == 1:
        yield from map(partial(one_cell, seed), range(n_cells))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(one_cell, seed), range(n_cells), chunksize=4)


def joined(first: Arrays, second: Arrays) -> Arrays:
    """Arrays of two reservoir files as those of one; each cell stays in training or test.

    A file that does not say the kind of its cells is one of ``build_template_reservoir.py``.
    """
    if int(first["trough_sample"]) != int(second["trough_sample"]):
        raise ValueError("the troughs of the two files lie at different samples")
    n_sources = max(len(file["source_position"][0]) for file in (first, second))
    parts = [_complete(file, n_sources) for file in (first, second)]
    both: Arrays = {name: np.concatenate([part[name] for part in parts]) for name in (*PER_CELL, "is_test")}
    both["trough_sample"] = first["trough_sample"]
    return both


def _complete(file: Arrays, n_sources: int) -> Arrays:
    """A file's arrays with `n_sources` sources per cell, kinds and speeds."""
    n_cells = len(file["is_test"])
    extra = ((0, 0), (0, n_sources - file["source_position"].shape[1]), (0, 0))
    return {
        "kind": np.full(n_cells, "parametric"),
        "axon_speed_m_s": np.full(n_cells, np.nan, dtype=np.float16),
        "trough_uv": np.full(n_cells, np.nan, dtype=np.float16),
        **file,
        "source_position": np.pad(file["source_position"], extra),
        "source_waveform": np.pad(file["source_waveform"], extra),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--n-cells", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--add", type=Path, help="another reservoir file, to be written into the same file")
    arguments = parser.parse_args()
    other = dict(np.load(arguments.add)) if arguments.add else None
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # of the worker processes
        os.environ.setdefault(name, "1")
    arrays, refused = build(arguments.n_cells, arguments.seed, arguments.jobs)
    if other is not None:
        arrays = joined(arrays, other)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(arguments.out, **arrays)  # type: ignore[arg-type]
    for reason, count in refused.most_common():
        print(f"drawn again, {reason}: {count}")
    size, n_test = arguments.out.stat().st_size / 1e6, int(arrays["is_test"].sum())
    print(f"{arguments.out}: {len(arrays['is_test'])} cells, {n_test} for testing, {size:.1f} MB")


if __name__ == "__main__":
    main()
