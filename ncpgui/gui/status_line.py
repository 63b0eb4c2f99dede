"""The line at the bottom of the window: messages, long work, what is left to decide, what is open."""

from __future__ import annotations

from pathlib import Path

from PyQt5 import QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.queue import present_wrong_left
from ncpgui.app.words import count, duration, sentence, thousands, without_options
from ncpgui.app.work.activity import Activity
from ncpgui.gui.activity import ActivityWidget
from ncpgui.gui.items.elided_label import ElidedLabel
from ncpgui.gui.plain_text import Label
from ncpgui.gui.soon import Soon

MESSAGE_MS = 12_000


class StatusLine(QtWidgets.QStatusBar):
    """Follows a workspace and the work for it; messages and work share the room."""

    def __init__(self, workspace: Workspace, controller: Controller) -> None:
        super().__init__()
        self._workspace = workspace
        self.activity = ActivityWidget(bar_width=120)
        self.activity.stopped.connect(controller.cancel)
        self.about_project = ElidedLabel()
        self.about_project.setContentsMargins(12, 0, 12, 0)
        self.about_project.setToolTip(
            "Channels and length of the recording, spikes that were found in it, and the network that\n"
            "made the draws"
        )
        self.wrong_left = Label()
        self.wrong_left.setToolTip(
            "Number of spikes that are expected to be in a wrong unit, by the draws of the questions\n"
            "that are still open: stop when it is small enough"
        )
        self.setSizeGripEnabled(False)
        self.addPermanentWidget(self.activity)
        self.addPermanentWidget(self.wrong_left)
        self.addPermanentWidget(self.about_project)
        self._counting = Soon(self, self.count_wrong)
        for signal in (workspace.state.components_changed, workspace.state.units_changed):
            signal.connect(self._counting.ask)
        workspace.state.told.connect(self.tell)
        controller.work.activity_changed.connect(self._show_activity)

    def tell(self, text: str) -> None:
        """Show a message for a while."""
        self.showMessage(without_options(text), MESSAGE_MS)

    def count_wrong(self) -> None:
        """Say how many spikes the questions left are about."""
        self.wrong_left.setText(sentence(present_wrong_left(self._workspace)))

    def tell_project(self) -> None:
        """Say what is open."""
        project = self._workspace.state.project
        if project is None:
            self.about_project.clear()
            return
        recording = project.recording
        seconds = recording.n_samples / recording.sampling_frequency_hz
        review = "" if project.given is None else f"review of {Path(project.given.path).name} · "
        self.about_project.setText(
            f"{review}{count(project.probe.n_channels, 'channel')} · {duration(seconds)} · "
            f"{thousands(len(project.spikes))} spikes · "
            + (f"model {project.model}" if recording.has_traces else "no raw data")
        )

    def _show_activity(self, activity: Activity | None) -> None:
        self.activity.show_activity(activity)
        is_busy = activity is not None and self._workspace.state.project is not None
        self.activity.setVisible(is_busy)
        for widget in (self.about_project, self.wrong_left):
            widget.setVisible(not is_busy)  # messages need their room
