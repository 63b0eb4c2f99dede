"""What the window asks: for files and places, for yes or no, whether to leave without saving."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt5 import QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.question import Question
from ncpgui.app.words import sentence
from ncpgui.app.work import exports, jobs
from ncpgui.app.work.recognition import is_raw
from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.app.work.saving import export
from ncpgui.core.errors import ExportError
from ncpgui.gui.banner import Banner
from ncpgui.gui.dialogs.export import ExportDialog
from ncpgui.gui.dialogs.open_recording import OpenRecordingDialog
from ncpgui.gui.dialogs.question import QuestionBox
from ncpgui.gui.dialogs.review_recording import ReviewRecordingDialog
from ncpgui.gui.plain_text import plain
from ncpgui.gui.saved_panel import FILTER, save_panel

SESSIONS = "Sessions (*.h5 *.hdf5)"
NWB = "NWB (*.nwb *.h5 *.hdf5)"


class AskingWindow(QtWidgets.QMainWindow):
    """A window of a workspace that asks the person what actions need to know.

    Parameters
    ----------
    workspace, controller : what is shown, and what does the long work
    """

    def __init__(self, workspace: Workspace, controller: Controller) -> None:
        super().__init__()
        self.workspace = workspace
        self.controller = controller
        self.preferences = controller.preferences
        self.banner = Banner()

    def open_path(self, path: Path) -> None:
        """Open a session or a recording; what a raw binary file does not say is asked."""
        if is_raw(path):
            self.ask_open(path)
        else:
            self.controller.open_path(path)

    def ask_open(self, path: Path | None = None) -> None:
        """Ask for a recording and open it."""
        dialog = OpenRecordingDialog(self, self.controller.runner, path="" if path is None else str(path))
        if _is_accepted(dialog):
            self.controller.open_recording(dialog.request())

    def ask_session(self) -> None:
        """Ask for a session and open it."""
        self._take_file(self.controller.open_session, "Open session", SESSIONS)

    def ask_review(self) -> None:
        """Ask for the folder of another program's sorting and open it."""
        name = QtWidgets.QFileDialog.getExistingDirectory(
            self, "Folder of Phy, Kilosort or SpikeInterface to review"
        )
        if name:
            self.controller.open_path(Path(name))

    def ask_review_file(self) -> None:
        """Ask for an NWB file whose units another program made, and open it."""
        self._take_file(self.controller.open_path, "Units of an NWB file to review", NWB)

    def ask_recording_of(self, request: ReviewRequest) -> None:
        """Ask for the recording of a sorting that does not lead to it, and open both."""
        dialog = ReviewRecordingDialog(self, request)
        if _is_accepted(dialog):
            self.controller.open_review(dialog.request())

    def ask_save_as(self) -> None:
        """Ask where to save, and save."""
        known = self.controller.saving.path
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Save session as", "" if known is None else str(known), SESSIONS
        )
        if name:
            path = Path(name)
            self.controller.save(path if jobs.is_session(path) else path.with_name(f"{path.name}.h5"))

    def ask_export(self) -> None:
        """Ask for format and place, and export."""
        project = self.workspace.state.project
        assert project is not None
        home = self.controller.saving.path or Path(project.place)
        trace_bytes, copy_first = exports.traces_to_copy(project)
        dialog = ExportDialog(
            self,
            exports.export_formats(),
            folder=home.parent,
            stem=home.name.split(".")[0],
            left_out=exports.left_out_of_exports(project),
            trace_bytes=trace_bytes,
            copy_first=copy_first,
        )
        if not _is_accepted(dialog):
            return
        present = exports.files_in_the_way(dialog.format_name, dialog.path)
        if present and not self.confirm(exports.replace_question(present)):
            return
        export(
            self.workspace,
            self.controller.work,
            dialog.format_name,
            dialog.path,
            min_probability=dialog.min_probability.value(),
            copy_traces=dialog.copies_traces,
            replace_files=bool(present),
        )

    def ask_recording_place(self) -> None:
        """Ask where the recording of the session is now."""
        self._take_file(self.controller.locate_recording, "Where is the recording now?")

    def ask_events(self) -> None:
        """Ask for a file with times of events and read it."""
        files = "Events (*.npz *.csv *.tsv *.txt *.nwb *.h5 *.hdf5)"
        home = self.controller.saving.path
        folder = "" if home is None else str(home.parent)
        self._take_file(self.controller.load_events, "Load events", files, folder)

    def _take_file(self, take: Callable[[Path], None], title: str, kinds: str = "", folder: str = "") -> None:
        """Ask for a file that is there and take it."""
        name, _ = QtWidgets.QFileDialog.getOpenFileName(self, title, folder, kinds)
        if name:
            take(Path(name))

    def confirm(self, question: Question) -> bool:
        """Ask a question; whether the answer is yes."""
        box = QuestionBox(self, question.text, doing=(question.yes,), leaving=question.no)
        return box.ask() == 0

    def ask_words(self, question: str, present: str, known: tuple[str, ...] = ()) -> str | None:
        """Ask for words, `known` ones offered; None when nothing is to be done."""
        ask, title = QtWidgets.QInputDialog, question.partition(" ")[0]
        if known:
            offered = list(dict.fromkeys([present, *known]))
            text, is_given = ask.getItem(self, title, plain(question), offered, 0, True)
        else:
            text, is_given = ask.getText(self, title, plain(question), QtWidgets.QLineEdit.Normal, present)
        return text if is_given else None

    def save_picture(self) -> None:
        """Ask for a file and save a picture of the window."""
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Save picture", "ncpgui.png", "Pictures (*.png)"
        )
        if name:
            self._save_picture(self, Path(name if name.lower().endswith(".png") else f"{name}.png"))

    def ask_panel_picture(self, panel: QtWidgets.QWidget, title: str) -> None:
        """Ask for a file and save a picture of a panel."""
        name, kind = QtWidgets.QFileDialog.getSaveFileName(self, f"Save {title}", f"{title}.png", FILTER)
        if not name:
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(".svg" if "svg" in kind else ".png")
        self._save_picture(panel, path)

    def _save_picture(self, shown: QtWidgets.QWidget, path: Path) -> None:
        try:
            save_panel(shown, path)
        except ExportError as error:
            self.banner.tell(sentence(str(error)), about="picture")
        else:
            self.banner.settle("picture")
            self.workspace.state.told.emit(f"Saved {path.name}")

    def may_leave(self) -> bool:
        """Whether nothing is lost, or the person said that it may be."""
        if self.workspace.state.is_safe or self.controller.saving.path is not None:
            return True  # in the session and its journal, or saved there on closing
        answer = QuestionBox(
            self,
            "What was done to this project is not saved.",
            doing=("Save it first…", "Leave without saving"),
            leaving="Stay here",
        ).ask()
        if answer == 0:
            self.ask_save_as()
        return answer == 1


def _is_accepted(dialog: QtWidgets.QDialog) -> bool:
    """Show a dialog until it is answered; it is gone once what was asked for was read."""
    answer = dialog.exec_()
    dialog.deleteLater()
    return bool(answer == QtWidgets.QDialog.Accepted)
