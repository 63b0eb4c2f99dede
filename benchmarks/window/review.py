"""What a second opinion is worth: another sorter's units before and after its questions are answered.

    python -m benchmarks.window.review [--development] [--recordings NAME ...] [--sorters NAME ...]
        [--cache DIR]

Recordings and sorters are those of `sorters.py`. What a sorter found is exported to a folder of Phy by
SpikeInterface, and `ncpgui review` makes a session of it. Then the window is used as by somebody who knows
the true spikes, by keys alone: at each question of the queue the alternative is used that leaves fewest
*wrong assignments* (see `questions.py`), which may be the sorting as given, and units that are no cells are
labelled noise. The decisions are written back, and what phylib reads of the folder is compared with the truth
again. All of it is done with the first `--seconds` of what was found in the whole recording.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from spikeinterface.core import BaseRecording, BaseSorting, NumpySorting, create_sorting_analyzer

from benchmarks.common.report import Origin, begin, keep, options, table, where
from benchmarks.curation.reviewed_sorting import Truth
from benchmarks.probabilities.questions import best_alternative
from benchmarks.recordings.ground_truth import made
from benchmarks.recordings.peers import add_sorters, asked_of, parsed
from benchmarks.recordings.sorted_apart import sorted_apart
from benchmarks.recordings.sorters import STILL, chosen_recordings, on_disk
from benchmarks.recordings.unit_scores import UnitScores, scores
from ncpgui.cli.main import run

if TYPE_CHECKING:
    from ncpgui.gui.main_window import MainWindow

SORTER = "tridesclous2"
"""Whose units are reviewed, unless others are asked for."""
MOST_QUESTIONS = 500


@dataclass(frozen=True)
class Answers:
    """What answering took: questions of the queue, those after which something was another, keys pressed."""

    questions: int
    decisions: int
    keys: int


def export(recording: BaseRecording, sorting: BaseSorting, folder: Path) -> None:
    """Write a folder of Phy as SpikeInterface does, without a copy of the traces."""
    from spikeinterface.exporters import export_to_phy

    analyzer = create_sorting_analyzer(sorting, recording, sparse=False, verbose=False)
    analyzer.compute(["random_spikes", "templates"], verbose=False)
    export_to_phy(
        analyzer,
        folder,
        compute_pc_features=False,
        compute_amplitudes=False,
        copy_binary=False,
        verbose=False,
    )


def first_part(
    recording: BaseRecording, sortings: Sequence[BaseSorting], n_samples: int, folder: Path
) -> tuple[BaseRecording, list[BaseSorting], Path]:
    """Return the first samples of a recording and of sortings of it, and the file of its traces."""
    part = recording.frame_slice(0, min(n_samples, recording.get_num_samples()))
    folder.mkdir(parents=True, exist_ok=True)
    part.get_traces().astype("<i2").tofile(folder / "traces.raw")
    last = part.get_num_samples()
    return part, [one.frame_slice(0, last).remove_empty_units() for one in sortings], folder / "traces.raw"


def review(folder: Path, traces: Path, session: Path) -> None:
    """Make a session of a folder, as on the command line."""
    asked = ["review", str(folder), "--out", str(session), "--recording", str(traces)]
    if run(asked) != 0:
        raise SystemExit(f"ncpgui {' '.join(asked)} failed")


@contextmanager
def opened(session: Path) -> Iterator[MainWindow]:
    """Open a session in the window."""
    from ncpgui.app.controller import Controller
    from ncpgui.app.model.workspace import Workspace
    from ncpgui.app.preferences import Preferences
    from ncpgui.app.work.tasks import Immediate, Task
    from ncpgui.gui.application import qt_application
    from ncpgui.gui.main_window import MainWindow

    class WithoutPictures(Immediate):
        """Runs tasks at once, but for t-SNE: nobody looks at it."""

        def submit(self, task: Task) -> None:
            if task.key != "t-SNE":
                super().submit(task)

    application = qt_application()
    workspace = Workspace()
    preferences = Preferences(session.parent / "preferences")
    preferences.set("toured", True)
    controller = Controller(workspace, WithoutPictures(), preferences)
    window = MainWindow(workspace, controller)
    window.show()
    window.activateWindow()
    application.setActiveWindow(window)
    window.open_path(session)
    try:
        yield window
    finally:
        controller.close()
        window.close()
        window.deleteLater()
        application.processEvents()


class Oracle:
    """Answers the questions of the queue of a window by keys, and knows the true spikes.

    truth : the true sorting; reach of coincidence as everywhere in the benchmarks
    """

    def __init__(self, window: MainWindow, truth: BaseSorting) -> None:
        self._window = window
        self._workspace = window.workspace
        project = window.workspace.state.project
        assert project is not None
        self._truth = Truth.of(project.spikes.sample_index, truth)
        self.n_keys = 0

    def press(self, *names: str) -> None:
        """Press keys, one after the other."""
        from PyQt5 import QtCore, QtGui, QtWidgets
        from PyQt5.QtTest import QTest

        for name in names:
            code = QtGui.QKeySequence(name)[0]
            mask = int(QtCore.Qt.KeyboardModifierMask)
            QTest.keyClick(self._window, code & ~mask, QtCore.Qt.KeyboardModifiers(code & mask))
            self.n_keys += 1
            for _ in range(4):
                QtWidgets.QApplication.processEvents()

    def answer_all(self) -> Answers:
        """Answer until no question is left; of units with too few spikes nothing is asked."""
        workspace, asked, decided = self._workspace, 0, 0
        while asked < MOST_QUESTIONS:
            left = [
                one
                for one in workspace.questions.queue_order()
                if workspace.component(one) is not None and not workspace.questions.status(one).is_settled
            ]
            if not left:
                return Answers(asked, decided, self.n_keys)
            while workspace.component_id not in left:
                self.press("Space")
            asked += 1
            decided += self._answer()
        raise RuntimeError(f"{MOST_QUESTIONS} questions were answered, and there are more")

    def _answer(self) -> bool:
        """Answer the question on screen; whether anything is another now."""
        workspace = self._workspace
        component = workspace.component()
        assert component is not None
        present, best = workspace.present_alternative(), self._best()
        if best is not None and best != present:
            self.press(str(best + 1) if best < 9 else "]", "Return")
        noise = self._noise_on_screen()
        for unit in noise:
            while workspace.selected != (unit,):
                self.press("Down")
            self.press("Alt+N")
        if not workspace.questions.status(component.id).is_settled:
            self.press("Return")
        return bool(noise) or (best is not None and best != present)

    def _best(self) -> int | None:
        """Number of the alternative with fewest wrong assignments; None where the sorting in use has."""
        workspace = self._workspace
        component = workspace.component()
        assert component is not None
        best, _ = best_alternative(component, workspace.state.clustering.unit_of_spike, self._truth.wrong)
        return workspace.present_alternative() if best is None else best

    def _noise_on_screen(self) -> list[int]:
        """Units on screen of which less than half of the spikes are of cells, but for those labelled so."""
        current = self._workspace.current()
        assert current is not None
        clustering, labels = self._workspace.state.clustering, self._workspace.state.history.labels
        found = []
        for unit in (one.unit for one in current.units):
            if unit is None or labels.mark(unit).label == "noise":
                continue
            if self._truth.of_cell[clustering.spikes_of(unit)].any(axis=1).mean() < 0.5:
                found.append(unit)
        return found

    def wrong(self) -> int:
        """Wrong assignments of the sorting as it stands."""
        return self._truth.wrong(self._workspace.state.clustering.unit_of_spike)


def sorting_of(folder: Path) -> NumpySorting:
    """What phylib reads of a folder, without clusters that are labelled noise."""
    from phylib.io.model import load_model

    model = load_model(folder / "params.py")
    groups = model.metadata.get("group", {})
    noise = [cluster for cluster, label in groups.items() if label == "noise"]
    kept = ~np.isin(model.spike_clusters, noise)
    return NumpySorting.from_samples_and_labels(
        [np.asarray(model.spike_samples)[kept].astype(np.int64)],
        [np.asarray(model.spike_clusters)[kept]],
        float(model.sample_rate),
    )


def answered(session: Path, truth: BaseSorting) -> tuple[Answers, int, int]:
    """Answer the questions of a session and write the decisions back; wrong assignments before and after."""
    with opened(session) as window:
        window.confirm = lambda _: True  # type: ignore[method-assign]
        oracle = Oracle(window, truth)
        before = oracle.wrong()
        answers = oracle.answer_all()
        after = oracle.wrong()
        oracle.press("Ctrl+S")
        window.actions_["write_back"].trigger()
    return answers, before, after


def row_of(
    name: str, sorter: str, before: UnitScores, after: UnitScores, told: tuple[Answers, int, int]
) -> dict[str, Any]:
    """Return a row of the table."""
    answers, wrong_before, wrong_after = told

    def both(first: object, second: object) -> str:
        return f"{first} → {second}"

    return {
        "recording": name,
        "sorter": sorter,
        "true units": len(before.accuracy),
        "units": both(before.n_units, after.n_units),
        "found": both(before.n_found, after.n_found),
        "extra": both(before.n_extra, after.n_extra),
        "mean accuracy": both(f"{before.accuracy.mean():.2f}", f"{after.accuracy.mean():.2f}"),
        "wrong assignments": both(wrong_before, wrong_after),
        "questions": answers.questions,
        "decisions": answers.decisions,
        "keys": answers.keys,
    }


PAGE = """
# What a second opinion is worth

