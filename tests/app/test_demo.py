"""The score of the demo, on sortings whose score is known by hand."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ncpgui.app import demo
from ncpgui.app.demo import component_scores, true_units, write_score
from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.spikes import Sorting, SpikeEvents

RATE = 20_000.0
TRUTH = Sorting(np.array([100, 200, 300, 400, 500, 503]), np.array([0, 1, 0, 1, 0, 1]), RATE, 1000)


def events(times: list[int], channel: int = 0) -> SpikeEvents:
    n = len(times)
    return SpikeEvents(np.array(times), np.full(n, channel), np.full(n, -9.0), RATE, 1000)


def project(labels: list[int], times: list[int], masses: tuple[float, ...] = (1.0,)) -> Project:
    """One component with all its spikes sampled."""
    n = len(times)
    cluster = np.array(labels, dtype=np.int32)
    alternatives = tuple(
        Alternative(cluster, np.ones(n, np.float32), mass, 0.0, np.ones(cluster.max() + 1, np.float32))
        for mass in masses
    )
    component = Component(
        0,
        np.array([0]),
        np.arange(n),
        np.arange(n),
        PosteriorSamples(cluster[None], np.zeros(1)),
        alternatives,
    )
    return Project(
        recording=RecordingReference("", {}, "", 1, RATE, 1000),
        probe=Probe(np.zeros((1, 2))),
        spikes=events(times),
        noise_sd=np.ones(1, np.float32),
        components=(component,),
        unit_of_spike=cluster.astype(np.int64),
        probability=np.ones(n, np.float32),
        settings={},
        model="spikes",
    )


def test_a_spike_belongs_to_the_true_spike_within_four_tenths_of_a_millisecond() -> None:
    spikes = events([92, 191, 208, 308])
    assert true_units(spikes, np.arange(4), TRUTH, np.ones(2)).tolist() == [0, -1, 1, 0]


def test_of_two_true_spikes_the_one_deeper_on_the_channel_counts() -> None:
    spikes = events([501])
    for depth, unit in (([9.0, 3.0], 0), ([3.0, 9.0], 1)):
        assert true_units(spikes, np.arange(1), TRUTH, np.array(depth)).tolist() == [unit]


@pytest.mark.parametrize(("labels", "ami"), [([0, 1, 0, 1], 1.0), ([0, 0, 0, 0], 0.0)])
def test_the_agreement_of_a_component_is_one_when_right_and_zero_when_all_is_one_unit(
    labels: list[int], ami: float
) -> None:
    (component,) = component_scores(project(labels, [100, 200, 300, 400]), TRUTH, np.ones((2, 1)))
    assert component["ami"] == ami
    assert (component["n_scored"], component["n_not_in_truth"], component["n_true_units"]) == (4, 0, 2)


def test_spikes_that_nobody_fired_are_counted_apart() -> None:
    (component,) = component_scores(
        project([0, 1, 0, 1, 2], [100, 200, 300, 400, 800]), TRUTH, np.ones((2, 1))
    )
    assert (component["n_scored"], component["n_not_in_truth"]) == (4, 1)


def test_a_stray_spike_of_another_neuron_does_not_count_as_a_unit_that_was_missed() -> None:
    (component,) = component_scores(project([0, 0, 0], [100, 300, 400]), TRUTH, np.ones((2, 1)))
    assert (component["ami"], component["n_scored"], component["n_true_units"]) == (1.0, 2, 1)


def test_the_score_is_plain_json(tmp_path: Path) -> None:
    write_score(tmp_path / "score.json", {"mean_ami": 0.5})
    assert json.loads((tmp_path / "score.json").read_text()) == {"mean_ami": 0.5}


def test_a_demo_saves_exports_and_scores_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With stand-ins for the simulation, the sorting and what is written."""
    sorted_, done = project([0, 0, 1], [92, 291, 400]), []
    recording = SimpleNamespace(recording="recording", stimulus="stimulus")
    monkeypatch.setattr(demo, "simulate", lambda folder, settings, progress: recording)
    monkeypatch.setattr("ncpgui.sorting.pipeline.sort_recording", lambda *given, **more: sorted_)
    monkeypatch.setattr("ncpgui.session.store.save", lambda one, path: done.append(("saved", path.name)))
    monkeypatch.setattr(
        "ncpgui.export.whole_project.export_project",
        lambda one, decisions, kind, folder: done.append((kind, folder.name)),
    )
    monkeypatch.setattr(demo, "score", lambda one, simulated: {"ami": 0.5})
    told: list[tuple[int, int, str]] = []
    result = demo.run_demo(
        tmp_path,
        demo.DemoSettings(),
        progress=lambda part, whole, words="": told.append((part, whole, words)),
    )
    assert done == [("saved", "session.h5"), ("phy", "phy")]
    assert told == [
        (90, 100, "saving the session"),
        (93, 100, "exporting to Phy"),
        (97, 100, "scoring against the true spikes"),
        (100, 100, "done"),
    ]
    written = json.loads((tmp_path / "score.json").read_text())
    assert written["ami"] == 0.5
    assert list(written["seconds"]) == ["simulate", "sort", "save", "export", "score"]
    assert result.score == {**written, "settings": result.score["settings"]}


