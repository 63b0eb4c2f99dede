"""What panels show, with values counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from app_fakes import WAYS
from tiny_project import tiny_project, unsampled

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import EMPTY, present_alternatives, step_alternative
from ncpgui.app.presenters.card import Card
from ncpgui.app.presenters.embedding import MIN_OPACITY, present_embedding, principal_plane
from ncpgui.app.presenters.probe_map import present_probe_map
from ncpgui.app.presenters.queue import OTHER, QueueRow, neighbour_in_queue, p_units, present_queue
from ncpgui.app.presenters.receptive_fields import present_receptive_fields, spikes_key
from ncpgui.app.presenters.trust_badge import TrustBadge
from ncpgui.app.presenters.unit_columns import column
from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.app.presenters.waveforms import present_waveforms
from ncpgui.app.words import count, duration, thousands
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project
from ncpgui.core.stimulus import Stimulus
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.curation.commands import Assign
from ncpgui.evidence.tempered import widened

# -- words ----------------------------------------------------------------------------------


def test_numbers_are_written_as_people_read_them() -> None:
    assert thousands(1234567) == "1\u2009234\u2009567"
    assert (count(0, "unit"), count(1, "unit"), count(3, "unit")) == ("0 units", "1 unit", "3 units")
    durations = [duration(s) for s in (0, 45, 59.6, 90, 599.4, 600, 3570, 4800)]
    assert durations == [
        "1 s", "45 s", "1 min", "1 min 30 s", "9 min 59 s", "10 min", "1 h", "1 h 20 min",
    ]  # fmt: skip


# -- alternatives ---------------------------------------------------------------------------


def test_a_card_for_each_way_to_sort_the_component(workspace: Workspace) -> None:
    view = present_alternatives(workspace)
    assert (view.title, view.subtitle) == ("Units 0, 1 and 2", "contact 0 · 10 spikes · 2 plausible sortings")
    first, second = view.cards
    assert (first.key, first.percent, first.title, first.words) == ("1", "50\u2009%", "3 units", "in use")
    assert (second.key, second.percent, second.title, second.words) == (
        "2",
        "40\u2009%",
        "2 units",
        "merges 0 + 1",
    )
    assert [(u.name, u.n_spikes, u.share, u.is_changed) for u in second.units] == [
        ("0+1", 7, 1.0, True),
        ("2", 3, 3 / 7, False),
    ]
    assert (view.other_mass, view.is_open) == (pytest.approx(0.1), False)  # no rarer one has a card
    assert (view.can_adopt, view.adopt_text) == (True, "Keep 3 units, 50\u2009%")
    assert view.largest_amplitude == 30.0
    assert [float(u.waveform[TROUGH_SAMPLE]) for u in first.units if u.waveform is not None] == [
        -10,
        -20,
        -30,
    ]


def test_the_card_of_a_preview_is_shown_and_can_be_used(workspace: Workspace) -> None:
    workspace.show_alternative(1)
    view = present_alternatives(workspace)
    assert [(card.is_shown, card.is_in_use) for card in view.cards] == [(False, True), (True, False)]
    assert (view.can_adopt, view.adopt_text) == (True, "Use 2 units, 40\u2009%")


def test_the_table_has_the_units_of_a_preview_and_then_those_that_it_replaces(workspace: Workspace) -> None:
    workspace.show_alternative(1)
    made, kept, *replaced = present_unit_table(workspace).rows()
    assert (made["made"], made["n_spikes"], made["accepted"]) == ("0+1", 7, False)
    assert column("id").text(made) == "0+1"
    assert made["id"] < -1
    assert 0 < made["p_complete"] <= 1
    assert (kept["made"], kept["id"], kept["n_spikes"]) == ("", 2, 3)
    assert [(row["made"], row["id"]) for row in replaced] == [("", 0), ("", 1)]
    workspace.show_alternative(None)
    assert present_unit_table(workspace).ids.tolist() == [0, 1, 2]


def test_parts_of_a_proposed_split_are_listed_where_there_are_no_questions() -> None:
    workspace = Workspace(replace(tiny_project({0: [[0] * 6]}), components=()))
    workspace.select((0,))
    workspace.propose(Assign(np.arange(6), [0, 0, 0, 0, 1, 1]))
    table = present_unit_table(workspace)
    assert table["made"].tolist() == ["0a", "0b", ""]
    assert table["n_spikes"].tolist() == [4, 2, 6]
    assert np.isnan(table["p_pure"]).all()
    assert present_unit_table(workspace, all_units=True).ids.tolist() == [0]


def test_a_settled_component_says_so(workspace: Workspace) -> None:
    adopt(workspace)
    view = present_alternatives(workspace)
    assert view.subtitle.endswith(" · settled")
    assert (view.can_adopt, view.adopt_text) == (False, "Accepted")


def test_a_sorting_made_by_hand_has_a_card_with_what_the_posterior_says_of_it(workspace: Workspace) -> None:
    workspace.merge((0, 1))
    workspace.merge((5, 2))
    by_hand, *others = present_alternatives(workspace).cards
    assert (by_hand.index, by_hand.words, by_hand.title, by_hand.key) == (
        None,
        "edited by hand",
        "1 unit",
        "",
    )
    assert (by_hand.is_shown, by_hand.is_in_use) == (True, True)
    assert (by_hand.mass, by_hand.percent) == (0.0, "<1\u2009%")
    assert [card.is_in_use for card in others] == [False, False]
    assert others[0].words == "splits 6 in 3"


def test_a_card_shows_the_mean_waveform_of_a_unit_on_the_contact_where_it_is_largest(
    project: Project,
) -> None:
    """Contact 0 has -10 (k + 1) at the trough, contact 1 +15 for unit 0 and 1, and -5 for unit 2."""
    first = project.waveforms[0].waveforms
    labels = np.array(WAYS[0][0])
    second = np.zeros_like(first)
    second[:, TROUGH_SAMPLE, 0] = np.where(labels < 2, 15.0, -5.0)
    both = replace(project.waveforms[0], waveforms=np.concatenate([first, second], axis=2))
    shown = Workspace(replace(project, waveforms={**project.waveforms, 0: both}))
    (units, *_) = (card.units for card in present_alternatives(shown).cards)
    assert [float(unit.waveform[TROUGH_SAMPLE]) for unit in units] == [15, -20, -30]


def test_cards_without_waveforms_have_none(project: Project) -> None:
    view = present_alternatives(Workspace(replace(project, waveforms={})))
    assert [unit.waveform for card in view.cards for unit in card.units] == [None] * 5
    assert view.largest_amplitude == 1.0


@pytest.mark.parametrize(("error", "words"), [(0.0, "± <1"), (0.0051, "± <1"), (0.01, "± 1"), (0.034, "± 3")])
def test_the_error_of_a_mass_is_in_percent(error: float, words: str) -> None:
    assert Card(0, 0.5, error, "", (), 0, False, False).error == words


def test_the_badge_tells_the_largest_error_of_the_cards_and_whether_the_order_matters(
    project: Project,
) -> None:
    def badge(rows: list[list[int]], error: float = 0.034) -> TrustBadge | None:
        order = np.arange(len(rows)) % 8
        posterior = PosteriorSamples(np.array(rows), np.zeros(len(rows)), order=order)
        first, *rest = project.components[0].alternatives
        alternatives = (first, *(replace(one, mass_se=error) for one in rest))
        component = replace(project.components[0], posterior=posterior, alternatives=alternatives)
        return present_alternatives(Workspace(replace(project, components=(component,)))).badge

    together, apart = [0] * 10, [0, 1] * 5
    steady = badge([together] * 80 + [apart] * 80)  # in every order one half
    assert steady is not None
    assert (steady.trust, steady.text) == ("steady", "steady ± 3\u2009%")
    rounded = badge([together] * 80 + [apart] * 80, error=0.0951)
    assert rounded is not None
    assert (rounded.trust, rounded.text) == ("unsteady", "unsteady ± 10\u2009%")
    wide = badge([together] * 80 + [apart] * 80, error=0.16)
    assert wide is not None
    assert (wide.trust, wide.text) == ("unsteady", "unsteady ± 16\u2009%")
    assert "The largest error of a probability on these cards is ± 16 %" in wide.help
    shaky = badge(([together] * 4 + [apart] * 4) * 20)  # four orders say this, four that
    assert shaky is not None
    assert shaky.trust == "shaky"
    assert shaky.text == "shaky ± 3\u2009%"
    said = " ".join(shaky.help.split())
    assert "share a unit by 40 %" in said
    assert "do not rely on the probabilities" in said
    assert badge([together] * 8) is None


def test_the_badge_says_where_the_evidence_leaves_few_draws(project: Project) -> None:
    drawn = np.full(200, 1 / 200)
    labels = np.array([[0] * 10] * 199 + [[0, 1] * 5])
    for weight, words in ((widened(drawn, np.eye(200)[199]), "few draws"), (drawn, "steady ± <1\u2009%")):
        posterior = PosteriorSamples(
            labels, np.zeros(200), weight, order=np.arange(200) % 8, drawn_weight=drawn
        )
        component = replace(project.components[0], posterior=posterior)
        badge = present_alternatives(Workspace(replace(project, components=(component,)))).badge
        assert badge is not None
        assert badge.text == words


def test_components_that_are_not_sampled_say_why(project: Project) -> None:
    workspace = Workspace()
    assert present_alternatives(workspace) is EMPTY
    workspace.state.open(replace(unsampled(project), failed={0: "no model"}))
    assert present_alternatives(workspace).message == "These spikes could not be sampled: no model"
    workspace.state.set_status(0, ComponentStatus("sampling", 0.5))
    assert present_alternatives(workspace).message == "Sampling the posterior of these spikes … 50 %"
    workspace.show_component(1)
    assert present_alternatives(workspace).message.startswith("These spikes are not checked yet.")


def test_stepping_in_a_component_that_is_not_sampled_does_nothing(project: Project) -> None:
    workspace = Workspace(unsampled(project))
    step_alternative(workspace, 1)
    assert workspace.preview is None


# -- queue and probe ------------------------------------------------------------------------


def test_the_queue_lists_components_by_what_a_decision_settles(workspace: Workspace) -> None:
    rows = present_queue(workspace)
    assert [(row.name, row.place, row.is_current) for row in rows] == [
        ("Units 0, 1, 2", "ch 0 · 10 spikes", True),
        ("Unit 3", "ch 1 · 6 spikes", False),
        ("Unit 4", "ch 2 · 4 spikes", False),
    ]
    assert [row.caption for row in rows] == ["2–3 units", "1–2 units", "1 unit"]
    assert rows[0].ambiguity == 1.0
    assert rows[2].ambiguity == 0.0
    assert rows[0].p_units == ((2, 0.4), (3, 0.5), (OTHER, pytest.approx(0.1)))
    assert rows[0].tooltip.splitlines() == [
        "Units 0, 1 and 2, contact 0: 10 spikes, sampled",
        "2 units: 40 %",
        "3 units: 50 %",
        "other: 10 %",
        "in use: 3 units",
        "expected wrong assignments: 1",
        "an answer is expected to put right: 1",
    ]
    # each of the 40 % of draws that merge has three of ten spikes wrong; 10 % of draws that halve six: three
    assert [row.n_wrong for row in rows] == pytest.approx([1.2, 0.3, 0])


def test_a_component_that_failed_or_waits_says_so_in_the_queue() -> None:
    failed = QueueRow(8, 3, None, 12, ComponentStatus("failed", message="no model"), (), 0.0, False)
    assert failed.caption == "failed"
    assert failed.tooltip.splitlines() == ["Contact 3: 12 spikes, failed", "no model"]
    assert (
        QueueRow(8, 3, None, 12, ComponentStatus("sampling", 0.25), (), 0.0, False).caption == "sampling 25 %"
    )


def test_masses_of_one_number_of_units_are_added() -> None:
    two = [0, 0, 1, 1]
    project = tiny_project({0: [two, [0, 1, 1, 1], [0] * 4]}, masses={0: [0.5, 0.3, 0.2]})
    assert p_units(Workspace(project), 0) == ((1, 0.2), (2, 0.8))


@pytest.mark.parametrize("decide", ["nothing", "adopt", "accept", "merge", "lock one"])
def test_queue_cards_and_table_agree_on_the_number_of_units(decide: str) -> None:
    """Also where some spikes of a component are of no unit."""
    ways = [[0, 0, 0, 0, 1, 1, 1, -1, -1, -1], [*[0] * 7, *[-1] * 3]]
    workspace = Workspace(tiny_project({0: ways, 1: [[0] * 6]}, masses={0: [0.5, 0.4]}))
    if decide == "adopt":
        workspace.show_alternative(1)
    if decide in ("adopt", "accept"):
        adopt(workspace)
    elif decide == "merge":
        workspace.merge((0, 1))
    elif decide == "lock one":
        workspace.set_accepted((0,), True)
    row = next(row for row in present_queue(workspace) if row.component_id == 0)
    cards = present_alternatives(workspace).cards
    (in_use,) = (card for card in cards if card.is_in_use)
    assert len(row.units or ()) == len(in_use.units) == len(present_unit_table(workspace))
    assert {k for k, _ in row.p_units if k != OTHER} == {len(c.units) for c in cards if c.index is not None}
    assert row.caption == {
        "nothing": "1–2 units", "adopt": "1 unit", "accept": "2 units", "merge": "1 unit",
        "lock one": "2 units",
    }[decide]  # fmt: skip


def test_a_component_without_units_says_that_there_is_nothing_to_accept() -> None:
    workspace = Workspace(tiny_project({0: [[-1] * 4]}))
    view = present_alternatives(workspace)
    assert (view.can_adopt, view.adopt_text) == (False, "Nothing to accept")
    assert [(card.title, card.line) for card in view.cards] == [
        ("0 units", "as the units are now, 4 unassigned")
    ]
    assert present_queue(workspace) == ()


def test_settled_components_are_passed_over_unless_all_are(workspace: Workspace) -> None:
    assert workspace.questions.status(2).state == "sure"  # one unit in all draws
    assert neighbour_in_queue(workspace, 1) == 1
    assert neighbour_in_queue(workspace, -1) == 1
    workspace.set_accepted((3,), True)
    assert neighbour_in_queue(workspace, 1) == 1  # all others are settled: simply the next
    assert neighbour_in_queue(Workspace(), 1) is None
    assert neighbour_in_queue(Workspace(tiny_project({0: [[0, 0]]})), 1) is None


def test_the_probe_is_coloured_by_ambiguity(project: Project) -> None:
    view = present_probe_map(Workspace(replace(unsampled(project, 0), failed={2: "no model"})))
    assert view.ambiguity[0] == 1.0
    assert np.isnan(view.ambiguity[1:]).all()
    assert view.states == ("sampled", "waiting", "failed")
    assert view.tooltips[0] == "Contact 0: units 0, 1 and 2, 10 spikes, sampled"
    assert (view.current, view.neighbours, view.pitch_um) == (0, (0,), 30.0)


def test_shanks_with_the_same_coordinates_are_not_drawn_on_top_of_each_other(project: Project) -> None:
    n = project.probe.n_channels
    probe = Probe(np.tile([0.0, 30.0], (n, 1)), np.arange(n))
    view = present_probe_map(Workspace(replace(project, probe=probe)))
    assert view.positions_um[:, 0].tolist() == [60.0 * i for i in range(n)]
    assert set(view.positions_um[:, 1].tolist()) == {30.0}


def test_channels_without_spikes_say_so_on_the_probe() -> None:
    view = present_probe_map(Workspace(tiny_project({1: [[0, 0]]})))
    assert view.tooltips[0] == "Contact 0: no spikes"
    assert view.states[0] == ""
    assert len(present_probe_map(Workspace()).positions_um) == 0


# -- waveforms and points -------------------------------------------------------------------


def test_a_column_of_waveforms_for_each_unit(workspace: Workspace) -> None:
    workspace.select([1])
    view = present_waveforms(workspace)
    assert [(c.name, c.n_spikes, c.is_selected, len(c.spikes)) for c in view.columns] == [
        ("0", 4, False, 4),
        ("1", 3, True, 3),
        ("2", 3, False, 3),
    ]
    assert [float(c.mean[TROUGH_SAMPLE, 0]) for c in view.columns] == [-10, -20, -30]
    assert (view.lowest, view.highest) == (-30.0, 0.0)
    assert view.offsets_um.tolist() == [[0.0, 0.0]]
    assert view.channels == (0,)
    # {0,0,0,0} is 4 of 7 in the other way, {1,1,1} is 3 of 7: its half of the samples only
    assert [c.p_pure for c in view.columns] == pytest.approx([1.0, 1.0, 1.0])
    assert [c.p_complete for c in view.columns] == pytest.approx([0.6, 0.6, 1.0])


def test_a_preview_draws_the_units_that_it_would_make(workspace: Workspace) -> None:
    workspace.show_alternative(1)
    view = present_waveforms(workspace)
    assert view.is_preview
    assert [(c.name, c.unit, c.is_changed) for c in view.columns] == [("0+1", None, True), ("2", 2, False)]
    assert float(view.columns[0].mean[TROUGH_SAMPLE, 0]) == pytest.approx(-(4 * 10 + 3 * 20) / 7)


def test_panels_without_something_to_draw_say_so(project: Project) -> None:
    empty = Workspace()
    assert present_waveforms(empty).message
    assert present_embedding(empty, None).message
    assert len(present_unit_table(empty)) == 0
    uncached = Workspace(replace(project, waveforms={}))
    assert "come from waveforms, which are read from the recording" in present_waveforms(uncached).message
    assert present_embedding(uncached, None).message
    none = np.full(len(project.spikes), -1)
    assert "No units" in present_waveforms(Workspace(replace(project, unit_of_spike=none))).message


def test_points_are_the_plane_until_the_map_is_there(workspace: Workspace) -> None:
    workspace.select([2])
    first = present_embedding(workspace, None)
    assert first.method == "PCA"
    assert first.axes == ("PCA 1", "PCA 2")
    assert len(first.points) == 10
    assert first.points.labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert first.points.is_dimmed.tolist() == [True] * 7 + [False] * 3
    sure = [1.0] * 10  # merged in 40 %: of one cell, whichever it is
    assert first.points.certainty == pytest.approx(sure)
    assert first.points.opacity == pytest.approx(0.25 + 0.75 * np.array(sure) ** 2)
    assert first.points.names == ("0", "1", "2")
    tsne = np.arange(20, dtype=np.float32).reshape(10, 2)
    second = present_embedding(workspace, tsne)
    assert second.axes == ("t-SNE 1", "t-SNE 2")
    assert np.column_stack([second.points.x, second.points.y]).tolist() == tsne.tolist()


def test_points_that_leave_a_unit_of_another_colour_have_a_ring_in_it(workspace: Workspace) -> None:
    """0 and 1 are merged: the merged unit keeps the colour of 0."""
    workspace.show_alternative(1)
    points = present_embedding(workspace, None).points
    assert points.ring.tolist() == [-1] * 4 + [1] * 3 + [-1] * 3
    assert points.ring_colors[1] == workspace.state.sortings.colors.color(1)


def test_uncertain_spikes_are_faint_but_seen(workspace: Workspace) -> None:
    workspace.show_alternative(1)
    points = present_embedding(workspace, None).points
    assert points.opacity == pytest.approx(MIN_OPACITY + (1 - MIN_OPACITY) * points.certainty**2)
    assert MIN_OPACITY < points.opacity.min() < points.opacity.max() == 1


def test_spikes_of_which_no_posterior_tells_are_not_faint(project: Project) -> None:
    workspace = Workspace(project)
    workspace.merge((2, 3))  # on two channels, of which no posterior tells at once
    assert set(present_embedding(workspace, None).points.opacity.tolist()) == {1.0}
    assert [column.support for column in present_waveforms(workspace).columns] == ["support unknown"]


def test_the_plane_is_that_of_the_largest_spread() -> None:
    points = np.array([[0, -2, 0], [0, 2, 0], [1, 0, 0], [-1, 0, 0]], np.float32)
    plane = principal_plane(points)
    assert np.abs(plane[:2, 0]) == pytest.approx([np.sqrt(2)] * 2)
    assert plane.std(axis=0) == pytest.approx([1.0, 1.0])
    assert principal_plane(np.zeros((0, 3), np.float32)).shape == (0, 2)
    assert principal_plane(np.ones((5, 1), np.float32)).tolist() == [[0.0, 0.0]] * 5


# -- units ----------------------------------------------------------------------------------


def test_the_units_of_the_component_with_what_is_measured_of_each(workspace: Workspace) -> None:
    workspace.label((1,), "good")
    workspace.set_accepted((1,), True)
    table = present_unit_table(workspace)
    assert [(r["id"], r["n_spikes"], r["label"], r["accepted"]) for r in table.rows()] == [
        (0, 4, "unsorted", False),
        (1, 3, "good", True),
        (2, 3, "unsorted", False),
    ]
    assert table["amplitude_sd"].tolist() == [10.0, 20.0, 30.0]
    assert table["rate_hz"][0] == pytest.approx(4 / (2200 / 20_000))
    assert table["violations"].tolist() == [0.0, 0.0, 0.0]  # 5 ms apart
    assert table["p_exists"] == pytest.approx([1.0, 1.0, 1.0])  # given that 1 is a neuron
    workspace.undo()
    table = present_unit_table(workspace)
    assert table["p_pure"] == pytest.approx([1.0, 1.0, 1.0])
    assert table["p_complete"] == pytest.approx([0.6, 0.6, 1.0])
    assert table["p_exists"] == pytest.approx([0.6, 0.6, 1.0])
    assert table["false_positives"] == pytest.approx([0.0, 0.0, 0.0])
    assert table["misses"] == pytest.approx([0.4 * 3 / 7, 0.4 * 4 / 7, 0.0])


def test_a_unit_made_by_hand_has_the_probability_that_its_card_has(workspace: Workspace) -> None:
    workspace.merge((1, 2))
    by_hand = present_alternatives(workspace).cards[0]
    row = present_unit_table(workspace).row(5)
    assert (by_hand.words, by_hand.mass) == ("edited by hand", 0.0)
    assert row["p_exists"] == 0.0
    assert row["false_positives"] == pytest.approx(0.5)  # three of its six are elsewhere, in each sample
    column = next(c for c in present_waveforms(workspace).columns if c.unit == 5)
    assert (column.p_pure, column.p_complete) == (row["p_pure"], row["p_complete"])


def test_of_a_unit_that_a_person_joined_across_channels_nothing_is_known(workspace: Workspace) -> None:
    workspace.merge((2, 3))
    for table in (present_unit_table(workspace), present_unit_table(workspace, all_units=True)):
        assert np.isnan([table.row(5)["p_exists"], table.row(5)["false_positives"]]).all()
    workspace.undo()
    workspace.select(())
    assert present_unit_table(workspace)["p_exists"] == pytest.approx([0.6, 0.6, 1.0])


def test_a_unit_of_two_channels_exists_as_far_as_in_the_worse_of_them(project: Project) -> None:
    joined = np.where(project.unit_of_spike == 3, 2, project.unit_of_spike)  # by the sorting, not by hand
    workspace = Workspace(replace(project, unit_of_spike=joined))
    row = present_unit_table(workspace).row(2)
    assert row["p_pure"] == pytest.approx(0.9)  # 1.0 on channel 0; halves in 10 % on channel 1
    assert row["p_exists"] == pytest.approx(0.9)
    assert row["false_positives"] == pytest.approx(6 * 0.05 / 9)


def test_all_units_are_listed_by_number_each_once(workspace: Workspace) -> None:
    workspace.merge((2, 3))  # on channels 0 and 1
    rows = present_unit_table(workspace, all_units=True).rows()
    assert [(row["id"], row["channel"], row["n_spikes"]) for row in rows] == [
        (0, 0, 4),
        (1, 0, 3),
        (4, 2, 4),
        (5, 1, 9),
    ]
    component = present_unit_table(workspace)
    assert component.ids.tolist() == [0, 1, 5]  # also those at home elsewhere


# -- receptive fields -----------------------------------------------------------------------


def test_fields_need_a_stimulus_a_sampled_component_and_units(project: Project) -> None:
    assert present_receptive_fields(Workspace(project), {}).message.startswith("No stimulus in this session.")
    seen = replace(project, stimulus=Stimulus(np.zeros((4, 2, 2), np.int8), np.arange(4) * 100, 30.0))
    assert "Select a unit" in present_receptive_fields(Workspace(replace(seen, components=())), {}).message
    none = np.full(len(project.spikes), -1)
    assert "No units" in present_receptive_fields(Workspace(replace(seen, unit_of_spike=none)), {}).message
    view = present_receptive_fields(Workspace(seen), {})
    assert [(tile.name, tile.field) for tile in view.tiles] == [("0", None), ("1", None), ("2", None)]


def test_the_same_spikes_have_the_same_field_whatever_the_unit_is_called() -> None:
    assert spikes_key(np.array([1, 5])) == spikes_key(np.array([1, 5]))
    assert len({spikes_key(np.array([1, 5])), spikes_key(np.array([1, 6])), spikes_key(np.array([1]))}) == 3
