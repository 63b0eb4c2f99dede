"""Every benchmark but that of the figures runs to its end and keeps what it found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from ncpgui.engine.networks.checkpoint import save_checkpoint
from ncpgui.engine.networks.registry import build_network
from ncpgui.engine.training.presets import PRESETS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Networks of points in the plane with random weights, by preset."""
    folder = tmp_path_factory.mktemp("models")
    paths = {}
    for name in ("gauss2d", "gauss2d-ccp"):
        torch.manual_seed(0)
        settings = PRESETS[name].config.architecture
        save_checkpoint(folder / f"{name}.safetensors", build_network(settings), settings, {})
        paths[name] = str(folder / f"{name}.safetensors")
    return paths


def start(script: str, *options: str) -> None:
    """Run a script on tiny sizes."""
    command = [sys.executable, "-m", f"benchmarks.{script}", "--quick", *options]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": paths}
    )
    assert done.returncode == 0, done.stderr


def run(script: str, out: Path, *options: str) -> dict[str, Any]:
    """Run a script, and return what it wrote; file and page say with which command."""
    start(script, "--out", str(out), *options)
    name = script.rpartition(".")[2]
    kept = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
    assert kept["origin"]["command"].startswith(f"python -m benchmarks.{script} --quick")
    assert all(len(digest) == 64 for digest in kept["origin"]["models"].values())
    assert f"`{kept['origin']['command']}`, " in (out / f"{name}.md").read_text(encoding="utf-8")
    return kept


def test_sampling(tmp_path: Path) -> None:
    kept = run("speed.sampling", tmp_path)
    for row in (*kept["rows"], *kept["paper_sizes"]["rows"]):
        assert row["same best"]
        assert row["beams shared"] >= 140  # ties may go either way
        assert all(row[ratio] > 0 for ratio in ("wall ratio", "CPU ratio", "wall ratio, its threads"))
    assert all(row["sweeps s"] > 0 for row in kept["rows"])


def test_training_step(tmp_path: Path) -> None:
    """The loop and the pass have the same loss and the same gradients."""
    kept = run("speed.training_step", tmp_path)
    assert kept["double_precision"]["loss apart"] < 1e-12
    assert kept["double_precision"]["gradients apart"] < 1e-9
    assert all(row["loss apart"] < 1e-5 for row in kept["rows"])


def test_scaling(tmp_path: Path, fresh: dict[str, str]) -> None:
    kept = run("speed.scaling", tmp_path, "--model", fresh["gauss2d"], "--ccp", fresh["gauss2d-ccp"])
    assert kept["points"][0]["CCP s"] > 0
    assert [len(kept[name]) for name in ("points", "samples", "clusters")] == [1, 1, 1]


def test_scaling_without_a_clusterwise_network(tmp_path: Path, fresh: dict[str, str]) -> None:
    kept = run("speed.scaling", tmp_path, "--model", fresh["gauss2d"], "--ccp", "no-such-model")
    assert kept["points"][0]["CCP s"] == ""


def test_gibbs(tmp_path: Path, fresh: dict[str, str]) -> None:
    kept = run("posterior.gibbs", tmp_path, "--model", fresh["gauss2d"])
    assert {row["sampler"] for row in kept["rows"]} == {"network", "Gibbs, 4 chains"}


def test_finite_spikes(tmp_path: Path) -> None:
    """Partitions are enumerated where the spikes are few."""
    few, many = run("posterior.finite_spikes", tmp_path)["rows"]
    assert few["KL"] > 0
    assert many["KL"] == ""
    assert 0 < many["ESS / S"] <= 1


def test_known_posteriors(tmp_path: Path) -> None:
    """The right one is told from the too sure one and the too unsure one."""
    kept = {row["figure"]: row for row in run("posterior.known_posteriors", tmp_path)["rows"]}
    slope = kept["hard pairs: slope"]
    assert slope["too sure"] < slope["right"] < slope["too unsure"]
    assert kept["KL to the exact posterior, nats"]["right"] == pytest.approx(0, abs=1e-9)


def test_groups(tmp_path: Path) -> None:
    kept = run("speed.groups", tmp_path)
    assert kept["same_samples"] > 0.9
    assert kept["operations_a_point"] > 10


def test_clustering(tmp_path: Path) -> None:
    """One row for each method and source, and models side by side."""
    kept = run("clustering.clustering", tmp_path, "--cache", str(tmp_path / "sets"), "--model", "spikes")
    assert {row["source"] for row in kept["overall"]} == {"ours", "spikeinterface"}
    methods = [row["method"] for row in kept["overall"] if row["source"] == "ours"]
    assert len(methods) == len(set(methods)) >= 7
    assert [row["model"] for row in kept["calibration"]] == ["spikes", "spikes"]


