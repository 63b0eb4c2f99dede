"""What was made of a component is made again when it is another version, and only then."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tiny_project import tiny_project

from ncpgui.app.model.remembered import OF_DRAWS, OF_MARKS, Remembered
from ncpgui.app.model.workspace import Workspace
from ncpgui.curation.commands import Link

APP = Path(__file__).parents[2] / "ncpgui" / "app"
OF_A_COMPONENT = {
    "agreement", "as given", "change", "current", "doubts", "gain", "given", "in use", "mean waveforms",
    "means", "measured units", "merge", "n units", "numbers before", "present", "preview",
    "proposal", "queue row", "same neuron", "same train", "together", "unit names", "waveform columns",
    "waveform ghosts",
}  # fmt: skip
OF_THE_PROJECT = {
    "decided", "mean templates", "other measured units", "p neuron", "queue order", "settled", "standings",
    "statuses", "unit numbers", "units at",
}  # fmt: skip


@pytest.fixture
def remembered() -> Remembered:
    return Remembered()


KEYS = [
    ("status",),
    ("given", 0),
    ("preview", 0, 1),
    ("pca", 0),
    ("given", 1),
    ("pca", 1),
    ("standing", 1),
    ("waveforms", -1, 2),
]


def anew(remembered: Remembered, change: Any) -> list[tuple[Any, ...]]:
    """Keys whose value is another after a change."""
    remembered.tell(-1, "units 3 and 4")
    before = [remembered.get(key, object) for key in KEYS]
    assert [remembered.get(key, object) for key in KEYS] == before
    change(remembered)
    return [key for key, old in zip(KEYS, before, strict=True) if remembered.get(key, object) is not old]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda r: None, []),
        (lambda r: r.changed(), [("status",), ("waveforms", -1, 2)]),
        (lambda r: r.changed([0]), [("status",), ("given", 0), ("preview", 0, 1), ("waveforms", -1, 2)]),
        (
            lambda r: r.changed(draws=[1]),
            [("status",), ("given", 1), ("pca", 1), ("standing", 1), ("waveforms", -1, 2)],
        ),
        (lambda r: r.changed(marks=[1]), [("status",), ("standing", 1), ("waveforms", -1, 2)]),
        (lambda r: r.tell(-1, "units 3 and 5"), [("waveforms", -1, 2)]),
        (lambda r: r.tell(-1, "units 3 and 4"), []),
    ],
)
def test_a_value_is_made_anew_where_what_it_is_of_is_another_version(
    remembered: Remembered, change: Any, expected: list[tuple[Any, ...]]
) -> None:
    assert anew(remembered, change) == expected


def test_values_of_older_versions_are_not_kept(remembered: Remembered) -> None:
    for n in range(100):
        remembered.get(("merge", 0, (n, n + 1)), object)
        remembered.changed([0])
    assert len(remembered._kept) == 1
    assert len(next(iter(remembered._kept.values()))[1]) == 1


def test_every_key_is_of_a_component_of_its_draws_or_of_the_project() -> None:
    paths = [path for folder in ("model", "presenters") for path in (APP / folder).glob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    keys = re.findall(r'(?:remembered\.get\(|\bkey = )\s*\("([^"]+)"(,\s*\)|,)', text)
    names = {name for name, _ in keys}
    assert names == OF_A_COMPONENT | OF_DRAWS | OF_MARKS | OF_THE_PROJECT
    assert {name for name, end in keys if end.endswith(")")} == OF_THE_PROJECT


EDITS = [
    ("label", lambda w: w.label((0,), "good"), set()),
    ("accept", lambda w: w.set_accepted((0,), True), {0}),
    ("link", lambda w: w.state.do(Link((0, 1), same=False)), {0}),
    ("merge", lambda w: w.merge((3, 4)), {1}),
    ("merge across", lambda w: w.merge((0, 3)), {0, 1}),
]


@pytest.mark.parametrize("edit", [edit for _, edit, _ in EDITS], ids=[name for name, _, _ in EDITS])
def test_an_edit_its_undo_and_its_redo_change_the_components_that_they_are_about(edit: Any) -> None:
    expected = next(touched for _, one, touched in EDITS if one is edit)
    workspace = Workspace(tiny_project({0: [[0, 0, 0, 1, 1, 1, 2, 2]], 1: [[0, 0, 0, 1, 1]], 2: [[0] * 4]}))
    for step in (edit, Workspace.undo, Workspace.redo):
        before = {one: workspace.state.components.given_of(one) for one in workspace.state.components.ids}
        step(workspace)
        touched = {
            one for one, given in before.items() if workspace.state.components.given_of(one) is not given
        }
        assert touched == expected
