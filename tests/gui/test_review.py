"""Another sorter's folder is dropped on the window, decided on, and its decisions written back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtWidgets
from scipy.optimize import linear_sum_assignment

from ncpgui.app.model.unit_numbers import unit_label
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.queue import present_queue
from ncpgui.app.work import reviewing
from ncpgui.gui.dialogs.review_recording import ReviewRecordingDialog
from ncpgui.gui.main_window import MainWindow
from ncpgui.session import store
from tests.phy_folder import (
    FEW,
    FIRST,
    HALF,
    MERGED,
    OTHER_HALF,
    SECOND,
    SETTINGS,
    THIRD,
    TRAINS,
    bytes_of,
    write_phy,
)

from .windows import drop_file, shown_window

TRUTH = (FIRST, SECOND, THIRD)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_phy(tmp_path / "ks4")


@pytest.fixture
def window(qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The window; sortings are sampled in a second."""
    found = reviewing.find_given
    monkeypatch.setattr(
        reviewing, "find_given", lambda request, **rest: found(replace(request, settings=SETTINGS), **rest)
    )
    with shown_window(qtbot, tmp_path) as window:
        yield window


def drop(qtbot, window: MainWindow, path: Path) -> None:
    drop_file(window, path)
    qtbot.waitUntil(lambda: window.workspace.state.project is not None or window.banner.isVisible())


def wrong_spikes(folder: Path) -> int:
    """Spikes of the three cells that are not in the one cluster that stands for their cell."""
    times = np.load(folder / "spike_times.npy").ravel()
    clusters = np.load(folder / "spike_clusters.npy").ravel()
    shared = np.array(
        [[np.isin(times[clusters == k], cell).sum() for k in np.unique(clusters)] for cell in TRUTH]
    )
    rows, columns = linear_sum_assignment(-shared)
    return sum(map(len, TRUTH)) - int(shared[rows, columns].sum())


def test_a_folder_is_reviewed_decided_on_by_keys_and_written_back(
    qtbot, window: MainWindow, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wrong_spikes(folder) == 120 + 45, "the smaller cell of the merged unit, and half of the third"
    before = bytes_of(folder)
    drop(qtbot, window, folder)
    workspace = window.workspace
    assert workspace.state.clustering.unit_ids.tolist() == sorted(TRAINS)
    assert unit_label(workspace.state, MERGED) == "good"
    assert "cluster_group.tsv lacks clusters 3, 12: they are unsorted" in window.banner.text.text()
    qtbot.waitUntil(lambda: not window.controller.sampling.is_under_way)
    assert sorted(workspace.state.clustering.unit_ids.tolist()) == sorted(TRAINS), "sampling changes nothing"
    assert window.status.about_project.text().startswith(f"review of {folder.name} · ")

    decisions = 0
    for row in present_queue(workspace):
        workspace.show_component(row.component_id)
        cards = present_alternatives(workspace).cards
        if not cards:
            continue
        assert cards[0].title.endswith(", as given")
        best = max(cards, key=lambda card: card.mass)
        qtbot.keyClicks(window, best.key)
        qtbot.keyClick(window, QtCore.Qt.Key_Return)
        decisions += 1
    assert decisions == 2
    workspace.label([FEW], "noise")
    assert bytes_of(folder) == before, "nothing is written before it is asked for"

    asked: list[str] = []
    monkeypatch.setattr(window, "confirm", lambda question: not asked.append(question.text))
    window.actions_["write_back"].trigger()
    qtbot.waitUntil(lambda: (folder / "before-ncpgui").is_dir())
    assert str(folder) in asked[0]
    clusters = np.load(folder / "spike_clusters.npy").ravel()
    times = np.load(folder / "spike_times.npy").ravel()
    assert len(np.unique(clusters)) == 4
    assert wrong_spikes(folder) < 5, "two decisions put right what was wrong"
    third = np.isin(times, np.concatenate([TRAINS[HALF], TRAINS[OTHER_HALF]]))
    assert len(np.unique(clusters[third])) == 1
    assert f"{FEW}\tnoise" in (folder / "cluster_group.tsv").read_text()


def test_a_review_is_kept_beside_the_folder_and_goes_on_where_it_was(
    qtbot, window: MainWindow, folder: Path, tmp_path: Path
) -> None:
    drop(qtbot, window, folder)
    qtbot.waitUntil(lambda: not window.controller.sampling.is_under_way)
    window.workspace.merge([HALF, OTHER_HALF])
    units = window.workspace.state.clustering.unit_of_spike.copy()
    window.controller.save()
    window.controller.close()
    window.open_path(tmp_path / "ks4.ncp.h5")
    np.testing.assert_array_equal(window.workspace.state.clustering.unit_of_spike, units)
    assert window.actions_["write_back"].isEnabled()
    assert store.load(tmp_path / "ks4.ncp.h5").given is not None


def test_a_recording_that_is_missing_is_asked_for(
    qtbot, window: MainWindow, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    moved = (folder / "recording.dat").rename(tmp_path / "elsewhere" / "moved.dat")
    drop(qtbot, window, folder)
    assert "is not there; give it, or correct dat_path" in window.banner.text.text()
    assert "--" not in window.banner.text.text()

    def choose(dialog: ReviewRecordingDialog) -> int:
        assert not dialog.go.isEnabled()
        dialog.path.setText(str(moved))
        assert dialog.go.isEnabled()
        dialog.channels.setText("5")
        assert not dialog.go.isEnabled(), "channels without a sampling frequency say nothing"
        dialog.channels.setText("")
        return int(QtWidgets.QDialog.Accepted)

    monkeypatch.setattr(ReviewRecordingDialog, "exec_", choose)
    window.banner.action_button.click()
    qtbot.waitUntil(lambda: window.workspace.state.project is not None)
    assert window.workspace.state.project.recording.path == str(moved)


def test_a_project_that_reviews_nothing_has_nothing_to_write_back(window: MainWindow) -> None:
    assert not window.actions_["write_back"].isEnabled()