def test_point_estimates(tmp_path: Path) -> None:
    kept = run("posterior.point_estimates", tmp_path, "--cache", str(tmp_path / "sets"))
    assert {row["sets"] for row in kept["rows"]} == {"ours", "SpikeInterface, static, mixed"}
    assert len({row["estimate"] for row in kept["overall"]}) == len(kept["overall"]) == 11


def test_failures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    kept = run("clustering.failures", tmp_path, "--cache", str(tmp_path / "sets"))
    assert len(kept["worst"]) == 1
    assert sum(row["all: pairs"] for row in kept["by_distance"]) >= 1
    assert (tmp_path / "clustering_failures.png").stat().st_size > 10_000


def test_a_quick_run_leaves_the_results_alone() -> None:
    before = {path: path.stat().st_mtime_ns for path in RESULTS.iterdir()}
    start("speed.training_step")
    assert {path: path.stat().st_mtime_ns for path in RESULTS.iterdir()} == before


def test_memory(tmp_path: Path) -> None:
    rows = run("speed.memory", tmp_path, "--spikes-per-group", "40", "--samples", "12")["rows"]
    assert [row["settings"] for row in rows] == ["few", "few", "default", "default"]
    for short, long in (rows[:2], rows[2:]):
        assert long["seconds"] == 3 * short["seconds"]
        assert long["spikes"] > 2 * short["spikes"]
    assert 0 < rows[1]["times"] < 1.2  # by default the channels of so short recordings are not full
    assert rows[3]["sampled"] > rows[1]["sampled"]


def test_real_time(tmp_path: Path) -> None:
    (row,) = run("speed.real_time", tmp_path)["rows"]
    assert (row["recording s"], row["channels"]) == (10, 64)
    assert row["wall / recording"] == pytest.approx(row["wall s"] / 10, abs=0.011)


