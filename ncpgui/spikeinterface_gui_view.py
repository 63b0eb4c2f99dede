"""A view of spikeinterface-gui: how the units that are shown could be sorted, each way with its probability.

spikeinterface-gui finds it by the entry point ``spikeinterface_gui.views``; its name in a layout is
``ncpgui``. It shows the review of the analyzer that is open, of a session that ``ncpgui review`` wrote beside
it, or that ``external_data={"ncpgui": "SESSION.h5"}`` names. An answer goes into the curation
of spikeinterface-gui.

Importing it needs spikeinterface-gui, whose Qt it uses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from spikeinterface_gui.view_base import ViewBase

from ncpgui.core.counted import count
from ncpgui.core.errors import InputError, NcpguiError
from ncpgui.core.percent import percent_of_draws
from ncpgui.export.offered import OfferedAlternative, OfferedQuestion
from ncpgui.export.reviewed_analyzer import ReviewedAnalyzer
from ncpgui.session.reviews import reviews_beside
from ncpgui.session.store import load

NAME = "ncpgui"
HELP = """
## Alternatives of ncpgui

`ncpgui review ANALYZER` asks for a second opinion on the units of an analyzer. This view shows it: each way
to sort the units that are shown, with its probability.

- **Previous**, **Next** : the next question, the one whose answer puts most spikes right first
- **Use this way** (or a double click, or Return) : it becomes a merge or a split of the curation, and
  replaces what was said of these units before
- Select a row to see its units; the spikes that would be split off are selected