def test_fields_of_found_units_are_scored_against_those_of_their_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cells 7, 8 and 9 have their centres at 0, 10 and 20 px; not all are found, or clear."""
    fields = {1: ((23.0, 16.0), True), 2: ((0.0, 0.0), False), 3: ((7.0, 4.0), True)}

    def field_of(stimulus: object, train: np.ndarray) -> SimpleNamespace:
        center, is_clear = fields[len(train)]
        return SimpleNamespace(center_px=center, is_clear=is_clear)

    monkeypatch.setattr("ncpgui.analysis.receptive_field.receptive_field", field_of)
    centre = np.array([[20.0, 20.0], [10.0, 10.0], [0.0, 0.0]])
    simulated = SimpleNamespace(
        stimulus=None, cells={"unit_id": np.array([9, 8, 7]), "field_centre_px": centre}
    )
    sorting = Sorting(np.arange(6) * 100, np.array([0, 1, 1, 2, 2, 2]), RATE, 1000)

    def scored(true_ids: list[int], best_match: list[int]) -> dict:
        compared = SimpleNamespace(true_ids=np.array(true_ids), best_match=np.array(best_match))
        return demo.field_scores(sorting, compared, simulated)  # type: ignore[arg-type]

    assert scored([7, 8, 9], [1, -1, 0]) == {
        "n_units": 2,
        "n_clear": 1,
        "median_error_px": 5.0,
        "largest_error_px": 5.0,
    }
    assert scored([8, 9], [2, 0]) == {
        "n_units": 2,
        "n_clear": 2,
        "median_error_px": round((5 + np.hypot(3, 6)) / 2, 3),
        "largest_error_px": round(float(np.hypot(3, 6)), 3),
    }
    assert scored([7, 8], [1, -1]) == {
        "n_units": 1,
        "n_clear": 0,
        "median_error_px": None,
        "largest_error_px": None,
    }


def test_a_sorting_is_scored_unit_by_unit_and_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unit 0 lacks one of the three spikes of cell 0; unit 1 is cell 1, which is a little too small."""
    monkeypatch.setattr(demo, "field_scores", lambda *_: {})
    cells = {
        "unit_id": np.array([1, 0]),
        "amplitude_sd": np.array([demo.MIN_CLEAR_SD - 0.01, demo.MIN_CLEAR_SD]),
        "template_sd": -np.ones((2, 3, 1)),
        "type": np.array(["OFF", "ON"]),
        "main_channel": np.array([3, 4]),
    }
    truth = Sorting(np.array([100, 200, 300, 400, 500, 600]), np.array([0, 1, 0, 1, 0, 1]), RATE, 1000)
    sorted_ = project([0, 1, 0, 1, 1], [100, 200, 300, 400, 600], masses=(0.89, 0.11))
    found = demo.score(sorted_, SimpleNamespace(truth=truth, cells=cells))  # type: ignore[arg-type]
    assert found["units"] == [
        {
            "true_unit": unit,
            "type": kind,
            "main_channel": channel,
            "amplitude_sd": amplitude,
            "n_spikes": 3,
            "found_unit": unit,
            "accuracy": accuracy,
            "precision": 1.0,
            "recall": accuracy,
        }
        for unit, kind, channel, amplitude, accuracy in (
            (0, "ON", 4, demo.MIN_CLEAR_SD, 0.6667),
            (1, "OFF", 3, round(demo.MIN_CLEAR_SD - 0.01, 2), 1.0),
        )
    ]
    assert (found["n_spikes"], found["mean_ami"], found["false_units"]) == (5, 1.0, [])
    assert found["n_ambiguous_components"] == 1
    assert (found["summary"]["true_units"], found["summary_clear"]["true_units"]) == (2, 1)
    sure = project([0, 1], [100, 200], masses=(0.9, 0.1))
    assert demo.score(sure, SimpleNamespace(truth=truth, cells=cells))["n_ambiguous_components"] == 0  # type: ignore[arg-type]