def test_dask_workers(tmp_path: Path) -> None:
    """Only sampling is sent; of one worker there is nothing to gain."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed (extra dask)")
    rows = {row["step"]: row for row in run("speed.dask_workers", tmp_path)["rows"]}
    assert [name for name, row in rows.items() if row["tasks"]] == [
        "sampling of the first pass",
        "sampling of components",
    ]
    for row in rows.values():
        assert (row["sent MB"] > 0) == (row["received MB"] > 0) == bool(row["tasks"])
        assert row["speed-up"] in ("", 1)


def test_channels(tmp_path: Path) -> None:
    """The time of the steps is that of the whole."""
    (row,) = run("speed.channels", tmp_path, "--no-posterior")["rows"]
    assert (row["channels"], row["true units"], row["times"]) == (64, 60, 1)
    steps = ("noise", "motion", "first pass", "matching", "joining", "components")
    assert sum(row[step] for step in steps) == pytest.approx(row["all"])
    assert row["CPU s"] == pytest.approx(row["all"] * 64 * 3 / 1000)


def test_motion(tmp_path: Path) -> None:
    """A jump over 20 µm in 21 s is seen by the preset that is taken by default."""
    (row,) = run("recordings.motion", tmp_path)["rows"]
    assert row["preset"] == "dredge_fast"
    assert row["true range"] == 20.0
    assert row["range"] > 10
    assert 0 < row["rms error"] < 5


def test_ablation(tmp_path: Path) -> None:
    """What a step gains or loses is counted against the first row."""
    rows = run("recordings.ablation", tmp_path, "--steps", "no matching", "no joining")["rows"]
    assert [row["step"] for row in rows] == ["as by default", "no matching", "no joining"]
    assert rows[0]["gained"] == rows[0]["lost"] == 0
    for row in rows:
        assert row["found"] == rows[0]["found"] + row["gained"] - row["lost"]


def test_neuron_probability(tmp_path: Path) -> None:
    kept = run("probabilities.neuron_probability", tmp_path)
    assert len(kept["weights"]) == 6
    assert 0 < kept["neuron"]["neurons"] < kept["neuron"]["units"]
    assert [(row["recordings"], row["generator"]) for row in kept["rows"]] == [
        (recordings, generator)
        for recordings in ("left out in turn", "never fitted on")
        for generator in ("all", "SpikeInterface's", "ours", "peaks")
    ]
    for row in kept["rows"]:
        assert row["neurons"] + row["hash"] + row["noise"] == row["units"] > 0


def test_unit_probabilities(tmp_path: Path) -> None:
    ways = run("probabilities.unit_probabilities", tmp_path, "--cache", str(tmp_path / "cache"))["ways"]
    assert list(ways) == ["all spikes and times", "firing times", "network alone"]
    for rows in ways.values():
        assert len(rows) == 8
        assert all(0 <= row[column] <= 1 for row in rows for column in ("mean P", "true", "ECE"))


def test_demo_units(tmp_path: Path) -> None:
    kept = run("probabilities.demo_units", tmp_path)
    assert len(kept["ranks"]) == 3
    assert all(0 <= row["P(right)"] <= 1 and 0 <= row["agreement"] <= 1 for row in kept["units"])
    wrong = [row["expected wrong"] for row in kept["units"] if row["asked"]]
    assert wrong == sorted(wrong, reverse=True)


def test_similarity(tmp_path: Path) -> None:
    kept = run("probabilities.similarity", tmp_path)
    assert len(kept["all"]) == 5
    assert all(0 <= row[column] <= 1 for row in kept["rows"] for column in ("AUC", "first"))


def test_review(tmp_path: Path) -> None:
    (row,) = run("window.review", tmp_path)["rows"]
    before, after = map(int, row["wrong assignments"].split(" → "))
    assert after <= before
    assert row["decisions"] <= row["questions"] <= row["keys"]


def test_curation(tmp_path: Path) -> None:
    """Our own units are curated in all ways, and a second run makes nothing again."""
    words = ("--cache", str(tmp_path / "cache"))
    (one,) = run("curation.curation", tmp_path, *words)["sortings"]
    rows = {row["method"]: row for row in one["rows"]}
    assert list(rows)[:3] == ["as given", "review, by itself at 90 %", "review, answered"]
    assert "slay" in rows
    assert rows["review, answered"]["wrong spikes"] <= rows["as given"]["wrong spikes"]
    assert rows["review, answered"]["decisions"] <= rows["review, answered"]["questions"]
    assert len(one["units"]) == rows["as given"]["units"]
    page = (tmp_path / "curation.md").read_text(encoding="utf-8")
    assert "P(right) >= 0.5" in page
    assert "Bombcell, good" in page
    (tmp_path / "curation.md").unlink()
    assert run("curation.curation", tmp_path, "--resume", *words)["sortings"] == [one]


def test_coverage(tmp_path: Path) -> None:
    """Two small recordings: intervals of 90 % cover most truths, and draws tell orientations."""
    kept = run("findings.coverage", tmp_path, "--draws", "10", "--cache", str(tmp_path / "cache"))
    assert {row["quantity"] for row in kept["rows"]} >= {"rate", "preferred orientation"}
    assert all(row["low"] < row["high"] for row in kept["rows"])
    assert sum(row["covers"] for row in kept["rows"]) > len(kept["rows"]) / 2
    assert [row["decoder"] for row in kept["decoding"]] == ["soft", "hard", "crossings"]
    assert kept["decoding"][0]["accuracy"] > 2 / 12


def test_answers(tmp_path: Path) -> None:
    """Two small recordings: no finding needs more answers than there are questions."""
    kept = run("findings.answers", tmp_path, "--draws", "10", "--cache", str(tmp_path / "cache"))
    assert all(0 < row[order] <= row["questions"] for row in kept["rows"] for order in ("queue", "effect"))
    assert all(row["after"] < row["before"] for row in kept["rows"])


def test_questions(tmp_path: Path) -> None:
    tables = run("probabilities.questions", tmp_path, "--cache", str(tmp_path / "cache"))["tables"]
    assert [row["draws"] for row in tables["Questions"]] == [
        "all spikes and times",
        "firing times",
        "network alone",
    ]
    for row in tables["By recording"]:
        assert row["questions"] <= row["components"]
        assert row["told and asked"] <= row["can be told"] <= row["wrong"] <= row["units"]
        assert row["mended and asked"] <= row["can be mended"] <= row["wrong"]
        assert row["after the queue"] <= row["wrong assignments"]


def test_heaps(tmp_path: Path) -> None:
    kept = run("probabilities.heaps", tmp_path, "--cache", str(tmp_path / "cache"))
    assert [row["quantity"] for row in kept["weights"]] == ["valley", "distance", "intercept"]
    assert all(0 <= row["said"] <= 1 for row in kept["rows"])


def test_units_in_noise(tmp_path: Path) -> None:
    ways = run("probabilities.units_in_noise", tmp_path, "--cache", str(tmp_path / "cache"))["ways"]
    assert {"neuron", "right", "pure", "complete"} <= {row["P of"] for row in ways["all spikes and times"]}


def test_second_cells(tmp_path: Path) -> None:
    kept = run("probabilities.second_cells", tmp_path, "--cache", str(tmp_path / "cache"))
    assert [row["weight of"] for row in kept["weights"]] == ["nothing", "BIC", "times, nats", "share"]
    (row,) = kept["rows"]
    assert row["of these of two"] <= min(row["of two cells"], row["asked about"]) <= row["units"]


def test_stimulus(tmp_path: Path) -> None:
    kept = run("probabilities.stimulus", tmp_path)
    assert 0 <= kept["total"]["ECE"] <= 1
    spikes, overlap, promises = kept["tables"].values()
    assert all(row["nothing said"] <= row["pairs"] for row in spikes)
    assert sum(row["pairs"] for row in overlap) <= 4
    assert all(0 <= row["said"] <= 1 for row in promises)


def test_noise_crossings(tmp_path: Path) -> None:
    one, eight = run("recordings.noise_crossings", tmp_path, "--threshold", "2.5")["rows"]
    assert one["median of the others"] == ""
    without = eight["no reference"]
    assert abs(eight["median of the others"] / without - 1) < 0.1 < eight["median of all"] / without - 1


def test_coloured_noise(tmp_path: Path) -> None:
    without, with_cells = run("recordings.coloured_noise", tmp_path, "--cache", str(tmp_path / "cache"))[
        "rows"
    ]
    assert without["false"] == without["units"] == len(without["of units"])
    assert with_cells["found"] <= with_cells["cells"] == len(with_cells["accuracy"]) == 3


def test_neurons_in_noise(tmp_path: Path) -> None:
    (row,) = run("recordings.neurons_in_noise", tmp_path, "--cache", str(tmp_path / "cache"))["rows"]
    assert row["units"] == len(row["of units"])
    page = (tmp_path / "neurons_in_noise.md").read_text(encoding="utf-8")
    assert "by chance, 95 %" in page


def test_coloured_probes(tmp_path: Path) -> None:
    coloured, white = run("recordings.coloured_probes", tmp_path, "--cache", str(tmp_path / "cache"))["rows"]
    assert (coloured["noise"], white["noise"]) == ("coloured", "white")
    assert all(row["found"] <= row["cells"] == len(row["accuracy"]) == 3 for row in (coloured, white))


def test_sorters(tmp_path: Path) -> None:
    kept = run("recordings.sorters", tmp_path, "--cache", str(tmp_path / "cache"))
    (row,) = kept["rows"]
    assert row["failure"] is None
    assert row["true units"] == len(row["accuracy of true units"]) == 3
    assert row["units"] == len(row["matched units"])
    assert row["CPU s"] > 0
    assert row["MiB"] > 100
    page = (tmp_path / "sorters.md").read_text(encoding="utf-8")
    assert "## By the SNR of the true unit" in page


def test_receptive_fields(tmp_path: Path) -> None:
    kept = run("recordings.receptive_fields", tmp_path, "--cache", str(tmp_path / "cache"))
    (row,) = kept["rows"]
    assert row["failure"] == ""
    assert row["of true cells"] <= row["distinct"] <= row["with a clear field"] <= row["units"]
    assert kept["pairs"] == []
    assert (tmp_path / "receptive_fields.png").stat().st_size > 10_000


def test_hybrid(tmp_path: Path) -> None:
    kept = run("recordings.hybrid", tmp_path, "--cache", str(tmp_path / "cache"))
    (row,) = kept["rows"]
    assert row["failure"] is None
    assert row["inserted"] == len(row["accuracy"]) == len(row["peak to peak"]) == len(row["Hz"]) == 2
    assert (tmp_path / "hybrid.png").stat().st_size > 10_000


def test_endurance(tmp_path: Path) -> None:
    """A recording is sorted as it is made up, first a tenth of it; no trace of it is kept."""
    kept = run("speed.endurance", tmp_path)
    short, long = kept["rows"]
    assert long["seconds"] == pytest.approx(10 * short["seconds"])
    assert long["spikes"] > short["spikes"] > 0
    assert long["times"] == long["MiB"] / short["MiB"]
    assert {path.name for path in tmp_path.iterdir()} == {"endurance.json", "endurance.md"}


def test_gui(tmp_path: Path) -> None:
    """A session is made, and the window opens it and is driven through its edits in both layouts."""
    kept = run("window.gui", tmp_path, "--no-sampling", "--cache", str(tmp_path / "sessions"))
    assert [row["program"] for row in kept["rows"]] == ["ncpgui, decide", "ncpgui, inspect"]
    for row in kept["rows"]:
        assert row["spikes"] == 6000
        assert {"select", "next question", "split", "undo", "accept", "label"} <= set(row["times"])
