"""The alternatives: a card for each way to sort the component, with its probability."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PyQt5 import QtCore

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.trust_badge import TrustBadge
from ncpgui.curation.resample import Resample
from ncpgui.gui.items.alternative_cards import CARD_WIDTH, CardWidget
from ncpgui.gui.panels.alternatives import AlternativesPanel
from ncpgui.gui.theme import DARK, LIGHT
from tests.gui.painted_text import collisions, painted_texts
from tests.gui.windows import settle, shown_window

THIN = "\u2009"


@pytest.fixture
def panel(show, workspace) -> AlternativesPanel:
    made = show(AlternativesPanel, 800, 240)
    made.adopt.clicked.connect(lambda: adopt(workspace))  # as the window does through its action
    return made


def centre(widget) -> QtCore.QPointF:
    return QtCore.QRectF(widget.rect()).center()


def test_each_way_has_a_card_with_its_probability(panel) -> None:
    cards = [widget.card for widget in panel.cards]
    assert [card.percent for card in cards] == [f"70{THIN}%", f"25{THIN}%"]
    assert [card.error for card in cards] == ["± 3", "± 2"]
    assert [card.title for card in cards] == ["2 units", "1 unit"]
    assert [card.key for card in cards] == ["1", "2"]
    assert [card.is_in_use for card in cards] == [True, False]
    assert panel.headline.text() == "Units 0 and 1"
    assert panel.subtitle.text() == "contact 0 · 10 spikes · 2 plausible sortings"


def test_a_card_says_that_all_spikes_speak_for_it_and_its_tooltip_what_the_network_alone_says(
    panel, screen
) -> None:
    card = replace(panel.cards[0].card, mass=0.91, evidence={"waveforms": 0.6, "times": 0.91})
    widget = CardWidget(card, 1.0, LIGHT)
    widget.resize(264, 200)
    assert f"network alone 60{THIN}%, with all spikes and their times 91{THIN}%" in widget.toolTip()
    painted = [text.words for text in painted_texts(widget)]
    assert {"all spikes speak for it", "all spikes for it"} & set(painted)
    for same in ({}, {"waveforms": 0.9101, "times": 0.91}):
        widget.set_card(replace(card, evidence=same), 1.0, LIGHT)
        assert "network alone" not in widget.toolTip()


def test_a_card_shows_the_stimulus_apart_from_waveforms_and_times(panel, screen) -> None:
    shares = {"waveforms": 0.3, "times": 0.11, "stimulus": 0.997}
    card = replace(panel.cards[0].card, mass=0.997, evidence=shares)
    widget = CardWidget(card, 1.0, LIGHT)
    assert (
        f"network alone 30{THIN}%, with all spikes and their times 11{THIN}%, with the stimulus >99{THIN}%"
        in widget.toolTip()
    )
    for width, words in ((264, "the stimulus speaks for it"), (190, "the stimulus speaks for it")):
        widget.resize(width, 200)
        texts = painted_texts(widget)
        assert words in [text.words for text in texts]
        assert not [text.words for text in texts if "waveforms" in text.words]
        assert collisions(texts) == []


@pytest.mark.parametrize(
    ("shares", "why"),
    [
        ({"waveforms": 0.3, "times": 0.301, "stimulus": 0.9}, "the stimulus speaks for it"),
        ({"waveforms": 0.9, "times": 0.9, "stimulus": 0.9}, None),
        ({"waveforms": 0.0, "times": 0.0, "echoes": 0.98}, "echoes speak for it"),
        ({"waveforms": 0.3, "times": 0.7, "stimulus": 0.6, "echoes": 0.61}, "all spikes speak for it"),
        ({"waveforms": 0.9, "times": 0.4}, "all spikes speak against it"),
        ({"waveforms": 0.5, "times": 0.94, "stimulus": 0.2}, "the stimulus speaks against it"),
        ({}, None),
    ],
)
def test_a_card_says_in_a_sentence_what_speaks_most_for_it_or_against_it(panel, shares, why) -> None:
    card = replace(panel.cards[0].card, evidence=shares)
    assert (card.why[0] if card.why else None) == why
    assert bool(card.evidence_help) == bool(why)


@pytest.mark.parametrize("width", CARD_WIDTH)
def test_the_name_of_a_given_sorting_leaves_room_for_what_is_in_use(panel, width: int) -> None:
    widget = CardWidget(replace(panel.cards[0].card, as_given=True), 1.0, LIGHT)
    widget.resize(width, 200)
    texts = painted_texts(widget)
    assert "in use" in [text.words for text in texts]
    assert collisions(texts) == []


def test_what_the_cards_leave_over_is_shown(panel) -> None:
    assert panel.other.isVisible()
    pieces = panel.bar._pieces
    assert [mass for mass, _, _ in pieces] == [0.70, 0.25]
    assert panel.bar._other == pytest.approx(0.05)


def test_a_card_has_the_colours_of_its_units(panel, screen) -> None:
    colors = screen.colors(panel.cards[0])
    assert LIGHT.unit(Color(0)).name() in colors
    assert LIGHT.unit(Color(1)).name() in colors
    assert LIGHT.unit(Color(1)).name() not in screen.colors(panel.cards[1])


def test_a_click_on_a_card_previews_it(panel, workspace, screen) -> None:
    assert panel.adopt.text() == "Keep 2 units, 70\u2009%"
    screen.click(panel.cards[1], centre(panel.cards[1]))
    assert workspace.preview == 1
    screen.settle()
    assert [widget.card.is_shown for widget in panel.cards] == [False, True]
    assert panel.adopt.text() == "Use 1 unit, 25\u2009%"
    ground = screen.colors(panel.cards[1])
    assert max(ground, key=ground.__getitem__) == LIGHT.accent_soft.lower()


def test_a_double_click_uses_the_sorting(panel, workspace, screen, qtbot) -> None:
    screen.click(panel.cards[1], centre(panel.cards[1]))
    screen.settle()
    qtbot.mouseDClick(panel.cards[1], QtCore.Qt.LeftButton)
    screen.settle()
    assert workspace.state.clustering.unit_ids.tolist() == [2]
    assert [widget.card.is_in_use for widget in panel.cards] == [False, True]


def test_the_buttons_step_around_the_ends(panel, workspace, screen) -> None:
    for expected in (1, None, 1):
        panel.next.click()
        screen.settle()
        assert workspace.preview == expected
    panel.previous.click()
    assert workspace.preview is None


def test_a_piece_of_the_bar_shows_its_sorting(panel, workspace, screen) -> None:
    width, y = panel.bar.width(), panel.bar.height() / 2
    screen.click(panel.bar, QtCore.QPointF(0.8 * width, y))
    assert workspace.preview == 1
    screen.click(panel.bar, QtCore.QPointF(0.3 * width, y))
    assert workspace.preview is None


def test_accepting_what_is_in_use_locks_its_units(panel, workspace, screen) -> None:
    panel.adopt.click()
    screen.settle()
    assert workspace.state.history.labels.accepted == {0, 1}
    assert not panel.adopt.isEnabled()
    assert panel.adopt.text() == "Accepted"
    assert panel.subtitle.text().endswith("settled")


def test_a_merge_by_hand_that_is_an_alternative_is_that_alternative(panel, workspace, screen) -> None:
    workspace.merge((0, 1))
    screen.settle()
    assert [widget.card.is_in_use for widget in panel.cards] == [False, True]
    assert panel.cards[0].card.title == "2 units"


def test_a_component_that_waits_has_a_message(panel, workspace, screen) -> None:
    workspace.show_component(1)
    screen.settle()
    assert panel.message.isVisible()
    assert "not checked yet" in panel.message.text()
    assert panel.cards == []
    assert not panel.adopt.isVisible()
    assert not panel.bar.isVisible()


def test_nothing_takes_the_keyboard(panel) -> None:
    for widget in (panel.adopt, panel.next, panel.previous, panel.scroll):
        assert widget.focusPolicy() == QtCore.Qt.NoFocus


def test_screen_readers_hear_probability_and_units(panel) -> None:
    assert panel.cards[1].accessibleName().startswith(f"Alternative 2: 25{THIN}%, 1 unit")


def test_tool_tip_and_name_follow_the_sorting_that_the_card_shows(panel, workspace, screen) -> None:
    told = panel.cards[0].card.words
    assert told in panel.cards[0].toolTip()
    workspace.merge((0, 1))
    screen.settle()
    card = panel.cards[0].card
    assert card.words != told
    assert card.words in panel.cards[0].toolTip()
    assert panel.cards[0].accessibleName() == (
        f"Alternative 1: {card.percent}, {card.given}, {card.title}, {card.words}"
    )
    assert card.given == f"given: 0 + 1 together (was 25{THIN}%)"


def test_both_themes_have_their_own_colours(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    colors = screen.colors(panel.cards[1])
    assert max(colors, key=colors.__getitem__) == DARK.sunken.lower()
    assert DARK.unit(Color(0)).name() in colors


def test_the_badge_has_the_colour_of_what_it_says_and_goes_when_nothing_can_be_said(panel, screen) -> None:
    for trust, role in (("steady", "good"), ("unsteady", "amber"), ("shaky", "bad")):
        panel.badge.set_badge(TrustBadge(trust, f"{trust} ± 4 %", "because"))
        screen.settle()
        assert LIGHT.color(role).name() in screen.colors(panel.badge)
        assert panel.badge.accessibleName() == f"Probabilities: {trust} ± 4 %"
        assert panel.badge.toolTip() == "because"
    panel.badge.set_badge(None)
    assert not panel.badge.isVisible()


def test_cards_of_a_posterior_sampled_again_say_what_it_is_given(panel, workspace, screen) -> None:
    component = workspace.component(0)
    screen.settle()
    plain = panel.cards[1].grab().toImage()
    workspace.set_accepted((0,), True)
    screen.settle()
    assert panel.condition.text() == f"given: 0 accepted (was 75{THIN}%)"
    assert [widget.card.percent for widget in panel.cards] == [f"95{THIN}%"]  # the other would change nothing
    workspace.state.edit(Resample(0, (0,), component.posterior, component.alternatives[::-1]))
    screen.settle()
    assert panel.condition.text() == "given: 0 accepted"
    assert [widget.card.percent for widget in panel.cards] == [f"95{THIN}%"]
    assert all("given: 0" in widget.toolTip() for widget in panel.cards)
    assert panel.cards[0].accessibleName().startswith(f"Alternative 2: 95{THIN}%, given: 0 accepted, ")
    workspace.undo()
    workspace.undo()
    screen.settle()
    assert not panel.condition.isVisible()
    assert [widget.card.percent for widget in panel.cards] == [f"70{THIN}%", f"25{THIN}%"]
    assert "given" not in panel.cards[0].toolTip()
    assert panel.cards[1].grab().toImage() == plain


def words_of(widget: CardWidget) -> list[str]:
    return [text.words for text in painted_texts(widget)]


def test_cards_with_room_show_the_correlogram_of_what_they_change(show, runner, screen) -> None:
    panel = show(AlternativesPanel, 1300, 400)
    assert all({"0 × 1", "computing …"} <= {*words_of(widget)} for widget in panel.cards)
    runner.let_go()
    screen.settle()
    for widget in panel.cards:
        assert widget.found.counts.sum(axis=2)[0, 1] == 0  # no spike of unit 1 within 25 ms of one of unit 0
        assert {"0 × 1", "−25", f"25{THIN}ms"} <= {*words_of(widget)}
        assert collisions(painted_texts(widget)) == []
        assert "spikes of 1 around those of 0, which become one unit: 0 pairs within 2 ms" in widget.toolTip()


def test_cards_with_room_show_waveforms_where_the_contacts_are(show, screen) -> None:
    panel = show(AlternativesPanel, 1300, 400)
    card = panel.cards[0]
    assert [unit.mean.shape for unit in card.card.units] == [(32, 2), (32, 2)]
    assert card.positions_um.tolist() == [[0.0, 0.0], [30.0, 0.0]]
    for unit in card.card.units:
        assert screen.colors(card)[LIGHT.unit(unit.color).name()] > 20
    assert "in noise sd" in card.toolTip()


def test_small_cards_have_neither(panel, runner, screen) -> None:
    runner.let_go()
    screen.settle()
    assert not any("×" in words for widget in panel.cards for words in words_of(widget))


def test_words_of_large_cards_leave_room_for_their_pictures(show, screen) -> None:
    panel = show(AlternativesPanel, 1300, 320)
    words = (
        "splits 0 in 2, moves 39 spikes 1 → 0, moves 20 spikes 0 → 1, assigns 12 spikes to 1, moves 3 more"
    )
    for widget in panel.cards:
        widget.set_card(replace(widget.card, is_in_use=False, words=words), 10.0, LIGHT)
        assert "0 × 1" in words_of(widget)
        assert collisions(painted_texts(widget)) == []


def test_a_window_may_close_before_the_card_in_use_was_scrolled_to(qtbot, tmp_path, array_project) -> None:
    with shown_window(qtbot, tmp_path) as window:
        window.workspace.state.open(array_project)
        settle()
        window.bench.alternatives.redraw()
        assert any(widget.card.is_shown for widget in window.bench.alternatives.cards)
    with qtbot.captureExceptions() as raised:
        settle()
    assert raised == []