{rows}

Recordings with known spikes{which}, sorted by others with their own settings. The first {seconds:g} s of
what they found were exported to Phy by SpikeInterface, and opened with `ncpgui review`. Somebody who knows
the truth then answers the questions of the queue by keys: the alternative is used that leaves fewest wrong
assignments, which may be the sorting as given, and units that are no cells are labelled noise. *Decisions*
are the questions after which something was another. The last comparison is of the folder that the decisions
were written into, as phylib reads it, without clusters labelled noise. *Wrong assignments* are spikes of
true cells that are not in the unit of their cell, where each unit stands for at most one cell, of those
spikes that the sorter found. *Found*, *extra* and accuracy are those of the comparison of sorters.

{place}
"""


def arguments_given() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument("--recordings", nargs="+", choices=STILL, default=["linear32"])
    parser.add_argument("--seconds", type=float, default=60.0, help="that are reviewed  [60]")
    add_sorters(parser)
    if "--quick" not in sys.argv:  # that is done with our own sorter, which is there
        parser.set_defaults(sorters=[SORTER])
    return parsed(parser)


def main() -> int:
    """Print the table and keep it."""
    arguments = arguments_given()
    device = begin(arguments)
    chosen = chosen_recordings(arguments)
    rows = []
    for name, truth in chosen.items():
        recording, cells = made(truth, arguments.cache)
        n_samples = round(arguments.seconds * truth.sampling_frequency_hz)
        for sorter in arguments.sorters:
            called, settings = asked_of(sorter)
            found = sorted_apart(called, on_disk(truth, arguments.cache), arguments.cache / "found", settings)
            with tempfile.TemporaryDirectory(prefix="ncpgui-review-") as temporary:
                folder, session = Path(temporary) / "phy", Path(temporary) / "review.h5"
                given = found.sorting(truth.sampling_frequency_hz)
                part, (known, units), traces = first_part(
                    recording, (cells, given), n_samples, Path(temporary)
                )
                export(part, units, folder)
                before = scores(known, sorting_of(folder))
                review(folder, traces, session)
                told = answered(session, known)
                rows.append(row_of(name, sorter, before, scores(known, sorting_of(folder)), told))
            print(table([rows[-1]]), flush=True)
    which = " that settings are chosen on" if arguments.development else ""
    page = PAGE.format(rows=table(rows), which=which, place=where(device), seconds=arguments.seconds)
    seed = min(truth.seed for truth in chosen.values())
    keep(
        "review",
        {"rows": rows},
        page=page,
        origin=Origin(seed, None, {"spikes": "spikes"}),
        folder=arguments.out,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
