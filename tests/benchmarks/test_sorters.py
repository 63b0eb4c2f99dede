"""The sorters' benchmark counts what it says, keeps what was found, and knows the SNR of true units."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import probeinterface
import pytest
from spikeinterface.core import NumpySorting

from benchmarks.common.process_memory import PeakMemory, descendants, memory_mib
from benchmarks.common.report import with_others
from benchmarks.recordings import peers, sorted_apart, sorters, sorters_page
from benchmarks.recordings.ground_truth import FAR_UV, NOISE_UV, GroundTruth, made, place_of, true_snr
from benchmarks.recordings.peers import python_of
from benchmarks.recordings.sorted_apart import Found, OnDisk, last_words
from benchmarks.recordings.unit_scores import band, by_band, reliability, scores

RATE_HZ = 10_000.0


def sorting(*trains: list[int]) -> NumpySorting:
    return NumpySorting.from_unit_dict([dict(enumerate(np.array(train) for train in trains))], RATE_HZ)


def spaced(n: int, first: int) -> list[int]:
    """Times of `n` spikes, 100 ms apart."""
    return [first + 1000 * i for i in range(n)]


@pytest.fixture
def compared():
    """Five units beside three true ones of ten spikes each."""
    a, b, c = spaced(10, 0), spaced(10, 300), spaced(10, 600)
    return scores(
        sorting(a, b, c),
        sorting(
            a[:9],  # true unit 0, one spike missed: 9 of 10
            b[:6],  # true unit 1: 6 of 10
            b[6:],  # the rest of it: 4 of 10, so redundant
            spaced(10, 800),  # of nobody
            c[:3],  # nearest to true unit 2, by 3 of 10: no match, neither false nor redundant, but extra
        ),
    )


def test_found_false_redundant_and_extra_units_of_a_comparison_made_by_hand(compared) -> None:
    assert compared.accuracy == pytest.approx([0.9, 0.6, 0.0])
    assert compared.n_found == 1
    assert (compared.n_units, compared.n_false, compared.n_redundant, compared.n_extra) == (5, 1, 1, 3)
    assert compared.is_match.tolist() == [True, True, False, False, False]
    assert compared.agreement == pytest.approx([0.9, 0.6, 0.4, 0.0, 0.3])


def test_spikes_within_four_tenths_of_a_millisecond_are_the_same() -> None:
    train = spaced(10, 100)
    near = scores(sorting(train), sorting([time + 4 for time in train]))
    far = scores(sorting(train), sorting([time + 6 for time in train]))
    assert near.accuracy.tolist() == [1.0]
    assert far.accuracy.tolist() == [0.0]


def test_a_unit_is_of_cells_where_most_of_its_spikes_are_and_no_other_unit_has_them() -> None:
    a, b, noise = spaced(10, 0), spaced(10, 300), spaced(40, 700)
    units = [
        a,  # a cell
        [time + 3 for time in a[:8]],  # what is left of it: another unit has these spikes
        [*b[:6], *noise[:4]],  # most of its spikes are of a cell
        [*b[6:], *noise[10:16]],  # fewer than half
        noise[20:30],  # of none
    ]
    compared = scores(sorting(a, b), sorting(*units))
    assert compared.is_of_cells.tolist() == [True, False, True, False, False]


def test_a_unit_of_two_cells_and_both_halves_of_a_split_cell_are_of_cells() -> None:
    a, b, c = spaced(10, 0), spaced(10, 300), spaced(10, 600)
    compared = scores(sorting(a, b, c), sorting([*a, *b], c[:5], c[5:]))
    assert compared.is_of_cells.tolist() == [True, True, True]


def test_spikes_that_meet_a_busy_cell_by_chance_make_no_unit_of_it() -> None:
    """A cell of 600 Hz has a spike within 0.4 ms of half of all times."""
    busy = list(range(0, 100_000, 16))
    compared = scores(sorting(busy), sorting(busy, spaced(90, 11)))
    assert compared.is_of_cells.tolist() == [True, False]


def test_a_sorting_without_units_finds_nothing_and_nothing_false() -> None:
    empty = NumpySorting.from_samples_and_labels([np.zeros(0, int)], [np.zeros(0, int)], RATE_HZ)
    none = scores(sorting([1, 2, 3], [500, 600]), empty)
    assert none.accuracy.tolist() == [0.0, 0.0]
    assert (none.n_units, none.n_found, none.n_false, none.n_redundant, none.n_extra) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("snr", "name"),
    [
        (-0.5, "under 4"),
        (3.99, "under 4"),
        (4.0, "4 to 5"),
        (6.9, "5 to 7"),
        (7.0, "7 to 10"),
        (10.0, "10 and more"),
        (80.0, "10 and more"),
    ],
)
def test_the_lower_end_belongs_to_a_band_of_snr(snr: float, name: str) -> None:
    assert band(snr) == name


def test_a_band_without_true_units_is_left_out() -> None:
    found = by_band([3.0, 4.5, 4.9, 12.0], [0.1, 0.9, 0.5, 0.8])
    assert list(found) == ["under 4", "4 to 5", "10 and more"]
    assert found["4 to 5"] == {"true units": 2, "found": 1, "mean accuracy": pytest.approx(0.7)}
    assert found["10 and more"]["found"] == 1


def test_the_calibration_error_is_the_mean_distance_of_promise_and_outcome() -> None:
    """Two units at 0.1, one of them true, and two at 0.9, both true: |0.1 - 0.5| and |0.9 - 1|."""
    rows, error = reliability([0.1, 0.1, 0.9, 0.9], [False, True, True, True])
    assert error == pytest.approx((0.4 + 0.1) / 2)
    assert [row["units"] for row in rows] == [2, 2]
    assert [row["neurons"] for row in rows] == [0.5, 1.0]


def test_a_probability_of_one_is_in_the_last_bin() -> None:
    rows, error = reliability([1.0], [True])
    assert rows[0]["P(neuron)"] == "0.8 to 1"
    assert error == 0


def row(recording: str, sorter: str, **other: object) -> dict[str, object]:
    zeros = dict.fromkeys(("units", "false", "redundant", "extra", "CPU s", "MiB"), 0)
    content = {
        "recording": recording,
        "sorter": sorter,
        "true units": 2,
        "found": 1,
        "mean accuracy": 0.7,
        **zeros,
        "version": "1",
        "failure": None,
        "SNR of true units": [4.5, 12.0],
        "accuracy of true units": [0.5, 0.9],
        "agreement of units": [0.9, 0.5, 0.05],
        "matched units": [True, True, False],
        "units of cells": [True, True, False],
        "P(neuron) of units": [],
        "made": "2026-01-02",
    }
    return {**content, **other}


def test_the_page_sums_recordings_and_says_what_did_not_run() -> None:
    rows = [
        row("hex49", "one", **{"false": 2, "MiB": 30}),
        row("columns48", "one", **{"false": 1, "MiB": 20}),
        row("columns48 zigzag", "one", failure="ValueError: no", **{"found": 0}),
    ]
    total = sorters_page.sums(rows)[0]
    assert (total["true units"], total["found"], total["false"], total["MiB at most"]) == (6, 2, 3, 30)
    assert sorters_page.motions(rows)[0] == {
        "sorter": "one",
        "columns48": "1 / 1 / 0",
        "columns48 zigzag": "0 / 0 / 0",
    }
    page = sorters_page.page_of(rows)
    assert "- one on columns48 zigzag: ValueError: no" in page
    assert "P(neuron) of one" not in page


def test_rows_that_are_not_made_again_stay_as_they_were_with_their_date(tmp_path: Path) -> None:
    old = [row("hex49", "one", found=1), row("hex49", "other", found=2)]
    for one in old:
        del one["made"]
    page = tmp_path / "sorters.json"
    page.write_text(json.dumps({"origin": {"date": "2025-12-31"}, "rows": old}), encoding="utf-8")
    made_again = [row("tetrode", "one", found=3), row("hex49", "one", found=4)]
    rows = with_others(made_again, page, "recording", "sorter")
    assert [(one["recording"], one["sorter"], one["found"], one["made"]) for one in rows] == [
        ("hex49", "one", 4, "2026-01-02"),
        ("hex49", "other", 2, "2025-12-31"),
        ("tetrode", "one", 3, "2026-01-02"),
    ]


def test_without_a_page_all_rows_are_those_that_were_made(tmp_path: Path) -> None:
    rows = [row("hex49", "one")]
    assert with_others(rows, tmp_path / "sorters.json", "recording", "sorter") == rows


def test_sorters_run_by_turns_and_the_page_shows_the_median_of_cpu_times(monkeypatch, tmp_path: Path) -> None:
    seconds = {"one": [30.0, 10.0, 20.0], "other": [5.0, 7.0, 6.0]}
    called: list[tuple[str, str]] = []

    def runs(sorter: str, recording: object, keep: Path, settings: object) -> Found:
        called.append((sorter, keep.name))
        return Found(sorter, np.zeros(0, np.int64), np.zeros(0, np.int32), 0, cpu_s=seconds[sorter].pop(0))

    monkeypatch.setattr(sorters, "sorted_apart", runs)
    asked = argparse.Namespace(sorters=["one", "other"], turns=3, cache=tmp_path)
    recording = OnDisk(tmp_path / "traces.raw", RATE_HZ, 1.0, probeinterface.Probe(), {})
    found = sorters.by_turns(asked, recording)
    assert [one for one, _ in called] == ["one", "other"] * 3
    assert len({folder for _, folder in called}) == 3  # what a turn found is not taken for the next one's
    assert {name: [run.cpu_s for run in of] for name, of in found.items()} == {
        "one": [10.0, 20.0, 30.0],
        "other": [5.0, 6.0, 7.0],
    }
    page = sorters_page.page_of([row("hex49", "one", **{"CPU s": 20, "CPU s of turns": [10, 20, 30]})])
    assert "20 (10 to 30)" in page


def test_the_page_tells_whether_p_neuron_came_true_where_a_sorter_has_it() -> None:
    page = sorters_page.page_of([row("hex49", "one", **{"P(neuron) of units": [0.9, 0.9, 0.3]})])
    assert "All 3 units." in page
    assert "error 0.167 for cells, 0.167 for matches" in page  # (0.1 + 0.1 + 0.3) / 3
    assert "The 1 units that agree with no true unit by 0.1 have a mean P(neuron) of 0.30" in page


def test_the_name_of_a_sorter_may_carry_settings() -> None:
    assert peers.asked_of("lupin") == ("lupin", {})
    assert peers.asked_of("ncpgui:threshold_sd=4,reference=none") == (
        "ncpgui",
        {"threshold_sd": 4, "reference": "none"},
    )


def test_recordings_of_development_share_no_seed_with_those_that_are_shown() -> None:
    shown = {truth.seed for truth in sorters.RECORDINGS.values()}
    assert max(shown) < 100
    assert not shown & {seed + sorters.DEVELOPMENT for seed in shown}


def test_the_recordings_with_and_without_motion_have_the_same_units() -> None:
    seeds = {truth.seed for name, truth in sorters.RECORDINGS.items() if name.startswith("columns48")}
    assert len(seeds) == 1


def test_a_sorter_without_an_environment_is_refused_with_the_way_to_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NCPGUI_PEERS", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["sorters.py", "--sorters", "lupin"])
    with pytest.raises(SystemExit) as stopped:
        sorters.arguments_given()
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert f"lupin has no environment in {tmp_path}" in said
    assert "run 'bash scripts/set_up_peers.sh lupin', or leave out with --sorters" in said


def test_ours_need_no_environment_but_the_one_that_runs() -> None:
    assert python_of("ncpgui") == Path(sys.executable)


def set_up(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    script = Path(__file__).resolve().parents[2] / "scripts" / "set_up_peers.sh"
    environment = {**os.environ, "NCPGUI_PEERS": str(folder)}
    return subprocess.run(
        ["bash", str(script), *names], capture_output=True, text=True, check=False, env=environment
    )


def test_setting_up_is_quick_where_all_environments_are_there(tmp_path: Path) -> None:
    for name in peers.PEERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / ".ready").touch()
    done = set_up(tmp_path)
    assert done.returncode == 0
    assert done.stderr == f"== ready: {' '.join(peers.PEERS)}\n"


def test_setting_up_a_sorter_that_there_is_not_names_those_there_are(tmp_path: Path) -> None:
    done = set_up(tmp_path, "kilosort")
    assert done.returncode == 1
    assert "no peer 'kilosort'; there are mountainsort5, spykingcircus2, tridesclous2, lupin" in done.stderr
    assert not any(tmp_path.iterdir())


def test_the_last_words_of_a_sorter_are_its_last_error_or_else_its_last_line(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("Traceback\nValueError: no spikes\n\nSpike sorting failed. See folder/log.json\n")
    assert last_words(log, 1) == "ValueError: no spikes"
    log.write_text("loading\nKilled\n\n")
    assert last_words(log, 1) == "Killed"
    log.write_text("")
    assert last_words(log, -9) == "exit -9 without a word"


@pytest.fixture
def on_disk(tmp_path: Path) -> OnDisk:
    (tmp_path / "traces.raw").write_bytes(np.zeros((100, 4), np.int16).tobytes())
    probe = probeinterface.generate_tetrode()
    probe.set_device_channel_indices(np.arange(4))
    return OnDisk(tmp_path / "traces.raw", RATE_HZ, 1.0, probe, {"seed": 1})


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sorter that says one unit with spikes 5 and 7, counts its runs, and fails when told to."""
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys, pathlib, numpy as np\n"
        "job = json.loads(pathlib.Path(sys.argv[1]).read_text())\n"
        f"runs = pathlib.Path({str(tmp_path / 'runs')!r})\n"
        "runs.write_text(runs.read_text() + 'x' if runs.exists() else 'x')\n"
        "if job['settings'].get('fail'): sys.exit('it broke')\n"
        "if job['settings'].get('killed'): import os; os.kill(os.getpid(), 9)\n"
        "out = pathlib.Path(job['out'])\n"
        "np.savez(out / 'units.npz', sample_index=np.array([5, 7]), unit=np.zeros(2, np.int32), n_units=1,\n"
        "         said_p_neuron=np.array([0.75]))\n"
        "(out / 'run.json').write_text(json.dumps({'version': '7', 'spikeinterface': '0', 'MiB': 3000}))\n"
    )
    monkeypatch.setattr(sorted_apart, "PROGRAM", program)
    monkeypatch.setattr(sorted_apart, "python_of", lambda sorter: Path(sys.executable))
    return tmp_path / "runs"


