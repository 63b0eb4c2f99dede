"""A sorting without its raw data is opened, looked at, curated by keys, and written back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from ncpgui.app.presenters.similar_units import present_similar
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.panels.alternatives import NO_QUESTIONS_PX
from tests.phy_folder import FEW, HALF, MERGED, OTHER_HALF, TRAINS, write_phy

from .painted_text import painted_texts
from .windows import drop_file, press_keys, settle, shown_window

SHARED = Path(os.environ.get("NCPGUI_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


@pytest.fixture
def window(qtbot, tmp_path: Path):
    with shown_window(qtbot, tmp_path) as window:
        yield window


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of Phy whose recording is lost, with the templates that its cells have."""
    folder = write_phy(tmp_path / "ks4")
    (folder / "recording.dat").unlink()
    templates = np.zeros((4, 40, 4), np.float32)
    for template, height in enumerate([(1, 0, 0, 4), (0, 0, 3, 1), (0, 0, 3, 1), (5, 2, 1, 1)]):
        templates[template, 20] = -np.array(height)
    np.save(folder / "templates.npy", templates / np.linalg.norm(templates, axis=(1, 2), keepdims=True))
    np.save(folder / "amplitudes.npy", np.full(sum(map(len, TRAINS.values())), 10.0))
    return folder


def shared(name: str, tmp_path: Path) -> Path:
    if not (SHARED / name).is_dir():
        pytest.skip(f"{SHARED / name} is not there; NCPGUI_SHARED_DATA names the folder that has it")
    return Path(shutil.copytree(SHARED / name, tmp_path / name))


def test_units_times_and_templates_are_on_screen_and_panels_say_what_is_not(
    window: MainWindow, folder: Path
) -> None:
    drop_file(window, folder)
    settle()
    workspace, bench = window.workspace, window.bench
    assert "Opened without raw data: the recording that" in window.banner.text.text()
    assert "--" not in window.banner.text.text()
    assert window.banner.action_button.text() == "Choose the recording…"
    assert bench.units.listed_units == tuple(sorted(TRAINS))
    assert workspace.selected == (FEW,), "something is on screen at once"
    assert "no questions" in bench.queue.message.text()
    assert "no waveforms and no probabilities" in bench.alternatives.message.text()
    assert bench.alternatives.height() <= NO_QUESTIONS_PX, "the other panels have the room"
    workspace.select([HALF, MERGED])
    settle()
    assert bench.alternatives.headline.text() == "Units 7 and 40"
    columns = bench.waveforms.plot.view.columns
    assert [column.n_spikes for column in columns] == [len(TRAINS[HALF]), len(TRAINS[MERGED])]
    assert bench.waveforms.note.text().startswith("templates of the sorter")
    assert not any("unknown" in text.words for text in painted_texts(bench.waveforms.plot))
    assert not set(bench.units.shown_columns) & {"p_neuron", "p_pure", "p_complete"}, (
        "nothing is known of them"
    )
    assert {"snr", "isi"} <= set(bench.units.shown_columns)
    assert "come" not in bench.waveforms.message.text()
    assert "pc_features.npy" in bench.embedding.message.text()
    window.bench.show_layout("inspect")
    settle()
    assert "opened without its raw data" in bench.traces.message.text()
    assert "no raw data" in window.status.about_project.text()
    assert not window.status.wrong_left.text()


def test_it_is_curated_by_keys_saved_and_written_back(
    qtbot, window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop_file(window, folder)
    settle()
    workspace = window.workspace
    workspace.select([HALF, OTHER_HALF])
    press_keys(qtbot, window, "G", "Alt+G")
    (merged,) = workspace.selected
    assert len(workspace.state.clustering.spikes_of(merged)) == len(TRAINS[HALF]) + len(TRAINS[OTHER_HALF])
    window.controller.close()
    window.open_path(folder.with_name("ks4.ncp.h5"))
    settle()
    assert merged in workspace.state.clustering, "a session keeps what was done"
    assert workspace.state.shapes is not None
    monkeypatch.setattr(window, "confirm", lambda _: True)
    window.actions_["write_back"].trigger()
    clusters = np.load(folder / "spike_clusters.npy").ravel()
    assert {int(unit): int(n) for unit, n in zip(*np.unique(clusters, return_counts=True), strict=True)} == {
        FEW: len(TRAINS[FEW]),
        MERGED: len(TRAINS[MERGED]),
        merged: len(TRAINS[HALF]) + len(TRAINS[OTHER_HALF]),
    }
    assert f"{merged}\tgood" in (folder / "cluster_group.tsv").read_text()


def test_similar_units_are_those_of_like_templates(window: MainWindow, folder: Path) -> None:
    drop_file(window, folder)
    settle()
    window.workspace.select([HALF])
    first = present_similar(window.workspace).rows[0]
    assert first.unit == OTHER_HALF
    assert first.distance_sd == pytest.approx(0, abs=0.01)
    assert np.isnan(first.p_same), "no posterior tells"
    assert not first.is_elsewhere


def test_a_click_on_the_probe_selects_the_units_there(window: MainWindow, folder: Path) -> None:
    drop_file(window, folder)
    settle()
    window.bench.probe_map.map.clicked.emit(2, False)
    assert window.workspace.selected == (HALF, OTHER_HALF)


def test_templates_that_are_lost_are_missed_where_they_would_be(window: MainWindow, folder: Path) -> None:
    (folder / "templates.npy").unlink()
    drop_file(window, folder)
    settle()
    assert "has no templates.npy" in window.bench.waveforms.message.text()
    assert window.bench.units.listed_units == tuple(sorted(TRAINS))


@pytest.mark.shared_data
@pytest.mark.parametrize(("name", "n_units"), [("phy_template", 62), ("kilosort_toy", 15)])
def test_real_folders_open_in_the_window(window: MainWindow, tmp_path: Path, name: str, n_units: int) -> None:
    drop_file(window, shared(name, tmp_path))
    settle()
    assert len(window.bench.units.listed_units) == n_units
    window.workspace.select(window.workspace.state.clustering.unit_ids.tolist()[:3])
    settle()
    assert len(window.bench.waveforms.plot.view.columns) == 3
