"""What the card of a model says of the final sets is what the benchmark found."""

from __future__ import annotations

import json

from ncpgui.core.resources import data_folder

RESULTS = data_folder("benchmarks") / "results" / "final_sets.json"


def test_the_card_holds_the_figures_of_the_final_sets() -> None:
    card = json.loads((data_folder("trained_models") / "spikes-times.json").read_text(encoding="utf-8"))
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = {
        evidence: {row["sets"]: row for row in told["rows"]}
        for evidence, told in found["models"]["spikes-times"].items()
    }
    assert set(card["final_sets"]) == set(rows)
    for evidence, kinds in card["final_sets"].items():
        assert set(kinds) == set(rows[evidence])
        for kind, figures in kinds.items():
            assert figures == {name: rows[evidence][kind][name] for name in figures}
