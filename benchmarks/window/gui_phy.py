"""Drive phy over a folder, and time it: what `gui.py` starts in the environment of phy.

    python -m benchmarks.window.gui_phy JOB.json

The folder is made where it is not there yet, of `units.npz` and the traces beside it: times, clusters,
templates, amplitudes and features of all spikes.
"""

from __future__ import annotations

import logging
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")

import numpy as np

from benchmarks.window.gui_clock import Timings, answer, job, timed

QUIET_S = 0.2
N_COMPONENTS, N_LOCAL = 3, 12


def folder_of(units_file: Path, traces: Path) -> Path:
    """Return the folder of the units, made where it is not there yet; its `params.py`."""
    folder = units_file.parent / "phy"
    params = folder / "params.py"
    if params.is_file():
        return params
    folder.mkdir(exist_ok=True)
    units = np.load(units_file)
    templates, unit = units["templates"], units["unit"]
    n_channels = templates.shape[2]
    local = np.argsort(-np.abs(templates).max(axis=1), axis=1)[:, :N_LOCAL]
    flat = templates.reshape(len(templates), -1)
    norm = np.linalg.norm(flat, axis=1)
    rng = np.random.default_rng(0)
    own = rng.normal(0, 5, (len(templates), N_COMPONENTS, N_LOCAL)).astype(np.float32)
    features = np.lib.format.open_memmap(
        folder / "pc_features.npy", "w+", np.float32, (len(unit), N_COMPONENTS, N_LOCAL)
    )
    for first in range(0, len(unit), 200_000):
        some = own[unit[first : first + 200_000]]
        features[first : first + len(some)] = some + rng.standard_normal(some.shape, dtype=np.float32)
    arrays = {
        "spike_times": units["sample_index"], "spike_clusters": unit.astype(np.int32),
        "spike_templates": unit.astype(np.int32), "amplitudes": np.abs(units["amplitude"]).astype(float),
        "templates": templates,
        "similar_templates": (flat @ flat.T / np.outer(norm, norm)).astype(np.float32),
        "channel_map": np.arange(n_channels, dtype=np.int32), "channel_positions": units["positions_um"],
        "pc_feature_ind": local.astype(np.int32), "whitening_mat": np.eye(n_channels),
        "whitening_mat_inv": np.eye(n_channels),
    }  # fmt: skip
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
    lines = {
        "dat_path": [str(traces)], "n_channels_dat": n_channels, "dtype": "int16", "offset": 0,
        "sample_rate": float(units["rate_hz"]), "hp_filtered": True,
    }  # fmt: skip
    params.write_text("".join(f"{name} = {value!r}\n" for name, value in lines.items()), encoding="utf-8")
    return params


class Driven:
    """phy on a folder, as a person has it: all its default views, computed on its threads."""

    def __init__(self, params: Path) -> None:
        from phy.apps.template.gui import TemplateController
        from phy.gui import create_app
        from phy.gui.qt import thread_pool
        from phy.plot.base import BaseCanvas
        from phylib.io.model import load_model

        self.painted = 0.0
        draw = BaseCanvas.paintGL

        def paint(canvas: Any) -> None:
            draw(canvas)
            self.painted = time.perf_counter()

        BaseCanvas.paintGL = paint
        self.application = create_app()
        self.pool = thread_pool()
        self.controller = TemplateController(
            model=load_model(params), dir_path=params.parent, config_dir=params.parent / "config",
            clear_cache=False,
        )  # fmt: skip
        self.gui = self.controller.create_gui()
        self.gui.resize(1600, 1000)
        self.gui.show()
        self.supervisor = self.controller.supervisor
        self.settle()

    @property
    def is_busy(self) -> bool:
        """Whether anything is computed, or is about to be."""
        logger = self.supervisor.task_logger
        return not logger.has_finished() or self.supervisor._is_busy or self.pool.activeThreadCount() > 0

    def settle(self) -> float:
        """Go on with the event loop until nothing has been done or painted for a while; when that began."""
        last = time.perf_counter()
        while True:
            self.application.processEvents()
            now = time.perf_counter()
            last = now if self.is_busy else max(last, self.painted)
            if now - last > QUIET_S:
                return last
            time.sleep(0.002)


def edits(supervisor: Any, timings: Timings, repeats: int) -> None:
    """Time each kind of edit on several units, each edit taken back."""
    ids = np.asarray(supervisor.clustering.cluster_ids)
    spikes = supervisor.clustering.spikes_per_cluster
    for number in range(repeats):
        first, second = (int(one) for one in ids[3 * number : 3 * number + 2])
        timings.take("next question", lambda: supervisor.next_best())
        timings.take("select", lambda unit=first: supervisor.select([unit]))
        timings.take("select", lambda unit=second: supervisor.select([unit]))
        timings.take("label", lambda unit=second: supervisor.move("good", [unit]))
        timings.take("undo", supervisor.undo)
        pair = [first, second]
        timings.take("select two", lambda pair=pair: supervisor.select(pair))
        timings.take("merge", lambda pair=pair: supervisor.merge(pair))
        timings.take("undo", supervisor.undo)
        half = spikes[first][: len(spikes[first]) // 2]
        supervisor.select([first])
        timings.take("split", lambda half=half: supervisor.split(half))
        timings.take("undo", supervisor.undo)


def main() -> None:
    """Time what the job asks for."""
    logging.disable(logging.CRITICAL)
    asked = job()
    params = folder_of(Path(asked["units"]), Path(asked["traces"]))
    if asked.get("only_make"):
        answer(asked, {})
    from phy import __version__

    driven = Driven(params)
    supervisor, clustering = driven.supervisor, driven.supervisor.clustering
    ids = [int(one) for one in clustering.cluster_ids[:3]]
    found = timed(
        asked,
        Timings(driven.settle),
        int(clustering.n_spikes),
        partial(edits, supervisor),
        supervisor.select,
        ids,
    )
    answer(asked, {**found, "version": __version__})


if __name__ == "__main__":
    main()
