"""Which panels are drawn anew when something changes: those that show it, and no others."""

from __future__ import annotations

from typing import Any

from ncpgui.app.model.state import Change

SORTING = {
    "waveforms", "embedding", "fields", "events", "finding", "units", "similar", "similarity",
    "correlograms", "features", "over time", "traces",
}  # fmt: skip
"""Panels that show units of the sorting on screen."""
LISTS = {"probe", "queue"}
FOLLOWED: dict[str, set[str]] = {
    "opened": SORTING | LISTS | {"cards", "history"},
    "current_changed": SORTING | LISTS | {"cards"},
    "shown_changed": SORTING | {"cards"},
    "selection_changed": SORTING,
    "coloring": SORTING | {"cards"},
    "lasso_changed": {"embedding", "features", "over time"},
    "spike_chosen": {"traces"},
    "units_changed": {"finding", "units", "similar", "similarity", "history"},
    "components_changed": LISTS | {"similarity", "history"},
    "components_changed here": LISTS | {"similarity", "history", "cards"},
    "progressed": {"queue"},
    "events_changed": {"events", "finding"},
    "correlograms": {"correlograms"},
    "findings over draws": {"finding"},
    "firing times of pairs": {"similar"},
    "quality metrics": {"units"},
    "receptive fields": {"fields"},
    "responses to events": {"events"},
    "t-SNE": {"embedding"},
    "traces": {"traces"},
    "waveforms of nobody": set(),
}


def test_a_change_makes_those_panels_stale_that_show_it(array_window) -> None:
    """The last ones are what arrives from work in the background; component 0 is on screen."""
    bench, workspace, arrived = array_window.bench, array_window.workspace, array_window.controller.arrived
    bench.hide()  # what nobody sees stays stale
    for panel in bench.panels:
        panel.make()
    here = workspace.component_id
    emitted: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "coloring": (workspace.coloring.changed, ()),
        "spike_chosen": (workspace.spike_chosen, (0,)),
        "units_changed": (workspace.state.units_changed, (Change(),)),
        "components_changed": (workspace.state.components_changed, ((here + 1,),)),
        "components_changed here": (workspace.state.components_changed, ((here,),)),
        "progressed": (workspace.state.progressed, (here,)),
    }
    for name in ("current_changed", "shown_changed", "selection_changed", "lasso_changed"):
        emitted[name] = getattr(workspace, name), ()
    for name in ("opened", "events_changed"):
        emitted[name] = getattr(workspace.state, name), ()
    found = {}
    for name in FOLLOWED:
        signal, values = emitted.get(name, (arrived, (name,)))
        for panel in bench.panels:
            panel._is_dirty = False
        signal.emit(*values)
        found[name] = {key for key, panel in bench.by_name.items() if panel._is_dirty}
    assert found == FOLLOWED
    workspace.component_id = None  # without a question the map and the headline follow the selection
    for panel in bench.panels:
        panel._is_dirty = False
    workspace.selection_changed.emit()
    assert {key for key, panel in bench.by_name.items() if panel._is_dirty} == SORTING | {"probe", "cards"}
