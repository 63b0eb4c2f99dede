"""Drive spikeinterface-gui over an analyzer, and time it: what `gui.py` starts in its environment.

    python -m benchmarks.window.gui_spikeinterface JOB.json

The analyzer is made where it is not there yet, of `units.npz` and the traces beside it, with the extensions
that the window shows at first.
"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np

from benchmarks.window.gui_clock import Timings, answer, job, timed

QUIET_S = 0.2
EXTENSIONS: dict[str, dict[str, Any]] = {
    "random_spikes": {"max_spikes_per_unit": 200},
    "waveforms": {"ms_before": 0.6, "ms_after": 1.0},
    "templates": {},
    "noise_levels": {},
    "unit_locations": {"method": "center_of_mass"},
    "template_similarity": {"method": "l1"},
    "correlograms": {"window_ms": 50.0, "bin_ms": 1.0},
    "spike_amplitudes": {},
}


def analyzer_of(units_file: Path, traces: Path) -> Any:
    """Return the analyzer of the units, made where it is not there yet."""
    import spikeinterface as si

    folder = units_file.parent / "analyzer"
    if not (folder / "made").is_file():
        from probeinterface import Probe

        units = np.load(units_file)
        rate_hz, n_channels = float(units["rate_hz"]), units["templates"].shape[2]
        recording = si.core.read_binary(
            str(traces), rate_hz, "int16", n_channels, gain_to_uV=1.0, offset_to_uV=0.0
        )
        probe = Probe(ndim=2, si_units="um")
        probe.set_contacts(units["positions_um"], shapes="circle", shape_params={"radius": 5})
        probe.set_device_channel_indices(np.arange(n_channels))
        recording.set_probe(probe)
        recording.annotate(is_filtered=True)
        sorting = si.core.NumpySorting.from_samples_and_labels(
            [units["sample_index"]], [units["unit"]], rate_hz
        )
        si.set_global_job_kwargs(n_jobs=1, progress_bar=False)
        analyzer = si.create_sorting_analyzer(
            sorting, recording, format="binary_folder", folder=folder, sparse=True, overwrite=True,
            method="radius", radius_um=90.0,
        )  # fmt: skip
        for name, settings in EXTENSIONS.items():
            analyzer.compute(name, **settings)
        (folder / "made").touch()
    return si.load_sorting_analyzer(folder)


class Driven:
    """spikeinterface-gui on an analyzer, as a person has it: its default layout, with curation."""

    def __init__(self, analyzer: Any) -> None:
        from spikeinterface_gui import run_mainwindow
        from spikeinterface_gui.myqt import QT

        self.window = run_mainwindow(analyzer, mode="desktop", curation=True, start_app=False)
        self.window.resize(1600, 1000)
        self.application = QT.QApplication.instance()
        self.controller = self.window.controller
        self.table = self.window.views["unitlist"]
        self.painted = 0.0
        driven = self

        class Watch(QT.QObject):
            """Notes paints."""

            def eventFilter(self, _receiver: Any, event: Any) -> bool:
                if event.type() in (QT.QEvent.Paint, QT.QEvent.UpdateRequest):
                    driven.painted = -1.0
                return False

        self.watch = Watch()
        self.application.installEventFilter(self.watch)
        self.settle()

    def settle(self) -> float:
        """Go on with the event loop until nothing was painted for a while; when the last paint ended."""
        last = time.perf_counter()
        while True:
            self.painted = 0.0
            self.application.processEvents()
            now = time.perf_counter()
            if self.painted:
                last = now
            if now - last > QUIET_S:
                return last
            time.sleep(0.002)

    def select(self, units: list[Any]) -> None:
        """Show units, as a double click on the table does."""
        self.controller.set_visible_unit_ids(units)
        self.table.notify_unit_visibility_changed()
        self.table.refresh()


def edits(driven: Driven, timings: Timings, repeats: int) -> None:
    """Time each kind of edit on several units; a merge or label is noted, and done when it is applied."""
    controller, table = driven.controller, driven.table
    ids = list(controller.unit_ids)

    def told(do: Any) -> None:
        do()
        table.notify_manual_curation_updated()
        table.refresh()

    for number in range(repeats):
        pair = ids[3 * number : 3 * number + 2]
        for unit in pair:
            timings.take("select", lambda unit=unit: driven.select([unit]))
        timings.take("select two", lambda pair=pair: driven.select(pair))
        merge = lambda pair=pair: controller.make_manual_merge_if_possible(pair)  # noqa: E731
        timings.take("merge", lambda merge=merge: told(merge))
        timings.take("undo", lambda: told(lambda: controller.make_manual_restore_merge([0])))
        mark = lambda unit=pair[0]: controller.set_label_to_unit(unit, "quality", "good")  # noqa: E731
        timings.take("label", lambda mark=mark: told(mark))


def main() -> None:
    """Time what the job asks for."""
    asked = job()
    analyzer = analyzer_of(Path(asked["units"]), Path(asked["traces"]))
    if asked.get("only_make"):
        answer(asked, {})
    import spikeinterface_gui

    driven = Driven(analyzer)
    found = timed(
        asked,
        Timings(driven.settle),
        len(driven.controller.spikes),
        partial(edits, driven),
        driven.select,
        list(driven.controller.unit_ids)[:3],
    )
    answer(asked, {**found, "version": spikeinterface_gui.__version__})


if __name__ == "__main__":
    main()
