"""A row of the queue: how many units there may be, its names in little room, and how much is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny_project import tiny_project, waiting

from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.queue import OTHER, QueueRow, present_queue, wrong_words


def row(state: str, units: tuple[str, ...] | None, *p_units: tuple[int, float]) -> QueueRow:
    return QueueRow(0, 5, units, 1, ComponentStatus(state), p_units, 0.0, False)


@pytest.mark.parametrize(
    ("state", "units", "p_units", "caption"),
    [
        ("sampled", ("7",), [(1, 0.9), (2, 0.02)], "1–2 units"),  # one in fifty may be
        ("sampled", ("7",), [(1, 0.9), (2, 0.019)], "1 unit"),
        ("sampled", ("7", "8"), [(1, 0.01), (3, 0.98)], "2–3 units"),  # those in use are one way
        ("sampled", ("7",), [(1, 0.7), (OTHER, 0.3)], "1 unit"),
        ("sampled", (), [(0, 1.0)], "no units"),
        ("sampled", (), [(0, 0.6), (1, 0.4)], "0–1 unit"),
        ("curated", ("7", "8"), [(1, 0.5), (3, 0.5)], "2 units"),  # what was decided is what there is
    ],
)
def test_the_numbers_of_units_that_are_possible_are_told(
    state: str, units: tuple[str, ...], p_units: list[tuple[int, float]], caption: str
) -> None:
    assert row(state, units, *p_units).caption == caption


def test_captions_are_shortened_to_words_that_are_whole() -> None:
    assert row("sampled", ("7",), (1, 0.5), (2, 0.5)).captions == ("1–2 units", "1–2", "")
    assert row("sampled", (), (0, 1.0)).captions == ("no units", "", "")
    assert row("waiting", None).captions == ("not checked yet", "not checked", "")
    sampling = replace(row("sampling", None), status=ComponentStatus("sampling", 0.44))
    assert sampling.captions == ("sampling 44 %", "44 %", "")


def test_names_are_shortened_from_the_end() -> None:
    assert row("sampled", ("4", "7", "9")).names == (
        "Units 4, 7, 9",
        "4, 7, 9",
        "4, 7 + 1 more",
        "4 + 2 more",
    )
    assert row("sampled", ("4",)).names == ("Unit 4", "4")
    assert row("sampled", ()).names == row("waiting", None).names == ("Contact 5",)
    assert row("sampled", ()).place == "ch 5 · 1 spike"


def test_two_components_that_wait_at_one_contact_have_different_names() -> None:
    project = tiny_project({c: [[0, 0, 0]] for c in range(3)})
    beside = replace(project.components[1], contacts=np.array([0]))
    all_wait = tuple(map(waiting, (project.components[0], beside, project.components[2])))
    workspace = Workspace(replace(project, components=(), waiting=all_wait))
    names = {one.component_id: one.name for one in present_queue(workspace)}
    assert names == {0: "Contact 0 (1)", 1: "Contact 0 (2)", 2: "Contact 2"}


@pytest.mark.parametrize(
    ("n", "words"), [(0.0, "0"), (0.2, "<1"), (0.999, "<1"), (1.0, "1"), (1.4, "1"), (1234.0, "1\u2009234")]
)
def test_expected_spikes_are_whole_and_few_are_less_than_one(n: float, words: str) -> None:
    assert wrong_words(n) == words
