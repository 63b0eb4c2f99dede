"""`make results` runs every benchmark that a page shows, and leaves out what is there already."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import write_results

from benchmarks.common import all_results
from benchmarks.common.all_results import STEPS, Step, is_done
from benchmarks.recordings.peers import PEERS

ROOT = Path(__file__).resolve().parents[2]
STEP = Step("it", "python -m benchmarks.speed.it --sets 2", "results/it.json", 1)
HEAD = "1" * 40


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a result of an origin; the source is that of `HEAD`."""
    monkeypatch.setattr(all_results, "same_source", lambda commit: commit == HEAD)
    (tmp_path / "results").mkdir()

    def write(content: object) -> Path:
        (tmp_path / "results" / "it.json").write_text(json.dumps(content), encoding="utf-8")
        return tmp_path

    return write


def origin(**other: object) -> dict[str, object]:
    return {"command": STEP.command, "git_revision": HEAD, "git_changed": False, **other}


def test_a_result_of_this_command_and_this_source_is_left_out(kept) -> None:
    assert is_done(STEP, kept({"origin": origin(), "rows": []}))


@pytest.mark.parametrize(
    "content",
    [
        {"origin": origin(command="python -m benchmarks.speed.it --sets 3")},
        {"origin": origin(git_revision="2" * 40)},
        {"origin": origin(git_changed=True)},
        {"origin": origin(git_revision=None, git_changed=None)},
        {"rows": []},  # of a version that did not say
    ],
)
def test_a_result_of_another_command_or_source_is_made_again(kept, content) -> None:
    assert not is_done(STEP, kept(content))


def test_a_result_that_is_not_there_is_made(kept, tmp_path: Path) -> None:
    assert not is_done(STEP, tmp_path)


def test_an_evaluation_says_how_it_was_made_at_its_top(kept) -> None:
    assert is_done(STEP, kept({**origin(), "summary": []}))


def test_figures_are_there_when_all_of_them_are(kept) -> None:
    figure, older = {"about": {"origin": origin()}}, {"about": {"origin": origin(git_revision="2" * 40)}}
    assert is_done(STEP, kept({"a": figure, "b": figure}))
    assert not is_done(STEP, kept({"a": figure, "b": older}))


def test_an_unknown_step_is_refused_with_those_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["all_results.py", "sampling", "speed"])
    with pytest.raises(SystemExit):
        all_results.parsed()
    assert "no step speed; there are sampling, training_step" in capsys.readouterr().err


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step_starts_a_script_that_is_there_or_evaluates_a_shipped_model(step: Step) -> None:
    program, *words = shlex.split(step.command)
    if program == "ncpgui":
        assert (ROOT / "trained_models" / f"{words[1]}.safetensors").is_file()
    else:
        script = f"{words[1].replace('.', '/')}.py" if words[0] == "-m" else words[0]
        assert (ROOT / script).is_file()


def test_a_step_that_needs_other_sorters_is_left_out_without_them_and_the_rest_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NCPGUI_PEERS", str(tmp_path))
    (tmp_path / "lupin").mkdir()
    (tmp_path / "lupin" / ".ready").touch()
    monkeypatch.setattr(sys, "argv", ["all_results.py", "sorters", "memory", "--list"])
    assert all_results.main() == 0
    said = capsys.readouterr().out
    assert "sorters (left out): mountainsort5, spykingcircus2, tridesclous2 have no" in said
    assert "'bash scripts/set_up_peers.sh mountainsort5 spykingcircus2 tridesclous2'" in said
    assert "memory (" in said
    assert "memory (left out)" not in said


def test_a_step_that_needs_other_sorters_runs_where_all_of_them_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NCPGUI_PEERS", str(tmp_path))
    for name in PEERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / ".ready").touch()
    assert all_results.why_not(next(step for step in STEPS if step.name == "sorters")) is None


def test_every_result_that_a_page_shows_has_a_step() -> None:
    results = set((ROOT / "benchmarks" / "results").rglob("*.json"))
    made = {ROOT / step.result for step in STEPS}
    assert results - made == set()


def test_what_is_asked_for_without_the_trainings_takes_an_hour_and_a_half_at_most() -> None:
    """Of two cores: what runs alone, and half of what does not; other sorters are another matter."""
    steps = [step for step in STEPS if not step.training and not step.peers]
    assert sum(step.minutes * (1 if step.alone else 0.5) for step in steps) <= 90


@pytest.mark.parametrize("page", write_results.PAGES)
def test_the_figures_of_a_page_are_those_of_the_files(page: str) -> None:
    """Otherwise run scripts/write_results.py."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert write_results.with_results(page, text) == text


def test_the_card_of_a_model_has_what_the_final_sets_said_of_its_weights() -> None:
    """Otherwise run scripts/write_results.py."""
    card = json.loads(write_results.CARD.read_text(encoding="utf-8"))
    assert write_results.card_of_final_sets() == card
    assert card["final_sets"]["given firing times"]["tetrode"]["n"] >= 20


@pytest.mark.parametrize("model", write_results.EVALUATED)
def test_the_card_of_a_model_has_what_its_whole_check_found(model: str) -> None:
    """Otherwise run scripts/write_results.py."""
    card = json.loads((write_results.MODELS / f"{model}.json").read_text(encoding="utf-8"))
    assert write_results.card_of_evaluation(model) == card
    assert len(card["evaluation"]) > 8


def test_a_check_of_other_weights_does_not_go_into_a_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = json.loads((write_results.MODELS / "spikes.json").read_text(encoding="utf-8"))
    (tmp_path / "spikes.json").write_text(json.dumps({**card, "weights_sha256": "0" * 64}), encoding="utf-8")
    monkeypatch.setattr(write_results, "MODELS", tmp_path)
    with pytest.raises(ValueError, match="the evaluation of spikes is of other weights; run ncpgui evaluate"):
        write_results.card_of_evaluation("spikes")


def test_figures_of_other_weights_do_not_go_into_a_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = json.loads(write_results.CARD.read_text(encoding="utf-8"))
    other = tmp_path / "card.json"
    other.write_text(json.dumps({**card, "weights_sha256": "0" * 64}), encoding="utf-8")
    monkeypatch.setattr(write_results, "CARD", other)
    scored = f"of weights {card['weights_sha256'][:12]}, not those of spikes"
    with pytest.raises(ValueError, match=scored):
        write_results.card_of_final_sets()


def test_the_table_of_scores_says_what_missed_and_what_failed() -> None:
    def row(what: str, value: float, target: float | None = None) -> dict[str, object]:
        return {"what": what, "value": value, "target": target, "met": target and value <= target}

    assert write_results.score_cell(row("exact posterior: mean KL, nats", 0.06, 0.05)) == "0.06, missed"
    assert write_results.score_cell(row("exact posterior: mean KL, nats", 0.04, 0.05)) == "**0.04**"
    assert write_results.score_cell(row("ranks, log p(c, x): p value", 2e-4)) == "0.0002, failed"
    assert write_results.score_cell(row("ranks, log p(c, x): p value", 0.02)) == "0.02"
    shown = (ROOT / "docs" / "method" / "diagnostics.md").read_text(encoding="utf-8")
    assert re.search(r"\| importance weights: share with Pareto k > 0.7 \|", shown)