Ways that move spikes from unit to unit are shown, and cannot be used here: a curation has whole merges and
splits only.
"""
SHARE, WORDS = "probability", "what it does"


class AlternativesView(ViewBase):  # type: ignore[misc]
    """Questions about the units that are shown, and buttons to answer them."""

    id = NAME
    _supported_backend: ClassVar[list[str]] = ["qt", "panel"]
    _depend_on = None
    _need_compute = False
    _settings = None
    _gui_help_txt = HELP
    table: Any

    def __init__(self, controller: Any = None, parent: Any = None, backend: str = "qt") -> None:
        self.review: ReviewedAnalyzer | None = None
        self.question: OfferedQuestion | None = None
        self.problem = ""
        try:
            self.review = review_of(controller)
        except NcpguiError as error:
            self.problem = str(error)
        ViewBase.__init__(self, controller=controller, parent=parent, backend=backend)

    # what is shown

    def _look(self) -> None:
        """Find the question about the units that are visible."""
        visible = self.controller.get_visible_unit_ids()
        self.question = None if self.review is None else self.review.about(visible)

    def _alternatives(self) -> tuple[OfferedAlternative, ...]:
        return () if self.question is None or not self._is_there() else self.question.alternatives

    def _is_there(self) -> bool:
        assert self.review is not None
        assert self.question is not None
        return self.review.is_there(self.question, self.controller.num_spikes)

    def _rows(self) -> list[tuple[str, str]]:
        """Probability and words of each way; the one that the curation has is marked."""
        rows = []
        for alternative in self._alternatives():
            rest = (
                f" ({alternative.n_left} spikes stay where they are)"
                if alternative.is_offered and alternative.n_left
                else ""
            )
            words = "as given" if alternative.is_given else alternative.words + rest
            rows.append(
                (percent_of_draws(alternative.mass), words + (" ✔" if self._is_chosen(alternative) else ""))
            )
        return rows

    def _is_chosen(self, alternative: OfferedAlternative) -> bool:
        assert self.review is not None
        assert self.question is not None
        return self.review.is_chosen(self._curation(), self.question, alternative)

    def _is_changed(self, question: OfferedQuestion) -> bool:
        """Whether the curation has a way other than the given one, or one of somebody's own."""
        assert self.review is not None
        as_given = [alternative for alternative in question.alternatives if alternative.is_given]
        return not any(
            self.review.is_chosen(self._curation(), question, alternative) for alternative in as_given
        )

    def _curation(self) -> dict[str, Any]:
        return self.controller.curation_data if self.controller.curation else {}

    def _text(self) -> str:
        """What is said above the ways."""
        if self.review is None:
            return self.problem
        open_ones = [one for one in self.review.questions if one.is_open]
        n_changed = sum(self._is_changed(one) for one in open_ones)
        open_words = f"{count(len(open_ones), 'question')} in all, {n_changed} answered."
        if self.question is None:
            return f"The units that are shown were not reviewed. {open_words}"
        if not self._is_there():
            return f"These units were merged or split since the review. {open_words}"
        gain = round(self.question.gain)
        worth = (
            f"An answer puts about {gain} spikes right."
            if self.question.is_open
            else "No question is open here."
        )
        doubt = f"Beware: {self.question.doubt}." if self.question.doubt else ""
        lines = [" ".join(part for part in (worth, open_words, doubt) if part)]
        if not self.controller.curation:
            lines.append("To use a way, open the window with curation (sigui --curation, or curation=True).")
        return "\n".join([*lines, *self.review.unit_words(self.question)])

    # what is done

    def use(self, row: int) -> None:
        """Make a way the answer to the question that is shown."""
        alternatives = self._alternatives()
        if not 0 <= row < len(alternatives) or self.review is None or self.question is None:
            return
        if not self.controller.curation:
            self.warning(
                "A way can be used when the window was opened with curation: sigui --curation ANALYZER."
            )
            return
        try:
            chosen = self.review.chosen(self.controller.curation_data, self.question, alternatives[row])
        except InputError as error:
            self.warning(str(error))
            return
        self.controller.curation_data.update(chosen)
        self.notify_manual_curation_updated()
        self.refresh()

    def show_alternative(self, row: int) -> None:
        """Show the units of a way in all views, and select the spikes that it splits off."""
        alternatives = self._alternatives()
        if not 0 <= row < len(alternatives) or self.review is None or self.question is None:
            return
        self._show_units(self.question)
        parts = [part for _, parts in alternatives[row].splits for part in parts]
        spikes = np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int64)
        if not self.controller.applied_curations:  # spikes have the rows that they had when reviewed
            self.controller.set_indices_spike_selected(spikes)
            self.notify_spike_selection_changed()

    def go(self, by: int) -> None:
        """Show the next open question (1), or the one before (-1)."""
        found = None if self.review is None else self.review.after(self.question, by)
        if found is None:
            return
        self._show_units(found)
        self.question = found
        self.refresh()

    def _show_units(self, question: OfferedQuestion) -> None:
        assert self.review is not None
        known = {str(one): one for one in self.controller.unit_ids}
        wanted = [known[str(name)] for name in self.review.units(question) if str(name) in known]
        if wanted and set(wanted) != set(self.controller.get_visible_unit_ids()):
            self.controller.set_visible_unit_ids(wanted)
            self.notify_unit_visibility_changed()

    # in a window of Qt

    def _qt_make_layout(self) -> None:
        from spikeinterface_gui.myqt import QT

        self.layout = QT.QVBoxLayout()
        bar = self.qt_widget.view_toolbar
        for words, done in (
            ("Previous", lambda: self.go(-1)),
            ("Next", lambda: self.go(1)),
            ("Use this way", lambda: self.use(self.table.currentRow())),
        ):
            button = QT.QPushButton(words)
            button.setStyleSheet("max-width: 110px;")
            button.clicked.connect(done)
            bar.addWidget(button)
        self.label = QT.QLabel()
        self.label.setWordWrap(True)
        self.label.setTextFormat(QT.Qt.PlainText)
        self.label.setTextInteractionFlags(QT.Qt.TextSelectableByMouse)
        self.layout.addWidget(self.label)
        self.table = QT.QTableWidget(0, 2)
        self.table.setHorizontalHeaderLabels([SHARE, WORDS])
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.verticalHeader().hide()
        self.table.setWordWrap(True)
        self.table.setSelectionBehavior(QT.QAbstractItemView.SelectRows)
        self.table.setSelectionMode(QT.QAbstractItemView.SingleSelection)
        self.table.setEditTriggers(QT.QAbstractItemView.NoEditTriggers)
        self.table.cellClicked.connect(lambda row, _column: self.show_alternative(row))
        self.table.cellActivated.connect(lambda row, _column: self.use(row))
        self.layout.addWidget(self.table)

    def _qt_refresh(self) -> None:
        from spikeinterface_gui.myqt import QT

        self._look()
        self.label.setText(self._text())
        row = self.table.currentRow()
        self.table.setRowCount(0)
        for share, words in self._rows():
            place = self.table.rowCount()
            self.table.insertRow(place)
            for column, text in enumerate((share, words)):
                item = QT.QTableWidgetItem(text)
                item.setToolTip(text)
                self.table.setItem(place, column, item)
        self.table.resizeRowsToContents()
        if 0 <= row < self.table.rowCount():
            self.table.setCurrentCell(row, 0)

    def _qt_on_manual_curation_updated(self) -> None:
        self.refresh()

    # in a browser, with Panel

    def _panel_make_layout(self) -> None:
        from spikeinterface_gui.backend_panel import pn

        self.label = pn.pane.Str("", sizing_mode="stretch_width")
        self.choice = pn.widgets.RadioBoxGroup(options={}, sizing_mode="stretch_width")
        buttons = []
        for words, done in (
            ("Previous", lambda _: self.go(-1)),
            ("Next", lambda _: self.go(1)),
            ("Use this way", lambda _: self.use(-1 if self.choice.value is None else int(self.choice.value))),
        ):
            button = pn.widgets.Button(name=words)
            button.on_click(done)
            buttons.append(button)
        self.layout = pn.Column(pn.Row(*buttons), self.label, self.choice, sizing_mode="stretch_both")

    def _panel_refresh(self) -> None:
        self._look()
        self.label.object = self._text()
        options = {f"{share}  {words}": row for row, (share, words) in enumerate(self._rows())}
        self.choice.options = options
        self.choice.value = next(iter(options.values()), None)

    def _panel_on_manual_curation_updated(self) -> None:
        self.refresh()


def review_of(controller: Any) -> ReviewedAnalyzer:
    """The review of the analyzer that is open.

    Raises
    ------
    NcpguiError
        There is none, or it is of other units.
    """
    analyzer, said = controller.analyzer, controller.external_data
    session = said.get(NAME) if isinstance(said, dict) else None
    if session is None:
        if analyzer.folder is None:
            raise InputError(
                "this analyzer is in memory, where no review of it can be found; save it as a folder and "
                'review that, or name the session: external_data={"ncpgui": "SESSION.h5"}'
            )
        folder = Path(analyzer.folder)
        session = next(iter(reviews_beside(folder)), None)
        if session is None:
            raise InputError(
                f"{folder} was not reviewed yet, or its session is elsewhere; 'ncpgui review {folder}' "
                'writes one beside it; external_data={"ncpgui": "SESSION.h5"} names one that is elsewhere'
            )
    return ReviewedAnalyzer.of(load(session, waveforms=False), analyzer.sorting)
