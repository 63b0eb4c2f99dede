"""The main job on a real recording, through the command line, the real window and other tools."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.cli.main import run
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation import conditioned
from ncpgui.gui.dialogs.export import ExportDialog
from tests.gui.windows import shown_window

Qt = QtCore.Qt
RAW = ("--sampling-frequency", "15000", "--n-channels", "4", "--dtype", "int16", "--probe", "tetrode")


@pytest.mark.shared_data
def test_a_real_tetrode_is_sorted_curated_and_read_by_spikeinterface(
    qtbot, tmp_path: Path, locust_recording: Path, monkeypatch
) -> None:
    session, phy = tmp_path / "locust.h5", tmp_path / "phy"
    assert run(["sort", str(locust_recording), "--out", str(session), *RAW]) == 0
    with shown_window(qtbot, tmp_path, threads=True) as window:
        workspace, cards = window.workspace, window.bench.alternatives.cards
        window.open_path(session)
        qtbot.waitUntil(lambda: workspace.state.project is not None, timeout=30_000)

        def press(code: int, modifiers: object = Qt.NoModifier) -> None:
            QtWidgets.QApplication.processEvents()
            qtbot.keyClick(window, code, modifiers)
            QtWidgets.QApplication.processEvents()

        # A component is ambiguous about the number of units, and the cards say how much.
        ambiguous = []
        for component_id in workspace.questions.queue_order():
            workspace.show_component(component_id)
            title = present_alternatives(workspace).title
            qtbot.waitUntil(lambda t=title: window.bench.alternatives.headline.text() == t)
            shown = [card.card for card in cards]
            if len({len(card.units) for card in shown}) > 1:
                ambiguous.append(component_id)
                assert all(0 <= card.mass < 1 for card in shown)
                assert 0 < sum(card.mass for card in shown) <= 1 + 1e-9
        assert ambiguous

        # Another alternative, with another number of units, is looked at and used.
        workspace.show_component(ambiguous[0])
        QtWidgets.QApplication.processEvents()
        n_before = len(workspace.current().units)
        counts = [len(card.card.units) for card in cards]
        other = next(i for i, count in enumerate(counts) if count != n_before and count > 1)
        press(Qt.Key_1 + other)
        assert workspace.preview == other
        press(Qt.Key_Return)
        assert workspace.present_alternative() == other
        n_accepted = len(workspace.current().units)
        assert n_accepted != n_before

        # Two units are merged, undone, redone.
        pair = [unit.unit for unit in workspace.current().units[:2]]
        workspace.select(pair)
        press(Qt.Key_G)
        merged = workspace.state.clustering.unit_of_spike.copy()
        assert len(workspace.current().units) == n_accepted - 1
        press(Qt.Key_Z, Qt.ControlModifier)
        assert len(workspace.current().units) == n_accepted
        press(Qt.Key_Z, Qt.ControlModifier | Qt.ShiftModifier)
        assert (workspace.state.clustering.unit_of_spike == merged).all()

        # In a component of several units one is accepted, and the rest is sampled again.
        monkeypatch.setattr(conditioned, "FEW_DRAWS", 1e9)  # however many draws have it so
        several = (c for c in workspace.questions.queue_order() if len(workspace.current_of(c).units) > 1)
        workspace.show_component(next(several))
        kept = workspace.current().units[0].unit
        workspace.select([kept])
        merged = workspace.state.clustering.unit_of_spike.copy()
        press(Qt.Key_Y)
        component = workspace.component()
        press(Qt.Key_R)
        qtbot.waitUntil(lambda: workspace.component() is not component, timeout=60_000)
        inside = merged[workspace.component().spike_ids[workspace.component().sampled]] == kept
        assert inside.any()
        assert all(len(set(row[inside])) == 1 for row in workspace.component().posterior.labels)
        assert (workspace.state.clustering.unit_of_spike == merged).all()

        # Exported with the dialog.
        def choose(dialog: ExportDialog) -> int:
            dialog.choices["phy"].setChecked(True)
            dialog.place.setText(str(phy))
            return QtWidgets.QDialog.Accepted

        monkeypatch.setattr(ExportDialog, "exec_", choose)
        press(Qt.Key_E, Qt.ControlModifier)
        qtbot.waitUntil(lambda: not window.controller.runner.is_running, timeout=60_000)
        assert not window.banner.isVisible(), window.banner.text.text()
        sample_index = workspace.state.project.spikes.sample_index

    from spikeinterface.extractors import read_phy

    sorting = read_phy(phy)
    assert sorting.get_num_units() == len(np.unique(merged[merged != UNASSIGNED]))
    for unit in sorting.unit_ids:
        expected = np.sort(sample_index[merged == int(unit)])
        assert (sorting.get_unit_spike_train(unit, segment_index=0) == expected).all()

    # What was done is in the journal: another process finds it.
    script = (
        "import sys; from ncpgui.session.session_file import open_session\n"
        "from ncpgui.app.model.workspace import Workspace\n"
        "session = open_session(sys.argv[1]); work = Workspace()\n"
        "work.state.open(session.project, session=session, entries=session.journal_entries)\n"
        "print(len(work.state.clustering.unit_ids)); work.state.close()"
    )
    again = subprocess.run(
        [sys.executable, "-c", script, str(session)], capture_output=True, text=True, check=True
    )
    assert int(again.stdout) == len(np.unique(merged[merged != UNASSIGNED]))
