"""``ncpgui evaluate``: files written, the table, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncpgui.cli.evaluate import print_summary
from ncpgui.engine.diagnostics import evaluate as evaluation

from .conftest import Command, files_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def few_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little data that the whole evaluation takes a second."""
    few = evaluation.Amount(
        n_points=8,
        orders=2,
        order_datasets=2,
        order_samples=3,
        calibration_datasets=4,
        calibration_samples=6,
        rank_datasets=10,
        rank_samples=4,
    )
    monkeypatch.setattr(evaluation, "QUICK", few)


def test_a_shipped_model_is_evaluated_into_two_files_and_a_table(
    ncpgui: Command, few_data: None, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    ran = ncpgui("evaluate", "spikes", "--quick", "--seed", 3, "--out", tmp_path / "new", "--device", "cpu")
    assert ran.code == 0, ran.err
    assert sorted(files_of(tmp_path)) == ["new/spikes.evaluation.json", "new/spikes.evaluation.png"]
    result = json.loads((tmp_path / "new" / "spikes.evaluation.json").read_text(encoding="utf-8"))
    assert (result["model"], result["seed"], result["quick"]) == ("spikes", 3, True)
    table, _, words = ran.out.partition("\n\n")
    lines = table.splitlines()
    assert lines[0] == "figure\tvalue\texpected\tgoal"
    assert len(lines) == 1 + len(result["summary"])
    card = json.loads((ROOT / "trained_models" / "spikes.json").read_text(encoding="utf-8"))
    name = "hard pairs: calibration error"
    (row,) = (line.split("\t") for line in lines if line.startswith(name))
    assert " +- " in row[1]
    assert row[2] == f"{card['evaluation'][name]:.3g}"
    assert words == "expected: what the full check found for this model; a quick one differs by its error\n"
    assert ran.err.splitlines()[-1].startswith("wrote ")


def test_what_is_expected_is_explained_below_the_table_after_an_empty_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = {"what": "a figure", "value": 0.25, "se": None, "target": None, "met": None}
    print_summary({"summary": [row]}, {"a figure": 0.5})
    assert capsys.readouterr().out.splitlines() == [
        "figure\tvalue\texpected\tgoal",
        "a figure\t0.25\t0.5\t",
        "",
        "expected: what the full check found for this model; a quick one differs by its error",
    ]


@pytest.mark.parametrize("there", ["spikes.evaluation.json", "spikes.evaluation.png"])
def test_files_of_an_earlier_check_are_replaced_only_with_overwrite(
    ncpgui: Command, few_data: None, tmp_path: Path, there: str
) -> None:
    (tmp_path / there).write_text("somebody's notes")
    words = ("evaluate", "spikes", "--quick", "--out", tmp_path, "--device", "cpu")
    error = ncpgui(*words).error
    assert error == f"{tmp_path / there} exists; give another name, or --overwrite to replace it"
    assert (tmp_path / there).read_text() == "somebody's notes"
    if there.endswith(".json"):
        assert ncpgui(*words, "--overwrite").code == 0
        assert json.loads((tmp_path / there).read_text(encoding="utf-8"))["model"] == "spikes"


def test_json_on_stdout_is_what_the_file_holds(ncpgui: Command, few_data: None, tmp_path: Path) -> None:
    ran = ncpgui("evaluate", "spikes", "--quick", "--out", tmp_path, "--json")
    assert json.loads(ran.out) == json.loads(
        (tmp_path / "spikes.evaluation.json").read_text(encoding="utf-8")
    )


def test_without_matplotlib_the_figures_are_written_and_the_way_to_the_picture_is_said(
    ncpgui: Command, few_data: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "matplotlib" else found(name, *rest)
    )
    ran = ncpgui("evaluate", "spikes", "--quick", "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert list(files_of(tmp_path)) == ["spikes.evaluation.json"]
    assert ran.err.endswith("no figure: matplotlib is not installed; get it with: pip install matplotlib\n")


def test_a_model_that_is_not_there_is_named_with_those_that_are(ncpgui: Command, tmp_path: Path) -> None:
    error = ncpgui("evaluate", "nobody", "--out", tmp_path / "new").error
    assert error.startswith("no model 'nobody'")
    assert "spikes" in error
    assert not (tmp_path / "new").exists()


def test_a_file_in_place_of_the_folder_is_refused_before_any_work(ncpgui: Command, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("", encoding="utf-8")
    assert ncpgui("evaluate", "spikes", "--out", tmp_path / "x").error.endswith("is a file; give a folder")
    assert (
        "does not exist; create it first" in ncpgui("evaluate", "spikes", "--out", tmp_path / "a" / "b").error
    )


def test_a_card_without_its_data_is_one_line(ncpgui: Command, tmp_path: Path) -> None:
    from ncpgui.core.resources import data_folder

    for suffix in (".safetensors", ".json"):
        (tmp_path / f"mine{suffix}").write_bytes(
            (data_folder("trained_models") / f"spikes{suffix}").read_bytes()
        )
    card = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    (tmp_path / "mine.json").write_text(json.dumps(card | {"training": {}}), encoding="utf-8")
    before = files_of(tmp_path)
    assert (
        "does not say which data"
        in ncpgui("evaluate", tmp_path / "mine.safetensors", "--out", tmp_path).error
    )
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(
    ("value", "se", "met", "said"),
    [
        (0.03, 0.01, True, "at most 0.05"),
        (0.06, 0.01, False, "at most 0.05, within its error"),
        (0.08, 0.01, False, "at most 0.05, not reached"),
        (0.06, None, False, "at most 0.05, not reached"),
    ],
)
def test_a_goal_that_is_missed_by_less_than_chance_is_not_called_missed(
    capsys: pytest.CaptureFixture[str], value: float, se: float | None, met: bool, said: str
) -> None:
    row = {"what": "error", "value": value, "se": se, "target": 0.05, "met": met}
    print_summary({"summary": [row]}, {})
    assert capsys.readouterr().out.splitlines()[1].split("\t")[2:] == ["", said]
