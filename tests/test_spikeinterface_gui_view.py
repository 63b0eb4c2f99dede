"""The view of ncpgui in the window of SpikeInterface, driven without a display."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.ephys.given_folder import open_given
from ncpgui.session.store import save
from tests.tiny_project import RATE, tiny_project

pytest.importorskip("spikeinterface_gui", reason="spikeinterface-gui is not installed: pip install .[sigui]")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

LAYOUT = {f"zone{k}": [] for k in range(1, 9)} | {
    "zone1": ["ncpgui"],
    "zone2": ["unitlist"],
    "zone5": ["curation"],
}
ENTRY = importlib.metadata.EntryPoint(
    "ncpgui", "ncpgui.spikeinterface_gui_view:AlternativesView", "spikeinterface_gui.views"
)


@pytest.fixture
def analyzer(tmp_path: Path) -> Path:
    """An analyzer beside its review: b is two cells at 90 %, c and d are one at 80 %, a is in no question."""
    from spikeinterface.core import NumpyRecording, NumpySorting, create_sorting_analyzer

    project = tiny_project(
        {0: [[0] * 60], 1: [[0] * 60, [0] * 40 + [1] * 20], 2: [[0] * 30 + [1] * 30, [0] * 60]},
        masses={1: [0.1, 0.9], 2: [0.2, 0.8]},
    )
    n_samples = project.spikes.n_samples
    recording = NumpyRecording(
        [np.random.default_rng(0).normal(size=(n_samples, 3)).astype(np.float32)], RATE
    )
    recording.set_dummy_probe_from_locations(np.array([[0.0, 0.0], [0.0, 30.0], [0.0, 60.0]]))
    trains = {name: project.spikes.sample_index[project.unit_of_spike == k] for k, name in enumerate("abcd")}
    folder = tmp_path / "analyzer"
    made = create_sorting_analyzer(
        NumpySorting.from_unit_dict([trains], RATE),
        recording,
        format="binary_folder",
        folder=folder,
        sparse=False,
    )
    made.compute(["random_spikes", "templates", "noise_levels", "unit_locations"])
    traces = ArrayRecording(
        np.zeros((n_samples, 3), np.int16), sampling_frequency_hz=RATE, probe=project.probe
    )
    save(replace(project, given=open_given(folder, traces).given), tmp_path / "analyzer.ncp.h5")
    return folder


@pytest.fixture
def windows(qapp: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Opens the window of an analyzer with the view of ncpgui."""
    from spikeinterface.core import load_sorting_analyzer
    from spikeinterface_gui import run_mainwindow, viewlist

    class Metadata:
        """Entry points of an installation of this checkout, for spikeinterface-gui alone."""

        entry_points = staticmethod(lambda group: [ENTRY] if group == ENTRY.group else [])

    monkeypatch.setattr(viewlist, "importlib", SimpleNamespace(metadata=Metadata))
    opened = []

    def window(folder: Path, **more: Any) -> Any:
        made = run_mainwindow(
            load_sorting_analyzer(folder), layout=LAYOUT, start_app=False, **{"curation": True, **more}
        )
        opened.append(made)
        qapp.processEvents()
        made.views["ncpgui"].refresh()
        return made

    yield window
    for made in opened:
        made.controller.current_curation_saved = True
        made.close()
        made.deleteLater()
    qapp.processEvents()


def table(view: Any) -> list[tuple[str, str]]:
    return [
        (view.table.item(row, 0).text(), view.table.item(row, 1).text())
        for row in range(view.table.rowCount())
    ]


def test_questions_are_answered_in_the_curation_of_the_window(analyzer: Path, windows: Any) -> None:
    from spikeinterface.curation import apply_curation

    window = windows(analyzer)
    view, controller = window.views["ncpgui"], window.controller
    assert "2 questions in all, 0 answered" in view.label.text()
    found = {}
    for _ in range(2):
        view.go(1)
        assert table(view)[1][1] == "as given ✔"
        view.table.setCurrentCell(0, 0)
        view.show_alternative(0)
        selected = controller.get_indices_spike_selected()
        view.use(0)
        found[tuple(controller.get_visible_unit_ids())] = (table(view)[0][1], len(selected))
    assert found == {("b",): ("splits b in 2 ✔", 20), ("c", "d"): ("merges c + d ✔", 0)}
    assert "2 questions in all, 2 answered" in view.label.text()
    assert window.views["curation"].table_merge.rowCount() == 1
    after = apply_curation(controller.analyzer.sorting, controller.construct_final_curation())
    assert sorted(after.count_num_spikes_per_unit(outputs="array").tolist()) == [20, 40, 60, 60]
    view.use(1)
    assert "1 answered" in view.label.text()


def test_after_the_curation_was_applied_units_that_changed_are_told(analyzer: Path, windows: Any) -> None:
    window = windows(analyzer, iterative_curation=True)
    view, controller = window.views["ncpgui"], window.controller
    controller.set_visible_unit_ids(["c", "d"])
    view.refresh()
    view.use(0)
    controller.apply_curation()
    assert sorted(map(str, controller.unit_ids)) != ["a", "b", "c", "d"]
    controller.set_visible_unit_ids([controller.unit_ids[-1]])
    view.refresh()
    assert table(view) == []
    controller.set_visible_unit_ids(["b"])
    view.refresh()
    assert table(view)[0][1] == "splits b in 2"


def test_without_curation_or_without_a_review_the_view_says_what_to_do(
    analyzer: Path, windows: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = windows(analyzer, curation=False)
    view = window.views["ncpgui"]
    warnings: list[str] = []
    monkeypatch.setattr(view, "warning", warnings.append)
    view.go(1)
    assert "sigui --curation" in view.label.text()
    view.use(0)
    assert "sigui --curation ANALYZER" in warnings[0]
    session = tmp_path / "elsewhere" / "review.h5"
    session.parent.mkdir()
    (tmp_path / "analyzer.ncp.h5").rename(session)
    assert "was not reviewed yet" in windows(analyzer).views["ncpgui"].label.text()
    named = windows(analyzer, external_data={"ncpgui": str(session)}).views["ncpgui"]
    assert "2 questions in all" in named.label.text()


def test_a_curation_that_was_written_back_is_shown_as_the_answer(analyzer: Path, windows: Any) -> None:
    place = analyzer / "spikeinterface_gui" / "curation_data.json"
    place.parent.mkdir()
    curation = {
        "format_version": "2",
        "unit_ids": ["a", "b", "c", "d"],
        "label_definitions": {"quality": {"label_options": ["good", "noise", "MUA"], "exclusive": True}},
        "manual_labels": [],
        "merges": [{"unit_ids": ["c", "d"], "new_unit_id": "4"}],
        "splits": [],
        "removed": [],
    }
    place.write_text(json.dumps(curation))
    window = windows(analyzer)
    window.controller.set_visible_unit_ids(["d"])
    view = window.views["ncpgui"]
    view.refresh()
    assert table(view)[0][1] == "merges c + d ✔"
