"""The alternatives: one card for each plausible way to sort the component, with its probability."""

from __future__ import annotations

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.actions import action
from ncpgui.app.presenters.alternatives import (
    EMPTY,
    AlternativesView,
    better_text,
    other_questions,
    present_alternatives,
    step_alternative,
)
from ncpgui.app.presenters.consequences import present_consequence
from ncpgui.app.work.asked_for import toggle_rarer
from ncpgui.gui.buttons import Button
from ncpgui.gui.items.alternative_cards import CARD_HEIGHT, CardWidget, OtherCard
from ncpgui.gui.items.elided_label import ElidedLabel
from ncpgui.gui.items.mass_bar import MassBar
from ncpgui.gui.items.message import Message
from ncpgui.gui.items.scroll_area import ScrollArea
from ncpgui.gui.items.trust_label import TrustLabel
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.plain_text import Label, plain
from ncpgui.gui.soon import Soon
from ncpgui.gui.theme import font

STRIP_TOP = 2
SCROLL_BAR = 14
AROUND_CARDS = 110
NO_QUESTIONS_PX = 140
"""Height where a sorting has no questions, as one without raw data: the other panels need the room."""
OF_BUTTONS = "In percent: the probability of that sorting, its share of the draws weighed by all evidence"


class AlternativesPanel(Panel):
    """Headline of the component, the mass bar, the cards and what can be done with them."""

    context = "card"

    def build(self) -> None:
        """Make headline, buttons, bar and strip of cards."""
        top = QtWidgets.QHBoxLayout()
        top.setSpacing(8)
        self.headline = Label()
        self.headline.setObjectName("headline")
        self.headline.setToolTip(
            "Numbers of the units that these spikes are in now: what is asked is which of them are one neuron"
        )
        self._subtitle = ""
        self.subtitle = ElidedLabel()
        self.subtitle.setObjectName("subtitle")
        self.subtitle.setToolTip(
            "Contact where these spikes are largest, spikes of all these units together, sortings that the\n"
            "draws leave with a probability of their own, and what speaks against the units as they are"
        )
        self.subtitle.setSizePolicy(QtWidgets.QSizePolicy.Maximum, QtWidgets.QSizePolicy.Preferred)
        self.badge = TrustLabel()
        top.addWidget(self.headline)
        top.addWidget(self.subtitle, 1)
        top.addWidget(self.badge)
        top.addStretch(0)
        self.previous = self._step_button("‹", "Previous alternative  [", -1)
        self.next = self._step_button("›", "Next alternative  ]", 1)
        used = f"{action('adopt').help}  (Enter)\n{OF_BUTTONS}"
        self.adopt = Button("Use this sorting", used, look="primary")
        self.adopt.setMinimumWidth(150)
        best = f"The most probable sorting: show it and use it  (Shift+Enter)\n{OF_BUTTONS}"
        self.better = Button("", best, look="primary")
        self.better.hide()
        top.addWidget(self.previous)
        top.addWidget(self.next)
        top.addSpacing(4)
        top.addWidget(self.adopt)
        top.addWidget(self.better)
        self.body.addLayout(top)
        self.bar = MassBar()
        self.bar.clicked.connect(self.workspace.show_alternative)
        self.body.addWidget(self.bar)
        self.body.addWidget(self._line())
        self.message = Message()
        self.body.addWidget(self.message, 1)
        self.strip = QtWidgets.QWidget()
        self.row = QtWidgets.QHBoxLayout(self.strip)
        self.row.setContentsMargins(0, STRIP_TOP, 0, 0)
        self.row.setSpacing(10)
        self.other = OtherCard()
        self.other.clicked.connect(lambda: toggle_rarer(self.workspace, self.controller.runner))
        self.row.addWidget(self.other)
        self.row.addStretch(1)
        self.scroll = ScrollArea(self.strip, QtCore.Qt.Horizontal)
        self.scroll.setMinimumHeight(CARD_HEIGHT[0] + STRIP_TOP + SCROLL_BAR)
        self.body.addWidget(self.scroll, 1)
        self.body.setContentsMargins(16, 8, 16, 6)
        self.body.setSpacing(4)
        self.setMaximumHeight(CARD_HEIGHT[1] + AROUND_CARDS)
        self.cards: list[CardWidget] = []
        self._laid_out = QtCore.QTimer(self, singleShot=True, interval=0)  # ends with the panel
        self._laid_out.timeout.connect(self._keep_in_view)
        self._view = EMPTY

    def _line(self) -> QtWidgets.QWidget:
        """One line for what an edit would do, else for the condition of all probabilities.

        Its room is always there: what a person aims at stays where it is while a lasso is drawn.
        """
        self.condition = ElidedLabel()
        self.condition.setObjectName("subtitle")
        self.consequence = ElidedLabel()
        self.consequence.setAccessibleName("What the edit would do")
        line = QtWidgets.QWidget()
        line.setFixedHeight(self.fontMetrics().height())
        row = QtWidgets.QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        for label in (self.condition, self.consequence):
            label.hide()
            row.addWidget(label)
        return line

    def _step_button(self, text: str, tip: str, step: int) -> Button:
        button = Button(text, tip)
        button.setFont(font(18))
        button.setFixedSize(32, 32)
        button.clicked.connect(lambda: step_alternative(self.workspace, step))
        return button

    def follow(self) -> None:
        """Follow the component on screen, its posterior and the sorting shown."""
        workspace = self.workspace
        self.redraw_on(
            workspace.state.opened, workspace.current_changed, workspace.shown_changed,
            workspace.coloring.changed,
        )  # fmt: skip
        workspace.state.components_changed.connect(self._components_changed)
        workspace.state.progressed.connect(self._progressed)
        self.controller.arrived.connect(self._arrived)
        self._telling = Soon(self, self._show_consequence)
        for signal in (workspace.selection_changed, workspace.lasso_changed):
            signal.connect(self._show_consequence_soon)

    def _arrived(self, kind: str) -> None:
        """Correlograms of cards change nothing else: what an edit would do is not worked out again."""
        if kind == "correlograms of cards":
            self._show_pictures(self._view)

    def _components_changed(self, component_ids: tuple[int, ...]) -> None:
        if self.workspace.component_id in component_ids:
            self.mark_dirty()

    def _progressed(self, component_id: int) -> None:
        """Say how far sampling is where there are no cards yet; those that are there stay as they are."""
        if component_id == self.workspace.component_id and not self._view.cards:
            self.mark_dirty()

    def redraw(self) -> None:
        """Show the cards of the component on screen."""
        self.controller.data.ask_shapes()
        view = present_alternatives(self.workspace)
        self.headline.setText(view.title)
        self._subtitle = view.subtitle
        self.badge.set_badge(view.badge)
        self.bar.set_view(view)
        self.condition.setText(view.given)
        what = "sortings of the beam" if view.sampler == "beam" else "draws"
        self.condition.setToolTip(plain(f"Probabilities are those of the {what} that have all of this"))
        self.adopt.setText(view.adopt_text)
        self.better.setText("" if view.better is None else better_text(view.better))
        self.better.setVisible(view.better is not None)
        self._set_bright(view.better is None)
        self.adopt.setEnabled(view.can_adopt)
        for button in (self.previous, self.next):
            button.setEnabled(len(view.cards) > 1)
            button.setVisible(bool(view.cards))
        self.adopt.setVisible(bool(view.cards))
        self.message.setText(view.message)
        self.message.setVisible(bool(view.message))
        self.scroll.setVisible(not view.message)
        has_questions = bool(self.workspace.state.components.ids) or self.workspace.state.project is None
        self.setMaximumHeight(CARD_HEIGHT[1] + AROUND_CARDS if has_questions else NO_QUESTIONS_PX)
        self._telling.stop()
        self._show_consequence()
        self._view = view
        self._show_cards(view)
        self._show_pictures(view)
        mass = view.other_mass if view.cards else 0.0
        self.other.set_mass(mass, is_open=view.is_open, sampler=view.sampler)

    def _set_bright(self, is_bright: bool) -> None:
        """Let the button of what is on screen stand out, unless another sorting is more probable."""
        if self.adopt.property("primary") != is_bright:
            self.adopt.setProperty("primary", is_bright)
            self.adopt.style().unpolish(self.adopt)
            self.adopt.style().polish(self.adopt)

    def _show_consequence_soon(self, *_: object) -> None:
        """Do it once for all that comes with one edit."""
        if self.workspace.component_id is None:  # the headline names what is selected
            self.mark_dirty()
        self._telling.start()

    def _show_consequence(self) -> None:
        """Say what the edit that is proposed, or a merge of what is selected, would do."""
        others = other_questions(self.workspace)
        self.subtitle.setText(" · ".join(filter(None, (others, self._subtitle))))
        told = present_consequence(self.workspace, self.controller.data.embedding())
        self.consequence.setText(told.text)
        self.consequence.setToolTip(plain("\n".join(filter(None, (told.tooltip, self.condition.text())))))
        self.consequence.setVisible(bool(told.text))
        self.condition.setVisible(bool(self.condition.text()) and not told.text)

    def _show_cards(self, view: AlternativesView) -> None:
        while len(self.cards) > len(view.cards):
            widget = self.cards.pop()
            self.row.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        for number, card in enumerate(view.cards):
            if number < len(self.cards):
                self.cards[number].set_card(card, view.largest_amplitude, self.theme)
                continue
            widget = CardWidget(card, view.largest_amplitude, self.theme)
            widget.clicked.connect(self.workspace.show_alternative)
            widget.double_clicked.connect(lambda _: self.adopt.click())
            self.row.insertWidget(number, widget, 3)
            self.cards.append(widget)
        self._laid_out.start()

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Show the sorting of the card at a place."""
        for widget in self.cards:
            if widget.visibleRegion().contains(widget.mapFromGlobal(place)):
                if not widget.card.is_shown:
                    self.workspace.show_alternative(widget.card.index)
                return True
        return False

    def _show_pictures(self, view: AlternativesView) -> None:
        """Let cards show what they change, and ask for it."""
        changes = [card.change for card in view.cards if card.change is not None]
        found = self.controller.data.correlograms_of_pairs([change.spikes for change in changes])
        at = {id(change): one for change, one in zip(changes, found, strict=True)}
        for widget in self.cards:
            widget.set_pictures(view.positions_um, at.get(id(widget.card.change)))

    def _keep_in_view(self) -> None:
        for widget in self.cards:
            if widget.card.is_shown:
                self.scroll.ensureWidgetVisible(widget, 12, 0)

    def restyle(self) -> None:
        """Pass the theme on."""
        for widget in (self.bar, self.other, self.badge):
            widget.set_theme(self.theme)