def test_what_a_peer_found_is_kept_for_the_same_recording_and_settings(
    pretended: Path, on_disk: OnDisk, tmp_path: Path
) -> None:
    first, again = (sorted_apart.sorted_apart("lupin", on_disk, tmp_path / "kept") for _ in range(2))
    assert again.sample_index.tolist() == first.sample_index.tolist() == [5, 7]
    assert again.said["p_neuron"].tolist() == [0.75]
    assert (again.version, again.memory_mib, again.failure) == ("7", 3000, None)
    assert first.cpu_s > 0
    assert pretended.read_text() == "x"
    sorted_apart.sorted_apart("lupin", on_disk, tmp_path / "kept", {"seed": 2})
    assert pretended.read_text() == "xx"


def test_what_we_found_is_found_again_while_the_source_differs_from_its_commit(
    pretended: Path, on_disk: OnDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorted_apart, "REVISION", sorted_apart.REVISION._replace(changed=True))
    for _ in range(2):
        sorted_apart.sorted_apart("ncpgui", on_disk, tmp_path / "kept")
    assert pretended.read_text() == "xx"


def test_what_a_peer_found_is_found_again_in_an_environment_that_was_set_up_since(
    pretended: Path, on_disk: OnDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NCPGUI_PEERS", str(tmp_path / "peers"))
    ready = tmp_path / "peers" / "lupin" / ".ready"
    ready.parent.mkdir(parents=True)
    ready.touch()
    os.utime(ready, (1, 1))  # long ago
    for _ in range(2):
        sorted_apart.sorted_apart("lupin", on_disk, tmp_path / "kept")
    assert pretended.read_text() == "x"
    os.utime(ready, (4e9, 4e9))
    sorted_apart.sorted_apart("lupin", on_disk, tmp_path / "kept")
    assert pretended.read_text() == "xx"


def test_a_sorter_that_was_killed_runs_again_and_one_that_failed_does_not(
    pretended: Path, on_disk: OnDisk, tmp_path: Path
) -> None:
    for _ in range(2):
        found = sorted_apart.sorted_apart("lupin", on_disk, tmp_path / "kept", {"fail": True})
    assert found.failure == "it broke"
    assert pretended.read_text() == "x"
    for _ in range(2):
        found = sorted_apart.sorted_apart("lupin", on_disk, tmp_path / "kept", {"killed": True})
    assert found.failure == "exit -9 without a word"
    assert pretended.read_text() == "xxx"


def test_a_sorter_that_fails_has_found_nothing_and_says_why(
    pretended: Path, on_disk: OnDisk, tmp_path: Path
) -> None:
    found = sorted_apart.sorted_apart("lupin", on_disk, tmp_path / "kept", {"fail": True})
    assert found.failure == "it broke"
    assert found.n_units == 0
    assert scores(sorting([1, 2], [70, 80]), found.sorting(RATE_HZ)).n_found == 0


def test_units_without_spikes_are_units_of_a_sorting() -> None:
    found = Found("one", np.array([3]), np.array([1], np.int32), 3)
    assert found.sorting(RATE_HZ).get_num_units() == 3


SMALL = GroundTruth("tetrode", 30_000.0, 4, 2.0, seed=901, n_far=2)


def test_a_recording_made_before_there_were_far_units_is_not_made_again(tmp_path: Path) -> None:
    truth = GroundTruth("tetrode", 30_000.0, 2, 1.0, seed=901)
    made(truth, tmp_path)
    told = place_of(truth, tmp_path) / "truth.json"
    old = {key: value for key, value in json.loads(told.read_text()).items() if key != "n_far"}
    told.write_text(json.dumps(old))
    traces = place_of(truth, tmp_path) / "traces.raw"
    before = traces.stat().st_mtime_ns
    made(truth, tmp_path)
    assert traces.stat().st_mtime_ns == before


def test_the_snr_of_a_true_unit_is_its_mean_trough_in_the_traces(tmp_path: Path) -> None:
    """Averaged over its spikes, within what the noise leaves of the mean of so many."""
    truth = GroundTruth("tetrode", 30_000.0, 1, 60.0, seed=901)
    recording, sorting_ = made(truth, tmp_path)
    snr = true_snr(truth, tmp_path)
    times = sorting_.get_unit_spike_train(0)
    traces = recording.get_traces(return_in_uV=True)
    times = times[(times > 100) & (times < len(traces) - 200)]
    mean = np.mean([traces[time - 45 : time + 90] for time in times], axis=0)
    quiet = np.median(np.abs(traces), axis=0) / 0.6745
    measured = (-mean.min(axis=0) / quiet).max()
    assert snr.shape == (1,)
    assert measured == pytest.approx(snr[0], abs=4 / np.sqrt(len(times)) + 0.05 * snr[0])


def test_far_units_are_small_and_the_others_are_what_they_are_without_them(tmp_path: Path) -> None:
    recording, units = made(SMALL, tmp_path)
    assert recording.get_num_frames() == 60_000
    assert units.get_num_units() == 4
    assert place_of(SMALL, tmp_path).name == "tetrode-none-far2-901"
    alone = GroundTruth("tetrode", 30_000.0, 4, 2.0, seed=901)
    made(alone, tmp_path)
    far, near = true_snr(SMALL, tmp_path), true_snr(alone, tmp_path)
    assert far[:2] == pytest.approx(near[:2])
    assert far[2:].max() < near[2:].max()
    assert far[2:].max() <= FAR_UV[1] / NOISE_UV[0]  # a contact sees a part of it at most


HOLDER = """
import subprocess, sys
held = bytearray(100 * 2**20)
held[::4096] = b"x" * len(held[::4096])
if sys.argv[1:]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], **pipes)
    child.stdout.readline()
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory of processes is read from /proc")
def test_memory_is_that_of_a_process_and_of_what_it_started() -> None:
    """Each of two processes holds 100 MiB beside the interpreter."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdin is not None
    with PeakMemory(process.pid) as peak:
        process.stdout.readline()
        (child,) = descendants(process.pid)[1:]
        both, one = memory_mib(process.pid), memory_mib(child)
    process.communicate(b"\n")
    assert 100 < one < 150
    assert 200 < both < 300
    assert peak.mib <= both + 1
    assert memory_mib(process.pid) == 0
