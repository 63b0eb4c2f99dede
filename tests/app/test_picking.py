"""A click on a unit selects it; with the key that adds, it joins the selection or leaves it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ncpgui.app.model.workspace import Workspace


@pytest.mark.parametrize(
    ("unit", "adds", "selected"),
    [
        (7, False, [7]),
        (3, False, [3]),
        (7, True, [3, 5, 7]),
        (3, True, [5]),
        (None, False, None),
        (None, True, None),
    ],
)
def test_what_is_selected_after_a_click(unit: int | None, adds: bool, selected: list[int] | None) -> None:
    asked: list[list[int]] = []
    workspace = SimpleNamespace(selected=(3, 5), select=asked.append)
    Workspace.pick(workspace, unit, adds=adds)  # type: ignore[arg-type]
    assert asked == ([] if selected is None else [selected])
